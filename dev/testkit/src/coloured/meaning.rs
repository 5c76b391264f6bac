//! The meaning of coloured nets.

use super::{Arc, CLASSES, Colour, Coloured, SORTS, Summand, Test, Transition, VARIABLES};
use std::collections::{BTreeMap, BTreeSet};

fn variables(transition: &Transition) -> Vec<usize> {
    let mut found = BTreeSet::new();
    let mut see = |colour: &Colour| {
        if let Colour::Variable(var, _) = colour {
            found.insert(*var);
        }
    };
    let arcs = transition.takes.iter().chain(&transition.puts);
    arcs.flat_map(|(_, sum)| sum).flat_map(|summand| &summand.parts).for_each(|(_, colour)| see(colour));
    let mut open: Vec<&Test> = transition.test.iter().collect();
    while let Some(test) = open.pop() {
        match test {
            Test::Compare(_, _, a, b) => [a, b].into_iter().for_each(&mut see),
            Test::Not(test) => open.push(test),
            Test::Join(_, tests) => open.extend(tests),
        }
    }
    found.into_iter().collect()
}

fn value(colour: Colour, class: usize, values: &[usize; 3]) -> usize {
    match colour {
        Colour::Constant(value) => value,
        Colour::Variable(var, shift) => (values[var] + shift) % CLASSES[class].1.len(),
        Colour::All => unreachable!("it stands for several colours"),
    }
}

fn holds(test: &Test, values: &[usize; 3]) -> bool {
    match test {
        Test::Compare(relation, class, a, b) => {
            let order = value(*a, *class, values).cmp(&value(*b, *class, values));
            match relation {
                0 => order.is_eq(),
                1 => order.is_ne(),
                2 => order.is_lt(),
                3 => order.is_le(),
                4 => order.is_gt(),
                _ => order.is_ge(),
            }
        }
        Test::Not(test) => !holds(test, values),
        Test::Join(true, tests) => tests.iter().all(|test| holds(test, values)),
        Test::Join(false, tests) => tests.iter().any(|test| holds(test, values)),
    }
}

/// The number of tokens of each colour of each place. A colour is a tuple of numbers in the classes.
pub type Marking = BTreeMap<(usize, Vec<usize>), i64>;

/// Adds the tokens of some arcs. `None` if an arc has fewer than no tokens of some colour.
fn tokens(arcs: &[Arc], values: &[usize; 3]) -> Option<Marking> {
    let mut total = Marking::new();
    for (place, sum) in arcs {
        tokens_of(*place, sum, values)?
            .into_iter()
            .for_each(|(token, count)| *total.entry(token).or_default() += count);
    }
    Some(total)
}

/// Returns the tokens of a sum. `None` if there are fewer than no tokens of some colour.
fn tokens_of(place: usize, sum: &[Summand], values: &[usize; 3]) -> Option<Marking> {
    let mut own = Marking::new();
    for summand in sum {
        let mut tuples = vec![Vec::new()];
        for (class, colour) in &summand.parts {
            let colours: Vec<usize> = match colour {
                Colour::All => (0..CLASSES[*class].1.len()).collect(),
                colour => vec![value(*colour, *class, values)],
            };
            tuples = tuples
                .iter()
                .flat_map(|tuple: &Vec<usize>| colours.iter().map(|c| [tuple.as_slice(), &[*c]].concat()))
                .collect();
        }
        tuples.into_iter().for_each(|tuple| *own.entry((place, tuple)).or_default() += summand.count);
    }
    let is_defined = own.values().all(|count| *count >= 0);
    own.retain(|_, count| *count > 0);
    is_defined.then_some(own)
}

/// A binding of a transition that its condition allows.
#[derive(Debug)]
pub struct Binding {
    /// The number of the transition.
    pub transition: usize,
    /// The name, such as `t0(x=a,z=u)`.
    pub name: String,
    /// What the binding takes and what it puts. `None` if a difference has fewer than no tokens of a colour.
    pub arcs: Option<(Marking, Marking)>,
}

/// The reachable markings.
#[derive(Debug)]
pub struct Graph {
    /// The markings. The initial one comes first.
    pub markings: Vec<Marking>,
    /// For each marking: the bindings that are enabled, each with the number of the next marking.
    pub next: Vec<Vec<(usize, usize)>>,
}

impl Coloured {
    /// Returns the initial marking. `None` if a difference in it has fewer than no tokens of a colour.
    #[must_use]
    pub fn initial(&self) -> Option<Marking> {
        let mut all = Marking::new();
        for (place, (_, sum)) in self.places.iter().enumerate() {
            all.extend(tokens_of(place, sum, &[0; 3])?);
        }
        Some(all)
    }

    /// Returns the name of a place with a colour.
    #[must_use]
    pub fn place_name(&self, place: usize, colour: &[usize]) -> String {
        let classes = SORTS[self.places[place].0].1;
        let colours: Vec<&str> = classes.iter().zip(colour).map(|(class, c)| CLASSES[*class].1[*c]).collect();
        if colours.is_empty() { format!("p{place}") } else { format!("p{place}({})", colours.join(",")) }
    }

    /// Returns all colours of a place.
    #[must_use]
    pub fn colours(&self, place: usize) -> Vec<Vec<usize>> {
        SORTS[self.places[place].0].1.iter().fold(vec![Vec::new()], |tuples: Vec<Vec<usize>>, class| {
            let longer = |tuple: &Vec<usize>| {
                (0..CLASSES[*class].1.len()).map(|c| [tuple.as_slice(), &[c]].concat()).collect::<Vec<_>>()
            };
            tuples.iter().flat_map(longer).collect()
        })
    }

    /// Returns the names of all bindings of a transition, also of those that its condition excludes.
    #[must_use]
    pub fn binding_names(&self, transition: usize) -> Vec<String> {
        let used = variables(&self.transitions[transition]);
        choices(&used).map(|values| name(transition, &used, &values)).collect()
    }

    /// Returns the bindings that conditions allow, by transition.
    #[must_use]
    pub fn bindings(&self) -> Vec<Binding> {
        let mut found = Vec::new();
        for (number, transition) in self.transitions.iter().enumerate() {
            let used = variables(transition);
            for values in choices(&used) {
                if transition.test.as_ref().is_some_and(|test| !holds(test, &values)) {
                    continue;
                }
                let arcs = tokens(&transition.takes, &values).zip(tokens(&transition.puts, &values));
                found.push(Binding { transition: number, name: name(number, &used, &values), arcs });
            }
        }
        found
    }

    /// Explores the net. `None` if it has more than `most` markings, if a place gets more than `most` tokens, or if
    /// the net is not defined: a difference has fewer than no tokens of a colour.
    #[must_use]
    pub fn explore(&self, most: usize) -> Option<Graph> {
        let bindings = self.bindings();
        let mut graph = Graph { markings: vec![self.initial()?], next: Vec::new() };
        let mut numbers = BTreeMap::from([(graph.markings[0].clone(), 0)]);
        while graph.next.len() < graph.markings.len() {
            let marking = graph.markings[graph.next.len()].clone();
            let mut next = Vec::new();
            for (b, binding) in bindings.iter().enumerate() {
                let (takes, puts) = binding.arcs.as_ref()?;
                let Some(to) = fire(&marking, takes, puts) else { continue };
                if to.values().any(|tokens| *tokens > most as i64) {
                    return None;
                }
                let number = *numbers.entry(to).or_insert_with_key(|to| {
                    graph.markings.push(to.clone());
                    graph.markings.len() - 1
                });
                next.push((b, number));
            }
            graph.next.push(next);
            if graph.markings.len() > most {
                return None;
            }
        }
        Some(graph)
    }
}

/// Returns the marking after a firing, or `None` if the binding is not enabled.
#[must_use]
pub fn fire(marking: &Marking, takes: &Marking, puts: &Marking) -> Option<Marking> {
    let mut next = marking.clone();
    for (token, count) in takes {
        let left = next.get(token).copied().unwrap_or(0) - count;
        if left < 0 {
            return None;
        }
        next.insert(token.clone(), left);
    }
    puts.iter().for_each(|(token, count)| *next.entry(token.clone()).or_default() += count);
    next.retain(|_, count| *count > 0);
    Some(next)
}

/// Returns the values of the three variables, in order; variables that are not used have the value 0.
fn choices(used: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    let all = (0..18).map(|n| [n / 6, n / 2 % 3, n % 2]);
    all.filter(|values| (0..3).all(|var| used.contains(&var) || values[var] == 0))
}

fn name(transition: usize, used: &[usize], values: &[usize; 3]) -> String {
    let part = |var: &usize| format!("{}={}", VARIABLES[*var].0, CLASSES[VARIABLES[*var].1].1[values[*var]]);
    let parts: Vec<String> = used.iter().map(part).collect();
    if parts.is_empty() { format!("t{transition}") } else { format!("t{transition}({})", parts.join(",")) }
}

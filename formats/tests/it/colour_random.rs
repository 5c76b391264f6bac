//! Random coloured nets: the reader's net is that of a plain unfolding, which tries all bindings and then leaves out
//! what never gets a token or never fires.

use crate::colour::{all, constant, file, op, place, shape, times, transition, var};
use crate::pnml::net;
use crate::read_as;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The classes: their ids and colours. Only the first is cyclic.
const CLASSES: [(&str, &[&str]); 2] = [("s", &["a", "b", "c"]), ("f", &["u", "v"])];
/// The variables with their classes.
const VARIABLES: [(&str, usize); 3] = [("x", 0), ("y", 0), ("z", 1)];
/// The sorts: their ids and classes.
const SORTS: [(&str, &[usize]); 4] = [("s", &[0]), ("f", &[1]), ("sf", &[0, 1]), ("dot", &[])];
const RELATIONS: [&str; 6] =
    ["equality", "inequality", "lessthan", "lessthanorequal", "greaterthan", "greaterthanorequal"];

/// The choices that make a net.
struct Choices(std::vec::IntoIter<u8>);

impl Choices {
    fn pick(&mut self, count: usize) -> usize {
        usize::from(self.0.next().unwrap_or(0)) % count
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Colour {
    Constant(usize),
    /// A variable and a shift.
    Variable(usize, usize),
    All,
}

struct Summand {
    count: i64,
    parts: Vec<(usize, Colour)>,
}

enum Test {
    Compare(usize, usize, Colour, Colour),
    Not(Box<Test>),
    Join(bool, Vec<Test>),
}

type Arc = (usize, Vec<Summand>);

struct Transition {
    test: Option<Test>,
    takes: Vec<Arc>,
    puts: Vec<Arc>,
}

fn colour(of: &mut Choices, class: usize, has_variables: bool, has_all: bool) -> Colour {
    let size = CLASSES[class].1.len();
    match of.pick(8) {
        0 if has_all => Colour::All,
        1 | 2 => Colour::Constant(of.pick(size)),
        _ if !has_variables => Colour::Constant(of.pick(size)),
        _ if class == 1 => Colour::Variable(2, 0),
        n => Colour::Variable(of.pick(2), if n > 5 { of.pick(3) } else { 0 }),
    }
}

fn sum(of: &mut Choices, sort: usize, has_variables: bool) -> Vec<Summand> {
    let count = 1 + of.pick(2);
    let mut sum: Vec<Summand> = (0..count)
        .map(|_| {
            let parts = SORTS[sort].1.iter().map(|class| (*class, colour(of, *class, has_variables, true))).collect();
            Summand { count: 1 + of.pick(2) as i64, parts }
        })
        .collect();
    if count > 1 && of.pick(4) == 0 {
        sum[1].count = -1;
    }
    sum
}

fn test(of: &mut Choices, depth: usize) -> Test {
    match of.pick(if depth == 0 { 3 } else { 6 }) {
        3 => Test::Not(Box::new(test(of, depth - 1))),
        4 | 5 => {
            let parts = (0..1 + of.pick(3)).map(|_| test(of, depth - 1)).collect();
            Test::Join(of.pick(2) == 0, parts)
        }
        _ => {
            let class = of.pick(2);
            Test::Compare(of.pick(6), class, colour(of, class, true, false), colour(of, class, true, false))
        }
    }
}

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

/// The number of tokens of each colour of each place.
type Marking = BTreeMap<(usize, Vec<usize>), i64>;

/// Adds the tokens of some arcs. Returns false if an arc has fewer than no tokens of some colour.
fn tokens(arcs: &[Arc], values: &[usize; 3]) -> Option<Marking> {
    let mut total = Marking::new();
    for (place, sum) in arcs {
        let mut own: BTreeMap<Vec<usize>, i64> = BTreeMap::new();
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
            tuples.into_iter().for_each(|tuple| *own.entry(tuple).or_default() += summand.count);
        }
        if own.values().any(|count| *count < 0) {
            return None;
        }
        own.into_iter().for_each(|(tuple, count)| *total.entry((*place, tuple)).or_default() += count);
    }
    total.retain(|_, count| *count > 0);
    Some(total)
}

/// A binding: its name, what it takes and what it puts. `None` if a difference is not defined.
type Binding = (String, Option<(Marking, Marking)>);

fn bindings(number: usize, transition: &Transition) -> Vec<Binding> {
    let used = variables(transition);
    let mut found = Vec::new();
    for n in 0..18 {
        let values = [n / 6, n / 2 % 3, n % 2];
        let is_least = (0..3).all(|var| used.contains(&var) || values[var] == 0);
        if !is_least || transition.test.as_ref().is_some_and(|test| !holds(test, &values)) {
            continue;
        }
        let part = |var: &usize| format!("{}={}", VARIABLES[*var].0, CLASSES[VARIABLES[*var].1].1[values[*var]]);
        let parts: Vec<String> = used.iter().map(part).collect();
        let name = if parts.is_empty() { format!("t{number}") } else { format!("t{number}({})", parts.join(",")) };
        found.push((name, tokens(&transition.takes, &values).zip(tokens(&transition.puts, &values))));
    }
    found
}

/// Returns the lines of [`shape`]. `None` if a difference that matters is not defined.
fn unfolded(places: &[(usize, Vec<Summand>)], transitions: &[Transition]) -> Option<Vec<String>> {
    let arcs: Vec<Arc> = places.iter().enumerate().map(|(n, (_, sum))| (n, copy(sum))).collect();
    let initial = tokens(&arcs, &[0; 3])?;
    let all: Vec<Binding> = transitions.iter().enumerate().flat_map(|(n, t)| bindings(n, t)).collect();
    let mut there: BTreeSet<(usize, Vec<usize>)> = initial.keys().cloned().collect();
    loop {
        let before = there.len();
        for (_, arcs) in &all {
            if let Some((takes, puts)) = arcs
                && takes.keys().all(|token| there.contains(token))
            {
                there.extend(puts.keys().cloned());
            }
        }
        if there.len() == before {
            break;
        }
    }
    let name = |(place, tuple): &(usize, Vec<usize>)| {
        let classes = SORTS[places[*place].0].1;
        let colours: Vec<&str> = classes.iter().zip(tuple).map(|(class, c)| CLASSES[*class].1[*c]).collect();
        if colours.is_empty() { format!("p{place}") } else { format!("p{place}({})", colours.join(",")) }
    };
    let mut lines: Vec<String> =
        there.iter().map(|token| format!("{} {}", name(token), initial.get(token).unwrap_or(&0))).collect();
    for (binding, arcs) in &all {
        let (takes, puts) = arcs.as_ref()?;
        if !takes.keys().all(|token| there.contains(token)) {
            continue;
        }
        let mut line = format!("{binding}:");
        takes.iter().for_each(|(token, count)| line.push_str(&format!(" {}>={count}", name(token))));
        for token in takes.keys().chain(puts.keys()).collect::<BTreeSet<_>>() {
            let change = puts.get(token).unwrap_or(&0) - takes.get(token).unwrap_or(&0);
            if change != 0 {
                line.push_str(&format!(" {}{change:+}", name(token)));
            }
        }
        lines.push(line);
    }
    Some(lines)
}

fn copy(sum: &[Summand]) -> Vec<Summand> {
    sum.iter().map(|summand| Summand { count: summand.count, parts: summand.parts.clone() }).collect()
}

fn colour_text(colour: Colour, class: usize) -> String {
    match colour {
        Colour::Constant(value) => constant(CLASSES[class].1[value]),
        Colour::Variable(variable, 0) => var(VARIABLES[variable].0),
        Colour::Variable(variable, 1) => op("successor", &[&var(VARIABLES[variable].0)]),
        Colour::Variable(variable, _) => op("predecessor", &[&var(VARIABLES[variable].0)]),
        Colour::All => all(CLASSES[class].0),
    }
}

fn sum_text(sum: &[Summand]) -> String {
    let texts: Vec<String> = sum
        .iter()
        .map(|summand| {
            let parts: Vec<String> = summand.parts.iter().map(|(class, colour)| colour_text(*colour, *class)).collect();
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let term = match parts[..] {
                [] => "<dotconstant/>".to_owned(),
                [part] => part.to_owned(),
                _ => op("tuple", &parts),
            };
            times(summand.count.unsigned_abs() as i32, &term)
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match &texts[..] {
        [] => String::new(),
        [text] => (*text).to_owned(),
        _ => op(if sum[1].count < 0 { "subtract" } else { "add" }, &texts),
    }
}

fn test_text(test: &Test) -> String {
    match test {
        Test::Compare(relation, class, a, b) => {
            op(RELATIONS[*relation], &[&colour_text(*a, *class), &colour_text(*b, *class)])
        }
        Test::Not(test) => op("not", &[&test_text(test)]),
        Test::Join(is_and, tests) => {
            let texts: Vec<String> = tests.iter().map(test_text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            op(if *is_and { "and" } else { "or" }, &texts)
        }
    }
}

fn text(places: &[(usize, Vec<Summand>)], transitions: &[Transition]) -> String {
    let mut nodes = String::new();
    for (n, (sort, marking)) in places.iter().enumerate() {
        let sort = format!("<usersort declaration='{}'/>", SORTS[*sort].0);
        nodes.push_str(&place(&format!("p{n}"), &sort, &sum_text(marking)));
    }
    for (n, of) in transitions.iter().enumerate() {
        let arcs = |arcs: &[Arc]| -> Vec<(String, String)> {
            arcs.iter().map(|(place, sum)| (format!("p{place}"), sum_text(sum))).collect()
        };
        let (takes, puts) = (arcs(&of.takes), arcs(&of.puts));
        let takes: Vec<(&str, &str)> = takes.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let puts: Vec<(&str, &str)> = puts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let condition = of.test.as_ref().map(test_text).unwrap_or_default();
        nodes.push_str(&transition(&format!("t{n}"), &condition, &takes, &puts));
    }
    file(&nodes)
}

fn agrees(choices: Vec<u8>) -> Result<(), TestCaseError> {
    let mut of = Choices(choices.into_iter());
    let mut places = Vec::new();
    for _ in 0..2 + of.pick(3) {
        let sort = of.pick(4);
        let marking = if of.pick(3) == 0 { Vec::new() } else { sum(&mut of, sort, false) };
        places.push((sort, marking));
    }
    let mut transitions = Vec::new();
    for _ in 0..1 + of.pick(3) {
        let arcs = |of: &mut Choices| -> Vec<Arc> {
            (0..of.pick(3))
                .map(|_| {
                    let place = of.pick(places.len());
                    (place, sum(of, places[place].0, true))
                })
                .collect()
        };
        let (takes, puts) = (arcs(&mut of), arcs(&mut of));
        let test = (of.pick(2) == 0).then(|| test(&mut of, 2));
        transitions.push(Transition { test, takes, puts });
    }
    let text = text(&places, &transitions);
    match (read_as("t.pnml", &text), unfolded(&places, &transitions)) {
        (Ok(read), Some(expected)) => prop_assert_eq!(shape(net(&read.problem)), expected, "{}", text),
        // A difference that is not defined may belong to a binding that never fires.
        (Ok(_), None) => {}
        (Err(error), None) => prop_assert_eq!(error.code(), "pnml::negative"),
        (Err(error), Some(_)) => prop_assert!(false, "{} {}", error, text),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn nets_are_those_of_a_plain_unfolding(choices in prop::collection::vec(any::<u8>(), 0..200)) {
        agrees(choices)?;
    }
}

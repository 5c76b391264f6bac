//! All joint states of a program, and the same of an explicit program. Both are compared as graphs.

use super::meaning::{Meaning, Place, Stopped};
use super::sets::{Event, name};
use model::{LocalId, Program, ThreadId, Variable};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What can be seen of a joint state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Seen {
    Bad,
    Deadlock,
    End,
    /// The enabled events.
    Live(BTreeSet<String>),
}

/// The reachable states, breadth first.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) seen: Vec<Seen>,
    /// The threads that are hot. In bad states there are none.
    pub(super) hot: Vec<BTreeSet<usize>>,
    /// The values of all variables, if they are known.
    values: Vec<Vec<i64>>,
    pub(super) depths: Vec<usize>,
    pub(super) next: Vec<BTreeMap<String, BTreeSet<usize>>>,
    pub(super) first: BTreeSet<usize>,
}

/// What is seen of a state, the threads that are hot, the values of all variables if they are known, and the events
/// with the states to which they may lead.
struct Look<S>(Seen, BTreeSet<usize>, Vec<i64>, Vec<(String, Vec<S>)>);

impl Graph {
    /// The length of a shortest run to a state of this kind.
    pub(super) fn shortest(&self, kind: &Seen) -> Option<usize> {
        self.seen.iter().zip(&self.depths).find(|(seen, _)| *seen == kind).map(|(_, depth)| *depth)
    }

    /// Adds states breadth first. `look` tells what is seen of a state and where its events lead.
    fn explore<S: Clone + Eq + std::hash::Hash>(
        first: Vec<S>,
        most: usize,
        mut look: impl FnMut(&S) -> Result<Look<S>, Stopped>,
    ) -> Result<Graph, Stopped> {
        let mut graph = Graph::default();
        let mut numbers: HashMap<S, usize> = HashMap::new();
        let mut states: Vec<S> = Vec::new();
        let mut number = |state: S, depth: usize, states: &mut Vec<S>, depths: &mut Vec<usize>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                depths.push(depth);
                states.len() - 1
            })
        };
        for state in first {
            graph.first.insert(number(state, 0, &mut states, &mut graph.depths));
        }
        let mut at = 0;
        while at < states.len() {
            if states.len() > most {
                return Err(Stopped::Large);
            }
            let Look(seen, hot, values, next) = look(&states[at].clone())?;
            let depth = graph.depths[at] + 1;
            let mut edges = BTreeMap::new();
            for (event, to) in next {
                let to = to.into_iter().map(|s| number(s, depth, &mut states, &mut graph.depths)).collect();
                edges.insert(event, to);
            }
            graph.seen.push(seen);
            graph.hot.push(hot);
            graph.values.push(values);
            graph.next.push(edges);
            at += 1;
        }
        Ok(graph)
    }
}

/// What a thread does in one place. It is computed when a joint state first has the place.
struct Known {
    requests: BTreeSet<Event>,
    blocks: HashMap<Event, bool>,
    after: HashMap<Event, Vec<usize>>,
    is_bad: bool,
    is_final: bool,
    is_hot: bool,
}

/// The places that occurred, for each thread.
struct Memory<'a> {
    meaning: &'a Meaning<'a>,
    places: Vec<Vec<Place>>,
    known: Vec<Vec<Known>>,
    numbers: Vec<HashMap<Place, usize>>,
    has_fault: bool,
}

impl Memory<'_> {
    fn number(&mut self, t: usize, place: Place) -> Result<usize, Stopped> {
        if let Some(&n) = self.numbers[t].get(&place) {
            return Ok(n);
        }
        self.has_fault |= place.is_fault;
        self.known[t].push(Known {
            requests: self.meaning.requests(t, &place)?,
            blocks: HashMap::new(),
            after: HashMap::new(),
            is_bad: self.meaning.is_bad(t, &place),
            is_final: self.meaning.is_final(t, &place),
            is_hot: self.meaning.is_hot(t, &place),
        });
        self.places[t].push(place.clone());
        let n = self.places[t].len() - 1;
        self.numbers[t].insert(place, n);
        Ok(n)
    }

    fn blocks(&mut self, t: usize, at: usize, event: &Event) -> Result<bool, Stopped> {
        let known = &mut self.known[t][at];
        if let Some(&blocks) = known.blocks.get(event) {
            return Ok(blocks);
        }
        let blocks = self.meaning.blocks(t, &self.places[t][at], event)?;
        known.blocks.insert(event.clone(), blocks);
        Ok(blocks)
    }

    fn after(&mut self, t: usize, at: usize, event: &Event) -> Result<Vec<usize>, Stopped> {
        if let Some(after) = self.known[t][at].after.get(event) {
            return Ok(after.clone());
        }
        let places = self.meaning.after(t, &self.places[t][at], event)?;
        let after: Vec<usize> = places.into_iter().map(|p| self.number(t, p)).collect::<Result<_, _>>()?;
        self.known[t][at].after.insert(event.clone(), after.clone());
        Ok(after)
    }

    fn look(&mut self, joint: &[usize]) -> Result<Look<Vec<usize>>, Stopped> {
        let known = |t: usize| &self.known[t][joint[t]];
        let threads = 0..joint.len();
        let values = threads.clone().flat_map(|t| self.places[t][joint[t]].values.clone()).collect();
        if threads.clone().any(|t| known(t).is_bad) {
            return Ok(Look(Seen::Bad, BTreeSet::new(), values, Vec::new()));
        }
        let hot = threads.clone().filter(|t| known(*t).is_hot).collect();
        let are_final = threads.clone().all(|t| known(t).is_final);
        let requested: BTreeSet<Event> = threads.clone().flat_map(|t| known(t).requests.clone()).collect();
        let (mut names, mut next) = (BTreeSet::new(), Vec::new());
        'events: for event in requested {
            for t in threads.clone() {
                if self.blocks(t, joint[t], &event)? {
                    continue 'events;
                }
            }
            let after: Vec<_> = threads.clone().map(|t| self.after(t, joint[t], &event)).collect::<Result<_, _>>()?;
            if after.iter().map(Vec::len).product::<usize>() > 1000 {
                return Err(Stopped::Large);
            }
            let name = name(self.meaning.case, &event);
            names.insert(name.clone());
            next.push((name, testkit::choices(after)));
        }
        let seen = match (names.is_empty(), are_final) {
            (true, true) => Seen::End,
            (true, false) => Seen::Deadlock,
            (false, _) => Seen::Live(names),
        };
        Ok(Look(seen, hot, values, next))
    }
}

/// Explores the joint states of the meaning. The second part is true if some thread has a fault.
pub(super) fn joint(meaning: &Meaning, most: usize) -> Result<(Graph, bool), Stopped> {
    let count = meaning.threads.len();
    let mut memory = Memory {
        meaning,
        places: vec![Vec::new(); count],
        known: (0..count).map(|_| Vec::new()).collect(),
        numbers: vec![HashMap::new(); count],
        has_fault: false,
    };
    let mut first = Vec::new();
    for t in 0..count {
        let places = meaning.first(t)?;
        first.push(places.into_iter().map(|p| memory.number(t, p)).collect::<Result<Vec<_>, _>>()?);
    }
    if first.iter().map(Vec::len).product::<usize>() > most {
        return Err(Stopped::Large);
    }
    let graph = Graph::explore(testkit::choices(first), most, |joint| memory.look(joint))?;
    Ok((graph, memory.has_fault))
}

/// Explores the composite states of an explicit program by the reference semantics.
pub(super) fn explicit(program: &Program, most: usize) -> Result<Graph, Stopped> {
    use testkit::program::{after, enabled, goal, initial};
    Graph::explore(initial(program), most, |state| {
        let enabled = enabled(program, state);
        let names: BTreeSet<String> = enabled.iter().map(|e| program.events()[e.index()].clone()).collect();
        let value = |variable: &Variable| Some(variable.at.as_ref()?[state[variable.thread.index()] as usize]);
        let values = program.variables().iter().filter_map(value).collect();
        let seen = match goal(program, state) {
            Some(model::Goal::Bad) => return Ok(Look(Seen::Bad, BTreeSet::new(), values, Vec::new())),
            Some(_) => Seen::Deadlock,
            None if names.is_empty() => Seen::End,
            None => Seen::Live(names),
        };
        let next = enabled.into_iter().map(|e| (program.events()[e.index()].clone(), after(program, state, e)));
        let is_hot = |t: &usize| program.is_hot(ThreadId::new(*t), LocalId(state[*t]));
        let hot = (0..state.len()).filter(is_hot).collect();
        Ok(Look(seen, hot, values, next.collect()))
    })
}

/// Compares what is seen after each word, with the values of variables if `other` knows them. Returns a word after
/// which the graphs differ. `most` limits the pairs of sets of states. The number of pairs is returned.
pub(super) fn compare(one: &Graph, other: &Graph, most: usize) -> Result<usize, String> {
    let mut open = vec![(Vec::new(), one.first.clone(), other.first.clone())];
    let mut done: BTreeSet<(BTreeSet<usize>, BTreeSet<usize>)> = BTreeSet::new();
    let has_values = other.values.iter().any(|values| !values.is_empty());
    let mut at = 0;
    while at < open.len() && at < most {
        let (word, ours, theirs): (Vec<String>, BTreeSet<usize>, BTreeSet<usize>) = open[at].clone();
        at += 1;
        let seen = |graph: &Graph, set: &BTreeSet<usize>| -> BTreeSet<(Seen, BTreeSet<usize>, Vec<i64>)> {
            let values = |s: usize| if has_values { graph.values[s].clone() } else { Vec::new() };
            set.iter().map(|&s| (graph.seen[s].clone(), graph.hot[s].clone(), values(s))).collect()
        };
        let (expected, found) = (seen(one, &ours), seen(other, &theirs));
        if expected != found {
            return Err(format!("after {word:?}: meant {expected:?}, read {found:?}"));
        }
        let step = |graph: &Graph, set: &BTreeSet<usize>| {
            let mut next: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
            for &s in set {
                for (event, to) in &graph.next[s] {
                    next.entry(event.clone()).or_default().extend(to);
                }
            }
            next
        };
        let mut theirs = step(other, &theirs);
        for (event, to) in step(one, &ours) {
            let there = theirs.remove(&event).expect("the same events are enabled");
            if done.insert((to.clone(), there.clone())) {
                let word = word.iter().cloned().chain([event]).collect();
                open.push((word, to, there));
            }
        }
    }
    Ok(at)
}

/// Checks that what is seen of a part after each word is seen of the whole, apart from what is unread. Returns a word
/// after which this is not so.
pub(super) fn is_part(whole: &Graph, part: &Graph, most: usize) -> Result<(), String> {
    let unread = || Seen::Live(BTreeSet::from(["(unread)".to_owned()]));
    let mut open = vec![(Vec::new(), whole.first.clone(), part.first.clone())];
    let mut done: BTreeSet<(BTreeSet<usize>, BTreeSet<usize>)> = BTreeSet::new();
    let mut at = 0;
    while at < open.len() && at < most {
        let (word, ours, theirs): (Vec<String>, BTreeSet<usize>, BTreeSet<usize>) = open[at].clone();
        at += 1;
        let seen = |graph: &Graph, set: &BTreeSet<usize>| -> BTreeSet<Seen> {
            set.iter().map(|s| graph.seen[*s].clone()).collect()
        };
        let expected = seen(whole, &ours);
        let mut found = seen(part, &theirs);
        found.remove(&unread());
        if !found.is_subset(&expected) {
            return Err(format!("after {word:?}: meant {expected:?}, read {found:?}"));
        }
        let step = |graph: &Graph, set: &BTreeSet<usize>, event: &String| -> BTreeSet<usize> {
            set.iter().filter_map(|s| graph.next[*s].get(event)).flatten().copied().collect()
        };
        let events: BTreeSet<&String> = theirs.iter().flat_map(|s| part.next[*s].keys()).collect();
        for event in events.into_iter().filter(|event| *event != "(unread)") {
            let (to, there) = (step(whole, &ours, event), step(part, &theirs, event));
            if done.insert((to.clone(), there.clone())) {
                open.push((word.iter().chain([event]).cloned().collect(), to, there));
            }
        }
    }
    Ok(())
}

//! Brute-force reachability for states of any type: breadth first, every state once.

use std::collections::BTreeMap;

/// The reachable states and their depths.
#[derive(Clone, Debug)]
pub struct Reached<S> {
    /// The states in the order in which they were found.
    pub states: Vec<S>,
    /// For each state: the length of a shortest path to it.
    pub depths: BTreeMap<S, u64>,
}

/// Returns all reachable states. `None` if there are more than `most`. `successors` is called once for each
/// state.
pub fn reach<S: Clone + Ord>(
    initial: impl IntoIterator<Item = S>,
    most: usize,
    mut successors: impl FnMut(&S) -> Vec<S>,
) -> Option<Reached<S>> {
    let mut reached = Reached { states: Vec::new(), depths: BTreeMap::new() };
    for state in initial {
        reached.add(state, 0);
    }
    let mut next = 0;
    while next < reached.states.len() {
        if reached.states.len() > most {
            return None;
        }
        let state = reached.states[next].clone();
        let depth = reached.depths[&state] + 1;
        next += 1;
        for to in successors(&state) {
            reached.add(to, depth);
        }
    }
    Some(reached)
}

impl<S: Clone + Ord> Reached<S> {
    fn add(&mut self, state: S, depth: u64) {
        if !self.depths.contains_key(&state) {
            self.depths.insert(state.clone(), depth);
            self.states.push(state);
        }
    }

    /// Returns the length of a shortest path to a state that satisfies `is_asked`, if there is one.
    pub fn nearest(&self, is_asked: impl Fn(&S) -> bool) -> Option<u64> {
        // The states are in the order of their depths.
        self.states.iter().find(|s| is_asked(s)).map(|s| self.depths[s])
    }
}

/// Returns all ways to take one item of each list. The last list changes fastest.
pub fn choices<T: Clone>(lists: impl IntoIterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    lists.into_iter().fold(vec![Vec::new()], |done, list| {
        done.iter()
            .flat_map(|head| list.iter().map(move |item| [head.as_slice(), std::slice::from_ref(item)].concat()))
            .collect()
    })
}

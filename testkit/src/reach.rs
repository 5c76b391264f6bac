//! Brute force over states of any kind: breadth first, every state once.

use std::collections::BTreeMap;

/// What was reached.
#[derive(Clone, Debug)]
pub struct Reached<S> {
    /// The states in the order in which they were found.
    pub states: Vec<S>,
    /// The length of a shortest way to each of them.
    pub depths: BTreeMap<S, u64>,
}

/// All states that steps lead to; `None` if there are more than `most`. Each state is asked for its successors once.
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

    /// The length of a shortest way to a state that is asked for, if there is one.
    pub fn nearest(&self, is_asked: impl Fn(&S) -> bool) -> Option<u64> {
        // States are in the order of their depths.
        self.states.iter().find(|s| is_asked(s)).map(|s| self.depths[s])
    }
}

/// All ways to take one item of each list, the last list changing fastest.
pub fn choices<T: Clone>(lists: impl IntoIterator<Item = Vec<T>>) -> Vec<Vec<T>> {
    lists.into_iter().fold(vec![Vec::new()], |done, list| {
        done.iter()
            .flat_map(|head| list.iter().map(move |item| [head.as_slice(), std::slice::from_ref(item)].concat()))
            .collect()
    })
}

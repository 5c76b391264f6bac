//! A stepper straight from the definition, to count what programs mean.

use model::{EventSet, LocalId, Program, Thread};
use std::collections::HashSet;

/// Calls `visit` with every choice of one state from each thread's list.
fn product(lists: &[&[LocalId]], visit: &mut dyn FnMut(&[LocalId])) {
    let mut at = vec![0; lists.len()];
    loop {
        let state: Vec<LocalId> = at.iter().zip(lists).map(|(i, list)| list[*i]).collect();
        visit(&state);
        let Some(t) = (0..at.len()).find(|t| at[*t] + 1 < lists[*t].len()) else { return };
        at[t] += 1;
        at[..t].fill(0);
    }
}

pub(crate) fn enabled(program: &Program, state: &[LocalId]) -> EventSet {
    let mut enabled = EventSet::empty(program.events().len());
    let locals = || program.threads().iter().zip(state).map(|(t, s)| t.state(*s));
    locals().for_each(|s| enabled.union_with(&s.request));
    locals().for_each(|s| enabled.subtract(&s.block));
    enabled
}

/// The reachable composite states, by brute force; `None` beyond `most`.
pub(crate) fn reachable(program: &Program, most: usize) -> Option<HashSet<Box<[LocalId]>>> {
    let mut seen: HashSet<Box<[LocalId]>> = HashSet::new();
    let mut work: Vec<Box<[LocalId]>> = Vec::new();
    let mut add = |state: &[LocalId], work: &mut Vec<Box<[LocalId]>>| {
        if !seen.contains(state) {
            seen.insert(state.into());
            work.push(state.into());
        }
        seen.len()
    };
    let initial: Vec<&[LocalId]> = program.threads().iter().map(|t| t.initial.as_slice()).collect();
    let mut count = 0;
    product(&initial, &mut |state| count = add(state, &mut work));
    while let Some(state) = work.pop() {
        for event in enabled(program, &state).iter() {
            let stay: Vec<[LocalId; 1]> = state.iter().map(|s| [*s]).collect();
            let targets = |(t, thread): (usize, &'_ Thread)| thread.state(state[t]).on.get(&event).cloned();
            let moved: Vec<_> = program.threads().iter().enumerate().map(targets).collect();
            let lists: Vec<&[LocalId]> = moved.iter().zip(&stay).map(|(m, s)| m.as_deref().unwrap_or(s)).collect();
            product(&lists, &mut |next| count = add(next, &mut work));
        }
        if count > most {
            return None;
        }
    }
    Some(seen)
}

/// The number of reachable composite states (`None` beyond `most`), and whether bad states and deadlocks are among them.
pub(crate) fn explore(program: &Program, most: usize) -> Option<(usize, bool, bool)> {
    let states = reachable(program, most)?;
    let (mut bad, mut deadlock) = (false, false);
    for state in states.iter().filter(|state| enabled(program, state).is_empty()) {
        let is_bad = is_bad(program, state);
        bad |= is_bad;
        deadlock |= !is_bad;
    }
    Some((states.len(), bad, deadlock))
}

/// Is some thread in a bad state?
pub(crate) fn is_bad(program: &Program, state: &[LocalId]) -> bool {
    program.threads().iter().zip(state).any(|(t, s)| t.state(*s).bad)
}

//! Computes the local states that threads may still reach from given states, where each thread moves only on
//! events that the other threads may still allow.
//!
//! The result is the fixpoint of [`model::Justification::Future`], computed with a worklist. For each event, a
//! counter stores the number of threads that block it in all of their states found so far. An event becomes
//! alive once, and then it moves every thread from all of its known states.

use model::{EventId, LocalId, Thread};

/// The least closed family of sets of local states.
pub(crate) struct Closure<'a> {
    threads: &'a [Thread],
    /// For each thread and state: true if the state is in the set of the thread.
    inside: Vec<Vec<bool>>,
    /// For each thread: the events that all states in its set block so far. `None` before the first state is
    /// added.
    shut_by: Vec<Option<Vec<EventId>>>,
    /// For each event: whether it is requested, blocked and alive.
    events: Vec<Status>,
    /// Added states with arrows that are not processed yet.
    new: Vec<(usize, LocalId)>,
    /// Events that may have become alive.
    touched: Vec<EventId>,
}

#[derive(Clone, Default)]
struct Status {
    requested: bool,
    /// Number of threads that block the event in all their states so far.
    shut: usize,
    alive: bool,
    /// States with an arrow for the event, as long as the event is not alive.
    waiting: Vec<(usize, LocalId)>,
}

impl<'a> Closure<'a> {
    /// Computes the closure of these states, one list for each thread. The cost is linear in the arrows,
    /// requests and blocks of the reached states.
    pub(crate) fn of(threads: &'a [Thread], from: impl Iterator<Item = Vec<LocalId>>) -> Self {
        let events = threads.first().map_or(0, |t| t.states[0].block.universe());
        let mut closure = Self {
            threads,
            inside: threads.iter().map(|t| vec![false; t.states.len()]).collect(),
            shut_by: vec![None; threads.len()],
            events: vec![Status::default(); events],
            new: Vec::new(),
            touched: Vec::new(),
        };
        for (i, states) in from.enumerate() {
            states.into_iter().for_each(|s| closure.enter(i, s));
        }
        closure.run();
        closure
    }

    /// Returns true if state `s` of thread `i` is in the family.
    pub(crate) fn contains(&self, i: usize, s: usize) -> bool {
        self.inside[i][s]
    }

    fn run(&mut self) {
        loop {
            while let Some((i, s)) = self.new.pop() {
                let state = self.threads[i].state(s);
                for &event in state.on.keys().filter(|e| !state.block.contains(**e)) {
                    if self.events[event.index()].alive {
                        self.follow(i, s, event);
                    } else {
                        self.events[event.index()].waiting.push((i, s));
                    }
                }
            }
            let Some(event) = self.touched.pop() else { return };
            let status = &mut self.events[event.index()];
            if status.requested && status.shut == 0 && !status.alive {
                status.alive = true;
                for (i, s) in std::mem::take(&mut status.waiting) {
                    self.follow(i, s, event);
                }
            }
        }
    }

    fn follow(&mut self, i: usize, s: LocalId, event: EventId) {
        let threads = self.threads;
        for &to in &threads[i].state(s).on[&event] {
            self.enter(i, to);
        }
    }

    fn enter(&mut self, i: usize, s: LocalId) {
        if std::mem::replace(&mut self.inside[i][s.index()], true) {
            return;
        }
        self.new.push((i, s));
        let state = self.threads[i].state(s);
        for event in state.request.iter() {
            self.events[event.index()].requested = true;
            self.touched.push(event);
        }
        let (events, touched) = (&mut self.events, &mut self.touched);
        match &mut self.shut_by[i] {
            first @ None => {
                let shut: Vec<EventId> = state.block.iter().collect();
                shut.iter().for_each(|e| events[e.index()].shut += 1);
                *first = Some(shut);
            }
            Some(shut) => shut.retain(|e| {
                let still = state.block.contains(*e);
                if !still {
                    events[e.index()].shut -= 1;
                    touched.push(*e);
                }
                still
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit;

    /// Computes the family by its definition, round by round.
    fn naive(threads: &[Thread], from: &[Vec<LocalId>]) -> Vec<Vec<bool>> {
        let mut inside: Vec<Vec<bool>> = threads.iter().map(|t| vec![false; t.states.len()]).collect();
        from.iter().zip(&mut inside).for_each(|(states, f)| states.iter().for_each(|s| f[s.index()] = true));
        loop {
            let before = inside.clone();
            for e in (0..threads[0].states[0].block.universe()).map(EventId::new) {
                let states =
                    |i: usize| (0..before[i].len()).filter(|&s| before[i][s]).map(LocalId::new).collect::<Vec<_>>();
                let state = |i: usize, s: &LocalId| threads[i].state(*s);
                let asked = (0..threads.len()).any(|i| states(i).iter().any(|s| state(i, s).request.contains(e)));
                let open = (0..threads.len()).all(|i| states(i).iter().any(|s| !state(i, s).block.contains(e)));
                if !(asked && open) {
                    continue;
                }
                for (i, thread) in threads.iter().enumerate() {
                    for s in states(i).into_iter().filter(|s| !state(i, s).block.contains(e)) {
                        thread.targets(s, e).for_each(|to| inside[i][to.index()] = true);
                    }
                }
            }
            if inside == before {
                return inside;
            }
        }
    }

    #[test]
    fn the_worklist_reaches_what_the_definition_does() {
        let mut random = kit::Random::new(5);
        let mut left_out = 0;
        for _ in 0..2_000 {
            let program = kit::program(&mut random);
            let from: Vec<Vec<LocalId>> = program.threads().iter().map(|t| t.initial.clone()).collect();
            let closure = Closure::of(program.threads(), from.iter().cloned());
            let expected = naive(program.threads(), &from);
            for (i, thread) in program.threads().iter().enumerate() {
                let alone = thread.locally_reachable();
                for (s, &inside) in expected[i].iter().enumerate() {
                    assert_eq!(closure.contains(i, s), inside, "{}", kit::describe(&program));
                    left_out += usize::from(!inside && alone[s]);
                }
            }
        }
        assert!(left_out > 100, "{left_out}");
    }
}

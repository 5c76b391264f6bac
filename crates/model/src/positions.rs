//! Positions of the local states of a program in the text that the program was read from.
//!
//! A thread may be written as a body: a sequence of statements, most of them *syncs* (`request`, `wait` or
//! `block`), at which the thread waits for an event. The states of a body are its syncs, its `bad` statements
//! and its ends. They have no names in the text, so readers number them `L0`, `L1`, ... Readable output shows
//! the lines of their statements instead. Positions are additional data, like the display names of nets
//! ([`crate::called`]): programs that differ only in positions are equal, and no search, hash or checker uses
//! positions.

use crate::ids::{LocalId, ThreadId};
pub use crate::lines::{Lines, Position};
use crate::lines::{Positions, SHARED};
use crate::rwb::Program;
use std::collections::HashMap;

impl Program {
    /// Sets the lines of the states, for each thread in order. `O(states)`.
    ///
    /// # Panics
    /// Panics if `positions` does not have one entry per thread with one line per state.
    #[must_use]
    pub fn with_positions(mut self, mut positions: Vec<Lines>) -> Self {
        let fits = positions.iter().map(|p| p.lines.len()).eq(self.threads().iter().map(|t| t.states.len()));
        assert!(fits, "a line for each state");
        for (thread, positions) in self.threads().iter().zip(&mut positions) {
            let mut syncs: HashMap<(u32, &str), usize> = HashMap::new();
            // All `bad` statements of a body share one state, and its ends share states, too. So the lines of
            // these states need not be unique.
            let waits = |s: usize| !thread.states[s].on.is_empty() || positions.syncs.get(s) == Some(&true);
            let is_sync = |s: usize| positions.is_body && !thread.states[s].bad && waits(s);
            let states = || (0..thread.states.len()).filter(|s| is_sync(*s));
            states().for_each(|s| *syncs.entry(positions.place(s)).or_default() += 1);
            let shared: Vec<usize> = states().filter(|s| syncs[&positions.place(*s)] > 1).collect();
            shared.into_iter().for_each(|s| positions.lines[s] |= SHARED);
        }
        self.positions = Positions(positions.into());
        self
    }

    /// Returns the position of a state, if the program was read from a text.
    #[must_use]
    pub fn position(&self, t: ThreadId, s: LocalId) -> Option<Position<'_>> {
        let lines = self.positions.0.get(t.index())?;
        let marked = *lines.lines.get(s.index())?;
        let (line, values) = lines.place(s.index());
        let file = lines.files.get(s.index()).map(|file| &**file).filter(|file| !file.is_empty());
        let is_sync = lines.syncs.get(s.index()).is_some_and(|is_sync| *is_sync);
        Some(Position { line, file, is_body: lines.is_body, is_alone: marked & SHARED == 0, is_sync, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event_set::EventSet;
    use crate::goal::Goal;
    use crate::ids::EventId;
    use crate::rwb::{LocalState, Thread};

    #[test]
    fn syncs_that_share_a_line_are_told() {
        let a = EventSet::full(1);
        let sync = |name: &str, to: u32| LocalState {
            name: name.to_owned(),
            request: a.clone(),
            block: EventSet::empty(1),
            bad: false,
            on: [(EventId(0), vec![LocalId(to)])].into(),
        };
        let states = vec![sync("L0", 1), sync("L1", 2), sync("L2", 3), LocalState::bad("L3".to_owned(), 1)];
        let thread = Thread { name: "T".to_owned(), states, initial: vec![LocalId(0)] };
        let plain = Program::new(vec!["a".to_owned()], vec![thread], vec![Goal::Bad]).expect("a program");
        assert_eq!(plain.position(ThreadId(0), LocalId(0)), None);
        let program =
            plain.clone().with_positions(vec![Lines { is_body: true, lines: vec![3, 3, 4, 4], ..Lines::default() }]);
        let at = |s| program.position(ThreadId(0), LocalId(s)).map(|p| (p.line, p.is_alone));
        let expected = [Some((3, false)), Some((3, false)), Some((4, true)), Some((4, true)), None];
        assert_eq!([at(0), at(1), at(2), at(3), at(4)], expected);
        assert_eq!(program, plain);
    }
}

//! Where the states of a program's threads are in the text that the program was read from.
//!
//! States of a body have no names in the text: readers number them `L0`, `L1`, ... What people know are the lines of their
//! statements. They are said beside the program, as [`crate::called`] says what people call the nodes of a net: programs
//! that differ in nothing else are equal, and no search, hash or checker looks at them.

use crate::ids::{LocalId, ThreadId};
use crate::rwb::Program;
use std::collections::HashMap;
use std::sync::Arc;

/// The lines of a thread's states.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Are its states the syncs of a body, so that their names say nothing?
    pub is_body: bool,
    /// By state, from 1.
    pub lines: Vec<u32>,
}

/// Where a state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// Is it the sync of a body, or a way to end it?
    pub is_body: bool,
    /// Is no other sync of its thread in this line?
    pub is_alone: bool,
}

/// The lines of all threads' states; says nothing about what the program does, so all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions(Arc<[Lines]>);

impl PartialEq for Positions {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Positions {}

/// Marks lines that several syncs of a thread share. Lines are below 2^31, as texts are.
const SHARED: u32 = 1 << 31;

impl Program {
    /// The program whose states are in these lines, by thread. `O(states)`.
    ///
    /// # Panics
    /// If the lines are not those of its threads and states.
    #[must_use]
    pub fn with_positions(mut self, mut positions: Vec<Lines>) -> Self {
        let fits = positions.iter().map(|p| p.lines.len()).eq(self.threads().iter().map(|t| t.states.len()));
        assert!(fits, "a line for each state");
        for (thread, positions) in self.threads().iter().zip(&mut positions) {
            let mut syncs: HashMap<u32, usize> = HashMap::new();
            // All `bad`s of a body are one state, and so are all its ends: they need no line to be told apart.
            let is_sync = |s: usize| positions.is_body && !thread.states[s].bad && !thread.states[s].on.is_empty();
            let states = || (0..thread.states.len()).filter(|s| is_sync(*s));
            states().for_each(|s| *syncs.entry(positions.lines[s]).or_default() += 1);
            let shared: Vec<usize> = states().filter(|s| syncs[&positions.lines[*s]] > 1).collect();
            shared.into_iter().for_each(|s| positions.lines[s] |= SHARED);
        }
        self.positions = Positions(positions.into());
        self
    }

    /// Where a state is in the text, if the program was read from one.
    #[must_use]
    pub fn position(&self, t: ThreadId, s: LocalId) -> Option<Position> {
        let lines = self.positions.0.get(t.index())?;
        let line = *lines.lines.get(s.index())?;
        Some(Position { line: line & !SHARED, is_body: lines.is_body, is_alone: line & SHARED == 0 })
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
        let program = plain.clone().with_positions(vec![Lines { is_body: true, lines: vec![3, 3, 4, 4] }]);
        let at = |s| program.position(ThreadId(0), LocalId(s)).map(|p| (p.line, p.is_alone));
        let expected = [Some((3, false)), Some((3, false)), Some((4, true)), Some((4, true)), None];
        assert_eq!([at(0), at(1), at(2), at(3), at(4)], expected);
        assert_eq!(program, plain);
    }
}

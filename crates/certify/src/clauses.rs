//! A view of a lemma clause for the checks of justifications: its literals, grouped by the kind of proposition.

use crate::arith::{Cover, Normal, normal};
use model::{Constant, Goal, IntAtom, Meaning, Prop};

/// Returns the index of a literal's meaning. Literals are as in DIMACS: the index plus one, negative if
/// negated. The literal must not be 0.
pub(crate) fn variable(literal: i32) -> usize {
    literal.unsigned_abs() as usize - 1
}

/// The literals of one clause that a justification can require. All other literals, such as groups and
/// auxiliary variables, only weaken the clause.
#[derive(Default)]
pub(crate) struct View<'a> {
    /// Composite states q such that the clause contains `not Visits(q)`.
    not_visited: Vec<&'a [u32]>,
    ends: Vec<(bool, Goal)>,
    events: Vec<(bool, u32, u32)>,
    states: Vec<(bool, u32, u32, u32)>,
    pub(crate) cover: Cover,
    /// The positive arithmetic literals.
    pub(crate) atoms: Vec<&'a IntAtom>,
}

impl<'a> View<'a> {
    pub(crate) fn new(clause: &[i32], meanings: &'a [Meaning]) -> Self {
        let mut view = Self::default();
        let mut atoms: Vec<Normal> = Vec::new();
        for &literal in clause {
            let positive = literal > 0;
            match &meanings[variable(literal)] {
                Meaning::Prop(Prop::Visits(state)) if !positive => view.not_visited.push(state),
                Meaning::Prop(Prop::Ends(goal)) => view.ends.push((positive, *goal)),
                Meaning::Prop(Prop::EventBack { back, event }) => view.events.push((positive, *back, event.0)),
                Meaning::Prop(Prop::StateBack { back, thread, state }) => {
                    view.states.push((positive, *back, thread.0, state.0));
                }
                Meaning::Prop(Prop::Int(atom)) if positive => {
                    view.atoms.push(atom);
                    let about_length = normal(atom).filter(|(constant, _)| **constant == Constant::RunLength);
                    atoms.extend(about_length.map(|(_, atom)| atom));
                }
                _ => {}
            }
        }
        view.ends.sort_unstable();
        view.events.sort_unstable();
        view.states.sort_unstable();
        view.cover = Cover::new(&atoms);
        view
    }

    /// True if the clause contains `Ends(goal)` (with `positive`) or its negation (without).
    pub(crate) fn has_end(&self, positive: bool, goal: Goal) -> bool {
        self.ends.binary_search(&(positive, goal)).is_ok()
    }

    pub(crate) fn has_event(&self, positive: bool, back: u32, event: u32) -> bool {
        self.events.binary_search(&(positive, back, event)).is_ok()
    }

    pub(crate) fn has_state(&self, positive: bool, back: u32, thread: u32, state: u32) -> bool {
        self.states.binary_search(&(positive, back, thread, state)).is_ok()
    }

    /// True if the clause contains `not Visits(state)`.
    pub(crate) fn has_not_visited(&self, state: &[u32]) -> bool {
        self.not_visited.contains(&state)
    }

    /// The pairs (thread, state) of all literals `StateBack(back, ..)` of this sign.
    pub(crate) fn states_at(&self, positive: bool, back: u64) -> impl Iterator<Item = (u32, u32)> + '_ {
        let at = |&(p, b, ..): &(bool, u32, u32, u32)| (p, u64::from(b));
        let from = self.states.partition_point(|l| at(l) < (positive, back));
        self.states[from..]
            .iter()
            .take_while(move |l| at(l) == (positive, back))
            .map(|&(_, _, thread, state)| (thread, state))
    }

    /// The events of all literals `EventBack(back, ..)` of this sign, ascending.
    pub(crate) fn events_at(&self, positive: bool, back: u64) -> impl Iterator<Item = u32> + '_ {
        let at = |&(p, b, _): &(bool, u32, u32)| (p, u64::from(b));
        let from = self.events.partition_point(|l| at(l) < (positive, back));
        self.events[from..].iter().take_while(move |l| at(l) == (positive, back)).map(|&(.., event)| event)
    }

    /// Returns a length. Every shorter run makes a negated literal of the clause true, because the run is too
    /// short to have the event or state that the literal names. Only literals about the last `most` events, and
    /// about the states before and after these, count.
    pub(crate) fn reach(&self, most: u64) -> u64 {
        let states = self.states.iter().filter(|l| !l.0).map(|l| u64::from(l.1));
        let events = self.events.iter().filter(|l| !l.0).map(|l| u64::from(l.1) + 1);
        states.chain(events).filter(|&reach| reach <= most).max().unwrap_or(0)
    }
}

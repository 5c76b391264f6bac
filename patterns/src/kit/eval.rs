//! Evaluates propositions and lemmas on an explicit run, directly by the definitions at [`model::Prop`].

use model::array::ArrayTerm;
use model::pattern::ConcreteRun;
use model::{Constant, IntAtom, IntTerm, Lemma, Prop, Values};
use std::borrow::Cow;

/// Returns true if `prop` holds for `run` with these constants. Returns `None` if a constant in it has no
/// value.
#[must_use]
pub fn eval(prop: &Prop, run: &ConcreteRun, values: &Values) -> Option<bool> {
    let length = run.events.len();
    match prop {
        Prop::Visits(q) => Some(run.states.contains(q)),
        Prop::Ends(goal) => Some(run.goal == *goal),
        Prop::Int(atom) => atom.eval(&with_cells(atom, run, values)),
        Prop::EventBack { back, event } => {
            let back = *back as usize;
            Some(length > back && run.events[length - 1 - back] == *event)
        }
        Prop::StateBack { back, thread, state } => {
            let back = *back as usize;
            Some(length >= back && run.states[length - back][thread.index()] == state.0)
        }
    }
}

/// Adds the values of the cells that are threads to the values of the other constants.
fn with_cells<'a>(atom: &IntAtom, run: &ConcreteRun, values: &'a Values) -> Cow<'a, Values> {
    let mut known = Cow::Borrowed(values);
    atom.for_each_constant(&mut |constant| {
        let Constant::Cell(array, _) = constant else { return };
        let mut array = &**array;
        while let ArrayTerm::Store(before, ..) = array {
            array = before;
        }
        let ArrayTerm::Threads(of) = array else { return };
        let state = run.events.len().checked_sub(of.back as usize).map(|at| &run.states[at]);
        for (index, cell) in of.cells.iter().enumerate() {
            let value = state.map_or(0, |state| cell.values[state[cell.thread.index()] as usize]);
            let cell = Constant::Cell(Box::new(array.clone()), Box::new(IntTerm::number(index)));
            known.to_mut().insert(cell, value.into());
        }
    });
    known
}

/// Returns true if some literal of the lemma is true. A literal without a truth value counts as false.
#[must_use]
pub fn holds(lemma: &Lemma, run: &ConcreteRun, values: &Values) -> bool {
    lemma.clause.iter().any(|literal| eval(&literal.prop, run, values) == Some(literal.positive))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EventId, Goal, LocalId, ThreadId};

    #[test]
    fn distances_count_from_the_end() {
        let run = ConcreteRun {
            states: [0, 1, 2].map(|s| Box::from([s])).to_vec(),
            events: vec![EventId(5), EventId(6)],
            goal: Goal::Bad,
        };
        let is = |prop| eval(&prop, &run, &Values::new());
        let event = |back, e| Prop::EventBack { back, event: EventId(e) };
        let state = |back, s| Prop::StateBack { back, thread: ThreadId(0), state: LocalId(s) };
        assert_eq!([event(0, 6), event(1, 5), state(0, 2), state(2, 0)].map(is), [Some(true); 4]);
        let is = |prop| eval(&prop, &run, &Values::new());
        assert_eq!([event(0, 5), event(2, 5), state(1, 2), state(3, 0)].map(is), [Some(false); 4]);
        let is = |prop| eval(&prop, &run, &Values::new());
        assert_eq!(is(Prop::Ends(Goal::Deadlock)), Some(false));
        assert_eq!([Box::from([1]), Box::from([3])].map(|q| is(Prop::Visits(q))), [Some(true), Some(false)]);
    }
}

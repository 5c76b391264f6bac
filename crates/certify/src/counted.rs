//! State sets that also count the lengths of runs, as precisely as the assumptions need.
//!
//! Each state has a class of lengths. There are `exact + modulus` classes, numbered from 0. Each class below
//! `exact` is a single length, and the other classes are remainders modulo `modulus`. With `modulus` 0 all
//! classes are single lengths, and no run may have `exact` events.
//! 1. The set contains, for every run, its last state with the class of its length. Proof: by induction over
//!    the run.
//! 2. An assumption about lengths is true of all lengths of a class or of none. Proof: [`tells`] decides this
//!    from its atoms. With `modulus` 0 a class has one length only.
//! 3. No run that satisfies the assumptions ends in a claimed goal. Proof: suppose that one does. By 1 the set
//!    contains a state of that goal with the class of the run's length. The number of a class is one of its
//!    lengths. So by 2 the assumptions hold of this number too. The check rejects such a state.

use crate::arith::{Normal, normal};
use crate::{Check, Refusal, reject};
use kernel::Work;
use kernel::closed::{self, Change, Listed, Set, Visit};
use kernel::program::stepper::{Scratch, Stepper, describe};
use model::certificate::Counted;
use model::{Assumption, Constant, Goal, IntAtom, Lengths, Program};

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    counted: &Counted,
    goals: &[Goal],
    assumptions: &[Assumption],
    work: &mut Work<'_>,
) -> Check<Set> {
    let lengths = counted.lengths;
    let Some(classes) = lengths.exact.checked_add(lengths.modulus).filter(|classes| *classes > 0) else {
        return reject("the evidence does not count the lengths of runs");
    };
    let blind = |a: &Assumption| match a {
        Assumption::Int(atoms) => lengths.modulus > 0 && !atoms.iter().all(|atom| tells(&lengths, atom)),
        Assumption::Final { .. } => false,
    };
    if let Some(number) = assumptions.iter().position(blind) {
        let why = format!("the evidence does not count the lengths of runs as assumption number {} does", number + 1);
        return Err(Refusal::Assumption(why));
    }
    let (scratch, changes) = (Scratch::default(), Vec::new());
    let mut states = States { program, stepper, lengths, classes, goals, assumptions, scratch, changes };
    closed::check(&mut states, counted.states.as_ref(), work)
}

/// Composite states, with the class of the run's length in an additional last slot. With each event the class
/// increases by 1. After `exact + modulus - 1` it continues with `exact`.
struct States<'a> {
    program: &'a Program,
    stepper: &'a Stepper,
    lengths: Lengths,
    classes: u32,
    goals: &'a [Goal],
    assumptions: &'a [Assumption],
    scratch: Scratch,
    changes: Vec<Change>,
}

impl States<'_> {
    /// The class one event later. `None` if `modulus` is 0 and the class is `exact - 1`, the last one.
    fn after(&self, class: u32) -> Option<u32> {
        if class + 1 < self.classes {
            return Some(class + 1);
        }
        (self.lengths.modulus > 0).then_some(self.lengths.exact)
    }
}

impl Listed for States<'_> {
    const ELEMENT: &'static str = "state";

    fn sizes(&self) -> Vec<usize> {
        let mut sizes = self.stepper.sizes();
        sizes.push(self.classes as usize);
        sizes
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        let mut counted = Vec::new();
        self.stepper.initial_states(|state| {
            counted.clear();
            counted.extend(state.iter().chain(&[0]));
            visit(&counted)
        })
    }

    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        let width = self.stepper.width();
        let (whole, class) = (&state[..width], state[width]);
        let after = self.after(class);
        let Self { stepper, scratch, changes, .. } = self;
        let goal = stepper.steps(whole, scratch, |moved| {
            let Some(to) = after else { return reject("a run goes on beyond the lengths that the evidence counts") };
            changes.clear();
            changes.extend_from_slice(moved);
            changes.push(Change { slot: width, from: class, to });
            visit.visit(changes, work)
        })?;
        let asked =
            |goal: &Goal| self.goals.contains(goal) && self.assumptions.iter().all(|a| a.holds(class.into(), whole));
        match goal.filter(asked) {
            Some(goal) => reject(format!("the set contains a state of goal `{goal}`, at a length that is asked about")),
            None => Ok(()),
        }
    }

    fn describe(&self, state: &[u32]) -> String {
        describe(self.program, state)
    }
}

/// True if `atom` has the same truth value for all lengths of each class.
fn tells(lengths: &Lengths, atom: &IntAtom) -> bool {
    let (exact, modulus) = (u64::from(lengths.exact), u64::from(lengths.modulus));
    match normal(atom) {
        Some((Constant::RunLength, Normal::Congruent { modulus: by, .. })) => modulus.is_multiple_of(by),
        Some((Constant::RunLength, Normal::Equals(n) | Normal::AtMost(n))) => n < exact,
        Some((Constant::RunLength, Normal::AtLeast(n))) => n <= exact,
        Some((Constant::Count(_) | Constant::Named(_) | Constant::Cell(..), _)) | None => false,
    }
}

//! State sets in which the lengths of runs are counted, as far as assumptions look.
//!
//! A state comes with a class of lengths: `exact + modulus` of them, of which those below `exact` are single lengths and the others
//! remainders. Sound: by induction the set has the state and the class of length of every run. Assumptions are true of all
//! lengths of a class or of none, which [`tells`] sees from their atoms, and the number of a class is one of its lengths. So if a
//! run that satisfies the assumptions ended in a claimed goal, the set would contain a state of that goal with a class of which they
//! hold. With `modulus` 0 there are only single lengths, and no run may get as far as `exact`.

use crate::arith::{Normal, normal};
use crate::state_set::{self, Checked, Count, Listed};
use crate::stepper::Stepper;
use crate::work::Work;
use crate::{Check, Refusal};
use model::certificate::Counted;
use model::{Assumption, Constant, Goal, IntAtom, Lengths, Program};

pub(crate) fn check(
    program: &Program,
    stepper: &Stepper,
    counted: &Counted,
    goals: &[Goal],
    assumptions: &[Assumption],
    work: &mut Work<'_>,
) -> Check<Checked> {
    let lengths = counted.lengths;
    let count = Count::new(lengths.exact, lengths.modulus)?;
    let blind = |a: &Assumption| match a {
        Assumption::Int(atoms) => lengths.modulus > 0 && !atoms.iter().all(|atom| tells(&lengths, atom)),
        Assumption::Final { .. } => false,
    };
    if let Some(number) = assumptions.iter().position(blind) {
        let why = format!("the evidence does not count the lengths of runs as assumption number {} does", number + 1);
        return Err(Refusal::Assumption(why));
    }
    let width = stepper.width();
    let claimed = |state: &[u32], goal: Option<Goal>| {
        let (last, length) = (&state[..width], u64::from(state[width]));
        let goal = goal.filter(|g| goals.contains(g) && assumptions.iter().all(|a| a.holds(length, last)))?;
        Some(format!("the set contains a state of goal `{goal}`, at a length that is asked about"))
    };
    let listed = Listed { states: counted.states.as_ref(), last: &[] };
    state_set::check_with(program, stepper, &listed, Some(count), &claimed, work)
}

/// Has `atom` the same truth for all lengths of each class?
fn tells(lengths: &Lengths, atom: &IntAtom) -> bool {
    let (exact, modulus) = (u64::from(lengths.exact), u64::from(lengths.modulus));
    match normal(atom) {
        Some((Constant::RunLength, Normal::Congruent { modulus: by, .. })) => modulus.is_multiple_of(by),
        Some((Constant::RunLength, Normal::Equals(n) | Normal::AtMost(n))) => n < exact,
        Some((Constant::RunLength, Normal::AtLeast(n))) => n <= exact,
        Some((Constant::Named(_), _)) | None => false,
    }
}

//! Certificates for reactive programs: sets of valuations that no call leaves.

use crate::certificate::StateSet;
use crate::ids::VarId;

/// What a slot of a listed row states about its variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holds {
    /// The slot contains the value of the variable (the 32 bits of an `i32`).
    Exactly,
    /// The slot contains the number of an interval of values. The cuts, strictly ascending, divide the numbers
    /// into intervals. There is one more interval than cuts. Interval 0 is below the first cut, and interval k
    /// is from cut k-1 (included) to cut k (excluded).
    Cell(Vec<i32>),
}

/// A set of valuations that is closed under calls. It is evidence that error labels are unreachable and that
/// temporal formulas hold.
///
/// A valuation is in the set iff some listed row agrees with it on all slots. The values of the other variables
/// are arbitrary. The other variables are either never assigned (constants), or every call assigns them before
/// it reads them. The checker rejects a call that may read such a variable before it assigns it.
///
/// Closed: the set contains the initial valuation. For each row and each input letter, it contains every
/// valuation that a call from a valuation of the row may produce, if the outcome of the call
/// ([`crate::Outcome`]) is `Output`, `Silent` or `Unspelt`. If error labels are claimed, it also contains the
/// results of `Invalid` calls, which may change variables.
///
/// No call from a listed row may stop at the label [`crate::Reactive::undefined`]. Error labels: no call from a
/// listed row may stop at a claimed label. Formulas: no call from a listed row may have the outcome `Unspelt`,
/// and no infinite run through listed rows gives a sequence of letters that violates a claimed formula.
///
/// The word *may* refers to the following evaluation with intervals. A step of the evaluation can continue in
/// several *ways*, and all of them count:
/// * An expression has an interval of values. Its bounds are computed exactly. If they exceed 32 bits, or no
///   better bounds are derived, the interval is the set of all numbers.
/// * A condition with an interval that contains 0 and another number goes both ways. Neither way restricts the
///   variables that the condition reads.
/// * An assignment to a slot with intervals goes one way for each of these intervals that meets the interval of
///   the value. The variable then has the part of the value's interval in it.
/// * An assignment to an exact slot, or an output of a letter, goes one way for each value (at most 256).
/// * An evaluation that may crash continues with the values of the evaluations that do not crash. A crash has
///   no successor.
#[derive(Debug)]
pub struct Valuations {
    /// The variables that rows describe, each once.
    pub slots: Vec<(VarId, Holds)>,
    /// The rows, with one number per slot.
    pub rows: Box<dyn StateSet>,
}

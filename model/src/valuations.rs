//! Evidence for reactive programs: sets of valuations that no call leaves.

use crate::certificate::StateSet;
use crate::ids::VarId;

/// What a slot of a listed valuation says about its variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Exactly this value (the 32 bits of an `i32`).
    Exactly,
    /// The number of a cell: the cuts, strictly ascending, cut the numbers into one cell more than there are cuts; cell 0 is below
    /// the first cut, cell k from cut k-1 (included) to cut k (excluded).
    Cell(Vec<i32>),
}

/// A set of valuations closed under calls: evidence that error labels are unreachable and that temporal formulas hold.
///
/// A valuation is in the set iff some listed row agrees with it on all slots; the other variables count for nothing. They are
/// either never assigned (constants), or every call assigns them before it looks at them: the checker refuses a call that
/// looks at such a variable too early.
///
/// Closed: it contains the initial valuation, and with each row what any call may make of its valuations, for each letter of
/// the alphabet: outputs and silence, and if error labels are claimed invalid calls too (they may change variables).
/// Errors: no call from a listed row stops at a claimed label. Formulas: no infinite run through listed rows spells a word that
/// violates a claimed formula.
///
/// *May*, with cells: an expression over cells has an interval of values (bounds are computed exactly; where they leave 32 bits,
/// or nothing better is known, it is all numbers); a condition whose interval has both 0 and something else goes both ways, and
/// neither way says more of the variables it looked at;
/// assigning to a slot with cells goes one way for each cell that the interval meets, and the variable then has the part of the interval
/// in that cell; assigning to an exact slot, or showing a letter, goes one way for each value (at most 256). An evaluation that may
/// crash goes on with the values of those that do not: a crash leads nowhere. All ways count.
#[derive(Debug)]
pub struct Valuations {
    /// The variables that rows tell something of; each once.
    pub slots: Vec<(VarId, Holds)>,
    /// The rows, one number per slot.
    pub rows: Box<dyn StateSet>,
}

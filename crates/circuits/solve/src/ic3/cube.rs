//! Cubes: sets of states, given by the values of some latches.

use model::LatchId;
use sat::Lit;

/// Literals of latches, ascending. A lemma stores the cube that it excludes; the lemma itself is the clause of
/// the negated literals.
pub(super) type Cube = Box<[Lit]>;

/// Makes a cube from literals in any order.
pub(super) fn cube(mut lits: Vec<Lit>) -> Cube {
    lits.sort_unstable();
    lits.dedup();
    debug_assert!(lits.windows(2).all(|w| w[0].var() != w[1].var()), "contradictory cubes are empty");
    lits.into_boxed_slice()
}

/// Returns the number of a literal. Numbers start at 0.
pub(super) fn index(lit: Lit) -> usize {
    lit.var().index() * 2 + usize::from(lit.is_positive())
}

/// Returns a bit set that summarises a cube: the signature of a subset is a subset of the signature.
pub(super) fn signature(cube: &[Lit]) -> u64 {
    cube.iter().fold(0, |bits, &lit| bits | (1 << (index(lit) % 64)))
}

/// True if all literals of `small` are in `large`. Then every state of the cube `large` is also a state of the
/// cube `small`.
pub(super) fn is_subset(small: &[Lit], large: &[Lit]) -> bool {
    debug_assert!(small.is_sorted() && large.is_sorted(), "cubes ascend");
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|lit| rest.by_ref().find(|other| *other >= lit) == Some(lit))
}

/// A cube or a clause, as values of latches.
pub(super) type Values = Vec<(LatchId, bool)>;

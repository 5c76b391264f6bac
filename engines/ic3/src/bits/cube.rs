//! Cubes: sets of states given by what some latches hold.

use sat::Lit;

/// Literals of latches, ascending. As a lemma it stands for the clause of the negations.
pub(super) type Cube = Box<[Lit]>;

/// A cube from literals in any order.
pub(super) fn cube(mut lits: Vec<Lit>) -> Cube {
    lits.sort_unstable();
    lits.dedup();
    debug_assert!(lits.windows(2).all(|w| w[0].var() != w[1].var()), "contradictory cubes are empty");
    lits.into_boxed_slice()
}

/// Numbers literals, from 0.
pub(super) fn index(lit: Lit) -> usize {
    lit.var().index() * 2 + usize::from(lit.is_positive())
}

/// A summary: what is a subset has a subset of these bits.
pub(super) fn signature(cube: &[Lit]) -> u64 {
    cube.iter().fold(0, |bits, &lit| bits | (1 << (index(lit) % 64)))
}

/// Are all literals of `small` in `large`? Then the cube `small` has all states of `large`.
pub(super) fn is_subset(small: &[Lit], large: &[Lit]) -> bool {
    debug_assert!(small.is_sorted() && large.is_sorted(), "cubes ascend");
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|lit| rest.by_ref().find(|other| *other >= lit) == Some(lit))
}

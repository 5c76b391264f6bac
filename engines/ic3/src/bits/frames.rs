//! Lemmas by level: a lemma of level k holds in all states reached within k steps, so in every frame up to k.

use super::cube::{Cube, is_subset, signature};
use sat::{ClauseId, Lit};

/// A cube that is not reached.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) cube: Cube,
    /// Its [`signature`].
    bits: u64,
    /// Its names in the solvers of frames 1, 2, .. up to its level.
    pub(super) names: Vec<ClauseId>,
}

/// Delta-encoded frames: each lemma stands once, at the highest level where it is known to hold.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// From level 0, which stays empty.
    levels: Vec<Vec<Lemma>>,
}

impl Frames {
    /// The highest level.
    pub(super) fn top(&self) -> usize {
        self.levels.len() - 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    pub(super) fn open(&mut self) {
        self.levels.push(Vec::new());
    }

    /// The lemmas of a level.
    pub(super) fn level(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels[level].iter().map(|lemma| &lemma.cube)
    }

    pub(super) fn len(&self, level: usize) -> usize {
        self.levels[level].len()
    }

    /// Is the whole cube excluded by one lemma that holds at `level`? Answers the highest level at which one does.
    pub(super) fn blocked(&self, cube: &[Lit], level: usize) -> Option<usize> {
        let bits = signature(cube);
        let excludes = |lemma: &Lemma| lemma.bits & !bits == 0 && is_subset(&lemma.cube, cube);
        (level..self.levels.len()).rev().find(|&at| self.levels[at].iter().any(excludes))
    }

    /// Does the lemma still stand at this level?
    pub(super) fn holds(&self, cube: &Cube, level: usize) -> bool {
        let bits = signature(cube);
        self.levels[level].iter().any(|lemma| lemma.bits == bits && lemma.cube == *cube)
    }

    /// Takes out the lemmas up to `level` that one of this cube makes superfluous.
    pub(super) fn supersede(&mut self, cube: &[Lit], level: usize) -> Vec<Lemma> {
        let bits = signature(cube);
        let is_weaker = |lemma: &mut Lemma| bits & !lemma.bits == 0 && is_subset(cube, &lemma.cube);
        self.levels[1..=level].iter_mut().flat_map(|lemmas| lemmas.extract_if(.., is_weaker)).collect()
    }

    /// A new lemma.
    pub(super) fn add(&mut self, cube: Cube, level: usize, names: Vec<ClauseId>) {
        debug_assert_eq!(names.len(), level, "every frame below knows it");
        let bits = signature(&cube);
        self.levels[level].push(Lemma { cube, bits, names });
    }

    /// All lemmas of levels from `level` upwards, to be named anew.
    pub(super) fn rename_from(&mut self, level: usize) -> impl Iterator<Item = &mut Lemma> {
        self.levels[level..].iter_mut().flatten()
    }

    /// All lemmas of levels from `level` upwards.
    pub(super) fn from(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels[level..].iter().flatten().map(|lemma| &lemma.cube)
    }

    /// Takes all lemmas, the highest levels first.
    pub(super) fn drain(&mut self) -> Vec<Cube> {
        std::mem::take(&mut self.levels).into_iter().rev().flatten().map(|lemma| lemma.cube).collect()
    }
}

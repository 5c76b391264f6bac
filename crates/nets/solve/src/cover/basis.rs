//! Vectors from which some vectors can be reached, each with a first step: minimal predecessors of minimal
//! predecessors, breadth first (Abdulla, Cerans, Jonsson, Tsay 1996).
//!
//! If no guard has an upper bound, and no vector is left to expand, the minimal vectors are exactly those of the
//! markings from which a marking can be reached that covers one of the first vectors.

use crate::cover::before::before;
use crate::rules::{Change, Rules};
use crate::targets::{Cube, covers};

/// Vectors, and how far they are expanded.
#[derive(Debug, Default)]
pub struct Basis {
    pub(crate) vectors: Vec<BackwardNode>,
    /// The index of the next vector to be expanded.
    next: usize,
}

#[derive(Debug)]
pub(crate) struct BackwardNode {
    pub(crate) cube: Cube,
    places: u64,
    /// The transition to the vector that this one is a predecessor of, and the index of that vector.
    pub(crate) to: Option<(u32, u32)>,
    /// True if a smaller vector has been found.
    pub(crate) covered: bool,
}

impl Basis {
    /// Begins with these vectors.
    #[must_use]
    pub fn new(cubes: Vec<Cube>) -> Self {
        let mut basis = Self::default();
        cubes.into_iter().for_each(|cube| basis.insert(cube, None));
        basis
    }

    /// Number of vectors, also of those that are not minimal.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// Returns true if there are no vectors.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }

    /// Returns the index of the next vector to be expanded. `None` if none is left.
    #[must_use]
    pub fn take(&mut self) -> Option<usize> {
        let left = self.vectors[self.next..].iter().position(|vector| !vector.covered);
        let at = self.next + left.unwrap_or(self.vectors.len() - self.next);
        self.next = self.vectors.len().min(at + 1);
        left.map(|_| at)
    }

    /// Adds the minimal predecessors of a vector. Returns the number of vectors that were compared with all others.
    /// `None` if there are too many.
    pub fn expand(&mut self, net: &Rules, at: usize) -> Option<usize> {
        let mut compared = 0;
        let cube = self.vectors[at].cube.clone();
        let has = |place: u32| cube.binary_search_by_key(&place, |entry| entry.0).is_ok();
        // The predecessors by other transitions cover the vector itself.
        let may_add = |change: &Change| (change.add > 0 || change.sources.is_some()) && has(change.place);
        for t in (0u32..).take(net.transitions()).filter(|t| net.changes.row(*t as usize).iter().any(may_add)) {
            let before = before(net, t, &cube)?;
            compared += before.len();
            before.into_iter().for_each(|cube| self.insert(cube, Some((t, at as u32))));
        }
        Some(compared)
    }

    /// Returns the minimal vectors, and those that their first steps lead to. Each comes with its first step: a
    /// transition, and the position in the result of a vector that is covered after it. That one comes before.
    #[must_use]
    pub fn steps(&self) -> Vec<(Cube, Option<(u32, usize)>)> {
        let mut needed: Vec<bool> = self.vectors.iter().map(|vector| !vector.covered).collect();
        for (at, vector) in self.vectors.iter().enumerate().rev() {
            if let (true, Some((_, to))) = (needed[at], vector.to) {
                needed[to as usize] = true;
            }
        }
        let (mut positions, mut steps) = (vec![0; needed.len()], Vec::new());
        for (at, vector) in self.vectors.iter().enumerate().filter(|(at, _)| needed[*at]) {
            positions[at] = steps.len();
            steps.push((vector.cube.clone(), vector.to.map(|(t, to)| (t, positions[to as usize]))));
        }
        steps
    }

    /// Adds the vector unless it covers a known one.
    fn insert(&mut self, cube: Cube, to: Option<(u32, u32)>) {
        let places = signature(&cube);
        let below = |known: &BackwardNode| !known.covered && known.places & !places == 0 && covers(&cube, &known.cube);
        if self.vectors.iter().any(below) {
            return;
        }
        let above = |known: &&mut BackwardNode| places & !known.places == 0 && covers(&known.cube, &cube);
        self.vectors.iter_mut().filter(above).for_each(|known| known.covered = true);
        self.vectors.push(BackwardNode { cube, places, to, covered: false });
    }
}

/// Places as bits. A vector can cover another only if it has all bits of the other.
fn signature(cube: &[(u32, u64)]) -> u64 {
    cube.iter().fold(0, |bits, (p, _)| bits | 1 << (p % 64))
}

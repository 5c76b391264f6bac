//! Lemmas by level. A lemma of level k holds in all states reached within k steps, so it belongs to every frame
//! up to k.
//!
//! Two kinds of queries about a cube are answered from lists by literal, without a scan of all lemmas:
//!
//! 1. Lemmas that exclude the cube. All literals of such a lemma are in the cube. Each lemma is *watched* by
//!    one of its literals, and is found in the list of that literal (one-watched subsumption, Zhang 2005).
//! 2. Lemmas that the cube makes superfluous. Such a lemma contains all literals of the cube. It is found among
//!    the *occurrences* of the cube's literal that occurs least often (Een and Biere 2005).
//!
//! Lists drop the entries of removed lemmas when they would otherwise grow.

use super::cube::{Cube, index, is_subset, signature};
use hashbrown::HashMap;
use sat::{ClauseId, Lit};
use std::collections::BTreeSet;

/// The exclusion of a cube that is not reachable within `level` steps.
#[derive(Clone, Debug)]
pub(super) struct Lemma {
    pub(super) cube: Cube,
    level: usize,
    /// The names of the lemma's clause in the solvers of frames 1, 2, .. up to its level.
    pub(super) names: Vec<ClauseId>,
}

/// Identifies a lemma. Numbers ascend in the order of adding and are never reused.
type Number = u64;

/// A lemma in a list. The lemma may have been removed since.
#[derive(Clone, Copy, Debug)]
struct Entry {
    number: Number,
    /// The [`signature`] of the lemma's cube.
    bits: u64,
}

/// A list of lemmas for each literal.
#[derive(Debug, Default)]
struct Lists(Vec<Vec<Entry>>);

impl Lists {
    fn of(&self, lit: Lit) -> &[Entry] {
        self.0.get(index(lit)).map_or(&[], Vec::as_slice)
    }

    fn push(&mut self, lit: Lit, entry: Entry, lemmas: &HashMap<Number, Lemma>) {
        if self.0.len() <= index(lit) {
            self.0.resize_with(index(lit) + 1, Vec::new);
        }
        push(&mut self.0[index(lit)], entry, |entry| lemmas.contains_key(&entry.number));
    }

    /// The literal of the cube with the shortest list.
    fn rarest(&self, cube: &[Lit]) -> Option<Lit> {
        cube.iter().copied().min_by_key(|&lit| self.of(lit).len())
    }
}

/// Adds an element. A full list first drops its dead elements, and grows only if more than half of them are
/// alive. The cost is constant on average.
fn push<T>(list: &mut Vec<T>, element: T, is_there: impl Fn(&T) -> bool) {
    if list.len() == list.capacity() {
        list.retain(is_there);
        if list.len() > list.capacity() / 2 {
            list.reserve(list.capacity());
        }
    }
    list.push(element);
}

/// Delta-encoded frames: each lemma is stored once, at the highest level where it is known to hold.
#[derive(Debug, Default)]
pub(super) struct Frames {
    lemmas: HashMap<Number, Lemma>,
    /// Lemmas of each level in the order of adding, including some that have been removed. Level 0 stays empty.
    levels: Vec<Vec<Number>>,
    /// For each literal, the lemmas watched by it.
    watched: Lists,
    /// For each literal, the lemmas that contain it.
    occurrences: Lists,
    next: Number,
}

impl Frames {
    /// The highest level.
    pub(super) fn top(&self) -> usize {
        debug_assert!(!self.is_empty(), "there is a frame of initial states");
        self.levels.len() - 1
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    pub(super) fn open(&mut self) {
        self.levels.push(Vec::new());
    }

    /// The lemmas stored at a level.
    pub(super) fn level(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels[level].iter().filter_map(|number| self.lemmas.get(number)).map(|lemma| &lemma.cube)
    }

    /// True if no lemma is stored at this level.
    pub(super) fn is_clear(&self, level: usize) -> bool {
        self.level(level).next().is_none()
    }

    /// Returns the highest level of a lemma that excludes the whole cube and holds at `level`, or `None` if no
    /// lemma does.
    pub(super) fn blocked(&self, cube: &[Lit], level: usize) -> Option<usize> {
        debug_assert!(level <= self.top());
        let bits = signature(cube);
        let entries = cube.iter().flat_map(|&lit| self.watched.of(lit));
        let lemmas = entries.filter(|e| e.bits & !bits == 0).filter_map(|e| self.lemmas.get(&e.number));
        lemmas.filter(|l| l.level >= level && is_subset(&l.cube, cube)).map(|l| l.level).max()
    }

    /// True if the lemma is still stored at this level.
    pub(super) fn holds(&self, cube: &Cube, level: usize) -> bool {
        let bits = signature(cube);
        let Some(rarest) = self.occurrences.rarest(cube) else { return false };
        let entries = self.occurrences.of(rarest).iter().filter(|e| e.bits == bits);
        entries.filter_map(|e| self.lemmas.get(&e.number)).any(|l| l.level == level && l.cube == *cube)
    }

    /// Removes and returns the lemmas up to `level` that the exclusion of this cube makes superfluous, lowest
    /// levels first.
    pub(super) fn supersede(&mut self, cube: &[Lit], level: usize) -> Vec<Lemma> {
        let bits = signature(cube);
        let Some(rarest) = self.occurrences.rarest(cube) else { return Vec::new() };
        let entries = self.occurrences.of(rarest).iter().filter(|e| bits & !e.bits == 0);
        let lemmas = entries.filter_map(|e| Some((e.number, self.lemmas.get(&e.number)?)));
        let weaker = lemmas.filter(|(_, l)| l.level <= level && is_subset(cube, &l.cube));
        let mut weaker: Vec<(usize, Number)> = weaker.map(|(number, l)| (l.level, number)).collect();
        weaker.sort_unstable();
        debug_assert!(weaker.windows(2).all(|w| w[0].1 != w[1].1), "a lemma occurs once in a list");
        weaker.into_iter().filter_map(|(_, number)| self.lemmas.remove(&number)).collect()
    }

    /// Adds a lemma.
    pub(super) fn add(&mut self, cube: Cube, level: usize, names: Vec<ClauseId>) {
        debug_assert_eq!(names.len(), level, "every frame below knows it");
        debug_assert!((1..self.levels.len()).contains(&level), "lemmas stand above the initial states");
        debug_assert!(!cube.is_empty(), "some state is reached");
        debug_assert!(!self.holds(&cube, level), "a lemma stands once");
        let number = self.next;
        self.next += 1;
        push(&mut self.levels[level], number, |number| self.lemmas.contains_key(number));
        let entry = Entry { number, bits: signature(&cube) };
        if let Some(rarest) = self.watched.rarest(&cube) {
            self.watched.push(rarest, entry, &self.lemmas);
        }
        for &lit in &cube {
            self.occurrences.push(lit, entry, &self.lemmas);
        }
        self.lemmas.insert(number, Lemma { cube, level, names });
    }

    /// Renames the lemmas of all levels from `level` upwards in the solver of frame `level`.
    pub(super) fn rename(&mut self, level: usize, mut name: impl FnMut(&Cube) -> ClauseId) {
        debug_assert!(level > 0, "the first frame has no lemmas");
        for number in self.levels[level..].iter().flatten() {
            if let Some(lemma) = self.lemmas.get_mut(number) {
                lemma.names[level - 1] = name(&lemma.cube);
            }
        }
    }

    /// All lemmas of levels from `level` upwards.
    pub(super) fn from(&self, level: usize) -> impl Iterator<Item = &Cube> {
        (level..self.levels.len()).flat_map(|level| self.level(level))
    }

    /// Checks the lists of lemmas.
    ///
    /// # Panics
    ///
    /// Panics unless every lemma is listed at one level, has a name in every frame up to its level, is watched
    /// by one of its literals, and is among the occurrences of each of its literals.
    pub(super) fn check(&self) {
        let mut names = BTreeSet::new();
        let mut listed = 0;
        for (level, numbers) in self.levels.iter().enumerate() {
            for lemma in numbers.iter().filter_map(|number| self.lemmas.get(number)) {
                listed += 1;
                assert_eq!(lemma.level, level, "{:?} is listed elsewhere", lemma.cube);
                assert_eq!(lemma.names.len(), level, "every frame up to its own knows {:?}", lemma.cube);
                assert!(lemma.cube.is_sorted() && !lemma.cube.is_empty());
                let are_new = (0..).zip(&lemma.names).all(|name: (usize, _)| names.insert(name));
                assert!(are_new, "{:?} and another lemma have one name in a frame", lemma.cube);
            }
        }
        assert_eq!(listed, self.lemmas.len(), "a lemma stands at one level");
        for (number, lemma) in &self.lemmas {
            let times = |lists: &Lists, lit: Lit| lists.of(lit).iter().filter(|e| e.number == *number).count();
            let watches: usize = lemma.cube.iter().map(|&lit| times(&self.watched, lit)).sum();
            assert_eq!(watches, 1, "{:?} is watched by one literal", lemma.cube);
            let occurs = lemma.cube.iter().all(|&lit| times(&self.occurrences, lit) == 1);
            assert!(occurs, "{:?} is among the occurrences of its literals", lemma.cube);
        }
    }

    /// Takes all lemmas out, highest levels first.
    pub(super) fn drain(&mut self) -> Vec<Cube> {
        let Self { mut lemmas, levels, .. } = std::mem::take(self);
        levels.into_iter().rev().flatten().filter_map(|number| lemmas.remove(&number)).map(|l| l.cube).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::cube::cube;
    use super::*;
    use proptest::prelude::*;
    use sat::Var;

    const LEVELS: usize = 4;

    /// Makes literals of variables that share bits in signatures.
    fn lits(numbers: &[(u8, bool)]) -> Vec<Lit> {
        let mut signs = std::collections::BTreeMap::new();
        signs.extend(numbers.iter().map(|&(var, sign)| (usize::from(var) * 16, sign)));
        let lit = |(var, sign): (usize, bool)| if sign { Var::new(var).positive() } else { Var::new(var).negative() };
        signs.into_iter().map(lit).collect()
    }

    #[test]
    fn what_is_gone_makes_room() {
        let mut list = Vec::new();
        for number in 0..100_000u32 {
            push(&mut list, number, |other| number - other <= 10);
        }
        assert!(list.capacity() < 100, "{}", list.capacity());
        // A full list in which one element dies for each new element.
        let visited = std::cell::Cell::new(0);
        let mut list = Vec::with_capacity(4096);
        for number in 0..10_000u32 {
            push(&mut list, number, |other| {
                visited.set(visited.get() + 1);
                number - other < 4096
            });
        }
        assert!(visited.get() < 100_000, "{}", visited.get());
    }

    proptest! {
        /// The lists by literal find the same lemmas as a scan of all lemmas.
        #[test]
        fn lists_find_the_same(
            cubes in prop::collection::vec((prop::collection::vec((0u8..6, any::<bool>()), 1..5), 1..LEVELS), 0..60),
        ) {
            let mut frames = Frames::default();
            (0..LEVELS).for_each(|_| frames.open());
            let mut all: Vec<(usize, Cube)> = Vec::new();
            for (numbers, level) in cubes {
                let cube = cube(lits(&numbers));
                let excludes = |l: &&(usize, Cube)| l.0 >= level && is_subset(&l.1, &cube);
                prop_assert_eq!(frames.blocked(&cube, level), all.iter().filter(excludes).map(|l| l.0).max());
                prop_assert_eq!(frames.holds(&cube, level), all.contains(&(level, cube.clone())));
                let is_weaker = |l: &mut (usize, Cube)| l.0 <= level && is_subset(&cube, &l.1);
                let mut weaker: Vec<(usize, Cube)> = all.extract_if(.., is_weaker).collect();
                weaker.sort_by_key(|l| l.0);
                let taken: Vec<(usize, Cube)> =
                    frames.supersede(&cube, level).into_iter().map(|l| (l.level, l.cube)).collect();
                prop_assert_eq!(taken, weaker);
                all.push((level, cube.clone()));
                let name = ClauseId(100 + all.len() as u64);
                frames.add(cube, level, vec![name; level]);
                for level in 0..LEVELS {
                    let there: Vec<&Cube> = all.iter().filter(|l| l.0 == level).map(|l| &l.1).collect();
                    prop_assert_eq!(frames.is_clear(level), there.is_empty());
                    prop_assert_eq!(frames.level(level).collect::<Vec<_>>(), there);
                }
            }
            all.sort_by_key(|l| l.0);
            let upwards: Vec<&Cube> = all.iter().filter(|l| l.0 >= 2).map(|l| &l.1).collect();
            prop_assert_eq!(frames.from(2).collect::<Vec<_>>(), upwards.clone());
            let mut renamed = Vec::new();
            frames.rename(2, |cube| {
                renamed.push(cube.clone());
                ClauseId(2)
            });
            prop_assert_eq!(renamed.iter().collect::<Vec<_>>(), upwards);
            let second = frames.lemmas.values().map(|l| l.names.get(1).is_none_or(|name| *name == ClauseId(2)));
            prop_assert!(second.into_iter().all(|is_new| is_new));
            all.sort_by_key(|l| std::cmp::Reverse(l.0));
            prop_assert_eq!(frames.drain(), all.into_iter().map(|l| l.1).collect::<Vec<_>>());
            prop_assert!(frames.is_empty() && frames.lemmas.is_empty());
        }
    }
}

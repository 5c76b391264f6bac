//! Sets of events of one program.
//!
//! The memory of a set is proportional to its description, not to the number of events of the program. A set is
//! stored either as runs of consecutive events or as one bit per event, whichever is smaller. For example, if
//! each of ten thousand threads mentions two of ten thousand events, their sets take twenty thousand numbers.
//! The set "all events but one" takes four numbers. The form depends only on the members of the set, so equal
//! sets have equal representations.

mod runs;
#[cfg(test)]
mod tests;

use crate::ids::EventId;
use runs::{Run, Runs};

/// Programs with at most this number of events always use bits: no other form would be smaller by more than a
/// few words.
const SMALL: usize = 1 << 10;

/// A set of events of a program with `universe` events. Operations must not combine sets of different
/// universes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EventSet {
    universe: u32,
    form: Form,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Form {
    Runs(Runs),
    Bits(Bits),
}

/// One bit per event, 64 to a word. Bits beyond the universe are 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Bits {
    words: Box<[u64]>,
    /// Number of runs that the set would have; 0 for small universes, where it is not maintained.
    runs: usize,
}

/// Returns the largest number of runs for which a set is stored as runs; `None` if sets of this universe are
/// always stored as bits.
fn most_runs(universe: u32) -> Option<usize> {
    (universe as usize > SMALL).then_some(universe as usize / 64)
}

impl EventSet {
    /// Returns the empty set over the events `0..universe`.
    ///
    /// # Panics
    /// Panics if `universe` does not fit 32 bits.
    #[must_use]
    pub fn empty(universe: usize) -> Self {
        let form = match universe > SMALL {
            true => Form::Runs(Runs::default()),
            false => Form::Bits(Bits { words: vec![0; universe.div_ceil(64)].into(), runs: 0 }),
        };
        Self { universe: EventId::new(universe).0, form }
    }

    /// Returns the set of all events `0..universe`.
    #[must_use]
    pub fn full(universe: usize) -> Self {
        let mut set = Self::empty(universe);
        set.insert_run(Run { from: 0, to: set.universe });
        set
    }

    /// Returns the set of the given events. Ascending order is fastest.
    ///
    /// # Panics
    /// Panics if an event is outside the universe.
    pub fn from_events(universe: usize, events: impl IntoIterator<Item = EventId>) -> Self {
        let mut set = Self::empty(universe);
        for e in events {
            set.insert(e);
        }
        set
    }

    /// Returns the set of the events with a set bit in `words`, 64 bits to a word. For a large set this is
    /// faster than inserting the events one by one. `O(universe)`.
    ///
    /// # Panics
    /// Panics if a bit beyond the universe is set, or if `words` does not have one word per 64 events (rounded
    /// up).
    #[must_use]
    pub fn from_words(universe: usize, words: Vec<u64>) -> Self {
        assert_eq!(words.len(), universe.div_ceil(64), "a word for each 64 events");
        assert!(
            universe.is_multiple_of(64) || words.last().is_none_or(|w| w >> (universe % 64) == 0),
            "bits beyond the universe"
        );
        let mut set = Self::empty(universe);
        set.in_bits(|bits| bits.copy_from_slice(&words));
        set
    }

    /// Returns the set with the same members over a universe of at least the same size. The cost is
    /// proportional to the size of the representation, not to the number of members.
    ///
    /// # Panics
    /// Panics if the new universe is smaller.
    #[must_use]
    pub fn widened(&self, universe: usize) -> Self {
        assert!(universe >= self.universe(), "{universe} events instead of {}", self.universe);
        let (form, universe) = (self.form.clone(), EventId::new(universe).0);
        let mut set = Self { universe, form };
        if let Form::Bits(bits) = &mut set.form {
            let mut words = std::mem::take(&mut bits.words).into_vec();
            words.resize((universe as usize).div_ceil(64), 0);
            bits.runs = if universe as usize > SMALL { starts(&words, 0, words.len()) } else { 0 };
            bits.words = words.into();
        }
        set.settle();
        set
    }

    /// Returns the number of events in the universe (not in the set).
    #[must_use]
    pub fn universe(&self) -> usize {
        self.universe as usize
    }

    /// Returns the approximate number of words that the set takes.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.form {
            Form::Runs(runs) => runs.as_slice().len(),
            Form::Bits(bits) => bits.words.len(),
        }
    }

    /// Returns true if `e` is in the set.
    #[must_use]
    pub fn contains(&self, e: EventId) -> bool {
        match &self.form {
            Form::Bits(bits) => bits.contains(e.0),
            Form::Runs(runs) => runs.contains(e.0),
        }
    }

    /// Adds `e` to the set.
    ///
    /// # Panics
    /// Panics if `e` is outside the universe.
    pub fn insert(&mut self, e: EventId) {
        assert!(e.0 < self.universe, "event {} of {}", e.0, self.universe);
        match &mut self.form {
            Form::Bits(bits) if self.universe as usize <= SMALL => bits.words[e.index() / 64] |= 1 << (e.0 % 64),
            _ => self.insert_run(Run { from: e.0, to: e.0 + 1 }),
        }
    }

    /// Removes `e` from the set.
    pub fn remove(&mut self, e: EventId) {
        if e.0 < self.universe {
            self.remove_run(Run { from: e.0, to: e.0 + 1 });
        }
    }

    /// Returns the number of events in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Bits(bits) => bits.words.iter().map(|w| w.count_ones() as usize).sum(),
            Form::Runs(runs) => runs.as_slice().iter().map(|r| (r.to - r.from) as usize).sum(),
        }
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.form {
            Form::Bits(bits) => bits.words.iter().all(|&w| w == 0),
            Form::Runs(runs) => runs.as_slice().is_empty(),
        }
    }

    /// Returns true if the set contains every event of the universe.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len() == self.universe()
    }

    /// Iterates over the events in the set, in ascending order.
    #[must_use]
    pub fn iter(&self) -> Events<'_> {
        let (words, runs): (&[u64], &[Run]) = match &self.form {
            Form::Bits(bits) => (&bits.words, &[]),
            Form::Runs(runs) => (&[], runs.as_slice()),
        };
        Events { words: words.iter(), rest: 0, base: 0, runs: runs.iter(), run: Run { from: 0, to: 0 } }
    }

    /// Adds all events of `other`.
    pub fn union_with(&mut self, other: &Self) {
        debug_assert_eq!(self.universe, other.universe, "sets of one program");
        match (&mut self.form, &other.form) {
            (Form::Runs(runs), Form::Runs(more)) => {
                runs.unite(more);
                self.settle();
            }
            (Form::Bits(_), Form::Runs(more)) => more.as_slice().iter().for_each(|&run| self.insert_run(run)),
            (_, Form::Bits(more)) => self.in_bits(|words| zip(words, &more.words, |a, b| a | b)),
        }
    }

    /// Removes all events that are not in `other`.
    pub fn intersect_with(&mut self, other: &Self) {
        debug_assert_eq!(self.universe, other.universe, "sets of one program");
        match (&mut self.form, &other.form) {
            (Form::Runs(runs), Form::Runs(more)) => {
                *runs = runs.merged(more, |a, b| a && b);
                self.settle();
            }
            (_, Form::Bits(more)) => self.in_bits(|words| zip(words, &more.words, |a, b| a & b)),
            (_, Form::Runs(more)) => {
                let mut mask = vec![0; self.universe().div_ceil(64)];
                more.as_slice().iter().for_each(|&run| set(&mut mask, run));
                self.in_bits(|words| zip(words, &mask, |a, b| a & b));
            }
        }
    }

    /// Removes all events of `other`.
    pub fn subtract(&mut self, other: &Self) {
        debug_assert_eq!(self.universe, other.universe, "sets of one program");
        match (&mut self.form, &other.form) {
            (Form::Runs(runs), Form::Runs(more)) => {
                *runs = runs.merged(more, |a, b| a && !b);
                self.settle();
            }
            (Form::Bits(_), Form::Runs(more)) => more.as_slice().iter().for_each(|&run| self.remove_run(run)),
            (_, Form::Bits(more)) => self.in_bits(|words| zip(words, &more.words, |a, b| a & !b)),
        }
    }

    /// Returns true if `other` contains every event of this set.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        match (&self.form, &other.form) {
            (Form::Bits(a), Form::Bits(b)) => a.words.iter().zip(&b.words).all(|(a, b)| a & !b == 0),
            (Form::Runs(a), Form::Runs(b)) => a.as_slice().iter().all(|&run| b.covers(run)),
            _ => {
                let mut rest = self.clone();
                rest.subtract(other);
                rest.is_empty()
            }
        }
    }

    /// Sets the bits of the events of this set in `words`, 64 to a word. Steppers (the code that computes
    /// successors) use it to join the sets of many threads.
    ///
    /// # Panics
    /// Panics if `words` has too few words for the universe.
    #[inline]
    pub fn add_to(&self, words: &mut [u64]) {
        match &self.form {
            Form::Bits(bits) => zip(words, &bits.words, |a, b| a | b),
            Form::Runs(runs) => runs.as_slice().iter().for_each(|&run| set(words, run)),
        }
    }

    /// Clears the bits of the events of this set in `words`, 64 to a word.
    ///
    /// # Panics
    /// Panics if `words` has too few words for the universe.
    #[inline]
    pub fn take_from(&self, words: &mut [u64]) {
        match &self.form {
            Form::Bits(bits) => zip(words, &bits.words, |a, b| a & !b),
            Form::Runs(runs) => runs.as_slice().iter().for_each(|&run| clear(words, run)),
        }
    }

    /// Returns the set as 64-bit words, lowest events first (for compiled steppers). `O(universe)`.
    #[must_use]
    pub fn words(&self) -> Vec<u64> {
        let mut words = vec![0; self.universe().div_ceil(64)];
        self.add_to(&mut words);
        words
    }

    fn insert_run(&mut self, run: Run) {
        match &mut self.form {
            Form::Runs(runs) => runs.insert(run),
            Form::Bits(bits) => bits.change(self.universe, run, set),
        }
        self.settle();
    }

    fn remove_run(&mut self, run: Run) {
        match &mut self.form {
            Form::Runs(runs) => runs.remove(run),
            Form::Bits(bits) => bits.change(self.universe, run, clear),
        }
        self.settle();
    }

    /// Converts the set to bits, applies `change` to the words, and restores the form that the members
    /// determine.
    fn in_bits(&mut self, change: impl FnOnce(&mut [u64])) {
        let mut words = match &mut self.form {
            Form::Bits(bits) => std::mem::take(&mut bits.words),
            Form::Runs(_) => self.words().into(),
        };
        change(&mut words);
        let runs = if most_runs(self.universe).is_some() { starts(&words, 0, words.len()) } else { 0 };
        self.form = Form::Bits(Bits { words, runs });
        self.settle();
    }

    /// Converts the set to the form that its members determine.
    fn settle(&mut self) {
        let Some(most) = most_runs(self.universe) else { return };
        match &self.form {
            Form::Runs(runs) if runs.as_slice().len() > most => {
                let runs = runs.as_slice().len();
                self.form = Form::Bits(Bits { words: self.words().into(), runs });
            }
            Form::Bits(bits) if bits.runs <= most => {
                let mut runs = Runs::default();
                self.iter().for_each(|e| runs.insert(Run { from: e.0, to: e.0 + 1 }));
                self.form = Form::Runs(runs);
            }
            _ => {}
        }
    }
}

impl Bits {
    fn contains(&self, e: u32) -> bool {
        self.words.get(e as usize / 64).is_some_and(|word| word >> (e % 64) & 1 == 1)
    }

    /// Sets or clears the bits of a run and updates the number of runs.
    fn change(&mut self, universe: u32, run: Run, how: impl Fn(&mut [u64], Run)) {
        if universe as usize <= SMALL {
            return how(&mut self.words, run);
        }
        // Only runs that begin inside the changed run or directly after it can appear or disappear.
        let (first, last) = (run.from as usize / 64, (run.to as usize / 64 + 1).min(self.words.len()));
        self.runs -= starts(&self.words, first, last);
        how(&mut self.words, run);
        self.runs += starts(&self.words, first, last);
    }
}

/// Returns the number of runs that begin in the words `first..last`.
fn starts(words: &[u64], first: usize, last: usize) -> usize {
    let mut before = if first == 0 { 0 } else { words[first - 1] >> 63 };
    let mut count = 0;
    for &word in &words[first..last] {
        count += (word & !(word << 1 | before)).count_ones() as usize;
        before = word >> 63;
    }
    count
}

#[inline]
fn zip(words: &mut [u64], with: &[u64], how: impl Fn(u64, u64) -> u64) {
    words.iter_mut().zip(with).for_each(|(a, &b)| *a = how(*a, b));
}

fn set(words: &mut [u64], run: Run) {
    run.each_word(|w, mask| words[w] |= mask);
}

fn clear(words: &mut [u64], run: Run) {
    run.each_word(|w, mask| words[w] &= !mask);
}

/// Iterator over the events of a set, in ascending order. See [`EventSet::iter`].
#[derive(Clone, Debug)]
pub struct Events<'a> {
    words: std::slice::Iter<'a, u64>,
    /// Remaining bits of the current word. `base` is the event of the lowest bit of the next word.
    rest: u64,
    base: u32,
    runs: std::slice::Iter<'a, Run>,
    /// Remaining part of the current run.
    run: Run,
}

impl Iterator for Events<'_> {
    type Item = EventId;

    #[inline]
    fn next(&mut self) -> Option<EventId> {
        loop {
            if self.rest != 0 {
                let bit = self.rest.trailing_zeros();
                self.rest &= self.rest - 1;
                return Some(EventId(self.base - 64 + bit));
            }
            if self.run.from < self.run.to {
                self.run.from += 1;
                return Some(EventId(self.run.from - 1));
            }
            match self.words.next() {
                Some(&word) => (self.rest, self.base) = (word, self.base + 64),
                None => self.run = *self.runs.next()?,
            }
        }
    }
}

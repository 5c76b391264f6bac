//! Steps behavioral programs by tables.
//!
//! The enabled events of a state are `OR of requests & !OR of blocks`, without those of lower priority ([`Ranks`]). Its
//! successor on an event is the XOR of the state with a few deltas. Module `tables` describes the tables of offers and
//! deltas. Where threads have several targets, an odometer enumerates the combinations.

use crate::ranks::Ranks;
use crate::tables::{MOST_OFFERS, Offer, Sets, Tables};
use model::{ExpansionKind, Goal, LocalId, Program};
use search::step::{Stepper, Successors};

/// Event sets, and offers in tables, that are combined within one unit of work.
const SETS_PER_UNIT: usize = 100;
const OFFERS_PER_UNIT: usize = 1_000;

/// A compiled behavioral program. Labels are event numbers.
#[derive(Clone, Debug)]
pub struct RwbStepper {
    tables: Tables,
    /// For each thread and local state: true if it is bad.
    bad: Vec<Vec<bool>>,
    initial: Vec<Vec<LocalId>>,
    odometer: Vec<usize>,
    next: Vec<u64>,
    /// The priorities of the program. `None` if all are the same.
    ranks: Option<Box<Ranks>>,
    /// True if the enabled events of a state are listed before they fire: they are computed from sets, or there are
    /// priorities.
    lists: bool,
    /// The enabled events of a state, 64 to a word, if they are listed.
    open: Vec<u64>,
}

impl RwbStepper {
    /// Compiles `program`.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        Self::with_offers(program, MOST_OFFERS)
    }

    /// Compiles `program` with at most `most` offers in tables. With more, the enabled events are computed from
    /// the program's own sets.
    pub(crate) fn with_offers(program: &Program, most: usize) -> Self {
        let tables = Tables::new(program, most);
        let ranks = Ranks::of(program);
        Self {
            lists: ranks.is_some() || tables.sets.is_some(),
            ranks,
            bad: program.threads().iter().map(|t| t.states.iter().map(|s| s.bad).collect()).collect(),
            initial: program.threads().iter().map(|t| t.initial.clone()).collect(),
            odometer: Vec::new(),
            open: Vec::new(),
            next: vec![0; tables.layout.words()],
            tables,
        }
    }

    #[cfg(test)]
    pub(crate) fn moves_bytes(&self) -> usize {
        self.tables.moves_bytes()
    }

    /// Returns the events among the `w`-th 64 events that are requested and not blocked in `packed`. These are the
    /// enabled events if the program has no priorities.
    #[inline(always)]
    fn enabled(&self, packed: &[u64], w: usize, event_words: usize) -> u64 {
        let Offer { mut request, mut block } = self.tables.constant[w];
        for window in &self.tables.offer_windows {
            let offer = self.tables.offers[window.entry(packed, event_words) + w];
            request |= offer.request;
            block |= offer.block;
        }
        request & !block
    }

    /// Lists the enabled events of `packed`, 64 to a word.
    fn list(&self, packed: &[u64], open: &mut Vec<u64>) {
        if let Some(sets) = &self.tables.sets {
            self.enabled_by_sets(sets, packed, open);
        } else {
            let words = self.tables.constant.len();
            open.clear();
            open.extend((0..words).map(|w| self.enabled(packed, w, words)));
        }
        if let Some(ranks) = &self.ranks {
            ranks.filter(self.tables.layout.fields(), packed, open);
        }
    }

    /// Computes the events that are requested and not blocked in `packed` from the sets of all threads, 64 to a word.
    fn enabled_by_sets(&self, sets: &Sets, packed: &[u64], open: &mut Vec<u64>) {
        open.clear();
        open.resize(self.tables.constant.len(), 0);
        let mut blocked = vec![0; open.len()];
        for [request, block] in sets.of(self.tables.layout.fields(), packed) {
            request.add_to(open);
            block.add_to(&mut blocked);
        }
        open.iter_mut().zip(blocked).for_each(|(open, blocked)| *open &= !blocked);
    }

    /// Appends all successors. `words` and `event_words` are parameters, so that the usual sizes compile to
    /// straight code.
    #[inline(always)]
    fn expand_sized(&mut self, packed: &[u64], words: usize, event_words: usize, out: &mut Successors) {
        let packed = &packed[..words];
        for w in 0..event_words {
            let mut enabled = self.enabled(packed, w, event_words);
            while enabled != 0 {
                let event = w * 64 + enabled.trailing_zeros() as usize;
                enabled &= enabled - 1;
                self.fire(packed, words, event, out);
            }
        }
    }

    /// Stores the successors on `events` (64 to a word), in the order of [`Stepper::expand`]. All of `events`
    /// must be enabled. Searches that leave out enabled events use this.
    pub fn expand_on(&mut self, packed: &[u64], events: &[u64], out: &mut Successors) {
        out.clear();
        let words = self.tables.layout.words();
        for (w, &of_word) in events.iter().enumerate() {
            let mut rest = of_word;
            while rest != 0 {
                self.fire(packed, words, w * 64 + rest.trailing_zeros() as usize, out);
                rest &= rest - 1;
            }
        }
    }

    #[inline(always)]
    fn fire(&mut self, packed: &[u64], words: usize, event: usize, out: &mut Successors) {
        let effect = &self.tables.effects[event];
        let moves = &self.tables.moves[effect.moves.clone()];
        if effect.choices.is_empty() && words == 1 {
            let next = moves.iter().fold(packed[0], |next, window| next ^ self.tables.deltas[window.entry(packed, 1)]);
            return out.push(event as u32, &[next]);
        }
        let next = &mut self.next[..words];
        next.copy_from_slice(packed);
        for window in moves {
            next[window.word] ^= self.tables.deltas[window.entry(packed, 1)];
        }
        if effect.choices.is_empty() {
            out.push(event as u32, next);
        } else {
            self.choose(packed, event, out);
        }
    }

    /// Appends the successors for all combinations of the targets of threads with choices. The first such
    /// thread changes fastest. `self.next` already contains the moves of the other threads.
    fn choose(&mut self, packed: &[u64], event: usize, out: &mut Successors) {
        let tables = &self.tables;
        let choices = &tables.choices[tables.effects[event].choices.clone()];
        let Some((fastest, others)) = choices.split_first() else { return };
        let fast = &tables.targets[tables.range(fastest, packed)];
        self.odometer.clear();
        for choice in others {
            let first = tables.range(choice, packed).start;
            self.odometer.push(first);
            self.next[choice.window.word] ^= tables.targets[first];
        }
        loop {
            for delta in fast {
                self.next[fastest.window.word] ^= delta;
                out.push(event as u32, &self.next);
                self.next[fastest.window.word] ^= delta;
            }
            let mut turned = false;
            for (choice, at) in others.iter().zip(&mut self.odometer) {
                let range = tables.range(choice, packed);
                self.next[choice.window.word] ^= tables.targets[*at];
                turned = *at + 1 < range.end;
                *at = if turned { *at + 1 } else { range.start };
                self.next[choice.window.word] ^= tables.targets[*at];
                if turned {
                    break;
                }
            }
            if !turned {
                return;
            }
        }
    }

    /// Returns the expansion kind of a state without enabled events.
    #[cold]
    fn stuck(&self, packed: &[u64]) -> ExpansionKind {
        let is_bad = self.tables.layout.fields().iter().zip(&self.bad).any(|(field, bad)| bad[field.get(packed)]);
        ExpansionKind::Goal(if is_bad { Goal::Bad } else { Goal::Deadlock })
    }
}

impl Stepper for RwbStepper {
    fn words(&self) -> usize {
        self.tables.layout.words()
    }

    fn width(&self) -> usize {
        self.tables.layout.fields().len()
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        self.tables.layout.pack(state, out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        self.tables.layout.unpack(packed, out);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        let mut odometer = vec![0usize; self.initial.len()];
        let mut state: Vec<u32> = self.initial.iter().map(|s| s[0].0).collect();
        let mut packed = Vec::new();
        loop {
            self.tables.layout.pack(&state, &mut packed);
            sink(&packed);
            let Some(t) = (0..odometer.len()).find(|&t| odometer[t] + 1 < self.initial[t].len()) else { return };
            odometer[t] += 1;
            odometer[..t].fill(0);
            for u in 0..=t {
                state[u] = self.initial[u][odometer[u]].0;
            }
        }
    }

    fn initial_count(&self) -> u64 {
        self.initial.iter().fold(1, |count, s| count.saturating_mul(s.len() as u64))
    }

    fn layout(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }

    fn with_layout(&self, layout: &[u8]) -> Option<Self> {
        layout.is_empty().then(|| self.clone())
    }

    fn is_state(&self, unpacked: &[u32]) -> bool {
        unpacked.len() == self.bad.len() && unpacked.iter().zip(&self.bad).all(|(&s, bad)| (s as usize) < bad.len())
    }

    #[inline]
    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        out.clear();
        if self.lists {
            let mut open = std::mem::take(&mut self.open);
            self.list(packed, &mut open);
            self.expand_on(packed, &open, out);
            self.open = open;
            return if out.is_empty() { self.stuck(packed) } else { ExpansionKind::Inner };
        }
        match (self.tables.layout.words(), self.tables.constant.len()) {
            (1, 1) => self.expand_sized(packed, 1, 1, out),
            (2, 1) => self.expand_sized(packed, 2, 1, out),
            (words, event_words) => self.expand_sized(packed, words, event_words, out),
        }
        if out.is_empty() { self.stuck(packed) } else { ExpansionKind::Inner }
    }

    fn looking(&self) -> u64 {
        let passes = 2 * usize::from(self.tables.sets.is_some()) + usize::from(self.ranks.is_some());
        let sets = passes * self.width() / SETS_PER_UNIT;
        let offers = self.tables.offer_windows.len() * self.tables.constant.len() / OFFERS_PER_UNIT;
        (sets + offers) as u64
    }

    fn max_fan_out(&self) -> u64 {
        self.tables.max_fan_out
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        let event_words = self.tables.constant.len();
        let mut total = 0u64;
        let mut open = Vec::new();
        if self.lists {
            self.list(packed, &mut open);
        }
        for w in 0..event_words {
            let mut enabled = open.get(w).copied().unwrap_or_else(|| self.enabled(packed, w, event_words));
            while enabled != 0 {
                let event = w * 64 + enabled.trailing_zeros() as usize;
                enabled &= enabled - 1;
                let choices = &self.tables.choices[self.tables.effects[event].choices.clone()];
                let product = choices.iter().fold(1u64, |product, choice| {
                    product.saturating_mul(self.tables.range(choice, packed).len() as u64)
                });
                total = total.saturating_add(product);
            }
        }
        total
    }
}

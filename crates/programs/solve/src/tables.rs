//! Compiles a behavioral program to tables over packed states.
//!
//! A *window* is a run of neighbouring fields that is read as one number. There are two kinds of tables.
//! *Offers* give what the threads of a window request and block. *Moves* give, for each event, the XOR deltas
//! of the threads that can move on the event. Their windows span only these threads. The successor of a state
//! is the XOR of the state with these deltas. Threads with a single state take no bits, and their offers are
//! constants.
//!
//! Two kinds of threads are kept apart as *choices*, which are ranges of deltas: threads that are
//! nondeterministic on an event, and large threads that mention the event in few of their states. For such a
//! large thread, a dense table would be larger than the program.

use model::{EventSet, LocalId, Program, Thread};
use search::layout::{Field, Layout};
use std::ops::Range;

/// The largest number of bits in a window. A look-up covers two or three threads, and the tables stay in the
/// first-level cache.
const WINDOW_BITS: u32 = 8;
/// The largest number of offers in tables. There is one offer for each value of a field and each 64 events.
/// Programs with more offers use the event sets of the program instead ([`Sets`]), because in programs with
/// many threads and events, each state mentions few of the events.
pub(crate) const MOST_OFFERS: usize = 1 << 20;
/// The largest number of items in the table of a window of offers. With many events, wide windows would
/// multiply the memory.
const WINDOW_OFFERS: usize = 1 << 10;
/// If there are more pairs of an event and a thread that moves on it, windows of moves span only one thread.
/// Tables over several threads would not fit the cache.
const MERGED_PAIRS: usize = 1 << 11;
/// Threads of up to this many bits always have dense tables of moves. Larger threads have one if at least one
/// in `SPARSE_BELOW` states moves on the event.
const DENSE_BITS: u32 = 6;
const SPARSE_BELOW: usize = 16;

/// Requests and blocks of 64 events.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Offer {
    pub(crate) request: u64,
    pub(crate) block: u64,
}

/// A run of neighbouring fields that is read as one number: an index into a table that begins at `table`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) word: usize,
    shift: u32,
    mask: u64,
    table: usize,
}

/// A thread with ranges of targets on an event: one range for each local state, or for each listed one.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) window: Window,
    /// If few local states move: the range of these states in `listed`. Their ranges of targets are
    /// consecutive.
    sparse: Option<Range<usize>>,
}

/// The moves and choices of one event, as ranges of `moves` and `choices`.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) moves: Range<usize>,
    pub(crate) choices: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tables {
    pub(crate) layout: Layout,
    /// Offers of the threads with a single state: one item per 64 events.
    pub(crate) constant: Vec<Offer>,
    pub(crate) offer_windows: Vec<Window>,
    /// For each thread and local state, its requested and blocked events. Used instead of the tables of offers
    /// if these would be too large.
    pub(crate) sets: Option<Sets>,
    /// Tables of offers: for each window and each value, one item per 64 events.
    pub(crate) offers: Vec<Offer>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) moves: Vec<Window>,
    pub(crate) deltas: Vec<u64>,
    pub(crate) choices: Vec<Choice>,
    ranges: Vec<Range<usize>>,
    listed: Vec<u32>,
    /// XOR deltas. The ranges of choices refer to them. The first delta is 0, for threads that do not move.
    pub(crate) targets: Vec<u64>,
    /// Upper bound on the successors of a state.
    pub(crate) max_fan_out: u64,
}

/// Requested and blocked events of each local state, one thread after the other.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    /// For each thread: the index of its first state in `of_state`.
    first: Vec<usize>,
    of_state: Vec<[EventSet; 2]>,
}

impl Sets {
    fn new(threads: &[Thread]) -> Self {
        let mut this = Self { first: Vec::with_capacity(threads.len()), of_state: Vec::new() };
        for thread in threads {
            this.first.push(this.of_state.len());
            this.of_state.extend(thread.states.iter().map(|s| [s.request.clone(), s.block.clone()]));
        }
        this
    }

    /// Returns the requested and blocked events of each thread in state `packed`.
    pub(crate) fn of<'s>(&'s self, fields: &'s [Field], packed: &'s [u64]) -> impl Iterator<Item = &'s [EventSet; 2]> {
        self.first.iter().zip(fields).map(|(first, field)| &self.of_state[first + field.get(packed)])
    }
}

/// A local state that moves on an event, and its targets.
#[derive(Clone, Copy)]
struct Mention<'a> {
    thread: usize,
    local: usize,
    to: &'a [LocalId],
}

impl Window {
    fn new(field: Field, table: usize) -> Self {
        Self { word: field.word, shift: field.shift, mask: (1 << field.bits) - 1, table }
    }

    #[inline(always)]
    fn value(&self, packed: &[u64]) -> usize {
        let word = if let [word] = packed { *word } else { packed[self.word] };
        ((word >> self.shift) & self.mask) as usize
    }

    /// Returns the index of the entry for `packed`, if entries have `size` items.
    #[inline(always)]
    pub(crate) fn entry(&self, packed: &[u64], size: usize) -> usize {
        self.table + self.value(packed) * size
    }
}

impl Tables {
    /// Compiles `program`. Offers are put into tables if there are at most `most_offers`.
    pub(crate) fn new(program: &Program, most_offers: usize) -> Self {
        let threads = program.threads();
        let mut this = Self {
            layout: Layout::new(threads.iter().map(|t| t.states.len())),
            constant: vec![Offer::default(); program.events().len().div_ceil(64)],
            offer_windows: Vec::new(),
            sets: None,
            offers: Vec::new(),
            effects: Vec::new(),
            moves: Vec::new(),
            deltas: Vec::new(),
            choices: Vec::new(),
            ranges: Vec::new(),
            listed: Vec::new(),
            targets: vec![0],
            max_fan_out: 0,
        };
        let offers = this.layout.fields().iter().map(|field| this.constant.len() << field.bits);
        if offers.fold(0, usize::saturating_add) > most_offers {
            this.sets = Some(Sets::new(threads));
        } else if !this.constant.is_empty() {
            this.compile_offers(threads);
        }
        let mentions = mentions(program);
        let pairs: usize = mentions.iter().map(|m| m.chunk_by(same_thread).count()).sum();
        let window_bits = if pairs <= MERGED_PAIRS { WINDOW_BITS } else { 0 };
        for of_event in &mentions {
            this.compile_event(of_event, window_bits);
        }
        this
    }

    fn compile_offers(&mut self, threads: &[Thread]) {
        let size = self.constant.len();
        let window_bits = (WINDOW_OFFERS / size).checked_ilog2().unwrap_or(0).min(WINDOW_BITS);
        let both = |a: Offer, b: Offer| Offer { request: a.request | b.request, block: a.block | b.block };
        let mut windows = Vec::new();
        for (thread, &field) in threads.iter().zip(self.layout.fields()) {
            let mut column: Vec<Offer> = Vec::with_capacity(size << field.bits);
            for state in &thread.states {
                let words = state.request.words().into_iter().zip(state.block.words());
                column.extend(words.map(|(request, block)| Offer { request, block }));
            }
            if field.bits == 0 {
                self.constant.iter_mut().zip(column).for_each(|(all, more)| *all = both(*all, more));
            } else {
                column.resize(size << field.bits, Offer::default());
                merge(&mut windows, field, column, size, window_bits, both);
            }
        }
        for (field, table) in windows {
            self.offer_windows.push(Window::new(field, self.offers.len()));
            self.offers.extend(table);
        }
    }

    fn compile_event(&mut self, mentions: &[Mention], window_bits: u32) {
        let (first_move, first_choice) = (self.moves.len(), self.choices.len());
        let mut windows = Vec::new();
        let mut fan_out = 1u64;
        for of_thread in mentions.chunk_by(same_thread) {
            let field = self.layout.fields()[of_thread[0].thread];
            let most = of_thread.iter().map(|m| m.to.len()).max().unwrap_or(1);
            let is_sparse = field.bits > DENSE_BITS && of_thread.len() * SPARSE_BELOW < 1 << field.bits;
            if most > 1 || is_sparse {
                fan_out = fan_out.saturating_mul(most as u64);
                self.compile_choice(of_thread, field, is_sparse);
            } else {
                let mut column = vec![0; 1 << field.bits];
                for m in of_thread {
                    column[m.local] = field.place(m.local ^ m.to[0].index());
                }
                merge(&mut windows, field, column, 1, window_bits, |a, b| a ^ b);
            }
        }
        for (field, table) in windows {
            self.moves.push(Window::new(field, self.deltas.len()));
            self.deltas.extend(table);
        }
        self.max_fan_out = self.max_fan_out.saturating_add(fan_out);
        self.effects.push(Effect { moves: first_move..self.moves.len(), choices: first_choice..self.choices.len() });
    }

    fn compile_choice(&mut self, mentions: &[Mention], field: Field, is_sparse: bool) {
        let window = Window::new(field, self.ranges.len());
        if !is_sparse {
            self.ranges.resize(window.table + (1 << field.bits), 0..1);
        }
        let first_listed = self.listed.len();
        for m in mentions {
            let first = self.targets.len();
            self.targets.extend(m.to.iter().map(|to| field.place(m.local ^ to.index())));
            let range = first..self.targets.len();
            if is_sparse {
                self.listed.push(m.local as u32);
                self.ranges.push(range);
            } else {
                self.ranges[window.table + m.local] = range;
            }
        }
        let sparse = is_sparse.then_some(first_listed..self.listed.len());
        self.choices.push(Choice { window, sparse });
    }

    #[cfg(test)]
    pub(crate) fn moves_bytes(&self) -> usize {
        size_of_val(&*self.deltas)
            + size_of_val(&*self.ranges)
            + size_of_val(&*self.targets)
            + size_of_val(&*self.listed)
    }

    /// Returns the range of `targets` that `choice` has in `packed`. It is never empty.
    #[inline]
    pub(crate) fn range(&self, choice: &Choice, packed: &[u64]) -> Range<usize> {
        let local = choice.window.value(packed);
        let index = match &choice.sparse {
            None => local,
            Some(listed) => match self.listed[listed.clone()].binary_search(&(local as u32)) {
                Ok(index) => index,
                Err(_) => return 0..1,
            },
        };
        self.ranges[choice.window.table + index].clone()
    }
}

fn same_thread(a: &Mention, b: &Mention) -> bool {
    a.thread == b.thread
}

/// Returns for each event the local states that can move on it, in the order of threads and states.
fn mentions(program: &Program) -> Vec<Vec<Mention<'_>>> {
    let mut mentions = vec![Vec::new(); program.events().len()];
    for (thread, t) in program.threads().iter().enumerate() {
        for (local, state) in t.states.iter().enumerate() {
            for (event, to) in &state.on {
                if *to != [LocalId::new(local)] {
                    mentions[event.index()].push(Mention { thread, local, to });
                }
            }
        }
    }
    mentions
}

/// Adds a thread's table (entries of `size` items) to the windows. It is combined with the last window if its
/// field comes right after and both together have at most `window_bits` bits. Otherwise it becomes a new
/// window.
fn merge<T: Copy>(
    windows: &mut Vec<(Field, Vec<T>)>,
    field: Field,
    column: Vec<T>,
    size: usize,
    window_bits: u32,
    combine: impl Fn(T, T) -> T,
) {
    match windows.last_mut() {
        Some((window, table)) if window.is_before(field) && window.bits + field.bits <= window_bits => {
            window.bits += field.bits;
            let high_entries = column.chunks_exact(size);
            let joined = high_entries.flat_map(|high| table.chunks_exact(size).map(move |low| (low, high)));
            *table = joined.flat_map(|(low, high)| low.iter().zip(high)).map(|(&a, &b)| combine(a, b)).collect();
        }
        _ => windows.push((field, column)),
    }
}

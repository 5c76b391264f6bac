//! Behavioral programs compiled to tables over packed states.
//!
//! The enabled events of a state are `OR of requests & !OR of blocks`, one table lookup per window, where a window is a run of
//! neighbouring thread fields read as one number. Each event has windows over the threads that can move on it, with
//! tables of XOR deltas: the successor of `q` is `q ^ delta ^ delta ...`. Threads with a single state contribute a constant
//! and no bits; threads that are nondeterministic on an event are kept apart and run through by an odometer.

use crate::layout::{Field, Layout};
use crate::step::{Step, Successors};
use model::{EventId, Goal, Kind, LocalId, Program, Thread};

/// Windows span at most this many bits: two or three threads per lookup, tables that stay in the first-level cache.
const WINDOW_BITS: u32 = 8;

/// Requests and blocks of 64 events.
#[derive(Clone, Copy, Default, Debug)]
struct Offer {
    request: u64,
    block: u64,
}

/// Neighbouring fields read as one number, which indexes a table from `table` on.
#[derive(Clone, Copy, Debug)]
struct Window {
    field: Field,
    table: usize,
}

/// A thread that is nondeterministic on an event: entry `local` of its table is a range of `targets`.
#[derive(Clone, Copy, Debug)]
struct Choice {
    field: Field,
    table: usize,
}

/// What happens on one event: ranges of `moves` and `choices`.
#[derive(Clone, Debug)]
struct Effect {
    moves: std::ops::Range<usize>,
    choices: std::ops::Range<usize>,
}

/// A compiled behavioral program; labels are event numbers.
#[derive(Clone, Debug)]
pub struct RwbStepper {
    layout: Layout,
    /// What threads with a single state offer, per 64 events.
    constant: Vec<Offer>,
    offer_windows: Vec<Window>,
    /// Per window, per value, per 64 events.
    offers: Vec<Offer>,
    effects: Vec<Effect>,
    moves: Vec<Window>,
    deltas: Vec<u64>,
    choices: Vec<Choice>,
    /// Ranges of `targets`.
    choice_ranges: Vec<(usize, usize)>,
    /// XOR deltas.
    targets: Vec<u64>,
    /// Per thread and local state.
    bad: Vec<Vec<bool>>,
    initial: Vec<Vec<LocalId>>,
    max_fan_out: u64,
    odometer: Vec<usize>,
    next: Vec<u64>,
}

impl RwbStepper {
    /// Compiles `program`.
    #[must_use]
    pub fn new(program: &Program) -> Self {
        let threads = program.threads();
        let layout = Layout::new(threads.iter().map(|t| t.states.len()));
        let event_words = program.events().len().div_ceil(64);
        let mut this = Self {
            constant: vec![Offer::default(); event_words],
            offer_windows: Vec::new(),
            offers: Vec::new(),
            effects: Vec::new(),
            moves: Vec::new(),
            deltas: Vec::new(),
            choices: Vec::new(),
            choice_ranges: Vec::new(),
            targets: Vec::new(),
            bad: threads.iter().map(|t| t.states.iter().map(|s| s.bad).collect()).collect(),
            initial: threads.iter().map(|t| t.initial.clone()).collect(),
            max_fan_out: 0,
            odometer: Vec::new(),
            next: vec![0; layout.words()],
            layout,
        };
        this.compile_offers(threads);
        for event in 0..program.events().len() {
            this.compile_event(threads, EventId::new(event));
        }
        this
    }

    fn compile_offers(&mut self, threads: &[Thread]) {
        let event_words = self.constant.len();
        let single: Vec<usize> = (0..threads.len()).filter(|&t| threads[t].states.len() == 1).collect();
        let several: Vec<usize> = (0..threads.len()).filter(|&t| threads[t].states.len() > 1).collect();
        for t in single {
            merge_offer(&mut self.constant, &threads[t], 0);
        }
        for (field, members) in windows(self.layout.fields(), &several) {
            self.offer_windows.push(Window { field, table: self.offers.len() });
            for value in 0..1usize << field.bits {
                let mut offer = vec![Offer::default(); event_words];
                for &t in &members {
                    let local = self.layout.fields()[t].within(field, value);
                    if local < threads[t].states.len() {
                        merge_offer(&mut offer, &threads[t], local);
                    }
                }
                self.offers.extend(offer);
            }
        }
    }

    fn compile_event(&mut self, threads: &[Thread], event: EventId) {
        let moving = |t: &usize| threads[*t].states.iter().any(|s| s.on.contains_key(&event));
        let choosing = |t: &usize| threads[*t].states.iter().any(|s| s.on.get(&event).is_some_and(|to| to.len() > 1));
        let (choosers, movers): (Vec<usize>, Vec<usize>) =
            (0..threads.len()).filter(|t| threads[*t].states.len() > 1).filter(moving).partition(choosing);
        let (first_move, first_choice) = (self.moves.len(), self.choices.len());
        for (field, members) in windows(self.layout.fields(), &movers) {
            self.moves.push(Window { field, table: self.deltas.len() });
            for value in 0..1usize << field.bits {
                let delta = members.iter().fold(0, |delta, &t| {
                    let local = self.layout.fields()[t].within(field, value);
                    delta ^ self.delta(&threads[t], t, local, event)
                });
                self.deltas.push(delta);
            }
        }
        let mut fan_out = 1u64;
        for &t in &choosers {
            fan_out = fan_out.saturating_mul(self.compile_choice(&threads[t], t, event));
        }
        self.max_fan_out = self.max_fan_out.saturating_add(fan_out);
        self.effects.push(Effect { moves: first_move..self.moves.len(), choices: first_choice..self.choices.len() });
    }

    /// The XOR of `local` and its only target on `event`, in place; 0 for values that are no state.
    fn delta(&self, thread: &Thread, t: usize, local: usize, event: EventId) -> u64 {
        let target = thread.states.get(local).and_then(|s| s.on.get(&event)).map(|to| to[0].index());
        target.map_or(0, |target| self.layout.fields()[t].place(local ^ target))
    }

    /// Returns the largest number of targets.
    fn compile_choice(&mut self, thread: &Thread, t: usize, event: EventId) -> u64 {
        let field = self.layout.fields()[t];
        self.choices.push(Choice { field, table: self.choice_ranges.len() });
        let mut most = 1;
        for local in 0..thread.states.len() {
            let first = self.targets.len();
            let to = thread.targets(LocalId::new(local), event);
            self.targets.extend(to.map(|target| field.place(local ^ target.index())));
            self.choice_ranges.push((first, self.targets.len()));
            most = most.max(self.targets.len() - first);
        }
        most as u64
    }

    /// The events of the `w`-th 64 that are enabled in `packed`.
    #[inline(always)]
    fn enabled(&self, packed: &[u64], w: usize, event_words: usize) -> u64 {
        let Offer { mut request, mut block } = self.constant[w];
        for window in &self.offer_windows {
            let offer = self.offers[window.table + window.field.get(packed) * event_words + w];
            request |= offer.request;
            block |= offer.block;
        }
        request & !block
    }

    /// All successors. `words` and `event_words` are passed so that the usual sizes compile to straight code.
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

    #[inline(always)]
    fn fire(&mut self, packed: &[u64], words: usize, event: usize, out: &mut Successors) {
        let effect = &self.effects[event];
        let next = &mut self.next[..words];
        next.copy_from_slice(packed);
        for window in &self.moves[effect.moves.clone()] {
            next[window.field.word] ^= self.deltas[window.table + window.field.get(packed)];
        }
        if effect.choices.is_empty() {
            out.push(event as u32, next);
        } else {
            self.choose(packed, event, out);
        }
    }

    /// Every combination of the choosing threads' targets, the first thread's changing fastest. `self.next` has the other
    /// threads' moves.
    #[cold]
    fn choose(&mut self, packed: &[u64], event: usize, out: &mut Successors) {
        let choices = &self.choices[self.effects[event].choices.clone()];
        self.odometer.clear();
        for choice in choices {
            let (first, _) = self.choice_ranges[choice.table + choice.field.get(packed)];
            self.odometer.push(first);
            self.next[choice.field.word] ^= self.targets[first];
        }
        loop {
            out.push(event as u32, &self.next);
            let mut turned = false;
            for (choice, at) in choices.iter().zip(&mut self.odometer) {
                let (first, end) = self.choice_ranges[choice.table + choice.field.get(packed)];
                self.next[choice.field.word] ^= self.targets[*at];
                *at += 1;
                turned = *at < end;
                if !turned {
                    *at = first;
                }
                self.next[choice.field.word] ^= self.targets[*at];
                if turned {
                    break;
                }
            }
            if !turned {
                return;
            }
        }
    }

    /// The kind of a state without enabled event.
    #[cold]
    fn stuck(&self, packed: &[u64]) -> Kind {
        let is_bad = self.layout.fields().iter().zip(&self.bad).any(|(field, bad)| bad[field.get(packed)]);
        Kind::Goal(if is_bad { Goal::Bad } else { Goal::Deadlock })
    }
}

fn merge_offer(offer: &mut [Offer], thread: &Thread, local: usize) {
    let state = &thread.states[local];
    for (o, (request, block)) in offer.iter_mut().zip(state.request.words().zip(state.block.words())) {
        o.request |= request;
        o.block |= block;
    }
}

/// Cuts the fields of `threads` (ascending) into windows: threads whose fields lie side by side in a word share one while it
/// stays small. Each window comes with its threads.
fn windows(fields: &[Field], threads: &[usize]) -> Vec<(Field, Vec<usize>)> {
    let mut windows: Vec<(Field, Vec<usize>)> = Vec::new();
    for &t in threads {
        let field = fields[t];
        match windows.last_mut() {
            Some((window, members))
                if window.word == field.word
                    && window.shift + window.bits == field.shift
                    && window.bits + field.bits <= WINDOW_BITS =>
            {
                window.bits += field.bits;
                members.push(t);
            }
            _ => windows.push((field, vec![t])),
        }
    }
    windows
}

impl Step for RwbStepper {
    fn words(&self) -> usize {
        self.layout.words()
    }

    fn width(&self) -> usize {
        self.layout.fields().len()
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        self.layout.pack(state, out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        self.layout.unpack(packed, out);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        let mut odometer = vec![0usize; self.initial.len()];
        let mut state: Vec<u32> = self.initial.iter().map(|s| s[0].0).collect();
        let mut packed = Vec::new();
        loop {
            self.layout.pack(&state, &mut packed);
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

    #[inline]
    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        out.clear();
        match (self.layout.words(), self.constant.len()) {
            (1, 1) => self.expand_sized(packed, 1, 1, out),
            (2, 1) => self.expand_sized(packed, 2, 1, out),
            (words, event_words) => self.expand_sized(packed, words, event_words, out),
        }
        if out.is_empty() { self.stuck(packed) } else { Kind::Inner }
    }

    fn max_fan_out(&self) -> u64 {
        self.max_fan_out
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        let event_words = self.constant.len();
        let mut total = 0u64;
        for w in 0..event_words {
            let mut enabled = self.enabled(packed, w, event_words);
            while enabled != 0 {
                let event = w * 64 + enabled.trailing_zeros() as usize;
                enabled &= enabled - 1;
                let choices = &self.choices[self.effects[event].choices.clone()];
                let product = choices.iter().fold(1u64, |product, choice| {
                    let (first, end) = self.choice_ranges[choice.table + choice.field.get(packed)];
                    product.saturating_mul((end - first) as u64)
                });
                total = total.saturating_add(product);
            }
        }
        total
    }
}

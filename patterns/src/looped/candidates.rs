//! Proposes event sequences for a given run length: a filler event while time passes, then a word that takes a
//! marker to a bad state.
//!
//! The proposals need not be right, since the checker replays them. Threads that are not clocks are assumed to
//! stay in their first initial state while time passes.

use crate::clock::Clock;
use model::{Constant, EventId, Goal, LocalId, Thread, Values};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// A sequence of words with repetition counts, as returned by [`model::Match::candidates`].
type Candidate = Vec<(Vec<EventId>, u64)>;

/// Longest word of a marker that is tried. The longest one in the corpus has 3 events. The search is quadratic
/// in this limit.
const TAIL: u64 = 16;
/// Maximum number of candidates that are returned.
const CANDIDATES: usize = 16;
/// Work limit of all candidates together, counted in reads of (thread, event) or (marker state, event) pairs:
/// about 50 ms.
const WORK: u64 = 20_000_000;
/// Work limit of one marker.
const MARKER_WORK: u64 = WORK / 16;

/// Returns candidates of the run length that `values` contains.
pub(super) fn of_length(threads: &[Thread], clocks: &[Option<Clock>], goal: Goal, values: &Values) -> Vec<Candidate> {
    let Some(length) = values.get(&Constant::RunLength).and_then(ToPrimitive::to_u64) else { return Vec::new() };
    let mut guess = Guess { threads, clocks, work_left: WORK };
    let mut tails = Vec::new();
    if goal == Goal::Deadlock || guess.clock_is_bad(length) {
        tails.push(Vec::new());
    }
    if goal == Goal::Bad {
        let markers = (0..threads.len()).filter(|&i| clocks[i].is_none() && threads[i].states.iter().any(|s| s.bad));
        tails.extend(markers.filter_map(|marker| guess.tail(marker, length)).take(CANDIDATES));
    }
    let filler = if tails.is_empty() { None } else { guess.filler() };
    tails.into_iter().filter_map(|tail| guess.complete(length, filler, &tail)).collect()
}

struct Guess<'a> {
    threads: &'a [Thread],
    clocks: &'a [Option<Clock>],
    work_left: u64,
}

impl Guess<'_> {
    fn events(&self) -> impl ExactSizeIterator<Item = EventId> + use<> {
        (0..self.threads[0].states[0].request.universe()).map(EventId::new)
    }

    /// Returns the work of one search for enabled events.
    fn step_work(&self) -> u64 {
        (self.threads.len() as u64).saturating_mul(self.events().len() as u64)
    }

    /// Subtracts `work` from the work that is left. Returns `None` if not enough work is left.
    fn spend(&mut self, work: u64) -> Option<()> {
        self.work_left = self.work_left.checked_sub(work)?;
        Some(())
    }

    /// Returns the states at step `u` if the threads that are not clocks have stayed in their initial states.
    /// Returns `None` if a clock has stopped before.
    fn resting(&self, u: u64) -> Option<Vec<LocalId>> {
        let state = |(t, clock): (&Thread, &Option<Clock>)| clock.as_ref().map_or(Some(t.initial[0]), |c| c.at(u));
        self.threads.iter().zip(self.clocks).map(state).collect()
    }

    fn enabled(&self, state: &[LocalId], event: EventId) -> bool {
        let local = || self.threads.iter().zip(state).map(|(t, s)| t.state(*s));
        local().any(|s| s.request.contains(event)) && !local().any(|s| s.block.contains(event))
    }

    fn clock_is_bad(&self, u: u64) -> bool {
        let bad = |(t, clock): (&Thread, &Option<Clock>)| {
            clock.as_ref().and_then(|c| c.at(u)).is_some_and(|s| t.state(s).bad)
        };
        self.threads.iter().zip(self.clocks).any(bad)
    }

    /// Returns the shortest word that takes `marker` from its initial state to a bad state and ends with step
    /// `length - 1`.
    fn tail(&mut self, marker: usize, length: u64) -> Option<Vec<EventId>> {
        let aside = self.work_left.saturating_sub(MARKER_WORK);
        self.work_left -= aside;
        let found = (1..=TAIL.min(length)).find_map(|k| self.tail_of(marker, length - k, length));
        self.work_left += aside;
        found
    }

    /// Returns a word that takes `marker` from its initial state at step `from` to a bad state at step `to`.
    /// The search proceeds in layers, one for each step.
    fn tail_of(&mut self, marker: usize, from: u64, to: u64) -> Option<Vec<EventId>> {
        let thread = &self.threads[marker];
        // For each step: the states of the marker, each with the first event and predecessor that led there.
        let mut layers: Vec<BTreeMap<LocalId, (EventId, LocalId)>> = Vec::new();
        let mut front = vec![thread.initial[0]];
        for u in from..to {
            self.spend((front.len() as u64).max(1).saturating_mul(self.step_work()))?;
            let mut state = self.resting(u)?;
            let mut next = BTreeMap::new();
            for s in front {
                state[marker] = s;
                for event in self.events().filter(|&e| self.enabled(&state, e)) {
                    for target in thread.targets(s, event) {
                        next.entry(target).or_insert((event, s));
                    }
                }
            }
            front = next.keys().copied().collect();
            layers.push(next);
        }
        let mut at = front.into_iter().find(|s| thread.state(*s).bad)?;
        let mut word: Vec<EventId> = Vec::new();
        for layer in layers.iter().rev() {
            let (event, before) = layer[&at];
            word.push(event);
            at = before;
        }
        word.reverse();
        Some(word)
    }

    /// Returns a candidate of `length` events that ends with `tail`.
    fn complete(&mut self, length: u64, filler: Option<EventId>, tail: &[EventId]) -> Option<Candidate> {
        let idle = length - tail.len() as u64;
        let mut candidate = match filler {
            Some(event) => vec![(vec![event], idle)],
            None => self.greedy(idle)?,
        };
        candidate.push((tail.to_vec(), 1));
        candidate.retain(|(word, times)| !word.is_empty() && *times > 0);
        Some(candidate)
    }

    /// Returns an event that can always fire and moves no thread except clocks.
    fn filler(&self) -> Option<EventId> {
        let states: u64 = self.threads.iter().map(|t| t.states.len() as u64).sum();
        let affordable = usize::try_from(WORK / states.max(1)).unwrap_or(usize::MAX).max(1);
        self.events().take(affordable).find(|&event| {
            let pairs = || self.threads.iter().zip(self.clocks);
            let open = |(t, clock): (&Thread, &Option<Clock>)| match clock {
                Some(clock) => clock.always(|s| !t.state(s).block.contains(event)),
                None => !t.state(t.initial[0]).block.contains(event) && stays(t, t.initial[0], event),
            };
            let requests = |(t, clock): (&Thread, &Option<Clock>)| match clock {
                Some(clock) => clock.always(|s| t.state(s).request.contains(event)),
                None => t.state(t.initial[0]).request.contains(event),
            };
            pairs().all(open) && pairs().any(requests)
        })
    }

    /// Returns `steps` events, chosen one by one. None of them moves a thread that is not a clock.
    fn greedy(&mut self, steps: u64) -> Option<Candidate> {
        self.spend(steps.saturating_mul(self.step_work()))?;
        let mut candidate: Candidate = Vec::new();
        for u in 0..steps {
            let state = self.resting(u)?;
            let quiet = |e: EventId| {
                (0..self.threads.len()).all(|i| self.clocks[i].is_some() || stays(&self.threads[i], state[i], e))
            };
            let event = self.events().find(|&e| self.enabled(&state, e) && quiet(e))?;
            match candidate.last_mut() {
                Some((word, times)) if word[0] == event => *times += 1,
                _ => candidate.push((vec![event], 1)),
            }
        }
        Some(candidate)
    }
}

/// Returns true if `event` always leaves `thread` in `s`.
fn stays(thread: &Thread, s: LocalId, event: EventId) -> bool {
    thread.targets(s, event).all(|to| to == s)
}

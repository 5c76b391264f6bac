//! From a run length to event sequences worth replaying: time passes with a filler event, then a marker's word.
//!
//! Nothing here needs to be right: the checker replays what comes out. Threads that are no clocks are taken to stay in
//! their first initial state while time passes.

use crate::clock::Clock;
use model::{Constant, EventId, Goal, LocalId, Thread, Values};
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// Words repeated, as [`model::Match::candidates`] returns them.
type Candidate = Vec<(Vec<EventId>, u64)>;

/// Longest word of a marker that is tried; the corpus has 3. The search is quadratic in it.
const TAIL: u64 = 16;
/// Most candidates worth replaying.
const CANDIDATES: usize = 16;
/// Looks at a (thread, event) or (marker state, event) pair that all candidates together may cost: some 50 ms.
const WORK: u64 = 20_000_000;
/// How much of that one marker may take.
const MARKER_WORK: u64 = WORK / 16;

/// Candidates of the length that `values` gives to the run.
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

    /// What it costs to look for enabled events once.
    fn step_work(&self) -> u64 {
        (self.threads.len() as u64).saturating_mul(self.events().len() as u64)
    }

    /// Takes `work` from what is left; `None` if that is too little.
    fn spend(&mut self, work: u64) -> Option<()> {
        self.work_left = self.work_left.checked_sub(work)?;
        Some(())
    }

    /// The states at step `u` if those that are no clocks have stayed where they began; `None` if a clock has stopped.
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

    /// The shortest word that takes `marker` from its initial state to bad, its last event at step `length - 1`.
    fn tail(&mut self, marker: usize, length: u64) -> Option<Vec<EventId>> {
        let aside = self.work_left.saturating_sub(MARKER_WORK);
        self.work_left -= aside;
        let found = (1..=TAIL.min(length)).find_map(|k| self.tail_of(marker, length - k, length));
        self.work_left += aside;
        found
    }

    /// A word that takes `marker` from its initial state at step `from` to bad at step `to`, layer by layer.
    fn tail_of(&mut self, marker: usize, from: u64, to: u64) -> Option<Vec<EventId>> {
        let thread = &self.threads[marker];
        // Per step: the marker's states, each with the event and the state that led there first.
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

    /// `tail` after as much time as makes `length` events altogether.
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

    /// An event that can always fire and moves no thread but the clocks.
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

    /// `steps` events one by one, each leaving the threads that are no clocks where they are.
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

/// Does `event` certainly leave `thread` in `s`?
fn stays(thread: &Thread, s: LocalId, event: EventId) -> bool {
    thread.targets(s, event).all(|to| to == s)
}

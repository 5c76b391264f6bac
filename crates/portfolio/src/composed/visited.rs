//! Replays runs of a net or thread-transition system, to list the markings that they visit.

use crate::markings::steps;
use model::{EventId, Marked, Net, PlaceId, Problem, Sum, Trace, Vectors};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::collections::HashSet;
use std::sync::Arc;

/// The longest run of which markings are listed.
const LONGEST: u64 = 20_000;

/// Number of steps at the beginning of a run in which parts are looked for that can be repeated.
const MOST_PUMPED: usize = 300;

/// A system in machine numbers.
#[derive(Debug)]
pub(super) struct Replay {
    /// The net, or the net of the thread-transition system if threads take their first targets.
    net: Arc<Net>,
    /// Number of shared states. A run records in which state the threads end up if they choose.
    shared: u32,
    /// The initial marking, or the one with the fewest tokens.
    initial: Vec<u32>,
    is_single: bool,
}

/// Different markings, one after the other. Each takes `width` numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Visited {
    width: usize,
    markings: Vec<u32>,
    known: HashSet<Box<[u32]>>,
}

impl Visited {
    pub(super) fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }

    pub(super) fn add(&mut self, marking: &[u32]) {
        debug_assert_eq!(marking.len(), self.width, "all markings have the same places");
        if self.known.insert(marking.into()) {
            self.markings.extend_from_slice(marking);
        }
    }

    pub(super) fn extend(&mut self, other: &Visited) {
        other.markings.chunks_exact(self.width.max(1)).for_each(|marking| self.add(marking));
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    pub(super) fn listed(&self) -> Vectors {
        Vectors { width: self.width, numbers: self.markings.clone() }
    }
}

impl Replay {
    /// Returns `None` if the system has no markings, or if numbers are too large.
    pub(super) fn new(problem: &Problem) -> Option<Self> {
        let (net, shared) = match problem.system().as_marked()? {
            Marked::Net(net) => (Arc::clone(net), 0),
            Marked::Threads(threads) => (Arc::new(nets::reduce::first_choices(threads)), threads.shared()),
        };
        let least = |place: &model::Place| place.initial.at_least.to_u32();
        let initial = net.places().iter().map(least).collect::<Option<Vec<u32>>>()?;
        let is_single = net.open_places().is_empty();
        Some(Self { net, shared, initial, is_single })
    }

    pub(super) fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Returns true if there is one initial marking.
    pub(super) fn is_single(&self) -> bool {
        self.is_single
    }

    /// Returns a run with a last part that can be repeated for ever, with a greater sum after each pass, if the
    /// beginning of this run is one. The kernel says why (`crates/kernel/src/net/runs.rs`, claim 3).
    pub(super) fn pump(&self, trace: &Trace, sum: &Sum) -> Option<Trace> {
        if !self.is_single {
            return None;
        }
        let value = |marking: &[u32]| {
            let of = |(p, factor): &(PlaceId, BigUint)| BigUint::from(marking[p.index()]) * factor;
            sum.iter().map(of).sum::<BigUint>()
        };
        let mut run = Trace::new(trace.start.clone());
        let mut markings = vec![self.initial.clone()];
        // The first marking from which only transitions fire that can be repeated.
        let mut first = 0;
        for step in steps(trace).take(MOST_PUMPED) {
            let (event, choice) = (step.event, step.choice.map(|choice| trace.choice(choice)));
            let marking = self.next(markings.last()?, event, choice)?;
            run.push(event, choice.map(Box::from));
            if choice.is_some() || !self.net.transitions()[event.index()].is_plain() {
                first = markings.len();
            } else {
                let grows =
                    |old: &&Vec<u32>| old.iter().zip(&marking).all(|(a, b)| a <= b) && value(old) < value(&marking);
                if let Some(back) = markings[first..].iter().rev().position(|old| grows(&old)) {
                    run.repeats_from = u64::try_from(markings.len() - 1 - back).ok();
                    return Some(run);
                }
            }
            markings.push(marking);
        }
        None
    }

    /// Returns the marking after a step.
    fn next(&self, marking: &[u32], event: EventId, choice: Option<&[u32]>) -> Option<Vec<u32>> {
        if let Some(choice) = choice {
            let (shared, threads) = choice.split_first()?;
            let shared = (0..self.shared).map(|place| u32::from(place == *shared));
            return Some(shared.chain(threads.iter().copied()).collect());
        }
        let mut next = marking.to_vec();
        for effect in &self.net.transitions().get(event.index())?.effects {
            let sources = effect.sources.iter().map(|p| i128::from(marking[p.index()])).sum::<i128>();
            next[effect.place.index()] = u32::try_from(sources.checked_add(effect.add.to_i128()?)?).ok()?;
        }
        Some(next)
    }

    /// Returns the markings that a run visits. `None` if it is too long, if a number is too large, or if runs begin in
    /// different markings.
    pub(super) fn visited(&self, trace: &Trace) -> Option<Visited> {
        if !self.is_single || trace.len().is_none_or(|length| length > LONGEST) {
            return None;
        }
        let mut visited = Visited::new(self.initial.len());
        let mut marking = self.initial.clone();
        visited.add(&marking);
        for step in steps(trace) {
            marking = self.next(&marking, step.event, step.choice.map(|choice| trace.choice(choice)))?;
            visited.add(&marking);
        }
        Some(visited)
    }
}

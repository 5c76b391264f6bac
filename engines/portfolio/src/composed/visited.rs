//! Replays runs of a net or thread-transition system, to list the markings that they visit.

use model::{Marked, Net, Problem, Trace, Vectors};
use num_traits::ToPrimitive;
use std::collections::HashSet;
use std::sync::Arc;

/// The longest run of which markings are listed.
const LONGEST: u64 = 20_000;

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
            Marked::Threads(threads) => (Arc::new(reduce::first_choices(threads)), threads.shared()),
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

    /// Returns the markings that a run visits. `None` if it is too long, if a number is too large, or if runs begin in
    /// different markings.
    pub(super) fn visited(&self, trace: &Trace) -> Option<Visited> {
        if !self.is_single || trace.len().is_none_or(|length| length > LONGEST) {
            return None;
        }
        let mut visited = Visited::new(self.initial.len());
        let mut marking = self.initial.clone();
        visited.add(&marking);
        let mut next: Vec<(usize, u32)> = Vec::new();
        for run in trace.runs() {
            for step in (0..run.times).flat_map(|_| &run.word) {
                if let Some(choice) = step.choice {
                    let (shared, threads) = trace.choice(choice).split_first()?;
                    marking.clear();
                    marking.extend((0..self.shared).map(|place| u32::from(place == *shared)));
                    marking.extend_from_slice(threads);
                    visited.add(&marking);
                    continue;
                }
                let transition = self.net.transitions().get(step.event.index())?;
                next.clear();
                for effect in &transition.effects {
                    let sources = effect.sources.iter().map(|p| i128::from(marking[p.index()])).sum::<i128>();
                    let tokens = sources.checked_add(effect.add.to_i128()?)?;
                    next.push((effect.place.index(), u32::try_from(tokens).ok()?));
                }
                next.iter().for_each(|(place, tokens)| marking[*place] = *tokens);
                visited.add(&marking);
            }
        }
        Some(visited)
    }
}

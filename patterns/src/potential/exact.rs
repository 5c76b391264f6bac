//! Checks potentials by the exact rule ([`model::Unreachable::Potential`]), in integers.

use super::firing::{Case, Firings, Moves, Omitted, Place};
use model::{LocalId, ThreadId};

/// The weights of a potential, with the numbers that the rule needs.
struct WeightTable {
    /// For each thread and state: its weight.
    weights: Vec<Vec<i64>>,
    /// For each thread: the least weight of a locally reachable state.
    least: Vec<i128>,
    sum_of_least: i128,
    start: i128,
}

impl WeightTable {
    fn of(place: Place, weights: &[Vec<i64>]) -> i128 {
        i128::from(weights[place.thread.index()][place.state.index()])
    }

    /// Returns true if the sum exceeds `start` in every composite state that contains the local states at
    /// `places`. The places belong to different threads.
    fn too_large(&self, places: &[Place]) -> bool {
        let more: i128 = places.iter().map(|&p| Self::of(p, &self.weights) - self.least[p.thread.index()]).sum();
        self.sum_of_least + more > self.start
    }
}

/// Potentials that satisfy the rule together.
pub(super) struct Potentials<'f> {
    firings: &'f Firings,
    all: Vec<WeightTable>,
    omit: Option<Omitted>,
}

impl<'f> Potentials<'f> {
    pub(super) fn none(firings: &'f Firings, omit: Option<Omitted>) -> Self {
        Self { firings, all: Vec::new(), omit }
    }

    pub(super) fn into_weights(self) -> Vec<Vec<Vec<i64>>> {
        self.all.into_iter().map(|known| known.weights).collect()
    }

    /// Returns true if the potentials exclude a local state.
    pub(super) fn exclude(&self, place: Place) -> bool {
        self.all.iter().any(|known| known.too_large(&[place]))
    }

    /// Returns true if the potentials show that two threads are never in these local states at once.
    pub(super) fn apart(&self, a: Place, b: Place) -> bool {
        self.all.iter().any(|known| known.too_large(&[a, b]))
    }

    /// Adds a potential if `useful` returns true with it and the rule holds for all potentials. Returns true if
    /// it was added.
    pub(super) fn add_if(&mut self, weights: Vec<Vec<i64>>, useful: impl Fn(&Self) -> bool) -> bool {
        self.all.push(self.known(weights));
        let added = useful(self) && self.hold();
        if !added {
            self.all.pop();
        }
        added
    }

    /// Drops potentials that are not needed to exclude `places`.
    pub(super) fn drop_idle(&mut self, places: &[Place]) {
        for i in (0..self.all.len()).rev() {
            let dropped = self.all.remove(i);
            if !places.iter().all(|&place| self.exclude(place)) || !self.hold() {
                self.all.insert(i, dropped);
            }
        }
    }

    fn known(&self, weights: Vec<Vec<i64>>) -> WeightTable {
        let least = |(row, reachable): (&Vec<i64>, &Vec<bool>)| {
            let of_reachable = row.iter().zip(reachable).filter(|(_, reached)| **reached).map(|(w, _)| i128::from(*w));
            of_reachable.min().unwrap_or(0)
        };
        let mut least: Vec<i128> = weights.iter().zip(&self.firings.reachable).map(least).collect();
        if self.omit == Some(Omitted::LeastWeights) {
            least.fill(0);
        }
        let largest = |(row, initial): (&Vec<i64>, &Vec<LocalId>)| {
            initial.iter().map(|s| i128::from(row[s.index()])).max().unwrap_or(0)
        };
        let start = weights.iter().zip(&self.firings.initial).map(largest).sum();
        WeightTable { sum_of_least: least.iter().sum(), least, weights, start }
    }

    /// Returns true if no event increases a potential.
    fn hold(&self) -> bool {
        self.firings.cases.iter().all(|case| {
            let Some(growth) = self.growth(case) else { return true };
            growth.into_iter().all(|most| most <= 0)
        })
    }

    /// Returns the possible moves of the other threads in a case, for each thread. A move is possible if it
    /// starts from a state that may occur together with the request, and together with some state of each other
    /// thread. Returns `None` if a thread has no possible move, since the event does not fire then.
    pub(super) fn possible(&self, case: &Case) -> Option<Vec<(ThreadId, Moves)>> {
        let near = |place: Place| !self.apart(place, case.requester);
        let possible = |&(thread, number): &(ThreadId, usize)| {
            let moves = self.firings.moves(thread, number).iter().copied();
            let moves: Moves = moves.filter(|(state, _)| near(Place { thread, state: *state })).collect();
            (!moves.is_empty()).then_some((thread, moves))
        };
        let beside: Vec<(ThreadId, Moves)> = case.others.iter().map(possible).collect::<Option<_>>()?;
        let stands = |place: Place| {
            let others = beside.iter().filter(|(thread, _)| *thread != place.thread);
            others
                .map(|(thread, moves)| (*thread, moves))
                .all(|(thread, moves)| moves.iter().any(|&(state, _)| !self.apart(place, Place { thread, state })))
        };
        let standing = |(thread, moves): &(ThreadId, Moves)| {
            let moves = moves.iter().copied();
            let moves: Moves = moves.filter(|(state, _)| stands(Place { thread: *thread, state: *state })).collect();
            (!moves.is_empty()).then_some((*thread, moves))
        };
        if self.all.is_empty() { Some(beside) } else { beside.iter().map(standing).collect() }
    }

    /// Returns how much each potential may grow in this case. Returns `None` if the event does not fire in it.
    fn growth(&self, case: &Case) -> Option<Vec<i128>> {
        let own = |known: &WeightTable| {
            let row = &known.weights[case.requester.thread.index()];
            let here = i128::from(row[case.requester.state.index()]);
            case.targets.iter().map(|t| i128::from(row[t.index()]) - here).max()
        };
        let mut growth: Vec<i128> = self.all.iter().map(own).collect::<Option<_>>()?;
        for (thread, moves) in self.possible(case)? {
            for (sum, known) in growth.iter_mut().zip(&self.all) {
                let row = &known.weights[thread.index()];
                let gains = moves.iter().map(|(s, t)| i128::from(row[t.index()]) - i128::from(row[s.index()]));
                *sum += gains.max()?;
            }
        }
        Some(growth)
    }
}

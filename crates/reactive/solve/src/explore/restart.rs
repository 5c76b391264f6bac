//! `explicit.restart`: repeated depth-first searches from the initial state, with limits on time and depth.
//!
//! Errors are often beyond the reach of a breadth-first search and still not deep. A depth-first search that
//! has missed them continues far below, so it is better to start again with other orders. (Van de Pol, Ruys and
//! te Brinke 2014, section 3.2, do this by hand, with depths from 30 to 80 and ten seconds each.) Here the
//! limits change automatically: each *cycle* tries all depths, with twice the work of the cycle before. So
//! every error is within the limits of some cycle, and a bad choice of limits costs only a factor.
//!
//! A round that met no limit has visited all states.

use super::expand::Expander;
use super::random::Random;
use super::stack::Stack;
use super::technique::{ErrorRun, Technique};
use model::ids::ErrorId;
use search::Pause;
use search::valuations::States;

/// Limits of depth in the first cycle. Each later cycle adds one at the end. Deep searches miss many errors
/// that are near, so the first limits are small. (In problem 13 of the RERS challenge 2012, limits from 20 up
/// found 16 of 25 labels, all of which have runs of at most five calls.)
const DEPTHS: [u32; 5] = [5, 10, 20, 40, 80];

const LAST: usize = DEPTHS.len() - 1;

/// Work of a round in the first cycle: about a hundredth of a second.
const FIRST_ROUND: u64 = 10_000;

#[derive(Debug)]
pub(super) struct Restart {
    stack: Stack,
    /// The current round.
    round: Round,
    /// The expander's work at which the round ends.
    end: u64,
}

/// The number of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Round {
    /// Number of the cycle, from 0.
    cycle: usize,
    /// Number of the limit in the cycle, from 0.
    place: usize,
}

impl Round {
    const FIRST: Self = Self { cycle: 0, place: 0 };

    fn next(self) -> Self {
        if self.place < LAST.saturating_add(self.cycle) {
            Self { place: self.place + 1, ..self }
        } else {
            Self { cycle: self.cycle.saturating_add(1), place: 0 }
        }
    }

    /// Returns the limit of depth. Beyond [`DEPTHS`], each limit is twice the one before.
    fn limit(self) -> u32 {
        match self.place.checked_sub(LAST) {
            None => DEPTHS[self.place],
            Some(beyond) => DEPTHS[LAST] << beyond.min(20),
        }
    }

    fn work(self) -> u64 {
        FIRST_ROUND << self.cycle.min(30)
    }
}

impl Restart {
    pub(super) fn new(expander: &Expander, seed: u64) -> Self {
        let round = Round::FIRST;
        let stack = Stack::new(expander, round.limit(), Random(seed));
        Self { stack, round, end: expander.work() + round.work() }
    }

    fn begin(&mut self, expander: &Expander, round: Round) {
        self.round = round;
        self.stack.start_over(expander, round.limit());
        self.end = expander.work().saturating_add(round.work());
    }

    /// Extends the round by `work`, which the expander did for another search.
    pub(super) fn waited(&mut self, work: u64) {
        self.end = self.end.saturating_add(work);
    }
}

impl Technique for Restart {
    fn advance(&mut self, expander: &mut Expander, work: u64, wanted: &dyn Fn(ErrorId) -> bool) -> Pause<ErrorRun> {
        let all = expander.work().saturating_add(work);
        loop {
            let now = expander.work();
            if now >= all {
                return Pause::Turn;
            }
            match self.stack.advance(expander, (all - now).min(self.end.saturating_sub(now)), wanted) {
                pause @ Pause::Hit(_) => return pause,
                Pause::Exhausted if !self.stack.is_cut() => return Pause::Exhausted,
                Pause::Turn if expander.work() < self.end => return Pause::Turn,
                Pause::Turn | Pause::Exhausted | Pause::Stuck(_) | Pause::Dear => {
                    self.begin(expander, self.round.next());
                }
            }
        }
    }

    fn start_over(&mut self, expander: &Expander) {
        self.begin(expander, self.round.next());
    }

    fn states(&self) -> &States {
        self.stack.states()
    }

    fn growth_bytes(&self) -> usize {
        self.stack.growth_bytes()
    }

    fn into_states(self: Box<Self>) -> States {
        self.stack.into_states()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_grow_in_work_and_depth() {
        let mut round = Round::FIRST;
        let mut cycles: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in 0..18 {
            if cycles.len() == round.cycle {
                cycles.push(Vec::new());
            }
            cycles[round.cycle].push(round.limit());
            round = round.next();
        }
        assert_eq!(cycles, [vec![5, 10, 20, 40, 80], vec![5, 10, 20, 40, 80, 160], vec![5, 10, 20, 40, 80, 160, 320],]);
        assert_eq!((Round::FIRST.work(), round.work()), (FIRST_ROUND, 8 * FIRST_ROUND));
        let late = Round { cycle: usize::MAX, place: usize::MAX };
        assert_eq!((late.limit(), late.next().limit()), (80 << 20, 5));
    }
}

//! `explicit.restart`: depth-first searches one after the other, each from the initial state, short of time and of
//! depth.
//!
//! Errors often lie beyond what a breadth-first search reaches and still not deep, and a depth-first search that has
//! missed them gets lost below: better to begin again, with other orders (van de Pol, Ruys and te Brinke 2014,
//! section 3.2, by hand: depths from 30 to 80, ten seconds each). Here the limits go round by themselves: each
//! *cycle* tries all depths, with twice the work of the cycle before. So no error is out of reach for ever, and what
//! a wrong choice costs is a factor.
//!
//! A round that met no limit has seen everything.

use super::expand::Expander;
use super::random::Random;
use super::stack::Stack;
use super::strategy::{Found, Technique};
use model::ids::ErrorId;
use store::reactive::States;
use store::search::Pause;

/// Limits of depth in the first cycle; each later cycle adds one after the last. Deep searches pass by a lot that is
/// near, so the first ones are small (of 2012's problem 13, limits from 20 up found 16 of 25 labels, all of which
/// have runs of at most five calls).
const DEPTHS: [u32; 5] = [5, 10, 20, 40, 80];

const LAST: usize = DEPTHS.len() - 1;

/// Work of a round in the first cycle: about a hundredth of a second.
const FIRST_ROUND: u64 = 10_000;

#[derive(Debug)]
pub(super) struct Restart {
    stack: Stack,
    /// The round under way.
    round: Round,
    /// When it ends, as the expander counts.
    end: u64,
}

/// Which round it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Round {
    /// From 0.
    cycle: usize,
    /// From 0; its limit.
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

    /// Beyond the given limits, each is twice the one before.
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

    /// The expander was used elsewhere for so much work: the round ends so much later.
    pub(super) fn waited(&mut self, work: u64) {
        self.end = self.end.saturating_add(work);
    }
}

impl Technique for Restart {
    fn advance(&mut self, expander: &mut Expander, work: u64, wanted: &dyn Fn(ErrorId) -> bool) -> Pause<Found> {
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

//! Potentials: weights of local states whose sums never grow, and what is too heavy to be part of a visited state.
//!
//! By induction the weights of every composite state that a run visits sum up to at most `start`, for all of the potentials at
//! once. Initial states: to at most the sum of the largest weights. A step: where all sums are at most `start`, no two local
//! states are apart, because the other threads weigh at least the sum of their least weights. The event is requested by a
//! thread r in a locally reachable state q that is not bad; every other thread is in a locally reachable state that does not
//! block the event and is not apart from (r, q), and goes to one of its targets. So the sum changes by at most the sum of the
//! largest differences, which is not positive. In a composite state with (i, s) the other threads weigh at least the sum of
//! their least weights. Sums are exact: fewer than 2^32 threads, 64-bit weights, 128-bit sums.

use crate::threads::Threads;
use crate::work::Work;
use crate::{Check, reject};
use model::{LocalId, Potential, ThreadId};

/// Accepts `excluded` if the potentials keep runs away from these states.
pub(crate) fn check(
    potentials: &[Potential],
    excluded: &[(ThreadId, LocalId)],
    threads: &Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let weights: Vec<Weights<'_>> = potentials.iter().map(|p| Weights::new(p, threads, work)).collect::<Check<_>>()?;
    let all = All { threads, weights };
    for event in 0..threads.stepper.events() as u32 {
        for thread in 0..threads.views.len() {
            work.spend(1)?;
            if threads.views[thread].may_request(event) {
                all.never_grow(event, thread, work)?;
            }
        }
    }
    for &(thread, state) in excluded {
        work.spend(1 + all.weights.len() as u64)?;
        let is_too_heavy =
            |w: &Weights<'_>| w.of(thread.index(), state.0) + w.floor - w.least[thread.index()] > w.start;
        if !all.weights.iter().any(is_too_heavy) {
            return reject(format!("the potentials allow state {} of thread {}", state.0, thread.0));
        }
    }
    Ok(())
}

/// One potential.
struct Weights<'a> {
    weights: &'a [Vec<i64>],
    start: i128,
    /// By thread: the least weight of a locally reachable state; and their sum.
    least: Vec<i128>,
    floor: i128,
}

impl<'a> Weights<'a> {
    fn new(potential: &'a Potential, threads: &Threads<'_>, work: &mut Work<'_>) -> Check<Self> {
        let stepper = threads.stepper;
        let weights = potential.weights.as_slice();
        if weights.len() != stepper.width() || (0..weights.len()).any(|t| weights[t].len() != stepper.size(t)) {
            return reject("a potential has a weight for every local state of every thread");
        }
        let of = |thread: usize, s: &u32| i128::from(weights[thread][*s as usize]);
        let (mut start, mut least) = (0, Vec::with_capacity(weights.len()));
        for thread in 0..weights.len() {
            let reachable = &threads.views[thread].reachable;
            work.spend(1 + reachable.len() as u64)?;
            start += stepper.initial(thread).iter().map(|s| of(thread, s)).max().unwrap_or(0);
            least.push(reachable.iter().map(|s| of(thread, s)).min().unwrap_or(0));
        }
        let floor = least.iter().sum();
        Ok(Self { weights, start, least, floor })
    }

    fn of(&self, thread: usize, state: u32) -> i128 {
        i128::from(self.weights[thread][state as usize])
    }

    fn forbids(&self, (i, s): (usize, u32), (j, t): (usize, u32)) -> bool {
        self.of(i, s) + self.of(j, t) + self.floor - self.least[i] - self.least[j] > self.start
    }
}

struct All<'a> {
    threads: &'a Threads<'a>,
    weights: Vec<Weights<'a>>,
}

impl All<'_> {
    /// No potential grows by `event` where thread `r` requests it.
    fn never_grow(&self, event: u32, r: usize, work: &mut Work<'_>) -> Check<()> {
        let stepper = self.threads.stepper;
        for &q in &self.threads.views[r].reachable {
            work.spend(1)?;
            if !stepper.requests(r, q, event) || stepper.blocks(r, q, event) || stepper.is_bad(r, q) {
                continue;
            }
            let Some(growth) = self.growth(event, (r, q), work)? else { continue };
            if growth.iter().any(|&growth| growth > 0) {
                return reject(format!(
                    "event {event} may make a potential grow, requested in state {q} of thread {r}"
                ));
            }
        }
        Ok(())
    }

    /// By how much `event` may raise each potential, requested in (r, q); `None` if it never fires then.
    fn growth(&self, event: u32, (r, q): (usize, u32), work: &mut Work<'_>) -> Check<Option<Vec<i128>>> {
        let stepper = self.threads.stepper;
        let mut growth = vec![0; self.weights.len()];
        for i in 0..self.threads.views.len() {
            let mut most: Option<Vec<i128>> = None;
            let asked = [q];
            let states = if i == r { &asked[..] } else { &self.threads.views[i].reachable };
            for &s in states {
                work.spend(1 + self.weights.len() as u64)?;
                if stepper.blocks(i, s, event) || i != r && self.weights.iter().any(|w| w.forbids((r, q), (i, s))) {
                    continue;
                }
                for &to in stepper.targets(i, s, event) {
                    work.spend(self.weights.len() as u64)?;
                    let difference = self.weights.iter().map(|w| w.of(i, to) - w.of(i, s));
                    most = Some(match most {
                        None => difference.collect(),
                        Some(most) => most.into_iter().zip(difference).map(|(a, b)| a.max(b)).collect(),
                    });
                }
            }
            let Some(most) = most else { return Ok(None) };
            growth.iter_mut().zip(most).for_each(|(sum, most)| *sum += most);
        }
        Ok(Some(growth))
    }
}

//! Potentials: weights of local states whose sum never grows, and what is too heavy to be part of a visited state.
//!
//! By induction the weights of every composite state that a run visits sum up to at most `start`. Initial states: to at most
//! the sum of the largest weights. A step: the event is requested by a thread in a locally reachable state, each thread is
//! in a locally reachable state that does not block it and goes to one of its targets, so the sum changes by at most the
//! sum of the largest differences, which is not positive. In a composite state with (i, s) the other threads weigh at least
//! the sum of their smallest weights. Sums are exact: fewer than 2^32 threads, 64-bit weights, 128-bit sums.

use crate::threads::Threads;
use crate::work::Work;
use crate::{Check, reject};
use model::{LocalId, Potential, ThreadId};

/// Accepts `excluded` if the potential keeps runs away from these states.
pub(crate) fn check(
    potential: &Potential,
    excluded: &[(ThreadId, LocalId)],
    threads: &Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let weights = Weights::new(potential, threads, work)?;
    for event in 0..threads.stepper.events() as u32 {
        work.spend(1)?;
        if threads.requested_outside(&[], event) && weights.growth(event, work)?.is_some_and(|growth| growth > 0) {
            return reject(format!("event {event} may make the potential grow"));
        }
    }
    let start: i128 = weights.extremes(|t| threads.stepper.initial(t), work)?.iter().map(|&(_, most)| most).sum();
    let least = weights.extremes(|t| &threads.views[t].reachable, work)?;
    let floor: i128 = least.iter().map(|&(least, _)| least).sum();
    for &(thread, state) in excluded {
        work.spend(1)?;
        let at_least = weights.of(thread.index(), state.0) + floor - least[thread.index()].0;
        if at_least <= start {
            return reject(format!("the potential allows state {} of thread {}", state.0, thread.0));
        }
    }
    Ok(())
}

struct Weights<'a> {
    threads: &'a Threads<'a>,
    weights: &'a [Vec<i64>],
    /// Per thread the events that it blocks wherever it may be, 64 to a word: they never fire.
    shut: Vec<u64>,
}

impl<'a> Weights<'a> {
    fn new(potential: &'a Potential, threads: &'a Threads<'a>, work: &mut Work<'_>) -> Check<Self> {
        let stepper = threads.stepper;
        let weights = potential.weights.as_slice();
        if weights.len() != stepper.width() || (0..weights.len()).any(|t| weights[t].len() != stepper.size(t)) {
            return reject("a potential has a weight for every local state of every thread");
        }
        let mut shut = vec![0; stepper.words()];
        for (thread, view) in threads.views.iter().enumerate() {
            let mut always = vec![u64::MAX; stepper.words()];
            for &state in &view.reachable {
                work.spend(1 + stepper.words() as u64)?;
                always.iter_mut().zip(stepper.block_words(thread, state)).for_each(|(a, b)| *a &= b);
            }
            shut.iter_mut().zip(&always).for_each(|(shut, always)| *shut |= always);
        }
        Ok(Self { threads, weights, shut })
    }

    fn of(&self, thread: usize, state: u32) -> i128 {
        i128::from(self.weights[thread][state as usize])
    }

    /// By how much `event` may raise the sum; `None` if it never fires. A thread that it does not move from any state
    /// contributes nothing: there is a state that does not block it, with itself as the target.
    fn growth(&self, event: u32, work: &mut Work<'_>) -> Check<Option<i128>> {
        let stepper = self.threads.stepper;
        if crate::stepper::bit(&self.shut, event) {
            return Ok(None);
        }
        let mut growth = 0;
        for thread in stepper.movers(event).iter().map(|&thread| thread as usize) {
            let mut most: Option<i128> = None;
            for &from in self.threads.views[thread].reachable.iter().filter(|&&s| !stepper.blocks(thread, s, event)) {
                let targets = stepper.targets(thread, from, event);
                work.spend(1 + targets.len() as u64)?;
                most = most.max(targets.iter().map(|&to| self.of(thread, to) - self.of(thread, from)).max());
            }
            growth += most.unwrap_or(0);
        }
        Ok(Some(growth))
    }

    /// Per thread the smallest and the largest weight of these states.
    fn extremes<'s>(&self, states: impl Fn(usize) -> &'s [u32], work: &mut Work<'_>) -> Check<Vec<(i128, i128)>> {
        let mut extremes = Vec::with_capacity(self.weights.len());
        for thread in 0..self.weights.len() {
            let all = || states(thread).iter().map(|&s| self.of(thread, s));
            work.spend(1 + states(thread).len() as u64)?;
            let (Some(least), Some(most)) = (all().min(), all().max()) else {
                return reject("a thread without states");
            };
            extremes.push((least, most));
        }
        Ok(extremes)
    }
}

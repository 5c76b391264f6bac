//! Potentials: weights of local states. For a potential, the sum of the weights over all threads never grows. So a
//! local state that is too heavy for this sum is never visited.
//!
//! [`model::Unreachable::Potential`] defines the terms `start`, *apart*, *case* and *takes part*.
//! 1. For all potentials, the weights of every composite state that a run visits sum up to at most `start`. Proof: by
//!    induction over the run, for all potentials at once.
//!    * Initial states: the sum is at most the sum of the largest weights of initial states, which is `start`.
//!    * A step: its event is requested by a thread r in a locally reachable state q that does not block it. In the
//!      composite state before the step all potentials are at most their `start`. So no two of its local states are
//!      apart, because the other threads weigh at least their least weights. So each thread is in a state that takes
//!      part in the case of r and q, and goes to one of the state's targets. So each sum changes by at most the sum of
//!      the largest differences, which is not positive.
//! 2. No run visits an excluded state (i, s). Proof: in a composite state with (i, s) the other threads weigh at least
//!    the sum of their smallest weights. For one potential the whole sum then exceeds `start`, which contradicts 1.
//!
//! Whether a place takes part depends on all places of the other threads. So each case is first checked as if all
//! states took part (*plain* sums). The largest differences of the threads are then those of the event and not of the
//! case. This takes time linear in the moves, and suffices for many potentials. (A maximum over more states is not
//! smaller, so a case that passes this check fulfils the condition.)
//!
//! Sums are exact: fewer than 2^32 threads, 64-bit weights, 128-bit sums.

use crate::threads::Threads;
use crate::{Check, reject};
use kernel::Work;
use model::{LocalId, Potential, ThreadId};

/// A thread and one of its local states.
type Place = (usize, u32);

/// Accepts `excluded` if the potentials show that no run visits these states.
pub(crate) fn check(
    potentials: &[Potential],
    excluded: &[(ThreadId, LocalId)],
    threads: &Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    let sums = potentials.iter().map(|p| Sum::new(p, threads, work)).collect::<Check<Vec<_>>>()?;
    let rule = Rule { threads, sums };
    for event in 0..threads.stepper.events() as u32 {
        rule.check_event(event, work)?;
    }
    for &(thread, state) in excluded {
        work.spend(1 + rule.sums.len() as u64)?;
        let place = (thread.index(), state.0);
        if !rule.sums.iter().any(|sum| sum.too_large(&[place])) {
            return reject(format!("the potential allows state {} of thread {}", state.0, thread.0));
        }
    }
    Ok(())
}

/// The weights of a potential, with derived numbers that the checks use repeatedly.
struct Sum<'a> {
    weights: &'a [Vec<i64>],
    /// For each thread: the smallest weight of its locally reachable states.
    least: Vec<i128>,
    /// The sum of `least`.
    floor: i128,
    start: i128,
}

impl<'a> Sum<'a> {
    fn new(potential: &'a Potential, threads: &Threads<'_>, work: &mut Work<'_>) -> Check<Self> {
        let (weights, stepper) = (potential.weights.as_slice(), threads.stepper);
        if weights.len() != stepper.width() || (0..weights.len()).any(|t| weights[t].len() != stepper.size(t)) {
            return reject("a potential has a weight for every local state of every thread");
        }
        let mut sum = Self { weights, least: Vec::with_capacity(weights.len()), floor: 0, start: 0 };
        for (thread, view) in threads.views.iter().enumerate() {
            work.spend(1 + view.reachable.len() as u64)?;
            let least = view.reachable.iter().map(|&s| sum.of((thread, s))).min();
            let most = stepper.initial(thread).iter().map(|&s| sum.of((thread, s))).max();
            let (Some(least), Some(most)) = (least, most) else { return reject("a thread has no states") };
            sum.least.push(least);
            sum.floor += least;
            sum.start += most;
        }
        Ok(sum)
    }

    fn of(&self, (thread, state): Place) -> i128 {
        i128::from(self.weights[thread][state as usize])
    }

    /// True if the sum exceeds `start` in every composite state with these local states, which are of different
    /// threads.
    fn too_large(&self, places: &[Place]) -> bool {
        let above: i128 = places.iter().map(|&place| self.of(place) - self.least[place.0]).sum();
        self.floor + above > self.start
    }
}

/// What threads add to the sums when an event fires, whatever their states are.
struct Plain {
    /// The concerned threads, ascending, with the largest differences for each potential. `None` if every reachable
    /// state blocks the event.
    gains: Vec<(usize, Option<Vec<i128>>)>,
    /// The sums of the largest differences.
    total: Vec<i128>,
    /// The number of threads that always block the event.
    shut: usize,
}

struct Rule<'a> {
    threads: &'a Threads<'a>,
    sums: Vec<Sum<'a>>,
}

impl Rule<'_> {
    /// Checks that no sum grows when `event` fires.
    fn check_event(&self, event: u32, work: &mut Work<'_>) -> Check<()> {
        let (stepper, views) = (self.threads.stepper, &self.threads.views);
        work.spend(1)?;
        if !self.threads.requested_outside(&[], event) {
            return Ok(());
        }
        let movers = stepper.movers(event).iter().map(|&thread| thread as usize);
        let mut concerned: Vec<usize> = self.threads.blockers(event).chain(movers).collect();
        concerned.sort_unstable();
        concerned.dedup();
        work.spend(concerned.len() as u64)?;
        let plain = self.plain(event, &concerned, work)?;
        for thread in self.threads.requesters(event) {
            for &state in &views[thread].reachable {
                work.spend(1)?;
                let is_case = stepper.requests(thread, state, event) && !stepper.blocks(thread, state, event);
                if is_case && !self.holds_plainly(event, (thread, state), &plain, work)? {
                    self.check_case(event, (thread, state), &concerned, work)?;
                }
            }
        }
        Ok(())
    }

    /// For each concerned thread: its largest differences over all its reachable states that do not block the event.
    fn plain(&self, event: u32, concerned: &[usize], work: &mut Work<'_>) -> Check<Plain> {
        let mut plain = Plain { gains: Vec::with_capacity(concerned.len()), total: vec![0; self.sums.len()], shut: 0 };
        for &thread in concerned {
            let reachable = &self.threads.views[thread].reachable;
            work.spend(reachable.len() as u64)?;
            let open = reachable.iter().filter(|&&s| !self.threads.stepper.blocks(thread, s, event));
            let places: Vec<Place> = open.map(|&s| (thread, s)).collect();
            let gains = self.gains(event, &places, work)?;
            match &gains {
                Some(gains) => plain.total.iter_mut().zip(gains).for_each(|(total, by)| *total += by),
                None => plain.shut += 1,
            }
            plain.gains.push((thread, gains));
        }
        Ok(plain)
    }

    /// True if no sum grows in this case even if all states of the other threads take part.
    fn holds_plainly(&self, event: u32, requester: Place, plain: &Plain, work: &mut Work<'_>) -> Check<bool> {
        work.spend(1 + self.sums.len() as u64)?;
        let own = plain.gains.binary_search_by_key(&requester.0, |(thread, _)| *thread).ok();
        let (others, shut) = match own.map(|at| &plain.gains[at].1) {
            Some(Some(gains)) => (plain.total.iter().zip(gains).map(|(total, by)| total - by).collect(), plain.shut),
            Some(None) => (plain.total.clone(), plain.shut - 1),
            None => (plain.total.clone(), plain.shut),
        };
        let Some(gains) = self.gains(event, &[requester], work)?.filter(|_| shut == 0) else { return Ok(true) };
        Ok(others.iter().zip(&gains).all(|(others, own): (&i128, &i128)| others + own <= 0))
    }

    /// Checks that no sum grows when `event` fires because `requester` requests it. The other threads may be in
    /// any states that are not apart. Threads that are not in `concerned` keep their states.
    fn check_case(&self, event: u32, requester: Place, concerned: &[usize], work: &mut Work<'_>) -> Check<()> {
        let others: Vec<usize> = concerned.iter().copied().filter(|&thread| thread != requester.0).collect();
        let mut beside: Vec<Vec<Place>> = Vec::with_capacity(others.len());
        for &thread in &others {
            let reachable = &self.threads.views[thread].reachable;
            work.spend((reachable.len() * (1 + self.sums.len())) as u64)?;
            let open = reachable.iter().filter(|&&s| !self.threads.stepper.blocks(thread, s, event));
            beside.push(open.map(|&s| (thread, s)).filter(|&place| !self.apart(place, requester)).collect());
        }
        let mut growth = self.gains(event, &[requester], work)?;
        for (i, places) in beside.iter().enumerate() {
            let mut part = Vec::new();
            for &place in places {
                if self.takes_part(place, i, &beside, work)? {
                    part.push(place);
                }
            }
            let gains = self.gains(event, &part, work)?;
            growth = growth.zip(gains).map(|(sums, gains)| sums.iter().zip(&gains).map(|(a, b)| a + b).collect());
        }
        match growth.is_some_and(|growth| growth.iter().any(|&by| by > 0)) {
            true => reject(format!("event {event} may make a potential grow, requested by thread {}", requester.0)),
            false => Ok(()),
        }
    }

    /// True if every other thread in `beside` has a state that is not apart from `place`. `own` is the index of
    /// the thread of `place`.
    fn takes_part(&self, place: Place, own: usize, beside: &[Vec<Place>], work: &mut Work<'_>) -> Check<bool> {
        for (_, places) in beside.iter().enumerate().filter(|(i, _)| *i != own) {
            work.spend(1 + (places.len() * self.sums.len()) as u64)?;
            if !places.iter().any(|&other| !self.apart(place, other)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn apart(&self, a: Place, b: Place) -> bool {
        self.sums.iter().any(|sum| sum.too_large(&[a, b]))
    }

    /// For each potential: the largest difference that `event` makes from one of `places`, which are of one
    /// thread. `None` if `places` is empty.
    fn gains(&self, event: u32, places: &[Place], work: &mut Work<'_>) -> Check<Option<Vec<i128>>> {
        let mut gains: Option<Vec<i128>> = None;
        for &(thread, state) in places {
            for &to in self.threads.stepper.targets(thread, state, event) {
                work.spend(1 + self.sums.len() as u64)?;
                let by = self.sums.iter().map(|sum| sum.of((thread, to)) - sum.of((thread, state)));
                gains = Some(match gains {
                    None => by.collect(),
                    Some(most) => most.into_iter().zip(by).map(|(a, b)| a.max(b)).collect(),
                });
            }
        }
        Ok(gains)
    }
}

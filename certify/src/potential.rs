//! Potentials: weights of local states whose sums never grow, and what is too heavy to be part of a visited state.
//!
//! By induction the weights of every composite state that a run visits sum up to at most `start`, for all potentials at
//! once. Initial states: to at most the sum of the largest weights. A step: the event is requested by a thread r in a locally
//! reachable state q that does not block it. Any two local states of a composite state in which all potentials are at most
//! their `start` are not apart: the others weigh at least their least. So each thread is in a state that takes part in the
//! case of r and q, goes to one of its targets, and each sum changes by at most the sum of the largest differences, which
//! is not positive. In a composite state with (i, s) the other threads weigh at least the sum of their smallest weights.
//! Sums are exact: fewer than 2^32 threads, 64-bit weights, 128-bit sums.

use crate::threads::Threads;
use crate::{Check, reject};
use kernel::Work;
use model::{LocalId, Potential, ThreadId};

/// A thread and a state of it.
type Place = (usize, u32);

/// Accepts `excluded` if the potentials keep runs away from these states.
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

/// The weights of a potential, and what is asked of them again and again.
struct Sum<'a> {
    weights: &'a [Vec<i64>],
    /// Per thread the least weight of a locally reachable state.
    least: Vec<i128>,
    /// The sum of these.
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
            let (Some(least), Some(most)) = (least, most) else { return reject("a thread without states") };
            sum.least.push(least);
            sum.floor += least;
            sum.start += most;
        }
        Ok(sum)
    }

    fn of(&self, (thread, state): Place) -> i128 {
        i128::from(self.weights[thread][state as usize])
    }

    /// Is the sum beyond its start in every composite state with these local states, of different threads?
    fn too_large(&self, places: &[Place]) -> bool {
        let above: i128 = places.iter().map(|&place| self.of(place) - self.least[place.0]).sum();
        self.floor + above > self.start
    }
}

struct Rule<'a> {
    threads: &'a Threads<'a>,
    sums: Vec<Sum<'a>>,
}

impl Rule<'_> {
    /// Does no sum grow when `event` fires?
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
        for thread in self.threads.requesters(event) {
            for &state in &views[thread].reachable {
                work.spend(1)?;
                if stepper.requests(thread, state, event) && !stepper.blocks(thread, state, event) {
                    self.check_case(event, (thread, state), &concerned, work)?;
                }
            }
        }
        Ok(())
    }

    /// Does no sum grow when `event` fires because `requester` requests it? The other threads may be anywhere, but not apart;
    /// those that are not concerned stay where they are.
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

    /// Has every thread but the one at `own` a state that is not apart from `place`?
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

    /// Per potential the largest difference that `event` makes from one of these states, of one thread; `None` if there are
    /// none.
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

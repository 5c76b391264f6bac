//! Closed sets of which each process of a cluster lists a share: all processes check at the same time, one part
//! each.
//!
//! The processes are *peers* and have the same code and problem. They send keys to each other, and add up their
//! counts, by an [`Exchange`]. A process that refuses its part keeps taking part in the sums, so that no other one
//! waits for it for ever. The result is the same in all processes.

use super::exchange::Exchange;
use super::{Outbox, Part, Tally, list};
use crate::closed::{Listed, Whole};
use crate::keys::Layout;
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::StateSet;

/// Number of states that are expanded between two looks at what other processes have sent.
const AT_ONCE: usize = 256;

/// The first refusal of this process, if there is one. After it, the process only receives.
#[derive(Default)]
struct Refused(Option<Refusal>);

impl Refused {
    /// Does the next thing, unless something was refused before. Returns `None` after a refusal.
    fn then<T>(&mut self, next: impl FnOnce() -> Check<T>) -> Option<T> {
        match &self.0 {
            Some(_) => None,
            None => next().map_err(|refusal| self.0 = Some(refusal)).ok(),
        }
    }

    /// Returns a refusal if a process has refused its part. All processes call this at the same time.
    fn of_all(&self, exchange: &mut dyn Exchange) -> Check<()> {
        let wrong = u64::from(matches!(self.0, Some(Refusal::Rejected(_))));
        let mut flags = [wrong, u64::from(self.0.is_some())];
        exchange.sum(&mut flags)?;
        match (&self.0, flags) {
            (_, [_, 0]) => Ok(()),
            (Some(refusal), [0, _]) | (Some(refusal @ Refusal::Rejected(_)), _) => Err(refusal.clone()),
            (None, [0, _]) => Err(Refusal::ResourceLimit),
            _ => reject("another process has refused its part of the set"),
        }
    }
}

/// Returns the result if no process has refused, otherwise a refusal. All processes call this at the same time.
///
/// # Errors
/// If a process has a refusal, or a connection fails.
pub fn agreed<T>(result: Check<T>, exchange: &mut dyn Exchange) -> Check<T> {
    let mut refused = Refused::default();
    let value = refused.then(|| result);
    refused.of_all(exchange)?;
    Ok(value.expect("a refusal was returned"))
}

/// Checks that the sets listed by all peers together are closed and contain no state of a goal. The sets are
/// disjoint.
///
/// # Errors
/// If the set is not closed, or contains a state of a goal, or if a resource limit is exceeded, in any process; or if a
/// connection fails.
pub fn check<L: Listed>(
    kind: &mut L,
    listed: &dyn StateSet,
    exchange: &mut dyn Exchange,
    work: &mut Work<'_>,
) -> Check<Whole> {
    let (number, peers) = (exchange.number(), exchange.peers());
    let words = Layout::new(&kind.sizes()).words();
    let mut refused = Refused::default();
    // A table cannot grow, so the keys are counted before they are sent.
    let mut counted = Outbox::of_listed(words, peers);
    refused.then(|| list(kind, listed, &mut counted, &mut |_, _| Ok(()), work));
    let sent = summed(counted.sent(), exchange)?;
    refused.of_all(exchange)?;
    let mut part = agreed(Part::new(kind, number, peers, sent[number].keys, work), exchange)?;
    let mut outbox = Outbox::of_listed(words, peers);
    refused.then(|| list(kind, listed, &mut outbox, &mut |to, keys| exchange.send(to, keys), work));
    exchange.finish(&mut |keys| _ = refused.then(|| part.add(kind, keys, work)))?;
    refused.then(|| part.complete(kind, sent[number], work));
    refused.of_all(exchange)?;
    let mut outbox = Outbox::of_steps(words, peers);
    while refused.then(|| part.expand(kind, AT_ONCE, &mut outbox, &mut |to, keys| exchange.send(to, keys), work))
        == Some(true)
    {
        exchange.receive(&mut |keys| _ = refused.then(|| part.find(kind, keys, work)))?;
    }
    refused.then(|| outbox.flush(&mut |to, keys| exchange.send(to, keys)));
    exchange.finish(&mut |keys| _ = refused.then(|| part.find(kind, keys, work)))?;
    refused.of_all(exchange)?;
    let sent = summed(outbox.sent(), exchange)?;
    refused.then(|| match part.found() == sent[number] {
        true => Ok(()),
        false => reject("steps were lost or changed on their way to another process"),
    });
    refused.of_all(exchange)?;
    let counts = part.counts();
    let mut whole = [counts.states, counts.hash];
    exchange.sum(&mut whole)?;
    Ok(Whole { states: whole[0], hash: whole[1] })
}

/// Returns the sums of the tallies of all peers.
fn summed(tallies: &[Tally], exchange: &mut dyn Exchange) -> Check<Vec<Tally>> {
    let mut numbers: Vec<u64> = tallies.iter().flat_map(|tally| [tally.keys, tally.sum]).collect();
    exchange.sum(&mut numbers)?;
    Ok(numbers.chunks_exact(2).map(|pair| Tally { keys: pair[0], sum: pair[1] }).collect())
}

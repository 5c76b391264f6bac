//! Counts of the reachable markings of a net: by a list of them, or by decision diagrams.
//!
//! A list of all markings is the fastest for small nets, and for nets with large diagrams. Diagrams count nets
//! with too many markings for a list. Nothing shows in advance which of the two ends first, so they take turns, and
//! each turn has a limit many times as large as the one before. Work that is done again is then a small part.

use model::{Counts, Net, NetTask, Reason, Stop};
use std::sync::Arc;

/// Limits of the first turns: listed markings, and operations on diagrams.
const FIRST: (usize, u64) = (1 << 18, 1 << 24);

/// The ratio of limits of successive turns.
const RATIO: usize = 16;

/// Counts the reachable markings of a net.
///
/// # Errors
/// The reason why there are no counts. A net with infinitely many markings ends with the limit of time or memory, or
/// because a number becomes too large.
pub fn counts(net: &Arc<Net>, stop: &Arc<Stop>) -> Result<Counts, Reason> {
    let (mut most, mut work) = FIRST;
    let (mut listing, mut diagrams) = (Ok(None), Ok(None));
    loop {
        if listing.is_ok() {
            let task = NetTask::plain(Arc::clone(net), Vec::new(), Vec::new());
            listing = nets::counts(task, most, &Arc::new(Stop::part_of(stop)));
        }
        if let Ok(Some(counts)) = listing {
            return Ok(counts);
        }
        if diagrams.is_ok() {
            diagrams = nets::diagrams::counts(net, work, &Arc::new(Stop::part_of(stop)));
        }
        if let Ok(Some(counts)) = diagrams {
            return Ok(counts);
        }
        if let Some(reason) = stop.raised() {
            return Err(reason);
        }
        if let (Err(reason), Err(_)) = (&listing, &diagrams) {
            return Err(*reason);
        }
        most = most.saturating_mul(RATIO);
        work = work.saturating_mul(RATIO as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::counts;
    use model::{Net, Range, Reason};
    use std::sync::Arc;
    use testkit::net::{arcs, place};

    #[test]
    fn nets_with_many_markings_are_counted_and_unbounded_ones_are_not() {
        let places = (0..160).map(|p| place(format!("p{p}"), Range::exactly(1 - p % 2u32))).collect();
        let there = (0..80).map(|i| arcs(format!("t{i}"), &[(2 * i, 1)], &[(2 * i + 1, 1)]));
        let counted = counts(&Arc::new(Net::new(places, there.collect()).unwrap()), &Arc::default()).unwrap();
        assert_eq!(counted.markings, num_bigint::BigUint::from(2u8).pow(80));

        // The list overflows, and the initial markings are too many for a diagram.
        let huge = num_bigint::BigUint::from(1u8) << 100;
        let open = place("p", Range { at_least: 0u8.into(), at_most: Some(huge) });
        let net = Net::new(vec![open], Vec::new()).unwrap();
        assert!(matches!(counts(&Arc::new(net), &Arc::default()), Err(Reason::Overflow | Reason::Unsupported)));
    }
}

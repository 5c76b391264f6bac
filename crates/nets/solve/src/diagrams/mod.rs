//! Exact counts of the reachable markings of a net that are too many to list, by multi-valued decision diagrams.
//!
//! ```
//! use impasse_nets::diagrams::counts;
//! use model::{Net, Range};
//! use std::sync::Arc;
//! use testkit::net::{arcs, place};
//!
//! // A hundred tokens go round, each between two places of its own.
//! let places = (0..200).map(|p| place(format!("p{p}"), Range::exactly(1 - p % 2u32))).collect();
//! let there = (0..100).map(|i| arcs(format!("t{i}"), &[(2 * i, 1)], &[(2 * i + 1, 1)]));
//! let back = (0..100).map(|i| arcs(format!("u{i}"), &[(2 * i + 1, 1)], &[(2 * i, 1)]));
//! let net = Net::new(places, there.chain(back).collect()).unwrap();
//!
//! let counts = counts(&Arc::new(net), u64::MAX, &Arc::default()).unwrap().unwrap();
//! assert_eq!(counts.markings, num_bigint::BigUint::from(2u8).pow(100));
//! assert_eq!(counts.arcs, counts.markings * 100u8);
//! ```
//!
//! Places are put into groups ([`groups`]), and groups into orders ([`order`]), which take turns. A group is a level
//! of the diagrams. Its local states and what transitions do to them are found on the way ([`local`], [`steps`]). The
//! set of the reachable markings is computed by [`saturation`] on shared nodes ([`nodes`]), and its paths are counted
//! ([`tally`]).

mod groups;
mod local;
mod nodes;
mod order;
mod saturation;
mod steps;
mod tally;
#[cfg(test)]
mod tests;

use local::Local;
use model::{Counts, Net, Reason, Stop};
use saturation::Saturation;
use std::sync::Arc;
use std::thread;

/// Bytes of the stack for each level, and for all of them together. A level has at most three functions on the stack.
const STACK: (usize, usize) = (4 << 10, 16 << 20);

/// Operations on nodes in the first turn of an order, and the ratio of successive turns.
const TURNS: (u64, u64) = (1 << 19, 8);

/// Counts the reachable markings of a net. `None` if this takes more than `work` operations on nodes. (A million takes
/// about a second.)
///
/// # Errors
/// The reason why there are no counts. A net with infinitely many markings ends with the limit of time or memory, or
/// because a number becomes too large.
pub fn counts(net: &Arc<Net>, work: u64, stop: &Arc<Stop>) -> Result<Option<Counts>, Reason> {
    let groups = groups::groups(net, stop);
    let orders = order::orders(net, &groups);
    let (mut left, mut turn) = (work, TURNS.0);
    loop {
        for order in &orders {
            let ordered = order.iter().map(|g| groups[*g].clone()).collect::<Vec<_>>();
            let found = on_thread(net, &ordered, turn.min(left), stop)?;
            left = left.saturating_sub(turn);
            if found.is_some() || left == 0 {
                return Ok(found);
            }
        }
        turn = turn.saturating_mul(TURNS.1);
    }
}

/// Counts with these levels, from the lowest, on a thread with a stack that is large enough for them.
fn on_thread(net: &Net, levels: &[Vec<u32>], work: u64, stop: &Stop) -> Result<Option<Counts>, Reason> {
    let count = || {
        let mut saturation = Saturation::new(Local::new(net, levels), work, stop);
        let root = match saturation.reachable(net) {
            Err(Reason::GaveUp) => return Ok(None),
            root => root?,
        };
        tally::tally(&saturation.local, &saturation.nodes, root, stop).map(Some)
    };
    let size = STACK.1 + levels.len() * STACK.0;
    thread::scope(|scope| {
        let worker = thread::Builder::new().name("diagrams".to_owned()).stack_size(size).spawn_scoped(scope, count);
        worker.map_err(|_| Reason::Memory)?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

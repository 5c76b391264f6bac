//! Explicit search on many machines, on timely dataflow.
//!
//! The hash of a state decides which worker owns it. A worker keeps its states in a table, tests them, expands them,
//! and sends the successors to their owners ([`search()`]). The workers go through the levels of a breadth-first search
//! together, so the answer, the counts and the lengths of runs are those of one process, and do not depend on timing.
//! The first levels are small, and each worker searches them alone.
//!
//! ```
//! use impasse_cluster::hosts;
//!
//! // A file of hosts has an address for each process.
//! let hosts = hosts::listed("# two machines\nnode1:2101\nnode2:2101\n").unwrap();
//! assert_eq!(hosts, ["node1:2101", "node2:2101"]);
//! assert!(!hosts::is_loopback(&hosts[0]), "other machines need a key file");
//! ```

mod begin;
mod error;
mod exchange;
pub mod hosts;
mod identity;
pub mod key;
mod links;
mod logs;
pub mod mesh;
mod owner;
mod parcel;
pub mod process;
mod progress;
mod runs;
mod search;
mod shard;
mod space;
#[cfg(test)]
mod tests;
pub mod tunnel;

pub use error::Error;
pub use identity::identity;
pub use key::Key;
pub use links::Links;
pub use logs::Logs;
pub use nets::Unsteppable;
pub use programs::RwbStepper;
pub use progress::{Alone, Counts, Question};
pub use search::{Outcome, search};
pub use space::{NetSpace, Space};
pub use timely::worker::Worker;

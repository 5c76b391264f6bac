//! Reduces a system to a smaller system, and lifts traces and certificates back to the system as read.
//!
//! ```
//! use impasse_nets::reduce::{Options, prepare};
//! use model::Lift;
//! use model::{Claim, EventId, Formula, MarkedTask, Net, PlaceId, Problem, Range, Trace};
//! use testkit::net::{arcs, place};
//!
//! // `note` does not matter for the goals, and `open` never fires because there is no key.
//! let initial = [("idle", 1u8), ("busy", 0), ("notes", 0), ("key", 0), ("vault", 0)];
//! let places = initial.map(|(name, tokens)| place(name, Range::exactly(tokens))).to_vec();
//! let (note, start) = (arcs("note", &[], &[(2, 1)]), arcs("start", &[(0, 1)], &[(1, 1)]));
//! let net = Net::new(places, vec![note, arcs("open", &[(3, 1)], &[(4, 1)]), start]).unwrap();
//! let marked = |place: u32| Formula::cover(&[(PlaceId(place), 1u8.into())]);
//! let problem = Problem::of_net(net.into()).never("busy", marked(1)).unwrap().never("vault", marked(4)).unwrap();
//!
//! let prepared = prepare(&MarkedTask::of(&problem).unwrap(), &Options::default());
//! assert!(matches!(&prepared.settled[..], [Claim::Safe { .. }]), "the vault stays closed");
//! assert_eq!((prepared.before.transitions, prepared.after.transitions), (3, 1));
//!
//! // A run of the small net becomes a run of the net as read, in which `start` has another number.
//! let mut trace = Trace::new(Box::from([]));
//! trace.push(EventId(0), None);
//! let claim = Claim::Unsafe { goal: prepared.task.goals[0], trace, candidate: false };
//! let Claim::Unsafe { trace, .. } = prepared.lift.claim(claim) else { panic!("it is a run") };
//! assert_eq!(trace.runs()[0].word[0].event, EventId(2));
//! ```
//!
//! [`prepare()`] makes a net task of a problem about a net or a thread-transition system. It proceeds in these steps:
//! [`threads`] translates thread-transition systems to nets; [`crate::invariants::potentially_marked`] settles goals
//! that need places that are never marked; `slice` drops what cannot influence the other goals. [`TaskLift`] lifts the
//! claims of engines; [`model::Mapped`] does this for a whole engine. [`unreduced()`] makes tasks in which each step
//! counts. [`shorten`] shortens the runs that engines find. [`structural()`] makes nets smaller for searches for runs.

mod formula;
mod lift_task;
mod listed;
mod origins;
mod prepare;
pub mod shorten;
mod slice;
mod structural;
pub mod threads;
mod unreduced;

pub use lift_task::TaskLift;
pub use prepare::{Options, Prepared, Size, prepare};
pub use structural::{Reduced, structural};
pub use threads::{SeveralTargets, thread_net};
pub use unreduced::{first_choices, unreduced};

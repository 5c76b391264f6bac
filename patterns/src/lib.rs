//! Pattern matchers: they recognise the shape of single threads and derive lemmas that hold for every violating
//! run.
//!
//! ```
//! use impasse_patterns::{ALL, by_name, kit};
//! use model::{EventId, EventSet, Goal, LocalId, LocalState, Thread};
//!
//! # let next = |event: u32, to: u32| (EventId(event), vec![LocalId(to)]);
//! // Every event moves a clock. A clock blocks event 1 (bell) at all steps but one of its period.
//! let clock = |period: u32, open: u32| {
//!     let state = |step| LocalState {
//!         name: format!("step{step}"),
//!         request: EventSet::from_events(2, (0..2).filter(|e| *e == 0 || step == open).map(EventId)),
//!         block: EventSet::from_events(2, (step != open).then_some(EventId(1))),
//!         bad: false,
//!         on: [0, 1].map(|event| next(event, (step + 1) % period)).into(),
//!     };
//!     Thread { name: format!("clock{period}"), states: (0..period).map(state).collect(), initial: vec![LocalId(0)] }
//! };
//! # let heard = LocalState::bad("heard".to_owned(), 2);
//! # let waits = LocalState { block: EventSet::empty(2), bad: false, on: [next(1, 1)].into(), ..heard.clone() };
//! # let waits = LocalState { name: "waits".to_owned(), ..waits };
//! # let marker = Thread { name: "marker".to_owned(), states: vec![waits, heard], initial: vec![LocalId(0)] };
//! // One clock allows the bell at odd steps, the other at even steps. The thread `marker` is in a bad state after
//! // the bell. The lemmas alone show that the bell never rings.
//! let (threads, mut lemmas) = ([clock(2, 1), clock(4, 2), marker], Vec::new());
//! by_name("looped").unwrap().recognize(&threads, Goal::Bad).unwrap().on_start(&mut lemmas);
//! assert!(kit::refutes(&lemmas, Goal::Bad, 80));
//! // The kit checks that the lemmas hold for every violating run of random programs.
//! assert!(kit::check_random(ALL, 1, 20).is_ok());
//! ```
//!
//! A matcher reads threads and a goal. It never builds the product, and it uses no solver. Each matcher is one
//! file or folder, registered in [`ALL`]. The conformance kit ([`kit`]) tests the registered patterns, and also
//! patterns from outside this crate. `docs/patterns.md` explains how lemmas, justifications and certificates
//! fit together.
//!
//! * [`facts`] has lemmas that many patterns need.
//! * [`cartesian`] has no lemmas. It finds local states that are never reached.
//! * [`looped`] is about threads that every event moves ([`clock`]), and [`tasks`] about periodic tasks.
//! * [`ranked`] shows that programs with ranked requests never reach a deadlock.
//! * [`pairs`] finds joint states of two threads.
//! * [`arrays`] is about values that no thread can change any more.

/// The data that patterns read and write. A pattern in a crate of its own needs this crate only: see
/// `examples/never_together`.
pub use model;

/// Defines a test for each side condition of a pattern: `caught` must notice that the condition is missing.
#[cfg(test)]
macro_rules! mutants {
    ($($name:ident: $condition:ident,)*) => {
        $(#[test]
        fn $name() {
            caught(SideCondition::$condition);
        })*
    };
}

pub mod arrays;
pub mod cartesian;
pub mod clock;
pub mod facts;
mod future;
mod group;
pub mod kit;
mod lasso;
pub mod looped;
pub mod pairs;
pub mod ranked;
mod requests;
mod set_clock;
pub mod tasks;

pub use group::SideCondition as GroupCondition;

use model::Pattern;

/// All built-in patterns. They restrict threads and emit lemmas in this order.
pub const ALL: &[&dyn Pattern] =
    &[&cartesian::CARTESIAN, &looped::LOOPED, &tasks::TASKS, &ranked::RANKED, &pairs::PAIRS, &arrays::ARRAYS];

/// Returns the built-in pattern with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Pattern> {
    ALL.iter().copied().find(|pattern| pattern.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (i, pattern) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.name() != pattern.name()));
            assert_eq!(by_name(pattern.name()).map(Pattern::name), Some(pattern.name()));
            assert!(!pattern.name().contains('.'), "kinds of lemmas are `pattern.kind`");
        }
        assert!(by_name("no such pattern").is_none());
    }
}

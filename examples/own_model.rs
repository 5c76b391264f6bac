//! Builds a program in Rust instead of reading it from a file: two threads, each of which requests the event
//! that the other one blocks.
//!
//!     cargo run --example own_model

// Examples print to the terminal.
#![allow(clippy::print_stdout)]

use impasse::model::{Claim, EventId, EventSet, Goal, LocalId, LocalState, Problem, Program, Thread};
use impasse::{Options, check};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns a thread that requests `wants` once, and blocks `forbids` until then.
fn stubborn(name: &str, wants: EventId, forbids: EventId) -> Thread {
    let set = |events: &[EventId]| EventSet::from_events(2, events.iter().copied());
    let waiting = LocalState {
        name: "waiting".to_owned(),
        request: set(&[wants]),
        block: set(&[forbids]),
        bad: false,
        on: BTreeMap::from([(wants, vec![LocalId(1)])]),
    };
    let done =
        LocalState { name: "done".to_owned(), request: set(&[]), block: set(&[]), bad: false, on: BTreeMap::new() };
    Thread { name: name.to_owned(), states: vec![waiting, done], initial: vec![LocalId(0)] }
}

pub(crate) fn main() {
    let (a, b) = (EventId(0), EventId(1));
    let threads = vec![stubborn("A", a, b), stubborn("B", b, a)];
    let program = Program::new(vec!["a".to_owned(), "b".to_owned()], threads, vec![Goal::Deadlock]);
    let problem = Problem::of_program(Arc::new(program.expect("it is well formed")));

    let outcome = check(&problem, &Options::default());
    let answer = outcome.about(Goal::Deadlock).expect("it was asked");
    assert!(answer.is_unsafe(), "they block each other from the start");
    let Some(Claim::Unsafe { trace, .. }) = answer.claim.as_deref() else { panic!("a violation comes with a trace") };
    assert!(trace.is_empty());
    println!("deadlock in the initial state {:?}", trace.start);
}

//! Reads a problem from a text, checks it, steps through the violating run, and shows the state counts.
//!
//!     cargo run --example check_model

// Examples print to the terminal.
#![allow(clippy::print_stdout)]

use impasse::model::Goal;
use impasse::{Options, Steps, check, engines, read_rwb};

pub(crate) fn main() {
    let problem = read_rwb(include_str!("philosophers.rwb")).expect("the example is well formed");
    let options = Options { engine: Some(&engines::EXPLICIT), explore_all: true, ..Options::default() };
    let outcome = check(&problem, &options);

    let deadlock = outcome.about(Goal::Deadlock).expect("deadlocks are asked for by default");
    println!("deadlock reachable: {}", deadlock.is_unsafe());
    println!("{} states, {} transitions", deadlock.stats.states, deadlock.stats.transitions);
    assert!(deadlock.is_unsafe());
    assert!(outcome.about(Goal::Bad).is_none(), "no thread has a bad state");
    assert_eq!((deadlock.stats.states, deadlock.stats.transitions), (35, 75));

    // Each step has an event, the threads that request it, and the changes. Afterwards `steps.state()` is the
    // last state.
    let mut steps = Steps::new(&problem, deadlock.trace().expect("what is violated comes with a run"));
    for step in &mut steps {
        let moved: Vec<String> = step.changes.iter().map(|c| format!("{}: {} -> {}", c.name, c.from, c.to)).collect();
        println!("{}. {} (by {}): {}", step.number, step.event, step.requested_by.join(", "), moved.join(", "));
    }
    let end: Vec<String> = steps.state().into_iter().map(|(thread, state)| format!("{thread} in {state}")).collect();
    println!("stuck with {}", end.join(", "));

    // Errors contain their location; `miette` shows them with an excerpt of the text.
    let mistake = read_rwb("rwb 1\nevent a\nthread T { state s { request b } }").expect_err("there is no event b");
    println!("{mistake}");
    assert!(mistake.to_string().starts_with("program.rwb:3:30: "), "{mistake}");
}

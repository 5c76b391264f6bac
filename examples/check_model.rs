//! From a text to checked answers, with the state counts of the whole space.
//!
//!     cargo run --example check_model

// Examples talk to whoever runs them.
#![allow(clippy::print_stdout)]

use impasse::model::Goal;
use impasse::{EngineChoice, Options, check, read_rwb};

pub(crate) fn main() {
    let problem = read_rwb(include_str!("philosophers.rwb")).expect("the example is well formed");
    let options = Options { engine: EngineChoice::Explicit, explore_all: true, ..Options::default() };
    let outcome = check(&problem, &options);

    let deadlock = outcome.about(Goal::Deadlock).expect("deadlocks are asked for by default");
    let bad = outcome.about(Goal::Bad).expect("so are bad states");
    println!("deadlock reachable: {}; bad state reachable: {}", deadlock.is_unsafe(), bad.is_unsafe());
    println!("{} states, {} transitions", deadlock.stats.states, deadlock.stats.transitions);

    assert!(deadlock.is_unsafe() && bad.is_safe());
    assert_eq!((deadlock.stats.states, deadlock.stats.transitions), (35, 75));
}

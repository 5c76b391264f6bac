//! Targets of thread-transition systems and initial states: reading gives an error and leaves the problem
//! unchanged, or adds one property.
#![no_main]

use formats::{Limits, Source};
use nets_read::apply_init;
use readers::{by_name, read_goals};
use libfuzzer_sys::fuzz_target;

const SYSTEM: &[u8] = b"2 3\n0 0 -> 0 1\n0 1 -> 1 1 0 ~> 2\n";

fuzz_target!(|bytes: &[u8]| {
    let reader = by_name("tts").and_then(|f| f.read).expect("registered and readable");
    let source = Source { name: "system.tts".to_owned(), bytes: SYSTEM.to_vec() };
    let mut problem = reader(&source, &Limits::default()).expect("a thread-transition system").problem;
    let target = Source { name: "fuzz.prop".to_owned(), bytes: bytes.to_vec() };
    let read = read_goals(target, Some("prop"), &mut problem, &Limits::default());
    assert_eq!(problem.properties().len(), usize::from(read.is_ok()));
    // The text may be accepted or refused.
    let _ = apply_init(&mut problem, &String::from_utf8_lossy(bytes));
});

//! LoLA files: reading gives a net, or a formula about a fixed net, or errors.
#![no_main]

use formats::{Limits, Source};
use readers::{read, read_goals};
use libfuzzer_sys::fuzz_target;

const NET: &[u8] =
    b"PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p: 2; PRODUCE q; TRANSITION u CONSUME q, p; PRODUCE ;";

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { formula_nodes: 100_000, ..Limits::default() };
    let source = |name: &str, bytes: &[u8]| Source { name: name.to_owned(), bytes: bytes.to_vec() };
    let _ = read(source("fuzz.lola", bytes), None, &limits);
    let mut problem = read(source("net.lola", NET), None, &limits).expect("a net").problem;
    let _ = read_goals(source("fuzz.formula", bytes), None, &mut problem, &limits);
});

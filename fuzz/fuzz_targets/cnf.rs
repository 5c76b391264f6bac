//! DIMACS cnf: an error or a formula within its own header.
#![no_main]

use formats::{Limits, Source, read_cnf};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source { name: "fuzz.cnf".to_owned(), bytes: bytes.to_vec() };
    let Ok(cnf) = read_cnf(source, &Limits::default()) else { return };
    assert!(cnf.clauses.iter().flatten().all(|l| *l != 0 && l.unsigned_abs() <= cnf.vars));
});

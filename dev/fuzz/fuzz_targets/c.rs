//! Reactive C programs: reading gives a program with its properties, or errors.
#![no_main]

use formats::{Limits, Source};
use readers::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let source = Source { name: "fuzz.c".to_owned(), bytes: bytes.to_vec() };
    if let Ok(read) = read(source, None, &limits) {
        let _ = evidence::hash(&read.problem);
    }
});

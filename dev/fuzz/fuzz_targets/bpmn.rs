//! BPMN files: a net or an error.
#![no_main]

use formats::{Limits, Source};
use readers::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = Source { name: "fuzz.bpmn".to_owned(), bytes: bytes.to_vec() };
    let _ = read(source, None, &Limits::default());
});

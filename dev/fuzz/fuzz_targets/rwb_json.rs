//! The JSON form of programs: reading gives an error, or a program that is written and read back unchanged.
#![no_main]

use formats::{Limits, Source};
use readers::by_name;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let format = by_name("json").expect("registered");
    let (reader, writer) = (format.read.expect("readable"), format.write.expect("writable"));
    let source = Source { name: "fuzz.json".to_owned(), bytes: bytes.to_vec() };
    let Ok(read) = reader(&source, &Limits::default()) else { return };
    let mut text = Vec::new();
    writer(&read.problem, &mut text).expect("memory does not fail");
    let again = reader(&Source { name: "again.json".to_owned(), bytes: text }, &Limits::default());
    assert_eq!(again.expect("our own text").problem.system().as_program(), read.problem.system().as_program());
});

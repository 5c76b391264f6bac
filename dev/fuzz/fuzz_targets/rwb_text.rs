//! `.rwb` text: reading gives an error, or a program that is written and read back unchanged. The index of its names
//! has places of these names only.
#![no_main]

use programs_read::index::Index;
use formats::{Limits, Source};
use readers::by_name;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { unrolled: 100_000, events: 10_000, states: 10_000, moves: 1 << 22, ..Limits::default() };
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    if let Some(index) = Index::of(text, &limits) {
        for mention in &index.mentions {
            assert_eq!(text[mention.place.start..mention.place.end], index.symbols[mention.symbol].name);
        }
    }
    let format = by_name("rwb").expect("registered");
    let (reader, writer) = (format.read.expect("readable"), format.write.expect("writable"));
    let Ok(read) = reader(&Source { name: "fuzz.rwb".to_owned(), bytes: bytes.to_vec() }, &limits) else { return };
    let mut text = Vec::new();
    writer(&read.problem, &mut text).expect("memory does not fail");
    // The explicit form may exceed the limits for input. If it does not, it is the same program.
    if let Ok(again) = reader(&Source { name: "again.rwb".to_owned(), bytes: text }, &Limits::default()) {
        assert_eq!(again.problem.system().as_program(), read.problem.system().as_program());
    }
});

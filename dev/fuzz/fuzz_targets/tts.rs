//! `.tts` files: reading gives an error, or a thread-transition system that is written and read back unchanged.
#![no_main]

use formats::{Limits, Source};
use readers::by_name;
use libfuzzer_sys::fuzz_target;
use model::SystemModel;

fuzz_target!(|bytes: &[u8]| {
    let format = by_name("tts").expect("registered");
    let (reader, writer) = (format.read.expect("readable"), format.write.expect("writable"));
    let source = Source { name: "fuzz.tts".to_owned(), bytes: bytes.to_vec() };
    let Ok(read) = reader(&source, &Limits::default()) else { return };
    let mut text = Vec::new();
    // Some goals have no text, for example one that never holds.
    if writer(&read.problem, &mut text).is_err() {
        return;
    }
    let again = reader(&Source { name: "again.tts".to_owned(), bytes: text }, &Limits::default()).expect("our own \
        text");
    match (again.problem.system(), read.problem.system()) {
        (SystemModel::Threads(again), SystemModel::Threads(read)) => assert_eq!(again, read),
        _ => panic!("another kind of system"),
    }
});

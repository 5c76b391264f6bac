//! Systems over words: reading gives an error, or a circuit that is written and read back with the same properties.
#![no_main]

use formats::{Limits, Source};
use readers::by_name;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let format = by_name("btor2").expect("registered");
    let reader = format.read.expect("readable");
    // Few gates are enough, and large circuits would make the target slow.
    let limits = Limits { nodes: 1 << 14, ports: 1 << 12, ..Limits::default() };
    let source = Source { name: "fuzz.btor2".to_owned(), bytes: bytes.to_vec() };
    let Ok(read) = reader(&source, &limits) else { return };
    let mut out = Vec::new();
    format.write.expect("writable")(&read.problem, &mut out).expect("a whole circuit");
    let again = reader(&Source { name: "again".to_owned(), bytes: out }, &Limits::default()).expect("our own file");
    assert_eq!(again.problem.properties().len(), read.problem.properties().len());
});

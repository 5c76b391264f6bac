//! Evidence files: reading gives an error, or a claim that is written and read back. The file head with the
//! hash of the program is given, so that the fuzzer passes the comparison of hashes.
#![no_main]

use formats::{Limits, Source};
use readers::by_name;
use libfuzzer_sys::fuzz_target;

const PROGRAM: &[u8] =
    b"rwb 1 event a, b thread T { state s { request a on a -> s | t } state t { } } thread U { body { wait b bad } }";

fuzz_target!(|bytes: &[u8]| {
    let reader = by_name("rwb").and_then(|f| f.read).expect("registered and readable");
    let source = Source { name: "program.rwb".to_owned(), bytes: PROGRAM.to_vec() };
    let read = reader(&source, &Limits::default()).expect("a program");
    let problem = &read.problem;
    let text = String::from_utf8_lossy(bytes);
    let (hash, goals) = (evidence::hash(problem), "\"goals\":[\"bad\"]");
    let file = format!("{{\"schema\":1,\"model\":{{\"name\":\"x\",\"hash\":\"{hash}\"}},{goals},{text}}}");
    let source = Source { name: "fuzz.json".to_owned(), bytes: file.into_bytes() };
    let Ok(claim) = evidence::read(&source, problem, &Limits::default()) else { return };
    let mut out = Vec::new();
    // A trace may choose states that are written by name, but only existing ones, which the reader has checked.
    evidence::write("x", problem, &claim, &mut out).expect("a claim that was read can be written");
    let source = Source { name: "again.json".to_owned(), bytes: out };
    evidence::read(&source, problem, &Limits::default()).expect("our own text");
});

//! Contest properties: reading gives an error, or goals over the places of the net.
#![no_main]

use formats::{Limits, Source};
use readers::{read, read_goals};
use libfuzzer_sys::fuzz_target;

const NET: &[u8] =
    b"PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p: 2; PRODUCE q; TRANSITION u CONSUME q, p; PRODUCE ;";

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { formula_nodes: 100_000, ..Limits::default() };
    let net = Source { name: "net.lola".to_owned(), bytes: NET.to_vec() };
    let mut problem = read(net, None, &limits).expect("a net").problem;
    let source = Source { name: "fuzz.xml".to_owned(), bytes: bytes.to_vec() };
    if read_goals(source, Some("mcc"), &mut problem, &limits).is_ok() {
        for property in problem.properties() {
            assert!(!problem.kind(property).is_empty());
        }
    }
});

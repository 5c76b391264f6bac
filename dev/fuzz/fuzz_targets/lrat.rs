//! LRAT proofs in text and binary form: reading gives an error, or steps with numbers in range.
#![no_main]

use formats::{LratReader, Source};
use libfuzzer_sys::fuzz_target;
use model::cnf::LratStep;

fuzz_target!(|bytes: &[u8]| {
    let source = Source { name: "fuzz.lrat".to_owned(), bytes: bytes.to_vec() };
    let mut reader = LratReader::new(&source);
    while let Ok(Some(step)) = reader.next_step() {
        let ids = match step {
            LratStep::Add { id, clause, hints } => {
                assert!(id > 0 && clause.iter().all(|l| *l != 0 && *l != i32::MIN));
                hints
            }
            LratStep::Delete(ids) => ids,
        };
        assert!(ids.iter().all(|id| *id > 0));
    }
});

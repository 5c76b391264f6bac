//! PNML: an error or a net; a plain one is written and read back as it is.
#![no_main]

use formats::{Limits, Source, by_name};
use libfuzzer_sys::fuzz_target;
use model::SystemModel;

fuzz_target!(|bytes: &[u8]| {
    let format = by_name("pnml").expect("registered");
    let (reader, writer) = (format.read.expect("readable"), format.write.expect("writable"));
    let source = Source { name: "fuzz.pnml".to_owned(), bytes: bytes.to_vec() };
    let Ok(read) = reader(&source, &Limits::default()) else { return };
    let mut text = Vec::new();
    if writer(&read.problem, &mut text).is_err() {
        return;
    }
    let again =
        reader(&Source { name: "again.pnml".to_owned(), bytes: text }, &Limits::default()).expect("our own text");
    let (SystemModel::Net(a), SystemModel::Net(b)) = (read.problem.system(), again.problem.system()) else { return };
    assert_eq!(a, b);
});

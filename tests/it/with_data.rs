//! Programs with data (`tests/data/with_data`): known answers, by an independent interpreter of joint states or by
//! construction. Some of them are written a second time as BPjs programs, which must get the same answers with runs of
//! the same length. (`apps/python/tests/test_with_data.py` asks the same of those in the notation of bppy.)

use crate::tool::root;
use impasse::formats::{Limits, Source, read};
use impasse::{Options, check};
use std::fs;

/// Returns the answers of a file: the property, true if it is safe, and the length of the run otherwise.
fn answers(name: &str) -> Vec<(String, bool, Option<u64>)> {
    let path = root().join("tests/data/with_data").join(name);
    let source = Source { name: name.to_owned(), bytes: fs::read(&path).expect("the file is there") };
    let problem = read(source, None, &Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}")).problem;
    let outcome = check(&problem, &Options { shortest: true, ..Options::default() });
    let answer = |answer: &impasse::Answer| {
        assert!(answer.is_safe() || answer.is_unsafe(), "{name}: {}", answer.property.id);
        (answer.property.id.clone(), answer.is_safe(), answer.trace().and_then(|trace| trace.len()))
    };
    outcome.answers.iter().map(answer).collect()
}

#[test]
fn known_answers() {
    let table = fs::read_to_string(root().join("tests/data/with_data/expected.csv")).expect("the table is there");
    let (mut rows, mut scripts) = (0, std::collections::BTreeSet::new());
    for line in table.lines().skip(1) {
        let [name, property, verdict, shortest] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let texts = [name.to_owned(), name.replace(".rwb", ".js")];
        for text in texts.iter().filter(|text| root().join("tests/data/with_data").join(text).exists()) {
            let found = answers(text);
            let (_, is_safe, length) = found.iter().find(|(id, ..)| id == property).expect("it is asked");
            assert_eq!(if *is_safe { "safe" } else { "unsafe" }, verdict, "{text}: {property}");
            assert_eq!(*length, shortest.parse::<u64>().ok(), "{text}: {property}");
            rows += 1;
            scripts.extend(text.ends_with(".js").then(|| text.clone()));
        }
    }
    assert!(rows > 90, "{rows} answers");
    assert!(scripts.len() >= 15, "{} programs of BPjs", scripts.len());
}

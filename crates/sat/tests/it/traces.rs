//! Runs traces of calls: those that once failed, and new random ones. The tester is `kit::api`.

use std::fs;
use std::path::PathBuf;

use impasse_sat::kit::api::{Subject, Trace, run, twice};
use impasse_sat::{Options, Solver};

fn make(options: Options) -> Box<dyn Subject> {
    Box::new(Solver::new(options))
}

/// Each file is named after the fault that it revealed. Its first line describes the fault.
#[test]
fn what_broke_once_is_whole() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# "), "{} does not say what broke", path.display());
        let trace: Trace = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if let Err(fault) = twice(&trace, &make) {
            panic!("{}: {fault}", path.display());
        }
        count += 1;
    }
    assert!(count >= 3, "{count} traces");
}

/// For long runs use `--example fuzz_api`.
#[test]
fn random_calls_are_answered_rightly() {
    for seed in (1_000_000..).take(testkit::count(1_000) as usize) {
        if let Err(fault) = run(&Trace::random(seed), &make) {
            panic!(
                "{fault}\n`cargo run --release -p impasse-sat --example fuzz_api -- --count 1 --seed {seed}` makes it \
                 small"
            );
        }
    }
}

//! Tests that the contest's coloured nets are unfolded to nets of the known size, and that all of their reachability
//! properties are read.

use crate::pnml::net;
use impasse_readers::{Limits, Source, read, read_goals};
use std::path::{Path, PathBuf};

/// The nets with the numbers of their places and transitions. A place that never holds a token and a transition that
/// never fires do not count.
const SIZES: [(&str, usize, usize); 25] = [
    ("AirplaneLD-COL-0010", 89, 88),
    ("AirplaneLD-COL-0100", 719, 808),
    ("AirplaneLD-COL-0500", 3519, 4008),
    ("BART-COL-002", 536, 404),
    ("BART-COL-010", 1592, 2020),
    ("CSRepetitions-COL-02", 23, 28),
    ("CSRepetitions-COL-04", 117, 176),
    ("DatabaseWithMutex-COL-02", 38, 32),
    ("DatabaseWithMutex-COL-10", 830, 800),
    ("GlobalResAllocation-COL-03", 33, 4791),
    ("GlobalResAllocation-COL-06", 102, 136_662),
    ("LamportFastMutEx-COL-2", 44, 62),
    ("LamportFastMutEx-COL-5", 137, 260),
    ("NeoElection-COL-2", 35, 20),
    ("NeoElection-COL-4", 143, 127),
    ("PhilosophersDyn-COL-03", 30, 84),
    ("PhilosophersDyn-COL-20", 540, 17_220),
    ("PolyORBNT-COL-S05J20", 349, 1210),
    ("PolyORBNT-COL-S10J40", 854, 12_340),
    ("Referendum-COL-0010", 31, 21),
    ("Referendum-COL-0200", 601, 401),
    ("SafeBus-COL-03", 57, 91),
    ("SafeBus-COL-15", 621, 4771),
    ("TokenRing-COL-005", 36, 156),
    ("TokenRing-COL-050", 2601, 127_551),
];

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("IMPASSE_CORPUS").map_or(default, PathBuf::from).join("mcc_col");
    root.join("expected.csv").exists().then_some(root)
}

fn source(path: &Path) -> Source {
    Source { name: path.display().to_string(), bytes: std::fs::read(path).unwrap() }
}

#[test]
fn coloured_contest_nets_are_unfolded() {
    let Some(root) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    // As on a machine with 2 GB, because some formulas name many places.
    let limits = Limits::within(2 << 30);
    for (instance, places, transitions) in SIZES {
        let file = |name: &str| source(&root.join(instance).join(name));
        let mut problem =
            read(file("model.pnml.xz"), None, &limits).unwrap_or_else(|e| panic!("{instance}: {e}")).problem;
        let sizes = (net(&problem).places().len(), net(&problem).transitions().len());
        assert_eq!(sizes, (places, transitions), "{instance}");
        if transitions > 20_000 {
            continue;
        }
        for goals in ["ReachabilityCardinality.xml.xz", "ReachabilityFireability.xml.xz"] {
            let warnings = read_goals(file(goals), None, &mut problem, &limits);
            let warnings = warnings.unwrap_or_else(|e| panic!("{instance}: {e}"));
            assert!(warnings.is_empty(), "{instance}");
            assert_eq!(problem.properties().len(), 16, "{instance}");
        }
    }
}

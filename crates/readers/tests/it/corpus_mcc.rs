//! Tests that every net and every property of the contest's files is read, and has the expected kind of
//! question.

use crate::pnml::{net, problem, written};
use impasse_readers::{Limits, Source, read, read_goals};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("IMPASSE_CORPUS").map_or(default, PathBuf::from).join("mcc");
    root.join("expected.csv").exists().then_some(root)
}

fn source(path: &Path) -> Source {
    Source { name: path.display().to_string(), bytes: std::fs::read(path).unwrap() }
}

#[test]
fn contest_files_ask_what_is_known() {
    let Some(root) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    let table = std::fs::read_to_string(root.join("expected.csv")).unwrap();
    let mut expected: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split(',').collect();
        expected.entry(row[0]).or_default().insert(row[1], row[2]);
    }
    let limits = Limits::default();
    let (mut nets, mut properties, mut folded, mut wrong) = (0, 0, 0, Vec::new());
    for (instance, asked) in &expected {
        let name = root.join(instance).join("model.pnml.xz");
        let mut model = read(source(&name), None, &limits).unwrap_or_else(|e| panic!("{instance}: {e}")).problem;
        let goals = root.join(instance).join("ReachabilityCardinality.xml.xz");
        read_goals(source(&goals), None, &mut model, &limits).unwrap_or_else(|e| panic!("{instance}: {e}"));
        nets += 1;
        for property in model.properties() {
            properties += 1;
            let kind = model.kind(property);
            match asked.get(property.id.as_str()) {
                Some(known) if *known == kind => {}
                // The table classifies formulas as they are written. The reader first combines sums: `p <= p` is
                // true, and the rest of a formula may be upward-closed.
                Some(&"reach") if kind == "cover" => folded += 1,
                known => wrong.push(format!("{}: {kind}, expected {known:?}", property.id)),
            }
        }
        let plain = net(&model).clone();
        let again = written(&problem(plain.clone()), "pnml").unwrap();
        let again = Source { name: "again.pnml".to_owned(), bytes: again.into_bytes() };
        assert_eq!(net(&read(again, None, &limits).unwrap().problem), &plain, "{instance}");
    }
    assert!(wrong.is_empty(), "{} of {properties}: {}", wrong.len(), wrong.join("\n"));
    assert_eq!((nets, properties, folded), (106, 1696, 81));
}

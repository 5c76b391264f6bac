//! Every net and thread system of the corpus has the size it is known to have.

use impasse_formats::{Limits, Read, Source, companions, read, read_goals};
use model::{Goal, SystemModel};
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    let root = std::env::var_os("IMPASSE_CORPUS").map_or(default, PathBuf::from).join("petri");
    root.join("manifest.csv").exists().then_some(root)
}

fn source(path: &Path) -> Source {
    Source { name: path.display().to_string(), bytes: std::fs::read(path).unwrap() }
}

fn read_file(path: &Path) -> Read {
    read(source(path), None, &Limits::default()).unwrap_or_else(|e| panic!("{}: {e}: {e:?}", path.display()))
}

/// The rows of a table as lists of fields, without the header.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let table = std::fs::read_to_string(path).unwrap();
    table.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn size(system: &SystemModel) -> (usize, usize) {
    match system {
        SystemModel::Net(net) => (net.places().len(), net.transitions().len()),
        SystemModel::Threads(threads) => (threads.places(), threads.transitions().len()),
        SystemModel::Rwb(_) => panic!("neither net nor thread system"),
    }
}

#[test]
fn nets_have_their_known_sizes() {
    let Some(root) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    let (mut count, mut warned) = (0, Vec::new());
    for row in rows(&root.join("manifest.csv")) {
        let files: Vec<&str> = row[7].split(' ').collect();
        let file = files.iter().find(|f| f.ends_with(".spec") || f.ends_with(".spec.xz")).unwrap();
        let result = read_file(&root.join(&row[0]).join(file));
        let expected = (row[2].parse().unwrap(), row[3].parse().unwrap());
        assert_eq!(size(&result.problem.system), expected, "{file}");
        assert_eq!(result.problem.properties[0].id, "target");
        assert_eq!(result.problem.kind(result.problem.properties[0].goal), "cover", "{file}");
        warned.extend(result.warnings.iter().map(|w| format!("{file}: {w}")));
        count += 1;
    }
    for file in std::fs::read_dir(root.join("protocols")).unwrap().map(|e| e.unwrap().path()) {
        if file.extension().is_some_and(|e| e == "spec") {
            warned.extend(read_file(&file).warnings.iter().map(|w| format!("{}: {w}", file.display())));
            count += 1;
        }
    }
    assert_eq!(count, 183);
    eprintln!("{}", warned.join("\n"));
    let _ = (companions("x.tts"), read_goals, Goal::Deadlock);
}

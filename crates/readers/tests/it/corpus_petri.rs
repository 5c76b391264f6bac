//! Tests that every net and thread-transition system of the corpus has the expected size.

use impasse_readers::{Limits, Read, Source, companions, decompress, read, read_goals};
use model::SystemModel;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let root = std::env::var_os("IMPASSE_CORPUS").map_or(default, PathBuf::from).join("petri");
    root.join("manifest.csv").exists().then_some(root)
}

fn source(path: &Path) -> Source {
    Source { name: path.display().to_string(), bytes: std::fs::read(path).unwrap() }
}

fn read_file(path: &Path) -> Read {
    read(source(path), None, &Limits::default()).unwrap_or_else(|e| panic!("{}: {e}: {e:?}", path.display()))
}

/// Returns the rows of a table as lists of fields, without the header.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let table = std::fs::read_to_string(path).unwrap();
    table.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn size(system: &SystemModel) -> (usize, usize) {
    match system {
        SystemModel::Net(net) => (net.places().len(), net.transitions().len()),
        SystemModel::Threads(threads) => (threads.places(), threads.transitions().len()),
        _ => {
            panic!("neither net nor thread-transition system")
        }
    }
}

/// Counts the lines of a `.tts` file with the same states on both sides.
fn stutters(path: &Path) -> usize {
    let (_, bytes) = decompress(path.to_str().unwrap(), std::fs::read(path).unwrap(), &Limits::default()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.filter(|w| w.len() == 5 && w[0] == w[3] && w[1] == w[4]).count()
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
        assert_eq!(size(result.problem.system()), expected, "{file}");
        assert_eq!(result.problem.properties()[0].id, "target");
        assert_eq!(result.problem.kind(&result.problem.properties()[0]), "cover", "{file}");
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
    // Only lines of `invariants` that are really false give warnings.
    let files = ["basicME", "extendedread-write-smallconsts", "lamport", "newrtp", "csmbroad"];
    assert!(warned.len() == 5 && files.iter().all(|f| warned.iter().any(|w| w.contains(f))), "{warned:#?}");
}

#[test]
fn thread_systems_have_their_known_sizes_and_a_target_beside_them() {
    let Some(root) = corpus() else {
        eprintln!("skipped: no corpus");
        return;
    };
    let mut count = 0;
    for row in rows(&root.join("manifest.csv")) {
        let Some(file) = row[7].split(' ').find(|f| f.ends_with(".tts") || f.ends_with(".tts.xz")) else { continue };
        let path = root.join(&row[0]).join(file);
        let mut result = read_file(&path);
        if row[0] == "wahl-kroening" {
            // The nets beside the `.tts` files of this directory are translations of these files, and keep the
            // lines that change nothing. In all other directories, the `.tts` files are translations of nets.
            let (states, transitions) = size(result.problem.system());
            let expected = (row[2].parse().unwrap(), row[3].parse().unwrap());
            assert_eq!((states, transitions + stutters(&path)), expected, "{file}");
        }
        let warned = result.warnings.iter().any(|w| w.code() == "tts::self-loop");
        assert!(warned == (stutters(&path) > 0) && result.warnings.len() <= 1, "{file}");
        assert!(result.problem.properties().is_empty(), "{file}");
        let goals = companions(&path).into_iter().find(|name| name.exists()).expect(file);
        read_goals(source(&goals), None, &mut result.problem, &Limits::default()).unwrap();
        let property = &result.problem.properties()[0];
        assert_eq!((property.id.as_str(), result.problem.kind(property)), ("target", "cover"));
        count += 1;
    }
    assert_eq!(count, 173);
}

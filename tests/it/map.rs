//! Checks that the paths in documents and comments exist: in backticks, from the root of the repository.

use crate::style::{comment, files};
use crate::tool::root;
use std::fs;

/// The folders that paths begin with.
const FOLDERS: [&str; 9] =
    ["src/", "theories/", "patterns/", "tests/", "examples/", "crates/", "apps/", "dev/", "docs/"];
/// Files that recipes tell their readers to create.
const CREATED: [&str; 5] = ["arcs", "newest", "gatekeeper", "<", "*"];

/// Returns the paths in the text that do not exist.
fn missing(text: &str) -> Vec<&str> {
    let is_path =
        |word: &&str| FOLDERS.iter().any(|folder| word.starts_with(folder)) && !word.contains([' ', '$', ':']);
    let is_there = |path: &str| {
        let end = CREATED.iter().filter_map(|word| path.find(word)).min();
        let known = end.map_or(path, |end| path[..end].rfind('/').map_or("", |slash| &path[..slash]));
        let known = known.split('{').next().unwrap_or(known);
        root().join(known).exists()
    };
    text.split('`').skip(1).step_by(2).filter(is_path).filter(|path| !is_there(path)).collect()
}

#[test]
fn paths_in_documents_and_comments_exist() {
    let mut faults = Vec::new();
    for path in files("md").into_iter().chain(files("rs")) {
        let name = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        if name == "CHANGELOG.md" {
            continue; // of versions in which other paths were right
        }
        let text = fs::read_to_string(&path).expect("readable");
        for (line, number) in text.lines().zip(1..) {
            let said = if name.ends_with(".rs") { comment(line) } else { Some(line) };
            faults.extend(said.map(missing).unwrap_or_default().iter().map(|path| format!("{name}:{number}: {path}")));
        }
    }
    assert!(faults.is_empty(), "paths that do not exist:\n{}", faults.join("\n"));
}

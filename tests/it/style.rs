//! Checks comments for a short list of banned words, and files for lines that are too long ("Rules of the
//! words" in `CONTRIBUTING.md`). The tool `typos` checks the spelling.

use crate::tool::root;
use std::fs;
use std::path::{Path, PathBuf};

/// Words that are banned in comments. They describe code as people, or are images where a plain noun suffices.
const BANNED: [&str; 12] = [
    "who",
    "whom",
    "whose",
    "whoever",
    "nobody",
    "somebody",
    "anybody",
    "everybody",
    "dear",
    "dearer",
    "house",
    "guest",
];
/// Maximum length of a line, in characters.
const COLUMNS: usize = 120;

/// Returns all Rust files of the repository.
fn sources() -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![root().to_path_buf()]);
    while let Some(directory) = open.pop() {
        for path in fs::read_dir(&directory).expect("readable").map(|entry| entry.expect("readable").path()) {
            let name = path.file_name().expect("named").to_string_lossy();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the comment of a line, if it has one. A string that contains `//` may be taken for a comment, which
/// does no harm here.
fn comment(line: &str) -> Option<&str> {
    let at = line.find("//")?;
    (at == 0 || !line[..at].ends_with(':')).then(|| &line[at..])
}

/// Returns the first banned word of a comment, if there is one. Code in backticks is left out.
fn banned(comment: &str) -> Option<&'static str> {
    let prose: String = comment.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let mut words = prose.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| BANNED.into_iter().find(|banned| *banned == word))
}

fn complaints(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("readable");
    let name = path.strip_prefix(root()).unwrap_or(path).display();
    let faults = text.lines().enumerate().filter_map(|(at, line)| {
        let line_number = at + 1;
        let length = line.chars().count();
        if length > COLUMNS && comment(line).is_some() {
            return Some(format!("{name}:{line_number}: {length} columns"));
        }
        let word = banned(comment(line)?)?;
        Some(format!("{name}:{line_number}: `{word}` in a comment"))
    });
    faults.collect()
}

#[test]
fn comments_keep_to_the_rules_of_the_words() {
    let all: Vec<String> = sources().iter().flat_map(|path| complaints(path)).collect();
    assert!(all.is_empty(), "see \"Rules of the words\" in CONTRIBUTING.md\n{}", all.join("\n"));
}

#[test]
fn banned_words_are_found() {
    let asked = [
        concat!("/", "/ Nobody asks."),
        concat!("let x = 1; /", "/ who asks"),
        "/// `who` is a field.",
        "let url = \"http://a\";",
        "// fine",
    ];
    let found: Vec<Option<&str>> = asked.iter().map(|line| comment(line).and_then(banned)).collect();
    assert_eq!(found, [Some("nobody"), Some("who"), None, None, None]);
}

//! Checks comments and documents for a short list of banned words, and Rust files for lines that are too long
//! ("Rules of the words" in `CONTRIBUTING.md`). The tool `typos` checks the spelling.

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
/// Words that are banned in documents. Documents may describe people, so the other words are allowed there.
const BANNED_IN_DOCUMENTS: [&str; 6] = ["nobody", "somebody", "anybody", "everybody", "dearer", "guest"];
/// The document that lists the banned words.
const RULES: &str = "CONTRIBUTING.md";
/// Maximum length of a line, in characters.
const COLUMNS: usize = 120;

/// Returns all files of the repository with this extension.
pub(crate) fn files(extension: &str) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![root().to_path_buf()]);
    while let Some(directory) = open.pop() {
        for path in fs::read_dir(&directory).expect("readable").map(|entry| entry.expect("readable").path()) {
            let name = path.file_name().expect("named").to_string_lossy();
            if path.is_dir() && name != "target" && name != "node_modules" && !name.starts_with('.') {
                open.push(path);
            } else if path.extension().is_some_and(|own| own == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Returns the comment of a line of Rust, if it has one. The `//` of an address is preceded by `:`. A string that
/// contains another `//` may be taken for a comment, which does no harm here.
pub(crate) fn comment(line: &str) -> Option<&str> {
    let (at, _) = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':'))?;
    Some(&line[at..])
}

/// Returns the comment of a line of a shell script, if it has one.
fn shell_comment(line: &str) -> Option<&str> {
    line.find('#').map(|at| &line[at..])
}

/// Returns the first of these banned words in the text, if there is one. Code in backticks is left out.
fn banned(text: &str, list: &[&'static str]) -> Option<&'static str> {
    let prose: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let mut words = prose.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| list.iter().copied().find(|banned| *banned == word))
}

/// Returns the complaints about the lines of a file. `fault` finds the fault of a line.
fn complaints(path: &Path, mut fault: impl FnMut(&str) -> Option<String>) -> Vec<String> {
    let text = fs::read_to_string(path).expect("readable");
    let name = path.strip_prefix(root()).unwrap_or(path).display();
    let faults = text.lines().zip(1..).filter_map(|(line, number)| Some(format!("{name}:{number}: {}", fault(line)?)));
    faults.collect()
}

fn in_rust(line: &str) -> Option<String> {
    let length = line.chars().count();
    if length > COLUMNS {
        return Some(format!("{length} columns"));
    }
    Some(format!("`{}` in a comment", banned(comment(line)?, &BANNED)?))
}

fn in_shell(line: &str) -> Option<String> {
    Some(format!("`{}` in a comment", banned(shell_comment(line)?, &BANNED)?))
}

/// Returns the complaints about a document. Fenced blocks of code are left out.
fn in_document(path: &Path) -> Vec<String> {
    let mut is_code = false;
    complaints(path, |line| {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code { None } else { Some(format!("`{}`", banned(line, &BANNED_IN_DOCUMENTS)?)) }
    })
}

#[test]
fn comments_and_documents_keep_to_the_rules_of_the_words() {
    let mut all: Vec<String> = files("rs").iter().flat_map(|path| complaints(path, in_rust)).collect();
    let scripts = files("sh").into_iter().chain([root().join(".ci/run")]);
    all.extend(scripts.flat_map(|path| complaints(&path, in_shell)));
    let documents = files("md").into_iter().filter(|path| *path != root().join(RULES));
    all.extend(documents.flat_map(|path| in_document(&path)));
    assert!(all.is_empty(), "see \"Rules of the words\" in {RULES}\n{}", all.join("\n"));
}

/// What pages and messages may tell people to install, besides files and options: our package, and others by intent.
const PACKAGES: [&str; 8] = ["impasse-mc", "z3-solver", "bppy", "pandas", "distributed", "tqdm", "rich", "pm4py"];

/// Returns a package in a line that people are told to install, and that is not listed.
fn other_package(line: &str) -> Option<String> {
    let after = ["pip install ", "pipx install ", "uvx --from "].iter().filter_map(|command| line.split_once(command));
    let named = after.map(|(_, rest)| rest.split([' ', '`', '"', '\'', ')', ',', ':']).next().unwrap_or_default());
    let is_file = |word: &str| word.is_empty() || word.starts_with(['-', '{', '$', '.']) || word.contains('/');
    let package = |word: &str| word.split(['[', '=', '<', '>']).next().unwrap_or_default().to_owned();
    named.filter(|word| !is_file(word)).map(package).find(|package| !PACKAGES.contains(&package.as_str()))
}

/// The name `impasse` belongs to others on the Python package index.
#[test]
fn people_are_told_to_install_our_package() {
    let endings = ["md", "py", "ipynb", "rs"];
    let pages = endings.iter().flat_map(|ending| files(ending)).filter(|path| !path.ends_with("tests/it/style.rs"));
    let all: Vec<String> = pages.flat_map(|path| complaints(&path, other_package)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert_eq!(other_package("$ pip install impasse"), Some("impasse".to_owned()));
    assert_eq!(other_package("pipx install impasse==0.3"), Some("impasse".to_owned()));
    assert_eq!(other_package("`pip install impasse-mc[pm4py]`, or pip install target/wheels/x.whl"), None);
}

#[test]
fn banned_words_are_found() {
    let asked = [
        concat!("/", "/ Nobody asks."),
        concat!("let x = 1; /", "/ who asks"),
        concat!("let url = \"http://a\"; /", "/ some", "body asks"),
        "/// `who` is a field.",
        "let url = \"http://a\";",
        "// fine",
    ];
    let found: Vec<Option<&str>> = asked.iter().map(|line| banned(comment(line)?, &BANNED)).collect();
    assert_eq!(found, [Some("nobody"), Some("who"), Some("somebody"), None, None, None]);
    assert_eq!(in_shell("true # nobody asks").as_deref(), Some("`nobody` in a comment"));
    assert_eq!(in_rust(&"x".repeat(COLUMNS + 1)).as_deref(), Some("121 columns"));
}

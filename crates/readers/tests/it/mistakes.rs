//! Tests of typical mistakes: all errors of a file are shown at once, each with a place and a hint, and none
//! that is only a consequence of another. The files are in `crates/readers/tests/mistakes`, with a snapshot for each.

use impasse_readers::{Error, Limits, Source, read, read_goals};
use insta::assert_snapshot;
use miette::{GraphicalReportHandler, GraphicalTheme};
use std::path::{Path, PathBuf};

/// The system that goals are about.
const THREADS: &str = "2 2\n0|0\n0 0 -> 1 1\n";

/// Renders all errors as they are printed without a terminal.
fn rendered(error: &Error) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(120).with_links(false);
    let mut text = String::new();
    for error in error.all() {
        handler.render_report(&mut text, &error.headed()).expect("errors are shown");
    }
    text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut files: Vec<PathBuf> =
        directory.read_dir().expect("it is there").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

fn outcome(path: &Path) -> Result<(), Box<Error>> {
    let name = path.file_name().and_then(|name| name.to_str()).expect("an ordinary name").to_owned();
    let (source, limits) =
        (Source { name: name.clone(), bytes: std::fs::read(path).expect("a readable file") }, Limits::default());
    if name.ends_with(".prop") {
        let threads = Source { name: "t.tts".to_owned(), bytes: THREADS.into() };
        let mut problem = read(threads, None, &limits).expect("a thread-transition system").problem;
        return read_goals(source, None, &mut problem, &limits).map(|_| ());
    }
    read(source, None, &limits).map(|_| ())
}

#[test]
fn mistakes_are_explained() {
    let files = files();
    assert!(files.len() >= 40, "{}", files.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut new = 0;
    settings.bind(|| {
        for path in files {
            let name = path.file_name().and_then(|name| name.to_str()).expect("an ordinary name");
            let error = outcome(&path).expect_err(name);
            if name.starts_with("data_") || name.ends_with(".js") {
                let is_explained = |e: &Error| e.line_column().is_some() && miette::Diagnostic::help(e).is_some();
                assert!(error.all().all(is_explained), "{name}: no place or no hint");
                new += 1;
            }
            assert_snapshot!(format!("mistake_{}", name.replace('.', "_")), rendered(&error));
        }
    });
    assert!(new >= 40, "{new} mistakes in programs with data and in JavaScript");
}

/// Returns the ranges of the words and signs of a text.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match c {
            '#' => text[at..].find('\n').unwrap_or(text.len() - at),
            c if is_part(c) => text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at),
            c => c.len_utf8(),
        };
        if c != '#' && !c.is_whitespace() {
            words.push(at..at + length);
        }
        at += length;
    }
    words
}

/// A correct program with one word or sign left out has one mistake. For most such programs one error is shown,
/// and rarely more than two.
#[test]
fn one_mistake_is_hardly_ever_several_errors() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/rwb");
    let mut counts = [0usize; 21];
    for entry in directory.read_dir().expect("it is there") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a readable file");
        for word in words(&text) {
            let wrong = [&text[..word.start], &text[word.end..]].concat();
            let source = Source { name: "t.rwb".to_owned(), bytes: wrong.clone().into_bytes() };
            let Err(error) = read(source, None, &Limits::default()) else { continue };
            let places: Vec<_> = error.all().map(Error::line_column).collect();
            assert!(places.is_sorted() && places.len() <= 20, "{wrong}");
            counts[places.len()] += 1;
        }
    }
    let (all, one): (usize, usize) = (counts.iter().sum(), counts[1]);
    assert!(all > 500, "{counts:?}");
    assert!(100 * one >= 85 * all, "{counts:?}");
    assert!(counts[3..].iter().sum::<usize>() * 20 <= all, "{counts:?}");
}

//! `impasse explain` explains every word that a report may contain. The words come from the tables in the code,
//! or else from the sources of the engines.

use crate::tool::{code, root, run, stdout};
use impasse::certify::EvidenceKind;
use impasse::model::Reason;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// True if the word is explained as one of this kind.
fn explained(kind: &str, word: &str) -> bool {
    let output = run(&["explain", word]);
    code(&output) == 0 && stdout(&output).lines().any(|line| line.starts_with(&format!("{word} ({kind}): ")))
}

fn all_explained(kind: &str, words: impl IntoIterator<Item = String>, at_least: usize) {
    let words: BTreeSet<String> = words.into_iter().collect();
    assert!(words.len() >= at_least, "{kind}: {words:?}");
    let missing: Vec<&String> = words.iter().filter(|word| !explained(kind, word)).collect();
    assert!(missing.is_empty(), "`impasse explain` does not know as {kind}: {missing:?} (src/cli/words/)");
}

/// Returns the sources of a part of the tool, without tests.
fn sources(part: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open = vec![part.to_owned()];
    while let Some(path) = open.pop() {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if matches!(name, "tests" | "tests.rs" | "cli" | "target") {
            continue;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(&path).expect("it can be listed").map(|entry| entry.expect("an entry").path()));
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("it can be read");
            texts.push(text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned());
        }
    }
    texts
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'.' | b'0'..=b'9'))
}

/// Returns the words in quotation marks directly after `before`.
fn quoted_behind<'t>(text: &'t str, before: &'t str) -> impl Iterator<Item = String> + 't {
    let quoted = text.split(before).skip(1).filter_map(|rest| rest.trim_start().strip_prefix('"'));
    quoted.filter_map(|rest| rest.split('"').next()).filter(|word| is_word(word)).map(str::to_owned)
}

#[test]
fn engines_are_explained() {
    // The values of `--engine`, from the message of the command line.
    let refusal = run(&["check", "examples/task.rwb", "--engine", "nonsense"]);
    let text = String::from_utf8_lossy(&refusal.stderr).into_owned();
    let list = text.split("possible values:").nth(1).and_then(|rest| rest.split(']').next()).expect("a list");
    let choices: Vec<String> = list.split([',', '\n']).map(|word| word.trim().to_owned()).collect();
    // The names that engines return.
    let named = |text: &String| {
        let functions = text.split("fn name(&self) -> &'static str").skip(1);
        let bodies = functions.filter_map(|rest| rest.split("\n    }").next());
        let words = bodies.flat_map(|body| body.split('"').skip(1).step_by(2));
        words.filter(|word| is_word(word)).map(str::to_owned).collect::<Vec<_>>()
    };
    let own = ["crates", "src"].iter().flat_map(|part| sources(&root().join(part))).flat_map(|text| named(&text));
    all_explained("engine", choices.into_iter().filter(|word| is_word(word)).chain(own), 20);
}

#[test]
fn patterns_and_lemmas_are_explained() {
    all_explained("pattern", impasse::patterns::ALL.iter().map(|p| p.name().to_owned()), 5);
    let texts = || ["patterns/src", "crates/nets/solve/src/reduce"].iter().flat_map(|part| sources(&root().join(part)));
    let kinds: Vec<String> = texts().flat_map(|text| quoted_behind(&text, "LemmaKind(").collect::<Vec<_>>()).collect();
    all_explained("kind of lemma", kinds, 20);
}

#[test]
fn evidence_and_reasons_are_explained() {
    all_explained("kind of evidence", EvidenceKind::ALL.iter().map(|kind| kind.id().to_owned()), 10);
    all_explained("reason for `unknown`", Reason::ALL.iter().map(|reason| reason.id().to_owned()), 9);
    all_explained("verdict", ["safe", "unsafe", "unknown"].map(str::to_owned), 3);
}

/// All names of statistics are explained. They are taken from the statements that use `more`, the map to which
/// engines add their counters.
#[test]
fn statistics_are_explained() {
    let of_statement = |statement: &str| {
        let names = ["insert(", "entry(", "[(", ", (", "    ("];
        names.iter().flat_map(|before| quoted_behind(statement, before).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let of_text = |text: &String| {
        let statements = text.split(';').filter(|s| s.contains(".more") || s.contains("let more"));
        statements.flat_map(of_statement).collect::<Vec<_>>()
    };
    let texts = ["crates", "src"].iter().flat_map(|part| sources(&root().join(part)));
    all_explained("statistic", texts.flat_map(|text| of_text(&text)), 20);
}

#[test]
fn verdicts_are_known_in_capitals_and_slips_are_noticed() {
    assert_eq!(code(&run(&["explain", "UNSAFE"])), 0);
    let output = run(&["explain", "unsave"]);
    assert_eq!(code(&output), 64);
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `unsafe`?"));
}

#[test]
fn words_of_summaries_are_explained() {
    all_explained("word", ["final", "not_read", "not_begun", "shortest", "refutation"].map(str::to_owned), 5);
}

/// The nouns that reports count are explained, and the words of questions about nets.
#[test]
fn terms_are_explained() {
    let parts = ["src/cli/report", "src/cli/evidence", "crates/view/src"];
    let mut texts: Vec<String> = parts.iter().flat_map(|part| sources(&root().join(part))).collect();
    for file in ["report/mod.rs", "report/proof.rs", "report/text.rs", "evidence/accepted.rs"] {
        let path = root().join("src/cli").join(file);
        texts.push(fs::read_to_string(path).expect("it can be read"));
    }
    let nouns = |text: &String| {
        let within =
            |rest: &str| rest.split([';', '\n']).next().unwrap_or_default().split('"').nth(1).map(str::to_owned);
        let calls = text.split("plural(").skip(1).filter_map(within);
        calls.filter(|noun| noun.bytes().all(|b| b.is_ascii_lowercase() || b == b' ')).collect::<Vec<_>>()
    };
    let everyday = ["time", "line", "word", "other marking", "s"];
    let nouns: BTreeSet<String> = texts.iter().flat_map(nouns).filter(|noun| !everyday.contains(&&**noun)).collect();
    assert!(nouns.len() > 12, "{nouns:?}");
    let questions = ["SOUND", "WEAKSOUND", "ONESAFE", "QUASILIVENESS", "LIVENESS", "STABLEMARKING", "REVERSIBLE"];
    let words = nouns.into_iter().chain(questions.map(str::to_owned));
    let unknown: Vec<String> = words.filter(|word| code(&run(&["explain", word])) != 0).collect();
    assert!(unknown.is_empty(), "`impasse explain` does not know: {unknown:?} (src/cli/words/)");
}

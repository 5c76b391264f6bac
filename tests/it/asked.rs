//! Formulas of `--ask`: one that holds is a success and one that does not is a failure, whatever its first operator.
//! The table in `docs/cli.md` has their words and exit codes, and this test compares it with all formats of reports.

use crate::tool::{code, root, run, scratch, stdout};
use std::fs;

const NET: &str = "PLACE a, b, end;\nMARKING a: 1;\nTRANSITION t CONSUME a; PRODUCE b;\n\
    TRANSITION u CONSUME b; PRODUCE a;\nTRANSITION stop CONSUME b; PRODUCE end;\n";

/// The net as a thread-transition system. `a`, `b` and `end` are the shared states.
const THREADS: &str = "3 1\n0 0 -> 1 0\n1 0 -> 0 0\n1 0 -> 2 0\n";

/// Each form of the table, with a formula that holds and one that does not.
const FORMS: [[&str; 3]; 21] = [
    ["EF p", "EF end = 1", "EF end = 2"],
    ["AG p", "AG a + b + end = 1", "AG end = 0"],
    ["EG p", "EG a + b >= 1", "EG end >= 1"],
    ["E (p U q)", "E (a = 1 U b = 1)", "E (b = 1 U end = 1)"],
    ["E (p W q)", "E (a + b = 1 W end = 2)", "E (a = 1 W end = 1)"],
    ["E (p R q)", "E (end = 1 R a + b = 1)", "E (a = 1 R b = 1)"],
    ["E (G F p)", "E (G F a = 1)", "E (G F a + b = 2)"],
    ["NOT AF p", "NOT AF end = 1", "NOT (AF b = 1)"],
    ["NOT A (p U q)", "NOT A (a = 1 U end = 1)", "NOT A (a = 1 U b = 1)"],
    ["EX p", "EX b = 1", "EX a = 1"],
    ["EF EG p", "EF EG end = 1", "EF EG a = 1"],
    ["EF p AND EF q", "EF b = 1 AND EF end = 1", "EF b = 1 AND EF end = 2"],
    ["AF p", "AF b = 1", "AF end = 1"],
    ["A (p U q)", "A (a = 1 U b = 1)", "A (a = 1 U end = 1)"],
    ["G F p", "G F a + end >= 1", "G F a = 1"],
    ["NOT EG p", "NOT EG end >= 1", "NOT EG a + b = 1"],
    ["p", "a = 1", "b = 1"],
    ["AX p", "AX b = 1", "AX a = 1"],
    ["AG EF p", "AGEF (end = 1)", "AG EF a = 1"],
    ["NOT EX p", "NOT EX a = 1", "NOT EX b = 1"],
    ["LIVENESS", "QUASILIVENESS", "LIVENESS"],
];

/// What the table says about a form: word and exit code if it holds, and if it does not.
type Row = [(String, i32); 2];

/// Returns the rows of the table, each with its forms.
fn table() -> Vec<(Vec<String>, Row)> {
    let page = fs::read_to_string(root().join("docs/cli.md")).expect("the page exists");
    let lines = page.lines().skip_while(|line| !line.starts_with("| Formula of `--ask` |")).skip(2);
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<String>>();
        let pair = |at: usize| (quoted(cells[at]).remove(0), cells[at + 1].parse().expect("an exit code"));
        (quoted(cells[0]), [pair(1), pair(3)])
    };
    lines.take_while(|line| line.starts_with('|')).map(row).collect()
}

#[test]
fn a_formula_that_holds_is_a_success_whatever_its_first_operator() {
    let table = table();
    let forms: Vec<&str> = table.iter().flat_map(|(forms, _)| forms).map(String::as_str).collect();
    assert_eq!(forms, FORMS.map(|[form, ..]| form), "the forms of the table in docs/cli.md");
    let dir = scratch("asked");
    for (file, text) in [("loop.lola", NET), ("loop.tts", THREADS)] {
        let path = dir.join(file);
        fs::write(&path, text).expect("the directory can be written");
        let path = path.display().to_string();
        for ([form, right, wrong], row) in FORMS.iter().zip(rows(&table)) {
            for (formula, holds) in [(right, true), (wrong, false)] {
                let (word, exit) = &row[usize::from(!holds)];
                check(&path, &place_names(formula, file), holds, word, *exit, form);
            }
        }
    }
}

/// Returns the row of each form, in the order of the forms.
fn rows(table: &[(Vec<String>, Row)]) -> impl Iterator<Item = &Row> {
    table.iter().flat_map(|(forms, row)| forms.iter().map(move |_| row))
}

/// Returns the formula with the names that the system has.
fn place_names(formula: &str, file: &str) -> String {
    if file.ends_with(".lola") {
        return formula.to_owned();
    }
    let shared = |word: &str| ["a", "b", "end"].iter().position(|place| *place == word);
    let words = formula.split_inclusive(|c: char| !c.is_alphanumeric());
    let word = |text: &str| {
        let (word, sign) = text.split_at(text.trim_end_matches(|c: char| !c.is_alphanumeric()).len());
        shared(word).map_or_else(|| text.to_owned(), |s| format!("s{s}{sign}"))
    };
    words.map(word).collect()
}

/// Checks one formula in all formats.
fn check(path: &str, formula: &str, holds: bool, word: &str, exit: i32, form: &str) {
    let init: &[&str] = if path.ends_with(".tts") { &["--init", "0|0"] } else { &[] };
    let report = |format: &str| run(&[&["check", path, "--ask", formula, "--format", format], init].concat());
    let text = report("text");
    assert_eq!(code(&text), exit, "{path} {form}: {formula}\n{}", stdout(&text));
    assert!(stdout(&text).contains(&format!("ask:1: {word}")), "{form}: {formula}: {}", stdout(&text));
    for (says, other) in [("violates the formula", true), ("satisfies the formula", false)] {
        assert!(!(stdout(&text).contains(says) && holds == other), "{formula}: {}", stdout(&text));
    }
    let json: serde_json::Value = serde_json::from_str(&stdout(&report("json"))).expect("it is JSON");
    assert_eq!(json["properties"][0]["answer"], word.to_lowercase(), "{formula}");
    assert_eq!(json["exit"], exit, "{formula}");
    let junit = stdout(&report("junit"));
    assert_eq!((junit.contains("failures=\"0\""), junit.contains("<failure")), (holds, !holds), "{formula}: {junit}");
    let sarif: serde_json::Value = serde_json::from_str(&stdout(&report("sarif"))).expect("it is JSON");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(usize::from(!holds)), "{formula}");
    let mcc = stdout(&report("mcc"));
    let truth = if holds { "FORMULA ask:1 TRUE" } else { "FORMULA ask:1 FALSE" };
    assert!(mcc.starts_with(truth), "{formula}: {mcc}");
}

/// In files, too, a formula that begins with `E` is a success if it holds, unless it is `EF p`: files do not say
/// whether a marking of p is wanted.
#[test]
fn formulas_of_files_succeed_if_they_hold() {
    let dir = scratch("asked_by_files");
    let net = dir.join("loop.lola");
    fs::write(&net, NET).expect("the directory can be written");
    for (name, text, said, exit) in [
        ("some.formula", "EG a + b >= 1", "HOLDS", 0),
        ("some-false.formula", "EG end >= 1", "FAILS", 13),
        ("next.formula", "FORMULA EX b >= 1;", "HOLDS", 0),
        ("branching.formula", "AG EF (end = 1)", "SAFE", 0),
        ("target.formula", "EF end = 1", "REACHABLE", 10),
        ("no-target.formula", "EF end = 2", "UNREACHABLE", 0),
        ("live.formula", "LIVENESS", "UNSAFE", 13),
        ("most.formula", "MAX end", "1", 0),
        (
            "some.xml",
            "<property-set><property><id>target</id><formula><exists-path><globally><integer-ge><tokens-count>\
             <place>a</place><place>b</place></tokens-count><integer-constant>1</integer-constant></integer-ge>\
             </globally></exists-path></formula></property></property-set>",
            "HOLDS",
            0,
        ),
    ] {
        let file = dir.join(name);
        fs::write(&file, text).expect("the directory can be written");
        let output = run(&["check", &net.display().to_string(), "--target", &file.display().to_string()]);
        assert_eq!(code(&output), exit, "{name}: {}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(stdout(&output).contains(&format!("target: {said} ")), "{name}: {}", stdout(&output));
    }
}

/// One question with a mistake is an error, and the others are answered.
#[test]
fn a_mistaken_question_leaves_the_others_answered() {
    let dir = scratch("asked_mistakes");
    let net = dir.join("loop.lola").display().to_string();
    fs::write(&net, NET).expect("the directory can be written");
    let output =
        run(&["check", &net, "--ask", "AG a <= 1", "--ask", "AG c <= 1", "--ask", "SOUND", "--ask", "EF b = 1"]);
    let said = stdout(&output);
    assert_eq!(code(&output), 65, "{said}");
    for line in ["ask:1: SAFE", "ask:2: UNKNOWN (unsupported)", "ask:3: UNKNOWN (unsupported)", "ask:4: REACHABLE"] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("--ask 2") && errors.contains("--ask 3"), "{errors}");
    // Other commands than `check` begin only if all questions are good.
    assert_eq!(code(&run(&["info", &net, "--ask", "AG c <= 1", "--ask", "AG a <= 1"])), 65);
}

/// A run that decides a formula is shown, and replayed with the same word.
#[test]
fn a_run_that_satisfies_a_formula_is_shown() {
    let dir = scratch("asked_runs");
    let net = dir.join("loop.lola").display().to_string();
    fs::write(&net, NET).expect("the directory can be written");
    let evidence = dir.join("evidence").display().to_string();
    let shown = stdout(&run(&["check", &net, "--ask", "some: EG a + b >= 1", "--evidence", &evidence]));
    assert!(shown.contains("repeat for ever, and the run satisfies the formula."), "{shown}");
    let file = format!("{evidence}/loop.some.evidence.json");
    let replayed = run(&["replay", &net, &file, "--ask", "some: EG a + b >= 1"]);
    assert!(stdout(&replayed).contains("some HOLDS"), "{}", stdout(&replayed));
    let none = stdout(&run(&["check", &net, "--ask", "EG end >= 1"]));
    assert!(none.contains("Runs that may satisfy the formula"), "{none}");
}

//! Tests of comments in Latin-1: files older than UTF-8 have them, and every reader of text with comments
//! accepts them.

use impasse_readers::{Error, Limits, Source, leaves_numbers_open, read, read_cnf, read_goals};

/// Texts in which `@` is replaced by a comment, and `~` marks a position outside of comments.
const TEXTS: &[(&str, &str)] = &[
    ("t.spec", "vars x # @\nrules -> x' = x + 1; ~init x = 0 # @\ntarget x >= 1"),
    ("t.tts", "# @\n1|1\n2 2 # @ @\n~0 0 -> 1 1"),
    ("t.rwb", "rwb 1 # @\nevent a\nthread T { state s { request a } } ~"),
    ("t.lola", "{ @ }PLACE a, \"{b\"; MARKING a;{@\n@} ~TRANSITION t CONSUME a; PRODUCE ;"),
    ("t.c", C),
];

const C: &str = r#"#include <stdio.h> // @
int inputs[] = {1, 2};
int x = 1; /* @
** "@/*/ ~
void calculate_output(int input) {
  // "@
  x = input; printf("%d\n", x);
}
int main() { while (1) { int input; scanf("%d", &input); calculate_output(input); } }
"#;

fn bytes(text: &str, comment: &[u8], code: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text.bytes() {
        match byte {
            b'@' => out.extend_from_slice(comment),
            b'~' => out.extend_from_slice(code),
            other => out.push(other),
        }
    }
    out
}

fn source(name: &str, bytes: Vec<u8>) -> Source {
    Source { name: name.to_owned(), bytes }
}

/// Checks that the error is about the byte 0xE9 outside of comments.
fn expect_refused(error: &Error, text: &[u8]) {
    assert_eq!(error.code(), "input::not-utf8");
    let at = text.iter().rposition(|b| *b == 0xE9).unwrap();
    let start = text[..at].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    let line = 1 + text[..at].iter().filter(|b| **b == b'\n').count();
    assert_eq!(error.line_column(), Some((line, 1 + at - start)));
    assert!(error.to_string().contains("0xE9"), "{error}");
}

#[test]
fn comments_may_be_in_latin_1() {
    for (name, text) in TEXTS {
        let read =
            |comment: &[u8], code: &[u8]| read(source(name, bytes(text, comment, code)), None, &Limits::default());
        let plain = read(b"e", b"").unwrap_or_else(|e| panic!("{name}: {e} {:?}", e.line_column()));
        for comment in [&b"\xe9"[..], b"\xc3", b"\xff\xfe \xf0\x9f\x92"] {
            let foreign = read(comment, b"").unwrap_or_else(|e| panic!("{name}: {e} {:?}", e.line_column()));
            assert_eq!(evidence::hash(&foreign.problem), evidence::hash(&plain.problem), "{name}");
        }
        // Each byte is one character here, so places are the same: all characters after the first are outside of
        // comments.
        expect_refused(&read(b"\xff", b"\xe9").unwrap_err(), &bytes(text, b"\xff", b"\xe9"));
        expect_refused(&read(b"e", b"\xe9").unwrap_err(), &bytes(text, b"e", b"\xe9"));
    }
}

#[test]
fn errors_behind_foreign_comments_have_their_places() {
    let text = b"vars x # \xe9\xe9\nrules init x = 0 # \xc3\ntarget x >= 1,\n y >= 1 # \xe9".to_vec();
    let error = read(source("t.spec", text), None, &Limits::default()).unwrap_err();
    assert_eq!((error.code(), error.line_column()), ("spec::undeclared-variable", Some((4, 2))));
}

#[test]
fn formulas_and_lists_of_goals_may_have_foreign_comments() {
    let cnf = |text: &[u8]| read_cnf(source("t.cnf", text.to_vec()), &Limits::default()).map(|(cnf, _)| cnf);
    assert_eq!(cnf(b"c \xe9\np cnf 1 1\n c\xe9\n1 0\n").unwrap().clauses.len(), 1);
    expect_refused(&cnf(b"c \xff\np cnf 1 1\n1 \xe9 0\n").unwrap_err(), b"c \xff\np cnf 1 1\n1 \xe9 0\n");

    let goals = |model: &str, text: &str, name: &str, goals: &[u8]| {
        let mut problem = read(source(model, text.as_bytes().to_vec()), None, &Limits::default()).unwrap().problem;
        read_goals(source(name, goals.to_vec()), None, &mut problem, &Limits::default()).map(|_| problem)
    };
    let threads = "2 2\n0 0 -> 1 1";
    assert_eq!(goals("t.tts", threads, "t.prop", b"# \xe9\n1|1 # \xe9").unwrap().properties().len(), 1);
    assert_eq!(goals("t.tts", threads, "t.prop", b"1|\xe9").unwrap_err().code(), "input::not-utf8");
    let net = "PLACE p; MARKING p;";
    assert_eq!(goals("t.lola", net, "t.formula", b"{ \xe9 } EF p > 0").unwrap().properties().len(), 1);
    assert_eq!(goals("t.lola", net, "t.formula", b"EF \"{\xe9}\" > 0").unwrap_err().code(), "input::not-utf8");
    let program = C.replace(['@', '~'], "");
    assert_eq!(goals("t.c", &program, "t.ltl", b" # \xe9\n(G ! oX)").unwrap().temporal().len(), 1);
    assert_eq!(goals("t.c", &program, "t.ltl", b"(G ! o\xe9)").unwrap_err().code(), "input::not-utf8");
}

#[test]
fn programs_with_open_numbers_may_have_foreign_comments() {
    let limits = Limits::default();
    assert!(leaves_numbers_open(b"rwb 1 # \xe9\nconst n = * # \xe9\n", &limits));
    assert!(!leaves_numbers_open(b"rwb 1\n# const n = * \xe9\n", &limits));
}

/// Files of SATLIB end with lines that are not in the format. Nothing else may stand there.
#[test]
fn formulas_of_satlib_end_with_percent_and_zero() {
    let cnf = |text: &str| read_cnf(source("t.cnf", text.as_bytes().to_vec()), &Limits::default());
    let (formula, warnings) = cnf("p cnf 2 2\n1 2 0\n-1 2 0\n%\n0\n\n").unwrap();
    assert_eq!((formula.clauses.len(), warnings.len()), (2, 1));
    assert_eq!((warnings[0].code(), warnings[0].line_column()), ("cnf::trailer", Some((4, 1))));
    let wrong = [("%\n0\n1 0\n", 6), ("%\n", 4), ("%\n1 0\n", 4), ("%\n0\n%\n", 6), ("1 %\n0\n", 4)];
    for (end, line) in wrong {
        let error = cnf(&format!("p cnf 2 2\n1 2 0\n-1 2 0\n{end}")).unwrap_err();
        assert!(["cnf::syntax", "cnf::count"].contains(&error.code()), "{end}: {}", error.code());
        assert_eq!(error.line_column().map(|(line, _)| line), Some(line), "{end}");
    }
    assert_eq!(cnf("p cnf 2 2\n1 2 0\n%\n0\n").unwrap_err().code(), "cnf::syntax", "a clause is missing");
}

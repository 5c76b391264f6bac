//! Damaged files end in errors or in programs, never in panics, and every error can be shown.

use crate::{data, read_as};
use impasse_formats::{Error, Limits, Source, evidence, read_cnf};
use miette::{GraphicalReportHandler, GraphicalTheme};

/// A small generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// Pieces to put in the place of others.
const TOKENS: &[&str] = &[
    "rwb",
    "for",
    "in",
    "when",
    "else",
    "thread",
    "state",
    "body",
    "loop",
    "repeat",
    "choose",
    "or",
    "select",
    "on",
    "request",
    "wait",
    "block",
    "sync",
    "bad",
    "end",
    "init",
    "set",
    "const",
    "event",
    "none",
    "*",
    "-",
    "->",
    "..",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "|",
    ",",
    ";",
    "=",
    "==",
    "%",
    "/",
    "0",
    "1",
    "99999999999999999999",
    "a",
    "\"",
    ":",
    "\\",
    "null",
    "[]",
    "{}",
    "\u{0}",
    "\u{fffd}",
    "\r",
    "p cnf",
    "-",
];

fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let end = (at + random.below(12)).min(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let token = TOKENS[random.below(TOKENS.len())].as_bytes().to_vec();
                bytes.splice(at..if random.below(2) == 0 { at } else { end }, token);
            }
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    bytes
}

fn show(error: &Error) {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(100);
    handler.render_report(&mut text, error).unwrap();
    assert!(text.contains(error.code()) && text.len() < 3000, "{text}");
}

#[test]
fn mutations_never_panic() {
    let mut random = Random(1);
    // Small limits: a mutation may well ask for a billion states, and this test wants to go on.
    let limits = Limits { unrolled: 20_000, events: 2000, states: 2000, ..Limits::default() };
    let json = |path: &std::path::Path| {
        let read = read_as("t.rwb", &std::fs::read_to_string(path).unwrap()).unwrap();
        let mut bytes = Vec::new();
        impasse_formats::by_name("json").unwrap().write.unwrap()(&read.problem, &mut bytes).unwrap();
        bytes
    };
    let (mut good, mut refused) = (0, 0);
    for path in data("rwb") {
        for (extension, text) in [("rwb", std::fs::read(&path).unwrap()), ("json", json(&path))] {
            for _ in 0..1500 {
                let source = Source { name: format!("t.{extension}"), bytes: mutated(&text, &mut random) };
                match impasse_formats::read(source, None, &limits) {
                    Ok(_) => good += 1,
                    Err(error) => {
                        refused += 1;
                        show(&error);
                    }
                }
            }
        }
    }
    assert!(good > 500 && refused > 5000, "{good} good, {refused} refused");
}

#[test]
fn mutated_formulas_and_evidence_never_panic() {
    let mut random = Random(2);
    for _ in 0..2000 {
        let bytes = mutated(b"c comment\np cnf 3 4\n1 -2 0\n3 0 -1 2\n-3 0 0\n", &mut random);
        if let Err(error) = read_cnf(Source { name: "t.cnf".to_owned(), bytes }, &Limits::default()) {
            show(&error);
        }
    }
    let (program, claims) = crate::evidence::examples();
    for claim in claims {
        let mut text = Vec::new();
        evidence::write("t.rwb", &program, &claim, &mut text).unwrap();
        for _ in 0..1000 {
            let source = Source { name: "t.json".to_owned(), bytes: mutated(&text, &mut random) };
            if let Err(error) = evidence::read(&source, &program, &Limits::default()) {
                show(&error);
            }
        }
    }
}

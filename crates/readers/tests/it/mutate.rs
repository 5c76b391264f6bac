//! Tests of damaged files: they give errors or programs, never panics, and every error can be shown.

use crate::{data, read_as};
use impasse_readers::{Error, Limits, Source, read_cnf};
use miette::{GraphicalReportHandler, GraphicalTheme};
use model::{Claim, Problem};
use std::sync::Arc;
use testkit::Random;

/// Tokens that replace tokens of the damaged file.
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
    "class",
    "assume",
    "const n = *",
    "e[i]",
    "e[n]",
    "length",
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
    ">=",
    "'",
    "+",
    "+>",
    "~>",
    "vars",
    "rules",
    "target",
    "invariants",
    "true",
    "\n",
    "-",
];

pub(crate) fn mutated(text: &[u8], random: &mut Random) -> Vec<u8> {
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

pub(crate) fn show(error: &Error) {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none()).with_width(100);
    handler.render_report(&mut text, &error.headed()).unwrap();
    assert!(text.contains(error.code()) && text.len() < 3000, "{text}");
}

/// True if the program has arbitrarily many threads.
fn is_open(path: &std::path::Path) -> bool {
    path.to_string_lossy().ends_with("_any.rwb")
}

#[test]
fn mutations_never_panic() {
    let mut random = Random::new(1);
    // The limits are small, because a mutation may declare a billion states, which would take too long here.
    let limits = Limits { unrolled: 20_000, events: 2000, states: 2000, ..Limits::default() };
    let json = |path: &std::path::Path| {
        let read = read_as("t.rwb", &std::fs::read_to_string(path).unwrap()).unwrap();
        let mut bytes = Vec::new();
        impasse_readers::by_name("json").unwrap().write.unwrap()(&read.problem, &mut bytes).unwrap();
        bytes
    };
    let (mut good, mut refused) = (0, 0);
    for path in data("rwb").into_iter().chain(data("../../examples").into_iter().filter(|p| is_open(p))) {
        let text = ("rwb", std::fs::read(&path).unwrap());
        let texts = if is_open(&path) { vec![text] } else { vec![text, ("json", json(&path))] };
        for (extension, text) in texts {
            for _ in 0..1500 {
                let source = Source { name: format!("t.{extension}"), bytes: mutated(&text, &mut random) };
                match impasse_readers::read(source, None, &limits) {
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
    let mut random = Random::new(2);
    for _ in 0..2000 {
        let bytes = mutated(b"c comment\np cnf 3 4\n1 -2 0\n3 0 -1 2\n-3 0 0\n", &mut random);
        if let Err(error) = read_cnf(Source { name: "t.cnf".to_owned(), bytes }, &Limits::default()) {
            show(&error);
        }
    }
    for proof in [crate::lrat::TEXT.as_bytes(), crate::lrat::BINARY] {
        for _ in 0..2000 {
            if let Err(error) = crate::lrat::read(&mutated(proof, &mut random)) {
                show(&error);
            }
        }
    }
    let (program, claims) = crate::evidence::examples();
    let program = Problem::of_program(Arc::new(program));
    let (net, net_claims) = crate::net_evidence::net_examples();
    let (threads, thread_claims) = crate::net_evidence::thread_examples();
    let (circuit, circuit_claims) = crate::circuit_evidence::examples();
    let about = |problem: Problem, claims: Vec<Claim>| claims.into_iter().map(move |claim| (problem.clone(), claim));
    let all = about(program, claims).chain(about(net, net_claims)).chain(about(threads, thread_claims));
    let all = all.chain(about(circuit, circuit_claims));
    for (problem, claim) in all {
        let mut text = Vec::new();
        evidence::write("t.rwb", &problem, &claim, &mut text).unwrap();
        for _ in 0..1000 {
            let source = Source { name: "t.json".to_owned(), bytes: mutated(&text, &mut random) };
            if let Err(error) = evidence::read(&source, &problem, &Limits::default()) {
                show(&error);
            }
        }
    }
}

const PNML: &str = "<?xml version='1.0'?><pnml xmlns='u'><net id='n' type='ptnet'><page \
                    id='g'><name><text>x</text></name>
<place id='p'><initialMarking><text>2</text></initialMarking></place><place id='q'/><referencePlace id='r' ref='p'/>
<transition id='t'><graphics/></transition><arc id='a' source='r' \
target='t'><inscription><text>3</text></inscription></arc>
<arc id='b' source='q' target='t'><type value='inhibitor'/></arc><arc id='c' source='t' \
target='q'/></page></net></pnml>";
const PROPERTIES: &str = "<property-set><property><id>x</id><description>d</description><formula><all-paths><globally>
<conjunction><negation><deadlock/></negation>\
<exclusive-disjunction><is-fireable><transition>t</transition></is-fireable>
<integer-le><integer-difference><tokens-count><place>p</place></tokens-count><integer-constant>1</integer-constant>
</integer-difference><integer-constant>&#50;</integer-constant></integer-le></exclusive-disjunction></conjunction>
</globally></all-paths></formula></property></property-set>";
const LOLA: &str =
    "{ c } PLACE SAFE 2: p, q; MARKING p: 2, q; TRANSITION t STRONG FAIR CONSUME p: 2; PRODUCE q, \"q\": 3;";
const FORMULA: &str = "EF ((p >= 2 AND NOT q = 1) OR FIREABLE(t) -> 2 * p + 1 < q - 3 <-> DEADLOCK XOR TRUE);";

/// Tokens of these formats.
const NET_TOKENS: &[&str] = &[
    "<place id='p'/>",
    "<page>",
    "</page>",
    "<arc source='p' target='t'/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#",
    "&x;",
    "<!DOCTYPE",
    "<?",
    "?>",
    "'",
    "\"",
    "<",
    ">",
    "/>",
    "=",
    "<true/>",
    "<deadlock/>",
    "</conjunction>",
    "EF",
    "(",
    ")",
    "AND",
    "OR",
    "NOT",
    "->",
    "-",
    "*",
    "p",
    "t",
    "0",
    "99999999999999999999",
    ";",
    ":",
    ",",
    "{",
    "}",
    "PLACE",
    "MARKING",
];

#[test]
fn mutated_nets_and_their_goals_never_panic() {
    let mut random = Random::new(3);
    let whole = impasse_readers::read(Source { name: "t.pnml".into(), bytes: PNML.into() }, None, &Limits::default());
    let whole = whole.unwrap().problem;
    let (mut good, mut refused) = (0, 0);
    for (name, text) in [("t.pnml", PNML), ("t.xml", PROPERTIES), ("t.lola", LOLA), ("t.formula", FORMULA)] {
        for round in 0..4000 {
            let mut bytes = if round == 0 { text.into() } else { mutated(text.as_bytes(), &mut random) };
            if round % 2 == 1 {
                let (at, word) = (random.below(bytes.len()), NET_TOKENS[random.below(NET_TOKENS.len())]);
                bytes.splice(at..at, word.bytes());
            }
            let source = Source { name: name.to_owned(), bytes };
            let limits = Limits::default();
            let result = if name.ends_with("xml") || name.ends_with("formula") {
                impasse_readers::read_goals(source, None, &mut whole.clone(), &limits).map(drop)
            } else {
                impasse_readers::read(source, None, &limits).map(drop)
            };
            match result {
                Err(error) => {
                    assert!(round > 0, "{error}");
                    refused += 1;
                    show(&error);
                }
                Ok(()) => good += 1,
            }
        }
    }
    assert!(good > 100 && refused > 8000, "{good} good, {refused} refused");
}

/// A line break inside of a string is an error at the byte before it, which belongs to a longer character here.
#[test]
fn a_mistake_behind_a_long_character_is_an_error() {
    let error = crate::read_as("t.json", "{\"a\":1,\"\u{fffd}\n\"}").unwrap_err();
    assert_eq!(error.code(), "json::syntax");
}

//! Tests of lists of temporal formulas: both layouts, precedence, and what is refused.

use crate::read_as;
use impasse_readers::{Ask, Error, Limits, Source, ask, fair, properties, read_goals};
use model::{Goal, Letter, Ltl, LtlId, LtlNode};
use proptest::prelude::*;

fn list(text: &str) -> Vec<Ltl> {
    properties("t.txt", text, &Limits::default()).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()))
}

fn refusal(text: &str) -> (&'static str, (usize, usize)) {
    let error = properties("t.txt", text, &Limits::default()).expect_err(text);
    (error.code(), error.line_column().expect(text))
}

/// Returns a formula as text with every operator in brackets.
fn full(formula: &Ltl, id: LtlId) -> String {
    let of = |a| full(formula, a);
    let letter = |n: i32| model::reactive::letter(n);
    match formula.node(id) {
        LtlNode::Constant(truth) => truth.to_string(),
        LtlNode::Letter(Letter::Input(n)) => format!("i{}", letter(n)),
        LtlNode::Letter(Letter::Output(n)) => format!("o{}", letter(n)),
        LtlNode::Letter(other) => panic!("{other:?} is of another kind of system"),
        LtlNode::Not(a) => format!("(! {})", of(a)),
        LtlNode::Next(a) => format!("(X {})", of(a)),
        LtlNode::Globally(a) => format!("(G {})", of(a)),
        LtlNode::Finally(a) => format!("(F {})", of(a)),
        LtlNode::And(a, b) => format!("({} & {})", of(a), of(b)),
        LtlNode::Or(a, b) => format!("({} | {})", of(a), of(b)),
        LtlNode::Until(a, b) => format!("({} U {})", of(a), of(b)),
        LtlNode::WeakUntil(a, b) => format!("({} WU {})", of(a), of(b)),
        LtlNode::Release(a, b) => format!("({} R {})", of(a), of(b)),
    }
}

fn shown(text: &str) -> Vec<String> {
    list(text).iter().map(|f| full(f, f.root())).collect()
}

#[test]
fn both_layouts_are_read() {
    let dashed =
        "(! oZ WU (oU & ! oZ))\noutput U occurs before output Z\n-----\n\n(G (! iC | (F oZ)))\nR (a trap\n---\n";
    assert_eq!(shown(dashed), ["((! oZ) WU (oU & (! oZ)))", "(G ((! iC) | (F oZ)))"]);
    let numbered = "#inputs [A, B]\n#outputs [X]\n#0: output U: never\n(false R ! oU)\n\n#1: oZ\r\n(true U oZ)\r\n";
    assert_eq!(shown(numbered), ["(false R (! oU))", "(true U oZ)"]);
    assert_eq!(shown("oA\nX i27"), ["oA", "(X i27)"]);
    assert!(list("# nothing\n\n").is_empty());
}

#[test]
fn signs_bind_tightest_and_temporal_operators_group_to_the_right() {
    assert_eq!(shown("! iA & X iB | iC U iD R iE"), ["((((! iA) & (X iB)) | iC) U (iD R iE))"]);
    assert_eq!(shown("iA | iB | iC & iD"), ["((iA | iB) | (iC & iD))"]);
    assert_eq!(shown("X ! G F iA U iB"), ["((X (! (G (F iA)))) U iB)"]);
    assert_eq!(shown("iA | iB -> iC U iD -> iE"), ["((! (iA | iB)) | ((! (iC U iD)) | iE))"]);
    assert_eq!(shown("iA <-> iB"), ["((iA & iB) | ((! iA) & (! iB)))"]);
}

#[test]
fn equal_parts_are_one_node() {
    assert_eq!(list("((iA & oZ) | (iA & oZ))")[0].nodes().len(), 4);
}

#[test]
fn refusals_name_the_place() {
    assert_eq!(refusal("#0: x\n(iA & )"), ("ltl::syntax", (2, 7)));
    assert_eq!(refusal("(iA & oB"), ("ltl::syntax", (1, 1)));
    assert_eq!(refusal("iA & oB)"), ("ltl::syntax", (1, 8)));
    assert_eq!(refusal("iA oB"), ("ltl::syntax", (1, 4)));
    assert_eq!(refusal("oZ U"), ("ltl::syntax", (1, 5)));
    assert_eq!(refusal("(iA = oB)"), ("ltl::syntax", (1, 5)));
    assert_eq!(refusal("iAB"), ("ltl::proposition", (1, 1)));
    assert_eq!(refusal("zA"), ("ltl::proposition", (1, 1)));
    assert_eq!(refusal("#0: a\niA\n#2: b\niB"), ("ltl::number", (3, 1)));
}

#[test]
fn nothing_recurses() {
    const DEEP: usize = 300_000;
    list(&format!("{}iA{}", "(".repeat(DEEP), ")".repeat(DEEP)));
    list(&format!("{}iA", "X ".repeat(DEEP)));
    list(&format!("iA{}", " U iA".repeat(DEEP)));
}

#[test]
fn formulas_are_asked_beside_the_labels() {
    let text = "int inputs[] = {1};\nint x;\nvoid f(int input) { if (x) { error_4: assert(0); } }
int main() { while (1) { int input; scanf(\"%d\", &input); f(input); } }";
    let mut problem = read_as("t.c", text).unwrap().problem;
    let source = |name: &str, text: &str| Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    for _ in 0..2 {
        read_goals(source("p.txt", "oZ\niA"), None, &mut problem, &Limits::default()).unwrap();
        let ids: Vec<&str> = problem.properties().iter().map(|p| p.id.as_str()).collect();
        assert_eq!(ids, ["error:4", "ltl:0", "ltl:1"]);
        assert_eq!((problem.temporal().len(), problem.kind(&problem.properties()[2])), (2, "ltl"));
        assert!(matches!(problem.properties()[1].goal, Goal::Temporal(_)));
    }
    assert_eq!(
        read_goals(source("p.txt", "#\n"), None, &mut problem, &Limits::default()).unwrap_err().code(),
        "input::empty"
    );
    let mut net = read_as("t.spec", "vars x rules init x = 0 target x >= 2").unwrap().problem;
    let refused = read_goals(source("p.txt", "oZ"), None, &mut net, &Limits::default()).unwrap_err();
    assert_eq!(refused.code(), "goals::wrong-system");
}

fn formula() -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![Just("true".to_owned()), Just("iA".to_owned()), Just("oZ".to_owned()), Just("i31".to_owned())];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let binary = prop_oneof![Just("&"), Just("|"), Just("U"), Just("WU"), Just("R")];
        let unary = prop_oneof![Just("!"), Just("X"), Just("G"), Just("F")];
        prop_oneof![
            (inner.clone(), binary, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (unary, inner).prop_map(|(op, a)| format!("({op} {a})")),
        ]
    })
}

proptest! {
    #[test]
    fn formulas_are_read_back(text in formula()) {
        prop_assert_eq!(shown(&text), [text]);
    }

    #[test]
    fn anything_is_read_or_refused(text in "[iofXUWGRF!&|()AZ# \n-]{0,60}") {
        let _ = properties("t.txt", &text, &Limits::default());
    }
}

/// Returns the answer to a question about a program with these events, each requested by a thread of its own.
fn asked(events: &[&str], question: &str) -> Result<(String, Vec<Letter>), Box<Error>> {
    let of = |(i, event): (usize, &&str)| format!("bp.registerBThread('T{i}', () => bp.sync({{request: {event}}}));");
    let text: String = events.iter().enumerate().map(of).collect();
    let mut problem = read_as("t.js", &text).expect("a program").problem;
    match ask(&mut problem, question, 1, &Limits::default())? {
        Ask::Property(property) => Ok((property.id, problem.temporal()[0].letters().collect())),
        Ask::Unsupported { error, .. } => Err(error),
    }
}

fn misread(events: &[&str], question: &str) -> (&'static str, String, String) {
    let error = asked(events, question).map(|_| ()).expect_err(question);
    let help = miette::Diagnostic::help(error.as_ref()).map(|help| help.to_string());
    (error.code(), error.to_string(), help.unwrap_or_default())
}

const MOVES: [&str; 3] =
    ["bp.Event('move', {x: 1, p: 'X'})", "bp.Event('move', {x: 2, p: '):\"'})", "bp.Event('t', [1, 2])"];

#[test]
fn the_data_of_an_event_are_part_of_its_name() {
    let first = |question: &str| asked(&MOVES, question).unwrap_or_else(|e| panic!("{e} {question}"));
    let (id, letters) = first(r#"G !move({"p":"X","x":1})"#);
    assert_eq!((id.as_str(), letters.len()), ("ask:1", 1));
    assert_eq!(first(r#"q: G !move({ "x": 1, "p": "X" })"#), ("q".to_owned(), letters.clone()));
    let second = first(r#"G !move({"x":2,"p":"):\""})"#).1;
    assert!(second.len() == 1 && second != letters);
    assert_eq!(first("q.1 : F move").1.len(), 2);
    assert_eq!(first("F move(*)").1.len(), 2);
    assert_eq!(first("F t(*)").1.len(), 1);
    assert_eq!(misread(&MOVES, r#"F move({"p":"X","x":3})"#).0, "ltl::proposition");
    assert_eq!(misread(&MOVES, "a b: F move").0, "ask::name");
}

#[test]
fn words_of_the_language_that_are_names_of_events_are_ambiguous() {
    let events = ["bp.Event('hot')", "bp.Event('bad')", "bp.Event('true')", "bp.Event('ready(T0)')"];
    for word in ["hot", "bad", "true", "ready(T0)"] {
        let (code, _, help) = misread(&events, &format!("F {word}"));
        assert_eq!((code, help.contains(&format!("`\"{word}\"`"))), ("ltl::proposition", true), "{word}: {help}");
    }
    let only = |question: &str| asked(&events, question).expect(question).1;
    assert!(matches!(only("F \"hot\"")[..], [Letter::Event(_)]));
    assert_eq!(only("F hot()"), [Letter::SomeHot]);
    assert_eq!(only("F bad()"), [Letter::Bad]);
    assert!(matches!(only("F ready(\"T0\")")[..], [Letter::Ready(_)]));
    assert!(matches!(only("F \"ready(T0)\"")[..], [Letter::Event(_)]));
    assert_eq!(only("F end"), [Letter::End]);
    assert!(matches!(only("F hot(T0)")[..], [Letter::Hot(_)]));
}

#[test]
fn words_of_other_languages_have_a_hint() {
    let events = ["bp.Event('a')"];
    let hint = |question: &str| misread(&events, question).2;
    assert_eq!(hint("[] a"), "write `G` for `[]`");
    assert_eq!(hint("<>a"), "write `F` for `<>`");
    assert_eq!(hint("not a"), "write `!` for `not`");
    assert_eq!(hint("GF a"), "write `G F`");
    assert_eq!(hint("TRUE"), "write `true`");
    assert!(hint("AG a").contains("`G a`"));
    assert!(misread(&events, "a a").1.contains("`->` or `<->`, found"));
    assert!(misread(&events, "(a a").1.contains("`<->` or `)`, found"));
    assert!(misread(&events, "F \"a").1.ends_with("the quote is never closed"));
    assert_eq!(misread(&events, &format!("{}a", "!".repeat(20_000))).0, "ltl::too-large");
}

#[test]
fn assumptions_name_a_thread_or_an_event() {
    let fairness = |assumption: &str| {
        let text = "bp.registerBThread('T', () => bp.sync({request: bp.Event('move', {x: 1, p: 'X'})}));";
        let mut problem = read_as("t.js", text).expect("a program").problem;
        fair(&mut problem, assumption, &Limits::default()).map_err(|e| e.code())?;
        Ok::<_, &str>(problem.fairness().len())
    };
    for empty in ["", " ", "strong:", "event:", "strong:event: "] {
        assert_eq!(fairness(empty), Err("input::empty"), "{empty}");
    }
    assert_eq!(fairness("strong:T"), Ok(1));
    assert_eq!(fairness(r#"event:move({"p":"X","x":1})"#), Ok(1));
    assert_eq!(fairness(r#"event:move({"x":1, "p":"X"})"#), Ok(1));
}

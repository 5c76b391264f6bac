//! Tests of lists of temporal formulas: both layouts, precedence, and what is refused.

use crate::read_as;
use impasse_formats::{Limits, Source, properties, read_goals};
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

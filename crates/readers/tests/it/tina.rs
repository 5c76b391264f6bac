//! Tests of Tina's textual nets.

use crate::pnml::{net, problem, written};
use crate::read_as;
use impasse_readers::{Error, Read};
use model::{Guard, Net, Place, PlaceId, Range, Transition};
use num_bigint::BigUint;

fn ok(text: &str) -> Read {
    read_as("t.net", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()))
}

fn net_of(text: &str) -> Net {
    let read = ok(text);
    assert!(read.warnings.is_empty(), "{text}");
    net(&read.problem).clone()
}

fn place(name: &str, tokens: u32) -> Place {
    Place { name: name.to_owned(), initial: Range::exactly(tokens) }
}

fn arcs(places: &[(u32, u32)]) -> Vec<(PlaceId, BigUint)> {
    places.iter().map(|(place, weight)| (PlaceId(*place), BigUint::from(*weight))).collect()
}

fn transition(name: &str, pre: &[(u32, u32)], post: &[(u32, u32)]) -> Transition {
    Transition::from_arcs(name.to_owned(), &arcs(pre), &arcs(post))
}

#[test]
fn nets_are_read() {
    let net = net_of(
        "# a comment\nnet {my net}\n\ntr t1 p1 p2*2 -> p3 p4 p5  # another one\n \
         tr t2 : {a \\} b} [ 0 , w [ p4 -> p2*3\n\
         tr t3 : a p5 ->\r\n\tp2\ntr t4 ->\npl p1 (1)\npl p2 : {} (2)\nnt n1 0 {a note\nof \\{two\\} lines}\n\
         lb t3 c\nlb p6 d\n\
         pl p6",
    );
    let places = [place("p1", 1), place("p2", 2), place("p3", 0), place("p4", 0), place("p5", 0), place("p6", 0)];
    assert_eq!(net.places(), places);
    let transitions = [
        transition("t1", &[(0, 1), (1, 2)], &[(2, 1), (3, 1), (4, 1)]),
        transition("t2", &[(3, 1)], &[(1, 3)]),
        transition("t3", &[(4, 1)], &[(1, 1)]),
        transition("t4", &[], &[]),
    ];
    assert_eq!(net.transitions(), transitions);
}

#[test]
fn declarations_add_up() {
    let net = net_of(
        "pl p (1) t -> u*2\ntr t p -> q\npl p (2)\ntr t p p*3 -> q\nlb q {x y}\npl q (0)\ntr u [0,w[\ntr u [00,w[",
    );
    assert_eq!(net.places(), [place("p", 3), place("q", 0)]);
    let expected = [transition("t", &[(0, 5)], &[(0, 1), (1, 2)]), transition("u", &[(0, 2)], &[])];
    assert_eq!(net.transitions(), expected);
}

/// The guards of the only transition of `tr t INPUTS -> OUTPUTS`, with the changes of the places p, q, ...
fn guards(text: &str) -> (Vec<Guard>, Vec<i64>) {
    let net = net_of(&format!("pl p pl q {text}"));
    let transition = &net.transitions()[0];
    let change = |p| transition.effect(PlaceId(p)).map_or(0, |e| i64::try_from(e.delta().unwrap()).unwrap());
    (transition.guards.clone(), (0..2).map(change).collect())
}

#[test]
fn test_and_inhibitor_arcs_are_guards() {
    let guard = |place, at_least: u32, at_most: Option<u32>| Guard {
        place: PlaceId(place),
        range: Range { at_least: at_least.into(), at_most: at_most.map(Into::into) },
    };
    assert_eq!(guards("tr t p?2 -> q"), (vec![guard(0, 2, None)], vec![0, 1]));
    assert_eq!(guards("tr t p?-2 -> q"), (vec![guard(0, 0, Some(1))], vec![0, 1]));
    assert_eq!(guards("tr t p ? - 1 ->"), (vec![guard(0, 0, Some(0))], vec![0, 0]));
    assert_eq!(guards("tr t p*2 p?3 p?-5 -> p"), (vec![guard(0, 3, Some(4))], vec![-1, 0]));
    assert_eq!(guards("tr t p*4 p?3 q?-1 -> q*2"), (vec![guard(0, 4, None), guard(1, 0, Some(0))], vec![-4, 2]));
    // The same arcs, as a place declares them.
    assert_eq!(guards("pl p t*3 -> t?2 pl q -> t?-2"), (vec![guard(0, 2, None), guard(1, 0, Some(1))], vec![3, 0]));
}

#[test]
fn numbers_have_any_size_and_multipliers() {
    let tokens = |text: &str| net_of(&format!("pl p ({text})")).place(PlaceId(0)).initial.clone();
    for (at, letter) in ["", "K", "M", "G", "T", "P", "E"].iter().enumerate() {
        assert_eq!(tokens(&format!("12{letter}")), Range::exactly(BigUint::from(10u8).pow(3 * at as u32) * 12u8));
    }
    assert_eq!(tokens(&"9".repeat(9000)), Range::exactly(BigUint::from(10u8).pow(9000) - 1u8));
    assert_eq!(guards("tr t p*2K -> q*1M").1, [-2000, 1_000_000]);
    let large = net_of("tr t p*4294967296 -> p*18446744073709551616E q*2147483648");
    let number = |shift: u32| BigUint::from(1u8) << shift;
    let post = [(PlaceId(0), number(64) * BigUint::from(10u8).pow(18)), (PlaceId(1), number(31))];
    assert_eq!(large.transitions()[0], Transition::from_arcs("t".to_owned(), &[(PlaceId(0), number(32))], &post));
}

#[test]
fn names_in_braces_are_names() {
    let net = net_of("tr {a b} {net} {a \\{\\}\\\\} -> {#} {p} 2'\npl p (1)\npl {tr} (0) -> é\n");
    let names: Vec<&str> = net.places().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["net", "a {}\\", "#", "p", "2'", "tr"]);
    assert_eq!(net.places()[3], place("p", 1));
    assert_eq!(net.transitions().iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["a b", "é"]);
    // A transition may have the name of a place.
    assert_eq!(net_of("tr a a -> b").places().len(), 2);
}

#[test]
fn comments_may_be_in_any_encoding() {
    let source = |text: &[u8]| impasse_readers::Source { name: "t.net".to_owned(), bytes: text.to_vec() };
    let read = |text: &[u8]| impasse_readers::read(source(text), None, &impasse_readers::Limits::default());
    assert!(read(b"# \xe9t\xe9\ntr t p -> q\n").is_ok());
    assert_eq!(read(b"tr t {\xe9} -> q\n").unwrap_err().code(), "input::not-utf8");
}

#[test]
fn broken_nets_are_refused() {
    for (text, code) in [
        ("", "input::empty"),
        ("# only\n", "input::empty"),
        ("net x nt n 0 {tr t p -> q}", "input::empty"),
        ("p q", "tina::syntax"),
        ("tr", "tina::syntax"),
        ("tr t p", "tina::syntax"),
        ("tr t p -> q -> r", "tina::syntax"),
        ("tr t p -> q tr", "tina::syntax"),
        ("tr tr p -> q", "tina::syntax"),
        ("tr t : -> q", "tina::syntax"),
        ("tr t p*2 (1) -> q", "tina::syntax"),
        ("pl p (1", "tina::syntax"),
        ("pl p (1) (2)", "tina::syntax"),
        ("pl p (1) : a", "tina::syntax"),
        ("pl p t", "tina::syntax"),
        ("nt n 2 {x}", "tina::syntax"),
        ("nt n 0", "tina::syntax"),
        ("lb p", "tina::syntax"),
        ("net", "tina::syntax"),
        ("an x", "tina::syntax"),
        ("tr t p -> q;", "tina::syntax"),
        ("tr t p-1 -> q", "tina::syntax"),
        ("tr t [0,w] p -> q", "tina::syntax"),
        ("tr t [0,1( p -> q", "tina::syntax"),
        ("tr t [0;1] p -> q", "tina::syntax"),
        ("tr t {} -> q", "tina::name"),
        ("tr t {a\nb} -> q", "tina::name"),
        ("tr t {a\\b} -> q", "tina::name"),
        ("tr t {a{b} -> q", "tina::name"),
        ("tr t {a", "tina::name"),
        ("tr t {a\\}", "tina::name"),
        ("TR t p -> q", "tina::keyword"),
        ("tr t Net -> q", "tina::keyword"),
        ("pl p (x)", "tina::number"),
        ("pl p (K)", "tina::number"),
        ("pl p (1KM)", "tina::number"),
        ("pl p (1k)", "tina::number"),
        ("pl p ({1})", "tina::number"),
        ("pl p (-1)", "tina::number"),
        ("pl p ()", "tina::number"),
        ("tr t p*-1 -> q", "tina::number"),
        ("tr t p* -> q", "tina::number"),
        ("tr t p? -> q", "tina::number"),
        ("tr t p?0 -> q", "tina::number"),
        ("tr t p?-0 -> q", "tina::number"),
        ("tr t p*0K -> q", "tina::number"),
        ("tr t [x,w[ -> q", "tina::number"),
        ("tr t [0,x[ -> q", "tina::number"),
        ("tr t p -> q?2", "tina::arc-direction"),
        ("tr t p -> q?-2", "tina::arc-direction"),
        ("tr t p -> q!2", "tina::arc-direction"),
        ("pl p t?2 ->", "tina::arc-direction"),
        ("tr t p?2 p?2 ->", "tina::repeated-arc"),
        ("tr t p?-2 -> tr u p -> pl p -> t?-3", "tina::repeated-arc"),
        ("lb p a tr t q ->", "tina::unknown-name"),
        ("tr t [0,3] p -> q", "tina::time"),
        ("tr t [1,w[ p -> q", "tina::time"),
        ("tr t ]0,w[ p -> q", "tina::time"),
        ("tr t ]2,6[", "tina::time"),
        ("tr t [0,w[ p -> q tr t [0,0]", "tina::time"),
        ("tr t p!2 -> q", "tina::stopwatch"),
        ("tr t p!-2 -> q", "tina::stopwatch"),
        ("pl p -> t!2", "tina::stopwatch"),
        ("tr t p -> q tr u p -> q pr t < u", "tina::priority"),
        ("pr a b > c d", "tina::priority"),
    ] {
        let error = read_as("t.net", text).expect_err(text);
        assert_eq!(error.code(), code, "{text}");
        let explained = error.line_column().is_some() && (code == "input::empty" || error.help_text().is_some());
        assert!(explained || code == "tina::number" || code == "tina::syntax", "{text}: no place or no hint");
        assert_eq!(error.all().count(), 1, "{text}");
    }
    let long = format!("pl p ({})", "1".repeat(9990));
    assert_eq!(read_as("t.net", &long.replace(')', "E)")).unwrap_err().code(), "limit::digits");
    assert!(read_as("t.net", &long.replace(')', "G)")).is_ok());
}

/// Time, priorities and stopwatch arcs: one error for each of the three, however often they occur.
#[test]
fn all_unsupported_features_are_told_once() {
    let text = "tr t [0,1] p!2 -> q\ntr u [1,1] p!-2 ->\npr t > u\npr u > t\n";
    let error = read_as("t.net", text).unwrap_err();
    let told: Vec<_> = error.all().map(|e| (e.code(), e.line_column().unwrap())).collect();
    assert_eq!(told, [("tina::time", (1, 6)), ("tina::stopwatch", (1, 12)), ("tina::priority", (3, 1))]);
    assert!(error.all().all(|e| e.help_text().is_some()));
    // A mistake behind them is told, too.
    let error = read_as("t.net", &format!("{text}tr")).unwrap_err();
    assert_eq!(error.all().map(Error::code).last(), Some("tina::syntax"));
    for text in ["pr t > ", "pr t u", "pr > t", "tr t [0,1] p!2"] {
        assert_eq!(read_as("t.net", text).unwrap_err().all().map(Error::code).last(), Some("tina::syntax"), "{text}");
    }
}

#[test]
fn transitions_that_never_fire_are_kept() {
    let text = "tr t p*2 p?-2 -> q\ntr u p ->\ntr v q?1 q?-1 ->\n";
    let read = ok(text);
    let net = net(&read.problem);
    assert_eq!(net.places().len(), 2, "no place is added");
    let forbidden: Vec<bool> = net.transitions().iter().map(model::Transition::is_forbidden).collect();
    assert_eq!(forbidden, [true, false, true]);
    assert!(written(&read.problem, "tina").unwrap().contains("tr t p*2 p?-2 -> q\n"));
    let refused = written(&read.problem, "spec").unwrap_err().to_string();
    assert!(refused.contains("whose arcs contradict each other"), "{refused}");
    let told: Vec<String> = read.warnings.iter().map(|w| format!("{} {w}", w.code())).collect();
    assert_eq!(told, ["tina::never-enabled t.net:1:6: the transition `t` can never fire, and neither can another one"]);
}

#[test]
fn nets_are_written() {
    let text = "pl p (3)\npl {a b}\npl {Net} (1)\ntr t p*2 {a b} p?-4 -> p {Net}*5\n\
                tr {a b_} {a b} {Net}?-1 -> {a b}\ntr u ->\n";
    let read = ok(&text.replace("{a b_}", "{a b}"));
    assert_eq!(written(&read.problem, "tina").unwrap(), text);
    let back = ok(text).problem;
    assert_eq!(net(&back).places(), net(&read.problem).places());
    for (name, what) in [("", "empty"), ("a\nb", "control")] {
        let net = Net::new(vec![place(name, 0)], vec![]).unwrap();
        let refused = written(&problem(net), "tina").unwrap_err().to_string();
        assert!(refused.contains("is empty or has control characters"), "{what}: {refused}");
    }
    let refused = |spec: &str| {
        let read = read_as("t.spec", &format!("{spec} target x >= 1")).unwrap();
        written(&read.problem, "tina").unwrap_err().to_string()
    };
    assert!(refused("vars x rules init x >= 1").contains("no fixed number of tokens"));
    assert!(refused("vars x y rules true -> x' = 0; init x = 1, y = 0").contains("`r1` resets `x`"));
    assert!(refused("vars x y rules true -> x' = 2; init x = 1, y = 0").contains("`r1` assigns a constant to `x`"));
    assert!(
        refused("vars x y rules true -> x' = x + y, y' = 0; init x = 1, y = 0").contains("transfers tokens to `x`")
    );
    assert!(written(&problem(Net::new(vec![], vec![]).unwrap()), "tina").is_err());
    let ending = net_of("tr t p -> q").with_finals(vec![vec![(PlaceId(1), 1u8.into())]]);
    for format in ["tina", "lola"] {
        assert!(written(&problem(ending.clone()), format).unwrap_err().to_string().contains("final markings"));
    }
}

//! Tests of `.spec` files: their meaning, and what is refused.

use crate::read_as;
use impasse_readers::{Read, WriteError, apply_init, by_name, codes};
use model::{Formula, FormulaBuilder, Goal, Net, Node, PlaceId, Problem, Range, SystemModel, Transition};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

pub(crate) fn net(problem: &Problem) -> &Net {
    let SystemModel::Net(net) = problem.system() else { panic!("no net") };
    net
}

fn ok(text: &str) -> Read {
    read_as("t.spec", text).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.line_column()))
}

/// Returns the first rule of a file with the variables x, y and z.
fn rule(text: &str) -> Transition {
    let text = format!("vars x y z rules {text} init x >= 0, y >= 0, z >= 0 target x >= 1");
    net(&ok(&text).problem).transitions()[0].clone()
}

/// Returns the code and line of the error.
fn refusal(text: &str) -> (&'static str, usize) {
    let error = read_as("t.spec", text).expect_err(text);
    assert!(codes::find(error.code()).is_some());
    (error.code(), error.line_column().expect(text).0)
}

/// Returns the code of the error in a rule.
fn wrong_rule(text: &str) -> &'static str {
    refusal(&format!("vars x y z rules {text} init x = 0, y = 0, z = 0 target x >= 1")).0
}

fn effect(transition: &Transition, place: u32) -> (Vec<u32>, i64) {
    let effect = transition.effect(PlaceId(place)).expect("an effect");
    (effect.sources.iter().map(|p| p.0).collect(), i64::try_from(&effect.add).unwrap())
}

fn warnings(text: &str) -> Vec<&'static str> {
    ok(text).warnings.iter().map(|w| w.code()).collect()
}

pub(crate) fn written(format: &str, problem: &Problem) -> Result<String, String> {
    let mut out = Vec::new();
    match by_name(format).unwrap().write.unwrap()(problem, &mut out) {
        Ok(()) => Ok(String::from_utf8(out).unwrap()),
        Err(WriteError::Feature(error)) => Err(format!("{}: {error}", error.code())),
        Err(WriteError::Io(error)) => panic!("{error}"),
    }
}

#[test]
fn guards_are_ranges() {
    let r = rule("x >= 2, y = 0, z in [1, 3] -> ;");
    let guard = |p| r.guard(PlaceId(p)).cloned();
    assert_eq!(guard(0), Some(Range::from(2u8)));
    assert_eq!(guard(1), Some(Range::exactly(0u8)));
    assert_eq!(guard(2), Some(Range { at_least: 1u8.into(), at_most: Some(3u8.into()) }));
    assert!(r.effects.is_empty());
    assert!(rule("true -> ;").guards.is_empty());
    assert!(rule("true, x >= 0 -> ;").guards.is_empty(), "void guards are dropped");
}

#[test]
fn updates_read_old_values() {
    let r = rule("x >= 1 -> y' = y + x + x - 1, x' = 0, z' = 7;");
    assert_eq!(effect(&r, 0), (vec![], 0));
    assert_eq!(effect(&r, 1), (vec![0, 0, 1], -1));
    assert_eq!(effect(&r, 2), (vec![], 7));
    let r = rule("x >= 3 -> x' = x - 3, y' = x, z' = z;");
    assert_eq!(effect(&r, 0), (vec![0], -3));
    assert_eq!(effect(&r, 1), (vec![0], 0));
    assert!(r.effect(PlaceId(2)).is_none(), "what keeps its value is no effect");
    assert_eq!(r.name, "r1");
}

/// The nets of the FastForward experiments write rules that are always enabled in this form.
#[test]
fn an_empty_guard_is_always_true() {
    let r = rule("-> x' = x + 1;");
    assert_eq!(r, rule("true -> x' = x + 1;"));
    assert!(r.guards.is_empty());
    let text = "vars x rules -> x' = x + 1;\n->;\nx >= 1 -> x' = x - 1; init x = 0 target x >= 1";
    assert_eq!(net(&ok(text).problem).transitions().len(), 3);
    assert_eq!(warnings(text), [""; 0]);
}

/// In mist, a variable that `init` does not name starts with 0 to infinity tokens. So it must not be read as 0.
#[test]
fn what_init_does_not_name_holds_any_number() {
    let initial = |init: &str| -> Vec<Range> {
        let read = ok(&format!("vars x y z rules init {init} target x >= 1"));
        net(&read.problem).places().iter().map(|p| p.initial.clone()).collect()
    };
    assert_eq!(initial("y = 2"), [Range::from(0u8), Range::exactly(2u8), Range::from(0u8)]);
    assert_eq!(initial(""), [Range::from(0u8), Range::from(0u8), Range::from(0u8)]);
}

#[test]
fn an_update_may_be_repeated_but_not_changed() {
    let once = rule("x >= 1 -> y' = y + x + 1, x' = 0;");
    assert_eq!(rule("x >= 1 -> y' = y + x + 1, x' = 0, y' = x + y + 1, x' = 0;"), once);
    let error = read_as("t.spec", "vars x y rules\n  true -> x' = 0,\n  y' = 3, x' = x;").unwrap_err();
    assert_eq!((error.code(), error.line_column()), ("spec::two-values", Some((3, 11))));
    assert_eq!(
        miette::Diagnostic::help(error.as_ref()).unwrap().to_string(),
        "the first one stands in line 2, column 11"
    );
}

#[test]
fn decrements_are_guarded() {
    let r = rule("y >= 1 -> x' = x - 2;");
    assert_eq!(r.guard(PlaceId(0)), Some(&Range::from(2u8)), "as if it stood there");
    assert_eq!(wrong_rule("x >= 1 -> x' = x - 2;"), "spec::guard-too-small");
    assert_eq!(wrong_rule("x = 1 -> x' = x - 2;"), "spec::guard-too-small");
    assert_eq!(wrong_rule("x in [1, 9] -> x' = x - 2;"), "spec::guard-too-small");
    assert_eq!(wrong_rule("true -> y' = x - 1;"), "spec::unguarded-sum");
    assert_eq!(wrong_rule("x >= 1, y >= 1 -> z' = x + y - 3;"), "spec::unguarded-sum");
    assert_eq!(effect(&rule("x >= 1, y >= 2 -> z' = x + y - 3;"), 2), (vec![0, 1], -3));
    assert_eq!(effect(&rule("x >= 1 -> z' = x + x - 2;"), 2), (vec![0, 0], -2), "a doubled source counts twice");
    assert_eq!(effect(&rule("true -> y' = x - 1, x' = x - 1;"), 1), (vec![0], -1), "an implied guard serves others");
}

#[test]
fn start_and_target() {
    let read = ok("vars a b c rules init c in [1,2], a = 3, b >= 4 target a >= 1, b = 2 c >= 0 b in [1,2], c >= 5");
    let initial: Vec<Range> = net(&read.problem).places().iter().map(|p| p.initial.clone()).collect();
    let range = Range { at_least: 1u8.into(), at_most: Some(2u8.into()) };
    assert_eq!(initial, [Range::exactly(3u8), Range::from(4u8), range]);
    let [property] = read.problem.properties() else { panic!("one property") };
    assert_eq!((property.id.as_str(), property.goal), ("target", Goal::Formula(model::FormulaId(0))));
    let formula = read.problem.formula(property.goal).unwrap();
    let mut b = FormulaBuilder::default();
    let (a1, b2, b2_most) = (
        b.place_at_least(PlaceId(0), &1u8.into()),
        b.place_at_least(PlaceId(1), &2u8.into()),
        b.place_at_most(PlaceId(1), &2u8.into()),
    );
    let first = b.all(vec![a1, b2, b2_most]);
    let second = b.all(vec![]);
    let parts = vec![
        b.place_at_least(PlaceId(1), &1u8.into()),
        b.place_at_most(PlaceId(1), &2u8.into()),
        b.place_at_least(PlaceId(2), &5u8.into()),
    ];
    let third = b.all(parts);
    let root = b.any(vec![first, second, third]);
    assert_eq!(**formula, b.finish(root));
    assert_eq!(read.problem.kind(property), "reach", "exact counts are not upward-closed");
}

#[test]
fn newlines_mean_nothing_and_a_conjunction_ends_without_comma() {
    let read = ok("vars\n a\n b rules init a = 0\n, b\n=\n0 # , c\r\n target a >= 1\n, b >= 1\nb >= 2\ninvariants a=0");
    let Node::Any(parts) = read.problem.formulas()[0].root() else { panic!("a union") };
    assert_eq!(parts.len(), 2);
    let one = ok("vars a rules init a = 0 target a >= 2");
    assert_eq!(*one.problem.formulas()[0], Formula::cover(&[(PlaceId(0), 2u8.into())]));
}

#[test]
fn numbers_of_any_size() {
    let long = "7".repeat(5000);
    for number in ["2147483648", "4294967296", "18446744073709551615", "18446744073709551616", long.as_str()] {
        let text = format!(
            "vars x y rules x >= {number} -> x' = x - {number}, y' = y + {number};
             init x = {number}, y >= {number} target x >= {number}"
        );
        let read = ok(&text);
        let (net, number) = (net(&read.problem), number.parse::<BigUint>().unwrap());
        assert_eq!(net.places()[0].initial, Range::exactly(number.clone()));
        assert_eq!(net.transitions()[0].guards[0].range, Range::from(number.clone()));
        assert_eq!(net.transitions()[0].effects[0].add, -BigInt::from(number.clone()));
        assert_eq!(net.transitions()[0].effects[1].add, BigInt::from(number.clone()));
        assert_eq!(*read.problem.formulas()[0], Formula::cover(&[(PlaceId(0), number)]));
        let back = written("spec", &read.problem).unwrap();
        assert_eq!(*self::net(&ok(&back).problem), *net);
    }
    let text = format!("vars x rules init x = {} target x >= 1", "9".repeat(10_001));
    assert_eq!(refusal(&text), ("limit::digits", 1));
}

#[test]
fn errors_have_codes_and_lines() {
    let cases = [
        ("vars x\nx rules init x = 0 target x >= 1", "spec::duplicate-variable", 2),
        ("vars x\nrules init\ny = 0 target x >= 1", "spec::undeclared-variable", 3),
        ("vars x rules init x = 0,\nx = 0 target x >= 1", "spec::repeated-variable", 2),
        ("vars x rules init x = 0\ny = 0 target x >= 1", "spec::syntax", 2),
        ("vars x rules init x = 0 target x >= 1,\nx >= 2", "spec::repeated-variable", 2),
        ("vars x rules init x = 0\ntarget x >= -1", "spec::negative-number", 2),
        ("vars x\nrules x >= 0 -> x' = -1; init x = 0 target x >= 1", "spec::negative-number", 2),
        ("vars x\nrules x >= 0 -> x' = x + -1; init x = 0 target x >= 1", "spec::negative-number", 2),
        ("vars x rules init x in [2,\n1] target x >= 1", "spec::backward-range", 1),
        ("vars x rules init x = 0 target x\n<= 1", "spec::unexpected-character", 2),
        ("vars x, y rules init x = 0", "spec::syntax", 1),
        ("vars true rules", "spec::syntax", 1),
        ("vars 1x rules", "spec::bad-number", 1),
        ("rules", "spec::syntax", 1),
        ("# nothing\n", "input::empty", 2),
        ("vars x rules init x = 0", "spec::syntax", 1),
        ("vars x rules init x = 0 target x >= 1 ;", "spec::syntax", 1),
        ("vars x rules init x = 0 target x >= 1 invariants", "spec::syntax", 1),
        ("vars x rules init x = 0 target x >= 1 invariants x = 1, x = 2", "spec::repeated-variable", 1),
        ("vars x rules init x = 0 target x >= 1 invariants x = 1\ntarget", "spec::syntax", 2),
    ];
    for (text, code, line) in cases {
        assert_eq!(refusal(text), (code, line), "{text}");
    }
    assert_eq!(wrong_rule("x >= 1, x >= 2 -> ;"), "spec::repeated-variable");
    assert_eq!(wrong_rule("x >= 1 -> y' = 0, y' = 1;"), "spec::two-values");
    assert_eq!(wrong_rule("x >= 1 -> y' = 1 + y;"), "spec::syntax");
    assert_eq!(wrong_rule(", -> y' = 1;"), "spec::syntax");
    assert_eq!(wrong_rule("x >= 1, -> y' = 1;"), "spec::syntax");
    assert_eq!(wrong_rule("x >= 1 -> y = 1;"), "spec::syntax");
    let error = read_as("t.spec", "vars idle rules init idel = 1").unwrap_err();
    assert_eq!(miette::Diagnostic::help(error.as_ref()).unwrap().to_string(), "did you mean `idle`?");
    let error = read_as("t.spec", "vars x rules init x = 1 targte x >= 1").unwrap_err();
    assert!(miette::Diagnostic::help(error.as_ref()).unwrap().to_string().starts_with("did you mean `target`?"));
}

#[test]
fn suspicious_files_get_one_warning_of_each_kind() {
    assert_eq!(warnings("vars x y z rules init y = 0 target x >= 1"), ["spec::missing-from-init"]);
    assert_eq!(warnings("vars x rules init target x >= 1"), ["spec::missing-from-init"]);
    assert_eq!(warnings("vars rules init target"), ["spec::no-target"]);
    let implied = "vars x rules true -> x' = x - 1; true -> x' = x - 1; init x = 5 target x >= 6";
    assert_eq!(warnings(implied), ["spec::implied-guard"]);
    let same = "vars x y rules true -> y' = 0, x' = x + y + 1, x' = y + x + 1, y' = 0; init x = 0, y = 1 target x >= 9";
    assert_eq!(warnings(same), ["spec::same-update"]);
    let reset =
        |initial, rule| format!("vars x y rules {rule} y >= 1 -> x' = 0; init x {initial}, y = 1 target y >= 2");
    assert_eq!(warnings(&reset("= 0", "")), ["net::never-marked"]);
    assert_eq!(warnings(&reset("in [0,0]", "")), ["net::never-marked"]);
    assert_eq!(warnings(&reset(">= 0", "")), [""; 0]);
    assert_eq!(warnings(&reset("in [0,1]", "")), [""; 0]);
    assert_eq!(warnings(&reset("= 0", "true -> x' = x + 1;")), [""; 0]);
    assert_eq!(warnings(&reset("= 0", "true -> x' = y;")), [""; 0]);
    let transfer = "vars x y rules y >= 1 -> y' = y + x; init x = 0, y = 1 target y >= 2";
    assert_eq!(warnings(transfer), ["net::never-marked"]);
    let empty = "vars x rules x >= 1 -> x' = x - 1; init x = 0 target x >= 1";
    assert_eq!(warnings(empty), [""; 0], "an empty place with plain arcs is not suspicious");
}

#[test]
fn lines_of_invariants_are_checked() {
    let check = |rules: &str, lines: &str| {
        let text = format!("vars a b c rules {rules} init a >= 1, b = 1, c = 1 target b >= 9 invariants {lines}");
        warnings(&text)
    };
    let bad = ["spec::false-invariant"];
    let step = "a >= 1 -> a' = a - 1, b' = b + 2;";
    assert_eq!(check(step, "a = 2, b = 1"), [""; 0]);
    assert_eq!(check(step, "a = 1, b = 1"), bad);
    assert_eq!(check(step, "c = 5"), [""; 0]);
    assert_eq!(check(step, "a = 2, b = 1 a = 1 c = 1"), bad);
    let transfer = "c >= 1 -> a' = a + b, b' = 0;";
    assert_eq!(check(transfer, "a = 1, b = 1"), [""; 0]);
    assert_eq!(check(transfer, "a = 1, b = 2"), bad);
    assert_eq!(check("b = 0 -> a' = a + b, b' = 0;", "a = 1"), [""; 0], "b is known to be 0");
    assert_eq!(check("b = 3 -> a' = a + b - 3;", "a = 1"), [""; 0], "b is known to be 3");
    assert_eq!(check("b in [3, 4] -> a' = a + b - 3;", "a = 1"), bad);
    assert_eq!(check("true -> c' = c;", "c = 1"), [""; 0]);
    let swap = "true -> a' = b, b' = a;";
    assert_eq!(check(swap, "a = 3, b = 3"), [""; 0]);
    assert_eq!(check(swap, "a = 3, b = 2"), bad);
}

#[test]
fn names_that_the_text_cannot_carry_are_changed() {
    let place = |name: &str| model::Place { name: name.to_owned(), initial: Range::exactly(1u8) };
    let places = ["p 1", "p_1", "init", "", "\u{1b}\n", "1", "p-1"].map(place).to_vec();
    let take = |name: &str, p| Transition::from_arcs(name.to_owned(), &[(PlaceId(p), 1u8.into())], &[]);
    let transitions = vec![take("r1", 0), take("go\nthere", 1)];
    let net = Net::new(places, transitions).unwrap();
    let text = written("spec", &Problem::of_net(Arc::new(net))).unwrap();
    assert!(text.starts_with("# Names that this format cannot express"), "{text}");
    let back = ok(&text);
    let names: Vec<&str> = self::net(&back.problem).places().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["p_1_2", "p_1", "init_2", "_", "__", "_1", "p_1_3"], "{text}");
    assert_eq!(self::net(&back.problem).transitions()[1].effects[0].place, PlaceId(1));
    assert!(text.contains("# p 1\n") && text.contains("# go?there\n"), "{text}");
}

#[test]
fn goals_that_the_text_cannot_say_are_features() {
    let base = ok("vars x y rules init x = 0, y = 0 target x >= 1").problem;
    let with = |build: &dyn Fn(&mut FormulaBuilder) -> model::NodeId| {
        let mut b = FormulaBuilder::default();
        let root = build(&mut b);
        let formula = Arc::new(b.finish(root));
        written("spec", &base.clone().changed(|asked| asked.formulas = vec![formula]).expect("it has these places"))
    };
    let term = |p, c: i32| (PlaceId(p), BigInt::from(c));
    let sum = with(&|b| b.at_least([term(0, 1), term(1, 1)], 2.into()));
    assert_eq!(
        sum.unwrap_err(),
        "format::cannot-say: the format `spec` cannot express this: a sum of places in a goal"
    );
    assert!(with(&|b| b.at_least([term(0, 2)], 3.into())).unwrap_err().contains("a weight in a goal"));
    assert!(with(&|b| b.any(vec![])).unwrap_err().contains("never holds"));
    let nested = with(&|b| {
        let either = vec![b.place_at_least(PlaceId(0), &1u8.into()), b.place_at_least(PlaceId(1), &1u8.into())];
        let either = b.any(either);
        let most = b.place_at_most(PlaceId(1), &5u8.into());
        b.all(vec![either, most])
    });
    assert!(nested.unwrap_err().contains("not a union of conjunctions"));
    let always = with(&|b| b.all(vec![])).unwrap();
    assert_eq!(*ok(&always).problem.formulas()[0].root(), Node::All(vec![]));
    let contradiction = with(&|b| {
        let parts = vec![b.place_at_most(PlaceId(0), &1u8.into()), b.place_at_least(PlaceId(0), &2u8.into())];
        let never = b.all(parts);
        let other = b.place_at_least(PlaceId(1), &1u8.into());
        b.any(vec![never, other])
    });
    assert_eq!(*ok(&contradiction.unwrap()).problem.formulas()[0], Formula::cover(&[(PlaceId(1), 1u8.into())]));
    let deadlock = base.clone().only(|_| false).never_stuck().expect("nets have deadlocks");
    assert!(written("spec", &deadlock).unwrap_err().contains("deadlock as a goal"));
    let both = base.clone().never_stuck().expect("nets have deadlocks");
    assert!(written("spec", &both).unwrap_err().contains("2 properties"));
    assert!(written("tts", &base).unwrap_err().contains("a net"));
    assert!(written("rwb", &base).unwrap_err().contains("a net"));
    assert!(written("json", &base).unwrap_err().contains("a net"));
    let program = read_as("t.rwb", "rwb 1").unwrap().problem;
    assert!(written("spec", &program).unwrap_err().contains("a behavioral program"));
}

#[test]
fn open_places_are_fixed_from_outside() {
    let base = ok("vars x y z rules init x >= 2, y = 3, z in [1,5] target x >= 1").problem;
    let after = |spec: &str| {
        let mut problem = base.clone();
        apply_init(&mut problem, spec).map(|_| {
            let counts =
                net(&problem).places().iter().map(|p| p.initial.is_single().then(|| p.initial.at_least.clone()));
            counts.map(|n| n.map(|n| u64::try_from(n).unwrap())).collect::<Vec<_>>()
        })
    };
    assert_eq!(after("x=7").unwrap(), [Some(7), Some(3), None]);
    assert_eq!(after(" x = 7 , z=5").unwrap(), [Some(7), Some(3), Some(5)]);
    assert_eq!(after("y=3").unwrap(), [None, Some(3), None], "what the file says anyway");
    let cases = [
        ("x=1", "init::out-of-range"),
        ("z=6", "init::out-of-range"),
        ("y=4", "init::out-of-range"),
        ("x=7,x=7", "init::syntax"),
        ("x=7,", "init::syntax"),
        ("x=-7", "init::syntax"),
        ("", "init::syntax"),
        ("w=7", "init::unknown-place"),
        ("0/0", "init::syntax"),
    ];
    for (spec, code) in cases {
        assert_eq!(after(spec).unwrap_err().code(), code, "{spec}");
    }
    assert_eq!(after(&format!("x=7,z={}", "1".repeat(10_001))).unwrap_err().line_column(), Some((1, 5)));
    let mut program = read_as("t.rwb", "rwb 1").unwrap().problem;
    assert_eq!(apply_init(&mut program, "x=1").unwrap_err().code(), "init::wrong-system");
}

#[test]
fn the_page_of_the_format_tells_the_truth() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec.md");
    let page = std::fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> =
        page.split("```").skip(1).step_by(2).filter(|b| b.trim_start().starts_with("vars")).collect();
    assert_eq!(blocks.len(), 1);
    for block in blocks {
        assert_eq!(warnings(block), [""; 0], "{block}");
    }
    let words = page.split("Reserved: `").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    for word in words.split_whitespace() {
        assert_eq!(refusal(&format!("vars x rules init x = 0 target {word} >= 1")).0, "spec::syntax", "{word}");
    }
    assert_eq!(words.split_whitespace().count(), 7);
}

//! Tests of LoLA's nets and formulas.

use crate::pnml::{net, problem, written};
use crate::read_as;
use impasse_readers::{Ask, Limits, Source, ask, read_goals};
use model::{Goal, Net, Place, PlaceId, Problem, QuestionForm, Range, Transition};
use num_bigint::BigUint;
use testkit::formula::holds;

const NAMES: &str = "PLACE java.lang.String[], \"a b\", E, A, x-1; MARKING ;
    TRANSITION \"com.f(int)\" CONSUME ; PRODUCE E;";

fn asked(net: &str, formula: &str) -> Result<Problem, &'static str> {
    let mut problem = read_as("t.lola", net).unwrap().problem;
    let source = Source { name: "t.formula".to_owned(), bytes: formula.as_bytes().to_vec() };
    read_goals(source, None, &mut problem, &Limits::default()).map_err(|e| e.code())?;
    Ok(problem)
}

#[test]
fn nets_are_read() {
    let text = "{ a lock } PLACE SAFE 3: idle, crit; SAFE: \"my lock\"; done;
        MARKING idle: 18446744073709551616, \"my lock\"; { no more }
        TRANSITION enter STRONG FAIR CONSUME idle: 1, \"my lock\": 1; PRODUCE crit: 1;
        TRANSITION leave.it WEAK FAIR CONSUME crit; PRODUCE \"my lock\", idle, done: 2;
        TRANSITION source CONSUME ; PRODUCE idle: 1;";
    let read = read_as("t.lola", text).unwrap();
    let net = net(&read.problem);
    let names: Vec<&str> = net.places().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["idle", "crit", "my lock", "done"]);
    assert_eq!(net.place(PlaceId(0)).initial, Range::exactly(BigUint::from(1u8) << 64));
    assert_eq!(net.place(PlaceId(2)).initial, Range::exactly(1u8));
    let one = |p: u32| (PlaceId(p), BigUint::from(1u8));
    let leave = Transition::from_arcs("leave.it".into(), &[one(1)], &[one(2), one(0), one(3), one(3)]);
    assert_eq!(net.transitions()[1], leave);
    assert!(net.transitions()[2].guards.is_empty() && read.warnings.is_empty() && read.problem.properties().is_empty());
    let huge = "PLACE a; MARKING ; TRANSITION t CONSUME a: 2147483648; PRODUCE a: 18446744073709551616; TRANSITION u \
                CONSUME a: 0; PRODUCE ;";
    let huge = read_as("t.lola", huge).unwrap();
    let (pre, post) = ((PlaceId(0), BigUint::from(1u8) << 31), (PlaceId(0), BigUint::from(1u8) << 64));
    let transitions = [Transition::from_arcs("t".into(), &[pre], &[post]), Transition::from_arcs("u".into(), &[], &[])];
    assert_eq!(self::net(&huge.problem).transitions(), transitions);
    let twice = read_as("t.lola", "PLACE a; MARKING ; TRANSITION t CONSUME a, a: 2; PRODUCE ;").unwrap();
    assert_eq!(twice.warnings[0].code(), "lola::repeated-place");
    assert_eq!(self::net(&twice.problem).transitions()[0].guards[0].range, Range::from(3u8));
}

#[test]
fn broken_nets_are_refused() {
    for (text, code) in [
        ("", "input::empty"),
        (" { only }", "input::empty"),
        ("PLACE a", "lola::syntax"),
        ("PLACE a; { open", "lola::syntax"),
        ("PLACE \"a; MARKING ;", "lola::syntax"),
        ("PLACE a; MARKING ; TRANSITION", "lola::syntax"),
        ("PLACE a; MARKING ; TRANSITION t CONSUME ;", "lola::syntax"),
        ("PLACE MARKING ;", "lola::syntax"),
        ("PLACE ; MARKING ;", "lola::syntax"),
        ("SORT x = 1;", "lola::syntax"),
        ("PLACE a; MARKING a: x;", "lola::number"),
        ("PLACE a; MARKING a: -1;", "lola::number"),
        ("PLACE SAFE x: a; MARKING ;", "lola::number"),
        ("PLACE a; MARKING b;", "lola::unknown-name"),
        (
            "PLACE a; MARKING ; TRANSITION t CONSUME ; PRODUCE ; TRANSITION t CONSUME ; PRODUCE ;",
            "lola::duplicate-name",
        ),
    ] {
        assert_eq!(read_as("t.lola", text).expect_err(text).code(), code, "{text}");
    }
    let long = format!("PLACE a; MARKING a: {};", "1".repeat(5000));
    assert!(read_as("t.lola", &long).is_ok());
    assert_eq!(read_as("t.lola", &long.replace('1', "11111")).unwrap_err().code(), "limit::digits");
}

#[test]
fn nets_are_written() {
    let text = "PLACE p, \"a b\", \"SAFE\", é;\nMARKING p: 3, \"SAFE\": 1;\n\
                TRANSITION t\n  CONSUME p: 2, \"a b\": 1;\n  \
                PRODUCE p: 1, é: 5;\nTRANSITION \"u;\"\n  CONSUME ;\n  PRODUCE ;\n";
    let read = read_as("t.lola", text).unwrap();
    assert_eq!(written(&read.problem, "lola").unwrap(), text);
    let empty = written(&read_as("t.lola", "PLACE p; MARKING ;").unwrap().problem, "lola").unwrap();
    assert_eq!(empty, "PLACE p;\nMARKING ;\n");
    let refused =
        |name: &str, text: &str| written(&read_as(name, text).unwrap().problem, "lola").unwrap_err().to_string();
    assert!(refused("t.net", "tr t p?-1 -> q").contains("transition `t` tests `p` for zero"));
    assert!(refused("t.net", "tr t p?-2 -> q").contains("transition `t` has an upper bound on `p`"));
    assert!(refused("t.net", "tr t {a\"b} -> q").contains("the name `a\"b`"));
    assert!(refused("t.net", "tr t ->").contains("a net without places"));
    assert!(refused("t.spec", "vars x rules init x >= 1 target x >= 1").contains("no fixed number of tokens"));
    assert!(refused("t.spec", "vars x rules true -> x' = 0; init x = 1 target x >= 1").contains("resets `x`"));
    let empty_name = Place { name: String::new(), initial: Range::exactly(0u8) };
    assert!(written(&problem(Net::new(vec![empty_name], vec![]).unwrap()), "lola").is_err());
}

#[test]
fn formulas_are_read() {
    let net = "PLACE a, b, c; MARKING a; TRANSITION t CONSUME a; PRODUCE b;";
    let check = |text: &str, expected: QuestionForm, truth: &dyn Fn(u32, u32, u32) -> bool| {
        let problem = asked(net, text).unwrap_or_else(|code| panic!("{code} {text}"));
        let property = &problem.properties()[0];
        assert_eq!((property.id.as_str(), property.asked), ("target", expected), "{text}");
        let formula = problem.formula(property.goal).unwrap();
        for i in 0..64 {
            let (a, b, c) = (i % 4, i / 4 % 4, i / 16);
            assert_eq!(holds(formula, &[a, b, c]), truth(a, b, c), "{text} {a} {b} {c}");
        }
    };
    let exists = QuestionForm::Exists;
    check("EF ((a >= 0 AND b >= 2 AND c = 0))", exists, &|_, b, c| b >= 2 && c == 0);
    check("FORMULA E F a > 1 ;", exists, &|a, _, _| a > 1);
    check("EXPATH EVENTUALLY NOT a != 1 OR b # 2 AND c <> 1", exists, &|a, b, c| a == 1 || (b != 2 && c != 1));
    check("REACHABLE ((a) + 2 * b) - c < (3)", exists, &|a, b, c| i64::from(a + 2 * b) - i64::from(c) < 3);
    check("AG a <= 1", QuestionForm::Always, &|a, _, _| a > 1);
    check("INVARIANT (a = 1 -> b = 1 -> c = 1)", QuestionForm::Always, &|a, b, c| a == 1 && b == 1 && c != 1);
    check("IMPOSSIBLE a = 1", QuestionForm::Always, &|a, _, _| a == 1);
    check("NOT EF (a = 1 XOR b = 1)", QuestionForm::Always, &|a, b, _| (a == 1) != (b == 1));
    check("EF a = 1 <-> FIREABLE(t)", exists, &|a, _, _| (a == 1) == (a >= 1));
    check("EF TRUE", exists, &|_, _, _| true);
    check("EF -a >= - 1", exists, &|a, _, _| a <= 1);
    assert_eq!(asked(net, "EF DEADLOCK").unwrap().properties()[0].goal, Goal::Deadlock);
    assert_eq!(asked(net, "AG NOT DEADLOCK").unwrap().properties()[0].goal, Goal::Deadlock);
    assert!(asked(NAMES, "EF (java.lang.String[] >= 1 AND \"a b\" = 0 AND E = A AND x-1 < 2)").is_ok());
}

#[test]
fn other_formulas_are_refused() {
    let net = "PLACE a, b; MARKING a; TRANSITION t CONSUME a; PRODUCE b;";
    for (text, code) in [
        ("", "input::empty"),
        ("EF (G a >= 1 AND AG a >= 1)", "lola::not-reachability"),
        ("MIN a", "lola::not-reachability"),
        ("EF", "lola::syntax"),
        ("MAX a - b", "lola::operands"),
        ("MAX a * b", "lola::operands"),
        ("EF a", "lola::operands"),
        ("EF a >= 1 >= 1", "lola::operands"),
        ("EF a AND b", "lola::operands"),
        ("EF a * b >= a + 1", "lola::operands"),
        ("EF a * b * a * b >= 100000000000000000000", "lola::operands"),
        ("EF a * (b >= 1) >= 1", "lola::operands"),
        ("EF NOT a", "lola::operands"),
        ("EF (a >= 1", "lola::syntax"),
        ("EF a >= 1)", "lola::syntax"),
        ("EF a >= 1 b", "lola::syntax"),
        ("EF a >= 1 AND", "lola::syntax"),
        ("EF ()", "lola::syntax"),
        ("EF c >= 1", "lola::unknown-name"),
        ("EF FIREABLE(a)", "lola::unknown-name"),
    ] {
        assert_eq!(asked(net, text).err(), Some(code), "{text}");
    }
    let deep = format!("EF {}a >= 1{}", "(".repeat(1000), ")".repeat(1000));
    assert_eq!(asked(net, &deep).err(), Some("limit::nesting"));
    let long = format!("EF {}a >= 1", "a >= 1 OR b >= 2 AND ".repeat(50_000));
    let problem = asked(net, &long).unwrap();
    assert_eq!(problem.formula(problem.properties()[0].goal).unwrap().nodes().len(), 150_002);
    let nots = format!("EF {}a >= 1", "NOT ".repeat(100_001));
    assert!(asked(net, &nots).is_ok());
}

/// Questions are read in the same way from files and from the command line, as people write them.
#[test]
fn one_grammar_for_all_questions() {
    let net = "PLACE a, b, A, AGEF, R; MARKING a; TRANSITION t CONSUME a; PRODUCE b;";
    let (ltl, ctl) = (("ltl", QuestionForm::Never), ("ctl", QuestionForm::Never));
    let (some, other) = (("ltl", QuestionForm::Expected), ("ctl", QuestionForm::Formula));
    let (ef, ag, deadlock) =
        (("reach", QuestionForm::Exists), ("reach", QuestionForm::Always), ("deadlock", QuestionForm::Exists));
    for (text, expected) in [
        ("a = 1", ltl),
        ("G F a = 1", ltl),
        ("A G F a = 1", ltl),
        ("ALLPATH ALWAYS EVENTUALLY a = 1", ltl),
        ("AF a = 1", ltl),
        ("A (a = 1 U b = 1)", ltl),
        ("AG (a = 1 -> F b = 1)", ltl),
        ("NOT EG a = 1", ltl),
        ("! EG a = 1", ltl),
        ("!EG(a = 1)", ltl),
        ("NOT E (a = 1 U b = 1)", ltl),
        ("A F a = 1 AND G b = 1", ltl),
        ("EG a = 1", some),
        ("E G a = 1", some),
        ("NOT AF a = 1", some),
        ("NOT (AF a = 1)", some),
        ("NOT A (G F a = 1)", some),
        ("E (G F a = 1)", some),
        ("AG EF a = 1", ctl),
        ("AGEF(a = 1)", ctl),
        ("AGEF a = 1", ctl),
        ("AGAF a = 1", ctl),
        ("AX a = 1", ctl),
        ("NOT EF AG a = 1", ctl),
        ("NOT EX a = 1", ctl),
        ("EX a = 1", other),
        ("EGEF a = 1", other),
        ("EFAG a = 1", other),
        ("EF a = 1 AND EF b = 1", other),
        ("EG a = 1 AND b = 1", other),
        ("EF a = 1 AND b = 1", ef),
        ("E F a = 1 AND b = 1", ef),
        ("EF (AGEF = 1 AND A = 1)", ef),
        ("EF R = 1 AND A = 1", ef),
        ("NOT AG a = 1", ef),
        ("AG a = 1", ag),
        ("A G a = 1 AND b = 1", ag),
        ("AG NOT (a = 1 AND b = 1)", ag),
        ("IMPOSSIBLE a = 1 AND b = 1", ag),
        ("EF DEADLOCK", deadlock),
        ("MAX a + b", ("bound", QuestionForm::Never)),
        ("LIVENESS", ctl),
    ] {
        let filed = asked(net, text).unwrap_or_else(|code| panic!("{code} {text}"));
        let property = &filed.properties()[0];
        let kind = if filed.kind(property) == "cover" { "reach" } else { filed.kind(property) };
        assert_eq!((kind, property.asked), expected, "{text}");
        let mut problem = read_as("t.lola", net).unwrap().problem;
        let Ok(Ask::Property(question)) = ask(&mut problem, text, 1, &Limits::default()) else { panic!("{text}") };
        let is_same = |form: QuestionForm| {
            form == property.asked || (form, property.asked) == (QuestionForm::Expected, QuestionForm::Exists)
        };
        assert!(is_same(question.asked), "{text}");
        assert_eq!(problem.kind(&question), filed.kind(property), "{text}");
        let parts =
            |p: &Problem| (p.formulas().to_vec(), p.temporal().to_vec(), p.branching().to_vec(), p.sums().to_vec());
        assert_eq!(parts(&problem), parts(&filed), "{text}");
    }
}

/// Products are split into linear cases.
#[test]
fn products_mean_what_they_say() {
    let net = "PLACE a, b, c; MARKING a; TRANSITION t CONSUME a; PRODUCE b;";
    for (text, truth) in [
        ("a * b >= 6", &(|a: i64, b: i64, _: i64| a * b >= 6) as &dyn Fn(i64, i64, i64) -> bool),
        ("a * b > 3", &|a, b, _| a * b > 3),
        ("a * b = 4", &|a, b, _| a * b == 4),
        ("a * b != 4", &|a, b, _| a * b != 4),
        ("a * b + c < 5", &|a, b, c| a * b + c < 5),
        ("(a + b) * (a + 2 * c) <= 9", &|a, b, c| (a + b) * (a + 2 * c) <= 9),
        ("a * a * b + c >= 7", &|a, b, c| a * a * b + c >= 7),
        ("3 >= a * b * c", &|a, b, c| 3 >= a * b * c),
        ("0 - a * b > -3", &|a, b, _| -(a * b) > -3),
        ("a * b - b * a + c = 2", &|_, _, c| c == 2),
        ("(a + 1) * 2 - a > b", &|a, b, _| (a + 1) * 2 - a > b),
        ("a * b >= 0", &|_, _, _| true),
        ("a * b < 0", &|_, _, _| false),
        ("2 * 3 >= a * 2", &|a, _, _| 6 >= a * 2),
    ] {
        let problem = asked(net, &format!("EF ({text})")).unwrap_or_else(|code| panic!("{code} {text}"));
        let formula = problem.formula(problem.properties()[0].goal).unwrap();
        for i in 0..512_u32 {
            let [a, b, c] = [i % 8, i / 8 % 8, i / 64];
            assert_eq!(holds(formula, &[a, b, c]), truth(a.into(), b.into(), c.into()), "{text} {a} {b} {c}");
        }
    }
}

//! Tests of contest properties: their goals hold in exactly the expected markings.

use crate::{generate, read_as};
use impasse_readers::{Error, Limits, Source, read_goals};
use model::{Goal, Problem, QuestionForm};
use proptest::prelude::*;
use testkit::formula::holds;

const NET: &str = "PLACE a, b, c; MARKING a: 2;
    TRANSITION t CONSUME a: 2; PRODUCE b; TRANSITION u CONSUME b, c; PRODUCE ; TRANSITION v CONSUME c: 3; PRODUCE c: \
    3;";

fn asked(goals: &str, name: &str) -> Result<Problem, Box<Error>> {
    let mut problem = read_as("t.lola", NET).unwrap().problem;
    let source = Source { name: name.to_owned(), bytes: goals.as_bytes().to_vec() };
    read_goals(source, None, &mut problem, &Limits::default())?;
    Ok(problem)
}

fn properties(formulas: &[&str]) -> Result<Problem, Box<Error>> {
    let property = |(i, f): (usize, &&str)| {
        format!("<property><id>q{i}</id><description>d</description><formula>{f}</formula></property>")
    };
    let list: String = formulas.iter().enumerate().map(property).collect();
    asked(&format!("<property-set xmlns='http://mcc.lip6.fr/'>{list}</property-set>"), "t.xml")
}

fn markings() -> impl Iterator<Item = [u32; 3]> {
    (0..64).map(|i| [i % 4, i / 4 % 4, i / 16])
}

/// Checks that the goal of `EF phi` is `expected`, and the goal of `AG phi` its negation.
fn means(phi: &str, expected: impl Fn([u32; 3]) -> bool) {
    let exists = format!("<exists-path><finally>{phi}</finally></exists-path>");
    let always = format!("<all-paths><globally>{phi}</globally></all-paths>");
    let not_exists = format!("<negation>{exists}</negation>");
    let problem = properties(&[&exists, &always, &not_exists]).unwrap_or_else(|e| panic!("{e}\n{phi}"));
    let asked: Vec<QuestionForm> = problem.properties().iter().map(|p| p.asked).collect();
    assert_eq!(asked, [QuestionForm::Exists, QuestionForm::Always, QuestionForm::Always]);
    for marking in markings() {
        let truth: Vec<bool> =
            problem.properties().iter().map(|p| holds(problem.formula(p.goal).unwrap(), &marking)).collect();
        let expected = expected(marking);
        assert_eq!(truth, [expected, !expected, expected], "{marking:?} {phi}");
    }
}

fn tokens(places: &str) -> String {
    let places: String = places.split(' ').map(|p| format!("<place>{p}</place>")).collect();
    format!("<tokens-count>{places}</tokens-count>")
}

fn number(n: i32) -> String {
    format!("<integer-constant>{n}</integer-constant>")
}

#[test]
fn every_element_means_what_it_says() {
    let sum = tokens("a b");
    let compare = |name: &str| format!("<integer-{name}>{sum}{}</integer-{name}>", number(3));
    means(&compare("le"), |m| m[0] + m[1] <= 3);
    means(&compare("lt"), |m| m[0] + m[1] < 3);
    means(&compare("ge"), |m| m[0] + m[1] >= 3);
    means(&compare("gt"), |m| m[0] + m[1] > 3);
    means(&compare("eq"), |m| m[0] + m[1] == 3);
    means(&compare("ne"), |m| m[0] + m[1] != 3);
    let at = |p: &str, n: i32| format!("<integer-le>{}{}</integer-le>", number(n), tokens(p));
    let (a, b, c) = (at("a", 1), at("b", 2), at("c", 3));
    means(&format!("<conjunction>{a}{b}{c}</conjunction>"), |m| m[0] >= 1 && m[1] >= 2 && m[2] >= 3);
    means(&format!("<disjunction>{a}{b}{c}</disjunction>"), |m| m[0] >= 1 || m[1] >= 2 || m[2] >= 3);
    means(&format!("<negation>{a}</negation>"), |m| m[0] == 0);
    means(&format!("<implication>{a}{b}</implication>"), |m| m[0] == 0 || m[1] >= 2);
    means(&format!("<equivalence>{a}{b}</equivalence>"), |m| (m[0] >= 1) == (m[1] >= 2));
    means(&format!("<exclusive-disjunction>{a}{b}</exclusive-disjunction>"), |m| (m[0] >= 1) != (m[1] >= 2));
    means("<is-fireable><transition>t</transition></is-fireable>", |m| m[0] >= 2);
    means("<is-fireable><transition>t</transition><transition>u</transition></is-fireable>", |m| {
        m[0] >= 2 || (m[1] >= 1 && m[2] >= 1)
    });
    means("<true/>", |_| true);
    means("<disjunction><false/></disjunction>", |_| false);
    means(&format!("<conjunction><deadlock/>{a}</conjunction>"), |m| m[0] == 1 && (m[1] == 0 || m[2] == 0) && m[2] < 3);
    let difference = |parts: &str| format!("<integer-difference>{parts}</integer-difference>");
    let left = difference(&format!("{}{}", tokens("a"), difference(&format!("{}{}", tokens("b"), number(1)))));
    let right = format!("<integer-sum>{}{}</integer-sum>", tokens("c"), number(-1));
    means(&format!("<integer-le>{left}{right}</integer-le>"), |m| i64::from(m[0]) + 2 <= i64::from(m[1] + m[2]));
    means(&format!("<integer-le>{}{}</integer-le>", tokens("a a"), tokens("b")), |m| 2 * m[0] <= m[1]);
    let product = |parts: &str| format!("<integer-product>{parts}</integer-product>");
    let twice = product(&format!("{}{}", number(2), tokens("b")));
    means(&format!("<integer-ge>{twice}{}</integer-ge>", number(3)), |m| 2 * m[1] >= 3);
    means(&format!("<integer-ge>{}{twice}</integer-ge>", number(3)), |m| 3 >= 2 * m[1]);
    let nested = product(&format!("{}{}{twice}", number(3), difference(&format!("{}{}", tokens("a"), number(1)))));
    means(&format!("<integer-ge>{}{}</integer-ge>", product(&tokens("a b")), number(2)), |m| m[0] + m[1] >= 2);
    let pair = product(&format!("{}{}", tokens("a"), tokens("b")));
    means(&format!("<integer-ge>{pair}{}</integer-ge>", number(3)), |m| m[0] * m[1] >= 3);
    let mixed = format!("<integer-ge>{nested}{}</integer-ge>", tokens("c"));
    let problem = properties(&[&format!("<exists-path><finally>{mixed}</finally></exists-path>")]).unwrap();
    assert_eq!(problem.properties()[0].goal, Goal::Unsupported(0), "6 (a - 1) b >= c");
}

#[test]
fn deadlocks_are_asked_once() {
    let deadlock = "<exists-path><finally><deadlock/></finally></exists-path>";
    let never = "<all-paths><globally><negation><deadlock/></negation></globally></all-paths>";
    let always = "<all-paths><globally><deadlock/></globally></all-paths>";
    let problem = properties(&[always, never, deadlock]).unwrap();
    let goals: Vec<Goal> = problem.goals().collect();
    assert_eq!(goals[1], Goal::Deadlock);
    let stuck = |m: [u32; 3]| m[0] < 2 && (m[1] == 0 || m[2] == 0) && m[2] < 3;
    for marking in markings() {
        assert_eq!(holds(problem.formula(goals[0]).unwrap(), &marking), !stuck(marking));
        assert_eq!(holds(problem.formula(goals[2]).unwrap(), &marking), stuck(marking));
    }
    assert_eq!(problem.properties().iter().map(|p| p.id.as_str()).collect::<Vec<_>>(), ["q0", "q1", "q2"]);
    assert_eq!(problem.kind(&problem.properties()[1]), "deadlock");
}

#[test]
fn formulas_become_goals_of_their_kinds() {
    let ef = |phi: &str| format!("<exists-path><finally>{phi}</finally></exists-path>");
    let few = format!("<integer-le>{}{}</integer-le>", tokens("a"), number(1));
    let goal = |formula: &str| {
        let problem = properties(&[formula]).unwrap_or_else(|e| panic!("{e}\n{formula}"));
        (problem.properties()[0].goal.id(), problem.properties()[0].asked)
    };
    let until = format!("<until><before>{few}</before><reach><deadlock/></reach></until>");
    for (formula, expected) in [
        (few.clone(), ("ctl", QuestionForm::Never)),
        (format!("<negation>{}</negation>", ef(&ef(&few))), ("ctl", QuestionForm::Never)),
        (format!("<conjunction>{}{}</conjunction>", ef(&few), ef(&few)), ("ctl", QuestionForm::Formula)),
        (format!("<exists-path><next>{few}</next></exists-path>"), ("ctl", QuestionForm::Formula)),
        (format!("<exists-path><globally>{few}</globally></exists-path>"), ("ltl", QuestionForm::Expected)),
        (
            format!("<negation><all-paths><finally>{few}</finally></all-paths></negation>"),
            ("ltl", QuestionForm::Expected),
        ),
        (format!("<negation><exists-path>{until}</exists-path></negation>"), ("ltl", QuestionForm::Never)),
        (format!("<all-paths>{until}</all-paths>"), ("ltl", QuestionForm::Never)),
        ("<place-bound><place>a</place><place>b</place></place-bound>".to_owned(), ("bound", QuestionForm::Never)),
        ("<place-bound></place-bound>".to_owned(), ("bound", QuestionForm::Never)),
    ] {
        assert_eq!(goal(&formula), expected, "{formula}");
    }
    let problem = properties(&["<place-bound><place>b</place><place>a</place><place>b</place></place-bound>"]).unwrap();
    let sum: Vec<(usize, u32)> =
        problem.sums()[0].iter().map(|(p, n)| (p.index(), u32::try_from(n).unwrap())).collect();
    assert_eq!(sum, [(0, 1), (1, 2)]);
}

#[test]
fn other_questions_are_refused() {
    let ef = |phi: &str| format!("<exists-path><finally>{phi}</finally></exists-path>");
    let code = |formula: &str| properties(&[formula]).map_or_else(|e| e.code(), |_| "");
    for formula in [
        "<all-paths><exists-path><finally><true/></finally></exists-path></all-paths>",
        "<conjunction><finally><true/></finally><true/></conjunction>",
        &ef("<globally><exists-path><next><true/></next></exists-path></globally>"),
    ] {
        let problem = properties(&[formula, &ef("<deadlock/>"), formula]).unwrap();
        let goals: Vec<Goal> = problem.properties().iter().map(|p| p.goal).collect();
        assert_eq!(goals, [Goal::Unsupported(0), Goal::Deadlock, Goal::Unsupported(1)], "{formula}");
        assert_eq!(problem.goals().collect::<Vec<_>>(), [Goal::Deadlock], "no engine hears of the others");
    }
    for (phi, expected) in [
        ("", "mcc::operands"),
        ("<true/><true/>", "mcc::operands"),
        ("<conjunction/>", "mcc::operands"),
        (
            "<integer-le><integer-constant>1-</integer-constant><integer-constant>1</integer-constant></integer-le>",
            "mcc::number",
        ),
        ("<implication><true/></implication>", "mcc::operands"),
        ("<integer-le><integer-constant>1</integer-constant></integer-le>", "mcc::operands"),
        ("<is-fireable/>", "mcc::operands"),
        ("<conjunction><integer-constant>1</integer-constant></conjunction>", "mcc::unknown-element"),
        ("<conjunction>a<true/></conjunction>", "xml::content"),
    ] {
        assert_eq!(code(&ef(phi)), expected, "{phi}");
    }
    assert_eq!(
        asked("<property-set><property><id>x</id></property></property-set>", "t.xml").unwrap_err().code(),
        "mcc::unknown-element"
    );
    let mut program = read_as("t.rwb", "rwb 1\nevent a\n").unwrap().problem;
    let source = Source { name: "t.xml".to_owned(), bytes: b"<property-set/>".to_vec() };
    assert_eq!(read_goals(source, None, &mut program, &Limits::default()).unwrap_err().code(), "goals::wrong-system");
}

/// A question with a name that the net does not have stays unknown, and leaves the others alone.
#[test]
fn a_mistaken_name_is_an_error_of_its_question() {
    let ef = |phi: &str| format!("<formula><exists-path><finally>{phi}</finally></exists-path></formula>");
    let text = format!(
        "<property-set><property><id>a</id>{}</property><property><id>b</id>{}</property></property-set>",
        ef("<conjunction><is-fireable><transition>a</transition></is-fireable><deadlock/></conjunction>"),
        ef("<deadlock/>")
    );
    let mut problem = properties(&[]).unwrap();
    let source = Source { name: "t.xml".to_owned(), bytes: text.into_bytes() };
    let notes = read_goals(source, None, &mut problem, &Limits::default()).unwrap();
    let codes: Vec<(&str, bool)> = notes.iter().map(|note| (note.code(), note.is_warning())).collect();
    assert_eq!(codes, [("mcc::unknown-name", false)]);
    let goals: Vec<(&str, Goal)> = problem.properties().iter().map(|p| (p.id.as_str(), p.goal)).collect();
    assert_eq!(goals, [("a", Goal::Unsupported(0)), ("b", Goal::Deadlock)]);
}

#[test]
fn formulas_about_all_runs_are_temporal() {
    let all = |phi: &str| format!("<all-paths>{phi}</all-paths>");
    let until = "<until><before><true/></before><reach><next><deadlock/></next></reach></until>";
    let same = all("<globally><negation><deadlock/></negation></globally>");
    let problem = properties(&[&all(until), &all("<finally><deadlock/></finally>"), &same]).unwrap();
    let goals: Vec<Goal> = problem.properties().iter().map(|p| p.goal).collect();
    assert_eq!(goals, [Goal::Temporal(model::TemporalId(0)), Goal::Temporal(model::TemporalId(1)), Goal::Deadlock]);
    let [first, second] = problem.temporal() else { panic!("{:?}", problem.temporal()) };
    assert!(matches!(first.nodes().last(), Some(model::LtlNode::Until(..))), "{first:?}");
    // Equal letters are one formula.
    assert_eq!((first.letters().collect::<Vec<_>>(), problem.formulas().len()), (second.letters().collect(), 1));
    let code = |formula: &str| properties(&[formula]).map_or_else(|e| e.code(), |_| "");
    assert_eq!(code(&all("<until><true/><true/></until>")), "mcc::unknown-element");
    assert_eq!(code(&all("<until><before><true/></before></until>")), "mcc::operands");
    assert_eq!(code(&all("<before><true/></before>")), "mcc::unknown-element");
}

#[test]
fn errors_say_what_was_expected() {
    let label = |error: Box<Error>| {
        let label = miette::Diagnostic::labels(error.as_ref()).and_then(|mut all| all.next());
        label.and_then(|l| l.label().map(str::to_owned)).unwrap_or_default()
    };
    let ef = |phi: &str| properties(&[&format!("<exists-path><finally>{phi}</finally></exists-path>")]).unwrap_err();
    let constant = |n: &str| format!("<integer-le><integer-constant>{n}</integer-constant></integer-le>");
    for phi in ["<conjunction/>", "<negation/>", "<is-fireable/>", "<true><true/></true>", &constant("1")] {
        assert!(label(ef(phi)).starts_with("expected "), "{phi}: {}", label(ef(phi)));
    }
    for number in ["x", "-", "1-", ""] {
        assert_eq!(label(ef(&constant(number))), "expected decimal digits, perhaps after `-`", "{number}");
    }
    for id in ["", &"x".repeat(2000)] {
        let property = format!("<property-set><property><id>{id}</id></property></property-set>");
        assert_eq!(asked(&property, "t.xml").unwrap_err().code(), "mcc::id", "{id}");
    }
}

#[test]
fn expansions_are_limited() {
    let deep = format!("{}<true/>{}", "<negation>".repeat(300), "</negation>".repeat(300));
    assert_eq!(
        properties(&[&format!("<exists-path><finally>{deep}</finally></exists-path>")]).unwrap_err().code(),
        "limit::nesting"
    );
    let mut problem = read_as("t.lola", NET).unwrap().problem;
    let phi = "<exists-path><finally><conjunction><deadlock/><true/></conjunction></finally></exists-path>";
    let property = |i| format!("<property><id>{i}</id><formula>{phi}</formula></property>");
    let list: String = (0..100).map(property).collect();
    let source =
        Source { name: "t.xml".to_owned(), bytes: format!("<property-set>{list}</property-set>").into_bytes() };
    let limits = Limits { formula_nodes: 500, ..Limits::default() };
    let error = read_goals(source, None, &mut problem, &limits).unwrap_err();
    assert_eq!(error.code(), "limit::formula");
    assert!(problem.properties().is_empty(), "unchanged");
}

/// Formulas for LoLA's notation and XML, with their meaning.
#[derive(Clone, Debug)]
enum Phi {
    Least(usize, i32),
    Not(Box<Phi>),
    And(Box<Phi>, Box<Phi>),
    Or(Box<Phi>, Box<Phi>),
    Xor(Box<Phi>, Box<Phi>),
    Same(Box<Phi>, Box<Phi>),
    Implies(Box<Phi>, Box<Phi>),
    Deadlock,
}

impl Phi {
    fn text(&self, lola: bool) -> String {
        let unary = |name: &str, xml: &str, a: &Phi| {
            let a = a.text(lola);
            if lola { format!("{name} ({a})") } else { format!("<{xml}>{a}</{xml}>") }
        };
        let binary = |name: &str, xml: &str, a: &Phi, b: &Phi| {
            let (a, b) = (a.text(lola), b.text(lola));
            if lola { format!("({a} {name} {b})") } else { format!("<{xml}>{a}{b}</{xml}>") }
        };
        match self {
            Phi::Least(p, n) => {
                let place = ["a", "b", "c"][*p];
                if lola {
                    format!("{place} >= {n}")
                } else {
                    format!("<integer-ge>{}{}</integer-ge>", tokens(place), number(*n))
                }
            }
            Phi::Not(a) => unary("NOT", "negation", a),
            Phi::And(a, b) => binary("AND", "conjunction", a, b),
            Phi::Or(a, b) => binary("OR", "disjunction", a, b),
            Phi::Xor(a, b) => binary("XOR", "exclusive-disjunction", a, b),
            Phi::Same(a, b) => binary("<->", "equivalence", a, b),
            Phi::Implies(a, b) => binary("->", "implication", a, b),
            Phi::Deadlock => (if lola { "DEADLOCK" } else { "<deadlock/>" }).to_owned(),
        }
    }

    fn value(&self, m: [u32; 3]) -> bool {
        match self {
            Phi::Least(p, n) => i64::from(m[*p]) >= i64::from(*n),
            Phi::Not(a) => !a.value(m),
            Phi::And(a, b) => a.value(m) && b.value(m),
            Phi::Or(a, b) => a.value(m) || b.value(m),
            Phi::Xor(a, b) => a.value(m) != b.value(m),
            Phi::Same(a, b) => a.value(m) == b.value(m),
            Phi::Implies(a, b) => !a.value(m) || b.value(m),
            Phi::Deadlock => m[0] < 2 && (m[1] == 0 || m[2] == 0) && m[2] < 3,
        }
    }
}

fn phi() -> impl Strategy<Value = Phi> {
    let leaf = prop_oneof![4 => (0usize..3, 0i32..4).prop_map(|(p, n)| Phi::Least(p, n)), 1 => Just(Phi::Deadlock)];
    leaf.prop_recursive(4, 20, 2, |inner| {
        let pair = (inner.clone(), inner.clone()).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        prop_oneof![
            inner.prop_map(|a| Phi::Not(Box::new(a))),
            pair.clone().prop_map(|(a, b)| Phi::And(a, b)),
            pair.clone().prop_map(|(a, b)| Phi::Or(a, b)),
            pair.clone().prop_map(|(a, b)| Phi::Xor(a, b)),
            pair.clone().prop_map(|(a, b)| Phi::Same(a, b)),
            pair.prop_map(|(a, b)| Phi::Implies(a, b)),
        ]
    })
}

proptest! {
    #![proptest_config(generate::config(300))]

    #[test]
    fn random_formulas_mean_what_they_say(phi in phi(), always in any::<bool>()) {
        let (path, time) = if always { ("all-paths", "globally") } else { ("exists-path", "finally") };
        let xml = properties(&[&format!("<{path}><{time}>{}</{time}></{path}>", phi.text(false))]).unwrap();
        let lola = asked(&format!("{} ({})", if always { "AG" } else { "EF" }, phi.text(true)), "t.formula").unwrap();
        for problem in [xml, lola] {
            let Some(formula) = problem.formula(problem.properties()[0].goal) else {
                prop_assert_eq!(problem.properties()[0].goal, Goal::Deadlock);
                continue;
            };
            for marking in markings() {
                prop_assert_eq!(holds(formula, &marking), phi.value(marking) != always, "{:?}", marking);
            }
        }
    }
}

/// `A X p` is a formula about runs in a file of such formulas: then it is about the same marking where a run ends.
#[test]
fn the_file_says_whether_next_is_linear() {
    let next = "<all-paths><next><false/></next></all-paths>";
    let linear = "<all-paths><finally><globally><true/></globally></finally></all-paths>";
    let branching = "<all-paths><next><exists-path><next><true/></next></exists-path></next></all-paths>";
    let kind = |name: &str, id: &str, others: &[&str]| {
        let other = |(i, f): (usize, &&str)| format!("<property><id>o{i}</id><formula>{f}</formula></property>");
        let others: String = others.iter().enumerate().map(other).collect();
        let first = format!("<property><id>{id}</id><formula>{next}</formula></property>");
        let problem = asked(&format!("<property-set>{first}{others}</property-set>"), name).unwrap();
        problem.properties()[0].goal.id()
    };
    assert_eq!(kind("CTLFireability.xml", "x", &[]), "ctl");
    assert_eq!(kind("asked.xml", "x", &[]), "ctl");
    assert_eq!(kind("LTL/asked.xml", "x", &[]), "ctl");
    assert_eq!(kind("nets/LTLFireability.xml", "x", &[]), "ltl");
    assert_eq!(kind("LTLCardinality-COL.xml", "x", &[branching]), "ltl");
    assert_eq!(kind("asked.xml", "Net-PT-1-LTLCardinality-00", &[]), "ltl");
    assert_eq!(kind("asked.xml", "x", &[linear]), "ltl");
    assert_eq!(kind("asked.xml", "x", &[linear, branching]), "ctl");
}

/// TAPAAL calls a query `Query Comment/Name Here` until it gets another name.
#[test]
fn names_with_blanks_and_slashes_are_read() {
    let property = |id: &str| {
        format!(
            "<property><id>{id}</id><formula><exists-path><finally><deadlock/></finally></exists-path></formula>\
             </property>"
        )
    };
    let ids = ["Query Comment/Name Here", "a b", "a_b", "a&#10;b"];
    let all: String = ids.map(property).concat();
    let problem = asked(&format!("<property-set>{all}</property-set>"), "t.xml").unwrap();
    let found: Vec<&str> = problem.properties().iter().map(|p| p.id.as_str()).collect();
    assert_eq!(found, ["Query_Comment/Name_Here", "a_b", "a_b-2", "a_b-3"]);
    let twice = format!("<property-set>{}{}</property-set>", property("a b"), property("a b"));
    assert_eq!(asked(&twice, "t.xml").unwrap_err().code(), "mcc::duplicate-id");
}

//! Temporal formulas about programs: random programs, formulas and fairness assumptions, compared with brute force; the
//! programs in `tests/data/liveness`; and evidence with planted errors.

use crate::tool::{code, root, run, scratch, stdout};
use impasse::certify;
use impasse::formats::{Ask, Limits, Source, ask, fair, read};
use impasse::model::{
    Certificate, Claim, EventId, Fairness, Goal, Letter, LocalId, Ltl, LtlBuilder, LtlId, LtlNode, Problem, Program,
    Property, Stop, Subject, TemporalId, ThreadId, Trace,
};
use impasse::{Options, check};
use std::fs;
use std::sync::Arc;
use testkit::{Listed, Random, program as naive};

const GOAL: Goal = Goal::Temporal(TemporalId(0));

/// Returns the program for `seed` with hot states in some threads. One in three has priorities.
fn program(seed: u64) -> Program {
    let program = match seed % 3 {
        0 => naive::program_with_priorities(seed),
        _ => naive::program_with_ends(seed),
    };
    let random = &mut Random::new(seed ^ 0x0074_6f68);
    let mut hot = Vec::new();
    for thread in program.threads() {
        let has_some = random.chance(60);
        let states = (0..thread.states.len()).map(LocalId::new);
        hot.push(states.filter(|_| has_some && random.chance(50)).collect());
    }
    program.with_hot(hot)
}

fn letter(random: &mut Random, program: &Program) -> Letter {
    let event = EventId::new(random.below(program.events().len()));
    let thread = ThreadId::new(random.below(program.threads().len()));
    let local = LocalId::new(random.below(program.thread(thread).states.len()));
    match random.below(16) {
        0..6 => Letter::Event(event),
        6..9 => Letter::State(thread, local),
        9 => Letter::Enabled(event),
        10 => Letter::Ready(thread),
        11 => Letter::Served(thread),
        12 => Letter::Hot(thread),
        13 => [Letter::SomeHot, Letter::Bad][random.below(2)],
        14 => Letter::End,
        _ => Letter::Deadlock,
    }
}

/// Returns a formula with up to `size` operators.
fn formula(random: &mut Random, program: &Program, size: usize) -> Ltl {
    let mut builder = LtlBuilder::default();
    let mut parts: Vec<LtlId> = (0..=size).map(|_| builder.letter(letter(random, program))).collect();
    for _ in 0..size {
        let last = parts.len() - 1;
        let at = random.below(parts.len());
        parts.swap(at, last);
        let a = parts.pop().expect("there is one more");
        let node = match random.below(11) {
            0 => LtlNode::Not(a),
            1 => LtlNode::Next(a),
            2 | 3 => LtlNode::Globally(a),
            4 | 5 => LtlNode::Finally(a),
            binary => {
                let Some(b) = parts.pop() else { break };
                match binary {
                    6 => LtlNode::And(a, b),
                    7 => LtlNode::Or(a, b),
                    8 => LtlNode::Until(a, b),
                    9 => LtlNode::WeakUntil(a, b),
                    _ => LtlNode::Release(a, b),
                }
            }
        };
        parts.push(builder.node(node));
        if parts.len() == 1 {
            parts.push(builder.letter(letter(random, program)));
        }
    }
    let root = parts[0].max(*parts.last().expect("there is one"));
    builder.finish(root)
}

fn fairness(random: &mut Random, program: &Program) -> Vec<Fairness> {
    let subject = |random: &mut Random| match random.below(2) {
        0 => Subject::Event(EventId::new(random.below(program.events().len()))),
        _ => Subject::Thread(ThreadId::new(random.below(program.threads().len()))),
    };
    (0..[0, 0, 1, 1, 2, 3][random.below(6)])
        .map(|_| Fairness { subject: subject(random), is_strong: random.chance(40) })
        .collect()
}

fn problem(program: &Arc<Program>, formula: &Ltl, fairness: &[Fairness]) -> Problem {
    let asked = Problem::of(Arc::clone(program)).changed(|asked| {
        asked.temporal = vec![Arc::new(formula.clone())];
        asked.fairness = fairness.to_vec();
        asked.properties = vec![Property::never("phi", GOAL)];
        asked.properties.extend(program.hot_threads().next().map(|t| Property::never("hot:t", Goal::Hot(t))));
        asked.properties.extend(program.has_hot().then(|| Property::never("hot", Goal::SomeHot)));
    });
    asked.expect("it fits")
}

#[test]
fn random_formulas_agree_with_brute_force() {
    let (mut count, mut ranked) = ([0; 4], [0; 2]);
    for seed in 0..testkit::count(20_000) {
        let program = Arc::new(program(seed));
        let random = &mut Random::new(seed ^ 0x006c_746c);
        let size = 1 + random.below(7);
        let (formula, fairness) = (formula(random, &program, size), fairness(random, &program));
        let problem = problem(&program, &formula, &fairness);
        let mut expected = Vec::new();
        for goal in problem.goals() {
            let formula = problem.ltl(goal).expect("it is about whole runs");
            expected.push((goal, naive::liveness::is_violated(&program, &formula, &fairness, 2_000)));
        }
        let outcome = check(&problem, &Options::default());
        for (goal, expected) in expected {
            let Some(expected) = expected else { continue };
            let answer = outcome.about(goal).expect("it was asked");
            let found = (answer.is_unsafe(), answer.is_safe());
            assert_eq!(found, (expected, !expected), "seed {seed}, {goal}, {formula:?}, {fairness:?}");
            count[2 * usize::from(fairness.is_empty()) + usize::from(expected)] += 1;
            ranked[usize::from(expected)] += u32::from(program.has_priorities());
        }
    }
    assert!(count.iter().all(|n| *n > 100) && ranked.iter().all(|n| *n > 100), "{count:?}, with priorities {ranked:?}");
}

/// Returns the problem of a program's text under these fairness assumptions, with one question: a property about hot
/// threads, or a formula.
fn asked(name: &str, text: &str, fairness: &str, question: &str) -> Problem {
    let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    let limits = Limits::default();
    let mut problem = read(source, None, &limits).unwrap_or_else(|error| panic!("{name}: {error}")).problem;
    for assumption in fairness.split_whitespace() {
        let applied = fair(&mut problem, assumption, &limits);
        applied.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    if question == "hot" {
        return problem.asking(vec![Property::never("hot", Goal::SomeHot)]).expect("it fits");
    }
    if question.starts_with("hot:") {
        return problem.only(|property| property.id == question);
    }
    match ask(&mut problem, question, 1, &limits) {
        Ok(Ask::Property(property)) => problem.asking(vec![property]).expect("it fits"),
        other => panic!("{name}: {question}: {other:?}"),
    }
}

/// The table is compared with the engine, and with a brute-force search for fair cycles. All 20 programs have hot
/// states.
#[test]
fn known_answers() {
    let folder = root().join("tests/data/liveness");
    let table = fs::read_to_string(folder.join("expected.tsv")).expect("the table is there");
    let (mut files, mut hot) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for line in table.lines().skip(1) {
        let [name, fairness, question, expected] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let text = fs::read_to_string(folder.join(name)).expect("the file is there");
        let problem = asked(name, &text, fairness, question);
        let outcome = check(&problem, &Options::default());
        let [answer] = &outcome.answers[..] else { panic!("{name}: {question}") };
        let found = if answer.is_safe() { "safe" } else { "unsafe" };
        assert!(answer.is_safe() || answer.is_unsafe(), "{name}: {question}: {answer:?}");
        assert_eq!(found, expected, "{name}: {question} [{fairness}]");
        let program = problem.system().as_program().expect("a program");
        for goal in problem.goals() {
            // Some formulas are about states alone.
            let Some(formula) = problem.ltl(goal) else { continue };
            let brute = naive::liveness::is_violated(program, &formula, problem.fairness(), 20_000);
            assert_eq!(brute, Some(expected == "unsafe"), "{name}: {question} [{fairness}]");
        }
        files.insert(name.to_owned());
        hot.extend(question.starts_with("hot").then(|| name.to_owned()));
    }
    assert_eq!((files.len(), hot.len()), (20, 20));
}

const NOISE: &str = "rwb 2 event ask, answer, noise
    thread Client { body { loop { request ask hot wait answer } } }
    thread Server { body { loop { wait ask request answer } } }
    thread Noise { body { loop { request noise } } }";

fn confirm(problem: &Problem, claim: &Claim) -> Result<&'static str, String> {
    let confirmed = certify::confirm(problem, claim, &certify::Options::default(), &Stop::default());
    confirmed.map(|confirmed| confirmed.checked_by.id()).map_err(|refusal| format!("{refusal:?}"))
}

/// A run that repeats is accepted only if its loop closes, and the run violates the formula and satisfies the fairness
/// assumptions.
#[test]
fn damaged_runs_are_refused() {
    let refuse = |fairness: &str, question: &str, events: &[&str], repeats_from: Option<u64>| {
        let problem = asked("noise.rwb", NOISE, fairness, question);
        let program = problem.system().as_program().expect("a program");
        let mut trace = Trace::new(vec![0, 0, 0].into());
        for name in events {
            let event = program.events().iter().position(|event| event == name).expect("declared");
            trace.push(EventId::new(event), None);
        }
        trace.repeats_from = repeats_from;
        let goal = problem.goals().next().expect("it is asked");
        confirm(&problem, &Claim::Unsafe { goal, trace, candidate: false }).err()
    };
    let phi = "G (ask -> F answer)";
    assert_eq!(refuse("", phi, &["ask", "noise"], Some(1)), None);
    let because = |refused: Option<String>, why: &str| {
        let refused = refused.expect("no such run");
        assert!(refused.contains(why), "{refused}");
    };
    because(refuse("", phi, &["ask", "noise"], Some(0)), "come back");
    because(refuse("", phi, &["ask", "noise"], None), "does not end");
    because(refuse("", phi, &["ask", "noise"], Some(2)), "ends before the step");
    because(refuse("", phi, &["noise", "noise"], Some(1)), "satisfies");
    because(refuse("", phi, &["ask", "answer"], Some(0)), "satisfies");
    because(refuse("", phi, &["answer"], Some(0)), "requests");
    because(refuse("Server", phi, &["ask", "noise"], Some(1)), "fairness");
    assert_eq!(refuse("Noise", phi, &["ask", "noise"], Some(1)), None);
    assert_eq!(refuse("", "F noise", &["ask", "answer"], Some(0)), None);
    because(refuse("strong:event:noise", "F noise", &["ask", "answer"], Some(0)), "fairness");
}

/// Sets of states that are not closed, and wrong claims with closed sets, are refused.
#[test]
fn damaged_sets_are_refused() {
    let of = |fairness: &str, question: &str| {
        let problem = asked("noise.rwb", NOISE, fairness, question);
        let goals: Vec<Goal> = problem.goals().collect();
        (problem, goals)
    };
    let (live, goals) = of("Server", "G (ask -> F answer)");
    let claim = |states: Vec<Vec<u32>>, goals: Vec<Goal>| Claim::Safe {
        goals,
        certificate: Certificate::StateSet(Box::new(Listed(states))),
    };
    let all = vec![vec![0, 0, 0], vec![1, 1, 0]];
    assert_eq!(confirm(&live, &claim(all.clone(), goals.clone())), Ok("kernel"));
    for states in [&all[..1], &all[1..], &[]] {
        assert!(confirm(&live, &claim(states.to_vec(), goals.clone())).is_err(), "{states:?}");
    }
    for (fairness, question) in [("", "G (ask -> F answer)"), ("Noise", "G (ask -> F answer)"), ("Server", "F noise")] {
        let (problem, goals) = of(fairness, question);
        let refused = confirm(&problem, &claim(all.clone(), goals)).expect_err("a run violates it");
        assert!(refused.contains("is violated"), "{refused}");
    }
}

/// A lamp that can break while it is on.
const LAMP: &str = "PLACE off, on, broken;\nMARKING off: 1;\nTRANSITION press CONSUME off: 1; PRODUCE on: 1;\n\
    TRANSITION release CONSUME on: 1; PRODUCE off: 1;\nTRANSITION break CONSUME on: 1; PRODUCE broken: 1;\n";

#[test]
fn known_answers_about_nets() {
    let answers = [
        ("F broken = 1", false),
        ("G F (off = 1 OR DEADLOCK)", true),
        ("G (FIREABLE(release) -> F off >= 1)", false),
        ("G (broken >= 1 -> G off = 0)", true),
        ("A G (off + on + broken = 1)", true),
        ("X on = 1 AND NOT X off = 1", true),
        ("X X on = 0", true),
        ("X X off = 1", false),
        ("off = 1 U on = 1", true),
        ("on = 1 U off = 1", true),
        ("on = 1 R off = 1", false),
        ("off = 1 W on = 1", true),
        ("(G F off = 1) <-> (G F on = 1)", true),
        ("G F DEADLOCK", false),
        ("F G off = 0 -> F DEADLOCK", true),
        ("is-fireable(press, break) U tokens(on, broken) = 1", true),
        ("F G is-fireable(release)", false),
        ("NOT F broken = 2", true),
    ];
    for (question, holds) in answers {
        let problem = asked("lamp.lola", LAMP, "", question);
        let outcome = check(&problem, &Options::default());
        let [answer] = &outcome.answers[..] else { panic!("{question}") };
        assert_eq!((answer.is_safe(), answer.is_unsafe()), (holds, !holds), "{question}: {:?}", answer.finding);
    }
}

#[test]
fn an_unbounded_net_has_lassos_and_short_proofs() {
    let text = "PLACE p, q;\nMARKING p: 1;\nTRANSITION more CONSUME p: 1; PRODUCE p: 1, q: 1;\n\
        TRANSITION end CONSUME p: 1; PRODUCE ;\n";
    for (question, holds) in [("X X (q >= 2 OR p = 0)", true), ("F G q >= 3", false), ("F (p = 0 OR q = 1)", true)] {
        let problem = asked("more.lola", text, "", question);
        let outcome = check(&problem, &Options::default());
        let [answer] = &outcome.answers[..] else { panic!("{question}") };
        assert_eq!((answer.is_safe(), answer.is_unsafe()), (holds, !holds), "{question}: {:?}", answer.finding);
    }
}

#[test]
fn evidence_about_runs_of_nets_is_replayed() {
    let dir = scratch("net_temporal");
    let (model, evidence) = (dir.join("lamp.lola"), dir.join("evidence"));
    fs::write(&model, LAMP).expect("it can be written");
    let (model, evidence) = (model.to_str().expect("UTF-8"), evidence.to_str().expect("UTF-8"));
    let questions = ["F broken = 1", "G (FIREABLE(release) -> F off >= 1)", "G (broken >= 1 -> G off = 0)"];
    for question in questions {
        let _ = run(&["check", model, "--ask", question, "--evidence", evidence, "--format", "json"]);
        let file = format!("{evidence}/lamp.ask-1.evidence.json");
        let replayed = run(&["replay", model, &file, "--ask", question]);
        assert!(stdout(&replayed).contains("ACCEPTED"), "{question}: {}", stdout(&replayed));
        // A set of all markings is evidence for every formula that holds, and a run for every formula that it violates.
        let is_safe = stdout(&replayed).contains("SAFE (state-set");
        let wrong = if is_safe { "F on = 5" } else { "G (on = 0 | on = 1 | X on = 5)" };
        let other = run(&["replay", model, &file, "--ask", wrong]);
        assert!(!stdout(&other).contains("ACCEPTED"), "{question}: {}", stdout(&other));
    }
}

#[test]
fn questions_about_runs_that_nets_do_not_have_are_errors() {
    let dir = scratch("net_temporal_errors");
    let model = dir.join("lamp.lola");
    fs::write(&model, LAMP).expect("it can be written");
    let model = model.to_str().expect("UTF-8");
    let error = |args: &[&str]| {
        let output = run(&[&["check", model], args].concat());
        (code(&output), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (args, message) in [
        (&["--ask", "F on = 1", "--fair", "press"][..], "--fair"),
        (&["--ask", "F F"][..], "the text ends too early"),
        (&["--ask", "F (on = 1 U)"][..], "is not expected here"),
        (&["--ask", "G gone = 1"][..], "no place `gone`"),
        (&["--ask", "G on"][..], "wrong kind"),
    ] {
        let (code, text) = error(args);
        assert!(![0, 10, 12, 13].contains(&code) && text.contains(message), "{args:?}: {code} {text}");
    }
}

//! Priorities of requests: known answers, evidence with planted errors, and the way through formats and commands.
//! Random programs are compared with brute force in `differential` and `temporal`.

use crate::tool::{code, run, run_with, scratch, stdout};
use impasse::certify;
use impasse::formats::{Ask, Limits, Source, ask, read};
use impasse::model::{Certificate, Claim, EventId, Goal, LocalId, Problem, Stop, ThreadId, Trace};
use impasse::{Options, check};
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use testkit::Listed;
use testkit::program::program_with_priorities;

/// `Game` may lose at once, but `Careful` wants to save first, and then there is nothing to lose.
const GAME: &str = "rwb 2 event lose, save
    thread Game { body { request lose block save priority LOSE bad } }
    thread Careful { body { request save priority SAVE sync block lose } }";

fn problem(text: &str) -> Problem {
    let source = Source { name: "t.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    read(source, None, &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}")).problem
}

fn game(lose: &str, save: &str) -> Problem {
    problem(&GAME.replace("block save ", "").replace("LOSE", lose).replace("SAVE", save))
}

fn answer(problem: &Problem, goal: Goal) -> (bool, Option<u64>) {
    let outcome = check(problem, &Options::default());
    let answer = outcome.about(goal).expect("it was asked");
    assert!(answer.is_safe() || answer.is_unsafe(), "{answer:?}");
    (answer.is_unsafe(), answer.trace().and_then(Trace::len))
}

#[test]
fn known_answers() {
    for (lose, save, is_bad) in [("0", "0", true), ("0", "1", false), ("1", "0", true), ("-1", "0", false)] {
        assert_eq!(answer(&game(lose, save), Goal::Bad).0, is_bad, "{lose} {save}");
    }
    // Priorities remove no deadlock.
    assert_eq!(answer(&game("0", "1"), Goal::Deadlock), (true, Some(1)));
    // A blocked request has no priority over others.
    let blocked = game("0", "1");
    let with_block = format!("{} thread Never {{ body {{ sync block save }} }}", GAME.replace("block save ", ""));
    let with_block = problem(&with_block.replace("LOSE", "0").replace("SAVE", "1"));
    assert_eq!((answer(&blocked, Goal::Bad).0, answer(&with_block, Goal::Bad).0), (false, true));
    // The same event, requested by two threads: the greater priority counts. The loop of constants gives 2.
    let same = "rwb 2 const top = 1 + 1 event a, b thread T { body { request a priority -5 bad } } \
                thread U { body { request a priority top } } thread V { body { loop { request b priority 1 } } }";
    assert_eq!(answer(&problem(same), Goal::Bad), (true, Some(1)));
    // In a select and in states.
    let select = "rwb 2 event a, b thread T { body { select priority 1 { on request a { } } } } \
                  thread U { state s { request b priority 0 on b -> t } state t { bad } } \
                  thread V { body { wait a sync block b } }";
    assert!(!answer(&problem(select), Goal::Bad).0);
}

/// A thread with a variable called `priority`.
#[test]
fn priority_is_a_name_elsewhere() {
    let text = "rwb 2 event a thread T { var priority: 0..=3 = 0 body { request a priority = 2 request a priority 1 \
                priority = priority + 1 assert priority == 3 } }";
    assert!(!answer(&problem(text), Goal::Bad).0);
    let text = "rwb 1 event priority thread T { state s { request priority priority 2 on priority -> s } }";
    assert!(!answer(&problem(text), Goal::Deadlock).0);
}

fn confirm(problem: &Problem, claim: &Claim) -> Result<&'static str, String> {
    let confirmed = certify::confirm(problem, claim, &certify::Options::default(), &Stop::default());
    confirmed.map(|confirmed| confirmed.checked_by.id()).map_err(|refusal| format!("{refusal:?}"))
}

/// A run that takes a step of lower priority is refused, also if the step is in a repetition.
#[test]
fn runs_against_priorities_are_refused() {
    let run = |problem: &Problem| {
        let program = problem.system().as_program().expect("a program");
        let event = program.events().iter().position(|event| event == "lose").expect("declared");
        let mut trace = Trace::new(vec![0, 0].into());
        trace.push(EventId::new(event), None);
        confirm(problem, &Claim::Unsafe { goal: Goal::Bad, trace, candidate: false })
    };
    assert_eq!(run(&game("0", "0")), Ok("kernel"));
    let refused = run(&game("0", "1")).expect_err("`save` comes first");
    assert!(refused.contains("higher priority"), "{refused}");

    let loops = "rwb 2 event a, b, c thread A { body { loop { request a priority P } } } \
                 thread B { body { loop { request b } } } thread C { body { repeat 50 { wait b } bad } }";
    let repeated = |text: &str| {
        let problem = problem(text);
        let mut trace = Trace::new(vec![0, 0, 0].into());
        trace.push_repeat(vec![EventId(1)], 50);
        confirm(&problem, &Claim::Unsafe { goal: Goal::Bad, trace, candidate: false })
    };
    assert_eq!(repeated(&loops.replace("priority P", "")), Ok("kernel"));
    assert_eq!(repeated(&loops.replace("P ", "-1 ")), Ok("kernel"));
    assert!(repeated(&loops.replace("P ", "1 ")).expect_err("`a` comes first").contains("higher priority"));
}

/// A set need only be closed under the steps that respect priorities, but under all of these.
#[test]
fn sets_are_closed_under_the_steps_with_priority() {
    let claim = |states: &[[u32; 2]]| Claim::Safe {
        goals: vec![Goal::Bad],
        certificate: Certificate::StateSet(Box::new(Listed(states.iter().map(|state| state.to_vec()).collect()))),
    };
    let problem = game("0", "1");
    let program = problem.system().as_program().expect("a program");
    let only = |t: u32| program.thread(ThreadId(t)).targets(LocalId(0), EventId(1)).next().expect("a target").0;
    assert_eq!(program.events()[1], "save");
    let after = [0, only(1)];
    assert_eq!(confirm(&problem, &claim(&[[0, 0], after])), Ok("kernel"));
    for states in [&[[0, 0]][..], &[after], &[]] {
        assert!(confirm(&problem, &claim(states)).is_err(), "{states:?}");
    }
    // Without the priority, the step to the bad state is missing.
    assert!(confirm(&game("0", "0"), &claim(&[[0, 0], after])).is_err());
}

/// Priorities survive conversion, and formats that cannot express them say so.
#[test]
fn priorities_survive_conversion() {
    let dir = scratch("priorities_convert");
    let path = |name: &str| dir.join(name).display().to_string();
    let text = GAME.replace("block save ", "").replace("LOSE", "-3").replace("SAVE", "2");
    fs::write(path("game.rwb"), text).expect("the scratch directory can be written");
    for (from, to) in [("game.rwb", "a.json"), ("a.json", "b.rwb"), ("b.rwb", "c.json"), ("game.rwb", "d.dot")] {
        assert_eq!(code(&run(&["convert", &path(from), &path(to)])), 0, "{from} {to}");
    }
    let said = |name: &str| fs::read_to_string(path(name)).expect("it was written");
    assert_eq!(said("a.json"), said("c.json"));
    assert!(said("b.rwb").contains("request save priority 2") && said("b.rwb").contains("request lose priority -3"));
    assert!(said("d.dot").contains("priority 2"));
    for to in ["e.aag", "e.aig", "e.pnml", "e.spec", "e.tts"] {
        let output = run(&["convert", &path("game.rwb"), &path(to), "--property", "bad"]);
        assert!(code(&output) != 0 && !dir.join(to).exists(), "{to}");
    }
    let said = run(&["convert", &path("game.rwb"), &path("e.aag"), "--property", "bad"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("priorities"), "{said}");
}

#[test]
fn bad_priorities_are_errors_with_a_place() {
    let body = |clause: &str| {
        format!("rwb 2 event a, b thread T {{ var n: 0..3 = 0 body {{ request a {clause} n = 1 request b }} }}")
    };
    let state = |clause: &str| format!("rwb 1 event a thread T {{ state s {{ request a {clause} on a -> s }} }}");
    let json = |value: &str| {
        format!(
            "{{\"rwb\":1,\"events\":[],\"threads\":[{{\"name\":\"T\",\
             \"states\":[{{\"name\":\"s\",\"priority\":{value}}}]}}]}}"
        )
    };
    for (text, format, expected) in [
        (body("priority 3000000000"), "rwb", "rwb::priority"),
        (body("priority n"), "rwb", "this depends on a variable"),
        (body("priority 1 priority 2"), "rwb", "a second `priority`"),
        (body("priority"), "rwb", "expected"),
        (body("priority true"), "rwb", "expected"),
        ("rwb 2 event a thread T { body { priority 3 request a } }".to_owned(), "rwb", "after its events"),
        (state("priority 1 priority 1"), "rwb", "a second `priority`"),
        (state("priority 0 - 3000000000"), "rwb", "rwb::priority"),
        (
            "rwb 2 event a(v: int) thread T { var n: int = 0 body { loop { request a(n) priority 2 n = n + 1 } } }"
                .to_owned(),
            "rwb",
            "a priority in a program with numbers that are not enumerated",
        ),
        (json("1.5"), "json", "rwb::priority"),
        (json("\"high\""), "json", "rwb::priority"),
        (json("3000000000"), "json", "rwb::priority"),
    ] {
        let output = run_with(&["check", "-", "--input-format", format], text.as_bytes());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(code(&output) == 65 && said.contains(expected), "{text}: {} {said}", code(&output));
    }
}

/// A user that steps by hand sees why an event is missing.
#[test]
fn simulation_names_events_of_lower_priority() {
    let dir = scratch("priorities_simulate");
    let path = dir.join("game.rwb").display().to_string();
    let text = GAME.replace("block save ", "").replace("LOSE", "0").replace("SAVE", "2");
    fs::write(&path, text).expect("the scratch directory can be written");
    let output = run_with(&["simulate", &path], b"q\n");
    let said = stdout(&output);
    assert!(said.contains("not enabled: lose (a request of higher priority, 2, is enabled)"), "{said}");
}

/// A run that a pattern proposed, and that is no run at all, does not end the search for a goal.
#[test]
fn a_refused_candidate_of_a_pattern_does_not_end_the_search() {
    let dir = scratch("priorities_candidate");
    let path = dir.join("candidate.rwb").display().to_string();
    let text = "rwb 1  check deadlock  event e[2]
        thread A {
          state s0 { request e[1] priority 2 on e[0] -> s2 on e[1] -> s1 }
          state s1 { }
          state s2 { block e[0] on * -> s0 }
        }
        thread B { state s0 { request e[0] block e[1] on e[0] -> s1 } state s1 { bad } }
        thread C { state s0 { request e[1] priority 2 on e[1] -> s0 | s1 } state s1 { bad } }
        thread D {
          state s0 { request * on e[1] -> s1 }
          state s1 { request e[0] block e[0] priority 1 on e[0] -> s1 on e[1] -> s0 }
        }";
    fs::write(&path, text).expect("the scratch directory can be written");
    let output = run(&["check", &path, "--engine", "dpllt", "-q"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
}

/// A formula about states says that an event is enabled exactly where it can fire: another event that is open with a
/// greater priority prevents it.
#[test]
fn fireable_events_are_those_that_fire() {
    let (mut states, mut prevented) = (0, 0);
    for seed in 0..400 {
        let program = program_with_priorities(seed);
        let events = program.events().len();
        let mut problem = Problem::of_program(Arc::new(program.clone()));
        let mut formulas = Vec::new();
        for event in 0..events {
            for (number, form) in ["EF FIREABLE", "EF NOT FIREABLE"].iter().enumerate() {
                let text = format!("{form}({})", program.events()[event]);
                match ask(&mut problem, &text, 2 * event + number, &Limits::default()).expect(&text) {
                    Ask::Property(property) => {
                        formulas.push(problem.formula(property.goal).expect("a formula").clone())
                    }
                    Ask::Unsupported { .. } => panic!("{text}"),
                }
            }
        }
        let mut seen: BTreeSet<Vec<u32>> = testkit::program::initial(&program).into_iter().collect();
        let mut open: Vec<Vec<u32>> = seen.iter().cloned().collect();
        while let Some(state) = open.pop().filter(|_| seen.len() < 200) {
            states += 1;
            let enabled = testkit::program::enabled(&program, &state);
            for (event, pair) in formulas.chunks(2).enumerate() {
                let fires = enabled.contains(&EventId::new(event));
                let says = |formula| testkit::program::holds(&program, formula, &state);
                assert_eq!((says(&pair[0]), says(&pair[1])), (fires, !fires), "seed {seed}: {event} in {state:?}");
            }
            prevented += u32::from(program.has_priorities() && !enabled.is_empty() && enabled.len() < events);
            open.extend(
                testkit::program::successors(&program, &state)
                    .into_iter()
                    .map(|(_, to)| to)
                    .filter(|to| seen.insert(to.clone())),
            );
        }
    }
    assert!(states > 1_500 && prevented > 500, "{states} {prevented}");
}

//! Runs step by step: names, changes and states are consistent, and the last state is a violation.

use crate::tool::root;
use impasse::formats::{Limits, Source, read};
use impasse::model::{Goal, SystemModel};
use impasse::steps::marking::Stepper;
use impasse::steps::{MarkedRun, ProgramRun};
use impasse::{Options, Steps, Value, check, walk};
use std::fs;

fn problem(name: &str, bytes: &[u8]) -> impasse::model::Problem {
    let source = Source { name: name.to_owned(), bytes: bytes.to_vec() };
    read(source, None, &Limits::default()).unwrap_or_else(|error| panic!("{error}")).problem
}

/// Returns the first violation in the file, with a line per step. The changes of each step must lead from the
/// state before it to the state after it.
fn told(name: &str, bytes: &[u8]) -> String {
    let problem = problem(name, bytes);
    let outcome = check(&problem, &Options::default());
    let answer = outcome.answers.iter().find(|answer| answer.is_unsafe()).expect("a violation");
    let mut steps = Steps::new(&problem, answer.trace().expect("it has a run"));
    let mut state = steps.state();
    let (mut lines, mut count) = (String::new(), 0);
    while let Some(step) = steps.next() {
        count += 1;
        assert_eq!(step.number, count);
        for change in &step.changes {
            let part = state.iter_mut().find(|(name, _)| *name == change.name).expect("a part of the state");
            assert!(part.1 == change.from && change.from != change.to, "{name}: {step:?}");
            part.1 = change.to.clone();
        }
        assert_eq!(state, steps.state(), "{name}: {step:?}");
        let changes: Vec<String> = step.changes.iter().map(|c| format!("{} {}->{}", c.name, c.from, c.to)).collect();
        let beside = [step.requested_by, step.shows].concat();
        lines += &format!("{}: {} [{}] {}\n", step.number, step.event, beside.join(" "), changes.join(", "));
    }
    assert_eq!(Some(count), answer.trace().and_then(|trace| trace.len()), "{name}");
    if let (SystemModel::Rwb(program), Some(trace)) = (problem.system(), answer.trace()) {
        let mut run = ProgramRun::new(program, trace);
        for part in trace.runs() {
            run.repeat(part);
        }
        // `ProgramRun::repeat` does not apply choices, so the end is compared only for traces without choices.
        if trace.runs().iter().flat_map(|r| &r.word).all(|m| m.choice.is_none()) {
            assert_eq!(walk::goal(program, run.at()), Some(answer.property.goal), "{name}");
        }
    }
    lines
}

fn example(name: &str) -> String {
    told(name, &fs::read(root().join("examples").join(name)).expect("the example is there"))
}

#[test]
fn steps_of_every_kind_of_system_have_names_changes_and_states() {
    assert_eq!(
        example("philosophers.rwb"),
        "1: pick[0][0] [Phil[0]] Stick[0] L0->L1, Phil[0] L0->L1\n\
         2: pick[1][0] [Phil[1]] Stick[1] L0->L1, Phil[1] L0->L1\n\
         3: pick[2][0] [Phil[2]] Stick[2] L0->L1, Phil[2] L0->L1\n"
    );
    let net = "vars a b\nrules\n  a >= 1 -> a' = a - 1, b' = b + 2;\ninit a = 2, b = 0\ntarget b >= 4\n";
    assert_eq!(told("t.spec", net.as_bytes()), "1: r1 [] a 2->1, b 0->2\n2: r1 [] a 1->0, b 2->4\n");
    let threads = "1|2,2\n2 3\n0 0 -> 0 1\n0 1 -> 1 2\n1 1 -> 1 2\n";
    insta::assert_snapshot!("steps_threads", told("t.tts", threads.as_bytes()));
    insta::assert_snapshot!("steps_circuit", example("careless_ring.aag"));
    insta::assert_snapshot!("steps_reactive", example("coffee.c"));
}

#[test]
fn long_repetitions_are_walked_through_without_being_unrolled() {
    let program = "rwb 1  event tick  thread T { for i in 0..7 { state s[i] { request tick on tick -> s[(i + 1) % 7] \
                   } } }\n\
                   thread D { for i in 0..60 { state d[i] { when i < 59 { on tick -> d[i + 1] } when i == 59 { block \
                   tick } } } }";
    let problem = problem("t.rwb", program.as_bytes());
    let outcome = check(&problem, &Options::default());
    let answer = outcome.about(Goal::Deadlock).expect("it is asked");
    let (trace, program) = (answer.trace().expect("a deadlock"), problem.system().as_program().expect("a program"));
    let mut run = ProgramRun::new(program, trace);
    for part in trace.runs() {
        run.repeat(part);
    }
    let mut steps = Steps::new(&problem, trace);
    assert_eq!(steps.by_ref().count(), 59);
    let names: Vec<Value> = walk::locals(program, run.at()).map(|(_, s)| Value::State(s.name.clone())).collect();
    assert_eq!(steps.state().into_iter().map(|(_, value)| value).collect::<Vec<_>>(), names);
}

#[test]
fn repetitions_of_nets_end_where_their_steps_do() {
    let net = "vars a b c\nrules\n  a >= 1 -> a' = a - 1, b' = b + 3;\n  b >= 7 -> b' = b - 7, c' = c + 1;\ninit a = \
               70, b = 0, c = 0\n\
               target c >= 30\n";
    let problem = problem("t.spec", net.as_bytes());
    let outcome = check(&problem, &Options::default());
    let trace = outcome.answers[0].trace().expect("210 tokens are enough");
    let mut run = MarkedRun::new(Stepper::new(problem.system()).expect("a net"), trace);
    for part in trace.runs() {
        assert!(run.repeat(part).is_some());
    }
    let mut steps = Steps::new(&problem, trace);
    assert_eq!(steps.by_ref().count(), 100);
    let ends: Vec<Value> = run.at().iter().cloned().map(Value::Tokens).collect();
    assert_eq!(steps.state().into_iter().map(|(_, value)| value).collect::<Vec<_>>(), ends);
    assert_eq!(ends[2].to_string(), "30");
}

//! Each kind of system steps as the library's own follower of runs does, and a path survives the way through a trace.

use impasse::choices::*;
use impasse::formats::{Limits, Source};
use impasse::model::{EventId, Goal, Problem, SystemModel, Trace};
use impasse::{Answer, Options, Steps, Value, check, read_rwb};
use num_bigint::BigUint;

fn read(name: &str, text: &str) -> Problem {
    let source = Source { name: name.to_owned(), bytes: text.as_bytes().to_vec() };
    readers::read(source, None, &Limits::default()).expect("the text is right").problem
}

/// Returns the outcome and label of each step of a run, and checks that the follower shows the same states.
fn along<K: Choices>(kind: &K, problem: &Problem, answer: &Answer) -> Vec<(u32, BigUint)> {
    let trace = answer.trace().expect("it has a run");
    let mut steps = Steps::new(problem, trace);
    let mut state = kind.start(&kind.start_of(&trace.start).expect("the start is known")).expect("it exists");
    let (mut picks, mut again) = (Vec::new(), Trace::new(trace.start.clone()));
    let moves: Vec<_> = trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| run.word.clone())).collect();
    for step in moves {
        let label = step.event.0;
        assert!(kind.enabled(&state).contains(&label), "{}", kind.name(label));
        let recorded = step.choice.map(|choice| trace.choice(choice));
        let outcome = kind.outcome_of(&state, label, recorded).expect("the outcome is found");
        let taken = kind.take(&state, label, &outcome).expect("it can be taken");
        assert_eq!(taken.event, steps.next().expect("as long").event);
        again.push(EventId(label), kind.recorded(&state, label, &outcome, &taken.to).expect("it fits"));
        state = taken.to;
        picks.push((label, outcome));
        if taken.goals.is_empty() {
            let shown: Vec<(String, Value)> =
                (0..kind.parts()).map(|part| (kind.part(part), kind.value(&state, part))).collect();
            assert_eq!(shown, steps.state());
        }
    }
    assert_eq!(again.len(), trace.len());
    let Some(model::Claim::Unsafe { goal, .. }) = answer.claim.as_deref() else { panic!("it is violated") };
    let goal = *goal;
    let claim = model::Claim::Unsafe { goal, trace: again, candidate: false };
    let confirmed = certify::confirm(problem, &claim, &certify::Options::default(), &model::Stop::default());
    assert!(confirmed.is_ok(), "{confirmed:?}");
    picks
}

fn violated(problem: &Problem) -> Answer {
    let answers = check(problem, &Options::default()).answers;
    answers.into_iter().find(Answer::is_unsafe).expect("some property is violated")
}

#[test]
fn a_program_with_choices_steps_as_its_runs() {
    let text = "rwb 1 event a, b check deadlock
        thread T { init s | t state s { request a on a -> t | u } state t { request b on b -> s } state u { block a }
        }";
    let problem = read_rwb(text).expect("the text is right");
    let SystemModel::Rwb(program) = problem.system() else { panic!("a program") };
    let kind = ProgramChoices::new(program);
    assert_eq!(kind.start_fields()[0].options, ["s", "t"]);
    let start = kind.start(&BigUint::ZERO).expect("it exists");
    assert_eq!(kind.fields(&start, 0)[0].options, ["t", "u"]);
    assert_eq!(kind.refusal(&start, 1), Refusal::NotRequested);
    let picks = along(&kind, &problem, &violated(&problem));
    assert_eq!(picks.last(), Some(&(0, BigUint::from(1u8))));
}

#[test]
fn a_net_steps_as_its_runs_and_names_lacking_places() {
    let problem = read("net.spec", "vars x y rules x >= 1 -> x' = x - 1, y' = y + 2; init x = 2, y = 0 target y >= 3");
    let kind = MarkedChoices::new(problem.system()).expect("a net");
    assert_eq!(along(&kind, &problem, &violated(&problem)).len(), 2);
    let start = kind.start(&BigUint::ZERO).expect("it exists");
    assert_eq!(kind.enabled(&start), [0]);
    let empty = vec![BigUint::ZERO; 2];
    let Refusal::Tokens(lacks) = kind.refusal(&empty, 0) else { panic!("tokens are missing") };
    assert_eq!((lacks[0].place.as_str(), lacks[0].needs.as_str()), ("x", ">= 1"));
    assert!(kind.reaches(&empty, Goal::Deadlock) && !kind.reaches(&start, Goal::Deadlock));
}

#[test]
fn broadcasts_spread_threads_as_the_fields_say() {
    let text = "1 3\n0 0 -> 0 1 0 ~> 1 0 ~> 2\n";
    let mut problem = read("b.tts", text);
    nets_read::apply_init(&mut problem, "0|0,0,0").expect("the states exist");
    let kind = MarkedChoices::new(problem.system()).expect("it has markings");
    let start = kind.start(&BigUint::ZERO).expect("it exists");
    let fields = kind.fields(&start, 0);
    // Two threads are passive, so 0 to 2 of them go to state 2.
    assert_eq!((fields.len(), fields[0].count.clone()), (1, BigUint::from(3u32)));
    let counts = |outcome: u32| kind.take(&start, 0, &outcome.into()).map(|t| kind.numbers(&t.to)[1..].to_vec());
    assert_eq!((counts(0), counts(1), counts(2)), (Ok(vec![0, 3, 0]), Ok(vec![0, 2, 1]), Ok(vec![0, 1, 2])));
    assert_eq!(counts(3), Err(Refusal::Unknown));
    let to = kind.take(&start, 0, &1u32.into()).expect("it can be taken").to;
    let recorded = kind.recorded(&start, 0, &1u32.into(), &to).expect("it fits");
    assert_eq!(kind.outcome_of(&start, 0, recorded.as_deref()), Some(1u32.into()));
}

#[test]
fn a_circuit_steps_as_its_runs() {
    let problem = read("shift.aag", "aag 3 1 2 1 0\n2\n4 2\n6 4 6\n6\n");
    let SystemModel::Circuit(circuit) = problem.system() else { panic!("a circuit") };
    let kind = CircuitChoices::new(circuit);
    assert_eq!(kind.start_fields().len(), 1, "one latch is open");
    along(&kind, &problem, &violated(&problem));
}

#[test]
fn a_program_with_numbers_steps_as_its_runs() {
    for text in [
        include_str!("../../tests/data/unbounded/02_sensor_unsafe.rwb"),
        include_str!("../../tests/data/unbounded/04_buffer_unsafe.rwb"),
    ] {
        let problem = read("numbers.rwb", text);
        let SystemModel::Data(program) = problem.system() else { panic!("a program with numbers") };
        along(&DataChoices::new(program), &problem, &violated(&problem));
    }
}

#[test]
fn a_reactive_program_steps_as_its_runs() {
    let problem = read("coffee.c", include_str!("../../examples/coffee.c"));
    let SystemModel::Reactive(program) = problem.system() else { panic!("a reactive program") };
    let kind = ReactiveChoices::new(program);
    let start = kind.start(&BigUint::ZERO).expect("it exists");
    let shows: Vec<Vec<String>> = kind
        .enabled(&start)
        .iter()
        .map(|l| kind.take(&start, *l, &BigUint::ZERO).expect("it is called").shows)
        .collect();
    assert!(shows.iter().any(|shows| shows.iter().any(|text| text.starts_with('o'))), "{shows:?}");
}

#[test]
fn outcomes_are_numbers_with_digits() {
    let fields = [
        Field::named("a".to_owned(), vec!["x".to_owned(), "y".to_owned()]),
        Field::counted("b".to_owned(), 5u32.into(), 2u32.into()),
    ];
    for outcome in 0..10u32 {
        let values = digits(&fields, &outcome.into()).expect("it fits");
        assert_eq!(number(&fields, &values), outcome.into());
    }
    assert_eq!(digits(&fields, &10u32.into()), None);
    assert!(!outcomes(&fields, 4).1);
    assert_eq!((outcomes(&fields, 64).0.len(), outcomes(&fields, 64).1, outcomes(&[], 64).0.len()), (10, true, 1));
    assert_eq!((words(&5u32.into(), 3), words(&8u32.into(), 3)), (Some(vec![5]), None));
}

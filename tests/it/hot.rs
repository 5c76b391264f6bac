//! Threads that must not stay hot: random programs with hot states, compared with brute force, and a few programs with
//! known answers. The checker must refuse claims that are wrong.

use impasse::model::{
    Budget, Certificate, Claim, Engine, Goal, LocalId, Problem, Program, ProgramTask, Stop, ThreadId, Trace, Turn,
};
use impasse::{Options, check};
use std::collections::HashMap;
use std::sync::Arc;
use testkit::program as naive;

/// Returns the program for `seed` with hot states in some threads.
fn program(seed: u64) -> Program {
    let program = naive::program_with_ends(seed);
    let random = &mut testkit::Random::new(seed ^ 0x0074_6f68);
    let percent = [10, 40, 70, 100][random.below(4)];
    let mut hot = Vec::new();
    for thread in program.threads() {
        let has_some = random.chance(60);
        let states = (0..thread.states.len()).map(LocalId::new);
        hot.push(states.filter(|_| has_some && random.chance(percent)).collect());
    }
    program.with_hot(hot)
}

/// True if some run keeps the thread hot from some point on. The states with a hot successor among the hot states are
/// found by removing all others again and again: what is left lies on a cycle, or leads to one.
fn stays_hot(program: &Program, thread: ThreadId) -> Option<bool> {
    let mut numbers: HashMap<naive::State, usize> = HashMap::new();
    let mut states: Vec<naive::State> = Vec::new();
    for state in naive::initial(program) {
        if numbers.insert(state.clone(), states.len()).is_none() {
            states.push(state);
        }
    }
    let (mut next, mut at) = (Vec::new(), 0);
    while at < states.len() {
        if states.len() > 20_000 {
            return None;
        }
        let successors = naive::successors(program, &states[at]);
        let mut list = Vec::new();
        for (_, to) in successors {
            let fresh = states.len();
            let number = *numbers.entry(to.clone()).or_insert(fresh);
            if number == fresh {
                states.push(to);
            }
            list.push(number);
        }
        next.push(list);
        at += 1;
    }
    let is_hot = |state: &naive::State| program.is_hot(thread, LocalId(state[thread.index()]));
    let ends = |s: usize| is_hot(&states[s]) && naive::enabled(program, &states[s]).is_empty();
    if (0..states.len()).any(|s| ends(s) && !naive::is_bad(program, &states[s])) {
        return Some(true);
    }
    let mut left: Vec<bool> = states.iter().map(is_hot).collect();
    loop {
        let goes = |s: usize| left[s] && next[s].iter().any(|to| left[*to]);
        let rest: Vec<bool> = (0..states.len()).map(goes).collect();
        if rest == left {
            return Some(left.contains(&true));
        }
        left = rest;
    }
}

#[test]
fn random_programs_agree_with_brute_force() {
    let (mut hot, mut cool) = (0, 0);
    for seed in 0..testkit::count(10_000) {
        let program = Arc::new(program(seed));
        let threads: Vec<ThreadId> = program.hot_threads().collect();
        let problem = Problem::of_program(Arc::clone(&program));
        let goals = problem.goals().filter(|goal| matches!(goal, Goal::Hot(_))).count();
        assert_eq!(goals, threads.len());
        let outcome = check(&problem, &Options::default());
        for thread in threads {
            let Some(expected) = stays_hot(&program, thread) else { continue };
            let answer = outcome.about(Goal::Hot(thread)).expect("it was asked");
            assert_eq!((answer.is_unsafe(), answer.is_safe()), (expected, !expected), "seed {seed}, {thread:?}");
            *if expected { &mut hot } else { &mut cool } += 1;
        }
    }
    assert!(hot > 100 && cool > 100, "{hot} threads stay hot, and {cool} do not");
}

/// Returns the program of a text.
fn read(text: &str) -> Problem {
    let source = impasse::formats::Source { name: "t.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
    impasse::formats::read(source, None, &impasse::formats::Limits::default()).expect(text).problem
}

/// Returns the answer about the first hot thread, and the number from which its run repeats.
fn answer(text: &str) -> (bool, Option<u64>) {
    let problem = read(text);
    let goal = problem.goals().find(|goal| matches!(goal, Goal::Hot(_))).expect("a thread is hot");
    let outcome = check(&problem, &Options::default());
    let answer = outcome.about(goal).expect("it was asked");
    assert!(answer.is_safe() || answer.is_unsafe(), "{text}");
    (answer.is_unsafe(), answer.trace().and_then(|trace| trace.repeats_from))
}

#[test]
fn known_answers() {
    let client = "rwb 2 event ask, answer, other thread Client { body { loop { request ask hot wait answer } } } ";
    let server = "thread Server { body { loop { wait ask request answer } } } ";
    let noise = "thread Noise { body { loop { request other } } } ";
    assert_eq!(answer(&format!("{client}{server}")), (false, None));
    assert_eq!(answer(&format!("{client}{server}{noise}")), (true, Some(1)));
    assert_eq!(answer(client), (true, None), "the run ends after `ask`");
    // The noise waits for the answer before its next event.
    let turns = "thread Turns { body { loop { sync wait ask block other sync wait answer block other wait other } } } ";
    assert_eq!(answer(&format!("{client}{server}{noise}{turns}")), (false, None));
}

/// Returns the set of all states, as evidence.
fn all_states(problem: &Problem) -> Certificate {
    let program = Arc::clone(problem.system().as_program().expect("a program"));
    let mut engine = programs::explore(&ProgramTask::new(program, [Goal::Bad]), search::explicit::Options::default());
    let mut budget = Budget::unlimited(Arc::default());
    loop {
        match engine.run(&mut budget) {
            Turn::Claims(Claim::Safe { certificate, .. }) => return certificate,
            Turn::More => {}
            other => panic!("{other:?}"),
        }
    }
}

/// A closed set shows nothing by itself: the checker must find the cycle, and the end.
#[test]
fn sets_with_hot_cycles_and_hot_ends_are_refused() {
    let client = "rwb 2 event ask, answer, other thread Client { body { loop { request ask hot wait answer } } } ";
    let server = "thread Server { body { loop { wait ask request answer } } } ";
    let noise = "thread Noise { body { loop { request other } } } ";
    let confirm = |text: &str| {
        let problem = read(text);
        let goals = problem.goals().filter(|goal| matches!(goal, Goal::Hot(_))).collect();
        let claim = Claim::Safe { goals, certificate: all_states(&problem) };
        let options = impasse::certify::Options::default();
        impasse::certify::confirm(&problem, &claim, &options, &Stop::default()).map(drop)
    };
    assert_eq!(confirm(&format!("{client}{server}")), Ok(()));
    for text in [format!("{client}{server}{noise}"), client.to_owned()] {
        let refusal = format!("{:?}", confirm(&text).expect_err("a run stays hot"));
        assert!(refusal.contains("is violated"), "{refusal}");
    }
}

#[test]
fn wrong_claims_are_refused() {
    let problem = read(
        "rwb 2 event ask, answer thread Client { body { loop { request ask hot wait answer } } } \
         thread Server { body { loop { wait ask request answer } } }",
    );
    let program = Arc::clone(problem.system().as_program().expect("a program"));
    let goal = Goal::Hot(ThreadId(0));
    let event = |name: &str| program.events().iter().position(|e| e == name).expect("declared");
    let refused = |events: &[&str], repeats_from: Option<u64>| {
        let mut trace = Trace::new(vec![0, 0].into());
        events.iter().for_each(|name| trace.push(impasse::model::EventId::new(event(name)), None));
        trace.repeats_from = repeats_from;
        let claim = Claim::Unsafe { goal, trace, candidate: false };
        impasse::certify::confirm(&problem, &claim, &impasse::certify::Options::default(), &Stop::default())
            .expect_err("no such run")
    };
    for (events, repeats_from) in [
        (&["ask"][..], None),                     // an event is enabled
        (&["ask", "answer"][..], Some(0)),        // a loop, but not hot all the time
        (&["ask", "answer"][..], Some(1)),        // does not come back
        (&["ask", "answer", "ask"][..], Some(3)), // an empty loop
        (&[][..], None),                          // not hot
    ] {
        refused(events, repeats_from);
    }
}

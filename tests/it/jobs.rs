//! Engines side by side: with several jobs, `auto` contradicts no verdict of one job. Two checks with the same number
//! of jobs give the same answers, runs and engines, although threads differ in speed.

use crate::tool::root;
use impasse::formats::{Limits, Source, read};
use impasse::model::{Problem, Reason, Stop};
use impasse::{Answer, Options, check};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Checks the problem until this number of turns was taken.
fn ask(problem: &Problem, jobs: usize, turns: u32) -> Vec<Answer> {
    let (stop, taken) = (Arc::new(Stop::default()), AtomicU32::new(0));
    let count = |_: &'static str| {
        if taken.fetch_add(1, Ordering::Relaxed) >= turns {
            stop.raise(Reason::Timeout);
        }
    };
    check(problem, &Options { jobs, on_turn: &count, stop: Arc::clone(&stop), ..Options::default() }).answers
}

fn verdict(answer: &Answer) -> Option<bool> {
    if answer.is_safe() { Some(true) } else { answer.is_unsafe().then_some(false) }
}

/// The parts of an answer that users see.
fn shown(answer: &Answer) -> String {
    let claim = answer.claim.as_deref();
    format!("{:?} {} {} {claim:?} {:?}", answer.property, answer.engine, answer.shortest, verdict(answer))
}

/// Compares the answers of one, two and three jobs. Returns the number of definite verdicts of one and of three jobs.
fn compare(problem: &Problem, turns: u32, name: &str) -> [usize; 2] {
    let one = ask(problem, 1, turns);
    let three = ask(problem, 3, turns);
    let again: Vec<String> = ask(problem, 3, turns).iter().map(shown).collect();
    assert_eq!(three.iter().map(shown).collect::<Vec<_>>(), again, "{name}: it depends on time");
    for several in [&ask(problem, 2, turns), &three] {
        for (one, several) in one.iter().zip(several) {
            if let (Some(one), Some(several)) = (verdict(one), verdict(several)) {
                assert_eq!(one, several, "{name}: `{}`", answer_id(&three[0]));
            }
        }
    }
    [&one, &three].map(|answers| answers.iter().filter_map(verdict).count())
}

fn answer_id(answer: &Answer) -> &str {
    &answer.property.id
}

#[test]
fn examples_have_the_same_verdicts_with_several_jobs() {
    let mut paths: Vec<_> = fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut definite = 0;
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "rwb" || e == "net" || e == "tts")) {
        let bytes = fs::read(path).expect("an example");
        let name = path.file_name().unwrap().to_string_lossy();
        let source = Source { name: name.clone().into_owned(), bytes };
        let Ok(read) = read(source, None, &Limits::default()) else { continue };
        let [one, three] = compare(&read.problem, 120, &name);
        assert_eq!(one, three, "{name}");
        definite += three;
    }
    assert!(definite > 15, "{definite} verdicts");
}

#[test]
fn programs_have_the_same_verdicts_with_several_jobs() {
    for seed in 0..testkit::count(1_000) {
        compare(&testkit::program::questions(seed), 60, &format!("program {seed}"));
    }
}

#[test]
fn nets_have_the_same_verdicts_with_several_jobs() {
    let mut definite = [0; 2];
    for seed in 0..testkit::count(1_000) {
        let random = &mut testkit::Random::new(seed);
        let net = Arc::new(testkit::net::up_to(8, random));
        let formula = testkit::formula::random(random, net.places().len());
        let problem = Problem::of_net(net).never("f", formula).and_then(Problem::never_stuck).expect("it fits");
        let counts = compare(&problem, 60, &format!("net {seed}"));
        (0..2).for_each(|at| definite[at] += counts[at]);
    }
    assert!(definite[1] * 10 > definite[0] * 9, "several jobs decide as much: {definite:?}");
}

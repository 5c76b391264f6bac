//! Checks that are paused, saved and restored in memory.

use super::{problem, wrong_trace};
use crate::{Answer, Checkpoint, Options, RestoreEngine, SaveEngine, check, engines};
use model::{Claim, EventId, Goal, Problem, Stop, Trace, Unrestored};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use testkit::Log;

/// Checkpoints in memory. After some of them, work is stopped.
#[derive(Default)]
struct Memory {
    logs: Mutex<BTreeMap<String, Log>>,
    claims: Mutex<Vec<Claim>>,
    stop: Arc<Stop>,
    /// Checkpoints until work is stopped.
    left: AtomicUsize,
    restored: Mutex<Vec<String>>,
}

impl Checkpoint for Memory {
    fn restore(&self, engine: &str, restore: &mut RestoreEngine<'_>) {
        let mut logs = self.logs.lock().unwrap();
        if logs.entry(engine.to_owned()).or_default().restore(&mut *restore).expect("these are its records") {
            self.restored.lock().unwrap().push(engine.to_owned());
        }
    }

    fn claims(&self) -> Vec<Claim> {
        std::mem::take(&mut *self.claims.lock().unwrap())
    }

    fn begin(&self) {}

    fn save(&self, engine: &str, save: &mut SaveEngine<'_>) {
        self.logs.lock().unwrap().entry(engine.to_owned()).or_default().save(true, &mut *save);
    }

    fn end(&self) {
        // Another checkpoint is due at once.
        let left = self.left.load(Ordering::Relaxed).saturating_sub(1);
        self.left.store(left, Ordering::Relaxed);
        if left == 0 {
            self.stop.raise(model::Reason::Interrupted);
        }
    }
}

/// Independent counters, as a program with the goal `deadlock`.
fn counters() -> Problem {
    let program = testkit::program::counters(6, 5);
    Problem::of_program_with(Arc::new(program), &[Goal::Deadlock]).expect("it fits")
}

fn explicit(place: &Memory) -> Vec<Answer> {
    let (engine, stop) = (Some(&engines::EXPLICIT), Arc::clone(&place.stop));
    let options = Options { engine, stop, explore_all: true, checkpoint: Some(place), ..Options::default() };
    check(&counters(), &options).answers
}

#[test]
fn a_check_goes_on_in_many_processes() {
    let mut logs = BTreeMap::new();
    for process in 0..1_000 {
        let place = Memory { logs: Mutex::new(logs), left: AtomicUsize::new(3), ..Memory::default() };
        place.stop.pause(true);
        let answers = explicit(&place);
        let restored = std::mem::take(&mut *place.restored.lock().unwrap()).len();
        assert_eq!(restored, usize::from(process > 0));
        if answers[0].is_safe() {
            let states = 5u64.pow(6);
            assert_eq!((answers[0].stats.states, answers[0].stats.transitions), (states, 6 * states));
            assert!(process > 3, "it was over before it was interrupted");
            return;
        }
        logs = std::mem::take(&mut *place.logs.lock().unwrap());
    }
    panic!("it makes no progress");
}

#[test]
fn claims_of_an_earlier_process_are_checked_again() {
    let mut run = Trace::new(Box::from([0]));
    run.push(EventId(0), None);
    let right = || Claim::Unsafe { goal: Goal::Deadlock, trace: run.clone(), candidate: false };
    for (claims, engine) in [
        (vec![right()], "saved"),
        (vec![wrong_trace(Goal::Deadlock, false)], "explicit"),
        (vec![wrong_trace(Goal::Deadlock, false), wrong_trace(Goal::Bad, false), right()], "saved"),
    ] {
        let place = Memory { claims: Mutex::new(claims), left: AtomicUsize::new(9), ..Memory::default() };
        let options = Options { engine: Some(&engines::EXPLICIT), checkpoint: Some(&place), ..Options::default() };
        let outcome = check(&problem(), &options);
        let deadlock = outcome.about(Goal::Deadlock).expect("it was asked");
        assert!(deadlock.is_unsafe() && deadlock.engine == engine, "{deadlock:?}");
        assert!(outcome.about(Goal::Bad).expect("it was asked").is_safe(), "a wrong claim settles nothing");
    }
}

/// A place from which nothing can be read, because work has to stop.
struct Stopped(Mutex<Vec<String>>);

impl Checkpoint for Stopped {
    fn restore(&self, _: &str, restore: &mut RestoreEngine<'_>) {
        struct Never;
        impl model::Saved for Never {
            fn next(&mut self, _: &mut Vec<u8>) -> Result<bool, Unrestored> {
                Err(Unrestored::Stopped(model::Reason::Memory))
            }
        }
        assert!(restore(&mut Never).is_err());
    }

    fn claims(&self) -> Vec<Claim> {
        Vec::new()
    }

    fn begin(&self) {}

    fn save(&self, engine: &str, _: &mut SaveEngine<'_>) {
        self.0.lock().unwrap().push(engine.to_owned());
    }

    fn end(&self) {}
}

#[test]
fn an_engine_that_is_not_restored_does_not_run() {
    let place = Stopped(Mutex::default());
    let options = Options { engine: Some(&engines::EXPLICIT), checkpoint: Some(&place), ..Options::default() };
    let outcome = check(&problem(), &options);
    assert!(outcome.answers.iter().all(|answer| answer.unknown().is_some()));
    assert!(std::mem::take(&mut *place.0.lock().unwrap()).is_empty(), "what is saved must not be replaced");
}

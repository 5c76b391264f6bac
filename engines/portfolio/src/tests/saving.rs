//! Checks that are paused, saved and restored in memory.

use super::{problem, wrong_trace};
use crate::{Answer, Checkpoint, Options, RestoreEngine, SaveEngine, check, engines};
use model::{Claim, EventId, Goal, Problem, Stop, Trace, Unrestored};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::Log;

/// Checkpoints in memory. After some of them, work is stopped.
#[derive(Default)]
struct Memory {
    logs: RefCell<BTreeMap<String, Log>>,
    claims: RefCell<Vec<Claim>>,
    stop: Arc<Stop>,
    /// Checkpoints until work is stopped.
    left: Cell<usize>,
    restored: RefCell<Vec<String>>,
}

impl Checkpoint for Memory {
    fn restore(&self, engine: &str, restore: &mut RestoreEngine<'_>) {
        let mut logs = self.logs.borrow_mut();
        if logs.entry(engine.to_owned()).or_default().restore(&mut *restore).expect("these are its records") {
            self.restored.borrow_mut().push(engine.to_owned());
        }
    }

    fn claims(&self) -> Vec<Claim> {
        self.claims.take()
    }

    fn begin(&self) {}

    fn save(&self, engine: &str, save: &mut SaveEngine<'_>) {
        self.logs.borrow_mut().entry(engine.to_owned()).or_default().save(true, &mut *save);
    }

    fn end(&self) {
        // Another checkpoint is due at once.
        self.left.set(self.left.get().saturating_sub(1));
        if self.left.get() == 0 {
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
        let place = Memory { logs: RefCell::new(logs), left: Cell::new(3), ..Memory::default() };
        place.stop.pause(true);
        let answers = explicit(&place);
        let restored = place.restored.take().len();
        assert_eq!(restored, usize::from(process > 0));
        if answers[0].is_safe() {
            let states = 5u64.pow(6);
            assert_eq!((answers[0].stats.states, answers[0].stats.transitions), (states, 6 * states));
            assert!(process > 3, "it was over before it was interrupted");
            return;
        }
        logs = place.logs.take();
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
        let place = Memory { claims: RefCell::new(claims), left: Cell::new(9), ..Memory::default() };
        let options = Options { engine: Some(&engines::EXPLICIT), checkpoint: Some(&place), ..Options::default() };
        let outcome = check(&problem(), &options);
        let deadlock = outcome.about(Goal::Deadlock).expect("it was asked");
        assert!(deadlock.is_unsafe() && deadlock.engine == engine, "{deadlock:?}");
        assert!(outcome.about(Goal::Bad).expect("it was asked").is_safe(), "a wrong claim settles nothing");
    }
}

/// A place from which nothing can be read, because work has to stop.
struct Stopped(RefCell<Vec<String>>);

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
        self.0.borrow_mut().push(engine.to_owned());
    }

    fn end(&self) {}
}

#[test]
fn an_engine_that_is_not_restored_does_not_run() {
    let place = Stopped(RefCell::default());
    let options = Options { engine: Some(&engines::EXPLICIT), checkpoint: Some(&place), ..Options::default() };
    let outcome = check(&problem(), &options);
    assert!(outcome.answers.iter().all(|answer| answer.unknown().is_some()));
    assert!(place.0.take().is_empty(), "what is saved must not be replaced");
}

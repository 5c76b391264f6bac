//! The one shape of a pattern matcher: recognise threads, emit lemmas.
//!
//! After Katz, Barrett, Harel 2015, section IV: a recogniser (polynomial in the threads, never the product) and a lemma
//! generator. Matchers live in `patterns/` or in anybody's own crate; the engine takes a slice of them.

use crate::goal::Goal;
use crate::ids::{EventId, ThreadId};
use crate::lemma::Lemma;
use crate::rwb::Thread;
use crate::term::Values;
use std::fmt;

/// A pattern matcher. Its file's doc comment states formula, soundness argument and side conditions.
pub trait Pattern: Sync {
    /// Short name: `--patterns NAME`, and the first part of its lemma kinds.
    fn name(&self) -> &'static str;

    /// Does the pattern apply to these threads for this goal? Polynomial in the threads; on doubt, no.
    ///
    /// # Errors
    /// Which side condition failed, and where.
    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot>;
}

/// A pattern that applies to a program. Every lemma must hold for every violating run of the goal it was recognised for
/// (lemmas that do not hold for the other goals carry `not Ends(goal)`).
pub trait Match: Send {
    /// Which threads the lemmas speak of.
    fn coverage(&self) -> Coverage;

    /// Lemmas that hold from the start. Called once, first.
    fn on_start(&mut self, out: &mut Vec<Lemma>);

    /// Lemmas about the newly visited composite state `q`.
    fn on_state(&mut self, _q: &[u32], _out: &mut Vec<Lemma>) {}

    /// Lemmas in answer to a proposal of the side theories.
    fn on_model(&mut self, _values: &Values, _out: &mut Vec<Lemma>) {}

    /// This match's constants as functions of a violating run; the kit evaluates lemmas with it.
    fn witness(&self, run: &ConcreteRun) -> Values;

    /// Event sequences that may be a violating run with these values, best first: candidates that the checker replays.
    /// Each is a list of words with repetition counts.
    fn candidates(&self, _values: &Values) -> Vec<Vec<(Vec<EventId>, u64)>> {
        Vec::new()
    }
}

/// Which threads and which goal a match's lemmas speak of, for `info` and statistics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The goal.
    pub goal: Goal,
    /// The threads, ascending.
    pub threads: Vec<ThreadId>,
}

/// A run spelled out: `states[0] events[0] states[1] .. states[T]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteRun {
    /// `T + 1` composite states.
    pub states: Vec<Box<[u32]>>,
    /// `T` events.
    pub events: Vec<EventId>,
    /// The goal of the last state.
    pub goal: Goal,
}

/// Why a pattern does not apply: the failed side condition and the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhyNot {
    /// The thread it failed at, if it failed at one.
    pub thread: Option<ThreadId>,
    /// The failed condition in a sentence that names states and events.
    pub reason: String,
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

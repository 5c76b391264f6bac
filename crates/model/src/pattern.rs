//! The interface of pattern matchers. A pattern matcher recognises threads of a certain form and emits lemmas
//! about them.
//!
//! A matcher consists of a recogniser, which takes polynomial time in the sizes of the threads and never builds
//! their product, and a lemma generator (Katz, Barrett, Harel 2015, section IV). Matchers are defined in
//! `patterns/` or in other crates. The engine takes a slice of matchers.

use crate::goal::Goal;
use crate::ids::{EventId, ThreadId};
use crate::lemma::Lemma;
use crate::restriction::Restriction;
use crate::rwb::Thread;
use crate::term::{Constant, Values};
use num_bigint::BigInt;
use std::fmt;

/// A pattern matcher. The documentation of its file states the formula, the soundness argument and the side
/// conditions.
pub trait Pattern: Sync {
    /// Returns a short name. It is used in `--patterns NAME` and as the first part of the pattern's lemma
    /// kinds.
    fn name(&self) -> &'static str;

    /// Checks whether the pattern applies to these threads for this goal. Takes polynomial time in the sizes of
    /// the threads. If in doubt, the answer is that it does not apply.
    ///
    /// # Errors
    /// Returns the side condition that failed, and the thread at which it failed.
    fn recognize(&self, threads: &[Thread], goal: Goal) -> Result<Box<dyn Match>, WhyNot>;

    /// Does the same as [`Pattern::recognize`], but gives up when the effort is spent. Recognisers that may
    /// take long implement this method, so that the caller can give them little effort first and more later.
    /// With less effort a recogniser may find fewer lemmas, but all of them are valid.
    ///
    /// # Errors
    /// Returns the side condition that failed, and the thread at which it failed.
    fn recognize_within(&self, threads: &[Thread], goal: Goal, _effort: &mut Effort) -> Result<Box<dyn Match>, WhyNot> {
        self.recognize(threads, goal)
    }

    /// Returns local states that no run ever visits, with a reason that the checker can verify; `None` if in
    /// doubt. The caller calls this method before all others. Afterwards all patterns and engines work on the
    /// threads without these states ([`crate::restriction`]), and each pattern gets the threads that earlier
    /// patterns restricted. Takes polynomial time in the sizes of the threads.
    fn restrict(&self, _threads: &[Thread]) -> Option<Restriction> {
        None
    }
}

/// The effort that a recogniser may still spend, counted in looks: one look reads a state, a move or an entry
/// of a list. A hundred looks take about a microsecond.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    left: u64,
}

impl Effort {
    /// Creates an effort of this number of looks.
    #[must_use]
    pub fn new(looks: u64) -> Self {
        Self { left: looks }
    }

    /// Subtracts `looks` from the looks left. If fewer looks are left, returns false and leaves no look.
    pub fn spend(&mut self, looks: u64) -> bool {
        let left = self.left.checked_sub(looks);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Runs `find` with an effort of its own: `most` looks, or the looks left if they are fewer. Subtracts the
    /// looks that `find` spends.
    pub fn within<T>(&mut self, most: u64, find: impl FnOnce(&mut Self) -> T) -> T {
        let given = self.left.min(most);
        let mut own = Self::new(given);
        let found = find(&mut own);
        self.spend(given - own.left);
        found
    }

    /// Returns the number of looks left.
    #[must_use]
    pub fn left(self) -> u64 {
        self.left
    }

    /// Returns true if no looks are left.
    #[must_use]
    pub fn is_spent(self) -> bool {
        self.left == 0
    }
}

/// A pattern that applies to a program. Every lemma must hold for every violating run of the goal for which the
/// pattern was recognised. (A lemma that does not hold for runs to other goals contains the literal `not
/// Ends(g)`, where g is the goal for which the pattern was recognised.)
pub trait Match: Send {
    /// Returns the threads and the goal that the lemmas are about.
    fn coverage(&self) -> Coverage;

    /// Emits the lemmas that hold from the start. Called once, before the other methods.
    fn on_start(&mut self, out: &mut Vec<Lemma>);

    /// Emits lemmas about the newly visited composite state `q`.
    fn on_state(&mut self, _q: &[u32], _out: &mut Vec<Lemma>) {}

    /// Returns the work of all calls of [`Match::on_state`] so far, in local states that were read beyond those of `q`.
    /// A match that takes more time than the search is asked about fewer states.
    fn looks(&self) -> u64 {
        0
    }

    /// Emits lemmas in response to values of constants that the side theories propose.
    fn on_model(&mut self, _values: &Values, _out: &mut Vec<Lemma>) {}

    /// Returns the values of this match's [`Constant::Named`] constants for a violating run. The conformance kit
    /// (`patterns::kit`) uses these values to evaluate lemmas, and knows the values of all other constants. A match
    /// without such constants needs no witness.
    fn witness(&self, _run: &ConcreteRun) -> Values {
        Values::new()
    }

    /// Returns event sequences that may be violating runs with these values, best first. The checker replays
    /// these candidates. Each sequence is a list of words with repetition counts.
    fn candidates(&self, _values: &Values) -> Vec<Vec<(Vec<EventId>, u64)>> {
        Vec::new()
    }
}

/// The threads and the goal that a match's lemmas are about, for `info` and statistics.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The goal.
    pub goal: Goal,
    /// The threads, ascending.
    pub threads: Vec<ThreadId>,
}

/// A run with all its states: `states[0] events[0] states[1] .. states[T]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteRun {
    /// `T + 1` composite states.
    pub states: Vec<Box<[u32]>>,
    /// `T` events.
    pub events: Vec<EventId>,
    /// The goal of the last state.
    pub goal: Goal,
}

impl ConcreteRun {
    /// Returns the values of the constants that the run alone determines: its length, and for each of the
    /// program's events how often it fires.
    #[must_use]
    pub fn values(&self, events: usize) -> Values {
        let mut values = Values::from([(Constant::RunLength, self.events.len().into())]);
        values.extend((0..events).map(|event| (Constant::Count(EventId::new(event)), BigInt::ZERO)));
        for &event in &self.events {
            *values.entry(Constant::Count(event)).or_default() += 1;
        }
        values
    }
}

/// The reason why a pattern does not apply: the failed side condition and the thread. Patterns do not have the
/// names of events. The reason therefore stores events separately from text, and the caller that prints it
/// supplies the names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhyNot {
    /// The thread at which the side condition failed, if it failed at a thread.
    pub thread: Option<ThreadId>,
    reason: Vec<Fragment>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Fragment {
    Text(String),
    Event(EventId),
}

impl WhyNot {
    /// Creates a reason that begins with `text`. The text contains names of states and threads, but not of
    /// events.
    #[must_use]
    pub fn new(thread: Option<ThreadId>, text: impl Into<String>) -> Self {
        Self { thread, reason: vec![Fragment::Text(text.into())] }
    }

    /// Appends `text`.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.reason.push(Fragment::Text(text.into()));
        self
    }

    /// Appends the name of an event.
    #[must_use]
    pub fn event(mut self, event: EventId) -> Self {
        self.reason.push(Fragment::Event(event));
        self
    }

    /// Returns the failed condition as a sentence, with the event names that `event_name` returns.
    pub fn describe<'a>(&self, event_name: impl Fn(EventId) -> &'a str) -> String {
        let parts = self.reason.iter().map(|part| match part {
            Fragment::Text(text) => text.clone(),
            Fragment::Event(event) => format!("`{}`", event_name(*event)),
        });
        parts.collect()
    }
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.reason {
            match part {
                Fragment::Text(text) => f.write_str(text)?,
                Fragment::Event(event) => write!(f, "event {}", event.0)?,
            }
        }
        Ok(())
    }
}

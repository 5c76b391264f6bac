//! The one shape of a pattern matcher: recognise threads, emit lemmas.
//!
//! After Katz, Barrett, Harel 2015, section IV: a recogniser (polynomial in the threads, never the product) and a lemma
//! generator. Matchers live in `patterns/` or in anybody's own crate; the engine takes a slice of them.

use crate::goal::Goal;
use crate::ids::{EventId, ThreadId};
use crate::lemma::Lemma;
use crate::restriction::Restriction;
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

    /// The same, given up when the effort is spent. Recognisers that may take long have it as theirs, so that they
    /// can be asked for little first and for more when others had their turn; what they say then may be less, and is
    /// as true.
    ///
    /// # Errors
    /// As [`Pattern::recognize`].
    fn recognize_within(&self, threads: &[Thread], goal: Goal, _effort: &mut Effort) -> Result<Box<dyn Match>, WhyNot> {
        self.recognize(threads, goal)
    }

    /// Local states that no run ever visits, with a reason that the checker can verify. Asked before anything else: all
    /// patterns and engines then see the threads without these states ([`crate::restriction`]), each pattern those that
    /// earlier ones left. Polynomial in the threads; on doubt, none.
    fn restrict(&self, _threads: &[Thread]) -> Option<Restriction> {
        None
    }
}

/// Looks that a recogniser may still take: at a state, a move or an entry of a list. A hundred take about a
/// microsecond.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    left: u64,
}

impl Effort {
    /// So many looks.
    #[must_use]
    pub fn new(looks: u64) -> Self {
        Self { left: looks }
    }

    /// Takes `looks` from what is left; false, and nothing is left, if that is too little.
    pub fn spend(&mut self, looks: u64) -> bool {
        let left = self.left.checked_sub(looks);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// What `find` makes of at most `most` looks of these.
    pub fn within<T>(&mut self, most: u64, find: impl FnOnce(&mut Self) -> T) -> T {
        let given = self.left.min(most);
        let mut own = Self::new(given);
        let found = find(&mut own);
        self.spend(given - own.left);
        found
    }

    /// Looks that are left.
    #[must_use]
    pub fn left(self) -> u64 {
        self.left
    }

    /// Is nothing left?
    #[must_use]
    pub fn is_spent(self) -> bool {
        self.left == 0
    }
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

/// Why a pattern does not apply: the failed side condition and the place. Patterns see threads but not the names of
/// events, so the reason keeps events apart from text, and whoever prints it supplies the names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhyNot {
    /// The thread it failed at, if it failed at one.
    pub thread: Option<ThreadId>,
    reason: Vec<Part>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Part {
    Text(String),
    Event(EventId),
}

impl WhyNot {
    /// A reason that begins with `text`; names of states and threads belong into it.
    #[must_use]
    pub fn new(thread: Option<ThreadId>, text: impl Into<String>) -> Self {
        Self { thread, reason: vec![Part::Text(text.into())] }
    }

    /// Goes on with `text`.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.reason.push(Part::Text(text.into()));
        self
    }

    /// Goes on with the name of an event.
    #[must_use]
    pub fn event(mut self, event: EventId) -> Self {
        self.reason.push(Part::Event(event));
        self
    }

    /// The failed condition in a sentence, with events as `event_name` names them.
    pub fn describe<'a>(&self, event_name: impl Fn(EventId) -> &'a str) -> String {
        let parts = self.reason.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Event(event) => format!("`{}`", event_name(*event)),
        });
        parts.collect()
    }
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.reason {
            match part {
                Part::Text(text) => f.write_str(text)?,
                Part::Event(event) => write!(f, "event {}", event.0)?,
            }
        }
        Ok(())
    }
}

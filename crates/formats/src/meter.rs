//! Counters for the cost of reading a program. Everything that unrolling can multiply is counted before it is
//! allocated.

use crate::codes::{self, Code};
use crate::error::{Error, Span, Text};
use crate::source::{Limits, Partly};
use model::{EventSet, Grown};

type Res<T> = Result<T, Box<Error>>;

/// The number of event-set words that count as one unit of work.
const WORDS_PER_UNIT: usize = 32;
/// The number of bytes of names that count as one unit of work.
const BYTES_PER_UNIT: usize = 16;

/// Counts what is read, and refuses what exceeds the limits.
#[derive(Clone)]
pub struct Meter<'a> {
    source: Text<'a>,
    limits: &'a Limits,
    work: usize,
    threads: usize,
    states: usize,
    sets: usize,
    moves: usize,
}

impl<'a> Meter<'a> {
    /// Returns a meter that has counted nothing.
    pub fn new(source: Text<'a>, limits: &'a Limits) -> Self {
        Self { source, limits, work: 0, threads: 0, states: 0, sets: 0, moves: 0 }
    }

    fn exceeded<T>(&self, code: &'static Code, span: Span, limit: usize, what: &str) -> Res<T> {
        let error = self.source.error(code, span.range(), format!("the program has more than {limit} {what}"));
        Err(error.label("the limit is reached here"))
    }

    /// Counts work: one unit is the work on one item, state, statement or act.
    pub fn work(&mut self, units: usize, span: Span) -> Res<()> {
        self.work = self.work.saturating_add(units);
        if self.work > self.limits.unrolled {
            let message = format!("unrolled, the program has more than {} parts", self.limits.unrolled);
            let error = self.source.error(&codes::LIMIT_UNROLLED, span.range(), message);
            return Err(error
                .label("the limit is reached here")
                .hint("make a `for` range or a `repeat` count smaller"));
        }
        Ok(())
    }

    /// Counts the work of an operation with this set as its result.
    pub fn set(&mut self, set: &EventSet, span: Span) -> Res<()> {
        self.work(1 + set.size() / WORDS_PER_UNIT, span)
    }

    /// Checks the length of a name.
    ///
    /// # Errors
    /// A name that is too long.
    pub fn name(&mut self, name: &str, span: Span) -> Res<()> {
        self.work(1 + name.len() / BYTES_PER_UNIT, span)
    }

    /// Counts a thread.
    ///
    /// # Errors
    /// More threads than allowed.
    pub fn thread(&mut self, span: Span) -> Res<()> {
        self.threads += 1;
        if self.threads > self.limits.threads {
            return self.exceeded(&codes::LIMIT_THREADS, span, self.limits.threads, "threads");
        }
        Ok(())
    }

    /// Returns how far threads with data are explored ([`Limits::explored`]).
    #[must_use]
    pub fn explored(&self) -> u32 {
        self.limits.explored
    }

    /// Returns which part of a program is enough.
    #[must_use]
    pub fn partly(&self) -> Partly {
        self.limits.partly
    }

    /// Records a variable with many values, for the case that reading is stopped.
    pub fn grown(&self, grown: Grown) {
        self.limits.growth.note(grown);
    }

    /// Checks the number of events.
    pub fn events(&mut self, count: usize, span: Span) -> Res<()> {
        if count > self.limits.events {
            return self.exceeded(&codes::LIMIT_EVENTS, span, self.limits.events, "events");
        }
        Ok(())
    }

    /// Counts a state of a thread.
    pub fn state(&mut self, span: Span) -> Res<()> {
        self.states += 1;
        if self.states > self.limits.states {
            return self.exceeded(&codes::LIMIT_STATES, span, self.limits.states, "states");
        }
        Ok(())
    }

    /// Counts an event set that is stored.
    pub fn kept(&mut self, set: &EventSet, span: Span) -> Res<()> {
        self.sets = self.sets.saturating_add(set.size());
        if self.sets > self.limits.sets {
            return self.exceeded(&codes::LIMIT_SETS, span, self.limits.sets, "words of event sets");
        }
        Ok(())
    }

    /// Counts moves.
    ///
    /// # Errors
    /// More moves than allowed.
    pub fn moves(&mut self, count: usize, span: Span) -> Res<()> {
        self.moves = self.moves.saturating_add(count);
        if self.moves > self.limits.moves {
            return self.exceeded(&codes::LIMIT_MOVES, span, self.limits.moves, "moves (a state, an event, a target)");
        }
        Ok(())
    }
}

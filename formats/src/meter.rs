//! What a program may cost. Everything that unrolling can multiply is counted before it is allocated.

use crate::codes::{self, Code};
use crate::error::{Error, Span, Text};
use crate::source::Limits;

type Res<T> = Result<T, Box<Error>>;

/// Event-set words per unit of work.
const WORDS_PER_UNIT: usize = 32;
/// Bytes of names per unit of work.
const BYTES_PER_UNIT: usize = 16;

pub(crate) struct Meter<'a> {
    source: Text<'a>,
    limits: &'a Limits,
    work: usize,
    threads: usize,
    states: usize,
    cells: usize,
    moves: usize,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(source: Text<'a>, limits: &'a Limits) -> Self {
        Self { source, limits, work: 0, threads: 0, states: 0, cells: 0, moves: 0 }
    }

    fn exceeded<T>(&self, code: &'static Code, span: Span, limit: usize, what: &str) -> Res<T> {
        let error = self.source.error(code, span.range(), format!("the program has more than {limit} {what}"));
        Err(error.label("the limit is reached here"))
    }

    /// Work on one item, state, statement or act, or `units` times that.
    pub(crate) fn work(&mut self, units: usize, span: Span) -> Res<()> {
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

    /// An operation on sets over `universe` events.
    pub(crate) fn set(&mut self, universe: usize, span: Span) -> Res<()> {
        self.work(1 + universe / 64 / WORDS_PER_UNIT, span)
    }

    pub(crate) fn name(&mut self, name: &str, span: Span) -> Res<()> {
        self.work(1 + name.len() / BYTES_PER_UNIT, span)
    }

    pub(crate) fn thread(&mut self, span: Span) -> Res<()> {
        self.threads += 1;
        if self.threads > self.limits.threads {
            return self.exceeded(&codes::LIMIT_THREADS, span, self.limits.threads, "threads");
        }
        Ok(())
    }

    /// A state of a thread in a program with `universe` events.
    pub(crate) fn state(&mut self, universe: usize, span: Span) -> Res<()> {
        self.states += 1;
        if self.states > self.limits.states {
            return self.exceeded(&codes::LIMIT_STATES, span, self.limits.states, "states");
        }
        self.cells(universe, span)
    }

    /// An event set that is kept.
    pub(crate) fn cells(&mut self, universe: usize, span: Span) -> Res<()> {
        self.cells = self.cells.saturating_add(universe);
        if self.cells > self.limits.cells {
            return self.exceeded(&codes::LIMIT_CELLS, span, self.limits.cells, "pairs of a state and an event");
        }
        Ok(())
    }

    pub(crate) fn moves(&mut self, count: usize, span: Span) -> Res<()> {
        self.moves = self.moves.saturating_add(count);
        if self.moves > self.limits.moves {
            return self.exceeded(&codes::LIMIT_MOVES, span, self.limits.moves, "moves (a state, an event, a target)");
        }
        Ok(())
    }
}

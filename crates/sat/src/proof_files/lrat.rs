//! LRAT files: derived clauses with their numbers and the numbers of the clauses that imply them, and the
//! numbers of deleted clauses.
//!
//! The checker reads the formula itself and numbers its clauses from 1. The log uses the same numbers, unless a
//! clause was derived before the last clause of the formula was added. Then the first clauses of the log have
//! other numbers in the file.
//!
//! Clauses that a theory adds are not in the formula, and an LRAT checker cannot judge them. Text files contain
//! them as comments of the form `c axiom ID TAG LITERALS 0`, so that a checker of the theory can verify them.
//! The binary form has no such comments: with a theory, use text.

use std::io::{self, Write};

use super::sink::{Form, Sink, Status};
use crate::lit::Lit;
use crate::proof::{ClauseId, Proof};
use crate::theory::Tag;

/// A [`Proof`] that writes LRAT. Flushes when the empty clause is derived, and when dropped.
pub struct Lrat<W: Write + Send> {
    sink: Sink<W>,
    /// Number of clauses of the formula. `given` is the number of clauses of the formula that were added so
    /// far.
    formula: u64,
    given: u64,
    /// The numbers in the file of the first clauses of the log, up to the last clause of the formula. Empty if
    /// these numbers are the same as in the log.
    first: Vec<u64>,
    /// The largest number in the file so far.
    last: u64,
    /// Deletions that are not written yet. One line of the file can contain many deletions.
    dropped: Vec<ClauseId>,
}

impl<W: Write + Send> Lrat<W> {
    /// Creates a writer to `out`, which should be buffered, and the handle that reports its errors. The first
    /// `formula` clauses given from outside are the formula, which the checker reads separately.
    pub fn new(out: W, form: Form, formula: usize) -> (Self, Status) {
        let sink = Sink::new(out, form);
        let status = sink.status();
        let (formula, first, dropped) = (formula as u64, Vec::new(), Vec::new());
        (Self { sink, formula, given: 0, first, last: formula, dropped }, status)
    }

    /// Assigns a number to a new clause.
    fn enter(&mut self, id: ClauseId, is_given: bool) {
        if self.given == self.formula {
            self.last = id.0;
            return;
        }
        if is_given {
            self.given += 1;
            self.first.push(self.given);
        } else {
            self.last += 1;
            self.first.push(self.last);
        }
        if self.given == self.formula && self.last == self.formula {
            self.first = Vec::new();
        }
    }

    /// The number of a clause in the file.
    fn number(&self, id: ClauseId) -> u64 {
        let first = usize::try_from(id.0).ok().and_then(|id| self.first.get(id.checked_sub(1)?));
        first.copied().unwrap_or(id.0)
    }

    /// Writes the number of a clause. Numbers are assigned one by one from 1, so they are far below 2^63.
    fn id(&mut self, id: ClauseId) {
        let number = self.number(id);
        self.sink.number(number as i64);
    }

    fn literals(&mut self, clause: &[Lit]) {
        clause.iter().for_each(|lit| self.sink.number(lit.to_dimacs().into()));
        self.sink.zero();
    }

    fn write_dropped(&mut self) {
        if self.dropped.is_empty() {
            return;
        }
        if self.sink.form() == Form::Text {
            self.sink.number(self.last as i64);
        }
        self.sink.raw(Form::Text, "d ");
        self.sink.raw(Form::Binary, "d");
        for id in std::mem::take(&mut self.dropped) {
            self.id(id);
        }
        self.sink.zero();
        self.sink.end();
    }
}

impl<W: Write + Send> Proof for Lrat<W> {
    fn axiom(&mut self, id: ClauseId, tag: Tag, clause: &[Lit]) {
        let is_known = self.given < self.formula;
        if !is_known {
            self.write_dropped();
        }
        self.enter(id, true);
        match self.sink.form() {
            _ if is_known => {}
            Form::Binary => {
                let why = "binary LRAT cannot tell the clauses of a theory";
                self.sink.note(Err(io::Error::new(io::ErrorKind::Unsupported, why)));
            }
            Form::Text => {
                self.sink.raw(Form::Text, "c axiom ");
                self.id(id);
                self.sink.number(tag.0.into());
                self.literals(clause);
                self.sink.end();
            }
        }
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], hints: &[ClauseId]) {
        self.write_dropped();
        self.enter(id, false);
        self.sink.raw(Form::Binary, "a");
        self.id(id);
        self.literals(clause);
        hints.iter().for_each(|&hint| self.id(hint));
        self.sink.zero();
        self.sink.end();
        if clause.is_empty() {
            self.sink.flush();
        }
    }

    fn delete(&mut self, id: ClauseId) {
        self.dropped.push(id);
    }
}

impl<W: Write + Send> Drop for Lrat<W> {
    fn drop(&mut self) {
        self.write_dropped();
    }
}

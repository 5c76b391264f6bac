//! LRAT: derived clauses under their numbers, each with the numbers of the clauses it follows from; deletions by
//! number.
//!
//! The checker reads the formula itself and numbers its clauses from 1. The log does the same, unless something was
//! derived while the formula was still coming in: then its first clauses have other numbers in the file.
//!
//! Clauses that a theory adds are not in the formula, and not for an LRAT checker to judge; text says where they come
//! in, `c axiom ID TAG LITERALS 0`, so that somebody who knows the theory can. The binary form has no place for them:
//! with a theory, write text.

use std::io::{self, Write};

use super::sink::{Form, Sink, Status};
use crate::lit::Lit;
use crate::proof::{ClauseId, Proof};
use crate::theory::Tag;

/// A [`Proof`] that writes LRAT. Flushes when the empty clause is derived, and when dropped.
pub struct Lrat<W: Write + Send> {
    sink: Sink<W>,
    /// Clauses of the formula, and how many of them have come in.
    formula: u64,
    given: u64,
    /// Numbers in the file of the log's first clauses, up to the formula's last; empty if they are the same.
    first: Vec<u64>,
    /// The largest number in the file so far.
    last: u64,
    /// Deletions that are not written yet: a line can have many.
    dropped: Vec<ClauseId>,
}

impl<W: Write + Send> Lrat<W> {
    /// A writer to `out` (should be buffered), and the handle that tells of its errors. The first `formula` clauses
    /// given from outside are those that the checker reads from elsewhere.
    pub fn new(out: W, form: Form, formula: usize) -> (Self, Status) {
        let sink = Sink::new(out, form);
        let status = sink.status();
        let (formula, first, dropped) = (formula as u64, Vec::new(), Vec::new());
        (Self { sink, formula, given: 0, first, last: formula, dropped }, status)
    }

    /// Notes the number of a new clause.
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

    /// The number in the file.
    fn number(&self, id: ClauseId) -> u64 {
        let first = usize::try_from(id.0).ok().and_then(|id| self.first.get(id.checked_sub(1)?));
        first.copied().unwrap_or(id.0)
    }

    /// Writes a number. They are counted, so far below 2^63.
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

//! DRAT files: derived clauses and deletions. Axioms are not written, because the checker reads them from the
//! input.
//!
//! A deletion names a clause by its literals, so the writer stores the literals of every live clause.

use std::collections::HashMap;
use std::io::Write;

use super::sink::{Form, Sink, Status};
use crate::lit::Lit;
use crate::proof::{ClauseId, Proof};
use crate::theory::Tag;

/// A [`Proof`] that writes DRAT. Flushes when the empty clause is derived, and when dropped.
pub struct Drat<W: Write + Send> {
    sink: Sink<W>,
    live: HashMap<ClauseId, Box<[Lit]>>,
}

impl<W: Write + Send> Drat<W> {
    /// Creates a writer to `out`, which should be buffered, and the handle that reports its errors.
    pub fn new(out: W, form: Form) -> (Self, Status) {
        let sink = Sink::new(out, form);
        let status = sink.status();
        (Self { sink, live: HashMap::new() }, status)
    }

    fn clause(&mut self, clause: &[Lit]) {
        clause.iter().for_each(|lit| self.sink.number(lit.to_dimacs().into()));
        self.sink.zero();
        self.sink.end();
    }
}

impl<W: Write + Send> Proof for Drat<W> {
    fn axiom(&mut self, id: ClauseId, _tag: Tag, clause: &[Lit]) {
        self.live.insert(id, clause.into());
    }

    fn derived(&mut self, id: ClauseId, clause: &[Lit], _hints: &[ClauseId]) {
        self.live.insert(id, clause.into());
        self.sink.raw(Form::Binary, "a");
        self.clause(clause);
        if clause.is_empty() {
            self.sink.flush();
        }
    }

    fn delete(&mut self, id: ClauseId) {
        if let Some(clause) = self.live.remove(&id) {
            self.sink.raw(Form::Text, "d ");
            self.sink.raw(Form::Binary, "d");
            self.clause(&clause);
        }
    }

    fn wants_hints(&self) -> bool {
        false
    }
}

//! Reader for LRAT proofs (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017), text and binary. A proof
//! may be a hundred times as large as its formula and is never needed as a whole, so it is read one step at a
//! time.
//!
//! The text form has one step on each line, `ID LITERALS 0 HINTS 0` or `ID d IDS 0`, and comment lines that
//! begin with `c`. In the binary form a step begins with the letter `a` or `d`, so the first byte of the file
//! distinguishes the two forms. Steps with negative hints are refused, because they may not keep all models.

mod binary;
mod step;
mod text;

use crate::error::Error;
use crate::source::Source;
use binary::Binary;
use model::cnf::LratStep;
use step::{Buffers, RecordKind};
use text::Text;

/// A reader for the steps of a proof.
pub struct LratReader<'a> {
    steps: Steps<'a>,
    step: Buffers,
}

enum Steps<'a> {
    Text(Text<'a>),
    Binary(Binary<'a>),
}

impl<'a> LratReader<'a> {
    /// Makes a reader that begins with the first step.
    #[must_use]
    pub fn new(source: &'a Source) -> Self {
        let steps = match source.bytes.first() {
            Some(b'a' | b'd') => Steps::Binary(Binary::new(source)),
            _ => Steps::Text(Text::new(source)),
        };
        Self { steps, step: Buffers::default() }
    }

    /// Reads the next step, or `None` at the end.
    ///
    /// # Errors
    /// Anything that is not a step of LRAT. The reader must not be used after an error.
    pub fn next_step(&mut self) -> Result<Option<LratStep<'_>>, Box<Error>> {
        self.step.clause.clear();
        self.step.ids.clear();
        let kind = match &mut self.steps {
            Steps::Text(steps) => steps.next(&mut self.step)?,
            Steps::Binary(steps) => steps.next(&mut self.step)?,
        };
        let Buffers { id, clause, ids } = &self.step;
        Ok(kind.map(|kind| match kind {
            RecordKind::Add => LratStep::Add { id: *id, clause, hints: ids },
            RecordKind::Delete => LratStep::Delete(ids),
        }))
    }
}

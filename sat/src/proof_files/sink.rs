//! Lines of numbers on their way to a file, as text or binary, and what became of them.
//!
//! The binary form is the one of drat-trim: a number is twice its absolute value, and one more if it is negative, in
//! groups of seven bits, the lowest first, all but the last with the highest bit set. Where text has numbers that are
//! not literals, binary LRAT has them in the same form.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Text or binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Decimal numbers, a step on each line.
    Text,
    /// A third of the size.
    Binary,
}

/// Tells whether writing failed; the solver that owns the writer does not care.
#[derive(Clone, Default)]
pub struct Status(Arc<Mutex<Option<io::Error>>>);

impl Status {
    /// The first error of the writer, which wrote nothing more after it. Taken: a second call answers `Ok`.
    ///
    /// # Errors
    /// That error.
    pub fn check(&self) -> io::Result<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Where a writer puts its steps: numbers first, then [`Sink::end`]. Flushes when dropped.
pub(super) struct Sink<W: Write> {
    out: W,
    form: Form,
    step: Vec<u8>,
    status: Status,
    has_failed: bool,
}

impl<W: Write> Sink<W> {
    pub(super) fn new(out: W, form: Form) -> Self {
        Self { out, form, step: Vec::new(), status: Status::default(), has_failed: false }
    }

    pub(super) fn status(&self) -> Status {
        self.status.clone()
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Bytes as they are, in this form only.
    pub(super) fn raw(&mut self, form: Form, bytes: &str) {
        if form == self.form {
            self.step.extend_from_slice(bytes.as_bytes());
        }
    }

    pub(super) fn number(&mut self, number: i64) {
        match self.form {
            Form::Text => {
                // Writing to a vector cannot fail.
                let _ = write!(self.step, "{number} ");
            }
            Form::Binary => {
                let mut rest = 2 * u128::from(number.unsigned_abs()) + u128::from(number < 0);
                while rest > 0x7F {
                    self.step.push(rest as u8 | 0x80);
                    rest >>= 7;
                }
                self.step.push(rest as u8);
            }
        }
    }

    /// The end of a list of numbers.
    pub(super) fn zero(&mut self) {
        self.number(0);
    }

    /// The end of a step.
    pub(super) fn end(&mut self) {
        if self.form == Form::Text {
            let blank = self.step.pop();
            debug_assert_eq!(blank, Some(b' '), "the last thing in a step is a number");
            self.step.push(b'\n');
        }
        if !self.has_failed {
            let result = self.out.write_all(&self.step);
            self.note(result);
        }
        self.step.clear();
    }

    pub(super) fn flush(&mut self) {
        if !self.has_failed {
            let result = self.out.flush();
            self.note(result);
        }
    }

    pub(super) fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.has_failed = true;
            self.status.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

impl<W: Write> Drop for Sink<W> {
    fn drop(&mut self) {
        self.flush();
    }
}

//! Writes the steps of a proof file, which are sequences of numbers, as text or binary, and records errors.
//!
//! The binary form is the one of drat-trim. A number is encoded as twice its absolute value, plus one if it is
//! negative. The result is written in groups of seven bits, the lowest first; all groups but the last have the
//! highest bit set. Binary LRAT encodes clause numbers in the same way as literals.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The form of a proof file: text or binary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Decimal numbers, one step on each line.
    Text,
    /// Binary numbers. The file has a third of the size of a text file.
    Binary,
}

/// A handle that tells whether writing failed. The solver owns the writer and does not report its errors.
#[derive(Clone, Default)]
pub struct Status(Arc<Mutex<Option<io::Error>>>);

impl Status {
    /// Returns the first error of the writer, which wrote nothing after it. The error is taken out: a second
    /// call returns `Ok`.
    ///
    /// # Errors
    /// The first error of the writer.
    pub fn check(&self) -> io::Result<()> {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// The output of a proof writer: numbers are collected, and [`Sink::end`] writes them as one step. Flushes when
/// dropped.
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

    /// Adds these bytes to the step if the file has this form.
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

    /// Ends a list of numbers.
    pub(super) fn zero(&mut self) {
        self.number(0);
    }

    /// Ends a step and writes it.
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

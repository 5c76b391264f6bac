//! Collector for several errors of one source. A reader that can find the next part of the text records an error
//! and continues there.
//!
//! Consequences of an earlier error are not shown (a name is unknown because its declaration is wrong, a word is
//! unexpected because of the word before it). Such errors have no place, so they cost almost nothing even in
//! large numbers.

use crate::codes::{self, Code};
use crate::error::Error;

/// The largest number of errors of one source that are reported.
const MOST: usize = 20;

/// The errors of one source that were found so far.
#[derive(Debug, Default)]
pub struct Errors {
    noted: Vec<Error>,
    /// A consequence of an earlier error. It is shown only if no other error was recorded, which would be a bug
    /// of the reader.
    following: Option<Box<Error>>,
}

impl Errors {
    /// True if any error was recorded.
    pub fn any(&self) -> bool {
        !self.noted.is_empty() || self.following.is_some()
    }

    /// Records an error.
    ///
    /// # Errors
    /// The error itself, if the reader must stop: a limit is exceeded, or this is the last error that is
    /// reported.
    pub fn note(&mut self, error: Box<Error>) -> Result<(), Box<Error>> {
        if error.follows {
            self.following.get_or_insert(error);
            return Ok(());
        }
        if error.code().starts_with("limit::") || self.noted.len() + 1 >= MOST {
            return Err(error);
        }
        if !self.is_noted(&error) {
            self.noted.push(*error);
        }
        Ok(())
    }

    /// True if an error with the same code and place was recorded. (Parts of a text may be read several times.)
    fn is_noted(&self, error: &Error) -> bool {
        let place = error.line_column();
        place.is_some() && self.noted.iter().any(|e| e.code() == error.code() && e.line_column() == place)
    }

    /// Removes the errors with this code from line `line` on, because they turned out to be consequences of
    /// another error.
    pub fn forget(&mut self, code: &'static Code, line: usize) {
        self.noted.retain(|e| e.code() != code.code || e.line_column().is_none_or(|(at, _)| at < line));
    }

    /// Combines the result `last` of reading with the recorded errors.
    ///
    /// # Errors
    /// All recorded errors, in the order of the text.
    pub fn finish<T>(mut self, last: Result<T, Box<Error>>) -> Result<T, Box<Error>> {
        let last = match last {
            Ok(value) if !self.any() => return Ok(value),
            Ok(_) => None,
            Err(error) => Some(error),
        };
        if let Some(error) = last
            && !self.is_noted(&error)
        {
            if error.follows {
                self.following.get_or_insert(error);
            } else {
                self.noted.push(*error);
            }
        }
        debug_assert!(!self.noted.is_empty(), "an error follows from none: {:?}", self.following);
        self.noted.extend(self.following.filter(|_| self.noted.is_empty()).map(|error| *error));
        self.noted.sort_by_key(Error::line_column);
        let mut all = self.noted.into_iter();
        let mut first = all.next().unwrap_or_else(|| *Error::whole(&codes::INPUT_INVALID, "", "the input is wrong"));
        first.others = all.collect();
        Err(Box::new(first))
    }
}

impl Error {
    /// Makes an error that is only a consequence of an earlier error, and not shown.
    pub fn following() -> Box<Self> {
        let mut error = Self::whole(&codes::INPUT_INVALID, "", "this follows from another error");
        error.follows = true;
        error
    }

    /// Iterates over this error and the further errors of the same source, in the order of their places.
    pub fn all(&self) -> impl Iterator<Item = &Error> {
        std::iter::once(self).chain(&self.others)
    }

    /// True if the source may have more errors than [`Error::all`] returns, because the reader stopped at the
    /// last one.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.others.len() + 1 >= MOST
    }
}

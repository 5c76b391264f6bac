//! Several errors of one source at once: a reader that knows where the next part begins notes what is wrong and goes on there.
//!
//! What only follows from an error noted before is not shown (a name is unknown because its declaration is wrong, a word is
//! unexpected because of the one before it). Such errors have no place, so that they cost nothing, however many there are.

use crate::codes::{self, Code};
use crate::error::Error;

/// Errors beyond this many are not looked for.
const MOST: usize = 20;

/// The errors of one source, as far as it is read.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    noted: Vec<Error>,
    /// An error that follows from one that has been noted; shown only if that was a mistake of ours.
    following: Option<Box<Error>>,
}

impl Errors {
    /// Has anything been wrong?
    pub(crate) fn any(&self) -> bool {
        !self.noted.is_empty() || self.following.is_some()
    }

    /// Notes an error.
    ///
    /// # Errors
    /// The error itself, if reading ends here: a limit is exceeded, or this is the last error that is shown.
    pub(crate) fn note(&mut self, error: Box<Error>) -> Result<(), Box<Error>> {
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

    /// Is the same known of the same place? (Parts of a text may be read several times.)
    fn is_noted(&self, error: &Error) -> bool {
        let place = error.line_column();
        place.is_some() && self.noted.iter().any(|e| e.code() == error.code() && e.line_column() == place)
    }

    /// Forgets the errors of one kind from a line on: another one is why they seemed to be some.
    pub(crate) fn forget(&mut self, code: &'static Code, line: usize) {
        self.noted.retain(|e| e.code() != code.code || e.line_column().is_none_or(|(at, _)| at < line));
    }

    /// What came of reading: `last` is what ended it.
    ///
    /// # Errors
    /// Everything that was wrong, in the order of the text.
    pub(crate) fn finish<T>(mut self, last: Result<T, Box<Error>>) -> Result<T, Box<Error>> {
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
    /// One that only follows from an error noted before, and is not shown.
    pub(crate) fn following() -> Box<Self> {
        let mut error = Self::whole(&codes::INPUT_INVALID, "", "this follows from another error");
        error.follows = true;
        error
    }

    /// This one and the further errors of the same source, in the order of their places.
    pub fn all(&self) -> impl Iterator<Item = &Error> {
        std::iter::once(self).chain(&self.others)
    }

    /// May there be more of them than [`Error::all`] has, since reading ended at the last one?
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.others.len() + 1 >= MOST
    }
}

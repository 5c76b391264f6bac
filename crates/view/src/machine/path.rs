//! Paths: the outcome of the start, and for each step its label and its outcome. The text `0.3.4-1` stands for start 0,
//! label 3, and label 4 with outcome 1. A path does not depend on hashes, so links to it stay valid.

use num_bigint::BigUint;
use num_traits::Zero;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The largest number of steps of a path.
pub const LONGEST: usize = 200_000;

/// A step: its label, and its outcome if the label has several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pick {
    /// The label.
    pub label: u32,
    /// The number of the outcome.
    pub outcome: BigUint,
}

/// A path from an initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// The number of the initial state.
    pub start: BigUint,
    /// The steps.
    pub picks: Arc<Vec<Pick>>,
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// A message for the user.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut parts = text.split('.');
        let start = number(parts.next().unwrap_or_default())?;
        let picks: Result<Vec<Pick>, String> = parts.map(Pick::read).take(LONGEST + 1).collect();
        let picks = picks?;
        if picks.len() > LONGEST {
            return Err(format!("the path has more than {LONGEST} steps"));
        }
        Ok(Self { start, picks: Arc::new(picks) })
    }

    /// Returns the path with these steps after it.
    pub fn and(&self, more: impl IntoIterator<Item = Pick>) -> Self {
        let picks = self.picks.iter().cloned().chain(more).collect();
        Self { start: self.start.clone(), picks: Arc::new(picks) }
    }
}

impl Pick {
    /// Reads a path.
    ///
    /// # Errors
    /// A text that is no path.
    pub fn read(text: &str) -> Result<Self, String> {
        let (label, outcome) = text.split_once('-').unwrap_or((text, "0"));
        let label = digits(label).ok_or_else(|| format!("`{}` is not the number of a label", cut(label)))?;
        Ok(Self { label, outcome: number(outcome)? })
    }
}

fn number(text: &str) -> Result<BigUint, String> {
    digits(text).ok_or_else(|| format!("`{}` is not the number of an outcome", cut(text)))
}

/// Reads a number that has only digits. The readers of numbers would accept `+1` and `1_0`, too.
fn digits<N: FromStr>(text: &str) -> Option<N> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain)
}

fn cut(text: &str) -> String {
    text.chars().take(24).collect()
}

impl fmt::Display for Pick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.label)?;
        if self.outcome.is_zero() { Ok(()) } else { write!(f, "-{}", self.outcome) }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.start)?;
        self.picks.iter().try_for_each(|pick| write!(f, ".{pick}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_as_it_is_written() {
        for text in ["0", "7.3.4-1", "0.0-340282366920938463463374607431768211456"] {
            assert_eq!(Path::read(text).map(|path| path.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "0.", "0.a", "0.1-", "0.-1", "0.+1", "0.4294967296", "0..1", "0.1-1-1"] {
            assert!(Path::read(text).is_err(), "{text}");
        }
    }
}

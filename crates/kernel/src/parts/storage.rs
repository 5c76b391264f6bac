//! Temporary storage outside memory.

use crate::Check;
use std::fmt;

/// Temporary storage outside memory.
pub trait Storage: fmt::Debug + Sync + std::marker::Send {
    /// Creates empty buckets for keys of `words` words. Their data is removed when the result is dropped.
    ///
    /// # Errors
    /// If there is no room for them.
    fn buckets(&self, count: usize, words: usize) -> Check<Box<dyn Buckets>>;
}

/// Sequences of words, by number.
pub trait Buckets {
    /// Appends words to a bucket.
    ///
    /// # Errors
    /// If there is no room for them, or the storage fails.
    fn append(&mut self, bucket: usize, words: &[u64]) -> Check<()>;

    /// Passes the words of a bucket to `each`, in the pieces in which they were appended.
    ///
    /// # Errors
    /// If the storage fails; the errors of `each`.
    fn read(&mut self, bucket: usize, each: &mut dyn FnMut(&[u64]) -> Check<()>) -> Check<()>;
}

//! How processes that check shares of one set talk to each other.

use crate::Check;

/// The connection of a process to its peers. All peers make the same sequence of calls of [`Exchange::finish`],
/// [`Exchange::sum`] and [`Exchange::greatest`].
pub trait Exchange {
    /// Number of this process, from 0.
    fn number(&self) -> usize;

    /// Number of processes.
    fn peers(&self) -> usize;

    /// Sends words to a process, possibly this one.
    ///
    /// # Errors
    /// If the connection fails.
    fn send(&mut self, to: usize, words: &[u64]) -> Check<()>;

    /// Passes the words that have arrived to `take`, in the pieces in which they were sent. Does not wait.
    ///
    /// # Errors
    /// If the connection fails.
    fn receive(&mut self, take: &mut dyn FnMut(&[u64])) -> Check<()>;

    /// Ends a phase: waits until all peers have ended it, and passes what still arrives to `take`.
    ///
    /// # Errors
    /// If the connection fails.
    fn finish(&mut self, take: &mut dyn FnMut(&[u64])) -> Check<()>;

    /// Replaces each number by the sum (modulo 2^64) of the numbers of all peers at this index.
    ///
    /// # Errors
    /// If the connection fails.
    fn sum(&mut self, numbers: &mut [u64]) -> Check<()>;

    /// Replaces each number by the greatest of all peers at this index.
    ///
    /// # Errors
    /// If the connection fails.
    fn greatest(&mut self, numbers: &mut [u64]) -> Check<()>;
}

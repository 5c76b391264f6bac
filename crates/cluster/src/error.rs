//! What ends a search on many machines without an answer.

use journal::Damage;
use std::io;
use std::path::PathBuf;

/// The reason why a search on many machines has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another worker has ended early.
    #[error("another worker has left the cluster")]
    Left,
    /// A message or a record is none that this version writes.
    #[error("a message or a record of a log cannot be read")]
    Message,
    /// A state has no predecessor in the level before it. This is a bug.
    #[error("a run cannot be reconstructed")]
    Run,
    /// The logs cannot be continued.
    #[error("{0}")]
    Refused(String),
    /// A log is damaged where nothing can be cut off.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The operating system cannot write a log.
    #[error("{}: {error}", path.display())]
    Io {
        /// The log.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

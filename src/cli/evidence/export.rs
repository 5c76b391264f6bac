//! Evidence that a kind of system writes in formats of other tools.

use impasse::model::Claim;
use std::path::{Path, PathBuf};

/// The names of a model that its evidence needs.
pub(crate) struct Subject {
    /// The name of the file as the user gave it.
    pub(crate) name: String,
    /// The beginning of the names of the evidence files.
    pub(crate) stem: String,
    /// The file with the bodies of functions that a reactive program does not define, if there is one.
    pub(crate) bodies: Option<String>,
}

/// Evidence to be written for other tools.
pub(crate) struct Export<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) stem: String,
    pub(crate) model: &'a Subject,
    pub(crate) claim: &'a Claim,
}

impl Export<'_> {
    /// Returns the path of a file with this extension.
    pub(crate) fn path(&self, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", self.stem))
    }
}

//! The file that says what a checkpoint is about, and how much of each log counts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of the files in the directory, apart from the version of Impasse.
const FORMAT: u32 = 1;

/// Number of earlier checkpoints to which a damaged log can be cut back.
const KEPT: usize = 64;

/// What is saved about one command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// The version of Impasse. Another version may number states in another way.
    version: String,
    /// The command line of `check`, without the name of the program.
    pub(super) arguments: Vec<String>,
    /// The working directory, to which paths in the command line are relative.
    pub(super) folder: PathBuf,
    /// The name of the model, for messages.
    pub(super) model: String,
    /// The fingerprint of the model and of its questions.
    pub(super) digest: String,
    /// Number of checkpoints so far.
    pub(super) checkpoints: u64,
    /// The log of each engine that was saved.
    pub(super) engines: BTreeMap<String, Log>,
}

/// The log of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Log {
    /// The name of the file.
    pub(super) file: String,
    /// Its lengths in bytes at the last checkpoints, ascending.
    pub(super) lengths: Vec<u64>,
}

impl Log {
    /// Returns the number of bytes that count.
    pub(super) fn length(&self) -> u64 {
        self.lengths.last().copied().unwrap_or(0)
    }

    /// Notes the length at another checkpoint.
    pub(super) fn push(&mut self, length: u64) {
        if self.length() < length {
            self.lengths.push(length);
        }
        let surplus = self.lengths.len().saturating_sub(KEPT);
        self.lengths.drain(..surplus);
    }
}

impl Manifest {
    pub(super) fn new(arguments: Vec<String>, folder: PathBuf, model: String, digest: String) -> Self {
        let (version, engines) = (env!("CARGO_PKG_VERSION").to_owned(), BTreeMap::new());
        Self { format: FORMAT, version, arguments, folder, model, digest, checkpoints: 0, engines }
    }

    /// Reads the manifest in `dir`.
    ///
    /// # Errors
    /// A message, if there is none, or if it is damaged or of another version.
    pub(super) fn read(dir: &Path) -> Result<Self, String> {
        let path = path(dir);
        if !path.exists() {
            return Err(format!("{} has no checkpoint", dir.display()));
        }
        let bytes = journal::manifest::read(&path).map_err(|damage| format!("the checkpoint is damaged: {damage}"))?;
        // The version is read first, because another version may have other fields.
        let Version { format, version } = serde_json::from_slice(&bytes).map_err(|error| malformed(&path, &error))?;
        if format != FORMAT || version != env!("CARGO_PKG_VERSION") {
            let own = env!("CARGO_PKG_VERSION");
            return Err(format!(
                "the checkpoint in {} was made by Impasse {version} (format {format}), and this is Impasse {own} \
                 (format {FORMAT})\n  help: resume it with Impasse {version}, or check the model anew \
                 with another directory",
                dir.display()
            ));
        }
        let manifest: Self = serde_json::from_slice(&bytes).map_err(|error| malformed(&path, &error))?;
        let is_plain = |log: &Log| Path::new(&log.file).file_name().is_some_and(|name| name == log.file.as_str());
        match manifest.engines.values().all(is_plain) {
            true => Ok(manifest),
            false => Err(format!("the checkpoint is damaged: {} names files elsewhere", path.display())),
        }
    }

    /// Writes the manifest into `dir`.
    pub(super) fn write(&self, dir: &Path) -> std::io::Result<()> {
        journal::manifest::replace(&path(dir), &serde_json::to_vec(self)?)
    }
}

#[derive(Deserialize)]
struct Version {
    format: u32,
    version: String,
}

pub(super) fn path(dir: &Path) -> PathBuf {
    dir.join("manifest")
}

fn malformed(path: &Path, error: &serde_json::Error) -> String {
    format!("the checkpoint is damaged: {}: {error}", path.display())
}

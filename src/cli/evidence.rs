//! Writing evidence where the user wants it, and what should never happen where it can be found.

use impasse::formats;
use impasse::model::{Claim, Problem, Property};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes the evidence of `claim` into `dir`, named after model and property. Nothing partial is left behind.
pub(crate) fn save(
    dir: &Path,
    model: &str,
    problem: &Problem,
    property: &Property,
    claim: &Claim,
) -> io::Result<PathBuf> {
    fs::create_dir_all(dir)?;
    let path = dir.join(format!("{}.{}.evidence.json", stem(model), property.id));
    whole(&path, |out| formats::evidence::write(model, problem.program(), claim, out))?;
    Ok(path)
}

/// Writes a file as a whole: it appears under its name when everything is in it.
pub(crate) fn whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let draft = Draft::new(path)?;
    let mut out = BufWriter::new(draft.writer()?);
    write(&mut out)?;
    out.flush()?;
    draft.finish()
}

/// A file that gets its name when it is complete, and leaves nothing behind otherwise.
pub(crate) struct Draft {
    file: NamedTempFile,
    path: PathBuf,
}

impl Draft {
    /// A draft beside its final place, so that it only needs to be renamed.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { file: NamedTempFile::new_in(dir)?, path: path.to_owned() })
    }

    /// Where to write it.
    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.reopen()
    }

    /// Everything is written.
    pub(crate) fn finish(self) -> io::Result<()> {
        readable(&self.file)?;
        self.file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Temporary files are private; results are made as readable as any new file usually is.
#[cfg(unix)]
fn readable(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// The model's file name without directories and extensions that readers know.
fn stem(model: &str) -> String {
    let name = Path::new(model).file_name().map_or_else(|| "model".into(), |n| n.to_string_lossy());
    let plain = name.trim_end_matches(".xz").trim_end_matches(".gz");
    let plain = plain.trim_end_matches(".rwb").trim_end_matches(".json");
    plain.replace(['<', '>'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_model() {
        assert_eq!(stem("a/b/tank.rwb.xz"), "tank");
        assert_eq!(stem("tank.json"), "tank");
        assert_eq!(stem("<stdin>"), "stdin");
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = tempfile::tempdir().expect("a place for temporary files");
        let path = dir.path().join("out");
        let failed = whole(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(dir.path()).expect("it is a directory").count(), 0);
    }
}

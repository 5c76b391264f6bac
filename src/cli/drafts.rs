//! Writes files as a whole: a file gets its name only when it is complete.

use super::exit::Exit;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Gives the file `first` a second name. This saves space, because state sets are large. If the file system
/// allows only one name for a file, the file is copied.
pub(crate) fn another_name(first: &Path, second: &Path) -> io::Result<()> {
    replaceable(second)?;
    match fs::remove_file(second) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::hard_link(first, second)
        .or_else(|_| whole(second, |out| io::copy(&mut File::open(first)?, out).map(|_bytes| ())))
}

/// Writes a file as a whole: it gets its name when everything is written.
pub(crate) fn whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let draft = Draft::new(path)?;
    let mut out = BufWriter::new(draft.writer()?);
    write(&mut out)?;
    out.flush()?;
    draft.finish()
}

/// Drafts that are not complete. Ending the process runs no destructors, so [`end`] removes the drafts in
/// this list.
static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn open() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process at once, whatever its other threads do. No draft is left behind.
pub(crate) fn end(exit: Exit) -> ! {
    // The lock is held until the process ends, so that no new draft appears.
    let drafts = open();
    for draft in drafts.iter() {
        // The draft may have got its final name meanwhile. Other errors can no longer be handled.
        let _ = fs::remove_file(draft);
    }
    meter::end(exit.code())
}

/// A file that gets its name when it is complete. An incomplete file is removed.
pub(crate) struct Draft {
    file: NamedTempFile,
    path: PathBuf,
    _entry: Entry,
}

/// An entry in the list of open drafts.
struct Entry(PathBuf);

impl Drop for Entry {
    fn drop(&mut self) {
        open().remove(&self.0);
    }
}

impl Draft {
    /// Creates a draft in the directory of its final path, so that it only has to be renamed.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        replaceable(path)?;
        let dir = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !fs::metadata(dir)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        // The watchdog also locks the list, so this thread must not be held.
        meter::pass(|| {
            let mut open = open();
            // The error does not contain the name of the draft, which the user does not know.
            let file = NamedTempFile::new_in(dir).map_err(|error| io::Error::from(error.kind()))?;
            open.insert(file.path().to_owned());
            let entry = Entry(file.path().to_owned());
            Ok(Self { file, path: path.to_owned(), _entry: entry })
        })
    }

    /// Returns the file to write to.
    pub(crate) fn writer(&self) -> io::Result<File> {
        self.file.reopen()
    }

    /// Gives the file its name. Everything must be written.
    pub(crate) fn finish(self) -> io::Result<()> {
        readable(&self.file)?;
        self.file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Checks that the path of a result is free, or names an ordinary file, which may be overwritten. A symbolic
/// link is not an ordinary file.
fn replaceable(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_symlink() => Err(io::Error::other(format!("{} is a symbolic link", path.display()))),
        Ok(there) if !there.is_file() => Err(io::Error::other("the path exists and is not an ordinary file")),
        Ok(there) if there.permissions().readonly() => Err(io::Error::other("the file is write-protected")),
        // Nothing is there, or the path cannot be examined. In the second case, creating the draft reports
        // the error.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Gives a result the permissions that new files usually have. Temporary files are private.
#[cfg(unix)]
fn readable(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ordinary_files_are_replaced() {
        let dir = tempfile::tempdir().expect("a place for temporary files");
        assert!(Draft::new(dir.path()).is_err(), "a directory");
        let path = dir.path().join("kept");
        fs::write(&path, "old").expect("it can be written");
        let mut protected = fs::metadata(&path).expect("it is there").permissions();
        protected.set_readonly(true);
        fs::set_permissions(&path, protected).expect("it is ours");
        assert!(Draft::new(&path).is_err(), "a write-protected file");
        #[cfg(unix)]
        for target in ["elsewhere", "nowhere"] {
            let (target, link) = (dir.path().join(target), dir.path().join(format!("link-to-{target}")));
            if target.ends_with("elsewhere") {
                fs::write(&target, "kept").expect("it can be written");
            }
            std::os::unix::fs::symlink(&target, &link).expect("links can be made");
            assert!(Draft::new(&link).is_err(), "a symbolic link");
            assert!(another_name(&path, &link).is_err(), "a symbolic link, for a second name");
        }
    }

    #[test]
    fn open_drafts_are_known() {
        let dir = tempfile::tempdir().expect("a place for temporary files");
        let draft = || Draft::new(&dir.path().join("out")).expect("the place is free");
        let known = || open().iter().filter(|p| p.starts_with(dir.path())).count();
        let (dropped, finished) = (draft(), draft());
        assert_eq!(known(), 2);
        drop(dropped);
        finished.finish().expect("it can get its name");
        assert_eq!(known(), 0);
        assert_eq!(fs::read_dir(dir.path()).expect("it is a directory").count(), 1);
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

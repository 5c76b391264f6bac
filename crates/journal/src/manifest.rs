//! Small files that are replaced atomically.
//!
//! The new content is written to a file beside the old one, which then takes its name. After a crash the file has
//! the old content or the new one. The content is a log with one record.

use crate::log::{Reader, Writer};
use crate::{Damage, Wrong};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Replaces the content of a file, and waits until it is on the disk. Other processes must not replace the same
/// file at the same time.
///
/// # Errors
/// The errors of the operating system. The file has its old content then.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let fresh = beside(path);
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut writer = Writer::create(&fresh)?;
    writer.append(content)?;
    writer.sync()?;
    drop(writer);
    fs::rename(&fresh, path)?;
    sync_parent(path)
}

/// Returns the content of a file that [`replace`] wrote.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn read(path: &Path) -> Result<Vec<u8>, Damage> {
    let mut reader = Reader::open(path)?;
    let mut content = Vec::new();
    if !reader.next(&mut content)? {
        return Err(Damage::new(path, reader.position(), Wrong::Torn));
    }
    Ok(content)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Waits until the entries of the folder of `path` are on the disk. Only Unix can open a folder for that.
fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(parent)?.sync_all() } else { Ok(()) }
}

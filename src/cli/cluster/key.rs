//! Key files of clusters.

use super::refuse;
use crate::cli::exit::Exit;
use cluster::Key;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

/// Most bytes of a key file.
const MOST: u64 = 1 << 16;

/// Makes a key file that only its owner can read.
pub(super) fn make(path: &Path) -> Exit {
    let pem = match Key::make() {
        Ok(pem) => pem,
        Err(error) => return refuse(Exit::Input, "cluster::key", &error.to_string(), "try again"),
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| {
        file.write_all(pem.as_bytes())?;
        file.sync_all()
    });
    match written {
        Ok(()) => {
            say!("{}: copy it to all machines of the cluster, and keep it secret", path.display());
            Exit::Done
        }
        Err(error) => {
            let hint = match error.kind() {
                ErrorKind::AlreadyExists => "choose another name: a key is never replaced",
                _ => "choose a directory that can be written",
            };
            refuse(Exit::Input, "cluster::key", &format!("cannot write {}: {error}", path.display()), hint)
        }
    }
}

/// Reads a key file, as text.
pub(super) fn load(path: &Path) -> Result<String, Exit> {
    let wrong = |message: String, hint: &str| refuse(Exit::Input, "cluster::key", &message, hint);
    let hint = "`impasse cluster key FILE` makes a key file";
    let read = std::fs::File::open(path).and_then(|file| {
        is_private(&file)?;
        let mut text = String::new();
        file.take(MOST).read_to_string(&mut text)?;
        Ok(text)
    });
    let text = read.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => wrong(format!("{}: {error}", path.display()), "chmod 600 the file"),
        _ => wrong(format!("cannot read {}: {error}", path.display()), hint),
    })?;
    Key::read(&text).map_err(|error| wrong(format!("{}: {error}", path.display()), hint))?;
    Ok(text)
}

/// Refuses a key file that every user of the machine can read.
fn is_private(file: &std::fs::File) -> io::Result<()> {
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&file.metadata()?.permissions()) & 0o007 != 0 {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "every user of this machine can read the key"));
    }
    let _ = file;
    Ok(())
}

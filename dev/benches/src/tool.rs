//! The location of the command to measure. It has the same profile as this runner (`release` for debug builds of
//! the runner). If cargo runs this process, the command is built first. Without this build, an outdated command
//! could be measured unnoticed.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the path of the `impasse` to measure.
///
/// # Errors
///
/// If the build fails, or there is no such file.
pub(crate) fn find(given: Option<&Path>) -> io::Result<PathBuf> {
    if let Some(path) = given {
        return existing(path.to_owned());
    }
    let own = std::env::current_exe()?;
    let folder = own.parent().ok_or_else(|| io::Error::other("no build folder"))?;
    let profile = if folder.ends_with("dist") { "dist" } else { "release" };
    if let Some(cargo) = std::env::var_os("CARGO") {
        build(&cargo, profile)?;
    }
    existing(folder.with_file_name(profile).join(format!("impasse{}", std::env::consts::EXE_SUFFIX)))
}

/// Reads a file.
///
/// # Errors
///
/// If the file cannot be read, with its name.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn existing(path: PathBuf) -> io::Result<PathBuf> {
    if path.is_file() {
        return std::path::absolute(path);
    }
    let hint = "build it with `cargo build --profile dist`, or name it with `--impasse PATH`";
    Err(io::Error::other(format!("there is no {}; {hint}", path.display())))
}

fn build(cargo: &OsString, profile: &str) -> io::Result<()> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let status =
        Command::new(cargo).args(["build", "--profile", profile, "--bin", "impasse"]).current_dir(root).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other("the build of the command to measure failed")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_command_is_an_error_with_a_hint() {
        let error = find(Some(Path::new("/nonexistent/impasse"))).expect_err("not there");
        assert!(error.to_string().contains("--impasse PATH"), "{error}");
    }
}

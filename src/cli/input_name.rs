//! Names of inputs: files, and standard input, which is called `-`.

use std::path::{Path, PathBuf};

/// Returns true if the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the files of an input: `a.js+b.js` are two, unless a file has this name.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    match path.to_str() {
        Some(name) if name.contains('+') && !path.exists() => name.split('+').map(PathBuf::from).collect(),
        _ => vec![path.to_path_buf()],
    }
}

/// Returns the name of a file as reports show it. Parts of the name that are not valid text are replaced.
pub(crate) fn display_name(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    if is_stdin(path) { "<stdin>".to_owned() } else { path.to_string_lossy().into_owned() }
}

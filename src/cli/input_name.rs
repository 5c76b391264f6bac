//! Names of inputs: files, and standard input, which is called `-`.

use std::path::Path;

/// Returns true if the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the name of a file as reports show it. Parts of the name that are not valid text are replaced.
pub(crate) fn display_name(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    if is_stdin(path) { "<stdin>".to_owned() } else { path.to_string_lossy().into_owned() }
}

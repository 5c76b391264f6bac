//! Names of inputs: files, and standard input, which is called `-`.

use std::path::{Path, PathBuf};

/// Returns true if the path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns the files of an input: `a.js+b.js` are two, unless a file has this name. A `+` in the name of a file that
/// exists, or of its folder, separates nothing. The longest names come first.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.to_str().filter(|name| name.contains('+')) else { return vec![path.to_path_buf()] };
    let parts: Vec<&str> = name.split('+').collect();
    let (mut files, mut at) = (Vec::new(), 0);
    while at < parts.len() {
        let joined = |end: usize| PathBuf::from(parts[at..end].join("+"));
        let end = (at + 1..=parts.len()).rev().find(|end| joined(*end).exists()).unwrap_or(at + 1);
        files.push(joined(end));
        at = end;
    }
    // A mistake in the name of a file in such a folder.
    let is_one = path.parent().is_some_and(|folder| folder.to_string_lossy().contains('+') && folder.exists());
    if is_one && !files.iter().any(|file| file.is_file()) { vec![path.to_path_buf()] } else { files }
}

/// Returns the name of a file as reports show it. Parts of the name that are not valid text are replaced.
pub(crate) fn display_name(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    if is_stdin(path) { "<stdin>".to_owned() } else { path.to_string_lossy().into_owned() }
}

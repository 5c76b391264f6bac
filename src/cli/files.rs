//! Finds the model files that arguments name: files, directories with all models in them, and patterns that
//! the shell has not expanded.

use super::args::Common;
use super::input_name::{display_name, is_stdin};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Endings of files that Impasse writes about models. They are not models, whatever their extension.
const WRITTEN: [&str; 3] = [".evidence.json", ".repro.c", ".witness.aag"];

/// The files that arguments name.
pub(crate) struct Named {
    /// In the order of the arguments. The files of a directory or a pattern are sorted by name.
    pub(crate) files: Vec<PathBuf>,
    /// True if the arguments may name more than one file, whatever their number is now.
    pub(crate) several: bool,
}

/// Returns the files that `arguments` name. A directory without models, or a pattern that nothing matches, is
/// returned itself: reading it reports the error. Every entry of the directories is examined.
pub(crate) fn named(arguments: &[PathBuf], common: &Common) -> Named {
    let mut named = Named { files: Vec::new(), several: arguments.len() > 1 };
    for argument in arguments {
        let matches = matches(argument);
        named.several |= matches.is_some();
        for path in matches.unwrap_or_else(|| vec![argument.clone()]) {
            if !is_stdin(&path) && path.is_dir() {
                named.several = true;
                let models = models_in(&path, common);
                if models.is_empty() {
                    named.files.push(path);
                } else {
                    named.files.extend(models);
                }
            } else {
                named.files.push(path);
            }
        }
    }
    named
}

/// Returns the paths that a pattern matches, sorted. `None` if the argument is no pattern, if a file has the
/// argument as its name, or if no path matches.
fn matches(argument: &Path) -> Option<Vec<PathBuf>> {
    let pattern = argument.to_str().filter(|text| text.contains(['*', '?', '[']) && !argument.exists())?;
    // As in shells, `*` does not match hidden files.
    let options = glob::MatchOptions { require_literal_leading_dot: true, ..glob::MatchOptions::default() };
    let found = glob::glob_with(pattern, options).ok()?;
    // Reading a pipe would wait for a writer. Links in a cycle would name the same file repeatedly.
    let mut seen = BTreeSet::new();
    let is_new =
        |path: &PathBuf| (path.is_file() || path.is_dir()) && path.canonicalize().is_ok_and(|real| seen.insert(real));
    let found: Vec<PathBuf> = found.filter_map(Result::ok).filter(is_new).collect();
    (!found.is_empty()).then_some(found)
}

/// Returns all models in a directory and its subdirectories, sorted by name. Hidden files and directories are
/// left out. A link to a directory that contains the link is left out, too, because the files of that directory
/// are found anyway.
fn models_in(directory: &Path, common: &Common) -> Vec<PathBuf> {
    let is_hidden = |entry: &DirEntry| entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
    let mut models = Vec::new();
    let all = WalkDir::new(directory).follow_links(true).sort_by_file_name();
    for entry in all.into_iter().filter_entry(|entry| !is_hidden(entry)) {
        match entry {
            Ok(entry) if !entry.file_type().is_file() => {}
            Ok(entry) => {
                if is_model(&entry.path().to_string_lossy(), common.input_format.as_deref()) {
                    models.push(entry.into_path());
                } else if common.verbose {
                    tell!("skipped {}: its name has no extension of a model format", display_name(entry.path()));
                }
            }
            Err(error) if error.loop_ancestor().is_some() => {
                if let (Some(link), Some(ancestor), true) = (error.path(), error.loop_ancestor(), common.verbose) {
                    let (link, ancestor) = (display_name(link), display_name(ancestor));
                    tell!("skipped {link}: it is a link back to {ancestor}");
                }
            }
            // The path is treated as a file that cannot be read: the error is reported, and the other files
            // are checked.
            Err(error) => models.extend(error.path().map(Path::to_path_buf)),
        }
    }
    models
}

/// Returns true if a file of this name is taken for a model. If the user named a format, the file must have
/// the extension of that format.
fn is_model(path: &str, input_format: Option<&str>) -> bool {
    let plain = path.strip_suffix(".xz").or_else(|| path.strip_suffix(".gz")).unwrap_or(path);
    let found = readers::by_path(path).filter(|format| format.read.is_some());
    found.is_some_and(|format| input_format.is_none_or(|name| name == format.name))
        && !WRITTEN.iter().any(|ending| plain.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_the_extension_of_a_format_that_can_be_read() {
        for model in ["a/b.rwb", "x.pnml.xz", "c.json", "p.c"] {
            assert!(is_model(model, None), "{model}");
        }
        for other in
            ["b.tts.prop", "b.formula", "x.xml", "l.ltl", "g.dot", "m.bad.evidence.json.gz", "m.error:1.repro.c"]
        {
            assert!(!is_model(other, None), "{other}");
        }
        assert!(is_model("a.rwb", Some("rwb")) && !is_model("a.spec", Some("rwb")));
    }
}

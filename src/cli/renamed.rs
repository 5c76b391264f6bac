//! Notes about words of the command line that were renamed. The old word is accepted for one version.

use impasse::engines;
use std::ffi::OsString;

/// Options that were renamed: the old name, and the new name.
const OPTIONS: [(&str, &str); 1] = [("--facts", "--invariants")];

/// Returns a note for each old word among the arguments, in their order.
pub(crate) fn notes(arguments: impl Iterator<Item = OsString>) -> Vec<String> {
    let words: Vec<String> = arguments
        .map(|argument| argument.to_string_lossy().into_owned())
        .take_while(|argument| argument != "--")
        .collect();
    let engine_values = words.iter().enumerate().filter_map(|(at, word)| {
        let value = match word.strip_prefix("--engine") {
            Some("") => words.get(at + 1)?,
            Some(rest) => rest.strip_prefix('=')?,
            None => return None,
        };
        let row = engines::by_name(value)?;
        (row.name != value).then(|| renamed(&format!("--engine {value}"), &format!("--engine {}", row.name)))
    });
    let options = words.iter().filter_map(|word| {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        let (old, new) = OPTIONS.iter().find(|(old, _)| *old == name)?;
        Some(renamed(old, new))
    });
    engine_values.chain(options).collect()
}

fn renamed(old: &str, new: &str) -> String {
    format!("note: `{old}` is now called `{new}`; the old name goes away with version 0.3")
}

//! Engines, as `--engine` and reports call them: the table of engines, and what reports name beside it.

use super::{Word, word};
use impasse::{Family, Row, engines};

const AUTO: Word = word(
    "auto",
    "All engines that can help, in turns",
    "Turns are measured in work, not in seconds, so that the same input gives the same answer on any machine. The first checked answer to each property counts; the report names the engine that gave it.",
);

const SLICE: Word = word(
    "slice",
    "What cannot matter for the question is dropped",
    "For nets and thread systems, before any search. If nothing is left that could reach the target, that is the answer.",
);

/// What `--engine` may say, each with a line about it.
pub(crate) fn help() -> impl Iterator<Item = (&'static str, String)> {
    let families = |row: &Row| row.families().into_iter().map(Family::plural).collect::<Vec<_>>().join(", ");
    let rows = engines::ALL.iter().map(move |row| (row.name, format!("{} ({})", row.title, families(row))));
    std::iter::once((AUTO.word, AUTO.title.to_owned())).chain(rows)
}

/// The same with all that is known of them.
fn choices() -> impl Iterator<Item = Word> {
    let rows = engines::ALL.iter().map(|row| word(row.name, row.title, row.about));
    std::iter::once(AUTO).chain(rows)
}

/// What reports may say.
pub(super) fn words() -> Vec<Word> {
    choices().chain([SLICE]).collect()
}

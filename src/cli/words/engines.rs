//! Explains the names of engines in `--engine` and in reports: the rows of the table of engines, and the names
//! `auto` and `slice`.

use super::{Word, word};
use impasse::{Family, Row, engines};

const AUTO: Word = word(
    "auto",
    "All engines that can help, in turns",
    "Turns are measured in work, not in seconds, so that the same input gives the same answer on any machine. The \
     first checked answer to each property counts; the report names the engine that gave it.",
);

const SLICE: Word = word(
    "slice",
    "Removes the parts of a net that cannot matter for the goal",
    "For nets and thread-transition systems, before any search. If nothing is left that could reach the goal, the \
     goal is unreachable.",
);

const COMPOSED: Word = word(
    "composed",
    "An answer put together from answers to parts of the question",
    "For formulas of computation tree logic, questions about a net as a whole, and largest values: other engines have \
     answered the parts, and the checker has accepted each part and the whole.",
);

/// Returns the values of `--engine`, each with a line about it.
pub(crate) fn help() -> impl Iterator<Item = (&'static str, String)> {
    let families = |row: &Row| row.families().into_iter().map(Family::plural).collect::<Vec<_>>().join(", ");
    let rows = engines::ALL.iter().map(move |row| (row.name, format!("{} ({})", row.title, families(row))));
    std::iter::once((AUTO.word, AUTO.title.to_owned())).chain(rows)
}

/// Returns the values of `--engine` with their full explanations.
fn choices() -> impl Iterator<Item = Word> {
    let rows = engines::ALL.iter().map(|row| word(row.name, row.title, row.about));
    std::iter::once(AUTO).chain(rows)
}

/// Returns the names of engines that reports may contain.
pub(super) fn words() -> Vec<Word> {
    choices().chain([SLICE, COMPOSED]).collect()
}

//! Words of reports and summaries that are of no other kind.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "final",
        "An end that is meant, and no deadlock",
        "Of programs states are marked `final`; of nets `--final FORMULA` or the final markings of a PNML file say which ends are. \
         `--property final` asks whether a final marking of the file can be reached: as of an `EF`, that is as it should be.",
    ),
    word(
        "not_read",
        "Files with errors",
        "They were not read, or could not be asked what was asked: what is wrong stands in `errors`.",
    ),
    word(
        "not_begun",
        "Files that the time limit ended before they were begun",
        "They count as unknown. `--timeout` is for all files together; `--timeout-each` limits each file.",
    ),
    word(
        "shortest",
        "No run into the violation is shorter",
        "The order of the search shows it; the checker has looked at this run only. `--shortest` goes on until a run is known to be one.",
    ),
    word(
        "refutation",
        "A proof that there is no violating run",
        "Lemmas hold of every violating run, and together they contradict each other. The checker follows every step. In JSON the kind \
         of evidence is `lemmas`.",
    ),
];

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
        "as few as there can be",
        "No run into the violation has fewer events",
        "The words of `--shortest`: see `shortest`.",
    ),
    word("proper end", "A state in which a program or net may end: no deadlock", "See `final` and `--ends`."),
    word(
        "termination",
        "A proper end: no event is enabled, and every thread is in a state marked `final`",
        "With `--ends proper` marks do not count: it is a state in which no thread requests an event.",
    ),
    word(
        "nothing is asked",
        "The file has no property, and no option asks one",
        "Which options ask one depends on the kind of model: the error names them. \
         Alone such a file is an error; among several it counts as unknown.",
    ),
    word(
        "linear bound",
        "A weighted sum of tokens that never exceeds a number",
        "It follows from the initial marking and from what each transition adds to the sum. \
         As evidence: see `linear`.",
    ),
    word(
        "stubborn sets",
        "Transitions or events of which one is on every run from a state into a violation",
        "The others may wait: the engine `stubborn` fires only these, and so leaves out orders that do not matter. \
         The checker looks at every set.",
    ),
    word(
        "refutation",
        "A proof that there is no violating run",
        "Lemmas hold of every violating run, and together they contradict each other. The checker follows every step. In JSON the kind \
         of evidence is `lemmas`.",
    ),
];

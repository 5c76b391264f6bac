//! Words of reports and summaries that belong to no other group.

use super::{Word, word};

pub(super) const WORDS: &[Word] = &[
    word(
        "final",
        "A proper end, which is not a deadlock",
        "In programs, states are marked `final`. For nets, `--final FORMULA` or the final markings of a PNML file \
         define the proper ends. \
         `--property final` asks whether a final marking of the file is reachable. As for `EF`, a reachable marking is \
         no violation.",
    ),
    word(
        "trust",
        "What a verdict rests on: the kernel of the checker, and for some evidence its other rules",
        "With `-v`, `check` says how many lines of the kernel checked the evidence. No kind of evidence needs more \
         than 3,500. With `--kernel-only`, other evidence does not count. `--trust PATTERN` accepts lemmas unproven.",
    ),
    word(
        "not_read",
        "Files with errors",
        "They were not read, or the question does not fit them. `errors` says what is wrong.",
    ),
    word(
        "not_begun",
        "Files that were not begun before the time limit",
        "They count as unknown. `--timeout` is for all files together; `--timeout-each` limits each file.",
    ),
    word(
        "shortest",
        "No run to the violation is shorter",
        "This follows from the order of the search. The checker has replayed only this run. `--shortest` continues \
         until a run is known to be a shortest one.",
    ),
    word(
        "as few as there can be",
        "No run to the violation has fewer events",
        "The words of `--shortest`: see `shortest`.",
    ),
    word(
        "proper end",
        "A state in which a program or net may end, so it is not a deadlock",
        "See `final` and `--ends`.",
    ),
    word(
        "termination",
        "A proper end: no event is enabled, and every thread is in a state marked `final`",
        "With `--ends proper`, marks do not count: a proper end is a state in which no thread requests an event. With \
         `--ends stopped`, states in which some thread blocks all events are proper ends, too.",
    ),
    word(
        "nothing is asked",
        "The file has no property, and no option gives one",
        "The error names the options that give one for this kind of model. \
         A single file without properties is an error; one of several counts as unknown.",
    ),
    word(
        "linear bound",
        "A weighted sum of tokens that never exceeds a number",
        "It follows from the initial marking and from what each transition adds to the sum. \
         As evidence: see `linear`.",
    ),
    word(
        "stubborn sets",
        "Transitions or events, one of which occurs on every run from a state to a violation",
        "The other transitions can wait: the engine `stubborn` fires only these, and so leaves out equivalent orders. \
         The checker examines every set.",
    ),
    word(
        "refutation",
        "A proof that there is no violating run",
        "The lemmas hold for every violating run, and together they contradict each other. The checker checks every \
         step. In JSON the kind \
         of evidence is `lemmas`.",
    ),
];

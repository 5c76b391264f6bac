//! Verdicts, reasons for `unknown`, and kinds of properties.

use super::{Word, word};

pub(super) const VERDICTS: &[Word] = &[
    word(
        "safe",
        "No run violates the property: proven, and the proof is checked",
        "Exit code 0 if all properties are safe.",
    ),
    word(
        "unsafe",
        "A run violates the property: the report shows it, and it has been replayed",
        "Exit code 10 (a bad state, a target or an error label), 11 (a deadlock) or 13 (a temporal formula).",
    ),
    word(
        "reachable",
        "What `EF` asks for can be reached: the report shows a run",
        "This is an answer, not a violation. In JSON, `answer` is `reachable`, and `verdict` is `unsafe`, as for a \
         property that the state must never be reached.",
    ),
    word(
        "unreachable",
        "What `EF` asks for cannot be reached: proven, and the proof is checked",
        "Exit code 12 if `--ask` expects it.",
    ),
    word(
        "holds",
        "The formula holds: it begins with `E` or `EX`, or joins several formulas with quantifiers",
        "The evidence is checked. Exit code 0. If one run shows it, the report has this run.",
    ),
    word(
        "fails",
        "The formula does not hold: it begins with `E` or `EX`, or joins several formulas with quantifiers",
        "The evidence is checked. Exit code 13.",
    ),
    word(
        "unbounded",
        "The sum has no largest value: the report shows a run with steps that can be repeated and add to the sum",
        "The answer to `MAX`. In JSON, `answer` is `unbounded`, and `verdict` is `unsafe`.",
    ),
    word(
        "unknown",
        "Neither proven nor violated, for the reason that is given",
        "Exit code 30 to 33 or 130, depending on the reason.",
    ),
];

pub(super) const REASONS: &[Word] = &[
    word("timeout", "The time limit was reached", "Give more time (`--timeout`), or try another engine."),
    word("memory", "The memory limit was reached", "Give more memory (`--memory`)."),
    word(
        "bound",
        "No violation was found within `--bound`, and states beyond it were left out",
        "Raise the bound, or leave it out: engines that need no bound may prove the property for all numbers of tokens \
         or threads.",
    ),
    word("unsupported", "The engine does not support this property", "`--engine auto` chooses engines that do."),
    word(
        "undefined",
        "A run reaches behavior that the language does not define",
        "In C programs: an index outside its array, a division by zero. The behavior after it is not known.",
    ),
    word("gave_up", "The engine has nothing left to try", "Other engines may: `--engine auto` runs all that can help."),
    word(
        "uncertified",
        "An answer was found, but its evidence is not checked",
        "Checking it exceeds a limit, or the checker has no rule for it. `--trust PATTERN` accepts the lemmas of a \
         pattern of your own.",
    ),
    word("overflow", "A number became too large for the engine", ""),
    word("interrupted", "The user ended the work", ""),
    word(
        "disk",
        "The temporary files reached their limit, or cannot be written or read",
        "Allow more (`--disk-limit`), or choose a directory on a larger disk (`--disk`).",
    ),
    word(
        "lossy",
        "A search that may leave states out found no run",
        "`--lossy` finds runs only. Leave it out for a proof; `--disk` is for spaces that are larger than memory.",
    ),
];

pub(super) const KINDS: &[Word] = &[
    word("bad", "A state that is marked `bad` is reachable", "For behavioral programs."),
    word(
        "deadlock",
        "A state in which no step is possible is reachable",
        "In programs: every requested event is blocked, or none is requested. In nets: no transition is enabled.",
    ),
    word(
        "cover",
        "A target that adding tokens never leaves (upward closed)",
        "Its atoms have the form: at least n tokens.",
    ),
    word("reach", "A target of any other form", "Its atoms may have the form: at most n tokens."),
    word("output", "An output of a circuit that must never be true", ""),
    word(
        "justice",
        "A justice property of a circuit: signals that must not all be true infinitely often",
        "A violation is an infinite run: some frames, then frames that repeat.",
    ),
    word("error", "An error label of a reactive program", ""),
    word(
        "ltl",
        "A formula of linear temporal logic about a reactive program",
        "A violation is an infinite run: some calls, then calls that repeat.",
    ),
];

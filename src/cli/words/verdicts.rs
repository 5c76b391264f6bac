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
        "An answer, and no violation: JSON has it as `answer`, beside the verdict `unsafe` of \"never\".",
    ),
    word("unreachable", "What `EF` asks for cannot be reached: proven, and the proof is checked", ""),
    word(
        "unknown",
        "Neither proven nor violated, for a reason that stands with it",
        "Exit code 30 to 33 or 130, depending on the reason.",
    ),
];

pub(super) const REASONS: &[Word] = &[
    word("timeout", "The time limit was reached", "Give more time (`--timeout`), or try another engine."),
    word("memory", "The memory limit was reached", "Give more memory (`--memory`)."),
    word(
        "bound",
        "Nothing was found within `--bound`, and something lay beyond",
        "Raise the bound, or leave it away: engines that need none may prove it for every number.",
    ),
    word("unsupported", "The engine cannot be asked this", "`--engine auto` chooses engines that can."),
    word(
        "undefined",
        "A run comes to what the language does not define",
        "Of C programs: an index outside its array, a division by zero. Whatever comes after it is not known.",
    ),
    word("gave_up", "The engine has nothing left to try", "Other engines may: `--engine auto` asks all that can help."),
    word(
        "uncertified",
        "An answer was found, but its evidence is not checked",
        "It is too dear to check, or of a kind that the checker does not know. `--trust PATTERN` believes lemmas of a pattern of your own.",
    ),
    word("overflow", "A number outgrew what the engine can represent", ""),
    word("interrupted", "The user ended the work", ""),
];

pub(super) const KINDS: &[Word] = &[
    word("bad", "A state that is marked `bad` is reachable", "Of behavioral programs."),
    word(
        "deadlock",
        "A state in which nothing can happen is reachable",
        "Of programs: every requested event is blocked, or none is requested. Of nets: no transition is enabled.",
    ),
    word("cover", "A target that more tokens never lead out of", "Its atoms ask for at least so many tokens."),
    word("reach", "A target of any other form", "Its atoms may ask for at most so many tokens."),
    word("output", "An output of a circuit that must never be true", ""),
    word("error", "An error label of a reactive program", ""),
    word(
        "ltl",
        "A formula of linear temporal logic about a reactive program",
        "It is violated by a run that goes on for ever: some calls, then others that repeat.",
    ),
];

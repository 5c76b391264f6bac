//! Hints for keywords of other languages. A hint says how `.rwb` expresses the meaning of the keyword.

/// Words with their hints.
type Words = &'static [(&'static [&'static str], &'static str)];

/// Words of other languages, and of other forms of the paradigm.
const BOTH: Words = &[
    (
        &["waitFor", "waitfor", "wait_for", "waits", "await", "listen"],
        "waiting for an event is written `wait a` in a body, and `on a -> s` in a state",
    ),
    (&["requests", "req", "emit", "send", "trigger"], "to ask for an event is written `request a`"),
    (
        &["blocks", "forbid"],
        "to forbid an event is written `block a`, in the same sync as what is requested or waited for",
    ),
    (
        &["bthread", "process", "proc", "active", "function", "module"],
        "a thread is written `thread NAME { body { .. } }`; several alike, `for i in 0..n { thread NAME[i] { .. } }`",
    ),
    (&["states"], "a state is written `state NAME { request a  on a -> NEXT }`"),
    (&["and", "not"], "`and` is written `&&`, `or` is `||`, `not` is `!`"),
    (&["import", "include", "using"], "a program is one file"),
    (&["goto", "next"], "in a state, where an event leads is written `on a -> s`"),
    (&["property", "assertion", "ltl", "spec"], "what is asked for is written `check deadlock, bad`"),
];

/// Words that version 1 does not have.
const FIRST: Words = &[
    (
        &["interrupt"],
        "there is no `interrupt`: `select { on request a { } on stop { end } }` goes on with what happens first",
    ),
    (
        &["if", "switch", "case", "elif", "elseif"],
        "what depends on constants is written `when CONDITION { .. } else { .. }`, what depends on the next event \
         `select { on a { .. } on b { .. } }`, a free choice `choose { .. } or { .. }`",
    ),
    (
        &["while", "do", "until", "forever"],
        "`loop { .. }` repeats for ever, `repeat N { .. }` N times; to leave a loop, `select { on stop { end } .. }` \
         in it",
    ),
    (&["var", "let", "int", "bool", "boolean", "char", "byte", "float", "string", "def", "define"], VARIABLES),
    (&["events", "enum", "chan", "signal"], "events are declared with `event a, b[3]`"),
    (
        &["break", "return", "exit", "stop", "halt"],
        "`end` ends a thread; which event leaves a loop is said with `select { on a { .. } on b { .. } }`",
    ),
    (&["assert", "error", "fail"], "a violation is a state that is marked: `bad`, in a body or in a state"),
];

/// Words that version 2 does not have, or only elsewhere.
const SECOND: Words = &[
    (&["when"], "a condition on constants and variables is written `if .. { .. } else { .. }`"),
    (&["class"], "any number of threads is a matter of version 1: `rwb 1`, `const n = *`"),
    (&["assume"], "assumptions are a matter of version 1"),
    (&["hot"], "`hot` stands before a sync: `hot wait e`, `hot request e`"),
    (&["priority"], "a priority stands in a sync, after its events: `request e priority 3`"),
    (&["let"], "a variable is declared in its thread, before the body: `var n: 0..10 = 0`"),
];

const VARIABLES: &str = "threads have no variables: what they remember is the state that they are in (`for k in 0..3 \
                         { state s[k] { .. } }`); \
                         a constant is `const NAME = ..`; files that begin with `rwb 2` have variables";

/// Returns a hint that says how this version of `.rwb` expresses the meaning that `word`, followed by `rest`, has
/// elsewhere.
pub(super) fn of(version: u8, word: &str, rest: &str) -> Option<&'static str> {
    let own = if version == 1 { FIRST } else { SECOND };
    let known = own.iter().chain(BOTH).find(|(words, _)| words.contains(&word)).map(|(_, hint)| *hint);
    let rest = rest.trim_start_matches([' ', '\t']);
    let assigns =
        (rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with("++") || rest.starts_with("+=");
    known.or((version == 1 && assigns).then_some(VARIABLES))
}

#[cfg(test)]
mod tests {
    use super::super::lex::is_identifier;
    use super::*;

    #[test]
    fn words_of_other_languages_are_none_of_this_one() {
        let mut all: Vec<&str> = FIRST.iter().chain(BOTH).flat_map(|(words, _)| words.iter().copied()).collect();
        assert!(all.iter().all(|word| is_identifier(word)));
        all.sort_unstable();
        assert!(all.windows(2).all(|w| w[0] != w[1]));
    }

    #[test]
    fn assignments_are_noticed() {
        assert_eq!(of(1, "x", " = x + 1"), Some(VARIABLES));
        assert_eq!(of(1, "x", "++"), Some(VARIABLES));
        assert_eq!(of(1, "x", " == 3"), None);
        assert_eq!(of(1, "interrupt", " a"), Some(FIRST[0].1));
    }
}

//! Explains every word of a report: engines, patterns, kinds of evidence, statistics, verdicts and reasons,
//! kinds of lemmas. `impasse explain WORD` prints the explanations. A test compares the tables with the code.

pub(crate) mod engines;
mod evidence;
mod lemmas;
mod others;
mod patterns;
mod statistics;
mod terms;
mod verdicts;

/// A word and what it means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) word: &'static str,
    /// The explanation in one line.
    pub(crate) title: &'static str,
    /// More about the word. May be empty.
    pub(crate) text: &'static str,
}

/// Words of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) title: &'static str,
    /// The name for a single word of the group.
    pub(crate) one: &'static str,
    pub(crate) words: fn() -> Vec<Word>,
}

const fn word(word: &'static str, title: &'static str, text: &'static str) -> Word {
    Word { word, title, text }
}

/// All groups, in the order in which they are listed.
pub(crate) const ALL: &[Group] = &[
    Group { title: "Verdicts", one: "verdict", words: || verdicts::VERDICTS.to_vec() },
    Group { title: "Reasons for `unknown`", one: "reason for `unknown`", words: || verdicts::REASONS.to_vec() },
    Group { title: "Kinds of properties", one: "kind of property", words: || verdicts::KINDS.to_vec() },
    Group { title: "Engines", one: "engine", words: engines::words },
    Group { title: "Patterns", one: "pattern", words: || patterns::WORDS.to_vec() },
    Group { title: "Kinds of evidence", one: "kind of evidence", words: || evidence::WORDS.to_vec() },
    Group { title: "Kinds of lemmas and restrictions", one: "kind of lemma", words: || lemmas::WORDS.to_vec() },
    Group { title: "Statistics", one: "statistic", words: || statistics::WORDS.to_vec() },
    Group { title: "Questions about a net as a whole", one: "question", words: || terms::QUESTIONS.to_vec() },
    Group { title: "Terms", one: "term", words: || terms::TERMS.to_vec() },
    Group { title: "Other words", one: "word", words: || others::WORDS.to_vec() },
];

/// Returns true if the word belongs to the group with [`Group::one`] equal to `one` (for example, `engine`).
pub(crate) fn is_known(one: &str, word: &str) -> bool {
    ALL.iter().any(|group| group.one == one && (group.words)().iter().any(|w| w.word == word))
}

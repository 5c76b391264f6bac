//! Renaming: the places to change, or why a name cannot be used.

use super::super::lex::{self, is_identifier};
use super::{Index, Place, Symbol};

/// The largest number of bytes of a new name. With indices, names may become longer (`Limits::name_length`).
const LONGEST: usize = 200;

/// Words that are keywords in some places, and names in others. Sorted.
const SOMETIMES: &[&str] = &["assume", "class", "final", "hot", "length", "priority"];

/// Why a symbol cannot get a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The text has syntax errors, so the index may not know all places.
    Incomplete,
    /// The word is reserved, or a keyword in some places.
    Keyword,
    /// The text is no name.
    NoName,
    /// The name is too long.
    TooLong,
    /// Another symbol has the name where this one is visible. Its number.
    Taken(usize),
    /// The name is used at this place, where it means nothing so far.
    Captured(Place),
}

/// True if the word is reserved in this version, or a keyword in some places of it.
#[must_use]
pub fn is_keyword(word: &str, version: u8) -> bool {
    lex::RESERVED.binary_search(&word).is_ok()
        || (version == 2 && lex::NEWER.binary_search(&word).is_ok())
        || SOMETIMES.binary_search(&word).is_ok()
}

/// Iterates over the keywords of a version, with those that are keywords only in some places.
pub fn keywords(version: u8) -> impl Iterator<Item = &'static str> {
    let more: &[&str] = if version == 2 { lex::NEWER } else { &[] };
    let only_first = ["assume", "class", "length", "when"];
    let sometimes = SOMETIMES.iter().filter(move |word| !more.contains(word));
    let all = lex::RESERVED.iter().chain(more).chain(sometimes).copied();
    all.filter(move |word| if version == 1 { *word != "hot" } else { *word == "when" || !only_first.contains(word) })
}

impl Index {
    /// Returns the places to change so that a symbol is called `name`. The program then means the same.
    ///
    /// # Errors
    /// A name that cannot be used, or a text with syntax errors.
    pub fn rename(&self, symbol: usize, name: &str) -> Result<Vec<Place>, Refusal> {
        if !self.is_complete {
            return Err(Refusal::Incomplete);
        }
        if is_keyword(name, self.version) {
            return Err(Refusal::Keyword);
        }
        if !is_identifier(name) {
            return Err(Refusal::NoName);
        }
        if name.len() > LONGEST {
            return Err(Refusal::TooLong);
        }
        let own = &self.symbols[symbol];
        if let Some(other) = (0..self.symbols.len()).find(|i| *i != symbol && clashes(own, &self.symbols[*i], name)) {
            return Err(Refusal::Taken(other));
        }
        if let Some((_, place)) = self.unresolved.iter().find(|(word, _)| word == name) {
            return Err(Refusal::Captured(Place { start: place.start, end: place.end }));
        }
        Ok(self.mentions_of(symbol).map(|mention| mention.place).collect())
    }
}

/// True if a symbol cannot get the name because of another symbol.
fn clashes(own: &Symbol, other: &Symbol, name: &str) -> bool {
    let overlap = own.scope.start < other.scope.end && other.scope.start < own.scope.end;
    other.name == name && other.space == own.space && overlap
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_grammar_for_editors_has_the_keywords_of_both_versions() {
        let words: BTreeSet<String> = keywords(1).chain(keywords(2)).map(str::to_owned).collect();
        assert_eq!(testkit::grammar::keywords("rwb.tmLanguage.json"), words);
        assert!(SOMETIMES.is_sorted());
        for version in [1, 2] {
            assert!(keywords(version).all(|word| is_keyword(word, version)), "{version}");
        }
    }
}

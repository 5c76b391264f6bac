//! Completion: the names that are visible at a place, and the keywords, as far as they can stand there. After `request`
//! only events can stand, and after `->` only states.

use super::documents::Document;
use super::outline;
use impasse::formats::index::{Kind, keywords};
use lsp_types::{CompletionItem, CompletionItemKind, Position};
use std::collections::BTreeMap;

pub(super) fn complete(document: &Document, position: Position) -> Option<Vec<CompletionItem>> {
    let index = document.index()?;
    let offset = document.lines.offset(&document.text, position)?;
    let mut items = BTreeMap::new();
    let expected = Expected::at(document.text.get(..offset)?);
    for word in keywords(index.version).filter(|_| expected == Expected::Anything) {
        let kind = Some(CompletionItemKind::KEYWORD);
        items.insert(word.to_owned(), CompletionItem { label: word.to_owned(), kind, ..CompletionItem::default() });
    }
    let mut details: BTreeMap<usize, String> = BTreeMap::new();
    for (at, declaration) in index.declarations.iter().enumerate() {
        details.entry(declaration.symbol).or_insert_with(|| outline::head(document, index, at));
    }
    for (number, symbol) in index.visible(offset).filter(|(_, symbol)| expected.fits(symbol.kind)) {
        let kind = Some(match symbol.kind {
            Kind::Constant | Kind::Loop => CompletionItemKind::CONSTANT,
            Kind::Event | Kind::Set => CompletionItemKind::EVENT,
            Kind::Thread | Kind::Class => CompletionItemKind::MODULE,
            Kind::State => CompletionItemKind::FIELD,
            Kind::Variable | Kind::Bound => CompletionItemKind::VARIABLE,
            Kind::Enum => CompletionItemKind::ENUM,
            Kind::Value => CompletionItemKind::ENUM_MEMBER,
            Kind::Parameter => continue,
        });
        let (label, detail) = (symbol.name.clone(), details.get(&number).cloned());
        items.insert(label.clone(), CompletionItem { label, kind, detail, ..CompletionItem::default() });
    }
    Some(items.into_values().collect())
}

/// What can stand at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Anything,
    /// Events, and sets of events.
    Event,
    /// The index of an event or thread.
    Number,
    State,
}

impl Expected {
    /// Finds out what can stand after a text, which may end in the first letters of a name. The words before it decide.
    fn at(before: &str) -> Self {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut text = before.trim_end_matches(is_name).trim_end();
        let statement = text.rfind([';', '{', '}', '\n']).map_or(text, |at| &text[at..]);
        if statement.matches('[').count() > statement.matches(']').count() {
            return Self::Number;
        }
        if text.ends_with("->") {
            return Self::State;
        }
        // `request a, b[1][2], ` is a list that has begun.
        while let Some(list) = text.strip_suffix(',') {
            text = list.trim_end();
            while let Some(index) = text.strip_suffix(']') {
                text = index.rsplit_once('[').map_or("", |(name, _)| name);
            }
            text = text.trim_end_matches(is_name).trim_end();
        }
        match text.rsplit(|c: char| !is_name(c)).next() {
            Some("request" | "wait" | "block" | "on") => Self::Event,
            _ => Self::Anything,
        }
    }

    fn fits(self, kind: Kind) -> bool {
        match self {
            Self::Anything => true,
            Self::Event => matches!(kind, Kind::Event | Kind::Set),
            Self::State => kind == Kind::State,
            Self::Number => {
                let numbers = [Kind::Constant, Kind::Loop, Kind::Variable, Kind::Bound, Kind::Value, Kind::Parameter];
                numbers.contains(&kind)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Expected;

    #[test]
    fn words_before_the_place_decide() {
        for (text, expected) in [
            ("thread A { body { request ", Expected::Event),
            ("thread A { body { request pi", Expected::Event),
            ("request a, b[1][i], ", Expected::Event),
            ("wait a[", Expected::Number),
            ("wait a[0][i", Expected::Number),
            ("on a -> ", Expected::State),
            ("on a -> s2\n  ", Expected::Anything),
            ("request a; ", Expected::Anything),
            ("", Expected::Anything),
        ] {
            assert_eq!(Expected::at(text), expected, "{text}");
        }
    }
}

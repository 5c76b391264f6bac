//! Completion: the names that are visible at a place, and the keywords.

use super::documents::Document;
use super::outline;
use impasse::formats::index::{Kind, keywords};
use lsp_types::{CompletionItem, CompletionItemKind, Position};
use std::collections::BTreeMap;

pub(super) fn complete(document: &Document, position: Position) -> Option<Vec<CompletionItem>> {
    let index = document.index()?;
    let offset = document.lines.offset(&document.text, position)?;
    let mut items = BTreeMap::new();
    for word in keywords(index.version) {
        let kind = Some(CompletionItemKind::KEYWORD);
        items.insert(word.to_owned(), CompletionItem { label: word.to_owned(), kind, ..CompletionItem::default() });
    }
    let mut details: BTreeMap<usize, String> = BTreeMap::new();
    for (at, declaration) in index.declarations.iter().enumerate() {
        details.entry(declaration.symbol).or_insert_with(|| outline::head(document, index, at));
    }
    for (number, symbol) in index.visible(offset) {
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

//! The outline of a text, and the parts that can be folded.

use super::documents::Document;
use impasse::formats::index::{Index, Kind};
use lsp_types::{
    DocumentSymbol, DocumentSymbolResponse, FoldingRange, FoldingRangeKind, Location, SymbolInformation, SymbolKind,
};
use std::collections::BTreeMap;

/// The length of a declaration that is shown.
const DETAIL: usize = 80;

/// Returns the outline: as a tree, or as a list for clients that do not know trees.
#[expect(deprecated, reason = "fields that the protocol replaced by others, which are given, too")]
pub(super) fn symbols(document: &Document, as_tree: bool) -> Option<DocumentSymbolResponse> {
    let index = document.index()?;
    if as_tree {
        let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for at in (0..index.declarations.len()).filter(|at| kind(index, *at).is_some()) {
            children.entry(index.declarations[at].parent).or_default().push(at);
        }
        return Some(DocumentSymbolResponse::Nested(tree(document, index, &children, None)));
    }
    let list = index.declarations.iter().enumerate().filter_map(|(at, own)| {
        Some(SymbolInformation {
            name: index.symbols[own.symbol].name.clone(),
            kind: kind(index, at)?,
            tags: None,
            deprecated: None,
            location: Location::new(document.uri.clone(), document.lines.region(&document.text, own.extent.clone())),
            container_name: own.parent.map(|at| index.symbols[index.declarations[at].symbol].name.clone()),
        })
    });
    Some(DocumentSymbolResponse::Flat(list.collect()))
}

/// Makes a level of the tree. Declarations are nested three deep at most: a thread, a state, nothing.
#[expect(deprecated, reason = "a field that the protocol replaced by `tags`")]
fn tree(
    document: &Document,
    index: &Index,
    children: &BTreeMap<Option<usize>, Vec<usize>>,
    parent: Option<usize>,
) -> Vec<DocumentSymbol> {
    let own = children.get(&parent).into_iter().flatten();
    let symbols = own.filter_map(|at| {
        let declaration = &index.declarations[*at];
        let region = |range| document.lines.region(&document.text, range);
        let inner = tree(document, index, children, Some(*at));
        Some(DocumentSymbol {
            name: index.symbols[declaration.symbol].name.clone(),
            detail: Some(head(document, index, *at)),
            kind: kind(index, *at)?,
            tags: None,
            deprecated: None,
            range: region(declaration.extent.clone()),
            selection_range: region(declaration.name.clone()),
            children: (!inner.is_empty()).then_some(inner),
        })
    });
    symbols.collect()
}

/// Returns the text of a declaration in one line: its kind, and the text up to a block.
pub(super) fn head(document: &Document, index: &Index, at: usize) -> String {
    let declaration = &index.declarations[at];
    let text = document.text.get(declaration.head.clone()).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = format!("{} {}", index.symbols[declaration.symbol].kind.word(), words.join(" "));
    if text.chars().count() <= DETAIL { text } else { text.chars().take(DETAIL - 2).chain("..".chars()).collect() }
}

/// Returns the kind of a declaration in the outline. Names of loops and patterns are not in it.
fn kind(index: &Index, at: usize) -> Option<SymbolKind> {
    Some(match index.symbols[index.declarations[at].symbol].kind {
        Kind::Constant => SymbolKind::CONSTANT,
        Kind::Event => SymbolKind::EVENT,
        Kind::Parameter => SymbolKind::FIELD,
        Kind::Set => SymbolKind::ARRAY,
        Kind::Thread => SymbolKind::MODULE,
        Kind::Class => SymbolKind::CLASS,
        Kind::State => SymbolKind::METHOD,
        Kind::Variable => SymbolKind::VARIABLE,
        Kind::Enum => SymbolKind::ENUM,
        Kind::Value => SymbolKind::ENUM_MEMBER,
        Kind::Loop | Kind::Bound => return None,
    })
}

/// Returns the blocks of several lines, and the comments of several lines.
pub(super) fn folds(document: &Document) -> Vec<FoldingRange> {
    let fold = |start: usize, end: usize, kind| {
        let cast = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
        FoldingRange { start_line: cast(start), end_line: cast(end), kind, ..FoldingRange::default() }
    };
    let mut folds = Vec::new();
    let blocks = document.index().map(|index| &index.blocks[..]).unwrap_or_default();
    for block in blocks {
        let (start, end) = (document.lines.number(block.start), document.lines.number(block.end.saturating_sub(1)));
        // The line of the closing brace stays visible.
        if end > start + 1 {
            folds.push(fold(start - 1, end - 2, None));
        }
    }
    let mut begin = None;
    let lines = document.text.lines().map(|line| line.trim_start().starts_with('#'));
    for (at, is_comment) in lines.chain(std::iter::once(false)).enumerate().filter(|_| document.is_program) {
        match (begin, is_comment) {
            (None, true) => begin = Some(at),
            (Some(first), false) => {
                if at > first + 1 {
                    folds.push(fold(first, at - 1, Some(FoldingRangeKind::Comment)));
                }
                begin = None;
            }
            _ => {}
        }
    }
    folds
}

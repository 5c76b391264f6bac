//! Definitions, references and highlights.

use super::spot::{NamedPlace, Reply};
use impasse::formats::index::{Kind, Place, Role};
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location};

/// Returns the declarations of a name. Of the states of several threads with one name, those of the thread around the
/// place are preferred.
pub(super) fn definition(spot: &NamedPlace<'_>) -> Reply<Option<Vec<Location>>> {
    let place = |name: &std::ops::Range<usize>| Place { start: name.start, end: name.end };
    let all: Vec<_> = spot.index.declarations_of(spot.mention.symbol).collect();
    let is_state = spot.index.symbols[spot.mention.symbol].kind == Kind::State;
    let around = |at: usize| spot.index.declarations[at].extent.contains(&spot.mention.place.start);
    let near: Vec<_> = all.iter().filter(|own| is_state && own.parent.is_some_and(around)).collect();
    let chosen = if near.is_empty() { all.iter().collect() } else { near };
    Ok(Some(chosen.into_iter().map(|own| spot.location(place(&own.name))).collect()))
}

pub(super) fn references(spot: &NamedPlace<'_>, with_declarations: bool) -> Reply<Option<Vec<Location>>> {
    let mentions = spot.index.mentions_of(spot.mention.symbol);
    let wanted = mentions.filter(|mention| with_declarations || mention.role != Role::Declare);
    Ok(Some(wanted.map(|mention| spot.location(mention.place)).collect()))
}

pub(super) fn highlight(spot: &NamedPlace<'_>) -> Reply<Option<Vec<DocumentHighlight>>> {
    let mentions = spot.index.mentions_of(spot.mention.symbol);
    let shown = mentions.map(|mention| {
        let is_write = matches!(mention.role, Role::Declare | Role::Write);
        let kind = if is_write { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ };
        DocumentHighlight { range: spot.region(mention.place), kind: Some(kind) }
    });
    Ok(Some(shown.collect()))
}

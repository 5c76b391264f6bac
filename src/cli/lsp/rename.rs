//! Renaming. The index says which places change, and which names cannot be used.

use super::spot::{NamedPlace, Reply};
use impasse::formats::index::Refusal;
use lsp_server::ErrorCode;
use lsp_types::{PrepareRenameResponse, TextEdit, WorkspaceEdit};
use std::collections::HashMap;

/// Returns the place of the name at a position, with the name.
pub(super) fn prepare(spot: &NamedPlace<'_>) -> PrepareRenameResponse {
    let placeholder = spot.index.symbols[spot.mention.symbol].name.clone();
    PrepareRenameResponse::RangeWithPlaceholder { range: spot.region(spot.mention.place), placeholder }
}

pub(super) fn rename(spot: &NamedPlace<'_>, name: &str) -> Reply<Option<WorkspaceEdit>> {
    let places = spot.index.rename(spot.mention.symbol, name);
    let places = places.map_err(|refusal| (ErrorCode::RequestFailed, explained(spot, name, &refusal)))?;
    let edit = |place| TextEdit::new(spot.region(place), name.to_owned());
    let edits: Vec<TextEdit> = places.into_iter().map(edit).collect();
    Ok(Some(WorkspaceEdit::new(HashMap::from([(spot.document.uri.clone(), edits)]))))
}

fn explained(spot: &NamedPlace<'_>, name: &str, refusal: &Refusal) -> String {
    let shown = impasse::formats::printable(name);
    match refusal {
        Refusal::Incomplete => "the file has syntax errors, so not all places of the name are known".to_owned(),
        Refusal::Keyword => format!("`{shown}` is a keyword of the format"),
        Refusal::NoName => {
            format!("`{shown}` is not a name: a name has ASCII letters, digits and `_`, and starts with no digit")
        }
        Refusal::TooLong => "the name is too long".to_owned(),
        Refusal::Taken(other) => {
            let symbol = &spot.index.symbols[*other];
            let line =
                spot.index.declarations_of(*other).next().map_or(0, |own| spot.document.lines.number(own.name.start));
            format!("`{shown}` is the name of another {} here, declared in line {line}", symbol.kind.word())
        }
        Refusal::Captured(place) => {
            let line = spot.document.lines.number(place.start);
            format!("`{shown}` is used in line {line}, where it has no declaration so far")
        }
    }
}

//! The requests about texts: which ones there are, and their parameters.

use super::arrange::arranged;
use super::documents::Document;
use super::lines::Encoding;
use super::server::{Server, parsed};
use super::spot::{NamedPlace, Reply};
use super::{check, complete, feature, hover, lens, outline, rename};
use lsp_server::ErrorCode;
use lsp_types::{
    CodeLensParams, CompletionParams, DocumentFormattingParams, DocumentSymbolParams, FoldingRangeParams,
    ReferenceParams, RenameParams, TextDocumentPositionParams, TextEdit,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

/// Returns what the server can do.
pub(super) fn capabilities(encoding: Encoding) -> Json {
    json!({
        "positionEncoding": encoding.kind(),
        "textDocumentSync": { "openClose": true, "change": 2 },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "renameProvider": { "prepareProvider": true },
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "completionProvider": {},
        "codeLensProvider": { "resolveProvider": false },
        "executeCommandProvider": { "commands": check::COMMANDS, "workDoneProgress": true },
    })
}

/// Answers a request.
pub(super) fn answer(server: &Server, method: &str, params: Json) -> Reply<Json> {
    match method {
        "textDocument/hover" => with(params, |params: TextDocumentPositionParams| at(server, &params, hover::hover)),
        "textDocument/definition" => {
            with(params, |params: TextDocumentPositionParams| at(server, &params, feature::definition))
        }
        "textDocument/references" => with(params, |params: ReferenceParams| {
            let with_declarations = params.context.include_declaration;
            at(server, &params.text_document_position, |place| feature::references(place, with_declarations))
        }),
        "textDocument/documentHighlight" => {
            with(params, |params: TextDocumentPositionParams| at(server, &params, feature::highlight))
        }
        "textDocument/prepareRename" => with(params, |params: TextDocumentPositionParams| {
            at(server, &params, |place| Ok(Some(rename::prepare(place))))
        }),
        "textDocument/rename" => with(params, |params: RenameParams| {
            at(server, &params.text_document_position, |place| rename::rename(place, &params.new_name))
        }),
        "textDocument/documentSymbol" => with(params, |params: DocumentSymbolParams| {
            let document = server.document(&params.text_document.uri)?;
            Ok(outline::symbols(document, server.client.has_trees))
        }),
        "textDocument/foldingRange" => {
            with(params, |params: FoldingRangeParams| Ok(outline::folds(server.document(&params.text_document.uri)?)))
        }
        "textDocument/formatting" => {
            with(params, |params: DocumentFormattingParams| formatted(server.document(&params.text_document.uri)?))
        }
        "textDocument/completion" => with(params, |params: CompletionParams| {
            let position = params.text_document_position;
            let document = server.document(&position.text_document.uri)?;
            Ok(complete::complete(document, position.position))
        }),
        "textDocument/codeLens" => with(params, |params: CodeLensParams| {
            let document = server.document(&params.text_document.uri)?;
            Ok(lens::lenses(document, &server.checks))
        }),
        _ => Err((ErrorCode::MethodNotFound, format!("there is no method `{method}`"))),
    }
}

/// Returns the change that arranges a text. `None` if nothing is to be changed.
fn formatted(document: &Document) -> Reply<Option<Vec<TextEdit>>> {
    let Some(form) = document.form.filter(|_| !document.is_lost) else { return Ok(None) };
    let text = arranged(&document.text, form);
    let whole = document.lines.region(&document.text, 0..document.text.len());
    Ok((*text != *document.text).then(|| vec![TextEdit { range: whole, new_text: text }]))
}

/// Parses parameters, and makes the answer.
fn with<P: DeserializeOwned, T: Serialize>(params: Json, answer: impl FnOnce(P) -> Reply<T>) -> Reply<Json> {
    let made = answer(parsed(params)?)?;
    serde_json::to_value(made).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}

/// Answers a question about the name at a position. The answer is null where no name is.
fn at<T>(
    server: &Server,
    params: &TextDocumentPositionParams,
    answer: impl FnOnce(&NamedPlace<'_>) -> Reply<Option<T>>,
) -> Reply<Option<T>> {
    let document = server.document(&params.text_document.uri)?;
    let Some(position) = document.lines.offset(&document.text, params.position) else {
        return Err((ErrorCode::InvalidParams, "the text has no such line".to_owned()));
    };
    let found = document.index().and_then(|index| Some((index, index.at(position)?)));
    let Some((index, mention)) = found else { return Ok(None) };
    answer(&NamedPlace { document, index, mention, has_markdown: server.client.has_markdown })
}

//! The main loop's data, and the messages to the client.

use super::check::Checks;
use super::diagnose::{self, Order};
use super::documents::Document;
use super::event::Event;
use super::lines::Encoding;
use crate::cli::args::LspArgs;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{PublishDiagnostics, ShowMessage};
use lsp_types::{
    ClientCapabilities, Diagnostic, MarkupKind, MessageType, PublishDiagnosticsParams, ShowMessageParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::Sender;

/// Where the session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Begun,
    Running,
    ShutDown,
}

/// What the client can do.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Client {
    pub(super) encoding: Encoding,
    pub(super) has_markdown: bool,
    pub(super) has_trees: bool,
    pub(super) has_progress: bool,
    pub(super) refreshes_lenses: bool,
    pub(super) shows_documents: bool,
}

pub(super) struct Server {
    pub(super) phase: Phase,
    pub(super) client: Client,
    pub(super) documents: BTreeMap<Uri, Document>,
    /// The mistakes of each text, as the reader found them last.
    pub(super) found: BTreeMap<Uri, Vec<Diagnostic>>,
    pub(super) checks: Checks,
    pub(super) reader: Sender<Order>,
    out: Sender<Message>,
    /// The number of requests to the client so far.
    asked: i32,
}

impl Server {
    pub(super) fn new(args: &LspArgs, events: Sender<Event>, out: Sender<Message>) -> io::Result<Self> {
        Ok(Self {
            phase: Phase::Begun,
            client: Client::default(),
            documents: BTreeMap::new(),
            found: BTreeMap::new(),
            checks: Checks::new(args, events.clone())?,
            reader: diagnose::start(events),
            out,
            asked: 0,
        })
    }

    pub(super) fn respond(&self, id: RequestId, answer: Result<Json, (ErrorCode, String)>) {
        let response = match answer {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        // If the writer has ended, the client is gone, and the end of the input ends the server.
        let _ = self.out.send(Message::Response(response));
    }

    /// Shows the mistakes of a text, and the violations that checks of it found.
    pub(super) fn publish(&self, uri: &Uri) {
        let Some(document) = self.documents.get(uri) else { return };
        let mut all = self.found.get(uri).cloned().unwrap_or_default();
        all.extend(self.checks.violations(document));
        let params = PublishDiagnosticsParams::new(uri.clone(), all, Some(document.version));
        self.notify::<PublishDiagnostics>(params);
    }

    pub(super) fn say(&self, typ: MessageType, message: String) {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message });
    }

    pub(super) fn notify<N: lsp_types::notification::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        let _ = self.out.send(Message::Notification(Notification::new(N::METHOD.to_owned(), params)));
    }

    /// Sends a request to the client.
    pub(super) fn ask<R: lsp_types::request::Request>(&mut self, params: R::Params)
    where
        R::Params: Serialize,
    {
        self.asked += 1;
        let _ = self.out.send(Message::Request(Request::new(self.asked.into(), R::METHOD.to_owned(), params)));
    }

    /// Returns an open program.
    ///
    /// # Errors
    /// The text is not open, or it was lost.
    pub(super) fn document(&self, uri: &Uri) -> Result<&Document, (ErrorCode, String)> {
        let Some(document) = self.documents.get(uri) else {
            return Err((ErrorCode::InvalidParams, format!("{} is not open", uri.as_str())));
        };
        if document.is_lost {
            return Err((ErrorCode::ContentModified, format!("the text of {} is unknown", uri.as_str())));
        }
        Ok(document)
    }
}

impl Client {
    pub(super) fn of(capabilities: &ClientCapabilities) -> Self {
        let offered = capabilities.general.as_ref().and_then(|general| general.position_encodings.as_deref());
        let text = capabilities.text_document.as_ref();
        let (window, workspace) = (capabilities.window.as_ref(), capabilities.workspace.as_ref());
        let formats = text.and_then(|text| text.hover.as_ref()?.content_format.as_ref());
        let trees = text.and_then(|text| text.document_symbol.as_ref()?.hierarchical_document_symbol_support);
        let refresh = workspace.and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support);
        Self {
            encoding: Encoding::of(offered),
            has_markdown: formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            has_trees: trees.unwrap_or(false),
            has_progress: window.and_then(|window| window.work_done_progress).unwrap_or(false),
            refreshes_lenses: refresh.unwrap_or(false),
            shows_documents: window.and_then(|window| Some(window.show_document.as_ref()?.support)).unwrap_or(false),
        }
    }
}

/// Returns the parameters of a message.
pub(super) fn parsed<T: DeserializeOwned>(params: Json) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, format!("wrong parameters: {error}")))
}

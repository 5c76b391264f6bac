//! The main loop's data, and the life of a session: initialize, the texts, shutdown, exit.

use super::check::{Checked, Checks};
use super::diagnose::{self, Diagnosed, Job, Order};
use super::documents::Document;
use super::lines::Encoding;
use super::requests;
use super::transport::Malformed;
use crate::cli::args::LspArgs;
use crate::cli::exit::Exit;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{PublishDiagnostics, ShowMessage};
use lsp_types::{
    ClientCapabilities, Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    MarkupKind, MessageType, PublishDiagnosticsParams, ShowMessageParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::Sender;

/// What the main loop reacts to.
pub(super) enum Event {
    Message(Message),
    Malformed(Malformed),
    /// The end of the input.
    End,
    Diagnosed(Diagnosed),
    /// The number of states that a running check has visited.
    Progress(u64, u64),
    Checked(Checked),
}

/// Where the session is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
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
    phase: Phase,
    pub(super) client: Client,
    pub(super) documents: BTreeMap<Uri, Document>,
    /// The mistakes of each text, as the reader found them last.
    found: BTreeMap<Uri, Vec<Diagnostic>>,
    pub(super) checks: Checks,
    reader: Sender<Order>,
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

    /// Handles an event. Returns the result of the process if the client ends it.
    pub(super) fn handle(&mut self, event: Event) -> Option<Exit> {
        match event {
            Event::Message(Message::Request(request)) => self.request(request),
            Event::Message(Message::Notification(notification)) => return self.notification(notification),
            // The requests to the client are about what it shows. Nothing depends on its answers.
            Event::Message(Message::Response(_)) => {}
            Event::Malformed(malformed) => self.malformed(malformed),
            Event::End => return Some(self.end()),
            Event::Diagnosed(diagnosed) => self.diagnosed(diagnosed),
            Event::Progress(check, states) => self.progress(check, states),
            Event::Checked(checked) => self.checked(checked),
        }
        None
    }

    /// Returns the result of the process if it ends now.
    pub(super) fn end(&self) -> Exit {
        if self.phase == Phase::ShutDown { Exit::Done } else { Exit::NotAccepted }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let wrong = |code, message: &str| (code, message.to_owned());
        let answer = match (self.phase, method.as_str()) {
            (Phase::Begun, "initialize") => self.initialize(params),
            (Phase::Begun, _) => {
                Err(wrong(ErrorCode::ServerNotInitialized, "the first request of a session is `initialize`"))
            }
            (Phase::ShutDown, _) => Err(wrong(ErrorCode::InvalidRequest, "the server is shut down")),
            (Phase::Running, "initialize") => Err(wrong(ErrorCode::InvalidRequest, "a second `initialize`")),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.checks.stop_all();
                Ok(Json::Null)
            }
            (Phase::Running, "workspace/executeCommand") => match self.command(&id, params) {
                Ok(Some(answer)) => Ok(answer),
                // The check answers when it ends.
                Ok(None) => return,
                Err(error) => Err(error),
            },
            (Phase::Running, _) => {
                let answered = panic::catch_unwind(AssertUnwindSafe(|| requests::answer(self, &method, params)));
                answered.unwrap_or_else(|_| Err(wrong(ErrorCode::InternalError, "this is a bug in impasse")))
            }
        };
        self.respond(id, answer);
    }

    pub(super) fn respond(&self, id: RequestId, answer: Result<Json, (ErrorCode, String)>) {
        let response = match answer {
            Ok(result) => Response::new_ok(id, result),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        };
        // If the writer has ended, the client is gone, and the end of the input ends the server.
        let _ = self.out.send(Message::Response(response));
    }

    fn malformed(&self, malformed: Malformed) {
        let message = match malformed {
            Malformed::Text => "a message that is no JSON",
            Malformed::Message => "a message that is no request, notification or response",
        };
        self.say(MessageType::ERROR, message.to_owned());
    }

    /// Handles a notification. Those with wrong parameters are reported, and unknown ones ignored, as the protocol
    /// says.
    fn notification(&mut self, notification: Notification) -> Option<Exit> {
        let Notification { method, params } = notification;
        let handled = match (self.phase, method.as_str()) {
            (_, "exit") => return Some(self.end()),
            (Phase::Running, "textDocument/didOpen") => parsed(params).map(|params| self.open(params)),
            (Phase::Running, "textDocument/didChange") => parsed(params).map(|params| self.change(params)),
            (Phase::Running, "textDocument/didClose") => parsed(params).map(|params| self.close(&params)),
            (Phase::Running, "$/cancelRequest") => parsed(params).map(|params| self.cancel(params)),
            (Phase::Running, "window/workDoneProgress/cancel") => {
                parsed(params).map(|params| self.cancel_work(&params))
            }
            _ => Ok(()),
        };
        if let Err((_, message)) = handled {
            self.say(MessageType::ERROR, format!("{method}: {message}"));
        }
        None
    }

    fn initialize(&mut self, params: Json) -> Result<Json, (ErrorCode, String)> {
        let capabilities = params.get("capabilities").cloned().unwrap_or_default();
        let capabilities: ClientCapabilities = parsed(capabilities)?;
        self.client = Client::of(&capabilities);
        self.phase = Phase::Running;
        let version = env!("CARGO_PKG_VERSION");
        Ok(serde_json::json!({
            "capabilities": requests::capabilities(self.client.encoding),
            "serverInfo": { "name": "impasse", "version": version },
        }))
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let uri = item.uri.clone();
        let document = Document::new(item.uri, &item.language_id, item.version, item.text, self.client.encoding);
        self.documents.insert(uri.clone(), document);
        self.diagnose(&uri);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(&uri) else {
            return self.say(MessageType::ERROR, format!("a change of {}, which is not open", uri.as_str()));
        };
        if let Err(message) = document.change(params.text_document.version, params.content_changes) {
            self.say(MessageType::ERROR, message);
        }
        self.diagnose(&uri);
    }

    fn close(&mut self, params: &DidCloseTextDocumentParams) {
        let uri = &params.text_document.uri;
        self.documents.remove(uri);
        self.found.remove(uri);
        // The thread ends only with the server.
        let _ = self.reader.send(Order::Forget(uri.clone()));
        self.checks.forget(uri);
        self.notify::<PublishDiagnostics>(PublishDiagnosticsParams::new(uri.clone(), Vec::new(), None));
    }

    /// Has a text read.
    fn diagnose(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get(uri).filter(|document| document.is_program && !document.is_lost) else {
            return;
        };
        let (version, text, encoding) = (document.version, document.text.clone(), self.client.encoding);
        // The thread ends only with the server.
        let _ = self.reader.send(Order::Read(Job { uri: uri.clone(), version, text, encoding }));
    }

    fn diagnosed(&mut self, diagnosed: Diagnosed) {
        let Diagnosed { uri, version, found } = diagnosed;
        // The text may have been changed or closed meanwhile. A newer one waits then.
        if self.documents.get(&uri).is_none_or(|document| document.version != version) {
            return;
        }
        let Some(found) = found else {
            return self.say(MessageType::ERROR, format!("{}: reading failed: this is a bug in impasse", uri.as_str()));
        };
        self.found.insert(uri.clone(), found);
        self.publish(&uri);
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
    fn of(capabilities: &ClientCapabilities) -> Self {
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

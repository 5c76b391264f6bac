//! The life of a session: initialize, the texts, shutdown, exit.

use super::diagnose::{Job, Order};
use super::documents::Document;
use super::event::{Diagnosed, Event, Malformed};
use super::requests;
use super::server::{Client, Phase, Server, parsed};
use crate::cli::exit::Exit;
use lsp_server::{ErrorCode, Message, Notification, Request};
use lsp_types::notification::PublishDiagnostics;
use lsp_types::{
    ClientCapabilities, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    MessageType, PublishDiagnosticsParams, Uri,
};
use serde_json::Value as Json;
use std::panic::{self, AssertUnwindSafe};

impl Server {
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

    fn malformed(&self, malformed: Malformed) {
        let message = match malformed {
            Malformed::Text => "a message is not JSON",
            Malformed::Message => "a message is not a request, a notification or a response",
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
            return self.say(MessageType::ERROR, format!("{} was changed and is not open", uri.as_str()));
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
}

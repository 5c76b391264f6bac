//! The messages of the debug adapter protocol: a header with the length, and a JSON object.
//! (Specification: <https://microsoft.github.io/debug-adapter-protocol/specification>, version 1.70.)

use crate::cli::framed::next;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use std::io::{BufRead, Write};

/// A request of the client.
#[derive(Deserialize, Debug)]
pub(super) struct Request {
    pub(super) seq: i64,
    pub(super) command: String,
    #[serde(default)]
    pub(super) arguments: Json,
}

/// Reads the next message. `None` at the end of the input, or if its frame is wrong, after which nothing can be read.
pub(super) fn read<T: DeserializeOwned>(input: &mut impl BufRead) -> Option<Result<T, String>> {
    next(input).map(|text| serde_json::from_slice(&text).map_err(|error| error.to_string()))
}

/// The client: what is written to it.
pub(super) struct Client {
    out: Box<dyn Write>,
    seq: i64,
}

impl Client {
    pub(super) fn new(out: impl Write + 'static) -> Self {
        Self { out: Box::new(out), seq: 0 }
    }

    /// Writes a message. If the client is gone, the end of the input ends the debugger.
    fn write(&mut self, mut message: Json) {
        self.seq += 1;
        message["seq"] = self.seq.into();
        let text = message.to_string();
        let _ = write!(self.out, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| self.out.flush());
    }

    /// Answers a request.
    pub(super) fn respond(&mut self, request: &Request, answer: Result<Json, String>) {
        let mut message = json!({ "type": "response", "request_seq": request.seq, "command": request.command });
        match answer {
            Ok(body) => {
                message["success"] = true.into();
                message["body"] = body;
            }
            Err(why) => {
                message["success"] = false.into();
                message["message"] = why.clone().into();
                message["body"] =
                    json!({ "error": { "id": 1, "format": why.replace(['{', '}'], "'"), "showUser": true } });
            }
        }
        self.write(message);
    }

    pub(super) fn event(&mut self, event: &str, body: Json) {
        self.write(json!({ "type": "event", "event": event, "body": body }));
    }

    /// Writes a text to the debug console.
    pub(super) fn output(&mut self, category: &str, text: &str) {
        self.event("output", json!({ "category": category, "output": text }));
    }
}

//! The messages of the protocol: reading them from standard input, and writing them to standard output.
//!
//! `lsp-server` defines the messages. Its reader ends at the first message that is no JSON. This one reports it and
//! goes on, because the length of the message says where the next one begins.

use super::event::{Event, Malformed};
use crate::cli::framed::next;
use lsp_server::Message;
use serde_json::Value as Json;
use std::io::{self, BufWriter, Write};
use std::sync::mpsc::{self, Sender};
use std::thread;

/// Starts to read messages.
pub(super) fn read(events: Sender<Event>) {
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Some(text) = next(&mut input) {
            let event = match parse(&text) {
                Ok(message) => Event::Message(message),
                Err(malformed) => Event::Malformed(malformed),
            };
            if events.send(event).is_err() {
                return;
            }
        }
        let _ = events.send(Event::End);
    });
}

fn parse(text: &[u8]) -> Result<Message, Malformed> {
    let json: Json = serde_json::from_slice(text).map_err(|_| Malformed::Text)?;
    serde_json::from_value(json).map_err(|_| Malformed::Message)
}

/// The thread that writes messages. A slow client does not stop the server.
pub(super) struct Writer {
    sender: Sender<Message>,
    thread: thread::JoinHandle<()>,
}

impl Writer {
    pub(super) fn start() -> Self {
        let (sender, messages) = mpsc::channel::<Message>();
        let thread = thread::spawn(move || {
            let mut output = BufWriter::new(io::stdout());
            for message in messages {
                // If the client is gone, the end of the input ends the server.
                if message.write(&mut output).and_then(|()| output.flush()).is_err() {
                    return;
                }
            }
        });
        Self { sender, thread }
    }

    pub(super) fn sender(&self) -> Sender<Message> {
        self.sender.clone()
    }

    /// Waits until all messages are written. All other senders must be gone.
    pub(super) fn finish(self) {
        drop(self.sender);
        let _ = self.thread.join();
    }
}

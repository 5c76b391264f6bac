//! The messages of the protocol: reading them from standard input, and writing them to standard output.
//!
//! `lsp-server` defines the messages. Its reader ends at the first message that is no JSON. This one reports it and
//! goes on, because the length of the message says where the next one begins.

use super::event::{Event, Malformed};
use lsp_server::Message;
use serde_json::Value as Json;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::sync::mpsc::{self, Sender};
use std::thread;

/// The largest number of bytes of a message. Texts of models are at most half as long.
const LONGEST: usize = 1 << 28;
/// The largest number of bytes of a line of a header.
const HEADER: u64 = 1 << 12;

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

/// Reads the next message. `None` at the end of the input, or if its frame is wrong, after which nothing can be read.
fn next(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.by_ref().take(HEADER).read_until(b'\n', &mut line).ok()?;
        let line = std::str::from_utf8(&line).ok()?.strip_suffix('\n')?.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse::<usize>().ok()?);
        }
    }
    let length = length.filter(|length| *length <= LONGEST)?;
    let mut text = Vec::new();
    let count = input.take(length as u64).read_to_end(&mut text).ok()?;
    (count == length).then_some(text)
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

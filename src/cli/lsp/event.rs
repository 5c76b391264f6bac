//! What the main loop reacts to: messages of the client, and what the other threads have found.

use super::report::Places;
use lsp_server::Message;
use lsp_types::{Diagnostic, Uri};
use serde_json::Value as Json;

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

/// Why something is no message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Malformed {
    /// No JSON.
    Text,
    /// JSON of another form.
    Message,
}

/// What was found in a text.
pub(super) struct Diagnosed {
    pub(super) uri: Uri,
    pub(super) version: i32,
    /// `None` if the reader failed, which is a bug.
    pub(super) found: Option<Vec<Diagnostic>>,
}

/// The end of a check.
pub(super) struct Checked {
    pub(super) id: u64,
    pub(super) ended: Ended,
}

/// How a check ended.
pub(super) enum Ended {
    /// With its report, and the lines of the states.
    Report(Json, Places),
    Stopped,
    Failed(String),
}

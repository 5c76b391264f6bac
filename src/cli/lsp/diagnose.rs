//! Errors and warnings of texts: those of `impasse check`. One thread reads the texts, in the order in which they came.
//! If a text changes while it waits, its newest version takes its place. So a text that changes all the time does not
//! keep the others from being read.

use super::event::{Diagnosed, Event};
use super::lines::{Encoding, Lines};
use impasse::formats::{self, Error, Source};
use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range as Region, Uri};
use miette::Diagnostic as _;
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

/// A text to read.
pub(super) struct Job {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
    pub(super) encoding: Encoding,
}

/// What the thread is told.
pub(super) enum Order {
    Read(Job),
    /// The text was closed.
    Forget(Uri),
}

/// Starts the thread. It ends when all senders of orders are gone.
pub(super) fn start(events: Sender<Event>) -> Sender<Order> {
    let (sender, orders) = mpsc::channel::<Order>();
    thread::spawn(move || {
        let mut waiting: VecDeque<Job> = VecDeque::new();
        loop {
            if waiting.is_empty() {
                let Ok(order) = orders.recv() else { return };
                follow(&mut waiting, order);
            }
            orders.try_iter().for_each(|order| follow(&mut waiting, order));
            let Some(job) = waiting.pop_front() else { continue };
            let found = panic::catch_unwind(AssertUnwindSafe(|| diagnostics(&job))).ok();
            let diagnosed = Diagnosed { uri: job.uri, version: job.version, found };
            if events.send(Event::Diagnosed(diagnosed)).is_err() {
                return;
            }
        }
    });
    sender
}

fn follow(waiting: &mut VecDeque<Job>, order: Order) {
    match order {
        Order::Read(job) => match waiting.iter_mut().find(|other| other.uri == job.uri) {
            Some(older) => *older = job,
            None => waiting.push_back(job),
        },
        Order::Forget(uri) => waiting.retain(|job| job.uri != uri),
    }
}

/// Reads a text, and returns its errors and warnings.
fn diagnostics(job: &Job) -> Vec<Diagnostic> {
    let lines = Lines::new(&job.text, job.encoding);
    let shown = |error: &Error| diagnostic(error, &job.text, &lines);
    match read(&job.text) {
        Ok(read) => {
            let vacuous = readers::vacuous(NAME, &read.problem);
            read.warnings.iter().chain(&vacuous).map(shown).collect()
        }
        Err(error) => error.all().map(shown).collect(),
    }
}

/// The name of the text. It is not shown, because the editor says where a message belongs.
const NAME: &str = "text.rwb";

/// Reads a text as `check` does.
pub(super) fn read(text: &str) -> Result<formats::Read, Box<Error>> {
    let limits = readers::limits_for(NAME, Some("rwb"), crate::cli::memory::limit());
    let source = Source { name: NAME.to_owned(), bytes: text.as_bytes().to_vec() };
    readers::read(source, Some("rwb"), &limits)
}

fn diagnostic(error: &Error, text: &str, lines: &Lines) -> Diagnostic {
    let range = error.offset().map(|start| {
        let length = error.length().unwrap_or(0);
        let rest = text.get(start..).unwrap_or_default();
        let end = rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at);
        lines.region(text, start..start + end)
    });
    let is_warning = error.is_warning();
    Diagnostic {
        range: range.unwrap_or_else(|| Region::new(Position::new(0, 0), lines.position(text, first_line(text)))),
        severity: Some(if is_warning { DiagnosticSeverity::WARNING } else { DiagnosticSeverity::ERROR }),
        code: Some(NumberOrString::String(error.code().to_owned())),
        source: Some("impasse".to_owned()),
        message: message(error),
        ..Diagnostic::default()
    }
}

/// Returns the length of the first line.
fn first_line(text: &str) -> usize {
    text.find(['\r', '\n']).unwrap_or(text.len())
}

/// Returns the message with the label of its place and the hint, as `check` prints them.
fn message(error: &Error) -> String {
    let mut message = error.message().to_owned();
    let labels = error.labels().into_iter().flatten();
    for label in labels.filter_map(|label| label.label().map(str::to_owned)).filter(|label| !label.is_empty()) {
        message.push_str(&format!("\n{label}"));
    }
    if let Some(help) = error.help_text() {
        message.push_str(&format!("\nhelp: {help}"));
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str, version: i32) -> Job {
        let uri = format!("file:///{name}.rwb").parse().expect("an address");
        Job { uri, version, text: "rwb 1\n".into(), encoding: Encoding::Utf16 }
    }

    #[test]
    fn texts_wait_in_the_order_in_which_they_came() {
        let mut waiting = VecDeque::new();
        for order in [job("b", 1), job("c", 1), job("a", 1), job("b", 2)].map(Order::Read) {
            follow(&mut waiting, order);
        }
        follow(&mut waiting, Order::Forget(job("c", 1).uri));
        let left: Vec<_> = waiting.iter().map(|job| (job.uri.as_str(), job.version)).collect();
        assert_eq!(left, [("file:///b.rwb", 2), ("file:///a.rwb", 1)]);
    }
}

//! Signs of life on stderr while a search runs: a line on a terminal, or JSON objects for programs.

use super::args::ProgressArg;
use super::text::{bytes, count};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// A search that ends at once shows nothing.
const QUIET_START: Duration = Duration::from_millis(500);

/// How often something is shown.
const LINE_EVERY: Duration = Duration::from_millis(200);
const OBJECT_EVERY: Duration = Duration::from_secs(1);

/// Where signs of life go.
pub(crate) enum Progress {
    /// Nowhere.
    Silent,
    /// A spinner line, from the first tick on.
    Line { bar: Option<ProgressBar>, last: Duration },
    /// One JSON object a second, printed by a thread of its own, from the first one on: a reader who lets the pipe fill up holds that
    /// one, and not the watchdog, who ticks. What he does not take in time is left out.
    Objects { printer: Option<SyncSender<String>>, last: Duration },
}

#[derive(Serialize)]
struct Object {
    event: &'static str,
    seconds: f64,
    states: u64,
    bytes: usize,
}

impl Progress {
    pub(crate) fn new(how: ProgressArg) -> Self {
        match how {
            ProgressArg::Auto if std::io::stderr().is_terminal() => Self::Line { bar: None, last: Duration::ZERO },
            ProgressArg::Auto | ProgressArg::Never => Self::Silent,
            ProgressArg::Ndjson => Self::Objects { printer: None, last: Duration::ZERO },
        }
    }

    /// Time has passed.
    pub(crate) fn tick(&mut self, elapsed: Duration, states: u64, memory: usize) {
        match self {
            Self::Silent => {}
            Self::Line { bar, last } => {
                if elapsed < QUIET_START || elapsed.saturating_sub(*last) < LINE_EVERY {
                    return;
                }
                *last = elapsed;
                let bar = bar.get_or_insert_with(spinner);
                let seconds = elapsed.as_secs_f64();
                // Not everything that takes long counts states.
                let states = if states > 0 { format!("{} states, ", count(states)) } else { String::new() };
                bar.set_message(format!("{states}{seconds:.1} s, {}", bytes(memory)));
                bar.tick();
            }
            Self::Objects { printer, last } => {
                if elapsed.saturating_sub(*last) < OBJECT_EVERY {
                    return;
                }
                *last = elapsed;
                let object = Object { event: "progress", seconds: elapsed.as_secs_f64(), states, bytes: memory };
                *printer = printer.take().or_else(start_printer);
                if let Some(printer) = printer
                    && let Ok(line) = serde_json::to_string(&object)
                {
                    // The one before may still be waiting for its reader.
                    let _ = printer.try_send(line + "\n");
                }
            }
        }
    }

    /// Takes the line away for good.
    pub(crate) fn finish(&mut self) {
        self.pause();
        *self = Self::Silent;
    }

    /// Takes the line away, until there is more to show.
    pub(crate) fn pause(&mut self) {
        if let Self::Line { bar, .. } = self
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

/// A thread that prints what it is sent, each text at once, so that nothing gets into it; none if the machine starts no more threads.
fn start_printer() -> Option<SyncSender<String>> {
    let (texts, sent) = sync_channel::<String>(1);
    // Nobody listening is no reason to end.
    let print = move || {
        meter::pass_always();
        sent.iter().for_each(|text| drop(std::io::stderr().write_all(text.as_bytes())));
    };
    thread::Builder::new().name("progress".to_owned()).spawn(print).ok().map(|_thread| texts)
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar
}

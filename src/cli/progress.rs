//! Shows the progress of a search on stderr: a line on a terminal, or JSON objects for programs.

use super::args::ProgressArg;
use super::text::{bytes, count};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Time before anything is shown. A search that ends earlier shows nothing.
const QUIET_START: Duration = Duration::from_millis(500);

/// Interval between two updates of the line, and between two objects.
const LINE_EVERY: Duration = Duration::from_millis(200);
const OBJECT_EVERY: Duration = Duration::from_secs(1);

/// How progress is shown.
pub(crate) enum Progress {
    /// Nothing is shown.
    Silent,
    /// A spinner line. It exists from the first update on.
    Line { bar: Option<ProgressBar>, last: Duration },
    /// One JSON object per second. A separate thread prints the objects. It exists from the first object on. If
    /// the pipe is full, this thread waits, but the watchdog, which calls [`Progress::tick`], does not wait.
    /// Objects that are not read in time are left out.
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

    /// Updates the progress. The watchdog calls this at each of its checks.
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
                // Some work takes long without counting states.
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
                    // The previous object may still wait for its reader. In this case this object is left out.
                    let _ = printer.try_send(line + "\n");
                }
            }
        }
    }

    /// Removes the line and shows nothing more.
    pub(crate) fn finish(&mut self) {
        self.pause();
        *self = Self::Silent;
    }

    /// Removes the line until the next update.
    pub(crate) fn pause(&mut self) {
        if let Self::Line { bar, .. } = self
            && let Some(bar) = bar.take()
        {
            bar.finish_and_clear();
        }
    }
}

/// Starts a thread that prints each text that it receives in one write, so that no other output interrupts
/// it. `None` if the machine cannot start another thread.
fn start_printer() -> Option<SyncSender<String>> {
    let (texts, sent) = sync_channel::<String>(1);
    // A closed stderr is no reason to end.
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

//! Shows the progress of a search on stderr: lines on a terminal, one for each engine, or JSON objects for programs.

use super::args::ProgressArg;
use super::efforts::counts;
use super::json::EffortReport;
use impasse::{Effort, Efforts, Standing};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use view::text::{bytes, count, plural};

/// Time before anything is shown. A search that ends earlier shows nothing.
const QUIET_START: Duration = Duration::from_millis(500);

/// Interval between two updates of the lines, and between two objects.
const LINE_EVERY: Duration = Duration::from_millis(200);
const OBJECT_EVERY: Duration = Duration::from_secs(1);

/// Maximum number of engines that have a line.
const ENGINES: usize = 8;

/// How progress is shown.
pub(crate) enum Progress {
    /// Nothing is shown.
    Silent,
    /// Lines. They exist from the first update on.
    Lines { lines: Option<Lines>, last: Duration },
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
    /// What the engines do, if one file is being checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    engines: Vec<EffortReport>,
}

impl Progress {
    pub(crate) fn new(how: ProgressArg) -> Self {
        match how {
            ProgressArg::Auto if std::io::stderr().is_terminal() => Self::Lines { lines: None, last: Duration::ZERO },
            ProgressArg::Auto | ProgressArg::Never => Self::Silent,
            ProgressArg::Ndjson => Self::Objects { printer: None, last: Duration::ZERO },
        }
    }

    /// Updates the progress. The watchdog calls this at each of its checks. `efforts` are those of the file, if one
    /// file is being checked.
    pub(crate) fn tick(&mut self, elapsed: Duration, states: u64, memory: usize, efforts: Option<&Efforts>) {
        match self {
            Self::Silent => {}
            Self::Lines { lines, last } => {
                if elapsed < QUIET_START || elapsed.saturating_sub(*last) < LINE_EVERY {
                    return;
                }
                *last = elapsed;
                let efforts = efforts.and_then(Efforts::now).unwrap_or_default();
                lines.get_or_insert_with(Lines::new).show(elapsed, states, memory, &efforts);
            }
            Self::Objects { printer, last } => {
                if elapsed.saturating_sub(*last) < OBJECT_EVERY {
                    return;
                }
                *last = elapsed;
                let engines = EffortReport::all(&efforts.and_then(Efforts::now).unwrap_or_default());
                let seconds = elapsed.as_secs_f64();
                let object = Object { event: "progress", seconds, states, bytes: memory, engines };
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

    /// Removes the lines and shows nothing more.
    pub(crate) fn finish(&mut self) {
        self.pause();
        *self = Self::Silent;
    }

    /// Removes the lines until the next update.
    pub(crate) fn pause(&mut self) {
        if let Self::Lines { lines, .. } = self
            && let Some(lines) = lines.take()
        {
            lines.clear();
        }
    }
}

/// The lines on a terminal: one for each engine that has work left, and one for the whole.
pub(crate) struct Lines {
    all: MultiProgress,
    whole: ProgressBar,
    engines: Vec<EngineLine>,
}

/// The line of an engine.
struct EngineLine {
    engine: &'static str,
    bar: ProgressBar,
    /// The time and the number of states of the last update that changed the number, and the rate since the one
    /// before.
    seen: (Duration, u64),
    rate: Option<f64>,
}

impl Lines {
    fn new() -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        let whole = all.add(line("{spinner} {wide_msg}"));
        Self { all, whole, engines: Vec::new() }
    }

    fn show(&mut self, elapsed: Duration, states: u64, memory: usize, efforts: &[Effort]) {
        for effort in efforts {
            self.show_engine(elapsed, effort);
        }
        let seconds = elapsed.as_secs_f64();
        // Some work takes long without counting states. The line of an engine has its own states.
        let states =
            if states > 0 && efforts.is_empty() { format!("{}, ", plural(states, "state")) } else { String::new() };
        self.whole.set_message(format!("{states}{seconds:.1} s, {}", bytes(memory)));
        self.whole.tick();
    }

    fn show_engine(&mut self, elapsed: Duration, effort: &Effort) {
        let known = self.engines.iter().position(|line| line.engine == effort.engine);
        if matches!(effort.standing, Standing::Done | Standing::OutOfMemory) {
            if let Some(known) = known {
                self.engines.remove(known).bar.finish_and_clear();
            }
            return;
        }
        let at = match known {
            Some(at) => at,
            None if self.engines.len() >= ENGINES => return,
            None => {
                let bar = self.all.insert_before(&self.whole, line("  {wide_msg}"));
                let seen = (elapsed, effort.stats.states);
                self.engines.push(EngineLine { engine: effort.engine, bar, seen, rate: None });
                self.engines.len() - 1
            }
        };
        self.engines[at].show(elapsed, effort);
    }

    fn clear(self) {
        self.engines.iter().for_each(|line| line.bar.finish_and_clear());
        self.whole.finish_and_clear();
    }
}

impl EngineLine {
    fn show(&mut self, elapsed: Duration, effort: &Effort) {
        let states = effort.stats.states;
        let (since, before) = self.seen;
        if states > before && elapsed > since {
            self.rate = Some((states - before) as f64 / (elapsed - since).as_secs_f64());
            self.seen = (elapsed, states);
        }
        let mut parts = counts(states, effort.stats.transitions, &effort.stats.more);
        if let Some(rate) = self.rate.filter(|rate| *rate >= 1.0) {
            parts.insert(1.min(parts.len()), format!("{}/s", count(rate as u64)));
        }
        let mark = if effort.standing == Standing::Working { '>' } else { ' ' };
        self.bar.set_message(format!("{mark} {:<20} {}", self.engine, parts.join(", ")));
        self.bar.tick();
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

fn line(template: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

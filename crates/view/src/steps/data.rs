//! Steps through runs of programs with unbounded data, with the checker's own stepper.

use super::value::Value;
use certify::Work;
use certify::data::{DataState, Runs, Semantics};
use model::data::{DataProgram, Location, LocationKind};
use model::{Move, Stop, ThreadId, Trace};

/// A run, and the current state in it.
#[derive(Debug)]
pub(super) struct DataRun<'p> {
    program: &'p DataProgram,
    runs: Runs<'p>,
    trace: &'p Trace,
    at: DataState,
    stop: Stop,
}

/// Returns the text for a location: its name or line, and the values that belong to it. A bad location that has no
/// values says that it is bad.
#[must_use]
pub fn location(location: &Location) -> String {
    let is_numbered = location.name.strip_prefix('L').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    let place = match location.line {
        line if line > 0 && is_numbered => format!("line {line}"),
        _ => location.name.clone(),
    };
    match location.values.as_str() {
        "" if location.kind == LocationKind::Bad => format!("{place} (bad)"),
        "" => place,
        values => format!("{place} ({values})"),
    }
}

impl<'p> DataRun<'p> {
    /// # Panics
    /// If the trace is no run.
    pub(super) fn new(program: &'p DataProgram, trace: &'p Trace) -> Self {
        let (mut runs, stop) = (Runs::new(program), Stop::default());
        let at = runs.start(&trace.start, &mut Work::new(u64::MAX, &stop)).expect("the checker accepted the run");
        Self { program, runs, trace, at, stop }
    }

    /// Takes a step. Returns the name of the event, the threads that request it, and the state before it.
    pub(super) fn take(&mut self, step: &Move) -> (String, Vec<String>, Vec<(String, Value)>) {
        let before = self.shown();
        let choice = step.choice.map(|choice| self.trace.choice(choice));
        let mut work = Work::new(u64::MAX, &self.stop);
        let arguments = self.runs.arguments(step.event.0, choice).expect("the checker accepted the run");
        let requesters = self.runs.requesters(&self.at, step.event.0, choice, &mut work).unwrap_or_default();
        let name = |id: ThreadId| self.program.threads()[id.index()].name.clone();
        self.runs.step(&mut self.at, step.event.0, choice, &mut work).expect("the checker accepted the run");
        let event = self.program.events()[step.event.index()].name(&arguments);
        (event, requesters.into_iter().map(name).collect(), before)
    }

    /// Returns the current state: each thread with its location, and each variable with its value.
    pub(super) fn shown(&self) -> Vec<(String, Value)> {
        let threads = self.program.threads().iter().zip(self.at.locations());
        let mut all: Vec<(String, Value)> = threads
            .map(|(thread, at)| (thread.name.clone(), Value::State(location(&thread.locations[at.index()]))))
            .collect();
        for (variable, value) in self.program.variables().iter().zip(self.at.values()) {
            let name = format!("{}.{}", self.program.threads()[variable.thread.index()].name, variable.name);
            all.push((name, Value::Shown(value.to_string())));
        }
        all
    }
}

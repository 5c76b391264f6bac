//! The debugger: the path to the current state, the run that it follows, and steps along both.

use super::breakpoints::Breakpoints;
use super::model::{Launch, Model};
use super::protocol::Client;
use crate::cli::args::Common;
use serde_json::json;
use std::collections::HashSet;
use view::machine::path::{Path, Pick};
use view::machine::views::{ChoiceView, StateView};
use view::text::plural;

/// The most steps of `continue` without a breakpoint.
const STEPS: usize = 1_000;

/// A debugger with a model, after the client has named one.
pub(super) struct Debugger {
    pub(super) client: Client,
    pub(super) common: Common,
    pub(super) breakpoints: Breakpoints,
    pub(super) model: Option<Model>,
    /// The path to the current state.
    pub(super) path: Path,
    /// The run that is followed: all of its steps, and the step with which it repeats.
    run: Option<(Path, Option<u64>)>,
    pub(super) stops_on_entry: bool,
}

impl Debugger {
    pub(super) fn new(client: Client, common: Common) -> Self {
        let breakpoints = Breakpoints { at_violations: true, ..Breakpoints::default() };
        let path = Path::default();
        Self { client, common, breakpoints, model: None, path, run: None, stops_on_entry: true }
    }

    /// Opens the model, and finds the run that is wanted.
    pub(super) fn launch(&mut self, launch: &Launch) -> Result<(), String> {
        let model = Model::open(launch, &self.common)?;
        self.stops_on_entry = launch.stop_on_entry.unwrap_or(true);
        if let Some((path, repeats)) = model.session.run() {
            self.run = Some((Path::read(&path)?, repeats));
        }
        if let Some(id) = &launch.violate {
            self.run = Some(model.violation(id)?);
        }
        self.model = Some(model);
        self.go_to_start();
        Ok(())
    }

    pub(super) fn model(&self) -> Result<&Model, String> {
        self.model.as_ref().ok_or_else(|| "no model is open".to_owned())
    }

    pub(super) fn state(&self) -> Result<StateView, String> {
        self.model()?.state(&self.path)
    }

    pub(super) fn go_to_start(&mut self) {
        let start = self.run.as_ref().map(|(run, _)| run.start.clone()).unwrap_or_default();
        self.path = Path { start, picks: Vec::new().into() };
    }

    /// Follows a run that violates a property, from its start.
    pub(super) fn follow(&mut self, id: &str) -> Result<String, String> {
        let run = self.model()?.violation(id)?;
        let steps = plural(run.0.picks.len() as u64, "step");
        self.run = Some(run);
        self.go_to_start();
        Ok(format!("following a run of {steps} that violates {id}; this is its start"))
    }

    /// Returns the next step of the run, if the path is on it.
    fn next_of_run(&self) -> Option<Pick> {
        let (run, repeats) = self.run.as_ref()?;
        let done = self.path.picks.len();
        let is_on = run.start == self.path.start && self.path.picks.iter().zip(run.picks.iter()).all(|(a, b)| a == b);
        let length = run.picks.len();
        let at = match (done < length, repeats) {
            (true, _) => done,
            (false, Some(from)) => {
                let from = usize::try_from(*from).ok()?;
                from + (done - from).checked_rem(length - from)?
            }
            (false, None) => return None,
        };
        run.picks.get(at).filter(|_| is_on).cloned()
    }

    /// Chooses the next step: that of the run, or else the first one that a thread requests, or the first one.
    fn next_pick(&self, state: &StateView, thread: Option<usize>) -> Option<Pick> {
        if let Some(pick) = self.next_of_run() {
            return Some(pick);
        }
        let name = thread.and_then(|thread| self.model.as_ref()?.names.get(thread));
        let requests = |choice: &&ChoiceView| name.is_some_and(|name| choice.requested_by.contains(name));
        let choice = state.choices.iter().find(requests).or_else(|| state.choices.first())?;
        choice.outcomes.first().and_then(|outcome| Pick::read(&outcome.pick).ok())
    }

    /// Takes a step. Returns its event, or `None` if nothing can be taken.
    fn take(&mut self, pick: Option<Pick>) -> Result<Option<String>, String> {
        let Some(pick) = pick else { return Ok(None) };
        let path = self.path.and([pick]);
        let (from, to) = (self.path.picks.len(), path.picks.len());
        let session = &self.model()?.session;
        let steps = session.machine.steps(&session.problem, &path, from, to);
        let steps = steps.map_err(|wrong| wrong.message().to_owned())?;
        let Some(step) = steps.into_iter().next() else { return Ok(None) };
        self.path = path;
        let by =
            if step.requested_by.is_empty() { String::new() } else { format!(" by {}", step.requested_by.join(", ")) };
        let shows = step.outputs.iter().map(|text| format!(" / {text}")).collect::<String>();
        self.client.output("console", &format!("{}. {}{shows}{by}\n", step.step, step.event));
        Ok(Some(step.event))
    }

    /// Takes one step, and says where the debugger is.
    pub(super) fn step(&mut self, thread: Option<usize>, pick: Option<Pick>) -> Result<(), String> {
        let before = self.state()?;
        let pick = pick.or_else(|| self.next_pick(&before, thread));
        match self.take(pick)? {
            None => self.stopped("step", "nothing is enabled", thread),
            Some(event) => {
                let after = self.state()?;
                let hit = self.breakpoints.hit(self.model()?, &self.path, &event, (&before, &after));
                let (reason, text, arrived) = hit.unwrap_or(("step", event, None));
                self.stopped(reason, &text, arrived.or(thread));
            }
        }
        Ok(())
    }

    /// Takes steps to the next breakpoint, or to the end of the run.
    pub(super) fn go_on(&mut self, thread: Option<usize>) -> Result<(), String> {
        let mut before = self.state()?;
        let was_on_run = self.next_of_run().is_some();
        let mut known = HashSet::new();
        for _ in 0..STEPS {
            if was_on_run && self.next_of_run().is_none() {
                self.stopped("pause", "the end of the run", thread);
                return Ok(());
            }
            let pick = self.next_pick(&before, None);
            let text = pick.as_ref().map(Pick::to_string);
            if !known.insert((before.numbers.clone(), text)) {
                self.stopped("pause", "the steps repeat from here", thread);
                return Ok(());
            }
            let Some(event) = self.take(pick)? else {
                self.stopped("pause", "nothing is enabled", thread);
                return Ok(());
            };
            let after = self.state()?;
            let hit = self.breakpoints.hit(self.model()?, &self.path, &event, (&before, &after));
            if let Some((reason, text, arrived)) = hit {
                self.stopped(reason, &text, arrived.or(thread));
                return Ok(());
            }
            before = after;
        }
        self.stopped("pause", &format!("{} without a breakpoint", plural(STEPS as u64, "step")), thread);
        Ok(())
    }

    /// Goes one step back, or (if `all`) back to the last breakpoint, or to the start.
    pub(super) fn back(&mut self, all: bool, thread: Option<usize>) -> Result<(), String> {
        loop {
            let Some(last) = self.path.picks.len().checked_sub(1) else {
                self.stopped("entry", "the start", thread);
                return Ok(());
            };
            let shorter = Path { start: self.path.start.clone(), picks: self.path.picks[..last].to_vec().into() };
            self.path = shorter;
            if !all {
                self.stopped("step", "one step back", thread);
                return Ok(());
            }
            if last > 0 && self.is_at_breakpoint(last)? {
                self.stopped("breakpoint", "on the way back", thread);
                return Ok(());
            }
        }
    }

    /// Returns true if the debugger would have stopped after the last step of the path.
    fn is_at_breakpoint(&self, steps: usize) -> Result<bool, String> {
        let (model, session) = (self.model()?, &self.model()?.session);
        let before = Path { start: self.path.start.clone(), picks: self.path.picks[..steps - 1].to_vec().into() };
        let step = session.machine.steps(&session.problem, &self.path, steps - 1, steps);
        let event = step.ok().and_then(|steps| steps.into_iter().next()).map(|step| step.event).unwrap_or_default();
        let states = (model.state(&before)?, self.state()?);
        Ok(self.breakpoints.hit(model, &self.path, &event, (&states.0, &states.1)).is_some())
    }

    /// Tells the client that the debugger has stopped, and why the state is a violation or has no step.
    pub(super) fn stopped(&mut self, reason: &str, text: &str, thread: Option<usize>) {
        if let Ok(state) = self.state() {
            let reached = state.reached.iter().map(|id| format!("{id} is violated here\n"));
            let lines: String = reached.chain(state.stuck.iter().map(|line| format!("{line}\n"))).collect();
            if !lines.is_empty() {
                self.client.output("important", &lines);
            }
        }
        let body = json!({
            "reason": reason,
            "description": text,
            "text": text,
            "threadId": thread.unwrap_or(0) + 1,
            "allThreadsStopped": true,
        });
        self.client.event("stopped", body);
    }
}

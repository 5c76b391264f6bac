//! Paths in other forms: as evidence that the checker accepts, as a list of transitions, as steps in JSON, and as a
//! program for bppy.

use super::path::Path;
use super::views::StepView;
use super::{Explored, MachineError};
use certify;
use evidence::{self, scn};
use model::{Claim, EventId, Goal, LocalId, Problem, Program, Stop, Thread};
use serde::Deserialize;
use std::fmt::{self, Write as _};

/// The form of an export.
#[derive(Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Evidence, as `check --evidence` writes it.
    Evidence,
    /// The names of the transitions.
    Scn,
    /// The steps, as the server answers them.
    Steps,
    /// A Python program for bppy that takes the same steps.
    Bppy,
}

/// A model, for the export of its paths.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The problem.
    pub problem: &'a Problem,
    /// The machine that follows paths.
    pub machine: &'a dyn Explored,
}

impl Subject<'_> {
    /// Returns the goals that the end of a path reaches: those of the properties, and those that every program has.
    fn goals(&self, path: &Path) -> Result<Vec<Goal>, MachineError> {
        let ids = self.machine.reached(self.problem, path)?;
        let asked = self.problem.properties().iter().filter(|p| ids.contains(&p.id));
        let mut goals: Vec<Goal> = asked.map(|p| p.goal).collect();
        if self.problem.system().as_program().is_some() {
            goals.extend([Goal::Bad, Goal::Deadlock]);
        }
        Ok(goals)
    }
}

/// Returns the text of the path in this form.
pub fn export(subject: Subject<'_>, path: &Path, form: Form) -> Result<String, MachineError> {
    match form {
        Form::Evidence => as_evidence(subject, path),
        Form::Scn => {
            let mut out = Vec::new();
            let written = scn::write(subject.problem, &subject.machine.trace(path)?, &mut out);
            match written {
                Ok(true) => text(out),
                Ok(false) => Err(MachineError::Evidence(
                    "only runs of nets and thread-transition systems are written as `.scn`".to_owned(),
                )),
                Err(error) => Err(MachineError::Evidence(error.to_string())),
            }
        }
        Form::Steps => {
            let steps = subject.machine.steps(subject.problem, path, 0, path.picks.len())?;
            serde_json::to_string_pretty(&steps).map_err(|error| MachineError::Internal(error.to_string()))
        }
        Form::Bppy => match subject.problem.system().as_program() {
            Some(program) => {
                let steps = subject.machine.steps(subject.problem, path, 0, path.picks.len())?;
                let start = subject.machine.trace(path)?.start;
                let mut out = String::new();
                let written = as_script(program, &start, &steps, subject.file, &mut out);
                written.map_err(|error| MachineError::Internal(error.to_string()))?;
                Ok(out)
            }
            None => Err(MachineError::Evidence("only behavioral programs are written as programs for bppy".to_owned())),
        },
    }
}

fn text(bytes: Vec<u8>) -> Result<String, MachineError> {
    String::from_utf8(bytes).map_err(|error| MachineError::Internal(error.to_string()))
}

/// Writes the path as evidence of a violation. The checker must accept it.
fn as_evidence(subject: Subject<'_>, path: &Path) -> Result<String, MachineError> {
    let trace = subject.machine.trace(path)?;
    let mut refused = None;
    for goal in subject.goals(path)? {
        let claim = Claim::Unsafe { goal, trace: trace.clone(), candidate: false };
        let problem = readers::questions::about(subject.problem.clone(), &claim);
        match certify::confirm(&problem, &claim, &certify::Options::default(), &Stop::default()) {
            Ok(_) => {
                let mut out = Vec::new();
                let written = evidence::write(subject.file, &problem, &claim, &mut out);
                written.map_err(|error| MachineError::Evidence(error.to_string()))?;
                return text(out);
            }
            Err(refusal) => refused = refused.or(Some(refusal.to_string())),
        }
    }
    let why = refused.map(|why| format!(": {why}")).unwrap_or_default();
    Err(MachineError::Evidence(format!("the path does not end in a violation, so it is no evidence{why}")))
}

/// Writes a program for bppy: each thread as a state machine, and a strategy that selects the events of the path.
fn as_script(program: &Program, start: &[u32], steps: &[StepView], file: &str, out: &mut String) -> fmt::Result {
    writeln!(out, "\"\"\"The threads of {} for bppy, and a run of {} steps.\"\"\"", quoted(file), steps.len())?;
    writeln!(out, "import bppy as bp\n")?;
    writeln!(out, "# The events of the run, and the states that threads choose where they have a choice.")?;
    writeln!(out, "RUN = [")?;
    for step in steps {
        write!(out, "    ({}, {{", quoted(&step.event))?;
        for change in &step.changes {
            if let Some(state) = change.to.as_str() {
                write!(out, "{}: {}, ", quoted(&change.name), quoted(state))?;
            }
        }
        writeln!(out, "}}),")?;
    }
    out.write_str(SCRIPT)?;
    for (number, (thread, first)) in program.threads().iter().zip(start).enumerate() {
        as_thread(program, thread, number, LocalId(*first), out)?;
    }
    writeln!(out, "\nif __name__ == \"__main__\":")?;
    let threads: Vec<String> = (0..program.threads().len()).map(|number| format!("thread_{number}()")).collect();
    writeln!(out, "    bp.BProgram(")?;
    writeln!(out, "        bthreads=[{}],", threads.join(", "))?;
    writeln!(out, "        event_selection_strategy=Follow(),")?;
    writeln!(out, "        listener=bp.PrintBProgramRunnerListener(),")?;
    writeln!(out, "    ).run()")
}

const SCRIPT: &str = "]


class Follow(bp.SimpleEventSelectionStrategy):
    \"\"\"Selects the events of the run, one after the other.\"\"\"

    taken = 0

    def select(self, statements, external_events_queue=()):
        possible = {event.name: event for event in self.selectable_events(statements)}
        if Follow.taken == len(RUN):
            return None
        name = RUN[Follow.taken][0]
        if name not in possible:
            raise RuntimeError(f\"{name} cannot be selected: only {sorted(possible)}\")
        Follow.taken += 1
        return possible[name]


def events(*names):
    return [bp.BEvent(name) for name in names]


def chosen(thread, state, targets):
    \"\"\"Returns the state of `thread` after the last event. A run records only states that change.\"\"\"
    recorded = RUN[Follow.taken - 1][1].get(thread, state)
    return recorded if recorded in targets else targets[0]
";

fn as_thread(program: &Program, thread: &Thread, number: usize, first: LocalId, out: &mut String) -> fmt::Result {
    let name = |event: EventId| quoted(program.event_name(event));
    let list = |events: Vec<EventId>| events.into_iter().map(name).collect::<Vec<_>>().join(", ");
    writeln!(out, "\n\n@bp.thread\ndef thread_{number}():\n    # {}", thread.name.replace(['\n', '\r'], " "))?;
    writeln!(out, "    state = {}\n    while True:", quoted(&thread.state(first).name))?;
    for (i, state) in thread.states.iter().enumerate() {
        let test = if i == 0 { "if" } else { "elif" };
        writeln!(out, "        {test} state == {}:", quoted(&state.name))?;
        let waits: Vec<EventId> = state.on.keys().copied().filter(|e| !state.request.contains(*e)).collect();
        let (request, block) = (state.request.iter().collect(), state.block.iter().collect());
        let arguments = [("request", list(request)), ("waitFor", list(waits)), ("block", list(block))];
        let arguments: Vec<String> = arguments
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what}=events({names})"))
            .collect();
        if arguments.is_empty() || state.on.is_empty() && state.request.is_empty() && !state.bad {
            let block = arguments.iter().find(|argument| argument.starts_with("block"));
            match block {
                Some(block) => writeln!(out, "            yield bp.sync({block})")?,
                None => writeln!(out, "            return")?,
            }
            continue;
        }
        writeln!(out, "            event = yield bp.sync({})", arguments.join(", "))?;
        writeln!(out, "            targets = {{")?;
        for (event, targets) in &state.on {
            let targets: Vec<String> = targets.iter().map(|t| quoted(&thread.state(*t).name)).collect();
            writeln!(out, "                {}: [{}],", name(*event), targets.join(", "))?;
        }
        writeln!(out, "            }}.get(event.name, [state])")?;
        writeln!(out, "            state = chosen({}, state, targets)", quoted(&thread.name))?;
    }
    Ok(())
}

/// Returns a text as a literal of Python (those of JSON are also literals of Python).
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

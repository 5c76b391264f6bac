//! The model that is explored, and what belongs to it. It does not change while the server runs.

use super::layout::{self, Spot};
use super::shape::Shape;
use crate::cli::args::{Common, ExploreArgs};
use crate::cli::complaints::Complaints;
use crate::cli::evidence::read::evidence_limits;
use crate::cli::exit::Exit;
use crate::cli::json::{ModelReport, PropertyReport, SCHEMA};
use crate::cli::{input, kinds};
use impasse::formats::{self, Source};
use impasse::model::{Claim, Goal, Problem, Reason, Stop};
use impasse::{certify, evidence, questions};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use view::machine::export::Subject;
use view::machine::views::FieldView;
use view::machine::{Explored, MachineError, patience};

/// Maximum time for the check of evidence that the page gives to the server. `impasse replay` may take longer.
const CHECKING: Duration = Duration::from_secs(60);
/// Interval at which the check looks whether its request has ended.
const TICK: Duration = Duration::from_millis(100);
/// Maximum number of bytes of the text of a model that is shown.
const TEXT: usize = 2 << 20;
/// Maximum number of names in the answer about the model.
const NAMES: usize = 100_000;

/// A model.
pub(crate) struct Session {
    pub(crate) file: String,
    pub(crate) problem: Problem,
    pub(crate) machine: Box<dyn Explored>,
    pub(crate) spots: HashMap<String, Spot>,
    /// The text of the model, if it is a text.
    pub(crate) text: Option<String>,
    /// The path of the evidence that the command named.
    begin: Option<Imported>,
    /// The ids of the questions of the command line, in the order of the `--ask` options.
    pub(crate) asks: Vec<String>,
    pub(crate) report: ModelReport,
    /// True if there is no file: a program made the problem.
    pub(crate) is_in_memory: bool,
}

/// Evidence that was read.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct Imported {
    /// The ids of the goals of the evidence.
    goals: Vec<String>,
    /// True if the checker has accepted it.
    accepted: bool,
    /// The path, if the evidence is a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// False if the run is longer than a path can be.
    whole: bool,
    /// For an infinite run: the number, from 1, of the step with which it continues after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeats_from: Option<u64>,
}

/// What the page must know about the model.
#[derive(Serialize)]
pub(crate) struct ModelView {
    schema: u32,
    version: &'static str,
    file: String,
    model: ModelReport,
    properties: Vec<AskedView>,
    /// The names of the labels: events, transitions, inputs.
    labels: Vec<String>,
    /// The names of the parts of a state: threads, places, latches, variables.
    parts: Vec<String>,
    /// The choices of the initial state.
    start: Vec<FieldView>,
    shape: Shape,
    has_text: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Imported>,
}

#[derive(Serialize)]
struct AskedView {
    id: String,
    kind: &'static str,
    asked: &'static str,
}

impl Session {
    /// Reads the model and the evidence.
    pub(crate) fn read(args: &ExploreArgs, common: &Common) -> Result<Self, Exit> {
        let complaints = Complaints::new(common);
        let model = input::asked(&args.file, &args.question, &complaints)?;
        let asks = model.asks.iter().map(|property| property.id.clone()).collect();
        let model = model.asking(&complaints)?;
        let text = text_of(&args.file)?;
        let report = kinds::of(&model.problem).report();
        let machine = view::kind::of(&model.problem).explored();
        let spots = text.as_deref().filter(|t| t.contains("<pnml")).map(layout::spots).unwrap_or_default();
        let (file, problem) = (model.name, model.problem);
        let is_in_memory = false;
        let mut session = Self { file, problem, machine, spots, text, begin: None, asks, report, is_in_memory };
        if let Some(evidence) = &args.evidence {
            let source = input::source(evidence, evidence_limits().bytes)?;
            let imported = session.import(source, true).map_err(|wrong| {
                tell!("error: {evidence} cannot be explored: {}", wrong.message());
                Exit::Input
            })?;
            session.begin = Some(imported);
        }
        Ok(session)
    }

    /// Returns the session of a problem that is in no file.
    pub(crate) fn of_problem(file: String, problem: Problem) -> Self {
        let kind = kinds::of(&problem);
        let (report, machine) = (kind.report(), view::kind::of(&problem).explored());
        drop(kind);
        let (spots, text, begin, asks) = (HashMap::new(), None, None, Vec::new());
        Self { file, problem, machine, spots, text, begin, asks, report, is_in_memory: true }
    }

    /// Reads evidence. If `is_checked` is true, the checker must accept it.
    pub(crate) fn import(&self, packed: Source, is_checked: bool) -> Result<Imported, MachineError> {
        self.import_about(&self.problem, packed, is_checked)
    }

    /// Reads evidence about the model with these questions.
    pub(super) fn import_about(
        &self,
        asked: &Problem,
        packed: Source,
        is_checked: bool,
    ) -> Result<Imported, MachineError> {
        let limits = evidence_limits();
        let refuse = |error: Box<formats::Error>| MachineError::Evidence(error.message().to_string());
        let (name, bytes) = formats::decompress(&packed.name, packed.bytes, &limits).map_err(refuse)?;
        let has_markings = asked.system().as_marked().is_some();
        let known = if has_markings {
            questions::also(asked.clone(), &crate::cli::evidence::read::goals_named(&bytes))
        } else {
            asked.clone()
        };
        let claim = evidence::read(&Source { name, bytes }, &known, &limits).map_err(refuse)?;
        let problem = questions::about(known, &claim);
        if is_checked {
            let checked = within(CHECKING, |stop| certify::confirm(&problem, &claim, &Default::default(), stop));
            checked.map_err(|refusal| MachineError::Evidence(refusal.to_string()))?;
        }
        self.imported(&problem, &claim, is_checked)
    }

    /// Returns a claim as the page shows it.
    pub(super) fn imported(&self, problem: &Problem, claim: &Claim, accepted: bool) -> Result<Imported, MachineError> {
        let goals_of: &[Goal] = claim.goals();
        let id = |goal: &Goal| problem.properties().iter().find(|p| p.goal == *goal).map_or(goal.id(), |p| &p.id);
        let goals = goals_of.iter().map(|goal| id(goal).to_owned()).collect();
        let run = goals_of.first().and_then(|goal| view::why::run(problem, claim, *goal));
        let (path, whole, repeats_from) = match run {
            Some(trace) => {
                let (path, whole) = self.machine.path_of(&trace)?;
                (Some(path.to_string()), whole, trace.repeats_from.map(|from| from.saturating_add(1)))
            }
            None => (None, true, None),
        };
        Ok(Imported { goals, accepted, path, whole, repeats_from })
    }

    /// Returns the path of the run that the command named, and the number, from 0, of the step with which it repeats.
    pub(crate) fn run(&self) -> Option<(String, Option<u64>)> {
        let begin = self.begin.as_ref()?;
        Some((begin.path.clone()?, begin.repeats_from.and_then(|from| from.checked_sub(1))))
    }

    pub(crate) fn view(&self) -> ModelView {
        let labels = self.machine.labels().min(NAMES);
        let asked = |p: &impasse::model::Property| AskedView {
            id: p.id.clone(),
            kind: self.problem.kind(p),
            asked: PropertyReport::how(p.asked),
        };
        let mut parts = self.machine.parts();
        parts.truncate(NAMES);
        ModelView {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            file: self.file.clone(),
            model: self.report.clone(),
            properties: self.problem.properties().iter().map(asked).collect(),
            labels: (0..).take(labels).map(|label| self.machine.name(label)).collect(),
            parts,
            start: self.machine.start_fields(),
            shape: Shape::of(self.problem.system(), &self.spots),
            has_text: self.text.is_some(),
            evidence: self.begin.clone(),
        }
    }

    /// Returns the model as exports need it.
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject { file: &self.file, problem: &self.problem, machine: &*self.machine }
    }
}

/// Does work that may take `time`, within the patience of the request. The flag is raised then.
fn within<R>(time: Duration, work: impl FnOnce(&Stop) -> R) -> R {
    let (stop, patience) = (Stop::default(), patience::current());
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let flag = &stop;
        scope.spawn(move || {
            let began = Instant::now();
            while is_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                if began.elapsed() >= time || patience.check().is_err() {
                    return flag.raise(Reason::Timeout);
                }
            }
        });
        let result = work(&stop);
        drop(done);
        result
    })
}

/// Returns the text of the file, without compression. `None` if it is no text, or too long to be shown.
fn text_of(file: &str) -> Result<Option<String>, Exit> {
    let source = input::source(file, TEXT)?;
    if source.bytes.len() > TEXT {
        return Ok(None);
    }
    let limits = formats::Limits { bytes: TEXT, ..formats::Limits::default() };
    let unpacked = formats::decompress(&source.name, source.bytes, &limits);
    let text = unpacked.ok().and_then(|(_, bytes)| String::from_utf8(bytes).ok());
    Ok(text.filter(|text| !text.contains('\0')))
}

//! Answers and their evidence.

use crate::errors::{Failure, Internal, refused};
use crate::problem::Problem;
use crate::run::{self, RunParts};
use crate::structure;
use crate::system::Watch;
use crate::work::{self, Ended};
use certify::EvidenceKind;
use formats::{Limits, Source};
use impasse::why::{self, Why};
use impasse::{Answer, Finding};
use model::{Goal, Stop};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// An answer with the problem that it is about.
#[pyclass(frozen, module = "impasse_mc._impasse")]
#[derive(Debug)]
pub(crate) struct CheckedAnswer {
    problem: Arc<model::Problem>,
    /// What happens to a system in Python.
    watch: Option<Arc<Watch>>,
    name: String,
    answer: Answer,
    /// The greatest number of tokens, if the search had a bound.
    bound: Option<u64>,
}

impl CheckedAnswer {
    pub(crate) fn new(
        problem: Arc<model::Problem>,
        watch: Option<Arc<Watch>>,
        name: &str,
        answer: Answer,
        bound: Option<u64>,
    ) -> Self {
        Self { problem, watch, name: name.to_owned(), answer, bound }
    }

    fn verdict(&self) -> &'static str {
        self.answer.verdict()
    }
}

#[pymethods]
impl CheckedAnswer {
    /// The id of the property.
    #[getter]
    fn id(&self) -> &str {
        &self.answer.property.id
    }

    /// Everything about the answer but its run and the text of its evidence, as a dictionary.
    fn record<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let answer = &self.answer;
        if let Finding::Rejected { why } = &answer.finding {
            return Err(Internal::new_err(format!("{}: wrong evidence was rejected: {why}", answer.property.id)));
        }
        let (reason, detail) = match &answer.finding {
            Finding::Unknown { reason, detail } => (Some(reason.id()), detail.as_deref()),
            Finding::Within(_) => (Some(model::Reason::Bound.id()), None),
            Finding::Settled(_) | Finding::Rejected { .. } => (None, None),
        };
        let dict = PyDict::new(py);
        let verdict = self.verdict();
        dict.set_item("id", &answer.property.id)?;
        dict.set_item("kind", self.problem.kind(&answer.property))?;
        dict.set_item("asked", structure::asked(answer.property.asked))?;
        dict.set_item("verdict", verdict)?;
        dict.set_item("answer", answer.property.answer(verdict))?;
        if let Some(value) = answer.value() {
            dict.set_item("value", value.to_string())?;
        }
        dict.set_item("reason", reason)?;
        dict.set_item("detail", detail)?;
        dict.set_item("bound", self.bound)?;
        dict.set_item("engine", answer.engine)?;
        dict.set_item("evidence", self.evidence_record(py)?)?;
        dict.set_item("stats", self.stats(py)?)?;
        Ok(dict)
    }

    /// The violating run: `None` if there is none. Linear in the length of the run and the changes of its steps. For a
    /// system in Python, this calls its functions.
    fn run(&self, py: Python<'_>) -> PyResult<Option<RunParts>> {
        let why = self.reason();
        let trace = self.answer.trace().or(why.as_ref().map(|why| &why.trace).filter(|trace| trace.len() != Some(0)));
        let parts = trace.map(|trace| run::parts(&self.problem, trace));
        self.watch.as_ref().map_or(Ok(()), |watch| watch.check(py))?;
        Ok(parts)
    }

    /// Why the formula of a settled answer holds or fails: sentences. Empty if a run or a proof says it.
    fn why(&self) -> Vec<String> {
        self.reason().map(|why| why.sentences).unwrap_or_default()
    }

    /// The number of events of the violating run; `None` if there is no run, or if the number is too large.
    fn run_length(&self) -> Option<u64> {
        self.answer.trace().and_then(model::Trace::len)
    }

    /// The text of the evidence file.
    fn evidence(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        let Some(claim) = self.answer.claim.as_deref() else { return Err(Failure::new_err("there is no evidence")) };
        py.detach(|| {
            let mut text = Vec::new();
            evidence::write(&self.name, &self.problem, claim, &mut text)
                .map_err(|error| Failure::new_err(error.to_string()))?;
            Ok(text)
        })
    }
}

impl CheckedAnswer {
    fn reason(&self) -> Option<Why> {
        why::of(&self.problem, self.answer.settled()?, self.answer.property.goal)
    }

    fn evidence_record<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let dict = PyDict::new(py);
        let trusted = match &self.answer.finding {
            Finding::Settled(confirmed) => {
                dict.set_item("kind", confirmed.evidence.id())?;
                dict.set_item("length", confirmed.length)?;
                dict.set_item("checked", true)?;
                dict.set_item("checked_by", confirmed.checked_by.id())?;
                let is_unsafe = confirmed.verdict.is_unsafe();
                dict.set_item("shortest", is_unsafe.then_some(self.answer.shortest))?;
                confirmed.trusted.iter().map(|kind| kind.0).collect::<Vec<_>>()
            }
            Finding::Within(bounded) => {
                dict.set_item("kind", EvidenceKind::Clauses.id())?;
                dict.set_item("length", bounded.length())?;
                dict.set_item("checked", true)?;
                dict.set_item("checked_by", certify::CheckedBy::Rules.id())?;
                dict.set_item("shortest", py.None())?;
                Vec::new()
            }
            Finding::Unknown { .. } | Finding::Rejected { .. } => return Ok(None),
        };
        dict.set_item("trusted", trusted)?;
        Ok(Some(dict))
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = &self.answer.stats;
        let dict = PyDict::new(py);
        dict.set_item("states", stats.states)?;
        dict.set_item("transitions", stats.transitions)?;
        let replayed = match &self.answer.finding {
            Finding::Settled(confirmed) => confirmed.replayed,
            Finding::Within(_) | Finding::Unknown { .. } | Finding::Rejected { .. } => 0,
        };
        dict.set_item("replayed", replayed)?;
        dict.set_item("lemmas", stats.lemmas.clone())?;
        stats.more.iter().try_for_each(|(name, count)| dict.set_item(name, count))?;
        Ok(dict)
    }
}

/// The result of a replay: the ids of the goals, the verdict, and why the evidence is not accepted.
type Replayed = (Vec<String>, Option<&'static str>, Option<String>);

/// Checks evidence about the problem with the independent checker alone. Returns the ids of the goals with the verdict
/// `safe` or `unsafe`, or why the evidence is not accepted.
///
/// # Errors
/// `Refused` for mistakes in the text of the evidence.
#[pyfunction]
pub(crate) fn replay(
    py: Python<'_>,
    problem: &Problem,
    name: String,
    text: Vec<u8>,
    trust: Vec<String>,
) -> PyResult<Replayed> {
    let problem = Arc::clone(&problem.problem);
    let stop: Arc<Stop> = Arc::default();
    let flag = Arc::clone(&stop);
    let check = move || -> PyResult<Replayed> {
        let limits = Limits { bytes: usize::MAX, ..Limits::default() };
        let claim =
            evidence::read(&Source { name, bytes: text }, &problem, &limits).map_err(|error| refused(&error))?;
        let problem = impasse::questions::about(model::Problem::clone(&problem), &claim);
        let options = certify::Options { trust, ..certify::Options::default() };
        Ok(match certify::confirm(&problem, &claim, &options, &flag) {
            Ok(confirmed) => (ids(&problem, &confirmed.goals), Some(confirmed.verdict.id()), None),
            Err(refusal) => (Vec::new(), None, Some(refusal.to_string())),
        })
    };
    match work::run(py, &stop, None, check, &mut |_| Ok(()), &|| {})? {
        Ended::Done(result) => result,
        Ended::Late => Err(Internal::new_err("the check did not end")),
    }
}

/// Returns the ids of the goals, as they are asked for.
fn ids(problem: &model::Problem, goals: &[Goal]) -> Vec<String> {
    let asked = |goal: &Goal| problem.properties().iter().find(|p| p.goal == *goal);
    goals.iter().map(|goal| asked(goal).map_or_else(|| goal.id().to_owned(), |p| p.id.clone())).collect()
}

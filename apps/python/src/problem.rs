//! Models with their questions. Reading and asking go through the same functions as on the command line.

use crate::errors::{Internal, diagnostic, failure, refused, unfit};
use crate::structure;
use crate::system::Watch;
use crate::work::{self, Ended};
use formats::{Limits, Source};
use impasse::questions;
use model::{Goal, Program, Property, Stop, SystemModel};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use readers::Ask;
use std::sync::Arc;

/// Memory for reading in bytes, if the user sets no limit.
const USUAL_MEMORY: usize = 8 << 30;

/// Questions with fewer bytes are read on the calling thread: they cannot be nested deeply.
const SHORT: usize = 256;

/// A file that was read: its name and its contents.
type File = (String, Vec<u8>);

/// A model and questions about it. It never changes.
#[pyclass(frozen, module = "impasse_mc._impasse")]
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) problem: Arc<model::Problem>,
    /// The name of the model in evidence.
    pub(crate) name: String,
    warnings: Vec<formats::Error>,
    /// The text and its format, if questions may name its variables: it is then read again.
    source: Option<(Source, Option<String>)>,
    /// What happens to a system in Python.
    pub(crate) watch: Option<Arc<Watch>>,
}

/// Reads a model: its name, its contents, and the name of its format (that of the extension, if it is `None`).
/// `properties` is a file of questions, `bodies` a C file with bodies of functions.
///
/// # Errors
/// `Refused` for mistakes in the texts.
#[pyfunction]
#[pyo3(signature = (name, contents, format, properties, bodies, memory))]
pub(crate) fn read(
    py: Python<'_>,
    name: String,
    contents: Vec<u8>,
    format: Option<String>,
    properties: Option<File>,
    bodies: Option<File>,
    memory: Option<usize>,
) -> PyResult<Problem> {
    // On a worker, so that the stack of the calling thread does not matter, and Ctrl-C works.
    let stop: Arc<Stop> = Arc::default();
    let is_simple = is_simple(&contents) && properties.is_none() && bodies.is_none();
    let reader = move || -> PyResult<Problem> {
        let memory = memory.unwrap_or(USUAL_MEMORY);
        let limits = readers::limits_for(&name, format.as_deref(), memory);
        let source = Source { name: name.clone(), bytes: contents };
        let has_questions = properties.is_some();
        let kept = (source.clone(), format.clone());
        let read = match bodies.map(|(name, bytes)| Source { name, bytes }) {
            None => readers::read(source, format.as_deref(), &limits),
            Some(bodies) => readers::read_files(vec![source, bodies], format.as_deref(), &limits),
        };
        let formats::Read { mut problem, mut warnings } = read.map_err(|error| refused(&error))?;
        if let Some((name, bytes)) = properties {
            let goals = Source { name, bytes };
            let read = readers::read_goals(goals, None, &mut problem, &Limits::within(memory));
            let notes = read.map_err(|error| refused(&error))?;
            if let Some(mistake) = notes.iter().find(|note| !note.is_warning()) {
                return Err(refused(mistake));
            }
            warnings.extend(notes);
        }
        let has_variables = problem.system().as_program().is_some_and(|program| !program.variables().is_empty());
        let source = (has_variables && !has_questions).then_some(kept);
        Ok(Problem { problem: Arc::new(problem), name, warnings, source, watch: None })
    };
    if is_simple {
        return work::here(py, reader)?;
    }
    match work::run(py, &stop, None, reader, &mut |_| Ok(()), &|| {})? {
        Ended::Done(problem) => problem,
        Ended::Late => Err(Internal::new_err("the reader did not end")),
    }
}

/// Returns true if a text is short and hardly nested, so that it is read in microseconds and with little stack.
fn is_simple(text: &[u8]) -> bool {
    let mut depth = 0_i32;
    let is_flat = |byte: &u8| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            // Operators and the elements of XML nest without brackets.
            b'!' | b'<' => depth += 1,
            _ => {}
        }
        depth <= 12
    };
    text.len() <= 1 << 13 && text.iter().all(is_flat)
}

/// Returns the formats that can be read: name, extensions and a description.
#[pyfunction]
#[pyo3(name = "formats")]
pub(crate) fn known_formats() -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    let readable = readers::ALL.iter().filter(|format| format.read.is_some());
    readable.map(|format| (format.name, format.extensions.to_vec(), format.doc)).collect()
}

impl Problem {
    /// A model that does not come from a text.
    pub(crate) fn made(problem: model::Problem, name: String) -> Self {
        Self { problem: Arc::new(problem), name, warnings: Vec::new(), source: None, watch: None }
    }

    /// A system in Python.
    pub(crate) fn of_system(problem: model::Problem, name: String, watch: Arc<Watch>) -> Self {
        Self { watch: Some(watch), ..Self::made(problem, name) }
    }

    /// Returns the first exception of a function of the system, if it is one in Python.
    pub(crate) fn check_system(&self, py: Python<'_>) -> PyResult<()> {
        self.watch.as_ref().map_or(Ok(()), |watch| watch.check(py))
    }
}

/// The changes to a problem that [`Problem::asking`] makes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Asked {
    /// Ids of properties to check; if it is empty, all.
    properties: Vec<String>,
    /// Questions as text.
    ask: Vec<String>,
    /// Fairness assumptions as text.
    fair: Vec<String>,
    /// The initial states, as `--init`.
    init: Option<String>,
    /// The formula for final markings, as `--final`.
    ends_in: Option<String>,
    /// The ends of programs: `final`, `proper`, `stopped` or `none`.
    ends: String,
    /// True if the properties of the model come from a file that the user named.
    is_named: bool,
}

#[pymethods]
impl Problem {
    /// The kind of the system.
    #[getter]
    fn kind(&self) -> &'static str {
        structure::kind(self.problem.system())
    }

    /// What is legal in the texts but suspicious, as dictionaries.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.warnings.iter().map(|warning| diagnostic(py, warning)).collect()
    }

    /// The sizes of the system.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        structure::info(py, self.problem.system())
    }

    /// The parts of the system, as they are drawn. Linear in the size of the system.
    fn structure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        structure::structure(py, self.problem.system())
    }

    /// The questions: id, kind, and how it is asked.
    fn questions(&self) -> Vec<(String, &'static str, &'static str)> {
        let properties = self.problem.properties().iter();
        properties.map(|p| (p.id.clone(), self.problem.kind(p), structure::asked(p.asked))).collect()
    }

    /// Returns the problem with other questions, as the options of `impasse check` make it.
    fn asking(slf: &Bound<'_, Self>, asked: Asked) -> PyResult<Self> {
        let py = slf.py();
        let length: usize = asked.ask.iter().chain(&asked.fair).chain(&asked.ends_in).map(String::len).sum();
        if length < SHORT {
            return slf.get().with(&asked);
        }
        let (stop, this) = (Arc::default(), slf.clone().unbind());
        match work::run(py, &stop, None, move || this.get().with(&asked), &mut |_| Ok(()), &|| {})? {
            Ended::Done(problem) => problem,
            Ended::Late => Err(Internal::new_err("the reader did not end")),
        }
    }

    /// Writes the model in another format, with its questions if the format has them.
    fn write(&self, format: &str) -> PyResult<Vec<u8>> {
        let writer = readers::by_name(format).and_then(|format| format.write);
        let writer = writer.ok_or_else(|| failure(format!("the format `{format}` cannot be written")))?;
        let mut bytes = Vec::new();
        writer(&self.problem, &mut bytes).map_err(|error| failure(error.to_string()))?;
        Ok(bytes)
    }
}

impl Problem {
    fn with(&self, asked: &Asked) -> PyResult<Self> {
        let limits = Limits::within(USUAL_MEMORY);
        let mut problem = match &self.source {
            Some((source, format)) if !asked.ask.is_empty() => {
                let texts: Vec<&str> = asked.ask.iter().map(String::as_str).collect();
                let read = readers::read_for(source.clone(), format.as_deref(), &limits, &texts);
                read.map_err(|error| refused(&error))?.problem
            }
            _ => model::Problem::clone(&self.problem),
        };
        let mut warnings = self.warnings.clone();
        if asked.ends != "final" {
            problem = ending(problem, &asked.ends)?;
        }
        if let Some(init) = &asked.init {
            let applied = nets_read::apply_init(&mut problem, init);
            warnings.extend(applied.map_err(|error| refused(&error))?);
        }
        if let Some(ends) = &asked.ends_in {
            readers::apply_ends(&mut problem, ends, &limits).map_err(|error| refused(&error))?;
        }
        for fair in &asked.fair {
            readers::fair(&mut problem, fair, &limits).map_err(|error| refused(&error))?;
        }
        let mut asks = Vec::new();
        for (i, question) in asked.ask.iter().enumerate() {
            match readers::ask(&mut problem, question, i + 1, &limits).map_err(|error| refused(&error))? {
                Ask::Property(property) => asks.push(property),
                Ask::Unsupported { id, error } => {
                    warnings.push(*error);
                    let is_unsupported = |p: &&Property| matches!(p.goal, Goal::Unsupported(_));
                    let known = problem.properties().iter().chain(&asks).filter(is_unsupported).count();
                    asks.push(Property::never(id, Goal::Unsupported(known as u32)));
                }
            }
        }
        let chosen = match asks.is_empty() {
            true => questions::choose(problem, &asked.properties),
            false => questions::choose_with(problem, &asked.properties, asks, asked.is_named),
        };
        let problem = chosen.map_err(failure)?;
        warnings.extend(readers::vacuous(&self.name, &problem));
        Ok(Self {
            problem: Arc::new(problem),
            name: self.name.clone(),
            warnings,
            source: None,
            watch: self.watch.clone(),
        })
    }
}

/// Returns the problem with other proper ends of its program.
fn ending(problem: model::Problem, ends: &str) -> PyResult<model::Problem> {
    let SystemModel::Rwb(program) = problem.system() else {
        return Err(unfit(&problem, "`ends` is for behavioral programs with finitely many states"));
    };
    let program = Program::clone(program);
    let program = match ends {
        "proper" => program.with_quiet_ends().with_stops(Vec::new()),
        "stopped" => program.with_stopped_ends(),
        "none" => program.with_finals(Vec::new()).with_stops(Vec::new()),
        _ => return Err(failure(format!("`ends` is `final`, `proper`, `stopped` or `none`, not `{ends}`"))),
    };
    let changed = problem.clone().on(Arc::new(program));
    changed.map_err(|mismatch| unfit(&problem, mismatch))
}

/// The paths of files of questions that belong to a model, in the order of preference.
#[pyfunction]
#[pyo3(name = "companions")]
pub(crate) fn files_beside(model: &str) -> Vec<String> {
    let paths = readers::companions(std::path::Path::new(model));
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

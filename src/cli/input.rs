//! Reads models from files or standard input, and shows what is wrong with them.

use super::args::{EndsArg, QuestionArgs};
use super::complaints::Complaints;
use super::exit::Exit;
use super::input_name::{display_name, files, is_stdin};
use super::{flags, memory};
use impasse::Family;
use impasse::formats::{self, Ask, Limits, Partly, Source};
use impasse::model::{Goal, Problem, Program, Property};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of bytes of the first part of a pipe that is read.
const FIRST: usize = 1 << 16;

/// A model that was read.
pub(crate) struct Model {
    /// The name of the file as the user gave it.
    pub(crate) name: String,
    pub(crate) problem: Problem,
    /// Questions of the command line. Their formulas are formulas of the problem.
    pub(crate) asks: Vec<Property>,
}

impl Model {
    /// Adds the questions of the command line to those of the model. A question that is already asked is not
    /// added.
    pub(crate) fn asking(mut self, complaints: &Complaints<'_>) -> Result<Self, Exit> {
        let mut goals: BTreeSet<Goal> = self.problem.properties().iter().map(|p| p.goal).collect();
        let asks = self.asks.drain(..).filter(|ask| goals.insert(ask.goal));
        let problem = self.problem.changed(|asked| asked.properties.extend(asks));
        self.problem = problem.map_err(|mismatch| complaints.senseless(&self.name, &mismatch.to_string()))?;
        Ok(self)
    }

    /// Adds a question that stays unknown.
    fn ask_in_vain(&mut self, id: String) {
        let is_unsupported = |p: &&Property| matches!(p.goal, Goal::Unsupported(_));
        let known = self.problem.properties().iter().chain(&self.asks).filter(is_unsupported).count();
        self.asks.push(Property::never(id, Goal::Unsupported(known as u32)));
    }
}

/// How models are read.
#[derive(Clone, Copy, Default)]
struct Reading {
    /// True if arrays of circuits become latches. Otherwise large ones are memories.
    latches: bool,
    /// Which part of a program is enough.
    partly: Partly,
}

/// Reads a model. `texts` are questions about it, which may name variables.
fn model(
    path: &Path,
    question: &QuestionArgs,
    texts: &[&str],
    reading: Reading,
    complaints: &Complaints<'_>,
) -> Result<Model, Exit> {
    let bodies = question.bodies.as_deref();
    let format = complaints.common().input_format.as_deref();
    if let Some(unknown) = format.filter(|f| readers::by_name(f).is_none_or(|f| f.read.is_none())) {
        let known: Vec<&str> = readers::ALL.iter().filter(|f| f.read.is_some()).map(|f| f.name).collect();
        let why = format!("no input format `{unknown}`; the formats are {}", known.join(", "));
        return Err(complaints.senseless(&display_name(path), &why));
    }
    if is_stdin(path) && format.is_none() {
        return Err(complaints.senseless(&display_name(path), "standard input has no extension: give --input-format"));
    }
    let mut limits = readers::limits_for(&path.to_string_lossy(), format, memory::limit());
    limits.growth = complaints.growth();
    limits.partly = reading.partly;
    limits.strategy = question.strategy;
    limits.defines.clone_from(&question.defines);
    let given = [(question.strategy.is_some(), "--strategy"), (!question.defines.is_empty(), "--define")];
    if let Some((_, option)) = given.into_iter().find(|(is_given, _)| *is_given)
        && format.or_else(|| readers::by_path(&path.to_string_lossy()).map(|f| f.name)) != Some("bpjs")
    {
        return Err(complaints.senseless(&display_name(path), &format!("`{option}` is for BPjs programs (`.js`)")));
    }
    if reading.latches {
        limits.array_bits = limits.ports as u64;
    }
    let name = display_name(path);
    if bodies.is_some() && flags::family(path, format) != Some(Family::Reactive) {
        return Err(complaints.senseless(&name, "`--extern` is for reactive C programs, and this is not one"));
    }
    if bodies == Some("-") {
        return Err(complaints.senseless(&name, "standard input can be a model, but not the bodies of its functions"));
    }
    let mut sources = Vec::new();
    let known = format.or_else(|| readers::by_path(&path.to_string_lossy()).map(|format| format.name));
    for path in files(path).iter().map(PathBuf::as_path).chain(bodies.map(Path::new)) {
        let length = path.metadata().ok().filter(|about| about.is_file()).map_or(0, |about| about.len());
        if !is_stdin(path) {
            let name = path.to_string_lossy();
            readers::check_unread(&name, known, length, &limits).map_err(|why| complaints.say(&why))?;
        }
        sources.push(load(path, limits.bytes, complaints)?);
    }
    let read = match <[Source; 1]>::try_from(sources) {
        Ok([source]) => readers::read_for(source, format, &limits, texts),
        Err(sources) => readers::read_files(sources, format, &limits),
    };
    let read = read.map_err(|error| complaints.say(&error))?;
    warn(Ok(read.warnings), complaints)?;
    Ok(Model { name, problem: read.problem, asks: Vec::new() })
}

/// Reads a model with its question. The question comes from the file that the options name, or else from the
/// file beside the model, or else from the model itself.
pub(crate) fn asked(
    path: impl AsRef<Path>,
    question: &QuestionArgs,
    complaints: &Complaints<'_>,
) -> Result<Model, Exit> {
    asked_partly(path, question, Partly::default(), complaints)
}

/// Like [`asked`], but a part of a program may be enough.
pub(crate) fn asked_partly(
    path: impl AsRef<Path>,
    question: &QuestionArgs,
    partly: Partly,
    complaints: &Complaints<'_>,
) -> Result<Model, Exit> {
    complaints.without_errors(answerable(path.as_ref(), question, partly, complaints)?)
}

/// Like [`asked`], but of several questions those with mistakes do not keep the others from being answered. They stay
/// unknown, and `complaints` has their errors.
pub(crate) fn answerable(
    path: &Path,
    question: &QuestionArgs,
    partly: Partly,
    complaints: &Complaints<'_>,
) -> Result<Model, Exit> {
    asked_with(path, question, Reading { partly, ..Reading::default() }, complaints)
}

/// Reads a model with its question, to write it in another format: arrays of circuits become latches, as far as the
/// limits allow.
pub(crate) fn converted(path: &Path, question: &QuestionArgs, complaints: &Complaints<'_>) -> Result<Model, Exit> {
    complaints.without_errors(asked_with(path, question, Reading { latches: true, ..Reading::default() }, complaints)?)
}

fn asked_with(
    path: &Path,
    question: &QuestionArgs,
    reading: Reading,
    complaints: &Complaints<'_>,
) -> Result<Model, Exit> {
    let limits = Limits::within(memory::limit());
    let named = question.target.as_ref().or(question.properties.as_ref());
    let file = named.map(PathBuf::from).or_else(|| companion(path));
    if file.as_ref().is_some_and(|file| is_stdin(file)) {
        let why = "standard input can be a model, but not the question about it";
        return Err(complaints.senseless(&display_name(path), why));
    }
    let source = file.map(|file| load(&file, limits.bytes, complaints)).transpose()?;
    let listed = source.as_ref().map(|source| String::from_utf8_lossy(&source.bytes));
    let texts: Vec<&str> = question.ask.iter().map(String::as_str).chain(listed.as_deref()).collect();
    let mut model = model(path, question, &texts, reading, complaints)?;
    if question.ends != EndsArg::Final && model.problem.system().as_data().is_some() {
        let why = "`--ends` is for programs with numbers that are enumerated: give the variables smaller ranges";
        return Err(complaints.senseless(&model.name, why));
    }
    if let Some(program) = ending(&model.problem, question.ends) {
        let problem = model.problem.on(Arc::new(program));
        model.problem = problem.map_err(|mismatch| complaints.senseless(&model.name, &mismatch.to_string()))?;
    }
    if let Some(source) = source {
        warn(readers::read_goals(source, None, &mut model.problem, &limits), complaints)?;
    }
    if let Some(init) = &question.init {
        warn(nets_read::apply_init(&mut model.problem, init), complaints)?;
    }
    if let Some(ends) = &question.ends_in {
        let applied = readers::apply_ends(&mut model.problem, ends, &limits);
        applied.map_err(|error| complaints.say(&error))?;
    }
    for fair in &question.fair {
        let applied = readers::fair(&mut model.problem, fair, &limits);
        applied.map_err(|error| complaints.say(&error))?;
    }
    for (i, ask) in question.ask.iter().enumerate() {
        // If there are several `--ask` options, each error names its option.
        let named = |error: Box<formats::Error>| match question.ask.len() {
            1 => error,
            _ => error.in_source(&format!("--ask {}", i + 1)),
        };
        match readers::ask(&mut model.problem, ask, i + 1, &limits) {
            Ok(Ask::Property(property)) => model.asks.push(property),
            Ok(Ask::Unsupported { id, error }) => {
                complaints.warn(&named(error));
                model.ask_in_vain(id);
            }
            Err(error) if question.ask.len() > 1 => {
                complaints.say(&named(error));
                model.ask_in_vain(format!("ask:{}", i + 1));
            }
            Err(error) => return Err(complaints.say(&error)),
        }
    }
    Ok(model)
}

/// Returns the program with the proper ends that `ends` selects. `None` if its ends stay as read, or if the
/// system is not a program.
fn ending(problem: &Problem, ends: EndsArg) -> Option<Program> {
    let program = problem.system().as_program()?;
    match ends {
        EndsArg::Final => None,
        EndsArg::Proper => Some(Program::clone(program).with_quiet_ends().with_stops(Vec::new())),
        EndsArg::Stopped => Some(Program::clone(program).with_stopped_ends()),
        EndsArg::None => Some(Program::clone(program).with_finals(Vec::new()).with_stops(Vec::new())),
    }
}

/// Returns the file of goals beside a model, if there is one.
fn companion(path: &Path) -> Option<PathBuf> {
    let names = if is_stdin(path) { Vec::new() } else { readers::companions(path) };
    names.into_iter().find(|name| name.is_file())
}

/// Reports the warnings of a reader and the errors of single questions, or the error of the whole.
fn warn(read: Result<Vec<formats::Error>, Box<formats::Error>>, complaints: &Complaints<'_>) -> Result<(), Exit> {
    for note in read.map_err(|error| complaints.say(&error))? {
        if note.is_warning() {
            complaints.warn(&note);
        } else {
            complaints.say(&note);
        }
    }
    Ok(())
}

/// Reads a file, or standard input for `-`. Reads at most `most` bytes and one more. The additional byte tells
/// the reader that the input is too long.
pub(crate) fn source(path: impl AsRef<Path>, most: usize) -> Result<Source, Exit> {
    let path = path.as_ref();
    bytes(path, most).map_err(|error| {
        tell!("error: cannot read {}: {error}", display_name(path));
        Exit::Input
    })
}

/// Reads like [`source`], for files that belong to a model. An error is also recorded in `complaints`.
fn load(path: &Path, most: usize, complaints: &Complaints<'_>) -> Result<Source, Exit> {
    bytes(path, most).map_err(|error| complaints.unreadable(&display_name(path), &error.to_string()))
}

fn bytes(path: &Path, most: usize) -> io::Result<Source> {
    let name = display_name(path);
    let bytes = match path {
        _ if is_stdin(path) => streamed(io::stdin().lock(), most)?,
        _ if path.is_file() => {
            let mut bytes = Vec::new();
            File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
            bytes
        }
        _ => streamed(File::open(path)?, most)?,
    };
    Ok(Source { name, bytes })
}

/// Reads a pipe or a device, which may be endless, as long as there is memory for it. (If memory for a file is short,
/// the watchdog ends the work.)
fn streamed(mut from: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let (mut bytes, mut room) = (Vec::new(), FIRST);
    loop {
        room = room.min(most.saturating_add(1) - bytes.len());
        // While the bytes are moved to a larger block, both are there.
        if !memory::has_room(bytes.len() + room) {
            let why = "it is longer than the memory limit allows: `--memory SIZE` allows more";
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, why));
        }
        bytes.reserve_exact(room);
        let count = (&mut from).take(room as u64).read_to_end(&mut bytes)?;
        if count < room || bytes.len() > most {
            return Ok(bytes);
        }
        room = bytes.len();
    }
}

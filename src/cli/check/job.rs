//! The work on one file of a check: reading it, as a whole or in part, searching, and recording the answers.

use super::{Job, Piece, chosen_patterns};
use crate::cli::args::{Bounds as BoundRange, CheckArgs, TraceForm};
use crate::cli::board::Board;
use crate::cli::complaints::Complaints;
use crate::cli::drafts::whole;
use crate::cli::evidence::export::Subject;
use crate::cli::evidence::names::Stems;
use crate::cli::exit::Exit;
use crate::cli::input::{self, Model};
use crate::cli::input_name::{display_name, is_stdin};
use crate::cli::pool::{Done, Pool, Turn};
use crate::cli::question::Question;
use crate::cli::report;
use crate::cli::reports::{SharedBoard, with};
use crate::cli::{draw, evidence, flags, kinds};
use impasse::formats::Partly;
use impasse::model::{Goal, MarkedTask, Pattern, Problem, Property, Reason, Stop, SystemModel};
use impasse::{Answer, Bounds, Checkpoint, Finding, Options, engines, questions};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

impl Job {
    /// Returns, for each file, the names that its evidence needs.
    pub(super) fn subjects(&self) -> Vec<Subject> {
        let mut stems = Stems::default();
        let subject = |piece: &Piece| {
            let name = display_name(&piece.file);
            Subject { stem: stems.next(&name), name, bodies: piece.args.question.bodies.clone() }
        };
        self.pieces.iter().map(subject).collect()
    }

    /// Checks a file, and reports it. If memory was short while other files were being checked at the same
    /// time, this file is checked again alone.
    pub(super) fn check(self: &Arc<Self>, pool: &Arc<Pool>, turn: Turn, subject: &Subject) -> Done {
        let i = turn.piece;
        if turn.again {
            self.reports.begin_anew(i, self.pieces[i].unread());
        }
        let Some(board) = self.reports.board(i) else { return Done::Yes };
        let (job, staff) = (Arc::clone(self), Arc::clone(pool));
        let efforts = with(&board, |board| Arc::clone(&board.efforts));
        let stop = self.watch.begin_piece(self.pieces[i].args.timeout_each, &efforts, move |reason| {
            job.reports.cut_off(i, reason);
            if !staff.leave_behind(i) {
                job.watch.stop().raise(Reason::Memory);
            }
        });
        with(&board, |board| {
            board.started = stop.raised().is_none().then(Instant::now);
            board.stop = Some(Arc::clone(&stop));
        });
        let checked = panic::catch_unwind(AssertUnwindSafe(|| self.decide(turn, subject, &board, &stop)));
        self.watch.end_piece(&stop);
        if checked.is_err() {
            tell!("internal error: {}: this is a bug in impasse; please report it with the input", subject.name);
            with(&board, Board::broke);
        }
        let is_short = self.at_once > 1 && !turn.again && self.watch.stop().raised().is_none();
        if is_short && stop.raised() != Some(Reason::Timeout) && with(&board, |board| board.lacks_memory()) {
            return Done::AloneAgain;
        }
        self.reports.file(i);
        Done::Yes
    }

    /// Reads a file, and decides its properties.
    fn decide(&self, turn: Turn, subject: &Subject, board: &SharedBoard, stop: &Arc<Stop>) {
        if let Some(reason) = stop.raised() {
            return with(board, |board| board.cut_off(reason));
        }
        // A saved search is about all of the program, and an engine that is named may be one for other systems.
        let is_free = self.folder.is_none();
        let is_plain = self.pieces[turn.piece].args.engine.0.is_none();
        let at_once = Partly { at_goal: is_free && is_plain, at_limit: is_free };
        let Some((found, open)) = self.decide_part((turn, at_once), subject, board, stop, None) else { return };
        // A goal was met before all of the program was read. The other questions are about all of it.
        let is_early = found.unread().is_some_and(|part| !part.met.is_empty());
        if is_early && !open.is_empty() && stop.raised().is_none() {
            let all = Partly { at_goal: false, at_limit: true };
            self.decide_part((turn, all), subject, board, stop, Some(&open));
        }
    }

    /// Reads a file, or a part of it, and decides its properties, or those with these ids. Returns the system, and the
    /// ids of properties that are open. `None` if it cannot be read.
    fn decide_part(
        &self,
        (turn, partly): (Turn, Partly),
        subject: &Subject,
        board: &SharedBoard,
        stop: &Arc<Stop>,
        open: Option<&[String]>,
    ) -> Option<(SystemModel, Vec<String>)> {
        let piece = &self.pieces[turn.piece];
        let is_silent = turn.again || self.is_silent || open.is_some();
        let complaints = if is_silent { Complaints::silent(&piece.common) } else { Complaints::new(&piece.common) };
        with(board, |board| board.growth = complaints.growth());
        let read = self.read(piece, partly, &complaints);
        let notes = complaints.into_notes();
        let problem = match read {
            Ok(problem) => problem,
            Err(exit) => {
                // What was silent so far is said now.
                if open.is_some() && !turn.again && !self.is_silent {
                    let _ = self.read(piece, partly, &Complaints::new(&piece.common));
                }
                with(board, |board| {
                    board.notes = notes;
                    board.refuse(exit);
                });
                return None;
            }
        };
        let questions = problem.properties().iter().map(|p| Question::new(&problem, p)).collect();
        with(board, |board| {
            board.notes = notes;
            board.questions = questions;
            board.model = Some(kinds::of(&problem).report());
            board.many_jobs = self.threads > 1;
            board.init.clone_from(&piece.args.question.init);
            board.asks_nothing(problem.properties().is_empty());
            board.has_mistakes();
        });
        let met = problem.system().unread().map(|part| part.met.clone());
        let met = met.filter(|met| !met.is_empty() && open.is_none());
        let is_asked = |p: &Property| {
            open.is_none_or(|open| open.contains(&p.id)) && met.as_ref().is_none_or(|met| met.contains(&p.goal))
        };
        let asked = problem.clone().only(is_asked);
        let mut left = self.search(&piece.args, subject, &asked, board, stop);
        left.extend(problem.properties().iter().filter(|p| open.is_none() && !is_asked(p)).map(|p| p.id.clone()));
        Some((problem.system().clone(), left))
    }

    /// Reads the problem to decide. A file without properties is an error if it is the only file, and a warning
    /// if there are several files.
    fn read(&self, piece: &Piece, partly: Partly, complaints: &Complaints<'_>) -> Result<Problem, Exit> {
        let (file, args) = (&piece.file, &piece.args);
        if let Some(why) = &piece.refusal {
            return Err(complaints.senseless(&display_name(file), why));
        }
        if !is_stdin(file) && file.is_dir() {
            return Err(complaints.unreadable(&display_name(file), "it is a directory without models"));
        }
        let question = &args.question;
        let Model { name, problem, asks } = input::answerable(file, question, partly, complaints)?;
        let problem = if question.ask.is_empty() {
            questions::choose(problem, &args.property)
        } else {
            let named = question.target.is_some() || question.properties.is_some();
            questions::choose_with(problem, &args.property, asks, named)
        };
        let problem = problem.map_err(|why| complaints.senseless(&name, &why))?;
        if problem.properties().is_empty() {
            let remedy = kinds::of(&problem).remedy();
            if !self.several {
                return Err(complaints.nothing_asked(&name, remedy));
            }
            complaints.warn(&impasse::formats::nothing_asked(&name, remedy));
        }
        complaints.note(&impasse::formats::vacuous(&name, &problem));
        if let Some(what) = endless(args, &problem) {
            let why = format!(
                "{what}, and the engine `dpllt` enumerates the initial states: give `--bound N`, or a number with \
                 `--init`"
            );
            return Err(complaints.senseless(&name, &why));
        }
        if let Some(folder) = &self.folder {
            folder.about(&name, &problem).map_err(|why| complaints.unsaved(&name, &why))?;
        }
        Ok(problem)
    }

    /// Searches within each bound in order, or without a bound. Returns the ids of the properties that are open.
    fn search(
        &self,
        args: &CheckArgs,
        subject: &Subject,
        problem: &Problem,
        board: &SharedBoard,
        stop: &Arc<Stop>,
    ) -> Vec<String> {
        let _clock = self.folder.as_ref().and_then(|folder| folder.start(stop, args.checkpoint_every));
        // Only properties that are not settled are checked within the next bound.
        let mut open = problem.clone();
        let mut bounds = Bounds::default();
        let rounds = rounds(args.bound).filter(|_| !problem.properties().is_empty());
        for bound in rounds {
            with(board, |board| board.begin(bound));
            let undecided = self.round((args, subject), &mut bounds, &open, bound, board, stop);
            open = open.only(|p| undecided.contains(&p.id));
            if open.properties().is_empty() || stop.raised().is_some() {
                break;
            }
        }
        open.properties().iter().map(|p| p.id.clone()).collect()
    }

    /// Checks within one bound (or without a bound). Returns the ids of the properties that a larger bound
    /// may settle.
    fn round(
        &self,
        (args, subject): (&CheckArgs, &Subject),
        bounds: &mut Bounds,
        problem: &Problem,
        bound: Option<u64>,
        board: &SharedBoard,
        stop: &Arc<Stop>,
    ) -> Vec<String> {
        let on_answers = |answers: &[Answer]| {
            let seconds = with(board, |board| board.seconds());
            let shown = answers.iter().map(|a| report::show(problem, a, bound, seconds, self.style)).collect();
            // The answers are recorded first, because writing evidence may take long.
            with(board, |board| board.learn(shown));
            let files = save(args, subject, problem, answers);
            with(board, |board| board.saved(answers, files));
            if let Some(folder) = &self.folder {
                folder.keep(&subject.name, problem, answers);
            }
        };
        let on_turn = |engine| with(board, |board| board.turn(engine));
        let patterns = chosen_patterns(args).expect("the names were looked up before");
        let options = self.options(args, &patterns, bound, stop);
        let efforts = with(board, |board| Arc::clone(&board.efforts));
        let options = Options { on_answers: &on_answers, on_turn: &on_turn, efforts: Some(&efforts), ..options };
        let outcome = bounds.check(problem, &options);
        with(board, |board| outcome.answers.iter().for_each(|answer| board.update(answer)));
        let may_be_settled = |a: &Answer| a.unknown().is_some() && !matches!(a.property.goal, Goal::Unsupported(_));
        let undecided = outcome.answers.into_iter().filter(may_be_settled);
        undecided.map(|a| a.property.id).collect()
    }

    /// Returns the options of a check within `bound`.
    fn options<'a>(
        &'a self,
        args: &CheckArgs,
        patterns: &'a [&'a dyn Pattern],
        bound: Option<u64>,
        stop: &Arc<Stop>,
    ) -> Options<'a> {
        Options {
            engine: args.engine.0,
            without: args.without.iter().filter_map(|engine| engine.0).collect(),
            patterns,
            invariants: args.invariants.unwrap_or_default(),
            batch: args.batch.map(|n| n as usize),
            bound,
            seed: args.seed.unwrap_or(0),
            jobs: self.threads,
            explore_all: args.explore_all,
            shortest: args.shortest,
            trust: args.trust.clone(),
            kernel_only: args.kernel_only,
            disk: self.stores.disk.clone(),
            storage: self.stores.storage.clone(),
            lossy: self.stores.lossy,
            checkpoint: self.folder.as_ref().map(|folder| folder as &dyn Checkpoint),
            stop: Arc::clone(stop),
            ..Options::default()
        }
    }
}

/// Returns a message if `dpllt` cannot start because there are infinitely many initial states, even after
/// slicing. `None` if it can start.
fn endless(args: &CheckArgs, problem: &Problem) -> Option<String> {
    if args.engine.0 != Some(&engines::DPLLT) || args.bound.is_some() || !flags::is_parametric(problem) {
        return None;
    }
    let asked = MarkedTask::of(problem)?;
    let endless = |goal: Goal| {
        let slice = nets::reduce::Options { slice: true, bound: None };
        let net = nets::reduce::prepare(&asked.asking(&[goal]), &slice).task;
        !net.goals.is_empty() && net.net.places().iter().any(|p| p.initial.at_most.is_none())
    };
    let property = problem.properties().iter().find(|p| endless(p.goal))?;
    let what = if problem.system().as_threads().is_some() { "threads" } else { "tokens" };
    Some(format!("`{}` allows any number of {what} at the start", property.id))
}

/// Writes the evidence of `answers` if the user asked for it. The evidence of a rejected claim is always
/// written.
fn save(args: &CheckArgs, subject: &Subject, problem: &Problem, answers: &[Answer]) -> Result<Vec<String>, String> {
    let Some(Answer { claim: Some(claim), finding, .. }) = answers.first() else { return Ok(Vec::new()) };
    let rejected = matches!(finding, Finding::Rejected { .. });
    let temporary = std::env::temp_dir();
    let dir: &Path = match &args.evidence {
        Some(dir) => dir,
        None if rejected => &temporary,
        None => return Ok(Vec::new()),
    };
    let properties: Vec<&Property> = answers.iter().map(|a| &a.property).collect();
    let paths = evidence::save(dir, subject, problem, &properties, claim)
        .map_err(|error| format!("cannot write evidence into {}: {error}", dir.display()))?;
    if let Some(form) = args.trace {
        for (answer, path) in answers.iter().zip(&paths) {
            beside(form, subject, problem, answer, path)?;
        }
    }
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if rejected {
        for (property, path) in properties.iter().zip(&paths) {
            tell!("internal error: {}: wrong evidence for `{}`, kept in {path}", subject.name, property.id);
        }
    }
    Ok(paths)
}

/// Writes the run of an answer beside its evidence, in a form for people.
fn beside(
    form: TraceForm,
    subject: &Subject,
    problem: &Problem,
    answer: &Answer,
    evidence: &Path,
) -> Result<(), String> {
    let text = match form {
        TraceForm::Html => draw::of_answer(&subject.name, problem, answer).map(String::into_bytes),
        TraceForm::Vcd => waves(problem, answer),
    };
    let Some(text) = text else { return Ok(()) };
    // The evidence is called `X.evidence.json`, and the page `X.html`.
    let extension = match form {
        TraceForm::Html => "html",
        TraceForm::Vcd => "vcd",
    };
    let path = evidence.with_extension("").with_extension(extension);
    whole(&path, |out| out.write_all(&text)).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Returns the run of a circuit as a value change dump.
fn waves(problem: &Problem, answer: &Answer) -> Option<Vec<u8>> {
    let (circuit, trace) = (problem.system().as_circuit()?, answer.trace()?);
    let mut bytes = Vec::new();
    let written = view::trace::waves::write(circuit, trace, &mut bytes);
    written.expect("a vector takes all bytes").then_some(bytes)
}

/// Returns the bounds to try, in order.
fn rounds(bounds: Option<BoundRange>) -> Box<dyn Iterator<Item = Option<u64>>> {
    match bounds {
        None => Box::new(std::iter::once(None)),
        Some(BoundRange { first, last }) => Box::new((first..=last).map(Some)),
    }
}

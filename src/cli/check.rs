//! `impasse check`: decides the properties of models and reports the answers.

use super::advice::Chosen;
use super::args::{Bounds as BoundRange, CheckArgs, Common, ReportFormat, TraceForm};
use super::board::Board;
use super::checkpoint::Folder;
use super::complaints::Complaints;
use super::disk::Stores;
use super::drafts::{self, whole};
use super::evidence::export::Subject;
use super::evidence::names::Stems;
use super::exit::{Exit, usage};
use super::input::{self, Model};
use super::input_name::{display_name, is_stdin};
use super::limits::Watch;
use super::pool::{Done, Pool, Turn};
use super::question::Question;
use super::report::{self, Style};
use super::reports::{Order, Reports, SharedBoard, with};
use super::{draw, evidence, files, flags, formats, kinds, output};
use impasse::formats::Partly;
use impasse::model::{Goal, MarkedTask, Pattern, Problem, Property, Reason, Stop, SystemModel};
use impasse::{Answer, Bounds, Checkpoint, Family, Finding, Options, engines, questions};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Instant;
use view::text::Paint;

pub(crate) fn run(args: &CheckArgs, common: &Common) -> Exit {
    run_in(args, common, None)
}

/// Checks, and continues from the checkpoint in `folder` if there is one.
pub(crate) fn run_in(args: &CheckArgs, common: &Common, folder: Option<Folder>) -> Exit {
    if let Err(message) = chosen_patterns(args) {
        return usage(&message);
    }
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        tell!("error: stopped before all files were found ({reason})");
        Exit::of_reason(reason)
    });
    if args.while_stdin {
        end_with_stdin(watch.stop());
    }
    let files::Named { files, several } = files::named(&args.files, common);
    let is_text = args.format == ReportFormat::Text;
    let paint = if is_text { common.color.paint(&std::io::stdout()) } else { Paint::plain() };
    let (verbose, quiet, shortest) = (common.verbose, common.quiet, args.shortest);
    let flows = args.format == ReportFormat::Sarif;
    let style = Style { verbose, quiet, shortest, steps: args.trace_in_json, flows, paint };
    let (shared_args, shared_common) = (Arc::new(args.clone()), Arc::new(common.clone()));
    let piece = |file: &PathBuf| Piece {
        file: file.clone(),
        args: Arc::clone(&shared_args),
        common: Arc::clone(&shared_common),
        refusal: None,
    };
    let pieces: Vec<Piece> = files.iter().map(piece).collect();
    let boards = pieces.iter().map(Piece::unread).collect();
    let reports = Arc::new(Reports::new(boards, formats::by_name(args.format, style, several), Order::AsGiven));
    let closing = Arc::clone(&reports);
    watch.set_last_words(move |reason| closing.close(reason));
    if let Err(message) = fits(args, &files, several, common) {
        watch.take_over();
        return usage(&message);
    }
    if let Some(dir) = &args.evidence
        && let Err(error) = evidence::prepare(dir)
    {
        watch.take_over();
        tell!("error: cannot write evidence into {}: {error}", dir.display());
        return Exit::Input;
    }
    let folder = match folder.map_or_else(|| Folder::asked(args), |folder| Ok(Some(folder))) {
        Ok(folder) => folder,
        Err(message) => {
            watch.take_over();
            tell!("error: {message}");
            return Exit::Input;
        }
    };
    if let Some(folder) = &folder {
        watch.wait_for(folder.is_saving());
    }
    // More threads than the machine runs at once would slow each other down.
    let threads = args.jobs.map_or(1, |n| (n as usize).min(thread::available_parallelism().map_or(1, usize::from)));
    let (at_once, threads) = if several { (threads.min(files.len()), 1) } else { (1, threads) };
    let stores = match Stores::new(&args.disk, at_once) {
        Ok(stores) => stores,
        Err(error) => {
            watch.take_over();
            tell!("error: cannot use the directory for temporary files: {error}");
            return Exit::Input;
        }
    };
    let job =
        Arc::new(Job { pieces, watch, reports, several, is_silent: false, style, threads, at_once, stores, folder });
    work_off(job, |exit| exit)
}

/// Raises the flag when standard input ends.
fn end_with_stdin(stop: Arc<Stop>) {
    let wait = move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        stop.raise(Reason::Interrupted);
    };
    if thread::Builder::new().name("stdin".to_owned()).spawn(wait).is_err() {
        tell!("warning: the check does not end with standard input, because no thread can be started");
    }
}

/// Checks all files, and prints the end of the report. `result` makes the result of the command of the worst result of
/// the files.
pub(super) fn work_off(job: Arc<Job>, result: impl FnOnce(Exit) -> Exit) -> Exit {
    let (subjects, count) = (job.subjects(), job.pieces.len());
    let worker = Arc::clone(&job);
    let pool = Pool::new(count, move |pool, turn| worker.check(pool, turn, &subjects[turn.piece]));
    if !pool.start(job.at_once) {
        job.watch.stop().raise(Reason::Memory);
    }
    job.reports.wait();
    job.watch.take_over();
    let exit = result(job.reports.end());
    job.watch.finish();
    if pool.has_left_behind() {
        // A thread that was left behind may still be writing a file.
        drafts::end(output::finish(exit));
    }
    exit
}

/// Checks whether the options fit together and fit the files. To decide this, the contents of some files must
/// be read.
fn fits(args: &CheckArgs, files: &[PathBuf], several: bool, common: &Common) -> Result<(), String> {
    let has_programs = files.iter().any(|f| family(f, common) == Some(Family::Programs));
    match flags::refused(args, files, several, common.input_format.as_deref()) {
        Some(why) => Err(why),
        None if has_programs => questions::may_be_of_programs(&args.property),
        None => Ok(()),
    }
}

/// A file, with the options that apply to it.
pub(super) struct Piece {
    pub(super) file: PathBuf,
    pub(super) args: Arc<CheckArgs>,
    pub(super) common: Arc<Common>,
    /// The reason why the file is not checked, if its options are invalid.
    pub(super) refusal: Option<String>,
}

impl Piece {
    /// Creates the board of the file before it is read.
    pub(super) fn unread(&self) -> Board {
        unread(&self.file, &self.args, &self.common)
    }
}

/// Creates the board of a file that was not read.
fn unread(file: &Path, args: &CheckArgs, common: &Common) -> Board {
    let usual: &[&str] = match family(file, common) {
        Some(Family::Programs | Family::Data) => &["deadlock", "bad"],
        Some(Family::Circuits) => &["b0"],
        Some(Family::Reactive) => &["error:*"],
        Some(Family::Nets | Family::Own) | None => &["target"],
    };
    let mut ids: Vec<String> = args.property.clone();
    ids.extend((1..).zip(&args.question.ask).map(|(number, ask)| impasse::formats::ask_id(ask, number)));
    let usual = if ids.is_empty() { usual } else { &[] };
    let questions = ids.iter().map(String::as_str).chain(usual.iter().copied()).map(Question::unread).collect();
    let mut board = Board::new(display_name(file), questions);
    board.chosen = Chosen::of(args);
    board
}

fn family(file: &Path, common: &Common) -> Option<Family> {
    flags::family(file, common.input_format.as_deref())
}

/// Returns the pattern matchers that the user asked for.
pub(super) fn chosen_patterns(args: &CheckArgs) -> Result<Vec<&'static dyn Pattern>, String> {
    let known = || impasse::patterns::ALL.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
    // `z3` stands for contradictions of integers that the checker cannot refute (`z3.arithmetic`).
    for name in args.trust.iter().filter(|name| *name != "z3") {
        impasse::patterns::by_name(name)
            .ok_or_else(|| format!("`--trust`: no pattern `{name}`; the patterns are {}", known()))?;
    }
    match args.patterns.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["all"] => Ok(impasse::patterns::ALL.to_vec()),
        ["none"] => Ok(Vec::new()),
        ref names => names
            .iter()
            .map(|&name| {
                impasse::patterns::by_name(name)
                    .ok_or_else(|| format!("no pattern `{name}`; the patterns are {}", known()))
            })
            .collect(),
    }
}

/// The files of a command, and the data that they share.
pub(super) struct Job {
    pub(super) pieces: Vec<Piece>,
    pub(super) watch: Watch,
    pub(super) reports: Arc<Reports>,
    /// True if there are, or may be, several files.
    pub(super) several: bool,
    /// True if errors and warnings about files are only reported, and not printed.
    pub(super) is_silent: bool,
    pub(super) style: Style,
    /// Maximum number of threads that work on one file.
    pub(super) threads: usize,
    /// Maximum number of files that are checked at once.
    pub(super) at_once: usize,
    /// Temporary files.
    pub(super) stores: Stores,
    /// The directory in which the check is saved. There is only one file then.
    pub(super) folder: Option<Folder>,
}

impl Job {
    /// Returns, for each file, the names that its evidence needs.
    fn subjects(&self) -> Vec<Subject> {
        let mut stems = Stems::default();
        let subject = |piece: &Piece| {
            let name = display_name(&piece.file);
            Subject { stem: stems.next(&name), name, bodies: piece.args.question.bodies.clone() }
        };
        self.pieces.iter().map(subject).collect()
    }

    /// Checks a file, and reports it. If memory was short while other files were being checked at the same
    /// time, this file is checked again alone.
    fn check(self: &Arc<Self>, pool: &Arc<Pool>, turn: Turn, subject: &Subject) -> Done {
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
    if args.trace == Some(TraceForm::Html) {
        for (answer, path) in answers.iter().zip(&paths) {
            page(subject, problem, answer, path)?;
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

/// Writes the page about the run of an answer beside its evidence.
fn page(subject: &Subject, problem: &Problem, answer: &Answer, evidence: &Path) -> Result<(), String> {
    let Some(text) = draw::of_answer(&subject.name, problem, answer) else { return Ok(()) };
    // The evidence is called `X.evidence.json`, and the page `X.html`.
    let path = evidence.with_extension("").with_extension("html");
    whole(&path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Returns the bounds to try, in order.
fn rounds(bounds: Option<BoundRange>) -> Box<dyn Iterator<Item = Option<u64>>> {
    match bounds {
        None => Box::new(std::iter::once(None)),
        Some(BoundRange { first, last }) => Box::new((first..=last).map(Some)),
    }
}

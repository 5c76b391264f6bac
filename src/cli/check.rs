//! `impasse check`: decides the properties of models and reports the answers.

use super::args::{Bounds as BoundRange, CheckArgs, Common, ReportFormat};
use super::ask::{self, Question};
use super::board::Board;
use super::evidence::{self, Stems, Subject};
use super::exit::Exit;
use super::files;
use super::flags;
use super::formats;
use super::input::{self, Model};
use super::kinds;
use super::limits::Watch;
use super::notes::Complaints;
use super::output;
use super::pool::{Done, Pool, Turn};
use super::report::{self, Style};
use super::reports::{Reports, SharedBoard, with};
use super::text::Paint;
use super::usage;
use impasse::model::{Goal, MarkedTask, Pattern, Problem, Property, Reason, Stop};
use impasse::{Answer, Bounds, Family, Finding, Options, engines};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs, common: &Common) -> Exit {
    let patterns = match chosen_patterns(args) {
        Ok(patterns) => patterns,
        Err(message) => return usage(&message),
    };
    let watch = Watch::start(&args.limits);
    watch.set_last_words(|reason| {
        tell!("error: stopped before all files were found ({reason})");
        Exit::of_reason(reason)
    });
    let files::Named { files, several } = files::named(&args.files, common);
    let is_text = args.format == ReportFormat::Text;
    let paint = if is_text { Paint::new(common.color, &std::io::stdout()) } else { Paint::plain() };
    let (verbose, quiet, shortest) = (common.verbose, common.quiet, args.shortest);
    let style = Style { verbose, quiet, shortest, steps: args.trace_in_json, paint };
    let boards = files.iter().map(|file| unread(file, args, common)).collect();
    let reports = Arc::new(Reports::new(boards, formats::by_name(args.format, style, several)));
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
    // More than the machine runs at once would only be in each other's way.
    let threads = args.jobs.map_or(1, |n| (n as usize).min(thread::available_parallelism().map_or(1, usize::from)));
    let (at_once, threads) = if several { (threads.min(files.len()), 1) } else { (1, threads) };
    let count = files.len();
    let (args, common) = (args.clone(), common.clone());
    let job = Job { args, common, patterns, watch, reports, files, several, style, threads, at_once };
    work_off(Arc::new(job), count)
}

/// Has all files checked, and prints what is left to say.
fn work_off(job: Arc<Job>, count: usize) -> Exit {
    let subjects = job.subjects();
    let worker = Arc::clone(&job);
    let pool = Pool::new(count, move |pool, turn| worker.check(pool, turn, &subjects[turn.piece]));
    if !pool.start(job.at_once) {
        job.watch.stop().raise(Reason::Memory);
    }
    job.reports.wait();
    job.watch.take_over();
    let exit = job.reports.end();
    job.watch.finish();
    if pool.has_left_behind() {
        // What is left behind may be writing.
        evidence::end(output::finish(exit));
    }
    exit
}

/// Do the options fit together and to the files? Some files have to be looked into for that.
fn fits(args: &CheckArgs, files: &[PathBuf], several: bool, common: &Common) -> Result<(), String> {
    let has_programs = files.iter().any(|f| family(f, common) == Some(Family::Programs));
    match flags::refused(args, files, several, common.input_format.as_deref()) {
        Some(why) => Err(why),
        None if has_programs => ask::program_goals(&args.property).map(drop),
        None => Ok(()),
    }
}

/// A file as long as it was not read.
fn unread(file: &Path, args: &CheckArgs, common: &Common) -> Board {
    let usual: &[&str] = match family(file, common) {
        Some(Family::Programs) => &["deadlock", "bad"],
        Some(Family::Circuits) => &["b0"],
        Some(Family::Reactive) => &["error:*"],
        Some(Family::Nets | Family::Own) | None => &["target"],
    };
    let mut ids: Vec<String> = args.property.clone();
    ids.extend((1..).zip(&args.question.ask).map(|(number, ask)| impasse::formats::ask_id(ask, number)));
    let usual = if ids.is_empty() { usual } else { &[] };
    let questions = ids.iter().map(String::as_str).chain(usual.iter().copied()).map(Question::unread).collect();
    Board::new(input::display_name(file), questions)
}

fn family(file: &Path, common: &Common) -> Option<Family> {
    flags::family(file, common.input_format.as_deref())
}

/// The pattern matchers that were asked for.
fn chosen_patterns(args: &CheckArgs) -> Result<Vec<&'static dyn Pattern>, String> {
    let known = || impasse::patterns::ALL.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
    for name in &args.trust {
        impasse::patterns::by_name(name)
            .ok_or_else(|| format!("`--trust`: no pattern `{name}`; there is {}", known()))?;
    }
    match args.patterns.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["all"] => Ok(impasse::patterns::ALL.to_vec()),
        ["none"] => Ok(Vec::new()),
        ref names => names
            .iter()
            .map(|&name| {
                impasse::patterns::by_name(name).ok_or_else(|| format!("no pattern `{name}`; there is {}", known()))
            })
            .collect(),
    }
}

/// What is common to all files of a command.
struct Job {
    args: CheckArgs,
    common: Common,
    patterns: Vec<&'static dyn Pattern>,
    watch: Watch,
    reports: Arc<Reports>,
    files: Vec<PathBuf>,
    /// Are they several, or may they be?
    several: bool,
    style: Style,
    /// Threads that may work on one file.
    threads: usize,
    /// Files that may be at work at once.
    at_once: usize,
}

impl Job {
    /// The files as their evidence names them.
    fn subjects(&self) -> Vec<Subject> {
        let mut stems = Stems::default();
        let subject = |file: &PathBuf| {
            let name = input::display_name(file);
            Subject { stem: stems.next(&name), name, bodies: self.args.question.bodies.clone() }
        };
        self.files.iter().map(subject).collect()
    }

    /// Checks a file, and reports it. What ends for lack of memory while others are at work is to be checked again
    /// alone.
    fn check(self: &Arc<Self>, pool: &Arc<Pool>, turn: Turn, subject: &Subject) -> Done {
        let i = turn.piece;
        if turn.again {
            self.reports.begin_anew(i, unread(&self.files[i], &self.args, &self.common));
        }
        let Some(board) = self.reports.board(i) else { return Done::Yes };
        let (job, staff) = (Arc::clone(self), Arc::clone(pool));
        let stop = self.watch.begin_piece(self.args.timeout_each, move |reason| {
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

    /// Finds out what can be found out.
    fn decide(&self, turn: Turn, subject: &Subject, board: &SharedBoard, stop: &Arc<Stop>) {
        if let Some(reason) = stop.raised() {
            return with(board, |board| board.cut_off(reason));
        }
        let complaints = if turn.again { Complaints::silent(&self.common) } else { Complaints::new(&self.common) };
        let read = self.read(&self.files[turn.piece], &complaints);
        let notes = complaints.into_notes();
        match read {
            Err(exit) => with(board, |board| {
                board.notes = notes;
                board.refuse(exit);
            }),
            Ok(problem) => {
                let questions = problem.properties().iter().map(|p| Question::new(&problem, p)).collect();
                with(board, |board| {
                    board.notes = notes;
                    board.questions = questions;
                    board.model = Some(kinds::of(&problem).report());
                    board.many_jobs = self.threads > 1;
                    board.init.clone_from(&self.args.question.init);
                    board.asks_nothing(problem.properties().is_empty());
                });
                self.search(subject, &problem, board, stop);
            }
        }
    }

    /// The problem to decide. Something is asked, or it is one of several files.
    fn read(&self, file: &Path, complaints: &Complaints<'_>) -> Result<Problem, Exit> {
        if !input::is_stdin(file) && file.is_dir() {
            return Err(
                complaints.unreadable(&input::display_name(file), "it is a directory, and there is no model in it")
            );
        }
        let question = &self.args.question;
        let Model { name, problem, asks } = input::asked(file, question, complaints)?;
        let problem = if question.ask.is_empty() {
            ask::choose(problem, &self.args.property)
        } else {
            let named = question.target.is_some() || question.properties.is_some();
            ask::choose_with(problem, &self.args.property, asks, named)
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
        if let Some(what) = self.endless(&problem) {
            let why = format!(
                "{what}, and the engine `dpllt` runs through initial states one by one: it needs `--bound N`, or an \
                 `--init` that says how many"
            );
            return Err(complaints.senseless(&name, &why));
        }
        Ok(problem)
    }

    /// What keeps `dpllt` from starting: initial states without number that slicing does not do away with.
    fn endless(&self, problem: &Problem) -> Option<String> {
        if self.args.engine.0 != Some(&engines::DPLLT) || self.args.bound.is_some() || !flags::is_parametric(problem) {
            return None;
        }
        let asked = MarkedTask::of(problem)?;
        let endless = |goal: Goal| {
            let slice = reduce::Options { slice: true, bound: None };
            let net = reduce::prepare(&asked.asking(&[goal]), &slice).task;
            !net.goals.is_empty() && net.net.places().iter().any(|p| p.initial.at_most.is_none())
        };
        let property = problem.properties().iter().find(|p| endless(p.goal))?;
        let what = if problem.system().as_threads().is_some() { "threads" } else { "tokens" };
        Some(format!("`{}` is about a start with any number of {what}", property.id))
    }

    /// Searches within one bound after the other, or without one.
    fn search(&self, subject: &Subject, problem: &Problem, board: &SharedBoard, stop: &Arc<Stop>) {
        // What is settled within one bound is settled: only the rest goes on to the next one.
        let mut open = problem.clone();
        let mut bounds = Bounds::default();
        let rounds = rounds(self.args.bound).filter(|_| !problem.properties().is_empty());
        for bound in rounds {
            with(board, |board| board.begin(bound));
            let undecided = self.round(&mut bounds, subject, &open, bound, board, stop);
            open = open.only(|p| undecided.contains(&p.id));
            if open.properties().is_empty() || stop.raised().is_some() {
                break;
            }
        }
    }

    /// Checks within one bound (or none); returns the ids of what a larger one may settle.
    fn round(
        &self,
        bounds: &mut Bounds,
        subject: &Subject,
        problem: &Problem,
        bound: Option<u64>,
        board: &SharedBoard,
        stop: &Arc<Stop>,
    ) -> Vec<String> {
        let on_answers = |answers: &[Answer]| {
            let seconds = with(board, |board| board.seconds());
            let shown = answers.iter().map(|a| report::show(problem, a, bound, seconds, self.style)).collect();
            // First of all the answers, as writing evidence may take its time.
            with(board, |board| board.learn(shown));
            let files = self.save(subject, problem, answers);
            with(board, |board| board.saved(answers, files));
        };
        let on_turn = |engine| with(board, |board| board.turn(engine));
        let options = Options {
            engine: self.args.engine.0,
            patterns: &self.patterns,
            facts: self.args.facts.unwrap_or_default(),
            batch: self.args.batch.map(|n| n as usize),
            bound,
            seed: self.args.seed.unwrap_or(0),
            jobs: self.threads,
            explore_all: self.args.explore_all,
            shortest: self.args.shortest,
            trust: self.args.trust.clone(),
            kernel_only: self.args.kernel_only,
            stop: Arc::clone(stop),
            on_answers: &on_answers,
            on_turn: &on_turn,
            ..Options::default()
        };
        let outcome = bounds.check(problem, &options);
        with(board, |board| outcome.answers.iter().for_each(|answer| board.update(answer)));
        let may_be_settled = |a: &Answer| a.unknown().is_some() && !matches!(a.property.goal, Goal::Unsupported(_));
        let undecided = outcome.answers.into_iter().filter(may_be_settled);
        undecided.map(|a| a.property.id).collect()
    }

    /// Writes the evidence behind `answers` if asked to, and that of a rejected claim in any case.
    fn save(&self, subject: &Subject, problem: &Problem, answers: &[Answer]) -> Result<Vec<String>, String> {
        let Some(Answer { claim: Some(claim), finding, .. }) = answers.first() else { return Ok(Vec::new()) };
        let rejected = matches!(finding, Finding::Rejected { .. });
        let temporary = std::env::temp_dir();
        let dir: &Path = match &self.args.evidence {
            Some(dir) => dir,
            None if rejected => &temporary,
            None => return Ok(Vec::new()),
        };
        let properties: Vec<&Property> = answers.iter().map(|a| &a.property).collect();
        let paths = evidence::save(dir, subject, problem, &properties, claim)
            .map_err(|error| format!("cannot write evidence into {}: {error}", dir.display()))?;
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        if rejected {
            for (property, path) in properties.iter().zip(&paths) {
                tell!("internal error: {}: wrong evidence for `{}`, kept in {path}", subject.name, property.id);
            }
        }
        Ok(paths)
    }
}

/// The bounds to try, in order.
fn rounds(bounds: Option<BoundRange>) -> Box<dyn Iterator<Item = Option<u64>>> {
    match bounds {
        None => Box::new(std::iter::once(None)),
        Some(BoundRange { first, last }) => Box::new((first..=last).map(Some)),
    }
}

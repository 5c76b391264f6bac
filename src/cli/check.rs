//! `impasse check`: decides the properties of models and reports the answers.

mod job;

use super::advice::Chosen;
use super::args::{CheckArgs, Common, ReportFormat};
use super::board::Board;
use super::checkpoint::Folder;
use super::disk::Stores;
use super::exit::{Exit, usage};
use super::input_name::display_name;
use super::limits::Watch;
use super::pool::Pool;
use super::question::Question;
use super::report::Style;
use super::reports::{Order, Reports};
use super::{drafts, evidence, files, flags, formats, output};
use impasse::model::{Pattern, Reason, Stop};
use impasse::{Family, questions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
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
    let witnesses = args.format == ReportFormat::Hwmcc;
    let style = Style { verbose, quiet, shortest, steps: args.trace_in_json, flows, witnesses, paint };
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

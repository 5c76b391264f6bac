//! A process of a cluster.
//!
//! It reads its place from standard input, says where it listens, reads the addresses of all processes, connects to
//! them, and searches. A line on standard input then means Ctrl-C. When standard input is closed, the supervisor is
//! gone, and the process ends.

use super::answers::{Job, answers};
use super::{INTERRUPT, PORT, Place, refuse};
use crate::cli::args::{Common, ReportFormat, RunArgs};
use crate::cli::board::Board;
use crate::cli::complaints::Complaints;
use crate::cli::exit::Exit;
use crate::cli::input::{self, Model};
use crate::cli::input_name::display_name;
use crate::cli::limits::Watch;
use crate::cli::question::Question;
use crate::cli::report::{self, Style};
use crate::cli::reports::{Order, Reports, SharedBoard, with};
use crate::cli::{drafts, formats, kinds, output};
use cluster::mesh::{Hello, Member, MeshError, connect};
use cluster::process::{self, Ended};
use cluster::tunnel::{Traffic, Tunnel};
use cluster::{Key, Links};
use impasse::model::{Problem, Reason, Stop};
use impasse::{Answer, questions};
use std::io::{self, BufRead};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::Instant;
use std::{panic, thread};
use view::text::Paint;

/// Messages of panics in timely's threads. They are shown only if they are bugs: timely panics when a connection
/// breaks.
static PANICS: Mutex<String> = Mutex::new(String::new());

/// The flag of this process.
static STOP: OnceLock<Arc<Stop>> = OnceLock::new();

pub(super) fn run(args: &RunArgs, common: &Common) -> Exit {
    let Some(place) = told::<Place>() else {
        let (why, hint) = ("this process has no supervisor", "unset IMPASSE_CLUSTER_MEMBER");
        return refuse(Exit::Usage, "cluster::worker", why, hint);
    };
    keep_panics();
    let mut args = args.clone();
    args.limits.memory = args.limits.memory.or(place.memory);
    let (listener, addresses) = match meet(&place) {
        Ok(met) => met,
        Err(exit) => return exit,
    };
    let is_text = args.format == ReportFormat::Text;
    let paint = if is_text { common.color.paint(&io::stdout()) } else { Paint::plain() };
    let style = Style {
        verbose: common.verbose,
        quiet: common.quiet,
        shortest: true,
        steps: false,
        flows: false,
        witnesses: false,
        paint,
    };
    let watch = Watch::start(&args.limits);
    let board = Board::new(display_name(&args.file), Vec::new());
    let reports = Arc::new(Reports::new(vec![board], formats::by_name(args.format, style, false), Order::AsGiven));
    let is_first = place.number == 0;
    let closing = Arc::clone(&reports);
    watch.set_last_words(move |reason| if is_first { closing.close(reason) } else { Exit::of_reason(reason) });
    let Some(board) = reports.board(0) else { return Exit::Internal };
    let stop = watch.stop();
    let _ = STOP.set(Arc::clone(&stop));
    with(&board, |board| (board.started, board.stop) = (Some(Instant::now()), Some(Arc::clone(&stop))));
    let complaints = if is_first { Complaints::new(common) } else { Complaints::silent(common) };
    let problem = read(&args, &complaints, &board);
    with(&board, |board| board.notes = complaints.into_notes());
    let end = match problem {
        Err(exit) => {
            with(&board, |board| board.refuse(exit));
            End::Answered(exit)
        }
        Ok(problem) => search(&args, &place, &addresses, &listener, problem, &stop),
    };
    let exit = match end {
        End::Searched(problem, answers) => {
            show(&board, &problem, &answers, style);
            Exit::Done
        }
        End::Answered(exit) => exit,
        End::Lost(exit) => {
            watch.take_over();
            // At a limit, the processes end one after the other.
            let limit = stop.raised().filter(|_| exit == Exit::Lost);
            let close = |reason| if is_first { reports.close(reason) } else { Exit::of_reason(reason) };
            // Threads may still wait for the process that was lost.
            drafts::end(limit.map_or(exit, close));
        }
    };
    watch.take_over();
    if !is_first {
        return exit;
    }
    reports.file(0);
    let exit = exit.max(reports.end());
    watch.finish();
    exit
}

/// Keeps the messages of panics in timely's threads for [`PANICS`].
fn keep_panics() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        // The threads of timely's connections have no name.
        if !thread::current().name().is_none_or(|name| name.starts_with("timely:")) {
            return usual(info);
        }
        let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
        panics.push_str(&format!("{info}\n"));
    }));
}

/// Listens, tells the supervisor where, and waits for the addresses of all processes. From then on, the process ends
/// with its supervisor.
fn meet(place: &Place) -> Result<(TcpListener, Vec<String>), Exit> {
    let listener = TcpListener::bind(&place.listen).map_err(|error| {
        let hint = "another process may still listen there: wait, or choose another port";
        refuse(Exit::Lost, "cluster::port", &format!("cannot listen at {}: {error}", place.listen), hint)
    })?;
    let port = listener.local_addr().map_or(0, |address| address.port());
    output::write(&format!("{PORT}{port}\n"));
    let addresses = told::<Vec<String>>();
    thread::spawn(|| {
        while let Some(line) = line() {
            match STOP.get().filter(|_| line == INTERRUPT) {
                Some(stop) => stop.raise(Reason::Interrupted),
                None => drafts::end(Exit::Interrupted),
            }
        }
        drafts::end(Exit::Lost);
    });
    let addresses = addresses.filter(|all| all.len() == place.processes).ok_or(Exit::Lost)?;
    Ok((listener, addresses))
}

/// Puts the answers on the board.
fn show(board: &SharedBoard, problem: &Problem, answers: &[Answer], style: Style) {
    let seconds = with(board, |board| board.seconds());
    let shown = answers.iter().map(|answer| report::show(problem, answer, None, seconds, style)).collect();
    with(board, |board| {
        board.learn(shown);
        board.saved(answers, Ok(Vec::new()));
    });
}

/// How the work of a process ended.
enum End {
    /// With answers.
    Searched(Arc<Problem>, Vec<Answer>),
    /// With an error of the input.
    Answered(Exit),
    /// Without a result, while threads may still run.
    Lost(Exit),
}

/// Reads what the supervisor tells.
fn told<T: serde::de::DeserializeOwned>() -> Option<T> {
    serde_json::from_str(&line()?).ok()
}

/// Reads a line of standard input.
fn line() -> Option<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).ok().filter(|&count| count > 0).map(|_| line)
}

/// Reads the model and its question.
fn read(args: &RunArgs, complaints: &Complaints<'_>, board: &SharedBoard) -> Result<Arc<Problem>, Exit> {
    let Model { name, problem, asks } = input::asked(&args.file, &args.question, complaints)?;
    let problem = if args.question.ask.is_empty() {
        questions::choose(problem, &args.property)
    } else {
        let named = args.question.target.is_some() || args.question.properties.is_some();
        questions::choose_with(problem, &args.property, asks, named)
    };
    let problem = problem.map_err(|why| complaints.senseless(&name, &why))?;
    let questions = problem.properties().iter().map(|p| Question::new(&problem, p)).collect();
    with(board, |board| {
        board.questions = questions;
        board.model = Some(kinds::of(&problem).report());
        board.asks_nothing(problem.properties().is_empty());
    });
    if problem.properties().is_empty() {
        let remedy = kinds::of(&problem).remedy();
        return Err(complaints.nothing_asked(&name, remedy));
    }
    Ok(Arc::new(problem))
}

/// Connects to all processes, and searches.
fn search(
    args: &RunArgs,
    place: &Place,
    addresses: &[String],
    listener: &TcpListener,
    problem: Arc<Problem>,
    stop: &Arc<Stop>,
) -> End {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let run = cluster::identity(&(&version, &*problem, args.explore_all));
    // Processes that save do more together than others.
    let model = format!("{run}-{}-{}", args.threads, args.checkpoint.is_some());
    let hello = Hello { run: place.run.clone(), version, model, processes: place.processes, number: place.number };
    let (lost, breaks) = mpsc::channel();
    let traffic = Arc::<Traffic>::default();
    let tunnels = match join(args, place, addresses, listener, (&hello, &traffic, &lost)) {
        Ok(tunnels) => tunnels,
        Err(exit) => return End::Lost(exit),
    };
    let job = Job { explore_all: args.explore_all, checkpoint: args.checkpoint.clone(), run, stop: Arc::clone(stop) };
    let (asked, bytes) = (Arc::clone(&problem), Arc::clone(&traffic));
    let work = move |worker: &mut cluster::Worker| {
        let mut links = Links::new(worker);
        answers(&mut links, &asked, &job, &bytes).map_err(|error| error.to_string())
    };
    match process::run(tunnels, place.number, args.threads as usize, breaks, work) {
        Ended::Done(results) => match results.into_iter().next() {
            Some(Ok(answers)) => {
                tell_traffic(place, &traffic);
                End::Searched(problem, answers)
            }
            Some(Err(why)) => {
                let hint = "remove the directory of `--checkpoint` to begin anew, or give another one";
                End::Lost(refuse(Exit::Input, "cluster::search", &why, hint))
            }
            None => End::Lost(Exit::Internal),
        },
        Ended::Lost(peer) => {
            tell!("cluster: process {}: the connection to process {peer} broke", place.number);
            End::Lost(Exit::Lost)
        }
        Ended::Failed(why) => End::Lost(failed(&why)),
    }
}

/// Connects to all processes.
fn join(
    args: &RunArgs,
    place: &Place,
    addresses: &[String],
    listener: &TcpListener,
    (hello, traffic, lost): (&Hello, &Arc<Traffic>, &mpsc::Sender<usize>),
) -> Result<Vec<Option<Tunnel>>, Exit> {
    let key = Key::read(&place.key).map_err(|error| {
        let hint = "`impasse cluster key FILE` makes a key file";
        refuse(Exit::Input, "cluster::key", &error.to_string(), hint)
    })?;
    let patience = u64::try_from(args.patience.as_millis() / 100).unwrap_or(u64::MAX);
    let member = Member { key: &key, hello, addresses, patience, traffic, lost };
    connect(listener, &member).map_err(|error| {
        let hint = "start all processes with the same model, question, key and version";
        let exit = if matches!(error, MeshError::Misfit(_)) { Exit::Input } else { Exit::Lost };
        refuse(exit, "cluster::connect", &error.to_string(), hint)
    })
}

/// Tells how many bytes this process sent and received, if `IMPASSE_CLUSTER_STATISTICS` is set.
fn tell_traffic(place: &Place, traffic: &Traffic) {
    if std::env::var_os("IMPASSE_CLUSTER_STATISTICS").is_some() {
        let bytes = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (sent, received) = (bytes(&traffic.sent), bytes(&traffic.received));
        tell!("cluster: process {} sent {sent} bytes, received {received}", place.number);
    }
}

/// Returns the exit code after a panic of a worker. Timely's threads panic when a connection breaks, whichever of them
/// notices it first.
fn failed(why: &str) -> Exit {
    let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    if panics.contains("timely communication error") {
        return Exit::Lost;
    }
    tell!("internal error: this is a bug in impasse; please report it with the input: {why}\n{panics}");
    Exit::Internal
}

//! A process of a cluster.
//!
//! It reads its place from standard input, says where it listens, reads the addresses of all processes, connects to
//! them, and searches. When standard input is closed, the supervisor is gone, and the process ends.

use super::answers::{Job, answers};
use super::{PORT, Place, refuse};
use crate::cli::args::{Common, ReportFormat, RunArgs};
use crate::cli::board::Board;
use crate::cli::exit::Exit;
use crate::cli::input::{self, Model};
use crate::cli::kinds;
use crate::cli::limits::Watch;
use crate::cli::notes::Complaints;
use crate::cli::question::Question;
use crate::cli::report::{self, Style};
use crate::cli::reports::{Order, Reports, SharedBoard, with};
use crate::cli::text::Paint;
use crate::cli::{evidence, formats, output};
use cluster::mesh::{Hello, Member, connect};
use cluster::process::{self, Ended};
use cluster::tunnel::Traffic;
use cluster::{Key, Links};
use impasse::model::{Problem, Stop};
use impasse::{Answer, questions};
use std::io::{self, BufRead};
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;
use std::{panic, thread};

/// Messages of panics in timely's threads. They are shown only if they are bugs: timely panics when a connection
/// breaks.
static PANICS: Mutex<String> = Mutex::new(String::new());

pub(super) fn run(args: &RunArgs, common: &Common) -> Exit {
    let Some(place) = line().and_then(|line| serde_json::from_str::<Place>(&line).ok()) else {
        return refuse(
            Exit::Usage,
            "cluster::worker",
            "this process has no supervisor",
            "unset IMPASSE_CLUSTER_MEMBER",
        );
    };
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !thread::current().name().is_some_and(|name| name.starts_with("timely:")) {
            return usual(info);
        }
        let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
        panics.push_str(&format!("{info}\n"));
    }));
    let mut args = args.clone();
    args.limits.memory = args.limits.memory.or(place.memory);
    let listener = match TcpListener::bind(&place.listen) {
        Ok(listener) => listener,
        Err(error) => {
            let hint = "another process may still listen there: wait, or choose another port";
            return refuse(Exit::Lost, "cluster::port", &format!("cannot listen at {}: {error}", place.listen), hint);
        }
    };
    let port = listener.local_addr().map_or(0, |address| address.port());
    output::write(&format!("{PORT}{port}\n"));
    let addresses: Option<Vec<String>> = line().and_then(|line| serde_json::from_str(&line).ok());
    thread::spawn(|| {
        while line().is_some() {}
        evidence::end(Exit::Lost);
    });
    let Some(addresses) = addresses.filter(|all| all.len() == place.processes) else { return Exit::Lost };
    let style = Style {
        verbose: common.verbose,
        quiet: common.quiet,
        shortest: true,
        steps: false,
        paint: if args.format == ReportFormat::Text { Paint::new(common.color, &io::stdout()) } else { Paint::plain() },
    };
    let watch = Watch::start(&args.limits);
    let board = Board::new(input::display_name(&args.file), Vec::new());
    let reports = Arc::new(Reports::new(vec![board], formats::by_name(args.format, style, false), Order::AsGiven));
    let reported = place.number == 0;
    let closing = Arc::clone(&reports);
    watch.set_last_words(move |reason| if reported { closing.close(reason) } else { Exit::of_reason(reason) });
    let Some(board) = reports.board(0) else { return Exit::Internal };
    let stop = watch.stop();
    with(&board, |board| (board.started, board.stop) = (Some(Instant::now()), Some(Arc::clone(&stop))));
    let complaints = if reported { Complaints::new(common) } else { Complaints::silent(common) };
    let end = match read(&args, &complaints, &board) {
        Err(exit) => {
            with(&board, |board| board.refuse(exit));
            End::Answered(exit)
        }
        Ok(problem) => search(&args, &place, addresses, &listener, problem, &stop),
    };
    let exit = match end {
        End::Searched(problem, answers) => {
            let seconds = with(&board, |board| board.seconds());
            let shown = answers.iter().map(|a| report::show(&problem, a, None, seconds, style)).collect();
            with(&board, |board| {
                board.learn(shown);
                board.saved(&answers, Ok(Vec::new()));
            });
            Exit::Done
        }
        End::Answered(exit) => exit,
        End::Lost(exit) => {
            watch.take_over();
            // At a limit, the processes end one after the other.
            let limit = stop.raised().filter(|_| exit == Exit::Lost);
            let exit =
                limit.map_or(exit, |reason| if reported { reports.close(reason) } else { Exit::of_reason(reason) });
            // Threads may still wait for the process that was lost.
            evidence::end(exit);
        }
    };
    watch.take_over();
    if !reported {
        return exit;
    }
    reports.file(0);
    let exit = exit.max(reports.end());
    watch.finish();
    exit
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
    addresses: Vec<String>,
    listener: &TcpListener,
    problem: Arc<Problem>,
    stop: &Arc<Stop>,
) -> End {
    let key = match Key::read(&place.key) {
        Ok(key) => key,
        Err(error) => {
            let hint = "`impasse cluster key FILE` makes a key file";
            return End::Lost(refuse(Exit::Input, "cluster::key", &error.to_string(), hint));
        }
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let run = cluster::identity(&(&version, &*problem, args.explore_all));
    let hello = Hello {
        run: place.run.clone(),
        version,
        model: format!("{run}-{}", args.threads),
        processes: place.processes,
        number: place.number,
    };
    let (lost, breaks) = mpsc::channel();
    let traffic = Arc::<Traffic>::default();
    let patience = u64::try_from(args.patience.as_millis() / 100).unwrap_or(u64::MAX);
    let member = Member { key: &key, hello: &hello, addresses: &addresses, patience, traffic: &traffic, lost: &lost };
    let tunnels = match connect(listener, &member) {
        Ok(tunnels) => tunnels,
        Err(error) => {
            let hint = "start all processes with the same model, question, key and version";
            let exit = if matches!(error, cluster::mesh::MeshError::Misfit(_)) { Exit::Input } else { Exit::Lost };
            return End::Lost(refuse(exit, "cluster::connect", &error.to_string(), hint));
        }
    };
    let job = Job { explore_all: args.explore_all, checkpoint: args.checkpoint.clone(), run, stop: Arc::clone(stop) };
    let asked = Arc::clone(&problem);
    let threads = args.threads as usize;
    let bytes = Arc::clone(&traffic);
    let work = move |worker: &mut cluster::Worker| {
        let mut links = Links::new(worker);
        answers(&mut links, &asked, &job, &bytes).map_err(|error| error.to_string())
    };
    match process::run(tunnels, place.number, threads, breaks, work) {
        Ended::Done(results) => match results.into_iter().next() {
            Some(Ok(answers)) => {
                if std::env::var_os("IMPASSE_CLUSTER_STATISTICS").is_some() {
                    let (sent, received) = (&traffic.sent, &traffic.received);
                    let bytes = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
                    tell!("cluster: process {} sent {} bytes, received {}", place.number, bytes(sent), bytes(received));
                }
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
        Ended::Failed(why) => {
            let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
            // Timely's threads panic when a connection breaks, whichever of them notices it first.
            if panics.contains("timely communication error") {
                return End::Lost(Exit::Lost);
            }
            tell!("internal error: this is a bug in impasse; please report it with the input: {why}\n{panics}");
            End::Lost(Exit::Internal)
        }
    }
}

//! `impasse explore`: a web page that steps through a model. The server listens only at 127.0.0.1, and answers only
//! requests with its token (`guard.rs`). `docs/explorer.md` describes its answers, so that other programs can use them.
//!
//! A request names the path to a state, and a machine (`crates/view/src/machine/`) steps along it by the choices that
//! the library defines for each kind of system. So the server has no sessions, and a link to a state stays valid.
//! Checks are processes of their own (`check.rs`), or threads if the model is in no file (`memory.rs`). The page itself
//! is in `apps/explorer/`, at the root of the repository.

mod answer;
mod assets;
mod check;
mod guard;
mod layout;
mod memory;
mod server;
pub(super) mod session;
mod shape;
mod task;
mod tasks;

use super::args::{Cli, Command, Common, ExploreArgs, LimitArgs, ProgressArg};
use super::exit::{Exit, usage};
use super::limits::Watch;
use super::{flags, output};
use clap::Parser;
use guard::Gate;
use impasse::model::Problem;
use server::{ServerState, service};
use session::Session;
use std::io;
use std::net::Ipv4Addr;
use std::process::{self, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tasks::Tasks;
use tokio::net::TcpListener;

/// Interval at which the server looks whether it should end.
const TICK: Duration = Duration::from_millis(50);

/// Number of requests that are computed at the same time.
const AT_ONCE: usize = 4;

pub(super) fn run(args: &ExploreArgs, common: &Common) -> Exit {
    if args.file == "-" {
        return usage("`explore` reads the model again for each check, so it cannot be standard input");
    }
    if let Some(why) = flags::refused_question(&args.file, &args.question, common.input_format.as_deref()) {
        return usage(&why);
    }
    serve(|| Session::read(args, common), args, common)
}

/// Serves the page for a problem in memory, which the page calls `name`.
pub(super) fn of_problem(name: &str, problem: Problem, port: u16) -> Exit {
    let port = port.to_string();
    let cli = Cli::parse_from(["impasse", "explore", "--port", &port, "--", name]);
    let Command::Explore(args) = &cli.command else { unreachable!("the words are those of `explore`") };
    serve(|| Ok(Session::of_problem(name.to_owned(), problem)), args, &cli.common)
}

fn serve(session: impl FnOnce() -> Result<Session, Exit>, args: &ExploreArgs, common: &Common) -> Exit {
    let limits = LimitArgs { timeout: None, memory: args.memory, progress: ProgressArg::Never };
    let watch = Watch::start(&limits);
    watch.set_last_words(|reason| {
        tell!("error: {}", super::limits::ended("server", reason));
        Exit::of_reason(reason)
    });
    let session = match session() {
        Ok(session) => Arc::new(session),
        Err(exit) => return exit,
    };
    match answer_requests(session, args, common, &watch) {
        Ok(()) => Exit::Done,
        Err(error) => {
            watch.take_over();
            tell!("error: cannot serve the page: {error}");
            Exit::Input
        }
    }
}

/// Answers requests until Ctrl-C.
fn answer_requests(session: Arc<Session>, args: &ExploreArgs, common: &Common, watch: &Watch) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(AT_ONCE).build()?;
    let tasks = Arc::new(Tasks::new(Arc::clone(&session), args, common.input_format.clone())?);
    let served = runtime.block_on(async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await?;
        let gate = Gate::new(listener.local_addr()?.port()).map_err(io::Error::other)?;
        let address = gate.address();
        say!("{}: {address}", session.file);
        if output::has_failed() {
            // Nothing could use the page.
            return Ok(());
        }
        if !common.quiet {
            tell!("note: the address is secret: it lets programs of this machine run checks. Ctrl-C ends the server");
        }
        if args.open {
            open(&address);
        }
        let service = service(ServerState { session, tasks: Arc::clone(&tasks) }, gate);
        let stop = watch.stop();
        let ended = async move {
            while stop.raised().is_none() {
                tokio::time::sleep(TICK).await;
            }
        };
        tokio::select! {
            served = axum::serve(listener, service) => served,
            () = ended => Ok(()),
        }
    });
    // Evidence of checks is removed with the tasks.
    watch.take_over();
    tasks.close();
    runtime.shutdown_background();
    drop(tasks);
    served
}

/// Opens the page in the browser of the desktop. If there is none, the address is printed anyway.
fn open(address: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let opened = process::Command::new(program)
        .args(before)
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = opened {
        tell!("warning: cannot open a browser with `{program}`: {error}");
    }
}

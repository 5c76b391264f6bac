//! `impasse cluster`: searches a model in several processes.
//!
//! The command that a user starts is the *supervisor* (`supervisor.rs`). It starts the processes of this machine
//! (`member.rs`), which are the same program with the variable [`MEMBER`], and starts them again after one was lost. It
//! tells each of them its place on standard input, and passes on what process 0 writes.

mod answers;
mod key;
mod member;
mod place;
mod supervisor;

use super::args::{ClusterArgs, ClusterCommand, Common};
use super::exit::Exit;
use serde::{Deserialize, Serialize};

pub(super) fn run(args: &ClusterArgs, common: &Common) -> Exit {
    match &args.command {
        ClusterCommand::Key(args) => key::make(&args.file),
        ClusterCommand::Run(args) if std::env::var_os(MEMBER).is_some() => member::run(args, common),
        ClusterCommand::Run(args) => supervisor::run(args),
    }
}

/// What the supervisor tells a process first.
#[derive(Serialize, Deserialize)]
struct Place {
    number: usize,
    processes: usize,
    /// The address to listen at.
    listen: String,
    run: String,
    /// The key, in PEM.
    key: String,
    /// The memory limit in bytes.
    memory: Option<usize>,
}

/// The variable in the environment of a process that a supervisor has started.
const MEMBER: &str = "IMPASSE_CLUSTER_MEMBER";

/// The first line that a process writes: this and the port where it listens. The supervisor does not pass it on.
const PORT: &str = "impasse-cluster-port ";

/// What the supervisor tells a process after Ctrl-C.
const INTERRUPT: &str = "interrupt\n";

/// Reports an error of the command line or of the environment, with its code and a hint.
fn refuse(exit: Exit, code: &str, message: &str, hint: &str) -> Exit {
    tell!("error: {code}\n  x {message}\n  help: {hint}");
    exit
}

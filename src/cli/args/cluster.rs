//! The arguments of `impasse cluster`.

use super::values::{parse_duration, parse_number};
use super::{LimitArgs, QuestionArgs, ReportFormat};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
pub(crate) struct ClusterArgs {
    #[command(subcommand)]
    pub(crate) command: ClusterCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum ClusterCommand {
    /// Search a model in several processes, on this machine or on many
    Run(Box<RunArgs>),
    /// Make a key file, which all processes of a cluster need unless all are on this machine
    Key(KeyArgs),
}

#[derive(Args, Debug)]
pub(crate) struct KeyArgs {
    /// The file to write. It must not exist
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
}

const WHERE: &str = "Where the processes are";
const QUESTION: &str = "What is asked";
const SEARCH: &str = "How to search";
const REPORT: &str = "What is reported";

#[derive(Args, Debug, Clone)]
pub(crate) struct RunArgs {
    /// The model: a net, a thread-transition system or a behavioral program
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Number of processes: on this machine [default: one for each of its cores], or pods with `--service`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), help_heading = WHERE)]
    pub(crate) processes: Option<u32>,
    /// File with the address of each process, a line `host:port` each. This process is the one with `--process`
    #[arg(long, value_name = "FILE", requires = "process", conflicts_with_all = ["processes", "slurm", "service"],
        help_heading = WHERE)]
    pub(crate) hosts: Option<PathBuf>,
    /// Number of this process in the file of hosts, from 0. Process 0 reports
    #[arg(long, value_name = "I", requires = "hosts", help_heading = WHERE)]
    pub(crate) process: Option<usize>,
    /// Take the processes from the environment of a Slurm job step: `srun impasse cluster run --slurm ..`
    #[arg(long, conflicts_with_all = ["processes", "service"], help_heading = WHERE)]
    pub(crate) slurm: bool,
    /// Take the processes from the pods of a Kubernetes StatefulSet with this headless service
    #[arg(long, value_name = "NAME", requires = "processes", help_heading = WHERE)]
    pub(crate) service: Option<String>,
    /// Port of the first process on a machine, for `--slurm` and `--service`
    #[arg(long, value_name = "PORT", default_value_t = 2101, value_parser = clap::value_parser!(u16).range(1..),
        help_heading = WHERE)]
    pub(crate) port: u16,
    /// Key file of the cluster, which `impasse cluster key` makes
    #[arg(long, value_name = "FILE", help_heading = WHERE)]
    pub(crate) key: Option<PathBuf>,
    /// Time to wait until all processes are connected
    #[arg(long, value_name = "TIME", default_value = "120s", value_parser = parse_duration, help_heading = WHERE)]
    pub(crate) patience: Duration,
    /// Threads in each process
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024),
        help_heading = WHERE)]
    pub(crate) threads: u32,
    /// Save the search in this directory, and go on from there if it has a search that was not completed
    #[arg(long, value_name = "DIR", help_heading = SEARCH)]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Start again at most this many times after a process was lost
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = parse_number, help_heading = SEARCH)]
    pub(crate) restarts: u64,
    /// Check only this property, by its id (repeatable) [default: all of the model]
    #[arg(long, value_name = "ID", help_heading = QUESTION)]
    pub(crate) property: Vec<String>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Complete the state space, so that the counts are those of the whole space
    #[arg(long, help_heading = SEARCH)]
    pub(crate) explore_all: bool,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = REPORT)]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

//! The arguments of the commands other than `check`.

use super::values::{Shard, parse_duration, parse_number, parse_shard, parse_size};
use super::{LimitArgs, QuestionArgs, ReportFormat};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// Models
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Memory limit: 512M, 2G [default: 80% of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) memory: Option<usize>,
    /// Say the class of a net, its semiflows, siphons and traps
    #[arg(long)]
    pub(crate) structure: bool,
    /// Count the reachable markings of a net, their arcs and tokens
    #[arg(long)]
    pub(crate) count: bool,
    /// Format of the description
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: InfoFormat,
    /// Time limit of `--count`: 10s, 5m [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "count", allow_hyphen_values = true)]
    pub(crate) timeout: Option<Duration>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

/// How a description is written.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InfoFormat {
    /// For people
    Text,
    /// A JSON object on a line for each file
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct BatchArgs {
    /// Jobs: on each line a JSON object with a `model` and options of `check`
    #[arg(value_name = "JOBS.jsonl")]
    pub(crate) file: PathBuf,
    /// Append a line to this file when a job is done. Jobs that have a line are not run again
    #[arg(long, value_name = "FILE")]
    pub(crate) results: PathBuf,
    /// Run only the jobs of this shard: `2/8` is each eighth job, beginning with the second
    #[arg(long, value_name = "I/N", value_parser = parse_shard, default_value = "1/1")]
    pub(crate) shard: Shard,
    /// Number of jobs to run at once, at most the threads that the machine runs at once [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Append the time that each job took to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) times: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Options of `check` for all jobs, after `--`
    #[arg(last = true, value_name = "OPTIONS")]
    pub(crate) options: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The directory that `check --checkpoint` was given
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Time between two checkpoints [default: as in the check]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) checkpoint_every: Option<Duration>,
    /// Number of threads that search [default: as in the check]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Format of the report [default: as in the check]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<ReportFormat>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// The model, or a formula (.cnf)
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Evidence that `check --evidence` wrote; for a formula, an LRAT proof
    #[arg(value_name = "EVIDENCE")]
    pub(crate) evidence: String,
    /// Accept this pattern's lemmas although the checker has no rule for them (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub(crate) trust: Vec<String>,
    /// Accept only what the checker's kernel confirms alone
    #[arg(long)]
    pub(crate) kernel_only: bool,
    /// Draw an accepted run into this file, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

#[derive(Args, Debug)]
pub(crate) struct SimulateArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Take this many random steps instead of asking
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) random: Option<u64>,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) seed: u64,
    /// Stop after this many steps
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) steps: Option<u64>,
    /// Start with the run in this file, which `check --evidence` wrote: at its end, or at the step given by
    /// `--at`
    #[arg(long, value_name = "EVIDENCE")]
    pub(crate) from: Option<String>,
    /// Take only this many steps of the run given by `--from`
    #[arg(long, value_name = "STEP", requires = "from", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) at: Option<u64>,
    /// Ask line by line on a terminal, too, instead of using the whole screen
    #[arg(long)]
    pub(crate) lines: bool,
    /// Memory limit: 512M, 2G [default: 80% of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) memory: Option<usize>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// The model
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// The file to write: .spec, .tts, .pnml, .lola, .net (nets and thread-transition systems), .rwb, .json
    /// (programs), .aag, .aig, .btor2 (circuits, also of nets and programs), .dot
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Leave out the markings in which a net may end
    #[arg(long)]
    pub(crate) without_finals: bool,
    #[command(flatten)]
    pub(crate) circuit: CircuitArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Determines how a system is encoded as a circuit.
#[derive(Args, Debug, Clone)]
pub(crate) struct CircuitArgs {
    /// Circuits of nets: at most N tokens on each place
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) bound: Option<u64>,
    /// Circuits of nets: at most N tokens (thread-transition systems: threads) in all
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) total: Option<u64>,
    /// Circuits: encoding of counts as bits; for programs, encoding of local states (`one-hot` or `binary`)
    /// [default: thermometer, one-hot for programs]
    #[arg(long, value_name = "ENCODING")]
    pub(crate) encoding: Option<EncodingArg>,
    /// Circuits: an output for this property only, by its id (repeatable) [default: all of the model]
    #[arg(long, value_name = "ID")]
    pub(crate) property: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EncodingArg {
    /// A bit for each threshold: n or more tokens
    Thermometer,
    /// A bit for each count
    OneHot,
    /// Binary digits
    Binary,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProofFormat {
    /// Text; a checker must find out why each clause follows
    Drat,
    /// Text; the proof says why each clause follows, so checking is fast
    Lrat,
    /// DRAT in the binary form of drat-trim
    DratBinary,
    /// LRAT in a similar binary form
    LratBinary,
}

#[derive(Args, Debug)]
pub(crate) struct SatArgs {
    /// The formula
    #[arg(value_name = "FILE.cnf")]
    pub(crate) file: String,
    /// Write a proof of unsatisfiability
    #[arg(long, value_name = "FILE")]
    pub(crate) proof: Option<PathBuf>,
    /// Format of the proof; `replay` checks LRAT proofs, of either form [default: that of the name, or `drat`]
    #[arg(long, value_name = "FORMAT", requires = "proof")]
    pub(crate) proof_format: Option<ProofFormat>,
    /// Check the answer with the independent checker: the model, or the proof, which is kept in memory
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// A word of a report (an engine, a pattern, a verdict, a statistic, ..) or the code of an error; without
    /// a word, all are listed
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The directory to write to
    #[arg(value_name = "DIR")]
    pub(crate) directory: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

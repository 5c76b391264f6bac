//! The command line. `docs/cli.md` describes it for users. Tests check both the help and this document.

#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "explore")]
mod dap;
mod disk;
mod draw;
#[cfg(feature = "explore")]
mod explore;
#[cfg(feature = "lsp")]
mod lsp;
mod other;
mod values;

use super::{version, words};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
#[cfg(feature = "cluster")]
pub(crate) use cluster::{ClusterArgs, ClusterCommand, RunArgs};
#[cfg(feature = "explore")]
pub(crate) use dap::DapArgs;
pub(crate) use disk::DiskArgs;
pub(crate) use draw::{DrawArgs, PictureFormat, TraceForm, What};
#[cfg(feature = "explore")]
pub(crate) use explore::ExploreArgs;
use impasse::formats::Strategy;
use impasse::{InvariantUse, Row, engines};
#[cfg(feature = "lsp")]
pub(crate) use lsp::LspArgs;
pub(crate) use other::{
    BatchArgs, CircuitArgs, CompletionsArgs, ConvertArgs, EncodingArg, ExplainArgs, InfoArgs, InfoFormat, ManArgs,
    ProofFormat, ReplayArgs, ResumeArgs, SatArgs, SimulateArgs,
};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;
pub(crate) use values::{Bounds, Shard};
use values::{parse_bounds, parse_define, parse_duration, parse_invariants, parse_number, parse_size, parse_strategy};
use view::text::Paint;

/// Decides whether a concurrent system can get stuck or go wrong, and proves it.
///
/// Models: Petri nets (`.spec`, `.pnml`, `.tapn`, `.bpmn`, `.lola`, `.net`), thread-transition systems (`.tts`),
/// behavioral programs (`.rwb`, as JSON `.json`, or BPjs `.js`), circuits (`.aag`, `.aig`, `.btor2`), reactive C
/// programs (`.c`), also compressed (`.xz`, `.gz`). FILE `-` is standard input (then give `--input-format`).
///
/// Questions: those of the model, and `--ask FORMULA`. About nets and thread-transition systems: formulas of
/// computation tree logic (`AG EF p`), temporal formulas (`G F p`), largest values (`MAX p`), `LIVENESS` and the like.
/// About programs: `EF phi`, `AG phi` and temporal formulas. About reactive programs: temporal formulas.
#[derive(Parser, Debug)]
#[command(name = "impasse", version, long_version = version::long(), max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const EXIT_CODES: &str = "\
Exit codes of `check`:
  0 everything proven
  10 a bad state or a target is reachable, 11 a deadlock is reachable, 12 what `--ask 'EF ..'` expects is unreachable
  13 a temporal formula or one of computation tree logic does not hold, or a thread stays hot
  30 unknown (gave up or uncertified), 31 time limit, 32 memory limit, 33 only proven up to a bound
  64 usage, 65 bad input, 70 internal error, 75 a process was lost (`cluster run`), 130 interrupted
The other commands: 0 done, 1 evidence not accepted (`replay`, `draw`), no run found (`draw`) or no `shutdown` (`lsp`),
31, 32, 130 nothing written (`convert`, `draw`), 64, 65, 70.
`sat`: 10 satisfiable, 20 unsatisfiable, 0 unknown.";

/// Headings of groups of options in `--help`.
const QUESTION: &str = "What is asked";
const SEARCH: &str = "How to search";
const REPORT: &str = "What is reported";
const LIMITS: &str = "Limits";

/// Returns the list of engines with their titles for `--help`. It is too long for the short help (`-h`).
fn engine_help() -> String {
    let mut text = "The engine that searches\n\nPossible values:".to_owned();
    words::engines::help().for_each(|(name, about)| {
        text.push_str(&format!(
            "
- {name}: {about}"
        ))
    });
    text
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Decide every property of a model
    Check(CheckArgs),
    /// Continue a check from its checkpoint (`check --checkpoint`)
    Resume(ResumeArgs),
    /// Check the models that a file of jobs names, and append a line of results for each
    Batch(BatchArgs),
    /// Describe a model: sizes, features, which patterns match, and why the others do not
    Info(InfoArgs),
    /// Check evidence against the model with the independent checker alone
    Replay(ReplayArgs),
    /// Step through a model by hand or at random
    Simulate(SimulateArgs),
    /// Step through a model in a browser, with pictures, checks and searches
    #[cfg(feature = "explore")]
    Explore(ExploreArgs),
    /// Serve editors by the debug adapter protocol: step through a model forth and back, with breakpoints
    #[cfg(feature = "explore")]
    Dap(DapArgs),
    /// Serve editors by the language server protocol: mistakes, names, checks
    #[cfg(feature = "lsp")]
    Lsp(LspArgs),
    /// Draw a model or a run: SVG, Graphviz, Mermaid, or a page
    Draw(DrawArgs),
    /// Write a model in another format, chosen by the file's extension
    Convert(ConvertArgs),
    /// Solve a propositional formula (DIMACS CNF)
    Sat(SatArgs),
    /// Search a model in several processes, on this machine or on many
    #[cfg(feature = "cluster")]
    Cluster(ClusterArgs),
    /// Explain a word of a report, or the code of an error or warning, with a wrong and a right example
    Explain(ExplainArgs),
    /// Write manual pages
    Man(ManArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
}

/// Options of every command. The help of a command lists them after the other options of the command.
#[derive(Args, Debug, Clone)]
pub(crate) struct Common {
    /// Print more: whole traces, counts per kind of lemma
    #[arg(short, long, global = true, display_order = 901, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Print only the verdicts
    #[arg(short, long, global = true, display_order = 902)]
    pub(crate) quiet: bool,
    /// Colours; `auto` uses them if output goes to a terminal and NO_COLOR is not set
    #[arg(
        long,
        global = true,
        display_order = 903,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) color: ColorWhen,
    /// Format of the model files [default: by extension]
    #[arg(long, global = true, display_order = 904, value_name = "FORMAT", hide_short_help = true)]
    pub(crate) input_format: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

impl ColorWhen {
    /// Decides whether output to `stream` has colours.
    pub(crate) fn paint(self, stream: &impl IsTerminal) -> Paint {
        Paint::new(match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        })
    }
}

#[derive(Args, Debug, Clone)]
#[command(
    after_help = "`impasse check --help` lists all options, `impasse explain WORD` explains a word of the report.",
    after_long_help = "`impasse explain WORD` explains a word of the report, `impasse --help` lists the exit codes."
)]
pub(crate) struct CheckArgs {
    /// Models, directories (all models in them), and patterns (`'models/**/*.rwb'`)
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// End as with Ctrl-C when standard input ends. For programs that start checks, so that no check outlives them
    #[arg(long, hide = true)]
    pub(crate) while_stdin: bool,
    /// Check only this property, by its id (repeatable) [default: all of the model]
    ///
    /// Behavioral programs have `bad`, `deadlock`, `hot:THREAD`, `hot:*` and `hot`. Nets and thread-transition systems
    /// have `target` (all targets together), `target:K` (only the K-th), `target:*` (each one by itself), the ids of
    /// contest properties, and on demand `deadlock` and `final` (is a final marking of the PNML file reachable?).
    /// Reactive programs have `error:N`, `error:*`, `ltl:K` (of `--properties`, from 0) and `ltl:*`
    #[arg(long, value_name = "ID", help_heading = QUESTION)]
    pub(crate) property: Vec<String>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Allow at most N tokens (nets) or threads (thread-transition systems)
    ///
    /// With a range A..B, the bounds are tried in order, until one of them settles the property
    #[arg(
        long,
        value_name = "N|A..B",
        help_heading = QUESTION,
        value_parser = parse_bounds,
        allow_hyphen_values = true,
    )]
    pub(crate) bound: Option<Bounds>,
    /// The engine that searches: `impasse explain` lists all engines
    #[arg(long, value_name = "ENGINE", default_value = "auto", hide_possible_values = true, long_help = engine_help(),
        value_parser = EngineArg::values(), help_heading = SEARCH)]
    pub(crate) engine: EngineArg,
    /// An engine that takes no turns, to measure what it contributes (repeatable)
    #[arg(long, value_name = "ENGINE", hide_possible_values = true, value_parser = EngineArg::names(),
        help_heading = SEARCH, conflicts_with = "engine", hide_short_help = true)]
    pub(crate) without: Vec<EngineArg>,
    /// Pattern matchers for `dpllt`: `all`, `none`, or names; for nets and thread-transition systems, `none`
    /// means a search without invariants (`dpllt`, `ic3.bits`, `ic3.ttscov`)
    #[arg(long, value_name = "all|none|NAME,..", default_value = "all", value_delimiter = ',', help_heading = SEARCH,
        hide_short_help = true)]
    pub(crate) patterns: Vec<String>,
    /// Uses of net invariants in `ic3.bits` and `ic3.ttscov`: `all`, `none`, or some of `clauses` (places that
    /// are never marked together), `bounds` (maximum tokens of places), `rules` (transitions that never fire
    /// are left out)
    #[arg(
        long,
        alias = "facts",
        value_name = "all|none|WHAT,..",
        value_parser = parse_invariants,
        help_heading = SEARCH,
        hide_short_help = true,
    )]
    pub(crate) invariants: Option<InvariantUse>,
    /// States per region of `dpllt`; 1 is the pure calculus [default: adapts]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = SEARCH,
        hide_short_help = true)]
    pub(crate) batch: Option<u32>,
    /// Complete the state space, so that the counts are those of the whole space (engine `explicit`)
    #[arg(long, help_heading = SEARCH, hide_short_help = true)]
    pub(crate) explore_all: bool,
    /// After a violation, continue until a breadth-first search has found a shortest run, as far as limits
    /// allow
    #[arg(long, help_heading = SEARCH, hide_short_help = true)]
    pub(crate) shortest: bool,
    #[command(flatten)]
    pub(crate) disk: DiskArgs,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = REPORT)]
    pub(crate) format: ReportFormat,
    /// Add runs to the JSON report: each step with its event, its changes and the state after it
    #[arg(long, help_heading = REPORT, hide_short_help = true)]
    pub(crate) trace_in_json: bool,
    /// Write traces and certificates into this directory, one file each
    #[arg(long, value_name = "DIR", help_heading = REPORT)]
    pub(crate) evidence: Option<PathBuf>,
    /// Write each run beside its evidence, as a page with pictures or as waves
    #[arg(long, value_name = "FORM", requires = "evidence", help_heading = REPORT, hide_short_help = true)]
    pub(crate) trace: Option<TraceForm>,
    /// Accept this pattern's lemmas although the checker has no rule for them (repeatable; noted in the
    /// report)
    #[arg(long, value_name = "PATTERN", help_heading = SEARCH, hide_short_help = true)]
    pub(crate) trust: Vec<String>,
    /// Accept only what the checker's kernel confirms alone; other answers become `unknown (uncertified)`
    #[arg(long, help_heading = SEARCH, hide_short_help = true)]
    pub(crate) kernel_only: bool,
    /// Seed of random walks and of random orders (`explicit.dfs` and the like)
    #[arg(long, value_name = "S", value_parser = parse_number, allow_hyphen_values = true, help_heading = SEARCH,
        hide_short_help = true)]
    pub(crate) seed: Option<u64>,
    /// Number of files to check at once; for a single file, number of threads that search it
    ///
    /// The number is limited to the threads that the machine runs at once. Answers and their order do not
    /// depend on it. The engines of `auto` work side by side; an engine that works alone uses all threads, except
    /// those for circuits, which use one
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub(crate) jobs: Option<u32>,
    /// Time limit for each file
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) timeout_each: Option<Duration>,
    /// Save the check in this directory at times, so that `impasse resume DIR` can continue it
    ///
    /// Explicit searches of programs, nets and thread-transition systems are saved, and so are clauses of IC3. Other
    /// engines start anew. The check is also saved when a limit or Ctrl-C ends it
    #[arg(long, value_name = "DIR", help_heading = LIMITS)]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Time between two checkpoints
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "60s", requires = "checkpoint",
        help_heading = LIMITS, hide_short_help = true)]
    pub(crate) checkpoint_every: Duration,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Options that determine the question about a model. Without these options, the model determines it.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct QuestionArgs {
    /// Check this target instead of the model's own: a `.prop` or `.formula` file [default: the one beside
    /// the model]
    #[arg(long, value_name = "FILE", help_heading = QUESTION)]
    pub(crate) target: Option<String>,
    /// Check the properties in this file
    ///
    /// Properties in contest XML replace the model's own properties. Temporal formulas of a reactive program
    /// are checked in addition to its error labels
    #[arg(long, value_name = "FILE", conflicts_with = "target", help_heading = QUESTION)]
    pub(crate) properties: Option<String>,
    /// Check this instead of the model's own properties: `EF phi`, `AG phi` or another formula (repeatable)
    ///
    /// Nets, thread-transition systems: also formulas of CTL and LTL, `MAX p + q`, `LIVENESS` and others. Programs:
    /// also temporal formulas without quantifiers. A name may precede it: `NAME: FORMULA`. The exit code is 0 if it
    /// holds
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = QUESTION)]
    pub(crate) ask: Vec<String>,
    /// Only runs of a program that are fair to this count for temporal formulas and hot threads (repeatable):
    /// `THREAD`, `event:EVENT`, or `strong:` before it
    ///
    /// A thread or event that can go on from some point on goes on again and again. With `strong:`, one that can go
    /// on again and again does. `*` stands for all
    #[arg(long, value_name = "WHAT", help_heading = QUESTION)]
    pub(crate) fair: Vec<String>,
    /// The ends of a program that are proper, that is, no deadlocks: ends in `final` states, ends in which no
    /// thread requests anything, these and ends in which a thread blocks all events, or none
    #[arg(long, value_name = "WHICH", default_value = "final", help_heading = QUESTION, hide_short_help = true)]
    pub(crate) ends: EndsArg,
    /// Markings in which a net or thread-transition system may end, so that they are no deadlocks [default:
    /// final markings of a PNML file]
    #[arg(
        long = "final",
        value_name = "FORMULA",
        allow_hyphen_values = true,
        help_heading = QUESTION,
        hide_short_help = true,
    )]
    pub(crate) ends_in: Option<String>,
    /// File with the bodies of functions that a reactive program declares but does not define
    #[arg(long = "extern", value_name = "FILE", help_heading = QUESTION, hide_short_help = true)]
    pub(crate) bodies: Option<String>,
    /// Strategy by which a BPjs program selects events: `simple` or `prioritized-bsync`
    ///
    /// `simple` (any event that is requested and not blocked) is the default of BPjs. With `prioritized-bsync`, only
    /// events count that are requested with the greatest priority, which is the data of a sync: `bp.sync({..}, 5)`
    #[arg(long, value_name = "NAME", value_parser = parse_strategy, help_heading = QUESTION, hide_short_help = true)]
    pub(crate) strategy: Option<Strategy>,
    /// Global variable of a BPjs program, with its value in JSON (repeatable): `--define SIZE=5`
    #[arg(
        long = "define",
        value_name = "NAME=JSON",
        value_parser = parse_define,
        help_heading = QUESTION,
        hide_short_help = true
    )]
    pub(crate) defines: Vec<(String, String)>,
    /// Choose the initial state: `0|0` (thread-transition systems), `x=7,y=2` (open places)
    ///
    /// For thread-transition systems also `0/0`, `1|0,1/2`: local states after `/` start with arbitrarily many
    /// threads
    #[arg(long, value_name = "SPEC", help_heading = QUESTION)]
    pub(crate) init: Option<String>,
}

/// Determines which ends of a program are proper.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum EndsArg {
    /// States in which every thread is in a state marked `final`
    #[default]
    Final,
    /// States in which no thread requests anything, and no other states
    Proper,
    /// States in which no thread requests anything, or some thread blocks all events
    Stopped,
    /// None: every state without an enabled event is a deadlock
    None,
}

/// Limits on the whole command, and its progress output.
#[derive(Args, Debug, Clone)]
pub(crate) struct LimitArgs {
    /// Time limit for the whole command: 60s, 5m, 1h, 500ms [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) timeout: Option<Duration>,
    /// Memory limit: 512M, 2G [default: 80% of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) memory: Option<usize>,
    /// Progress on stderr: a line if that is a terminal, or one JSON object a second
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = LIMITS, hide_short_help = true)]
    pub(crate) progress: ProgressArg,
}

/// The chosen engine. `None` stands for `auto`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EngineArg(pub(crate) Option<&'static Row>);

impl EngineArg {
    /// Returns the parser for the values of `--engine`.
    fn values() -> impl TypedValueParser<Value = Self> {
        Self::among(|_| true)
    }

    /// Returns the parser for the values of `--without`: engines, and not `auto`.
    fn names() -> impl TypedValueParser<Value = Self> {
        Self::among(|name| engines::by_name(name).is_some())
    }

    fn among(is_meant: fn(&str) -> bool) -> impl TypedValueParser<Value = Self> {
        let values = words::engines::help().filter(|(name, _)| is_meant(name)).map(|(name, about)| {
            let formerly = engines::by_name(name).map_or(&[][..], |row| row.formerly);
            PossibleValue::new(name).help(about).aliases(formerly)
        });
        PossibleValuesParser::new(values.collect::<Vec<_>>()).map(|name| Self(engines::by_name(&name)))
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReportFormat {
    /// Text for people
    Text,
    /// One object per file, and a summary
    Json,
    /// JUnit XML: a suite per file, a case per property
    Junit,
    /// SARIF 2.1.0: violated and unknown properties, errors, and warnings
    Sarif,
    /// The format of the model checking contest: a line `FORMULA ID TRUE|FALSE ..` per property (nets and
    /// thread-transition systems)
    Mcc,
    /// The format of the hardware model checking competition: a result and a witness per property, violations first
    /// (circuits)
    Hwmcc,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgressArg {
    Auto,
    Never,
    Ndjson,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}

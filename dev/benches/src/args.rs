//! The command line of the bench runner.

use crate::formulas::PATIENCE;
use crate::process::Limits;
use crate::units::{parse_duration, parse_size};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Measures the tool on a corpus and compares its answers with the known ones.
#[derive(Parser, Debug)]
#[command(version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Behavioral programs: the corpus folder `rwb` with its `expected.csv`
    Rwb(RwbArgs),
    /// Programs with data: the folders `tests/data/with_data` and `tests/data/unbounded` of the repository
    Data(DataArgs),
    /// All engines in turns against each engine alone: the cost of the other engines' turns
    Auto(AutoArgs),
    /// Nets with a target: the corpus folder `petri` with its `expected.csv`
    Petri(PetriArgs),
    /// Nets of the Model Checking Contest with their formulas: the corpus folder `mcc` with its `expected.csv`
    Mcc(MccArgs),
    /// Soundness of generated workflow nets
    Workflows(WorkflowArgs),
    /// Generated circuits of ten families, compared with `pdr` of ABC and with rIC3; with `--liveness`, circuits
    /// of six families with justice properties, compared with `l2s` and `pdr` of ABC
    Circuits(CircuitArgs),
    /// Bit-level IC3: circuits (compared with `pdr` of ABC), protocols, nets, programs
    Ic3(Ic3Args),
    /// Reactive C programs: the corpus folder `rers`
    Rers(RersArgs),
    /// Propositional formulas: the corpus folder `cnf` with its `expected.csv`, generated formulas, and streams
    /// of small queries
    Sat(SatArgs),
    /// Growth of time with the size of the model: generated families of sizes 100 to 100,000, each command
    /// separately
    Scale(ScaleArgs),
    /// Searches one file without checking the evidence (`rwb --rates` runs this)
    #[command(hide = true)]
    Search(SearchArgs),
    /// Reads and slices files (`petri --prepare` runs this)
    #[command(hide = true)]
    Prepare(PrepareArgs),
    /// Writes the files of one generated case (`petri --families` runs this)
    #[command(hide = true)]
    Generate(GenerateArgs),
    /// Searches a program or an artificial theory inside the SAT solver (`sat --theory` runs this)
    #[command(hide = true)]
    Theory(TheoryArgs),
    /// Answers a recorded stream of queries (`sat --incremental` runs this)
    #[command(hide = true)]
    Replay(ReplayArgs),
    /// Decides a formula without one technique of the solver (`sat --techniques` runs this)
    #[command(hide = true)]
    Solve(SolveArgs),
    /// Decides a circuit without one technique of IC3 (`circuits --techniques` runs this)
    #[command(hide = true)]
    Prove(ProveArgs),
    /// Explores a reactive program without checking evidence (`rers --speed` runs this)
    #[command(hide = true)]
    Explore(ExploreArgs),
}

/// Exit code 0: all answers are right; 1: an answer is wrong; 2: the benchmark could not run.
#[derive(Args, Debug)]
pub(crate) struct DataArgs {
    /// The folder with the subfolders `with_data` and `unbounded`
    #[arg(long, value_name = "DIR", default_value = "tests/data")]
    pub(crate) programs: PathBuf,
    /// The command to measure [default: the one in the same build directory, rebuilt first when run by cargo]
    #[arg(long, value_name = "PATH")]
    pub(crate) impasse: Option<PathBuf>,
    /// The program `z3`: its engine Spacer is asked the same about programs with unbounded numbers
    #[arg(long, value_name = "PATH")]
    pub(crate) z3: Option<PathBuf>,
    /// Only programs with this in their name (repeatable)
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) only: Vec<String>,
    /// Time limit of each run
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Write the report as Markdown
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
    /// Write the runs as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

/// Exit code 0: all answers are right; 1: an answer is wrong; 2: the benchmark could not run.
#[derive(Args, Clone, Debug)]
pub(crate) struct NetArgs {
    /// The corpus: a folder with subfolders `petri` and `mcc`
    #[arg(long, value_name = "DIR", env = "IMPASSE_CORPUS", default_value = "../shared/corpus")]
    pub(crate) corpus: PathBuf,
    /// The command to measure [default: the one in the same build directory, rebuilt first when run by cargo]
    #[arg(long, value_name = "PATH")]
    pub(crate) impasse: Option<PathBuf>,
    /// Only models with this in their name (repeatable)
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) only: Vec<String>,
    /// Time limit of each run
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Run the quick check for CI: small models only
    #[arg(long)]
    pub(crate) quick: bool,
    /// Write the runs as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the report as Markdown, in addition to stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}

/// Exit code 0: no answer is wrong; 1: an answer is wrong; 2: the benchmark could not run.
#[derive(Args, Debug)]
pub(crate) struct WorkflowArgs {
    /// The command to measure [default: the one in the same build directory, rebuilt first when run by cargo]
    #[arg(long, value_name = "PATH")]
    pub(crate) impasse: Option<PathBuf>,
    /// Number of nets
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) count: usize,
    /// About the number of transitions of the largest net
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) most: usize,
}

/// Exit code 0: every command ended as expected; 1: some command did not; 2: the benchmark could not run.
#[derive(Args, Debug)]
pub(crate) struct ScaleArgs {
    /// The command to measure [default: the release build, rebuilt first when run by cargo]
    #[arg(long, value_name = "PATH")]
    pub(crate) impasse: Option<PathBuf>,
    /// Only families with this in their name (repeatable)
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) only: Vec<String>,
    /// The largest size
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) most: usize,
    /// Time limit of each run
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Write the table as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the report as Markdown, in addition to stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}

/// Exit code 0: `auto` takes at most 4 times the best single engine's time plus 0.1 s in every case; 1: it
/// takes longer in some case, or an answer is wrong; 2: the benchmark could not run.
#[derive(Args, Debug)]
pub(crate) struct AutoArgs {
    /// The corpus: a folder with subfolders `rwb`, `petri` and `mcc`; missing subfolders are skipped
    #[arg(long, value_name = "DIR", env = "IMPASSE_CORPUS", default_value = "../shared/corpus")]
    pub(crate) corpus: PathBuf,
    /// The command to measure [default: the release build, rebuilt first when run by cargo]
    #[arg(long, value_name = "PATH")]
    pub(crate) impasse: Option<PathBuf>,
    /// Only this suite (repeatable)
    #[arg(long, value_name = "SUITE", value_enum)]
    pub(crate) suite: Vec<Suite>,
    /// Only cases with this in their name (repeatable)
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) only: Vec<String>,
    /// Only generated programs of at most this size
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    pub(crate) largest: usize,
    /// CPU time limit of each run
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub(crate) limit: Duration,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Only write the generated programs into this folder, without measuring
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
    /// Write the table as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the report as Markdown, in addition to stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}

/// The suites from which `auto` takes its cases.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Suite {
    /// Generated programs of 10 to 1,000 threads: philosophers, producers, readers, locks, tokens, elevators
    Families,
    /// The programs of the corpus
    Rwb,
    /// The nets of the corpus with their target
    Petri,
    /// Contest nets: all formulas in one run
    Mcc,
    /// Contest nets: deadlock
    Deadlock,
}

/// All properties of a net are checked in one run.
#[derive(Args, Debug)]
pub(crate) struct MccArgs {
    #[command(flatten)]
    pub(crate) net: NetArgs,
    /// Time limit per property; a run may take this time for each of its properties (replaces `--timeout`)
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) each: Option<Duration>,
    /// Write the answers as CSV, one line for each property
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// Run this examination instead: `ReachabilityCardinality`, `ReachabilityFireability`, `UpperBounds`,
    /// `CTLCardinality`, `CTLFireability`, `LTLCardinality`, `LTLFireability`, `Liveness`, `QuasiLiveness`,
    /// `StableMarking` or `OneSafe` (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) examination: Vec<String>,
    /// Examine the coloured nets of the folder `mcc_col`
    #[arg(long, requires = "examination")]
    pub(crate) coloured: bool,
}

/// Options select parts. Without a selection all parts run.
#[derive(Args, Debug)]
pub(crate) struct RersArgs {
    #[command(flatten)]
    pub(crate) net: NetArgs,
    /// Check all properties of each problem in one run
    #[arg(long)]
    pub(crate) verdicts: bool,
    /// Compare plain exploration with a plain C search and with SPIN
    #[arg(long)]
    pub(crate) speed: bool,
    /// Labels found by breadth-first and depth-first search, restarts and jumpstarts (only if selected: 40
    /// runs)
    #[arg(long)]
    pub(crate) strategies: bool,
    /// Compare the time from the source text to complete answers with SPIN
    #[arg(long)]
    pub(crate) sooner: bool,
    /// Repeat `--speed` and `--sooner` this many times, with a row for each repetition
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
}

/// `--only` chooses circuits by name. `--timeout` is the CPU time limit of each run.
#[derive(Args, Debug)]
pub(crate) struct CircuitArgs {
    #[command(flatten)]
    pub(crate) net: NetArgs,
    /// Measure circuits with justice properties instead of circuits with outputs
    #[arg(long)]
    pub(crate) liveness: bool,
    /// Measure systems with memories, beside the same tools on circuits with a latch for each bit
    #[arg(long, conflicts_with = "liveness")]
    pub(crate) memories: bool,
    /// The program rIC3: its engine IC3 is asked the same [default: `rIC3` or `ric3` in the search path, if it is
    /// there]
    #[arg(long, value_name = "PATH", conflicts_with = "liveness")]
    pub(crate) ric3: Option<PathBuf>,
    /// Leave out each engine for circuits once
    #[arg(long)]
    pub(crate) each_without: bool,
    /// Run IC3 alone, and leave out each of its techniques once
    #[arg(long, conflicts_with_all = ["liveness", "each_without", "ric3"])]
    pub(crate) techniques: bool,
    /// Only write the circuits into this folder, without measuring
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
}

/// Options select parts. Without a selection all parts run. Here `--timeout` is the CPU time limit of each run.
#[derive(Args, Debug)]
pub(crate) struct Ic3Args {
    #[command(flatten)]
    pub(crate) net: NetArgs,
    /// Circuits of bounded nets, compared with `pdr` of berkeley-abc
    #[arg(long)]
    pub(crate) aiger: bool,
    /// Cache protocols with a growing number of processes
    #[arg(long)]
    pub(crate) pnpv: bool,
    /// The greatest number of processes that `--pnpv` tries
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) processes: u64,
    /// All nets, with a bound that grows until a proof holds for every bound
    #[arg(long)]
    pub(crate) ttscov: bool,
    /// All nets, with invariants used as clauses, as bounds, and to leave out transitions, to show the effect
    /// of each use
    #[arg(long)]
    pub(crate) invariants: bool,
    /// The unsafe nets of the MIST collection
    #[arg(long = "unsafe")]
    pub(crate) unsafe_nets: bool,
    /// Behavioral programs: IC3 against plain search
    #[arg(long)]
    pub(crate) rwb: bool,
    /// Contest nets: reachability and deadlock
    #[arg(long)]
    pub(crate) mcc: bool,
    /// Repeat each run this many times, and report medians
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
}

/// Options select parts. Without a selection: `--prepare --auto --protocols`.
#[derive(Args, Debug)]
pub(crate) struct PetriArgs {
    #[command(flatten)]
    pub(crate) net: NetArgs,
    /// The cost of reading and slicing
    #[arg(long)]
    pub(crate) prepare: bool,
    /// Every net with all engines in turns
    #[arg(long)]
    pub(crate) auto: bool,
    /// The same nets written as thread-transition systems
    #[arg(long)]
    pub(crate) twins: bool,
    /// Generated families with answers that are known by construction, with all engines in turns
    #[arg(long)]
    pub(crate) families: bool,
    /// Number of nets and family members that each technique alone decides
    #[arg(long)]
    pub(crate) ablation: bool,
    /// Protocols with 1..20 processes: plain search and the search inside the SAT solver must count the same
    #[arg(long)]
    pub(crate) protocols: bool,
    /// Every net with only the search inside the SAT solver, within N tokens (repeatable)
    #[arg(long, value_name = "N")]
    pub(crate) dpllt_bound: Vec<u64>,
}

/// Options select parts. Without a selection: `--cnf`, and with `--quick`: `--cnf --generated` with our solver
/// only. Exit code 0: all answers are right (with `--quick`: and everything is solved); 1: an answer is wrong;
/// 2: the benchmark could not run.
#[derive(Args, Debug)]
pub(crate) struct SatArgs {
    /// The corpus: a folder with subfolders `cnf`, `rwb` and `petri`
    #[arg(long = "corpus", value_name = "DIR", env = "IMPASSE_CORPUS", default_value = "../shared/corpus")]
    pub(crate) corpus_dir: PathBuf,
    /// The command to measure [default: the one in the same build directory, rebuilt first when run by cargo]
    #[arg(long, value_name = "PATH")]
    pub(crate) impasse: Option<PathBuf>,
    /// The formulas of the corpus, compared with minisat, cadical and kissat
    #[arg(long)]
    pub(crate) cnf: bool,
    /// Generated formulas of other kinds, compared with minisat, cadical and kissat
    #[arg(long)]
    pub(crate) generated: bool,
    /// Generated formulas of kinds on which the solver has not been tuned, compared in the same way
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Unsatisfiable formulas without a proof, with one, and with one that is checked
    #[arg(long)]
    pub(crate) proofs: bool,
    /// The theory of transition systems: the cost of splits, lemmas and literals
    #[arg(long)]
    pub(crate) theory: bool,
    /// A stream of small queries, as IC3 makes them, compared with minisat and cadical as libraries (feature
    /// `peers`)
    #[arg(long)]
    pub(crate) incremental: bool,
    /// Number of queries to record for `--incremental`
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) queries: u64,
    /// Use the recorded queries in this file if it exists; otherwise record them there
    #[arg(long, value_name = "FILE")]
    pub(crate) stream: Option<PathBuf>,
    /// States of each search of `--theory`
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) states: u64,
    /// Run only our own solver, not its peers
    #[arg(long)]
    pub(crate) ours_only: bool,
    /// Instead of each formula, measure this number of copies with variables and clauses in other orders. On
    /// satisfiable formulas, luck decides, and the mean over copies says more
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    #[arg(conflicts_with_all = ["proofs", "incremental", "theory"])]
    pub(crate) shuffles: u32,
    /// Instead of the peers, run our own solver without each of its techniques, on formulas that it decides in 0.1 to
    /// 3 s with all of them
    #[arg(long, conflicts_with_all = ["ours_only", "proofs", "incremental", "theory", "quick"])]
    pub(crate) techniques: bool,
    /// Only formulas and programs with this in their name (repeatable)
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) only: Vec<String>,
    /// CPU time limit of each run
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Repeat each run this many times, with the solvers taking turns, and report medians
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Run the quick check for CI: formulas that take about a second, our solver only, once
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only write the generated formulas into this folder, without measuring: those of `--fresh` if it is given,
    /// else those of `--generated`
    #[arg(long, value_name = "DIR")]
    pub(crate) write: Option<PathBuf>,
    /// Write the runs as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the report as Markdown, in addition to stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}

impl SatArgs {
    pub(crate) fn is_chosen(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part))
    }

    /// Limits of the processes. Solvers get their own limits as arguments; these apply if a solver ignores its
    /// own.
    pub(crate) fn process_limits(&self) -> Limits {
        Limits { wall: self.timeout * PATIENCE + Duration::from_secs(5), resident: self.memory + self.memory / 4 }
    }
}

#[derive(Args, Debug)]
pub(crate) struct TheoryArgs {
    /// A program [default: the artificial theory]
    pub(crate) file: Option<PathBuf>,
    /// Expand this many states
    #[arg(long)]
    pub(crate) states: u64,
    /// Use the plain loop, without a solver
    #[arg(long)]
    pub(crate) plain: bool,
    /// Number of successors of each state of the artificial theory
    #[arg(long, default_value_t = 1)]
    pub(crate) width: u64,
    /// Make all successors new; by default all but one are old
    #[arg(long)]
    pub(crate) fresh: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExploreArgs {
    pub(crate) file: PathBuf,
    /// Stop at about this many states
    #[arg(long)]
    pub(crate) most: u64,
    #[arg(long, default_value_t = 1)]
    pub(crate) jobs: usize,
}

#[derive(Args, Debug)]
pub(crate) struct SolveArgs {
    pub(crate) file: PathBuf,
    /// The technique that is left out
    #[arg(long)]
    pub(crate) without: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ProveArgs {
    pub(crate) file: PathBuf,
    /// The technique that is left out
    #[arg(long)]
    pub(crate) without: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    pub(crate) file: PathBuf,
    /// The solver that answers
    #[arg(long)]
    pub(crate) with: String,
}

#[derive(Args, Debug)]
pub(crate) struct PrepareArgs {
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct GenerateArgs {
    /// Family and name of the case
    pub(crate) title: String,
    /// The folder for the files
    pub(crate) folder: PathBuf,
    pub(crate) corpus: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    pub(crate) file: PathBuf,
    /// Use the search inside the SAT solver, without patterns, instead of the plain one
    #[arg(long)]
    pub(crate) dpllt: bool,
    #[arg(long)]
    pub(crate) batch: Option<usize>,
}

/// Exit code 0: all answers are right (with `--quick`: and everything is solved); 1: an answer is wrong; 2: the
/// benchmark could not run.
#[derive(Args, Debug)]
pub(crate) struct RwbArgs {
    /// The corpus: a folder with a subfolder `rwb`
    #[arg(long, value_name = "DIR", env = "IMPASSE_CORPUS", default_value = "../shared/corpus")]
    pub(crate) corpus: PathBuf,
    /// The command to measure [default: the one in the same build directory, rebuilt first when run by cargo]
    #[arg(long, value_name = "PATH")]
    pub(crate) impasse: Option<PathBuf>,
    /// Only configurations of this engine (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Vec<String>,
    /// Only this configuration (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) config: Vec<String>,
    /// Only programs with this in their name (repeatable)
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) only: Vec<String>,
    /// Programs with up to this many states, in every configuration [default: each configuration has its own
    /// limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,
    /// Time limit of each run
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub(crate) timeout: Duration,
    /// Memory limit of each run
    #[arg(long, value_name = "SIZE", default_value = "2G", value_parser = parse_size)]
    pub(crate) memory: u64,
    /// Repeat each run this many times, with the configurations taking turns, and report medians
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Run the quick check for CI: small programs in every configuration, and the looped family with patterns
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measure only rates: transitions, states and splits per second on a few large programs
    #[arg(long)]
    pub(crate) rates: bool,
    /// Measure only peers: Spin on generated models of some programs (chosen with `--only`), against plain
    /// search
    #[arg(long)]
    pub(crate) peers: bool,
    /// Measure only families: generated programs beyond any search, with all engines in turns, within 1 s and
    /// 10 s
    #[arg(long)]
    pub(crate) families: bool,
    /// Measure only the gain: states visited by each engine against plain search, medians per class
    #[arg(long)]
    pub(crate) gain: bool,
    /// Measure only lengths: runs that `auto` shows against the shortest ones, worst first
    #[arg(long)]
    pub(crate) lengths: bool,
    /// Write the table as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the report as Markdown, in addition to stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}

//! The command line. `docs/cli.md` is its description for readers; the golden tests hold both.

use super::words;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use impasse::{FactUse, Row, engines};
use std::num::{IntErrorKind, ParseIntError};
use std::path::PathBuf;
use std::time::Duration;

/// Decides whether a concurrent system can get stuck or go wrong, and proves it.
///
/// Models: Petri nets (`.spec`, `.pnml`, `.tapn`, `.lola`), thread systems (`.tts`), behavioral programs (`.rwb`, or
/// their JSON twin `.json`), circuits (`.aag`, `.aig`), reactive C programs (`.c`), also compressed (`.xz`, `.gz`).
/// FILE `-` is standard input (then say `--input-format`). Temporal properties are for reactive programs.
#[derive(Parser, Debug)]
#[command(name = "impasse", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const EXIT_CODES: &str = "\
Exit codes of `check`:
  0 everything proven
  10 a bad state or a target is reachable, 11 a deadlock is reachable, 12 what `--ask 'EF ..'` asks for is unreachable
  13 a temporal formula is violated
  30 unknown (gave up or uncertified), 31 time limit, 32 memory limit, 33 only proven up to a bound
  64 usage, 65 bad input, 70 internal error, 130 interrupted
The other commands: 0 done, 1 evidence not accepted (`replay`), 31, 32, 130 nothing written (`convert`), 64, 65, 70.
`sat`: 10 satisfiable, 20 unsatisfiable, 0 unknown.";

/// What options are about, as `--help` groups them.
const QUESTION: &str = "What is asked";
const SEARCH: &str = "How to search";
const REPORT: &str = "What is reported";
const LIMITS: &str = "Limits";

/// The engines with what they are, for `--help`: the short help has no room for them.
fn engine_help() -> String {
    let mut text = "How to search\n\nPossible values:".to_owned();
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
    /// What is in a model: sizes, features, which patterns match, and for those that do not, why not
    Info(InfoArgs),
    /// Check evidence against the model with the independent checker alone
    Replay(ReplayArgs),
    /// Step through a model by hand or at random
    Simulate(SimulateArgs),
    /// Write a model in another format, chosen by the file's extension
    Convert(ConvertArgs),
    /// Solve a propositional formula (DIMACS CNF)
    Sat(SatArgs),
    /// Explain a word of a report, or the code of an error or warning, with a wrong and a right example
    Explain(ExplainArgs),
}

/// Options of every command; help lists them after its own.
#[derive(Args, Debug, Clone)]
pub(crate) struct Common {
    /// Say more: whole traces, counts per kind of lemma
    #[arg(short, long, global = true, display_order = 901, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Say only the verdicts
    #[arg(short, long, global = true, display_order = 902)]
    pub(crate) quiet: bool,
    /// Colours; `auto` asks whether output goes to a terminal and honours NO_COLOR
    #[arg(
        long,
        global = true,
        display_order = 903,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true
    )]
    pub(crate) color: ColorWhen,
    /// Format of the model files, instead of going by extension
    #[arg(long, global = true, display_order = 904, value_name = "FORMAT", hide_short_help = true)]
    pub(crate) input_format: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Args, Debug, Clone)]
#[command(
    after_help = "`impasse check --help` has all options, `impasse explain WORD` says what a word of the report means.",
    after_long_help = "`impasse explain WORD` says what a word of the report means, `impasse --help` which exit codes there are."
)]
pub(crate) struct CheckArgs {
    /// Models; of a directory all models in it, and patterns (`'models/**/*.rwb'`) stand for what they match
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only this property, by its id (repeatable) [default: all that the model asks]
    ///
    /// Programs have `bad` and `deadlock`; nets and thread systems `target` (all targets together), `target:K` (the
    /// K-th alone), `target:*` (each of them alone), ids of contest properties, and `deadlock` on demand, and `final`
    /// (a final marking of a PNML file); reactive programs `error:N`, `error:*`, `ltl:K` (of `--properties`, from 0),
    /// `ltl:*`
    #[arg(long, value_name = "ID", help_heading = QUESTION)]
    pub(crate) property: Vec<String>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Stay within N tokens (nets) or threads (thread systems)
    ///
    /// A range A..B answers each bound, until one settles it
    #[arg(long, value_name = "N|A..B", help_heading = QUESTION, value_parser = parse_bounds, allow_hyphen_values = true)]
    pub(crate) bound: Option<Bounds>,
    /// How to search: `impasse explain` lists the engines
    #[arg(long, value_name = "ENGINE", default_value = "auto", hide_possible_values = true, long_help = engine_help(),
        value_parser = EngineArg::values(), help_heading = SEARCH)]
    pub(crate) engine: EngineArg,
    /// Pattern matchers for `dpllt`: `all`, `none`, or names; of nets and thread systems `none` is a search without
    /// facts (`dpllt`, `ic3.bits`, `ic3.ttscov`)
    #[arg(long, value_name = "all|none|NAME,..", default_value = "all", value_delimiter = ',', help_heading = SEARCH,
        hide_short_help = true)]
    pub(crate) patterns: Vec<String>,
    /// What `ic3.bits` and `ic3.ttscov` use facts about a net for: `all`, `none`, or some of `clauses` (places that
    /// are never marked together), `bounds` (what places hold at most), `rules` (transitions that never fire are left
    /// out)
    #[arg(long, value_name = "all|none|WHAT,..", value_parser = parse_facts, help_heading = SEARCH, hide_short_help = true)]
    pub(crate) facts: Option<FactUse>,
    /// States per region of `dpllt`; 1 is the pure calculus [default: adapts]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = SEARCH,
        hide_short_help = true)]
    pub(crate) batch: Option<u32>,
    /// Complete the state space, so that the counts are those of the whole space (engine `explicit`)
    #[arg(long, help_heading = SEARCH, hide_short_help = true)]
    pub(crate) explore_all: bool,
    /// Go on after a violation until a breadth-first search has found a shortest run, as far as limits allow
    #[arg(long, help_heading = SEARCH, hide_short_help = true)]
    pub(crate) shortest: bool,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = REPORT)]
    pub(crate) format: ReportFormat,
    /// Runs step by step in the JSON report, each step with its event, what it changes and the state after it
    #[arg(long, help_heading = REPORT, hide_short_help = true)]
    pub(crate) trace_in_json: bool,
    /// Write traces and certificates into this directory, a file for each
    #[arg(long, value_name = "DIR", help_heading = REPORT)]
    pub(crate) evidence: Option<PathBuf>,
    /// Believe this pattern's lemmas where the checker knows no rule for them (repeatable; written into the output)
    #[arg(long, value_name = "PATTERN", help_heading = SEARCH, hide_short_help = true)]
    pub(crate) trust: Vec<String>,
    /// Accept nothing but what the checker's kernel confirms alone; other answers are `unknown (uncertified)`
    #[arg(long, help_heading = SEARCH, hide_short_help = true)]
    pub(crate) kernel_only: bool,
    /// Seed of random walks and of random orders (`explicit.dfs` and the like)
    #[arg(long, value_name = "S", value_parser = parse_number, allow_hyphen_values = true, help_heading = SEARCH,
        hide_short_help = true)]
    pub(crate) seed: Option<u64>,
    /// Of several files, how many are at work at once; of a single one, how many threads search it
    ///
    /// No more than the machine runs at once. Answers and their order are the same. Circuits have no such engine
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub(crate) jobs: Option<u32>,
    /// Time limit for each file
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) timeout_each: Option<Duration>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Which question about a net or thread system, where the model leaves that open.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct QuestionArgs {
    /// Ask for this target instead of the model's own: a `.prop` or `.formula` file [default: the one beside the model]
    #[arg(long, value_name = "FILE", help_heading = QUESTION)]
    pub(crate) target: Option<String>,
    /// Ask for the properties in this file
    ///
    /// Contest XML instead of the model's own; temporal formulas of a reactive program beside its error labels
    #[arg(long, value_name = "FILE", conflicts_with = "target", help_heading = QUESTION)]
    pub(crate) properties: Option<String>,
    /// Ask this instead of the model's own questions: `EF FORMULA`, `AG FORMULA` (repeatable)
    ///
    /// Of reactive programs a temporal formula; with a name in front if wanted, `NAME: FORMULA`
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = QUESTION)]
    pub(crate) ask: Vec<String>,
    /// Which ends of a program are meant and no deadlocks: those in `final` states, all in which no thread requests
    /// anything, or none
    #[arg(long, value_name = "WHICH", default_value = "final", help_heading = QUESTION, hide_short_help = true)]
    pub(crate) ends: EndsArg,
    /// Markings in which a net or thread system may end, which are no deadlocks then [default: final markings of a
    /// PNML file]
    #[arg(long = "final", value_name = "FORMULA", allow_hyphen_values = true, help_heading = QUESTION, hide_short_help = true)]
    pub(crate) ends_in: Option<String>,
    /// Read bodies of functions that a reactive program declares and does not define from this file
    #[arg(long = "extern", value_name = "FILE", help_heading = QUESTION, hide_short_help = true)]
    pub(crate) bodies: Option<String>,
    /// Choose the initial state: `0|0` (thread systems), `x=7,y=2` (open places)
    ///
    /// Of thread systems also `0/0`, `1|0,1/2`: `/` is any number of threads
    #[arg(long, value_name = "SPEC", help_heading = QUESTION)]
    pub(crate) init: Option<String>,
}

/// Which ends are proper.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum EndsArg {
    /// Where every thread is in a state marked `final`
    #[default]
    Final,
    /// Where no thread requests anything, and nowhere else
    Proper,
    /// None: every state without enabled event is a deadlock
    None,
}

/// Bounds to try, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// Limits on the whole command, and how it shows that it is alive.
#[derive(Args, Debug, Clone)]
pub(crate) struct LimitArgs {
    /// Time limit for the whole command: 60s, 5m, 1h, 500ms [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) timeout: Option<Duration>,
    /// Memory limit: 512M, 2G [default: 80% of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) memory: Option<usize>,
    /// Progress on stderr: a line when that is a terminal, or one JSON object a second
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = LIMITS, hide_short_help = true)]
    pub(crate) progress: ProgressArg,
}

/// The engine that was chosen: one of the table, or `auto`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EngineArg(pub(crate) Option<&'static Row>);

impl EngineArg {
    /// What the option may say.
    fn values() -> impl TypedValueParser<Value = Self> {
        let values = words::engines::help().map(|(name, about)| PossibleValue::new(name).help(about));
        PossibleValuesParser::new(values.collect::<Vec<_>>()).map(|name| Self(engines::by_name(&name)))
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// One object per file, and a summary
    Json,
    /// JUnit XML: a suite per file, a case per property
    Junit,
    /// SARIF 2.1.0: what is violated, unknown or wrong
    Sarif,
    /// As in the model checking contest: a line `FORMULA ID TRUE|FALSE ..` per property (nets and thread systems)
    Mcc,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgressArg {
    Auto,
    Never,
    Ndjson,
}

#[derive(Args, Debug)]
pub(crate) struct InfoArgs {
    /// Models
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Memory limit: 512M, 2G [default: 80% of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) memory: Option<usize>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// The model, or a formula (.cnf)
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Evidence that `check --evidence` wrote; for a formula, an LRAT proof
    #[arg(value_name = "EVIDENCE")]
    pub(crate) evidence: String,
    /// Believe this pattern's lemmas where the checker knows no rule for them (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub(crate) trust: Vec<String>,
    /// Accept nothing but what the checker's kernel confirms alone
    #[arg(long)]
    pub(crate) kernel_only: bool,
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
    /// Choose at random, for this many steps, instead of asking
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) random: Option<u64>,
    /// Seed of the random choices
    #[arg(long, value_name = "S", default_value_t = 0, value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) seed: u64,
    /// Stop after this many steps
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) steps: Option<u64>,
    /// Begin with the run in this file, which `check --evidence` wrote: where it ends, or at the step that `--at` says
    #[arg(long, value_name = "EVIDENCE")]
    pub(crate) from: Option<String>,
    /// Take only so many steps of the run of `--from`
    #[arg(long, value_name = "STEP", requires = "from", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) at: Option<u64>,
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
    /// Where to write: .spec, .tts, .pnml (nets and thread systems), .rwb, .json (programs), .aag, .aig (circuits of
    /// anything), .dot
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    #[command(flatten)]
    pub(crate) circuit: CircuitArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// What kind of circuit something becomes.
#[derive(Args, Debug, Clone)]
pub(crate) struct CircuitArgs {
    /// Circuits of nets: keep to N tokens on each place
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) bound: Option<u64>,
    /// Circuits of nets: keep to N tokens (of thread systems: threads) in all
    #[arg(long, value_name = "N", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) total: Option<u64>,
    /// Circuits: how counts become bits; of programs, local states (`one-hot` or `binary`) [default: thermometer,
    /// one-hot for programs]
    #[arg(long, value_name = "ENCODING")]
    pub(crate) encoding: Option<EncodingArg>,
    /// Circuits: an output for this property only, by its id (repeatable) [default: all that the model asks]
    #[arg(long, value_name = "ID")]
    pub(crate) property: Vec<String>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EncodingArg {
    /// A bit for each threshold: n or more tokens
    Thermometer,
    /// A bit for each count
    OneHot,
    /// Digits
    Binary,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProofFormat {
    /// Text; the checker finds out why clauses follow
    Drat,
    /// Text; says why clauses follow, so checking is fast
    Lrat,
    /// DRAT in the binary form of drat-trim
    DratBinary,
    /// LRAT in a binary form like it
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
    /// Format of the proof; `replay` checks LRAT proofs, of either form
    #[arg(long, value_name = "FORMAT", default_value = "drat", requires = "proof")]
    pub(crate) proof_format: ProofFormat,
    /// Have the answer checked by the independent checker: the model, or the proof, which is kept in memory
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// A word of a report (an engine, a pattern, a verdict, a statistic, ..) or the code of an error; without it, all
    /// are listed
    #[arg(value_name = "WORD")]
    pub(crate) words: Vec<String>,
}

/// `60s`, `5m`, `1h`, `500ms`, or plain seconds.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let seconds_per_unit = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as 60s, 5m, 1h or 500ms".to_owned()),
    };
    let number: f64 = number.parse().map_err(|_| "expected a time such as 60s, 5m, 1h or 500ms".to_owned())?;
    if number < 0.0 {
        return Err("a time is not negative".to_owned());
    }
    let time = Duration::try_from_secs_f64(number * seconds_per_unit);
    let time = time.map_err(|_| "this time is out of range".to_owned())?;
    if time.is_zero() { Err("in no time nothing can be done".to_owned()) } else { Ok(time) }
}

/// A number of 64 bits.
fn parse_number(text: &str) -> Result<u64, String> {
    number_or(text, "expected a number from 0 on")
}

/// The number in `text`, or what is wrong: `expected`, or that it is too large.
fn number_or(text: &str, expected: &str) -> Result<u64, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("this is too large: at most {}", u64::MAX),
        _ => expected.to_owned(),
    })
}

/// `5`, or `2..8` (both ends are tried).
fn parse_bounds(text: &str) -> Result<Bounds, String> {
    let number = |text| number_or(text, "expected a number such as 5 or a range such as 2..8");
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let bounds = Bounds { first: number(first)?, last: number(last)? };
    if bounds.first > bounds.last {
        Err("the range is empty: it goes from small to large".to_owned())
    } else {
        Ok(bounds)
    }
}

/// `all`, `none`, or a list of uses.
fn parse_facts(text: &str) -> Result<FactUse, String> {
    match text {
        "all" => return Ok(FactUse::ALL),
        "none" => return Ok(FactUse::NONE),
        _ => {}
    }
    let mut facts = FactUse::NONE;
    for name in text.split(',') {
        match name {
            "clauses" => facts.clauses = true,
            "bounds" => facts.bounds = true,
            "rules" => facts.rules = true,
            _ => return Err("expected `all`, `none`, or some of `clauses`, `bounds`, `rules`".to_owned()),
        }
    }
    Ok(facts)
}

/// Less is a slip of the pen, such as a unit that was forgotten: the process holds more before it begins.
const LEAST_MEMORY: usize = 1 << 20;

/// `64M`, `512M`, `2G` (powers of 1024, also written `MiB`), or plain bytes.
fn parse_size(text: &str) -> Result<usize, String> {
    let (number, unit) = split_unit(text);
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a size such as 512M or 2G".to_owned()),
    };
    let number: usize = number.parse().map_err(|_| "expected a size such as 512M or 2G".to_owned())?;
    let bytes = number.checked_mul(1 << shift).ok_or_else(|| "this size is out of range".to_owned())?;
    if bytes < LEAST_MEMORY { Err("nothing can be done with less than 1M".to_owned()) } else { Ok(bytes) }
}

fn split_unit(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn bounds_are_numbers_or_ranges() {
        assert_eq!(parse_bounds("5"), Ok(Bounds { first: 5, last: 5 }));
        assert_eq!(parse_bounds("0..12"), Ok(Bounds { first: 0, last: 12 }));
        for wrong in ["", "..", "3..", "..3", "3..2", "-1", "1...3", "99999999999999999999"] {
            assert!(parse_bounds(wrong).is_err(), "{wrong}");
        }
        let why = parse_bounds("18446744073709551616").expect_err("it is 2^64");
        assert!(why.contains("too large"), "{why}");
    }

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_size("64MiB"), Ok(64 << 20));
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        for wrong in ["", "s", "5 parsecs", "-1", "1e99h"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "G", "0", "-1", "99999999999T", "1.5G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}

//! The records of a JSON report. `docs/cli.md` describes them, `docs/report.schema.json` is their schema, and
//! tests compare both with the code. Members may be added. A change of existing members increments
//! [`SCHEMA`].

use super::exit::Exit;
use super::flow::FlowStep;
use super::notes::Notes;
use super::words;
use impasse::model::{Grown, QuestionForm, Reason, Stats};
use impasse::{Effort, Standing, engines};
use num_bigint::BigUint;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use view::record::TraceReport;

/// Version of the structure of the report.
pub(crate) const SCHEMA: u32 = 1;

/// What `check --format json` prints for one file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileReport {
    pub(crate) schema: u32,
    pub(crate) file: String,
    /// `None` if work was stopped before the file was read.
    pub(crate) model: Option<ModelReport>,
    /// The value of `--init` that chose the initial state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) init: Option<String>,
    /// True with more than one job. Verdicts are then the same in each run, but the engine that answers
    /// first, and the run that it finds, may differ.
    pub(crate) nondeterministic: bool,
    pub(crate) properties: Vec<PropertyReport>,
    pub(crate) seconds: f64,
    /// Peak memory of the whole process so far in bytes, as counted by the allocator. Memory that Z3
    /// allocates itself is not included.
    pub(crate) peak_bytes: usize,
    /// What each engine has done, if a property is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) engines: Vec<EffortReport>,
    /// The variable that took the most values, if a property is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) grown: Option<GrownReport>,
    /// What may help with the unknown answers, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) advice: Vec<String>,
    /// The errors that prevented the file from being read, and the warnings about it.
    #[serde(flatten)]
    pub(crate) notes: Notes,
    /// The exit code of the command if this were its only file.
    pub(crate) exit: u8,
    /// The summary, if this is the only file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<Summary>,
}

impl FileReport {
    /// Returns true if the file was read and has no properties.
    pub(crate) fn asks_nothing(&self) -> bool {
        self.model.is_some() && self.properties.is_empty() && self.exit == Exit::Unknown.code()
    }

    /// Returns the outcome of the file.
    pub(crate) fn outcome(&self) -> Outcome {
        let last: BTreeMap<&str, Exit> = self.properties.iter().map(|p| (p.id.as_str(), p.exit)).collect();
        if !self.notes.errors.is_empty() {
            Outcome::NotRead
        } else if last.values().any(|exit| exit.is_violation()) {
            Outcome::Unsafe
        } else if last.values().any(|exit| *exit != Exit::Done) || self.exit != Exit::Done.code() {
            Outcome::Unknown
        } else {
            Outcome::Safe
        }
    }
}

/// The outcome of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Everything asked is proven.
    Safe,
    /// Some property is violated.
    Unsafe,
    /// Neither proven nor violated.
    Unknown,
    /// The file has errors.
    NotRead,
}

/// The summary of all files.
#[derive(Clone, Default, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) files: u64,
    /// Number of files with the outcome `safe`. The next three fields are the numbers for the other outcomes.
    pub(crate) safe: u64,
    #[serde(rename = "unsafe")]
    pub(crate) violated: u64,
    pub(crate) unknown: u64,
    pub(crate) not_read: u64,
    /// Number of unknown files that were not begun before the time limit.
    pub(crate) not_begun: u64,
    pub(crate) properties: Verdicts,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    pub(crate) seconds: f64,
    /// The exit code of the command.
    pub(crate) exit: u8,
}

/// Number of properties for each result. The result of a property is what its answer means for the exit code.
/// For example, a formula `EF` that is expected to hold, and holds, counts as safe. If a question has several
/// answers, the last one counts.
#[derive(Clone, Default, Debug, Serialize)]
pub(crate) struct Verdicts {
    pub(crate) safe: u64,
    #[serde(rename = "unsafe")]
    pub(crate) violated: u64,
    pub(crate) unknown: u64,
}

impl Summary {
    /// Adds a file to the counts. `begun` is true if work on it began.
    pub(crate) fn add(&mut self, file: &FileReport, begun: bool) {
        self.files += 1;
        let is_late = file.properties.iter().any(|p| p.exit == Exit::UnknownTimeout);
        self.not_begun += u64::from(!begun && is_late);
        *match file.outcome() {
            Outcome::Safe => &mut self.safe,
            Outcome::Unsafe => &mut self.violated,
            Outcome::Unknown => &mut self.unknown,
            Outcome::NotRead => &mut self.not_read,
        } += 1;
        let last: BTreeMap<&str, Exit> = file.properties.iter().map(|p| (p.id.as_str(), p.exit)).collect();
        for exit in last.into_values() {
            *match exit {
                Exit::Done => &mut self.properties.safe,
                exit if exit.is_violation() => &mut self.properties.violated,
                _ => &mut self.properties.unknown,
            } += 1;
        }
        self.errors += file.notes.errors.len() as u64;
        self.warnings += file.notes.warnings.len() as u64;
    }
}

/// What has grown the most, in a search or while the file was read.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum GrownReport {
    /// The variable that took the most values.
    Variable {
        thread: String,
        variable: String,
        /// The least and the greatest value, if the variable has a range.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<[i64; 2]>,
        /// The number of values so far.
        values: u64,
    },
    /// The place with the most tokens in a marking.
    Place { place: String, tokens: u64 },
}

impl GrownReport {
    pub(crate) fn new(grown: Grown) -> Self {
        match grown {
            Grown::Variable { thread, variable, range, values } => {
                Self::Variable { thread, variable, range: range.map(|(least, most)| [least, most]), values }
            }
            Grown::Place { place, tokens } => Self::Place { place, tokens },
        }
    }
}

/// What an engine has done.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EffortReport {
    pub(crate) engine: &'static str,
    /// `working`, `waiting`, `done` (nothing left to do) or `out_of_memory`.
    pub(crate) standing: &'static str,
    /// Why the engine has left a property open, if it said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    /// Share of the work of all engines, in percent.
    pub(crate) share: u64,
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    /// Other counts, by name.
    pub(crate) more: BTreeMap<&'static str, u64>,
}

impl EffortReport {
    /// Returns the records of the engines in the table of engines. Steps of the preparation have no row there.
    pub(crate) fn all(efforts: &[Effort]) -> Vec<Self> {
        let all = efforts.iter().map(|effort| u128::from(effort.work)).sum::<u128>().max(1);
        let share = |work: u64| u64::try_from((u128::from(work) * 100 + all / 2) / all).unwrap_or(0);
        let record = |effort: &Effort| Self {
            engine: effort.engine,
            standing: match effort.standing {
                Standing::Working => "working",
                Standing::Waiting => "waiting",
                Standing::Done => "done",
                Standing::OutOfMemory => "out_of_memory",
            },
            reason: effort.reason.map(Reason::id),
            share: share(effort.work),
            states: effort.stats.states,
            transitions: effort.stats.transitions,
            more: effort.stats.more.clone(),
        };
        let is_engine = |effort: &&Effort| engines::ALL.iter().any(|row| row.name == effort.engine);
        efforts.iter().filter(is_engine).map(record).collect()
    }
}

/// The model's kind and sizes.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum ModelReport {
    Rwb {
        threads: usize,
        events: usize,
        /// Number of local states of all threads together.
        thread_states: usize,
    },
    Net {
        places: usize,
        transitions: usize,
    },
    Threads {
        /// Number of shared states.
        shared: u32,
        /// Number of local states.
        locals: u32,
        transitions: usize,
    },
    Circuit {
        inputs: usize,
        latches: usize,
        /// Number of AND gates.
        ands: usize,
    },
    /// A reactive program.
    Reactive {
        variables: usize,
        inputs: usize,
        functions: usize,
        /// Number of error labels.
        errors: usize,
    },
    /// A program with unbounded data.
    Data {
        threads: usize,
        events: usize,
        locations: usize,
        variables: usize,
    },
    /// A system of one's own.
    Own {
        /// Number of slots of a state.
        slots: usize,
        /// Number of predicates that are asked about.
        predicates: usize,
    },
}

/// The answer to one property.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PropertyReport {
    pub(crate) id: String,
    /// `None` if the file was not read and the id does not determine the kind.
    pub(crate) kind: Option<&'static str>,
    /// How the property was asked: `never`, `EF`, `AG`.
    pub(crate) asked: &'static str,
    pub(crate) verdict: &'static str,
    /// The verdict of the text report, in small letters.
    pub(crate) answer: &'static str,
    /// The largest value of the sum that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Value>,
    pub(crate) reason: Option<&'static str>,
    /// The `--bound` within which this answer was searched for.
    pub(crate) bound: Option<u64>,
    pub(crate) engine: &'static str,
    pub(crate) evidence: Option<EvidenceReport>,
    pub(crate) stats: StatsReport,
    pub(crate) seconds: f64,
    /// The meaning of the answer for the exit code.
    #[serde(skip)]
    pub(crate) exit: Exit,
    /// True if the steps of runs are calls, as for reactive programs.
    #[serde(skip)]
    pub(crate) is_of_calls: bool,
    /// What proves the property, or why it is unknown, in words.
    pub(crate) detail: Option<String>,
    /// The violating run, if the user asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<TraceReport>,
    /// The violating run with lines of the model, for formats that show it there.
    #[serde(skip)]
    pub(crate) flow: Vec<FlowStep>,
    /// What circuits' formats say of it, for formats that show it.
    #[serde(skip)]
    pub(crate) witness: Option<CircuitWitness>,
}

/// A property of a circuit, and the run that violates it, in formats of circuits.
#[derive(Clone, Debug)]
pub(crate) struct CircuitWitness {
    /// The name of the property there: `b0`.
    pub(crate) name: String,
    /// True if the circuit is a system over words, as in BTOR2.
    pub(crate) is_of_words: bool,
    /// The run, with the name of the property.
    pub(crate) run: Option<String>,
}

/// A number, which is written as a string if it has more than 64 bits.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    Small(u64),
    Large(String),
}

impl Value {
    pub(crate) fn of(value: &BigUint) -> Self {
        u64::try_from(value).map_or_else(|_| Self::Large(value.to_string()), Self::Small)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Small(value) => write!(f, "{value}"),
            Self::Large(value) => f.write_str(value),
        }
    }
}

/// The evidence of an answer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EvidenceReport {
    pub(crate) kind: &'static str,
    /// Size of the evidence: number of events of a trace, of states of a set, of steps of a proof, and so on.
    pub(crate) length: Option<u64>,
    pub(crate) checked: bool,
    /// The part of the checker that accepted the evidence. `None` if it was not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checked_by: Option<&'static str>,
    pub(crate) file: Option<String>,
    /// For a violation: true if the search showed that no violating run is shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shortest: Option<bool>,
    /// For a state set: a hash that does not depend on the order of its states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
    /// Kinds of lemmas that were accepted without proof because of `--trust`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) trusted: Vec<&'static str>,
}

/// The counts of the engine and of the checker.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct StatsReport {
    /// Distinct states that the search visited.
    pub(crate) states: u64,
    pub(crate) transitions: u64,
    /// States that the checker stepped through.
    pub(crate) replayed: u64,
    pub(crate) lemmas: BTreeMap<String, u64>,
    /// Counts that only some engines have.
    #[serde(flatten)]
    pub(crate) more: BTreeMap<&'static str, u64>,
}

impl PropertyReport {
    /// Returns how a question is asked.
    pub(crate) fn how(asked: QuestionForm) -> &'static str {
        match asked {
            QuestionForm::Never | QuestionForm::Formula => "never",
            QuestionForm::Exists | QuestionForm::Expected => "EF",
            QuestionForm::Always => "AG",
        }
    }
}

impl StatsReport {
    pub(crate) fn new(stats: &Stats, replayed: u64) -> Self {
        debug_assert!(stats.more.keys().all(|word| words::is_known("statistic", word)), "{:?}", stats.more);
        Self {
            states: stats.states,
            transitions: stats.transitions,
            replayed,
            lemmas: stats.lemmas.clone(),
            more: stats.more.clone(),
        }
    }
}

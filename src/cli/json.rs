//! The records of a report, as JSON has them: `docs/cli.md` describes them, `docs/report.schema.json` is their schema, and tests hold both.
//! Members may be added; a change of those that there are bumps [`SCHEMA`].

use super::exit::Exit;
use super::notes::Notes;
use super::steps::TraceReport;
use super::words;
use impasse::model::{Asked, Stats};
use serde::Serialize;
use std::collections::BTreeMap;

/// Version of the report's shape.
pub(crate) const SCHEMA: u32 = 1;

/// What `check --format json` prints for one file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FileReport {
    pub(crate) schema: u32,
    pub(crate) file: String,
    /// `None` if work was stopped before the file was read.
    pub(crate) model: Option<ModelReport>,
    /// The `--init` that chose the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) init: Option<String>,
    /// With more than one job: verdicts are the same each time, but not which engine is first, nor its run.
    pub(crate) nondeterministic: bool,
    pub(crate) properties: Vec<PropertyReport>,
    pub(crate) seconds: f64,
    /// Of the whole process so far, as counted by the allocator; what Z3 allocates for itself is not in it.
    pub(crate) peak_bytes: usize,
    /// What kept the file from being read, and what is suspicious about it.
    #[serde(flatten)]
    pub(crate) notes: Notes,
    /// The exit code, if the file were the only one.
    pub(crate) exit: u8,
    /// What there is to say in all, if there is only this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<Summary>,
}

impl FileReport {
    /// Was it read, and is there no question about it?
    pub(crate) fn asks_nothing(&self) -> bool {
        self.model.is_some() && self.properties.is_empty() && self.exit == Exit::Unknown.code()
    }

    /// What it comes to.
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

/// What a file comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Everything asked is proven.
    Safe,
    /// Some property is violated.
    Unsafe,
    /// Neither.
    Unknown,
    /// It has errors.
    NotRead,
}

/// What there is to say about all files together.
#[derive(Clone, Default, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) files: u64,
    /// Files with this outcome, as the next three.
    pub(crate) safe: u64,
    #[serde(rename = "unsafe")]
    pub(crate) violated: u64,
    pub(crate) unknown: u64,
    pub(crate) not_read: u64,
    /// Of the unknown ones those that the time limit ended before they were begun.
    pub(crate) not_begun: u64,
    pub(crate) properties: Verdicts,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    pub(crate) seconds: f64,
    /// The exit code of the command.
    pub(crate) exit: u8,
}

/// Properties by what the answers mean for the exit code: `EF` that is asked for and holds counts as safe. Of several answers to one
/// question the last counts.
#[derive(Clone, Default, Debug, Serialize)]
pub(crate) struct Verdicts {
    pub(crate) safe: u64,
    #[serde(rename = "unsafe")]
    pub(crate) violated: u64,
    pub(crate) unknown: u64,
}

impl Summary {
    /// Counts a file, which was `begun` or not.
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

/// The model's kind and sizes.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum ModelReport {
    Rwb {
        threads: usize,
        events: usize,
        /// Local states of all threads together.
        thread_states: usize,
    },
    Net {
        places: usize,
        transitions: usize,
    },
    Threads {
        /// Shared states.
        shared: u32,
        /// Local states.
        locals: u32,
        transitions: usize,
    },
    Circuit {
        inputs: usize,
        latches: usize,
        /// Conjunctions.
        ands: usize,
    },
    /// A reactive program.
    Reactive {
        variables: usize,
        inputs: usize,
        functions: usize,
        /// Error labels.
        errors: usize,
    },
}

/// The answer to one property.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PropertyReport {
    pub(crate) id: String,
    /// `None` if the file was not read and the id does not tell.
    pub(crate) kind: Option<&'static str>,
    /// How it was put: `never`, `EF`, `AG`.
    pub(crate) asked: &'static str,
    pub(crate) verdict: &'static str,
    /// The word of the text report, in small letters.
    pub(crate) answer: &'static str,
    pub(crate) reason: Option<&'static str>,
    /// What `--bound` this answer was sought within.
    pub(crate) bound: Option<u64>,
    pub(crate) engine: &'static str,
    pub(crate) evidence: Option<EvidenceReport>,
    pub(crate) stats: StatsReport,
    pub(crate) seconds: f64,
    /// What it means for the exit code.
    #[serde(skip)]
    pub(crate) exit: Exit,
    /// What proves it, or why it is not known, in words.
    pub(crate) detail: Option<String>,
    /// The run that violates it, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<TraceReport>,
}

/// What the answer rests on.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EvidenceReport {
    pub(crate) kind: &'static str,
    /// Events of a trace, states of a set, steps of a proof.
    pub(crate) length: Option<u64>,
    pub(crate) checked: bool,
    /// Which part of the checker accepted it, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checked_by: Option<&'static str>,
    pub(crate) file: Option<String>,
    /// Of a violation: the search showed that no run to it is shorter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shortest: Option<bool>,
    /// Of a state set: a hash that does not depend on its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
    /// Kinds of lemmas that were believed because of `--trust`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) trusted: Vec<&'static str>,
}

/// The engine's counts, and the checker's.
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
    /// How a question is put.
    pub(crate) fn how(asked: Asked) -> &'static str {
        match asked {
            Asked::Never => "never",
            Asked::Exists | Asked::Expected => "EF",
            Asked::Always => "AG",
        }
    }

    /// What the verdict means for the question: of `EF` it is an answer and no violation.
    pub(crate) fn answer(asked: Asked, verdict: &'static str) -> &'static str {
        match (asked.is_exists(), verdict) {
            (true, "unsafe") => "reachable",
            (true, "safe") => "unreachable",
            (_, verdict) => verdict,
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

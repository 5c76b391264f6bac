//! The JSON report: one object per file, described in `docs/cli.md`. A change of its shape bumps [`SCHEMA`].

use super::words;
use impasse::model::{Asked, Problem, Stats, SystemModel};
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

impl ModelReport {
    pub(crate) fn new(problem: &Problem) -> Self {
        match &problem.system {
            SystemModel::Rwb(program) => Self::Rwb {
                threads: program.threads().len(),
                events: program.events().len(),
                thread_states: program.threads().iter().map(|t| t.states.len()).sum(),
            },
            SystemModel::Net(net) => Self::Net { places: net.places().len(), transitions: net.transitions().len() },
            SystemModel::Threads(threads) => Self::Threads {
                shared: threads.shared(),
                locals: threads.locals(),
                transitions: threads.transitions().len(),
            },
            SystemModel::Circuit(circuit) => {
                Self::Circuit { inputs: circuit.inputs().len(), latches: circuit.latches().len(), ands: circuit.ands() }
            }
            SystemModel::Reactive(program) => Self::Reactive {
                variables: program.var_count(),
                inputs: program.inputs().len(),
                functions: program.function_count(),
                errors: program.labels().count(),
            },
        }
    }
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
}

/// What the answer rests on.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct EvidenceReport {
    pub(crate) kind: &'static str,
    /// Events of a trace, states of a set, steps of a proof.
    pub(crate) length: Option<u64>,
    pub(crate) checked: bool,
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

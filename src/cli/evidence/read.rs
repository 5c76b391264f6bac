//! Reads files of evidence and of proofs.

use crate::cli::args::Common;
use crate::cli::complaints::complain_all;
use crate::cli::exit::Exit;
use crate::cli::{input, memory};
use impasse::formats::{self, Limits, Source};
use impasse::model::{Claim, Problem};
use impasse::questions;
use serde::Deserialize;

/// Evidence up to this number of bytes is accepted whatever the memory limit is. Evidence may be far larger
/// than a model. For example, a state set has a line for each of its states.
const EVIDENCE_BYTES: usize = 1 << 30;

/// Returns the limits on evidence and proofs.
pub(crate) fn evidence_limits() -> Limits {
    let usual = Limits::within(memory::limit());
    Limits { bytes: usual.bytes.max(EVIDENCE_BYTES), ..usual }
}

/// Reads the claim in an evidence file. Returns it with the problem, extended by the goals that the claim is
/// about.
pub(crate) fn claim(problem: Problem, path: &str, common: &Common) -> Result<(Problem, Claim), Exit> {
    claim_in(problem, load(path, common)?, common)
}

/// Returns the text of an evidence file.
pub(crate) fn load(path: &str, common: &Common) -> Result<Source, Exit> {
    let limits = evidence_limits();
    if readers::by_path(path).is_some_and(|format| format.name != "json") {
        tell!("error: {path} has the name of a model, not of evidence\n  help: `check MODEL --evidence DIR` writes it");
        return Err(Exit::Input);
    }
    let packed = input::source(path, limits.bytes)?;
    let (name, bytes) =
        formats::decompress(&packed.name, packed.bytes, &limits).map_err(|error| complain_all(&error, common))?;
    Ok(Source { name, bytes })
}

/// Returns true if the evidence is about the system of the problem, or does not say about which.
pub(crate) fn is_about(evidence: &Source, problem: &Problem) -> bool {
    let header = serde_json::from_slice::<Header>(&evidence.bytes).ok();
    header.and_then(|header| header.model).is_none_or(|model| model.hash == evidence::hash(problem))
}

/// Reads the claim in evidence, as [`claim`] does.
pub(crate) fn claim_in(problem: Problem, evidence: Source, common: &Common) -> Result<(Problem, Claim), Exit> {
    let has_markings = problem.system().as_marked().is_some();
    let known = if has_markings { questions::also(problem, &goals_named(&evidence.bytes)) } else { problem };
    let claim = evidence::read(&evidence, &known, &evidence_limits()).map_err(|error| complain_all(&error, common))?;
    Ok((questions::about(known, &claim), claim))
}

/// The goals that a file of evidence names. If the file is no evidence, the reader of evidence reports this
/// later.
#[derive(Deserialize)]
struct Header {
    goals: Vec<String>,
    model: Option<ModelHeader>,
}

#[derive(Deserialize)]
struct ModelHeader {
    hash: String,
}

pub(crate) fn goals_named(evidence: &[u8]) -> Vec<String> {
    serde_json::from_slice::<Header>(evidence).map_or(Vec::new(), |header| header.goals)
}

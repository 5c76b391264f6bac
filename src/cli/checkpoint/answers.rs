//! The evidence of answers, in files of the format of `check --evidence`.
//!
//! Two kinds of answers are not kept, because the searches that gave them are saved and give them again: sets of all
//! states, and shortest runs. (That no run is shorter follows from the order of the search, which the checker does not
//! see.)

use crate::cli::drafts::whole;
use crate::cli::evidence::read::evidence_limits;
use impasse::formats::Source;
use impasse::model::{Certificate, Claim, Problem};
use impasse::{Answer, Finding, evidence};
use std::path::{Path, PathBuf};
use std::{fs, io};

const FOLDER: &str = "answers";

/// Writes the evidence of answers that rest on one claim.
pub(super) fn keep(dir: &Path, model: &str, problem: &Problem, answers: &[Answer]) -> io::Result<()> {
    let Some(Answer { claim: Some(claim), finding: Finding::Settled(_), engine, shortest, .. }) = answers.first()
    else {
        return Ok(());
    };
    if *engine == "saved" || *shortest || is_large(claim) {
        return Ok(());
    }
    let folder = dir.join(FOLDER);
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{:06}.evidence.json", files(&folder).len() + 1));
    whole(&path, |out| evidence::write(model, problem, claim, out))
}

/// Returns the claims in all files, the newest first. Files that cannot be read are left out.
pub(super) fn read(dir: &Path, problem: &Problem) -> Vec<Claim> {
    let mut claims = Vec::new();
    for path in files(&dir.join(FOLDER)).iter().rev() {
        let name = path.display().to_string();
        let read = fs::read(path).map_err(|error| error.to_string()).and_then(|bytes| {
            let source = Source { name: name.clone(), bytes };
            evidence::read(&source, problem, &evidence_limits()).map_err(|error| error.to_string())
        });
        match read {
            Ok(claim) => claims.push(claim),
            Err(error) => tell!("warning: an answer is searched for again, because {name} cannot be used: {error}"),
        }
    }
    claims
}

/// Returns true if the evidence lists states.
fn is_large(claim: &Claim) -> bool {
    let Claim::Safe { certificate, .. } = claim else { return false };
    matches!(certificate, Certificate::StateSet(_) | Certificate::Markings(_) | Certificate::Counted(_))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(".evidence.json")).collect();
    files.sort();
    files
}

//! Evidence files: their names, how they are written and read, and what reports say about accepted evidence.

pub(crate) mod accepted;
pub(crate) mod export;
pub(crate) mod names;
pub(crate) mod read;

use super::drafts::{Draft, another_name, whole};
use super::kinds;
use export::{Export, Subject};
use impasse::model::{Certificate, Claim, Problem, Property};
use names::beginning;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Creates `dir` and checks that files can be written into it, before any work is done.
pub(crate) fn prepare(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    Draft::new(&dir.join("probe")).map(drop)
}

/// Writes the evidence of `claim` into `dir`, under one file name for each property that the claim settles.
/// Returns the paths. If the claim is about a bound, the file name contains the bound, because each of several
/// bounds may have its own evidence. No partial file is left behind.
///
/// Some evidence is also written for other tools. Nets: runs as `.scn`, and invariants as `.smt2`. Circuits:
/// runs as AIGER witnesses (`.aiw`) or BTOR2 witnesses (`.wit`), and clauses as witness circuits
/// (`.witness.aag`). Reactive programs: runs as words (`.word.txt`), and as C programs that feed them to the original
/// (`.repro.c`).
pub(crate) fn save(
    dir: &Path,
    model: &Subject,
    problem: &Problem,
    properties: &[&Property],
    claim: &Claim,
) -> io::Result<Vec<PathBuf>> {
    let within = match claim {
        Claim::Within { within, .. } => format!(".bound-{}", within.most),
        _ => String::new(),
    };
    let name =
        |property: &&Property| dir.join(format!("{}{within}.evidence.json", beginning(&model.stem, &property.id)));
    let paths: Vec<PathBuf> = properties.iter().map(name).collect();
    let mut written: Option<&Path> = None;
    for path in &paths {
        match written {
            None => whole(path, |out| evidence::write(&model.name, problem, claim, out))?,
            Some(first) => another_name(first, path)?,
        }
        written = Some(path);
    }
    if problem.system().as_marked().is_some() && matches!(claim, Claim::Safe { .. }) {
        let path = |property: &&Property| dir.join(format!("{}.smt2", beginning(&model.stem, &property.id)));
        obligations(problem, claim, &properties.iter().map(path).collect::<Vec<_>>())?;
        return Ok(paths);
    }
    for property in properties {
        let stem = beginning(&model.stem, &property.id);
        kinds::of(problem).export(&Export { dir, stem, model, claim }, property.goal)?;
    }
    Ok(paths)
}

/// Writes the obligations of a proof about nets under these names. Writes nothing if there are none, or if
/// they are too large to be useful.
fn obligations(problem: &Problem, claim: &Claim, paths: &[PathBuf]) -> io::Result<()> {
    let Claim::Safe { certificate: Certificate::Invariant(_), .. } = claim else { return Ok(()) };
    let mut text = Vec::new();
    if evidence::smt::write(problem, claim, &mut text).is_err() {
        return Ok(());
    }
    let Some((first, others)) = paths.split_first() else { return Ok(()) };
    whole(first, |out| out.write_all(&text))?;
    others.iter().try_for_each(|path| another_name(first, path))
}

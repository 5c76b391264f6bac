//! The problems of the corpus folder `rers`, and the known answers about their properties.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The known answer about a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Expected {
    /// True if the label is reachable, or the formula is violated.
    pub(super) is_violated: bool,
    /// True if an official source states the answer.
    pub(super) is_official: bool,
}

/// A problem.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) year: String,
    pub(super) id: String,
    folder: PathBuf,
    lines: u64,
    /// For each property (`error:19`, `ltl:7`): the known answer.
    pub(super) known: BTreeMap<String, Expected>,
}

impl Problem {
    /// Returns year and number.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.year, self.id)
    }

    /// True if the program is small enough for the quick check.
    pub(super) fn is_small(&self) -> bool {
        self.lines < 3000
    }

    /// Writes the program and its formulas (if there are any) into a folder, uncompressed.
    pub(super) fn unpack(&self, folder: &Path) -> io::Result<(PathBuf, Option<PathBuf>)> {
        let program = folder.join("Problem.c");
        unpack(&self.folder.join(format!("Problem{}.c.xz", self.id)), &program)?;
        let packed = self.folder.join("properties.txt.xz");
        if !packed.is_file() {
            return Ok((program, None));
        }
        let formulas = folder.join("properties.txt");
        unpack(&packed, &formulas)?;
        Ok((program, Some(formulas)))
    }
}

fn unpack(packed: &Path, to: &Path) -> io::Result<()> {
    let status =
        Command::new("xz").arg("-dc").arg(packed).stdout(std::fs::File::create(to)?).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("xz cannot read {}", packed.display()))) }
}

/// Returns all problems of `<corpus>/rers`. `None` if there is no such folder.
pub(super) fn read(corpus: &Path) -> io::Result<Option<Vec<Problem>>> {
    let folder = corpus.join("rers");
    let inventory = folder.join("inventory.csv");
    if !inventory.is_file() {
        return Ok(None);
    }
    let mut problems: Vec<Problem> = Vec::new();
    for row in rows(&inventory)? {
        let [year, id, _, lines, ..] = row.as_slice() else { return Err(broken(&inventory)) };
        problems.push(Problem {
            folder: folder.join(year).join(format!("Problem{id}")),
            year: year.clone(),
            id: id.clone(),
            lines: lines.parse().map_err(|_| broken(&inventory))?,
            known: BTreeMap::new(),
        });
    }
    let expected = folder.join("expected.csv");
    for row in rows(&expected)? {
        let [year, id, kind, number, verdict, source @ ..] = row.as_slice() else { return Err(broken(&expected)) };
        let Some(problem) = problems.iter_mut().find(|p| p.year == *year && p.id == *id) else { continue };
        let source = source.join(",");
        let is_official = !source.contains("not official") && !source.contains("inferred");
        let is_violated = matches!(verdict.as_str(), "reachable" | "violated");
        problem.known.insert(format!("{kind}:{number}"), Expected { is_violated, is_official });
    }
    Ok(Some(problems))
}

fn rows(path: &Path) -> io::Result<Vec<Vec<String>>> {
    let in_file = |e: csv::Error| io::Error::other(format!("{}: {e}", path.display()));
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_path(path).map_err(in_file)?;
    reader.records().map(|row| Ok(row.map_err(in_file)?.iter().map(str::to_owned).collect())).collect()
}

fn broken(path: &Path) -> io::Error {
    io::Error::other(format!("{}: a row is too short", path.display()))
}

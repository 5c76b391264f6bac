//! Formulas as files that every solver can read, with their known answers.

use crate::args::SatArgs;
use crate::tool;
use model::cnf::Cnf;
use serde::Deserialize;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

/// True answer about a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(crate) enum Truth {
    #[serde(rename = "SAT")]
    Sat,
    #[serde(rename = "UNSAT")]
    Unsat,
}

impl Truth {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Truth::Sat => "SAT",
            Truth::Unsat => "UNSAT",
        }
    }
}

/// A formula in a plain DIMACS file. The file is read again whenever a model is to be checked, so that this
/// process stays small (see `process.rs`).
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) truth: Option<Truth>,
    pub(crate) vars: u32,
    pub(crate) clauses: usize,
    /// Seconds that minisat took when the corpus was recorded, on some machine.
    pub(crate) minisat_seconds: Option<f64>,
}

#[derive(Deserialize)]
struct Row {
    instance: String,
    verdict: Truth,
    minisat_seconds: f64,
}

/// Returns the chosen formulas of `<corpus>/cnf`, unpacked into `folder`; `None` if there is no such folder.
/// With `--quick`, returns only the fast formulas.
///
/// # Errors
///
/// If a file does not fit `expected.csv` or cannot be read.
pub(crate) fn corpus(args: &SatArgs, folder: &Path) -> io::Result<Option<Vec<Instance>>> {
    let own = args.corpus_dir.join("cnf");
    let table = own.join("expected.csv");
    if !table.is_file() {
        return Ok(None);
    }
    let rows: Result<Vec<Row>, csv::Error> =
        csv::Reader::from_path(&table).and_then(|r| r.into_deserialize().collect());
    let rows = rows.map_err(|e| io::Error::other(format!("{}: {e}", table.display())))?;
    let quick = |row: &Row| !args.quick || row.minisat_seconds <= super::QUICK_SECONDS;
    let mut all = Vec::new();
    for row in rows.into_iter().filter(|r| args.is_chosen(&r.instance) && quick(r)) {
        let cnf = read(&own.join(format!("{}.cnf.xz", row.instance)))?;
        let instance = put(folder, &row.instance, &cnf, Some(row.verdict))?;
        all.push(Instance { minisat_seconds: Some(row.minisat_seconds), ..instance });
    }
    Ok(Some(all))
}

/// Writes a formula into `folder`.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn put(folder: &Path, name: &str, cnf: &Cnf, truth: Option<Truth>) -> io::Result<Instance> {
    let path = folder.join(format!("{name}.cnf"));
    std::fs::write(&path, dimacs(cnf))?;
    let (vars, clauses) = (cnf.vars, cnf.clauses.len());
    Ok(Instance { name: name.to_owned(), path, truth, vars, clauses, minisat_seconds: None })
}

/// Reads a formula, compressed or not.
///
/// # Errors
///
/// If the file cannot be read, with the message of the reader.
pub(crate) fn read(path: &Path) -> io::Result<Cnf> {
    let source = formats::Source { name: path.display().to_string(), bytes: tool::bytes(path)? };
    formats::read_cnf(source, &formats::Limits::default())
        .map(|(cnf, _)| cnf)
        .map_err(|e| io::Error::other(e.to_string()))
}

fn dimacs(cnf: &Cnf) -> String {
    let mut text = format!("p cnf {} {}\n", cnf.vars, cnf.clauses.len());
    for clause in &cnf.clauses {
        for literal in clause {
            // Writing to a string does not fail.
            let _ = write!(text, "{literal} ");
        }
        text.push_str("0\n");
    }
    text
}

/// Returns the number, from 1, of the first clause that a model does not satisfy. A model is a list of true
/// literals, in any order.
pub(crate) fn violated(cnf: &Cnf, model: &[i32]) -> Option<usize> {
    let mut value = vec![0i32; cnf.vars as usize + 1];
    for &literal in model {
        if let Some(cell) = value.get_mut(literal.unsigned_abs() as usize) {
            *cell = literal;
        }
    }
    let holds = |&literal: &i32| value[literal.unsigned_abs() as usize] == literal;
    cnf.clauses.iter().position(|clause| !clause.iter().any(holds)).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Cnf {
        Cnf { vars: 3, clauses: vec![vec![1, -2], vec![2, 3], vec![-1, -3]] }
    }

    #[test]
    fn files_come_back_as_they_were() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let instance = put(folder.path(), "small", &small(), Some(Truth::Sat)).expect("written");
        assert_eq!(read(&instance.path).expect("readable"), small());
        assert_eq!((instance.vars, instance.clauses), (3, 3));
    }

    #[test]
    fn models_are_checked() {
        assert_eq!(violated(&small(), &[1, 2, -3]), None);
        assert_eq!(violated(&small(), &[3, 1, 2]), Some(3));
        assert_eq!(violated(&small(), &[-1, 2, 3]), Some(1));
        assert_eq!(violated(&small(), &[1]), Some(2), "what is not assigned satisfies nothing");
        assert_eq!(violated(&small(), &[]), Some(1));
    }
}

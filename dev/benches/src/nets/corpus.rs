//! Known answers for the nets of the corpus: `petri/expected.csv`, `petri/protocols/expected.csv`,
//! `mcc/expected.csv`.

use crate::corpus::Verdict;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A net with one target.
#[derive(Clone, Debug)]
pub(crate) struct Net {
    pub(crate) suite: String,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The file with the same net as a thread-transition system. The target is in another file beside it.
    pub(crate) twin: Option<PathBuf>,
    pub(crate) verdict: Verdict,
}

#[derive(Deserialize)]
struct PetriRow {
    #[serde(alias = "set")]
    suite: String,
    name: String,
    verdict: Verdict,
}

/// Returns the nets in `<corpus>/petri`. Nets without a file are left out. `None` if there is no such folder.
pub(crate) fn petri(corpus: &Path) -> io::Result<Option<Vec<Net>>> {
    let folder = corpus.join("petri");
    let Some(mut rows) = table::<PetriRow>(&folder.join("expected.csv"))? else { return Ok(None) };
    rows.extend(table::<PetriRow>(&folder.join("protocols/expected.csv"))?.unwrap_or_default());
    let net = |row: PetriRow| {
        let file = |extension: &str| existing(&folder.join(&row.suite), &format!("{}.{extension}", row.name));
        let (path, twin) = (file("spec")?, file("spec.tts").or_else(|| file("tts")));
        Some(Net { suite: row.suite, name: row.name, path, twin, verdict: row.verdict })
    };
    Ok(Some(rows.into_iter().filter_map(net).collect()))
}

/// A contest net with its properties.
#[derive(Clone, Debug)]
pub(crate) struct Contest {
    pub(crate) instance: String,
    pub(crate) model: PathBuf,
    pub(crate) formulas: PathBuf,
    pub(crate) known: BTreeMap<String, Expected>,
}

/// The known answer about a contest property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expected {
    /// `cover`, `reach` or `deadlock`.
    pub(crate) kind: String,
    /// The truth value of the formula, if the tools of the contest agree.
    pub(crate) answer: Option<bool>,
}

#[derive(Deserialize)]
struct ContestRow {
    instance: String,
    property: String,
    kind: String,
    answer: String,
}

/// Returns the nets in `<corpus>/mcc`, by name. `None` if there is no such folder.
pub(crate) fn mcc(corpus: &Path) -> io::Result<Option<Vec<Contest>>> {
    let folder = corpus.join("mcc");
    let Some(rows) = table::<ContestRow>(&folder.join("expected.csv"))? else { return Ok(None) };
    let mut nets: BTreeMap<String, Contest> = BTreeMap::new();
    for row in rows {
        if !nets.contains_key(&row.instance) {
            let own = folder.join(&row.instance);
            let (Some(model), Some(formulas)) =
                (existing(&own, "model.pnml"), existing(&own, "ReachabilityCardinality.xml"))
            else {
                return Err(io::Error::other(format!(
                    "{} is in expected.csv, but its files are not there",
                    row.instance
                )));
            };
            let contest = Contest { instance: row.instance.clone(), model, formulas, known: BTreeMap::new() };
            nets.insert(row.instance.clone(), contest);
        }
        let answer = match row.answer.as_str() {
            "TRUE" => Some(true),
            "FALSE" => Some(false),
            _ => None,
        };
        // The contest names the deadlock property differently from the tool.
        let id = if row.kind == "deadlock" { "deadlock".to_owned() } else { row.property };
        let contest = nets.get_mut(&row.instance).expect("entered above");
        contest.known.insert(id, Expected { kind: row.kind, answer });
    }
    Ok(Some(nets.into_values().collect()))
}

/// Returns the file of this name, plain or compressed.
fn existing(folder: &Path, name: &str) -> Option<PathBuf> {
    [name.to_owned(), format!("{name}.xz")].into_iter().map(|n| folder.join(n)).find(|path| path.is_file())
}

fn table<T: for<'de> Deserialize<'de>>(path: &Path) -> io::Result<Option<Vec<T>>> {
    if !path.is_file() {
        return Ok(None);
    }
    let rows: Result<Vec<T>, csv::Error> = csv::Reader::from_path(path).and_then(|r| r.into_deserialize().collect());
    rows.map(Some).map_err(|e| io::Error::other(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("created");
            std::fs::write(path, text).expect("written");
        }
        folder
    }

    #[test]
    fn nets_without_a_file_are_left_out() {
        let corpus = folder(&[
            ("petri/expected.csv", "suite,name,verdict,source\nmist-PN,a,safe,x\nmist-PN,lost,unsafe,x\n"),
            ("petri/protocols/expected.csv", "set,name,verdict,init\nprotocols,b,safe,x\n"),
            ("petri/mist-PN/a.spec.xz", ""),
            ("petri/mist-PN/a.spec.tts", ""),
            ("petri/protocols/b.spec", ""),
        ]);
        let nets = petri(corpus.path()).expect("readable").expect("there");
        let seen: Vec<(&str, &str, bool)> =
            nets.iter().map(|n| (n.suite.as_str(), n.name.as_str(), n.twin.is_some())).collect();
        assert_eq!(seen, [("mist-PN", "a", true), ("protocols", "b", false)]);
        assert!(petri(Path::new("/nonexistent")).expect("no error").is_none());
    }

    #[test]
    fn contest_rows_are_gathered_by_net() {
        let table =
            "instance,property,kind,answer\nN,N-00,reach,TRUE\nN,N-01,cover,\nN,ReachabilityDeadlock,deadlock,FALSE\n";
        let corpus = folder(&[
            ("mcc/expected.csv", table),
            ("mcc/N/model.pnml.xz", ""),
            ("mcc/N/ReachabilityCardinality.xml.xz", ""),
        ]);
        let nets = mcc(corpus.path()).expect("readable").expect("there");
        let answers: Vec<(&str, Option<bool>)> = nets[0].known.iter().map(|(id, k)| (id.as_str(), k.answer)).collect();
        assert_eq!(answers, [("N-00", Some(true)), ("N-01", None), ("deadlock", Some(false))]);
        let lost = folder(&[("mcc/expected.csv", table)]);
        assert!(mcc(lost.path()).is_err());
    }
}

//! Known answers for the programs of the corpus: `rwb/expected.csv`.

use serde::{Deserialize, Deserializer};
use std::io;
use std::path::{Path, PathBuf};

/// The answer about one property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(crate) enum Verdict {
    #[serde(rename = "SAFE", alias = "safe")]
    Safe,
    #[serde(rename = "UNSAFE", alias = "unsafe")]
    Unsafe,
    #[serde(rename = "UNKNOWN", alias = "unknown")]
    Unknown,
}

/// One row of `expected.csv`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Expected {
    pub(crate) name: String,
    pub(crate) verdict: Verdict,
    /// The property to which an unsafe row refers. The answer about the other property is not recorded. `None`
    /// for safe rows, in which both properties are safe.
    #[serde(deserialize_with = "blank_is_none")]
    pub(crate) kind: Option<String>,
    /// Number of events of a shortest run to a goal state of that kind.
    pub(crate) shortest_trace: Option<u64>,
    /// Number of reachable composite states, terminal ones included.
    pub(crate) states: u64,
    /// Number of transitions between these states.
    pub(crate) edges: u64,
    pub(crate) terminal_states: u64,
}

fn blank_is_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::deserialize(deserializer)?.filter(|s: &String| !s.is_empty()))
}

impl Expected {
    /// Returns the expected verdict of `property`, if it is recorded.
    pub(crate) fn verdict_of(&self, property: &str) -> Option<Verdict> {
        match &self.kind {
            None => Some(self.verdict),
            Some(kind) => (kind == property).then_some(self.verdict),
        }
    }
}

/// A program with its known answers.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) expected: Expected,
}

/// Returns the programs in `<corpus>/rwb`, in the order of `expected.csv`. `None` if there is no such folder.
pub(crate) fn read(corpus: &Path) -> io::Result<Option<Vec<Program>>> {
    let folder = corpus.join("rwb");
    let table = folder.join("expected.csv");
    if !table.is_file() {
        return Ok(None);
    }
    let in_folder = |expected: Expected| Program { path: folder.join(format!("{}.rwb", expected.name)), expected };
    let rows =
        parse(std::fs::File::open(&table)?).map_err(|e| io::Error::other(format!("{}: {e}", table.display())))?;
    let programs: Vec<Program> = rows.into_iter().map(in_folder).collect();
    match programs.iter().find(|p| !p.path.is_file()) {
        Some(lost) => {
            Err(io::Error::other(format!("{} is in expected.csv but not in the folder", lost.path.display())))
        }
        None => Ok(Some(programs)),
    }
}

fn parse(table: impl io::Read) -> Result<Vec<Expected>, csv::Error> {
    csv::Reader::from_reader(table).into_deserialize().collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const TABLE: &str =
        "name,verdict,kind,shortest_trace,states,edges,terminal_states,threads,events,thread_states,checked_by
phil_3,UNSAFE,deadlock,3,35,75,1,6,12,18,both
task_2_easy,SAFE,,,28,28,0,4,3,32,both
";

    /// The unsafe and the safe row of a small table.
    pub(crate) fn rows() -> (Expected, Expected) {
        let mut rows = parse(TABLE.as_bytes()).expect("well-formed").into_iter();
        (rows.next().expect("first"), rows.next().expect("second"))
    }

    #[test]
    fn rows_are_read() {
        let (unsafe_row, safe_row) = rows();
        assert_eq!(unsafe_row.name, "phil_3");
        assert_eq!((unsafe_row.shortest_trace, unsafe_row.states, unsafe_row.edges), (Some(3), 35, 75));
        assert_eq!((safe_row.kind, safe_row.shortest_trace), (None, None));
    }

    #[test]
    fn an_unsafe_row_scores_one_property_and_a_safe_row_both() {
        let (unsafe_row, safe_row) = rows();
        assert_eq!(unsafe_row.verdict_of("deadlock"), Some(Verdict::Unsafe));
        assert_eq!(unsafe_row.verdict_of("bad"), None);
        assert_eq!(safe_row.verdict_of("bad"), Some(Verdict::Safe));
        assert_eq!(safe_row.verdict_of("deadlock"), Some(Verdict::Safe));
    }

    #[test]
    fn a_broken_row_is_an_error() {
        assert!(parse(TABLE.replace("SAFE,,", "SURE,,").as_bytes()).is_err());
        assert!(parse(TABLE.replace("28,28", "28,many").as_bytes()).is_err());
    }

    #[test]
    fn no_folder_is_no_corpus() {
        assert!(read(Path::new("/nonexistent/corpus")).expect("not an error").is_none());
    }
}

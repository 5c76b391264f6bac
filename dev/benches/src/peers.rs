//! Peers: Spin on generated models, compared with plain search in the same run.

use crate::configs::EXPLICIT;
use crate::corpus::Program;
use crate::judge::Status;
use crate::measure::{Bench, Row};
use crate::promela;
use crate::search;
use crate::spin::{self, Search};
use crate::table::Table;
use crate::units;
use std::io::{self, Write};

/// One or two programs of every family, and the programs of the rates.
const PROGRAMS: &[&str] = &[
    "abp_lossy",
    "phil_8",
    "loop_7_11_13",
    "task_4_primes",
    "arr_counter_10",
    "web_3_p9",
    "tank_2x5",
    "arr_bin10",
    "arr_bin12_no",
    "web_4_p8",
    "task_6_giant",
    "loop_clash_big",
];

/// A program in both tools: our row, and the medians of the peer.
pub(crate) struct Pair {
    ours: Row,
    expected_states: u64,
    terminal_states: u64,
    theirs: Result<Search, String>,
}

/// Compares both tools on all `programs` if `all` is set, else on those in the list above.
///
/// # Errors
///
/// If our own runs fail. A failure of the peer becomes a row of the table.
pub(crate) fn measure(bench: &Bench, programs: &[Program], all: bool) -> io::Result<Vec<Pair>> {
    let wanted = |p: &&Program| all || PROGRAMS.contains(&p.expected.name.as_str());
    let mut pairs = Vec::new();
    for program in programs.iter().filter(wanted) {
        let theirs = peer(bench, program).map_err(|e| e.to_string());
        let ours = bench.program(program, &[EXPLICIT])?;
        let _ = writeln!(
            io::stderr(),
            "{}: {}",
            program.expected.name,
            theirs.as_ref().map_or_else(Clone::clone, |t| format!(
                "spin {} states, {} CPU s",
                t.states,
                units::seconds(t.cpu)
            ),)
        );
        pairs.extend(ours.into_iter().map(|ours| Pair {
            ours,
            expected_states: program.expected.states,
            terminal_states: program.expected.terminal_states,
            theirs: theirs.clone(),
        }));
    }
    Ok(pairs)
}

/// Returns the median run (by CPU seconds) of the peer.
fn peer(bench: &Bench, program: &Program) -> io::Result<Search> {
    let problem = search::read(&program.path)?;
    let model = promela::write(problem.system().as_program().expect("a program")).map_err(io::Error::other)?;
    let mut runs = Vec::new();
    for _ in 0..bench.repeat {
        let folder = tempfile::tempdir()?;
        runs.push(spin::search(&model, program.expected.states, folder.path(), bench.limits())?);
    }
    runs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
    Ok(runs.swap_remove(runs.len() / 2))
}

impl Pair {
    /// Describes whether the peer's counts agree with the expected ones.
    fn agreement(&self) -> String {
        match &self.theirs {
            Err(why) => format!("failed: {why}"),
            Ok(Search { cut: Some(why), .. }) => format!("cut short: {why}"),
            Ok(t) if t.states != self.expected_states => format!("DIFFERS: {} states", t.states),
            Ok(t) if t.errors != self.terminal_states => format!("DIFFERS: {} terminal states", t.errors),
            Ok(_) => "agree".to_owned(),
        }
    }

    /// True if our run is right and the peer's counts do not differ.
    pub(crate) fn is_ok(&self) -> bool {
        self.ours.status == Status::Ok && !self.agreement().starts_with("DIFFERS")
    }
}

/// Returns the table that compares both tools.
pub(crate) fn table(pairs: &[Pair]) -> Table {
    let mut table = Table::new(&[
        "program",
        "states",
        "counts",
        "spin: pan CPU s",
        "pan peak MiB",
        "spin -a and cc CPU s",
        "explicit CPU s",
        "explicit peak MiB",
        "explicit over pan",
        "explicit",
    ]);
    for pair in pairs {
        let theirs = |show: &dyn Fn(&Search) -> String| pair.theirs.as_ref().map(show).unwrap_or_default();
        table.push(vec![
            pair.ours.program.clone(),
            pair.expected_states.to_string(),
            pair.agreement(),
            theirs(&|t| units::seconds(t.cpu)),
            theirs(&|t| units::mebibytes(t.peak)),
            theirs(&|t| units::seconds(t.compile)),
            units::seconds(pair.ours.cpu),
            units::mebibytes(pair.ours.peak),
            theirs(&|t| format!("{:.2}", pair.ours.cpu / t.cpu.max(0.001))),
            pair.ours.status.to_string(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(states: u64, errors: u64, cut: Option<&str>) -> Pair {
        let ours = Row {
            program: "p".to_owned(),
            config: "explicit",
            status: Status::Ok,
            verdict: String::new(),
            cpu: 1.0,
            wall: 1.0,
            peak: 1,
            states: 7,
            transitions: 7,
            splits: None,
            components: None,
            literals: None,
            conflicts: None,
            decisions: None,
            evidence: String::new(),
        };
        let theirs = Search { states, errors, cut: cut.map(str::to_owned), compile: 1.0, cpu: 0.5, peak: 1 };
        Pair { ours, expected_states: 7, terminal_states: 1, theirs: Ok(theirs) }
    }

    #[test]
    fn differences_show_and_cut_searches_prove_nothing() {
        assert_eq!(pair(7, 1, None).agreement(), "agree");
        assert!(pair(8, 1, None).agreement().starts_with("DIFFERS"));
        assert!(!pair(7, 2, None).is_ok());
        assert!(pair(5, 0, Some("out of memory")).is_ok());
        assert!(table(&[pair(7, 1, None)]).markdown().contains("| 2.00 |"));
    }
}

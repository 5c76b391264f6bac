//! `impasse-bench rwb --gain`: the number of visited states compared with plain search, for each class of
//! programs. On programs that plain search solves alone, the report also shows the cost of the turns of the
//! other engines.

use crate::args::RwbArgs;
use crate::configs::{AUTO, Config, Counts, DPLLT};
use crate::corpus::{Program, Verdict};
use crate::judge::Status;
use crate::measure::{Bench, Row, show_progress};
use crate::publish::{publish, section};
use crate::table::{self, Table, optional};
use crate::units;
use std::collections::BTreeMap;
use std::io;

/// Plain search as it is normally used: it ends with the first violation.
const PLAIN: Config = Config {
    name: "plain",
    engine: "explicit",
    args: &[],
    max_states: None,
    counts: Counts::Free,
    shortest: true,
    lemmas: false,
};

const PROJECT: Config =
    Config { name: "thread-abstraction", engine: "thread-abstraction", counts: Counts::Elsewhere, ..AUTO };

const STUBBORN: Config = Config { name: "stubborn", engine: "stubborn", counts: Counts::Free, ..AUTO };

/// The compared configurations. Plain search comes first.
const ALL: [Config; 5] = [PLAIN, AUTO, DPLLT, PROJECT, STUBBORN];

/// Seconds of plain search below which a program is not compared, because such times mostly show the cost of
/// starting a process.
const FLOOR_SECONDS: f64 = 0.1;

/// Runs every program in all configurations and prints a report. Returns false if an answer is wrong.
///
/// # Errors
///
/// If the benchmark could not run.
pub(crate) fn report(args: &RwbArgs, bench: &Bench, programs: &[Program]) -> io::Result<bool> {
    let mut measured: Vec<(&Program, Vec<Row>)> = Vec::new();
    for (i, program) in programs.iter().enumerate() {
        let rows = bench.program(program, &ALL)?;
        show_progress(i + 1, programs.len(), &rows);
        measured.push((program, rows));
    }
    let rows: Vec<Row> = measured.iter().flat_map(|(_, rows)| rows.iter().cloned()).collect();
    let classed: Vec<(String, &[Row])> = measured.iter().map(|(p, rows)| (class(p), rows.as_slice())).collect();
    let gain = by_class(&classed);
    let mut text = String::new();
    section(&mut text, "States visited against plain search", &gain);
    text.push_str(
        "Median ratios of visited states to those that plain search visits, over the programs that both solved.\n\n",
    );
    section(&mut text, "Time against plain search", &times(&measured));
    text.push_str(&format!("Wall-clock seconds, where plain search takes at least {FLOOR_SECONDS} s.\n\n"));
    section(&mut text, "Runs", &table::of_rows(&rows));
    publish(&text, args.markdown.as_deref(), &table::csv_of_rows(&rows), args.csv.as_deref())?;
    Ok(!rows.iter().any(|row| matches!(row.status, Status::Wrong(_))))
}

/// Returns the class of a program: the first word of its name, and its verdict.
fn class(program: &Program) -> String {
    let name = &program.expected.name;
    let kind = name.split('_').next().unwrap_or(name);
    let verdict = if program.expected.verdict == Verdict::Safe { "safe" } else { "unsafe" };
    format!("{kind} {verdict}")
}

/// Returns, for each class and configuration, the median ratio of its states to those of plain search, and the
/// number of programs over which the median is taken.
fn by_class(measured: &[(String, &[Row])]) -> Table {
    let mut classes: BTreeMap<&str, Vec<&[Row]>> = BTreeMap::new();
    for (class, rows) in measured {
        classes.entry(class).or_default().push(rows);
    }
    let mut head = vec!["class".to_owned(), "programs".to_owned()];
    head.extend(ALL[1..].iter().map(|config| config.name.to_owned()));
    let mut table = Table::new(&head.iter().map(String::as_str).collect::<Vec<_>>());
    for (class, programs) in classes {
        let mut cells = vec![class.to_owned(), programs.len().to_string()];
        for i in 1..ALL.len() {
            let ratios: Vec<f64> = programs.iter().filter_map(|rows| states_ratio(&rows[i], &rows[0])).collect();
            let solved = if ratios.len() < programs.len() { format!(" ({})", ratios.len()) } else { String::new() };
            cells.push(optional(units::median(ratios), |median| format!("{median:.4}{solved}")));
        }
        table.push(cells);
    }
    table
}

/// Returns the ratio of the states of a run to those of plain search, if both solved the program.
fn states_ratio(row: &Row, plain: &Row) -> Option<f64> {
    let solved = row.status == Status::Ok && plain.status == Status::Ok && plain.states > 0;
    solved.then(|| row.states as f64 / plain.states as f64)
}

/// Returns the times of all engines in turns, for programs on which plain search alone takes at least
/// [`FLOOR_SECONDS`].
fn times(measured: &[(&Program, Vec<Row>)]) -> Table {
    let mut table = Table::new(&["program", "plain s", "auto s", "ratio", "auto"]);
    for (program, rows) in measured {
        let (plain, auto) = (&rows[0], &rows[1]);
        if plain.status == Status::Ok && plain.wall >= FLOOR_SECONDS {
            table.push(vec![
                program.expected.name.clone(),
                units::seconds(plain.wall),
                units::seconds(auto.wall),
                format!("{:.2}", auto.wall / plain.wall),
                auto.status.to_string(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::row;

    fn rows(states: &[u64]) -> Vec<Row> {
        let one = |(&states, config): (&u64, &Config)| Row { states, ..row("p", config.name, &[]) };
        states.iter().zip(&ALL).map(one).collect()
    }

    #[test]
    fn ratios_are_medians_over_what_both_solved() {
        let mut unsolved = rows(&[100, 10, 0, 400, 100]);
        unsolved[3].status = Status::Timeout;
        let (a, b) = (rows(&[100, 50, 0, 200, 100]), rows(&[1000, 100, 0, 1, 1000]));
        let measured =
            [("web safe".to_owned(), &a[..]), ("web safe".to_owned(), &b[..]), ("web safe".to_owned(), &unsolved[..])];
        let text = by_class(&measured).markdown();
        assert!(text.contains("| web safe | 3 | 0.1000 | 0.0000 | 1.0005 (2) | 1.0000 |"), "{text}");
    }

    #[test]
    fn plain_search_comes_first_and_names_are_unique() {
        assert_eq!(ALL[0].name, PLAIN.name);
        assert_eq!(ALL[1].name, AUTO.name);
        for (i, config) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|c| c.name != config.name), "{}", config.name);
        }
    }
}

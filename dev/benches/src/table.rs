//! Tables, as Markdown for people and as CSV for programs.

use crate::measure::Row;
use crate::units;
use std::io;
use std::path::Path;

/// A table under construction. Cells are text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|h| (*h).to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table as Markdown. A column is right-aligned if all its cells look like numbers.
    pub(crate) fn markdown(&self) -> String {
        let numeric = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|r| r.get(column)).filter(|c| !c.is_empty()).peekable();
            cells.peek().is_some() && cells.all(|c| c.starts_with(|c: char| c.is_ascii_digit()))
        };
        let rule = (0..self.head.len()).map(|i| if numeric(i) { "--:".to_owned() } else { "---".to_owned() });
        let lines = [self.head.clone(), rule.collect()].into_iter().chain(self.rows.iter().cloned());
        lines
            .map(|cells| format!("| {} |\n", cells.iter().map(|c| escape(c)).collect::<Vec<_>>().join(" | ")))
            .collect()
    }

    /// Writes the table as CSV.
    pub(crate) fn write_csv(&self, path: &Path) -> io::Result<()> {
        let in_file = |e: csv::Error| io::Error::other(format!("{}: {e}", path.display()));
        let mut writer = csv::Writer::from_path(path).map_err(in_file)?;
        for row in std::iter::once(&self.head).chain(&self.rows) {
            writer.write_record(row).map_err(in_file)?;
        }
        writer.flush()
    }
}

fn escape(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

/// Returns an optional number as text. Empty for `None`.
pub(crate) fn optional<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map(show).unwrap_or_default()
}

/// Returns the table for the report.
pub(crate) fn of_rows(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "program",
        "configuration",
        "status",
        "verdict",
        "CPU s",
        "wall s",
        "peak MiB",
        "states",
        "transitions",
        "transitions/s",
        "splits",
        "splits/s",
    ]);
    for row in rows {
        table.push(vec![
            row.program.clone(),
            row.config.to_owned(),
            row.status.to_string(),
            row.verdict.clone(),
            units::seconds(row.cpu),
            units::seconds(row.wall),
            units::mebibytes(row.peak),
            row.states.to_string(),
            row.transitions.to_string(),
            optional(row.transitions_per_second(), units::short),
            optional(row.splits, |n| n.to_string()),
            optional(row.splits_per_second(), units::short),
        ]);
    }
    table
}

/// Returns the table for CSV, with more columns and plain numbers.
pub(crate) fn csv_of_rows(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "program",
        "configuration",
        "status",
        "detail",
        "verdict",
        "evidence",
        "cpu_seconds",
        "wall_seconds",
        "peak_bytes",
        "states",
        "transitions",
        "transitions_per_second",
        "splits",
        "splits_per_second",
        "decisions",
    ]);
    let whole = |rate: f64| format!("{rate:.0}");
    for row in rows {
        table.push(vec![
            row.program.clone(),
            row.config.to_owned(),
            row.status.word().to_owned(),
            row.status.detail().to_owned(),
            row.verdict.clone(),
            row.evidence.clone(),
            format!("{:.4}", row.cpu),
            format!("{:.4}", row.wall),
            row.peak.to_string(),
            row.states.to_string(),
            row.transitions.to_string(),
            optional(row.transitions_per_second(), whole),
            optional(row.splits, |n| n.to_string()),
            optional(row.splits_per_second(), whole),
            optional(row.decisions, |n| n.to_string()),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_aligns_numbers_and_escapes() {
        let mut table = Table::new(&["name", "n"]);
        table.push(vec!["a|b".to_owned(), "1.5 k".to_owned()]);
        table.push(vec!["c".to_owned(), String::new()]);
        assert_eq!(table.markdown(), "| name | n |\n| --- | --: |\n| a\\|b | 1.5 k |\n| c |  |\n");
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("t.csv");
        let mut table = Table::new(&["name", "verdict"]);
        table.push(vec!["a".to_owned(), "bad: safe, deadlock: safe".to_owned()]);
        table.write_csv(&path).expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert_eq!(text, "name,verdict\na,\"bad: safe, deadlock: safe\"\n");
    }
}

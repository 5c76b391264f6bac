//! Output of reports: to stdout, and into the files that the command line names.

use crate::table::Table;
use std::io::{self, Write};
use std::path::Path;

/// Adds a table with a heading.
pub(crate) fn section(text: &mut String, title: &str, table: &Table) {
    text.push_str(&format!("## {title}\n\n{}\n", table.markdown()));
}

/// Prints the report and writes the files that the command line names.
pub(crate) fn publish(text: &str, markdown: Option<&Path>, runs: &Table, csv: Option<&Path>) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())?;
    if let Some(path) = markdown {
        std::fs::write(path, text)?;
    }
    if let Some(path) = csv {
        runs.write_csv(path)?;
    }
    Ok(())
}

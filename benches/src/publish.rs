//! Where a report goes: to stdout, and into the files that were asked for.

use crate::table::Table;
use std::io::{self, Write};
use std::path::Path;

/// Adds a table under a heading of its own.
pub(crate) fn section(text: &mut String, title: &str, table: &Table) {
    text.push_str(&format!("## {title}\n\n{}\n", table.markdown()));
}

/// Prints the report and writes the files that were asked for.
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

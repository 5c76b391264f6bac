//! Formats the lines of a trace in columns.

use super::Detail;
use crate::text::plural;
use std::fmt::Write;
use std::ops::Range;

/// Cells that are wider than this do not widen their column.
const COLUMN: usize = 48;

/// Lines of `N` columns. The first column is aligned to the right, and the others to the left.
pub struct Table<const N: usize> {
    /// The titles of the columns.
    pub titles: [&'static str; N],
    /// The cells.
    pub lines: Vec<[String; N]>,
}

impl<const N: usize> Table<N> {
    /// Writes the lines, except the lines with numbers in `hidden`. A remark is written in their place. It says
    /// that they represent `hidden_steps` steps.
    pub fn write(&self, out: &mut String, hidden: &Range<u64>, hidden_steps: u64, detail: Detail) {
        if self.lines.is_empty() {
            return;
        }
        let widths: Vec<usize> = (0..N).map(|i| self.width(i)).collect();
        let mut line = |cells: [&str; N], dim: bool| {
            let mut text = String::from("    ");
            for (i, (cell, &width)) in cells.iter().zip(&widths).enumerate() {
                let _ = match i {
                    0 => write!(text, "{cell:>width$}"),
                    _ if i + 1 == N => write!(text, "  {cell}"),
                    _ => write!(text, "  {cell:<width$}"),
                };
            }
            let text = text.trim_end();
            let _ = writeln!(out, "{}", if dim { detail.paint.dim(text) } else { text.to_owned() });
        };
        line(self.titles, true);
        for (i, cells) in self.lines.iter().enumerate() {
            if hidden_steps > 0 && i as u64 == hidden.start {
                let remark = format!("({} not shown; -v shows all)", plural(hidden_steps, "step"));
                let mut cells = [""; N];
                cells[0] = "..";
                cells[1] = &remark;
                line(cells, true);
            }
            line(cells.each_ref().map(String::as_str), false);
        }
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.lines.iter().map(|cells| cells[column].chars().count());
        let wanted = cells.chain([self.titles[column].len()]);
        wanted.filter(|&w| w <= COLUMN).max().unwrap_or(COLUMN)
    }
}

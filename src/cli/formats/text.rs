//! Reports as text, for people. `report` makes the text of a file. For several files, a summary follows.

use super::Format;
use crate::cli::board::Filed;
use crate::cli::fold;
use crate::cli::json::Summary;
use crate::cli::report::{self, Style};
use view::text::{count, plural};

pub(super) struct Text {
    pub(super) style: Style,
    pub(super) several: bool,
}

impl Format for Text {
    fn file(&mut self, _: usize, filed: &Filed) -> String {
        fold::for_terminal(report::text::text(&filed.report, &filed.bodies, self.style))
    }

    fn end(&mut self, summary: &Summary) -> String {
        if self.several && !self.style.quiet { line(summary) + "\n" } else { String::new() }
    }
}

/// Returns the summary, such as `318 files: 200 safe, 100 unsafe, 12 unknown, 6 not read; 12.3 s`.
fn line(summary: &Summary) -> String {
    let Summary { safe, violated, unknown, not_read, not_begun, seconds, .. } = summary;
    let mut counts = vec![format!("{} safe", count(*safe)), format!("{} unsafe", count(*violated))];
    counts.extend((*unknown > 0).then(|| format!("{} unknown", count(*unknown))));
    counts.extend((*not_read > 0).then(|| format!("{} not read", count(*not_read))));
    let line = format!("{}: {}; {seconds:.1} s", plural(summary.files, "file"), counts.join(", "));
    match not_begun {
        0 => line,
        n => format!(
            "{line}\nThe time limit was reached before {} begun: `--timeout-each TIME` limits each file instead.",
            begun(*n)
        ),
    }
}

fn begun(files: u64) -> String {
    if files == 1 { "one was".to_owned() } else { format!("{} were", count(files)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_happen_is_not_said() {
        let summary = Summary { files: 318, safe: 218, violated: 100, seconds: 12.34, ..Summary::default() };
        assert_eq!(line(&summary), "318 files: 218 safe, 100 unsafe; 12.3 s");
        let summary = Summary { unknown: 1, not_read: 2, files: 3, ..Summary::default() };
        assert_eq!(line(&summary), "3 files: 0 safe, 0 unsafe, 1 unknown, 2 not read; 0.0 s");
        let late = line(&Summary { not_begun: 1, ..summary });
        assert!(
            late.ends_with("reached before one was begun: `--timeout-each TIME` limits each file instead."),
            "{late}"
        );
    }
}

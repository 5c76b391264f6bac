//! Folds long lines of reports to the width of the terminal, so that the columns of a table stay columns. Pipes and
//! files get the lines as they are.

use ratatui::crossterm::terminal;
use std::io::{self, IsTerminal};

/// Terminals that are narrower than this break the lines themselves.
const NARROWEST: u16 = 40;

/// Returns the text with lines that fit the terminal, if standard output is one.
pub(crate) fn for_terminal(text: String) -> String {
    if !io::stdout().is_terminal() {
        return text;
    }
    match terminal::size() {
        Ok((width, _)) if width >= NARROWEST => fold(&text, width.into()),
        _ => text,
    }
}

/// Breaks lines at blanks, so that none has more than `width` characters. What follows begins below the last column of
/// the line, or a little to the right of its beginning.
fn fold(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (mut rest, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let hang = hang(rest, width);
        let mut room = width;
        while let Some(at) = broken(rest, room) {
            out.push_str(rest[..at].trim_end());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', hang));
            (rest, room) = (rest[at..].trim_start(), width - hang);
        }
        out.push_str(rest);
        out.push_str(end);
    }
    out
}

/// The column at which the last cell of a line begins, if that leaves enough of the width.
fn hang(line: &str, width: usize) -> usize {
    let start = line.len() - line.trim_start().len();
    let last = line.rfind("  ").map(|at| visible(&line[..at + 2])).filter(|at| *at > start);
    match last {
        Some(at) if at + (width / 2).min(24) <= width => at,
        _ => (start + 2).min(width / 2),
    }
}

/// Returns where a line must be broken, as a byte; `None` if it fits, or has no blank to break at.
fn broken(line: &str, width: usize) -> Option<usize> {
    if visible(line) <= width {
        return None;
    }
    let start = line.len() - line.trim_start().len();
    let blanks = line.match_indices(' ').map(|(at, _)| at).filter(|at| *at > start);
    let (mut last, mut first) = (None, None);
    for at in blanks {
        first = first.or(Some(at));
        if visible(&line[..at]) <= width {
            last = Some(at);
        }
    }
    last.or(first)
}

/// The number of characters that a terminal shows: without the codes of colours.
fn visible(text: &str) -> usize {
    let (mut count, mut in_code) = (0, false);
    for c in text.chars() {
        match (in_code, c) {
            (false, '\u{1b}') => in_code = true,
            (false, _) => count += 1,
            (true, 'm') => in_code = false,
            (true, _) => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_below_their_last_column() {
        let text =
            "a line that fits\n    3  pick  Phil: line 18 -> line 19, Stick: line 10\nawordthatdoesnotfitanywhere\n";
        let expected = [
            "a line that fits",
            "    3  pick  Phil: line 18",
            "             -> line 19,",
            "             Stick: line",
            "             10",
            "awordthatdoesnotfitanywhere",
            "",
        ];
        let expected = expected.join("\n");
        assert_eq!(fold(text, 26), expected);
        assert_eq!(fold("    one two three four five", 18), "    one two three\n      four five");
        assert_eq!(visible("\u{1b}[31mred\u{1b}[0m"), 3);
    }

    #[test]
    fn nothing_is_lost() {
        for width in 10..60 {
            let text =
                "    After 3 events (c_bad: 1, picked: 1), (o: 1, nothing else) can never be reached any more.\n";
            let folded = fold(text, width);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&folded), words(text));
            assert!(folded.lines().all(|line| visible(line) <= width.max(16)), "{width}: {folded}");
        }
    }
}

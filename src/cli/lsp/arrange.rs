//! Arranges a text of `.rwb` or `.spec`: indentation, blanks between words and signs, blank lines. Lines stay what they
//! are, and so do comments, so that the author decides where a line ends.
//!
//! Both formats have comments from `#` to the end of the line and no text in quotes, so lines are enough, and a text
//! with errors is arranged, too.

/// The format of a text, as far as its arrangement depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// `.rwb`: brackets decide the indentation.
    Program,
    /// `.spec`: sections begin with a word of their own at the start of a line.
    Spec,
}

/// The words that begin a section of `.spec`.
const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

/// Blanks for each level.
const STEP: usize = 2;
/// Deeper levels have the indentation of this one, so that the text stays in proportion to what was typed.
const DEEPEST: usize = 32;

/// Returns the text as it should be. Words, signs and comments are the same.
pub(super) fn arranged(text: &str, form: Form) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut depth, mut is_continued, mut has_blank) = (0, false, true);
    for line in text.lines() {
        let code_end = line.find('#').unwrap_or(line.len());
        let (code, comment) = (spaced(line[..code_end].trim()), line[code_end..].trim_end());
        if code.is_empty() && comment.is_empty() {
            if !has_blank {
                out.push('\n');
            }
            has_blank = true;
            continue;
        }
        has_blank = false;
        let closes = code.chars().take_while(|c| is_closing(*c) || *c == ' ').filter(|c| is_closing(*c)).count();
        let level = match form {
            Form::Program => depth_after(depth, closes) + usize::from(is_continued && closes == 0 && !code.is_empty()),
            Form::Spec if SECTIONS.iter().any(|word| code.split(' ').next() == Some(*word)) => 0,
            Form::Spec if code.is_empty() && line.starts_with('#') => 0,
            Form::Spec => 1 + usize::from(is_continued),
        };
        let gap = line[..code_end].len() - line[..code_end].trim_end().len();
        push(&mut out, level.min(DEEPEST) * STEP, &code, gap, comment);
        if !code.is_empty() {
            let opened = code.chars().filter(|c| matches!(c, '{' | '(' | '[')).count();
            let closed = code.chars().filter(|c| is_closing(*c)).count();
            depth = depth_after(depth + opened, closed);
            is_continued = code.ends_with([',', '+', '|', '&', '=']) || code.ends_with("->");
        }
    }
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

fn is_closing(c: char) -> bool {
    matches!(c, '}' | ')' | ']')
}

/// Brackets that open nothing are the reader's concern.
fn depth_after(depth: usize, closed: usize) -> usize {
    depth.saturating_sub(closed)
}

/// Writes a line. `gap` is the number of blanks that its comment has before it.
fn push(out: &mut String, indent: usize, code: &str, gap: usize, comment: &str) {
    out.extend(std::iter::repeat_n(' ', indent));
    out.push_str(code);
    if !comment.is_empty() {
        if !code.is_empty() {
            out.extend(std::iter::repeat_n(' ', gap.max(1)));
        }
        out.push_str(comment);
    }
    out.push('\n');
}

/// Returns the code of a line with one blank where there are several, after `,` and `;`, and around `->`; with none
/// before `,` and `;`.
fn spaced(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("->") {
            blank(&mut out);
            out.push_str("-> ");
            rest = after.trim_start();
            continue;
        }
        rest = &rest[next.len_utf8()..];
        match next {
            c if c.is_whitespace() => blank(&mut out),
            ',' | ';' => {
                out.truncate(out.trim_end().len());
                out.push(next);
                out.push(' ');
                rest = rest.trim_start();
            }
            '{' if out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']')) => out.push_str(" {"),
            c => out.push(c),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Appends a blank, if there is none and the line has begun.
fn blank(out: &mut String) {
    if !out.is_empty() && !out.ends_with(' ') {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    /// Everything but blanks. Words that touch are kept apart by `|`.
    fn words(text: &str) -> Vec<String> {
        let apart = |line: &str| {
            let (code, comment) = line.split_at(line.find('#').unwrap_or(line.len()));
            let code: String = code.split_whitespace().collect::<Vec<_>>().join("|");
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            // A blank counts between two words only.
            let letters: Vec<char> = code.chars().collect();
            let counts = |at: usize| {
                let neighbours = (at.checked_sub(1).map(|before| letters[before]), letters.get(at + 1));
                matches!(neighbours, (Some(a), Some(b)) if is_word(a) && is_word(*b))
            };
            let kept = letters.iter().enumerate().filter(|(at, c)| **c != '|' || counts(*at)).map(|(_, c)| *c);
            kept.collect::<String>() + comment.trim_end()
        };
        text.lines().map(apart).filter(|line| !line.is_empty()).collect()
    }

    fn check(text: &str, form: Form) -> Result<(), TestCaseError> {
        let once = arranged(text, form);
        prop_assert_eq!(words(text), words(&once));
        prop_assert_eq!(arranged(&once, form), once.clone(), "a second time changes nothing");
        let is_plain = |line: &str| !line.ends_with(' ') && !line.contains('\t');
        let code = |line: &str| line[..line.find('#').unwrap_or(line.len())].to_owned();
        prop_assert!(once.lines().all(|line| is_plain(line) || line.contains('#') && !code(line).contains('\t')));
        Ok(())
    }

    #[test]
    fn the_examples_keep_their_words_and_their_look() {
        let mut count = 0;
        for entry in fs::read_dir("examples").unwrap() {
            let path = entry.unwrap().path();
            let form = match path.extension().and_then(|e| e.to_str()) {
                Some("rwb") => Form::Program,
                Some("spec") => Form::Spec,
                _ => continue,
            };
            let text = fs::read_to_string(&path).unwrap();
            check(&text, form).unwrap();
            count += 1;
        }
        assert!(count >= 10, "{count} examples");
        let lock = fs::read_to_string("examples/lock.spec").unwrap();
        assert_eq!(arranged(&lock, Form::Spec), lock);
        let philosophers = fs::read_to_string("examples/philosophers.rwb").unwrap();
        assert_eq!(arranged(&philosophers, Form::Program), philosophers);
    }

    #[test]
    fn a_text_is_indented_by_its_brackets() {
        let text = "thread A{\n\tstate  s { on a->t ,b -> u }  # here\n\n\n   # there\nevent x,\ny\n}\n\n";
        let expected = "thread A {\n  state s { on a -> t, b -> u }  # here\n\n  # there\n  event x,\n    y\n}\n";
        assert_eq!(arranged(text, Form::Program), expected);
        let text = "vars\nx y\nrules\n x>=1->x'=x-1,\ny'=y+1;\n";
        assert_eq!(arranged(text, Form::Spec), "vars\n  x y\nrules\n  x>=1 -> x'=x-1,\n    y'=y+1;\n");
    }

    proptest! {
        #[test]
        fn any_text_keeps_its_words(text in "([a-c{}()\\[\\],;# \t\n]|->|-|>){0,60}") {
            for form in [Form::Program, Form::Spec] {
                check(&text, form)?;
            }
        }
    }
}

//! Syntax of SMT-LIB terms (C. Barrett et al., The SMT-LIB Standard, version 2.6, section 3.1): s-expressions as a tree
//! in which the parts of a list come before the list. Nothing recurses on the depth.

use std::borrow::Cow;
use std::ops::Range;

/// The largest number of words and parentheses of a term.
const MOST: usize = 1 << 20;

/// An s-expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Node<'t> {
    Symbol(&'t str),
    /// Digits.
    Number(&'t str),
    Text(Cow<'t, str>),
    /// The numbers of the parts.
    List(Vec<usize>),
}

/// The nodes, with their places in the text. The last one is the term.
pub(crate) type Tree<'t> = Vec<(Node<'t>, Range<usize>)>;

/// A mistake, its place and a hint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mistake {
    pub(crate) place: Range<usize>,
    pub(crate) message: &'static str,
    pub(crate) label: &'static str,
}

/// Parses a text that is one term.
pub(crate) fn parse(text: &str) -> Result<Tree<'_>, Mistake> {
    let mistake = |place, message, label| Err(Mistake { place, message, label });
    let mut tree: Tree<'_> = Vec::new();
    // For each open parenthesis: its place, and the parts so far.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let (mut at, mut is_complete) = (0, false);
    while let Some(range) = word(text, &mut at) {
        if is_complete {
            return mistake(range, "there is more text after the term", "expected nothing");
        }
        let node = match &text[range.clone()] {
            _ if tree.len() + open.len() >= MOST => {
                return mistake(range, "the term is too large", "one word too many");
            }
            "(" => {
                open.push((range.start, Vec::new()));
                continue;
            }
            ")" => match open.pop() {
                Some((start, parts)) => (Node::List(parts), start..range.end),
                None => return mistake(range, "a `)` without its `(`", "expected a term"),
            },
            quoted if quoted.starts_with('|') => match quoted[1..].strip_suffix('|') {
                Some(name) => (Node::Symbol(name), range),
                None => return mistake(range, "a quoted symbol without its end", "expected `|` after it"),
            },
            // A quote inside of a string is written twice, so a single one is the end.
            string if string.starts_with('"') => match string[1..].strip_suffix('"') {
                Some(inner) if !inner.replace("\"\"", "").contains('"') => {
                    (Node::Text(inner.replace("\"\"", "\"").into()), range)
                }
                _ => return mistake(range, "a string without its end", "expected `\"` after it"),
            },
            number if number.bytes().all(|b| b.is_ascii_digit()) => (Node::Number(number), range),
            number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                return mistake(range, "this is neither a numeral nor a symbol", "expected a decimal integer");
            }
            number
                if number.len() > 1 && number[1..].bytes().all(|b| b.is_ascii_digit()) && number.starts_with('-') =>
            {
                return mistake(range, "a numeral has no sign", "expected a numeral; `-5` is written `(- 5)`");
            }
            symbol => (Node::Symbol(symbol), range),
        };
        let number = tree.len();
        tree.push(node);
        match open.last_mut() {
            Some((_, parts)) => parts.push(number),
            None => is_complete = true,
        }
    }
    if let Some((start, _)) = open.pop() {
        return mistake(start..start + 1, "a `(` without its `)`", "not closed");
    }
    if is_complete { Ok(tree) } else { mistake(0..text.len(), "the term is empty", "expected a term") }
}

/// Returns the place of the next word, parenthesis, string or quoted symbol.
fn word(text: &str, at: &mut usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    loop {
        let rest = &bytes[*at..];
        match rest.first()? {
            b' ' | b'\t' | b'\r' | b'\n' => *at += 1,
            b';' => *at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()),
            _ => break,
        }
    }
    let (start, rest) = (*at, &bytes[*at..]);
    let length = match rest[0] {
        b'(' | b')' => 1,
        b'|' => rest[1..].iter().position(|b| *b == b'|').map_or(rest.len(), |end| end + 2),
        b'"' => {
            // A quote inside of a string is written twice.
            let mut end = 1;
            loop {
                match rest[end.min(rest.len())..].iter().position(|b| *b == b'"') {
                    None => break rest.len(),
                    Some(more) if rest.get(end + more + 1) == Some(&b'"') => end += more + 2,
                    Some(more) => break end + more + 1,
                }
            }
        }
        _ => rest.iter().position(|b| b" \t\r\n();|\"".contains(b)).unwrap_or(rest.len()),
    };
    *at = start + length;
    Some(start..*at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_trees() {
        let tree = parse("(and (<= v 5) ; five\n |a b| \"x\"\"y\")").unwrap();
        let nodes: Vec<Node<'_>> = tree.into_iter().map(|(node, _)| node).collect();
        assert_eq!(nodes[5], Node::Symbol("a b"));
        assert_eq!(nodes[6], Node::Text("x\"y".into()));
        assert_eq!(nodes[7], Node::List(vec![0, 4, 5, 6]));
        assert_eq!(parse("x").unwrap().len(), 1);
    }

    #[test]
    fn other_text_is_refused() {
        for (text, place) in [
            ("", 0..0),
            ("(a", 0..1),
            ("a)", 1..2),
            ("a b", 2..3),
            ("(- -5)", 3..5),
            ("\"a", 0..2),
            ("|a", 0..2),
            ("\"a\"\"", 0..4),
        ] {
            assert_eq!(parse(text).expect_err(text).place, place, "{text}");
        }
    }

    #[test]
    fn depth_costs_nothing() {
        let deep = "(".repeat(100_000) + &")".repeat(100_000);
        assert_eq!(parse(&deep).unwrap().len(), 100_000);
    }
}

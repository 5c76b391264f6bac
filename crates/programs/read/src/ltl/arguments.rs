//! The text of names of events with data: where the data end, which arguments they have, and which texts are the same
//! data. Signs inside of a text in quotes do not count.

/// Yields the signs of a name with their places. The number is that of the open brackets after the sign. It is `None`
/// for the signs of a text in quotes.
fn signs(text: &str) -> impl Iterator<Item = (usize, char, Option<usize>)> {
    let (mut is_quoted, mut is_escaped, mut depth) = (false, false, 0usize);
    text.char_indices().map(move |(at, c)| {
        if is_quoted {
            is_quoted = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            return (at, c, None);
        }
        match c {
            '"' => {
                is_quoted = true;
                return (at, c, None);
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (at, c, Some(depth))
    })
}

/// Returns the place of the first `:` outside of brackets and quotes.
pub fn colon(text: &str) -> Option<usize> {
    signs(text).find(|(_, c, depth)| *c == ':' && *depth == Some(0)).map(|(at, _, _)| at)
}

/// Splits at the commas outside of brackets and quotes.
fn items(list: &str) -> Vec<&str> {
    let mut from = 0;
    let mut items = Vec::new();
    for (at, _, _) in signs(list).filter(|(_, c, depth)| *c == ',' && *depth == Some(0)) {
        items.push(list[from..at].trim());
        from = at + 1;
    }
    items.push(list[from..].trim());
    items
}

/// Splits `move(1, X)` into `move` and its arguments, and likewise `e[1][2]`. `None` if there are no arguments.
pub(super) fn arguments(name: &str) -> Option<(&str, Vec<&str>)> {
    let at = name.find(['(', '['])?;
    let (declaration, rest) = name.split_at(at);
    let list = match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => items(inner),
        None => rest.strip_prefix('[')?.strip_suffix(']')?.split("][").map(str::trim).collect(),
    };
    Some((declaration, list))
}

/// Returns the length of what belongs to a name that begins before `rest`: arguments in brackets, and words after dots.
pub(super) fn name_length(rest: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    loop {
        let tail = &rest[at..];
        let more = match tail.chars().next() {
            Some('[' | '(') => signs(tail).find(|(_, _, depth)| *depth == Some(0)).map(|(close, _, _)| close + 1),
            Some('.') if tail[1..].starts_with(is_word) => Some(1),
            Some(c) if is_word(c) => Some(tail.find(|c| !is_word(c)).unwrap_or(tail.len())),
            _ => None,
        };
        let Some(more) = more else { return at };
        at += more;
    }
}

/// More brackets inside of each other than the data of events have.
const DEPTH: usize = 64;

/// Returns a name in a normal form: without spaces in brackets, and with the properties of each object sorted. `None`
/// if there is no object in it.
pub(super) fn normal(name: &str) -> Option<String> {
    // The items of each open bracket. The last one is not complete.
    let mut open: Vec<Vec<String>> = vec![vec![String::new()]];
    let mut has_object = false;
    for (_, c, depth) in signs(name) {
        let is_outer = open.len() == 1;
        let items = open.last_mut()?;
        let last = items.last_mut()?;
        match c {
            _ if depth.is_none() => last.push(c),
            c if c.is_whitespace() && !is_outer => {}
            ',' if !is_outer => items.push(String::new()),
            '(' | '[' | '{' => {
                last.push(c);
                has_object |= c == '{';
                open.push(vec![String::new()]);
            }
            ')' | ']' | '}' => {
                if is_outer || open.len() > DEPTH {
                    return None;
                }
                let mut items = open.pop().unwrap_or_default();
                if c == '}' {
                    items.sort();
                }
                let last = open.last_mut()?.last_mut()?;
                last.push_str(&items.join(","));
                last.push(c);
            }
            c => last.push(c),
        }
    }
    let is_whole = has_object && open.len() == 1;
    is_whole.then(|| open.pop()?.pop()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_in_brackets_and_quotes_do_not_count() {
        assert_eq!(colon(r#"q: G a"#), Some(1));
        assert_eq!(colon(r#"G !move({"p":"X"})"#), None);
        assert_eq!(colon(r#"G "a:b" | c : d"#), Some(12));
        assert_eq!(name_length(r#"({"p":")\"}"}) & b"#), 14);
        assert_eq!(name_length("(a"), 0);
        assert_eq!(
            arguments(r#"e([1,2], "a,b", {"x":1,"y":2})"#),
            Some(("e", vec!["[1,2]", "\"a,b\"", r#"{"x":1,"y":2}"#]))
        );
    }

    #[test]
    fn properties_have_no_order() {
        let first = normal(r#"move({"x": [1, {"b":2,"a":" ,"}], "p":"X"})"#);
        assert_eq!(first.as_deref(), Some(r#"move({"p":"X","x":[1,{"a":" ,","b":2}]})"#));
        assert_eq!(normal("move([2, 1])"), None);
        assert_ne!(normal("f({\"a\":[2,1]})"), normal("f({\"a\":[1,2]})"));
        for odd in ["{", "}{", "f({)", "({}"] {
            let _ = normal(odd);
        }
        assert_eq!(normal(&"{".repeat(100_000)), None);
        assert_eq!(normal(&("{".repeat(70) + &"}".repeat(70))), None);
    }
}

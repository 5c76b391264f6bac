//! Methods of regular expressions, and methods of texts that get one. An expression has no state: those with the flag
//! `g` remember the end of the last match in `test` and `exec`, which is not read.

use super::machine::Machine;
use super::regex::{Flags, Regex};
use super::value::{Cell, Res, Value, argument, unsupported};
use std::rc::Rc;

/// The method that stands for `match` where only the truth counts: it gives `null` or `true`.
pub(super) const MATCHES: &str = "match?";

impl Machine<'_> {
    /// Returns the pattern and the flags of a regular expression.
    pub(super) fn pattern(&self, value: &Value) -> Option<(Rc<str>, Flags)> {
        let Value::Ref(at) = value else { return None };
        if let Cell::Regex(pattern, flags) = self.heap.get(*at) { Some((pattern.clone(), *flags)) } else { None }
    }

    /// Reads an expression for a search in this text, and counts the work.
    fn regex(&mut self, (pattern, flags): &(Rc<str>, Flags), text: &str) -> Res<Regex> {
        check_text(text)?;
        let refused = |what| unsupported(format!("{what} in a regular expression is not read"), "use `indexOf`");
        let regex = Regex::new(pattern, *flags).map_err(refused)?;
        self.heap.charge(regex.work(text) / 4 + 1)?;
        Ok(regex)
    }

    /// Calls a method of a regular expression. `None` if there is no such method.
    pub(super) fn regex_method(&mut self, regex: &Value, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
        let Some(pattern) = self.pattern(regex).filter(|_| name == "test") else {
            return Err(unsupported("of regular expressions, `test` is read only", "use `text.match(..) !== null`"));
        };
        if pattern.1.is_global {
            let hint = "leave the flag out: with it, the next `test` begins at the end of the last match";
            return Err(unsupported("`test` with the flag `g` is not read", hint));
        }
        let text = self.heap.text_of(&argument(arguments, 0))?;
        let regex = self.regex(&pattern, &text)?;
        Ok(Some(Value::Bool(regex.find(text.as_bytes(), 0).is_some())))
    }

    /// Calls a method of a text that gets a regular expression. `None` if it gets something else.
    pub(super) fn matching(&mut self, text: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
        let Some(pattern) = self.pattern(&argument(arguments, 0)) else { return Ok(None) };
        let regex = self.regex(&pattern, text)?;
        let is_global = pattern.1.is_global;
        Ok(Some(match name {
            MATCHES => regex.find(text.as_bytes(), 0).map_or(Value::Null, |_| Value::Bool(true)),
            "search" => regex.find(text.as_bytes(), 0).map_or(Value::num(-1.0), |(start, _)| Value::count(start)),
            "match" if is_global => {
                let found = self.all_matches(&regex, text)?;
                let texts: Vec<Value> = found.into_iter().map(|(start, end)| Value::str(&text[start..end])).collect();
                if texts.is_empty() { Value::Null } else { self.heap.alloc(Cell::Array(texts))? }
            }
            "replace" => {
                let found = match is_global {
                    true => self.all_matches(&regex, text)?,
                    false => regex.find(text.as_bytes(), 0).into_iter().collect(),
                };
                let new = self.new_text(&argument(arguments, 1))?;
                self.heap.charge_length(text.len() + found.len() * new.len())?;
                Value::str(between(text, &found).join(&*new))
            }
            "split" if arguments.len() == 1 && regex.may_split => {
                let found = self.all_matches(&regex, text)?;
                let parts = between(text, &found).into_iter().map(Value::str).collect();
                self.heap.alloc(Cell::Array(parts))?
            }
            _ => {
                let message = format!("`{name}` with this regular expression is not read");
                let hint = "read are `match` as a condition or with the flag `g`, `search`, `replace`, `split`, `test`";
                return Err(unsupported(message, hint));
            }
        }))
    }

    fn all_matches(&mut self, regex: &Regex, text: &str) -> Res<Vec<(usize, usize)>> {
        let (mut found, mut from) = (Vec::new(), 0);
        while from <= text.len()
            && let Some((start, end)) = regex.find(text.as_bytes(), from)
        {
            found.push((start, end));
            from = end + usize::from(start == end);
            self.heap.charge(regex.work(text) / 4 + 1)?;
        }
        Ok(found)
    }
}

/// Returns the parts of a text between matches.
fn between<'t>(text: &'t str, found: &[(usize, usize)]) -> Vec<&'t str> {
    let starts = std::iter::once(0).chain(found.iter().map(|(_, end)| *end));
    let ends = found.iter().map(|(start, _)| *start).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end]).collect()
}

/// Checks that a text is one that expressions are read for.
fn check_text(text: &str) -> Res<()> {
    if text.is_ascii() {
        return Ok(());
    }
    let hint = "use `indexOf`, `startsWith`, `split`";
    Err(unsupported("regular expressions are read for texts of ASCII only", hint))
}

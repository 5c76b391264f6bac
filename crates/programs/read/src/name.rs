//! Names that `.rwb` text can express: identifiers, possibly with indices, such as `s[0][1]`.
//!
//! Programs from other sources may have names that text cannot express (blanks, reserved words, an event `e[1]`
//! without an `e[0]`). Writers then choose a similar unused name.

use crate::rwb::lex::is_identifier;
pub(crate) use formats::error::WriteError;
use formats::replaced::identifier;
use model::{Problem, Program};
use std::collections::HashSet;
use std::sync::Arc;

/// Splits a name into its base and its indices: `s[0][1]` is `s` with 0 and 1. Returns `None` if text cannot
/// express it.
pub(crate) fn parts(name: &str) -> Option<(&str, Vec<&str>)> {
    let end = name.find('[').unwrap_or(name.len());
    let (base, mut rest) = name.split_at(end);
    let mut indices = Vec::new();
    while !rest.is_empty() {
        let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
        // Indices have no leading zero, so that equal names are equal texts.
        let plain = index == "0" || !index.starts_with('0');
        if index.is_empty() || !plain || !index.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        indices.push(index);
        rest = after;
    }
    is_identifier(base).then_some((base, indices))
}

/// True if `.rwb` text can express this name of a thread or a state.
pub(crate) fn is_name(name: &str) -> bool {
    parts(name).is_some()
}

/// An event array to declare.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Array {
    pub(crate) base: String,
    pub(crate) sizes: Vec<usize>,
}

/// Names for the events, threads and states of a program. `.rwb` text can express each of these names. A name
/// that text could express before is kept.
pub(crate) struct TextNames {
    pub(crate) arrays: Vec<Array>,
    pub(crate) events: Vec<String>,
    pub(crate) threads: Vec<String>,
    pub(crate) states: Vec<Vec<String>>,
}

impl TextNames {
    pub(crate) fn of(program: &Program) -> Self {
        let (arrays, events) = event_names(program.events());
        let threads: Vec<&str> = program.threads().iter().map(|t| t.name.as_str()).collect();
        let states = |t: &model::Thread| plain_names(&t.states.iter().map(|s| s.name.as_str()).collect::<Vec<_>>());
        Self { arrays, events, threads: plain_names(&threads), states: program.threads().iter().map(states).collect() }
    }
}

/// Returns names for threads or states, which need no declaration. A name changes only if text cannot express
/// it.
fn plain_names(names: &[&str]) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().filter(|n| is_name(n)).map(|n| (*n).to_owned()).collect();
    names.iter().map(|n| if is_name(n) { (*n).to_owned() } else { free(n, &mut taken) }).collect()
}

/// Returns array declarations, and the names of the events in the text. The declarations are in the order of
/// `events`, so that a reader of the text gives each event the same number. The events of an array keep their
/// names if the array is complete and in order.
fn event_names(events: &[String]) -> (Vec<Array>, Vec<String>) {
    let mut runs: Vec<(usize, usize, Option<Array>)> = Vec::new();
    let mut at = 0;
    while at < events.len() {
        let run = array_at(&events[at..]);
        let len = run.as_ref().map_or(1, |(len, _)| *len);
        runs.push((at, len, run.map(|(_, array)| array)));
        at += len;
    }
    // A base must not be declared twice. So of several arrays with the same base, only the first is declared as
    // an array.
    let mut taken: HashSet<String> = HashSet::new();
    for (_, _, array) in &mut runs {
        if array.as_ref().is_some_and(|a| !taken.insert(a.base.clone())) {
            *array = None;
        }
    }
    let (mut arrays, mut names) = (Vec::new(), Vec::new());
    for (at, len, array) in runs {
        if let Some(array) = array {
            names.extend_from_slice(&events[at..at + len]);
            arrays.push(array);
            continue;
        }
        for event in &events[at..at + len] {
            let base = free(event, &mut taken);
            names.push(base.clone());
            arrays.push(Array { base, sizes: Vec::new() });
        }
    }
    (arrays, names)
}

/// Returns an array and the number of its elements. Row by row, these elements are the first events of the list.
/// Returns `None` if there is no such array.
fn array_at(events: &[String]) -> Option<(usize, Array)> {
    let (base, zeros) = parts(&events[0])?;
    if zeros.iter().any(|i| *i != "0") {
        return None;
    }
    let same = |name: &str| parts(name).is_some_and(|(b, i)| b == base && i.len() == zeros.len());
    let count = events.iter().take_while(|e| same(e)).count();
    // The indices of the last element of the run give the sizes.
    let (_, last) = parts(&events[count - 1])?;
    let mut sizes = Vec::with_capacity(last.len());
    for index in last {
        sizes.push(index.parse::<usize>().ok()?.checked_add(1)?);
    }
    let product = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s))?;
    let in_order = (0..count).all(|i| element(base, &sizes, i) == events[i]);
    (product == count && in_order).then(|| (count, Array { base: base.to_owned(), sizes }))
}

/// Returns the name `base[i][j]` of an element of an array. The elements are numbered row by row, and `index`
/// is the number of this element.
pub(crate) fn element(base: &str, sizes: &[usize], mut index: usize) -> String {
    let mut indices = Vec::with_capacity(sizes.len());
    for size in sizes.iter().rev() {
        indices.push(index % size);
        index /= size;
    }
    let mut name = base.to_owned();
    for i in indices.iter().rev() {
        name.push('[');
        name.push_str(&i.to_string());
        name.push(']');
    }
    name
}

/// Returns an unused identifier similar to `name`, and adds it to `taken`.
fn free(name: &str, taken: &mut HashSet<String>) -> String {
    let base = identifier(name);
    let mut candidate = base.clone();
    let mut number = 1;
    while !is_identifier(&candidate) || !taken.insert(candidate.clone()) {
        number += 1;
        candidate = format!("{base}_{number}");
    }
    candidate
}

/// Returns the behavioral program to write in the format called `format`, which supports no other systems.
pub(crate) fn program_for<'p>(format: &str, problem: &'p Problem) -> Result<&'p Arc<Program>, WriteError> {
    let hint = match problem.system().as_data() {
        Some(_) => "the format `json` can express it",
        None => "the format is for behavioral programs",
    };
    let other = || WriteError::feature(format, problem.system().noun()).hint(hint);
    problem.system().as_program().ok_or_else(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(events: &[&str]) -> (Vec<String>, Vec<String>) {
        let (arrays, names) = event_names(&events.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>());
        (arrays.iter().map(|a| format!("{}{:?}", a.base, a.sizes)).collect(), names)
    }

    #[test]
    fn complete_arrays_are_declared_as_such() {
        let events = ["a", "e[0][0]", "e[0][1]", "e[1][0]", "e[1][1]", "b[0]"];
        let (arrays, names) = declared(&events);
        assert_eq!(arrays, ["a[]", "e[2, 2]", "b[1]"]);
        assert_eq!(names, events);
    }

    #[test]
    fn what_text_cannot_say_gets_a_similar_name() {
        let (arrays, names) = declared(&["e[1]", "e[0]", "request", "a b", "a_b", "x", "x[0]", "e_1_", "e[01]"]);
        assert_eq!(names, ["e_1__2", "e[0]", "request_2", "a_b_2", "a_b", "x", "x_0_", "e_1_", "e_01_"]);
        assert_eq!(arrays.len(), 9);
    }

    #[test]
    fn arrays_in_another_order_are_no_arrays() {
        let (arrays, names) = declared(&["e[0][0]", "e[1][0]", "e[0][1]", "e[1][1]"]);
        assert_eq!(names, ["e_0__0_", "e_1__0_", "e_0__1_", "e_1__1_"]);
        assert_eq!(arrays.len(), 4);
    }

    #[test]
    fn names_come_apart() {
        assert_eq!(parts("s[0][12]"), Some(("s", vec!["0", "12"])));
        for bad in ["", "[0]", "s[", "s[]", "s[-1]", "s[0]x", "s [0]", "1s", "bad", "s[00]", "s[0"] {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}

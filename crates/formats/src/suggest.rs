//! Suggestions ("did you mean"): the known name that is most similar to an unknown one, by edit distance.

use crate::error::Error;

/// The largest length of a compared name in bytes, and the largest number of candidates. They ensure that a
/// hint does not cost more than the error.
const LENGTH: usize = 40;
const CANDIDATES: usize = 5000;

/// Returns the candidate most similar to `name`, if the edit distance is at most a third of the longer name's
/// length, and at most 3.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LENGTH {
        return None;
    }
    let near = |c: &'a str| {
        let most = name.len().max(c.len()).div_ceil(3).min(3);
        let plausible = c.len() <= LENGTH && c.len().abs_diff(name.len()) <= most && c != name;
        plausible.then(|| (distance(name.as_bytes(), c.as_bytes()), c)).filter(|(d, _)| *d <= most)
    };
    candidates.into_iter().take(CANDIDATES).filter_map(near).min_by_key(|(d, _)| *d).map(|(_, c)| c)
}

/// Adds the hint that the nearest known name was probably meant. If no name is near, adds the hint `otherwise`, unless
/// it is empty.
#[must_use]
pub fn hinted<'a>(
    error: Box<Error>,
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> Box<Error> {
    match nearest(name, candidates) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if otherwise.is_empty() => error,
        None => error.hint(otherwise),
    }
}

/// Returns the edit distance of `a` and `b`. A swap of two neighbours counts as one edit (optimal string
/// alignment).
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_slip_of_the_finger() {
        assert_eq!(nearest("cold", ["hot", "could", "low"]), Some("could"));
        assert_eq!(nearest("theard", ["thread", "event"]), Some("thread"));
        assert_eq!(nearest("zebra", ["hot", "low"]), None);
        assert_eq!(nearest(&"x".repeat(1000), ["x"]), None);
        assert_eq!(distance(b"abc", b"acb"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
    }
}

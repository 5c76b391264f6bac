//! New names in place of those that a format cannot express.

use std::collections::{HashMap, HashSet};

/// Returns a new name for each of `names`. The new names are distinct, and `is_name` accepts them. A name that
/// `is_name` accepts is kept (of several equal names, only the first). Every other name is replaced by a similar
/// one. The result depends only on the input. The computation takes linear time.
pub fn replaced<'a>(names: impl Iterator<Item = &'a str> + Clone, is_name: impl Fn(&str) -> bool) -> Vec<String> {
    let mut taken: HashSet<String> = names.clone().filter(|n| is_name(n)).map(str::to_owned).collect();
    let mut kept: HashSet<&str> = HashSet::new();
    // For each base: the last number that was tried. Otherwise each of a million names with the same base would
    // try all numbers.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut replacement = |name: &str| {
        let base = identifier(name);
        let number = numbers.entry(base.clone()).or_insert(0);
        loop {
            *number += 1;
            let candidate = if *number == 1 { base.clone() } else { format!("{base}_{number}") };
            if is_name(&candidate) && taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    };
    names.map(|n| if is_name(n) && kept.insert(n) { n.to_owned() } else { replacement(n) }).collect()
}

/// Returns an identifier similar to `name`: letters, digits and `_`, not beginning with a digit.
pub fn identifier(name: &str) -> String {
    let mut base: String = name.chars().take(100).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        base.insert(0, '_');
    }
    base
}

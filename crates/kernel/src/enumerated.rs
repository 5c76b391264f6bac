//! The set of all reachable states, computed by the checker itself.

use crate::closed::{Change, Listed, Set};
use crate::keys::Layout;
use crate::table::Table;
use crate::work::Work;
use crate::{Check, reject};

/// Computes the set of all reachable states. It may have at most `most` states if keys have one word; for
/// longer keys the limit is divided by the number of words per key.
///
/// # Errors
/// If a reachable state is a state of a goal, or there are more states than the limit, or if a resource limit
/// is exceeded.
pub fn enumerate<L: Listed>(kind: &mut L, most: usize, work: &mut Work<'_>) -> Check<Set> {
    let layout = Layout::new(&kind.sizes());
    let words = layout.words();
    let table = Table::new(most.div_ceil(words), words, work)?;
    let mut found = Found { set: Set { layout, table, hash: 0 }, keys: Vec::new() };
    let mut key = Vec::new();
    kind.initial(&mut |state| {
        key.clear();
        match found.set.layout.pack(state, |word| key.push(word)) {
            true => found.add(&key, work),
            false => reject(format!("the initial {} {} is not in range", L::ELEMENT, kind.describe(state))),
        }
    })?;
    assert!(!found.keys.is_empty(), "a system has an initial state");
    let (mut state, mut at) = (Vec::new(), 0);
    while at < found.keys.len() {
        found.set.layout.unpack(&found.keys[at..][..words], &mut state);
        work.spend(1 + state.len() as u64 / 8)?;
        let mut step = |changes: &[Change], work: &mut Work<'_>| {
            key.clear();
            key.extend_from_slice(&found.keys[at..][..words]);
            match changes.iter().all(|change| found.set.layout.change(&mut key, change)) {
                true => found.add(&key, work),
                false => reject("a step leads to a number out of the range of its slot"),
            }
        };
        kind.expand(&state, &mut step, work)?;
        let hash = kind.hash(&state, &found.keys[at..][..words]);
        found.set.hash = found.set.hash.wrapping_add(hash);
        at += words;
    }
    assert_eq!(at, found.set.table.len() * words, "every state was looked at");
    Ok(found.set)
}

/// The states found so far.
struct Found {
    set: Set,
    /// The keys of the states, in the order in which the states were found.
    keys: Vec<u64>,
}

impl Found {
    fn add(&mut self, key: &[u64], work: &mut Work<'_>) -> Check<()> {
        if self.set.table.add(key, work)? {
            self.keys.extend_from_slice(key);
        }
        debug_assert_eq!(self.keys.len(), self.set.table.len() * key.len(), "each key is listed once");
        Ok(())
    }
}

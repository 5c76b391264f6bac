//! Moves of a search on a marking: firing once, firing many times at once, adding tokens to the initial
//! marking, and repeating words (sequences of transitions).
//!
//! Where no guard has an upper limit and all changes are constant, all rounds of a repeated word can be
//! computed at once. The tokens needed and the tokens changed are linear in the number of the round, so `n`
//! rounds are possible iff the first and the last are. This is acceleration (Bardin, Finkel, Leroux, Petrucci
//! 2003), restricted to cases where it is exact.

use crate::cover::store::{Move, NodeId, Store};
use crate::rules::{LIMIT, Rules};

/// The requirements and the effect of a word with constant changes.
#[derive(Default, Debug)]
pub(crate) struct Word {
    /// For each place: the place, the tokens needed before one round, and the change by a round.
    places: Vec<(u32, u64, i64)>,
}

/// Maximal length of a word.
const LONGEST: usize = 4096;

/// True if the changes of `t` are constant and its guards have no upper limit.
fn is_linear(net: &Rules, t: u32) -> bool {
    net.guards.row(t as usize).iter().all(|g| g.most == u64::MAX)
        && net.changes.row(t as usize).iter().all(|c| c.sources.is_none())
}

impl Word {
    /// Makes a word. Returns `None` if some transition is not linear, or the word is empty or too long.
    pub(crate) fn new(net: &Rules, word: &[u32]) -> Option<Self> {
        if word.is_empty() || word.len() > LONGEST || !word.iter().all(|t| is_linear(net, *t)) {
            return None;
        }
        // First collect all places that are tested or changed. Then add up needs and changes, firing by firing.
        let guards = |t: &u32| net.guards.row(*t as usize).iter().map(|g| g.place);
        let changes = |t: &u32| net.changes.row(*t as usize).iter().map(|c| c.place);
        let mut places: Vec<u32> = word.iter().flat_map(|t| guards(t).chain(changes(t))).collect();
        places.sort_unstable();
        places.dedup();
        let mut sums: Vec<(u32, u64, i64)> = places.into_iter().map(|p| (p, 0, 0)).collect();
        for &t in word {
            for guard in net.guards.row(t as usize) {
                let at = sums.binary_search_by_key(&guard.place, |s| s.0).ok()?;
                let need = i128::from(guard.least) - i128::from(sums[at].2);
                sums[at].1 = sums[at].1.max(u64::try_from(need.max(0)).ok()?);
            }
            for change in net.changes.row(t as usize) {
                let at = sums.binary_search_by_key(&change.place, |s| s.0).ok()?;
                sums[at].2 = sums[at].2.checked_add(change.add)?;
            }
        }
        Some(Self { places: sums })
    }

    /// The number of rounds that are possible in a row, at most `most`.
    pub(crate) fn rounds(&self, tokens: &[u64], most: u64) -> u64 {
        self.places.iter().fold(most, |rounds, &(p, need, add)| {
            let there = tokens[p as usize];
            if there < need {
                return 0;
            }
            match add {
                0 => rounds,
                add if add < 0 => rounds.min((there - need) / add.unsigned_abs() + 1),
                add => rounds.min((LIMIT - there.min(LIMIT)) / add.unsigned_abs()),
            }
        })
    }

    /// Does the given number of rounds, which must be possible.
    pub(crate) fn repeat(&self, tokens: &mut [u64], times: u64) {
        for &(p, _, add) in &self.places {
            let by = i128::from(add) * i128::from(times);
            tokens[p as usize] =
                u64::try_from(i128::from(tokens[p as usize]) + by).expect("as many rounds as possible");
        }
    }
}

/// Does `step` after node `from`. The node's marking is in `tokens`. Returns false if the step is not possible;
/// `tokens` are then undefined.
pub(crate) fn take(net: &Rules, store: &Store, from: NodeId, step: Move, tokens: &mut [u64]) -> bool {
    match step {
        Move::Fire(t, times) if t as usize >= net.transitions() => open(net, t, times, tokens),
        Move::Fire(t, 1) => net.is_enabled(t, tokens) && net.fire(t, tokens),
        Move::Fire(t, times) => Word::new(net, &[t]).is_some_and(|word| rounds(&word, tokens, times)),
        Move::Again(nodes, times) => {
            let Some(word) = word(net, store, from, nodes) else { return false };
            Word::new(net, &word).is_some_and(|word| rounds(&word, tokens, times))
        }
    }
}

fn rounds(word: &Word, tokens: &mut [u64], times: u32) -> bool {
    let possible = word.rounds(tokens, times.into()) == u64::from(times);
    if possible {
        word.repeat(tokens, times.into());
    }
    possible
}

/// Adds tokens to an open place.
fn open(net: &Rules, t: u32, times: u32, tokens: &mut [u64]) -> bool {
    let (place, most) = net.open[t as usize - net.transitions()];
    let there = tokens[place as usize] - net.initial[place as usize];
    let possible = there + u64::from(times) <= u64::from(most);
    tokens[place as usize] += u64::from(times);
    possible
}

/// The transitions of the last `nodes` steps up to `node`. `None` if some step is not the firing of a
/// transition, or the word is too long.
pub(crate) fn word(net: &Rules, store: &Store, node: NodeId, nodes: u32) -> Option<Vec<u32>> {
    let mut steps = Vec::new();
    let mut at = node;
    for _ in 0..nodes {
        let node = (at as usize) < store.len();
        let node = node.then(|| store.node(at))?;
        match node.step {
            Move::Fire(t, times) if (t as usize) < net.transitions() => steps.push((t, times)),
            _ => return None,
        }
        at = node.parent;
    }
    let length: u64 = steps.iter().map(|(_, n)| u64::from(*n)).sum();
    if length > LONGEST as u64 {
        return None;
    }
    Some(steps.into_iter().rev().flat_map(|(t, times)| std::iter::repeat_n(t, times as usize)).collect())
}

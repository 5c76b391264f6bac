//! From nodes of a search to a trace of the task.

use crate::moves;
use crate::store::{NOBODY, NodeId, Step, Store};
use model::{EventId, Trace};
use reduce::rules::Rules;

/// A run: extra tokens of open places, then words with how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) extra: Vec<u32>,
    pub(crate) words: Vec<(Vec<u32>, u32)>,
}

impl Run {
    /// The way to `node` from a start with `extra` tokens.
    pub(crate) fn to(net: &Rules, store: &Store, node: NodeId, extra: Vec<u32>) -> Option<Self> {
        let mut run = Self { extra, words: Vec::new() };
        let mut at = node;
        while store.node(at).parent != NOBODY {
            let node = store.node(at);
            match node.step {
                Step::Fire(t, times) if t as usize >= net.transitions() => {
                    let extra = &mut run.extra[t as usize - net.transitions()];
                    *extra = extra.checked_add(times)?;
                }
                Step::Fire(t, times) => run.words.push((vec![t], times)),
                Step::Again(nodes, times) => run.words.push((moves::word(net, store, node.parent, nodes)?, times)),
            }
            at = node.parent;
        }
        run.words.reverse();
        Some(run)
    }

    /// With no more tokens on open places than its firings and `wanted` in the end need. Where all changes are constant and more
    /// tokens never hurt; else as it is.
    pub(crate) fn with_fewer_tokens(mut self, net: &Rules, wanted: &[(u32, u64)]) -> Self {
        let mut sums = vec![0i128; net.places()];
        let mut needs = vec![0i128; net.places()];
        let (mut before, mut low) = (Vec::new(), Vec::new());
        for (word, times) in &self.words {
            // Needs of a repeated word are greatest in the first round or in the last one.
            before.clone_from(&sums);
            for round in 0..(*times).min(2) {
                if round == 1 {
                    let skipped = i128::from(*times - 2);
                    low.clone_from(&sums);
                    for (p, sum) in sums.iter_mut().enumerate() {
                        *sum += (low[p] - before[p]) * skipped;
                    }
                }
                for &t in word {
                    let t = t as usize;
                    for guard in net.guards.row(t) {
                        let p = guard.place as usize;
                        needs[p] = needs[p].max(i128::from(guard.least) - sums[p]);
                    }
                    for change in net.changes.row(t) {
                        if change.sources.is_some() {
                            return self;
                        }
                        sums[change.place as usize] += i128::from(change.add);
                    }
                }
            }
        }
        for &(p, n) in wanted {
            needs[p as usize] = needs[p as usize].max(i128::from(n) - sums[p as usize]);
        }
        for ((p, _), extra) in net.open.iter().zip(&mut self.extra) {
            let needed = (needs[*p as usize] - i128::from(net.initial[*p as usize])).max(0);
            *extra = (*extra).min(u32::try_from(needed).unwrap_or(u32::MAX));
        }
        self
    }

    /// As evidence.
    pub(crate) fn trace(self) -> Trace {
        let mut trace = Trace::new(self.extra.into_boxed_slice());
        for (word, times) in self.words {
            match (word.as_slice(), times) {
                ([t], 1) => trace.push(EventId(*t), None),
                _ => trace.push_repeat(word.into_iter().map(EventId).collect(), times.into()),
            }
        }
        trace
    }
}

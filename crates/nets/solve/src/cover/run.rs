//! Makes traces of the task from nodes of a search.

use crate::cover::moves::{self, Word};
use crate::cover::store::{Move, NO_PARENT, NodeId, Store};
use crate::cover::target::Target;
use crate::reduce::shorten::{FiringRun, Shortener};
use crate::rules::Rules;
use model::{EventId, Formula, Trace};

/// Maximal length of runs that are shortened firing by firing.
const FLAT: u64 = 20_000;
/// Limit on the firings spent on shortening.
const SHORTENING: u64 = 1_000_000;
/// Limit on the words executed while repetitions are reduced.
const LOWERING: u64 = 300_000;

/// A run: additional tokens of open places, then words, each with its number of repetitions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) extra: Vec<u32>,
    pub(crate) words: Vec<(Vec<u32>, u32)>,
}

impl Run {
    /// Makes the run to `node` from a start with `extra` tokens.
    pub(crate) fn to(net: &Rules, store: &Store, node: NodeId, extra: Vec<u32>) -> Option<Self> {
        let mut run = Self { extra, words: Vec::new() };
        let mut at = node;
        while store.node(at).parent != NO_PARENT {
            let node = store.node(at);
            match node.step {
                Move::Fire(t, times) if t as usize >= net.transitions() => {
                    let extra = &mut run.extra[t as usize - net.transitions()];
                    *extra = extra.checked_add(times)?;
                }
                Move::Fire(t, times) => run.words.push((vec![t], times)),
                Move::Again(nodes, times) => run.words.push((moves::word(net, store, node.parent, nodes)?, times)),
            }
            at = node.parent;
        }
        run.words.reverse();
        Some(run)
    }

    /// Removes tokens on open places that neither the firings nor the final requirement `wanted` need. Leaves
    /// the run as it is if some change is not constant. Additional tokens must never disable anything.
    pub(crate) fn with_fewer_tokens(mut self, net: &Rules, wanted: &[(u32, u64)]) -> Self {
        let mut sums = vec![0i128; net.places()];
        let mut needs = vec![0i128; net.places()];
        let (mut before, mut low) = (Vec::new(), Vec::new());
        for (word, times) in &self.words {
            // The needs of a repeated word are greatest in the first or the last round.
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

    /// Shortens the run: first reduces repetitions as far as the goal is still reached; then, if the run is not
    /// too long, removes single firings.
    pub(crate) fn shorter(mut self, net: &Rules, target: &Target, goal: Option<&Formula>) -> Self {
        self.lower(net, target);
        let flat = |run: &Self| run.words.iter().flat_map(|(w, n)| (0..*n).flat_map(|_| w.iter().copied())).collect();
        if self.len() > FLAT {
            return self;
        }
        let found = FiringRun { extra: self.extra.clone(), steps: flat(&self) };
        let short = Shortener { net, goal, work: SHORTENING }.shorten(found);
        Self { extra: short.extra, words: short.steps.into_iter().map(|t| (vec![t], 1)).collect() }
    }

    /// Number of firings.
    fn len(&self) -> u64 {
        let all = self.words.iter().map(|(word, times)| word.len() as u64 * u64::from(*times));
        all.fold(0, u64::saturating_add)
    }

    fn lower(&mut self, net: &Rules, target: &Target) {
        let words: Vec<Option<Word>> = self.words.iter().map(|(word, _)| Word::new(net, word)).collect();
        let mut work = LOWERING;
        for i in (0..self.words.len()).rev() {
            let (mut low, mut high) = (0, self.words[i].1);
            if high < 2 || words[i].is_none() {
                continue;
            }
            while low < high && work > 0 {
                let middle = low + (high - low) / 2;
                self.words[i].1 = middle;
                work = work.saturating_sub(words.len() as u64 + 1);
                if self.reaches(net, &words, target) { high = middle } else { low = middle + 1 }
            }
            self.words[i].1 = high;
        }
        self.words.retain(|(_, times)| *times > 0);
    }

    /// True if this is a run to the goal.
    fn reaches(&self, net: &Rules, compiled: &[Option<Word>], target: &Target) -> bool {
        let mut tokens = net.initial.clone();
        net.open.iter().zip(&self.extra).for_each(|((p, _), n)| tokens[*p as usize] += u64::from(*n));
        for ((word, times), compiled) in self.words.iter().zip(compiled) {
            let times = u64::from(*times);
            let done = match compiled {
                Some(compiled) if compiled.rounds(&tokens, times) == times => {
                    compiled.repeat(&mut tokens, times);
                    true
                }
                Some(_) => false,
                None => {
                    let mut all = (0..times).flat_map(|_| word);
                    all.all(|t| net.is_enabled(*t, &tokens) && net.fire(*t, &mut tokens))
                }
            };
            if !done {
                return false;
            }
        }
        target.holds(&tokens, &mut Vec::new())
    }

    /// Makes a trace.
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

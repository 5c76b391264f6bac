//! The order in which markings are expanded for formulas of computation tree logic: breadth first, depth first, and
//! along a walk, in turns. A formula such as `AG EF p` is refuted by markings from which the net never comes back, and
//! these are far away.

use super::graph::Graph;
use temporal::demand::Stuck;

/// Markings that are expanded between two looks at the budget.
pub(super) const BATCH: usize = 64;

/// The order in which markings are expanded.
#[derive(Default)]
pub(super) struct Order {
    /// All markings before this one are expanded.
    first: u32,
    /// Markings that the depth-first search comes back to. Some of them may be expanded.
    stack: Vec<u32>,
    /// The marking of the walk, and the number of its steps.
    pub(super) last: u32,
    steps: u64,
    /// For each transition: the steps of the walk that fired it.
    fired: Vec<u32>,
    turn: usize,
}

/// Steps of a walk until it begins again.
const LONGEST_WALK: u64 = 1 << 14;

impl Order {
    /// Expands some markings: breadth first, depth first and along a walk in turns.
    pub(super) fn expand(&mut self, graph: &mut Graph) -> Result<(), Stuck> {
        self.turn = (self.turn + 1) % 3;
        for _ in 0..BATCH {
            let next = match self.turn {
                0 => self.broad(graph),
                1 => self.deep(graph),
                _ => {
                    self.walk(graph)?;
                    continue;
                }
            };
            let Some(next) = next else { break };
            graph.expand(next)?;
            if self.turn == 1 {
                self.stack.extend(graph.steps_of(next).iter().map(|(_, to)| *to));
            }
        }
        Ok(())
    }

    /// Returns the first known marking that is not expanded.
    fn broad(&mut self, graph: &Graph) -> Option<u32> {
        while graph.is_expanded(self.first) {
            self.first += 1;
        }
        ((self.first as usize) < graph.space.len()).then_some(self.first)
    }

    /// Returns a marking that was found last and is not expanded. If the search is over, it begins at the first known
    /// marking that is not expanded.
    fn deep(&mut self, graph: &Graph) -> Option<u32> {
        while let Some(state) = self.stack.pop() {
            if !graph.is_expanded(state) {
                return Some(state);
            }
        }
        self.broad(graph)
    }

    /// Makes a step of the walk, by the transition that the walk has fired least. From a dead marking it goes back to
    /// the initial one.
    fn walk(&mut self, graph: &mut Graph) -> Result<(), Stuck> {
        if !graph.is_expanded(self.last) {
            graph.expand(self.last)?;
        }
        self.steps += 1;
        let count = |t: u32| self.fired.get(t as usize).copied().unwrap_or(0);
        let steps = graph.steps_of(self.last);
        match steps.iter().min_by_key(|(t, to)| (count(*t), (to.wrapping_mul(0x9e37_79b9)))) {
            Some((t, to)) if !self.steps.is_multiple_of(LONGEST_WALK) => {
                let at = *t as usize;
                self.fired.resize(self.fired.len().max(at + 1), 0);
                self.fired[at] += 1;
                self.last = *to;
            }
            _ => self.last = graph.initial[0],
        }
        Ok(())
    }
}

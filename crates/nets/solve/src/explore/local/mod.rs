//! Decides a formula of computation tree logic by visiting only the markings that its subformulas depend on.
//!
//! A *configuration* is a subformula in a marking. It is looked at when another one needs its value: operands one after
//! the other, next markings depth first. The value of a configuration goes to those that wait for it as soon as it is
//! known, true or false. When nothing is left to look at, the configurations without a value are false, since values
//! are least fixpoints. (Liu and Smolka, "Simple linear-time algorithms for minimal fixed points", ICALP 1998; values
//! that are certainly false: Dalsgaard et al., "Extended dependency graphs and efficient distributed fixed-point
//! computation", PETRI NETS 2017.)
//!
//! * The operand of a negation gets a computation of its own, which ends before the negation gets its value. Only
//!   values that are known are kept of it.
//! * A disjunction looks at its next operand, and `E (a U b)` and `A (a U b)` look beyond `b`, when the value of the
//!   operand before is not known and nothing else is left to look at. It may still become true, so such a
//!   configuration is never decided false before the end.
//! * `A (a U b)` is false if a path along which `b` is false comes back to its beginning, so a cycle decides it.

mod solve;
#[cfg(test)]
mod tests;

use super::graph::Graph;
use hashbrown::HashMap;
use model::{Ctl, CtlId, CtlNode};
use solve::{Config, Key, Solve, Stage};
use temporal::demand::Stuck;

/// Next markings that cost a unit of work.
const STEPS_PER_UNIT: u64 = 4;

/// The computation of a formula in the initial marking. It can be interrupted.
#[derive(Debug)]
pub(super) struct Local {
    formula: Ctl,
    /// The computations. Each one waits for the next one.
    solves: Vec<Solve>,
    known: HashMap<Key, bool>,
    /// For each marking: true if some subformula was looked at there.
    touched: Vec<bool>,
    next: Vec<u32>,
}

impl Local {
    /// Begins with a formula in the only initial marking.
    pub(super) fn new(formula: Ctl, initial: u32) -> Self {
        let root = (initial, formula.root().index() as u32);
        let mut touched = vec![false; initial as usize + 1];
        touched[initial as usize] = true;
        Self { formula, solves: vec![Solve::new(root)], known: HashMap::new(), touched, next: Vec::new() }
    }

    /// The formula that is computed.
    pub(super) fn formula(&self) -> &Ctl {
        &self.formula
    }

    /// Returns a bound on the memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let configs: usize = self.solves.iter().map(|solve| solve.configs.len()).sum();
        configs.saturating_mul(size_of::<Config>() * 2).saturating_add(self.known.len().saturating_mul(24))
    }

    /// Returns the markings that were looked at, ascending.
    pub(super) fn touched(&self) -> Vec<u32> {
        (0..self.touched.len() as u32).filter(|state| self.touched[*state as usize]).collect()
    }

    /// Works for about this many units. Returns the value of the formula if it is known, and the work.
    ///
    /// # Errors
    /// If the steps of some marking are unknown.
    pub(super) fn run(&mut self, graph: &mut Graph, units: u64) -> (Result<Option<bool>, Stuck>, u64) {
        let mut spent = 0;
        while spent < units {
            spent += 1;
            let Some(solve) = self.solves.last_mut() else { break };
            let (key, value) = (solve.configs[0].key, solve.configs[0].value);
            let is_over = value.is_none() && solve.open.is_empty() && !solve.go_on();
            let answer = value.or(is_over.then_some(false)).map(|value| (key, value));
            if let Some((key, value)) = answer {
                if self.solves.len() == 1 {
                    return (Ok(Some(value)), spent);
                }
                self.end(key, value);
                continue;
            }
            let Some(number) = solve.pop() else { continue };
            match self.look_at(number, graph) {
                Ok(steps) => spent += steps / STEPS_PER_UNIT,
                Err(why) => {
                    let solve = self.solves.last_mut().expect("it is not over");
                    solve.configs[number as usize].is_queued = true;
                    solve.open.push(number);
                    return (Err(why), spent);
                }
            }
        }
        (Ok(None), spent)
    }

    /// Ends the last computation with this value of its root.
    fn end(&mut self, root: Key, value: bool) {
        let solve = self.solves.pop().expect("it is not over");
        if solve.configs[0].value.is_none() {
            let is_false = |config: &&Config| config.value.is_none() && config.was_seen;
            self.known.extend(solve.configs.iter().filter(is_false).map(|config| (config.key, false)));
        }
        self.known.insert(root, value);
    }

    /// Returns the value of a configuration. If it is unknown, it is asked for.
    fn value(&mut self, state: u32, node: CtlId, by: u32, graph: &Graph) -> Option<bool> {
        let at = state as usize;
        if self.touched.len() <= at {
            self.touched.resize((at + 1).next_power_of_two(), false);
        }
        self.touched[at] = true;
        let key = (state, node.index() as u32);
        match self.formula.node(node) {
            CtlNode::Constant(value) => return Some(*value),
            CtlNode::Letter(letter) => return Some(graph.satisfies(state, *letter)),
            _ => {}
        }
        if let Some(value) = self.known.get(&key) {
            return Some(*value);
        }
        let solve = self.solves.last_mut().expect("it is not over");
        let number = solve.ask(key, Some(by));
        solve.configs[number as usize].value
    }

    /// Looks at a configuration: gives it a value, or asks for what it depends on. Returns the number of next markings
    /// that it looked at.
    fn look_at(&mut self, number: u32, graph: &mut Graph) -> Result<u64, Stuck> {
        let Config { key: (state, node), stage, .. } =
            self.solves.last().expect("it is not over").configs[number as usize];
        let Stage::Operand(first) = stage else { return Ok(0) };
        let node = self.formula.node(CtlId::new(node as usize)).clone();
        match &node {
            CtlNode::Constant(value) => self.settle(number, *value),
            CtlNode::Letter(letter) => self.settle(number, graph.satisfies(state, *letter)),
            CtlNode::Not(a) => self.negate(number, (state, *a), graph),
            CtlNode::All(parts) | CtlNode::Any(parts) => {
                let all = matches!(node, CtlNode::All(_));
                for (i, part) in (0u32..).zip(parts).skip(first as usize) {
                    match self.value(state, *part, number, graph) {
                        Some(value) if value == all => {}
                        Some(value) => {
                            self.settle(number, value);
                            return Ok(0);
                        }
                        None => {
                            self.wait(number, i, !all);
                            return Ok(0);
                        }
                    }
                }
                self.settle(number, all);
            }
            CtlNode::ExistsNext(a) => return self.expand(number, (state, *a), false, graph),
            CtlNode::ExistsUntil(a, b) | CtlNode::AllUntil(a, b) => {
                // The value of `b` decides if it is true, and then that of `a` if it is false.
                for (i, operand, deciding) in [(0, *b, true), (1, *a, false)].into_iter().skip(first as usize) {
                    match self.value(state, operand, number, graph) {
                        Some(value) if value == deciding => {
                            self.settle(number, value);
                            return Ok(0);
                        }
                        Some(_) => {}
                        None => {
                            self.wait(number, i, deciding);
                            return Ok(0);
                        }
                    }
                }
                let own =
                    CtlId::new(self.solves.last().expect("it is not over").configs[number as usize].key.1 as usize);
                let all = matches!(node, CtlNode::AllUntil(..));
                return self.expand(number, (state, own), all, graph);
            }
        }
        Ok(0)
    }

    /// Lets a configuration wait for an operand. If `may_go_on`, it does not need it.
    fn wait(&mut self, number: u32, operand: u32, may_go_on: bool) {
        let solve = self.solves.last_mut().expect("it is not over");
        solve.configs[number as usize].stage = Stage::Operand(operand);
        solve.stalled.extend(may_go_on.then_some((number, operand)));
    }

    /// Gives a configuration its value, unless it is false and an operand without a value may make it true.
    fn settle(&mut self, number: u32, value: bool) {
        let config = &mut self.solves.last_mut().expect("it is not over").configs[number as usize];
        match config.left && !value {
            // No number of next markings decides it any more.
            true => config.pending = u32::MAX,
            false => self.decide(number, value),
        }
    }

    fn negate(&mut self, number: u32, (state, a): (u32, CtlId), graph: &Graph) {
        let key = (state, a.index() as u32);
        let value = match self.formula.node(a) {
            CtlNode::Constant(value) => Some(*value),
            CtlNode::Letter(letter) => Some(graph.satisfies(state, *letter)),
            _ => self.known.get(&key).copied(),
        };
        match value {
            Some(value) => self.settle(number, !value),
            None => {
                let solve = self.solves.last_mut().expect("it is not over");
                solve.configs[number as usize].is_queued = true;
                solve.open.push(number);
                self.solves.push(Solve::new(key));
            }
        }
    }

    /// Asks for a subformula in all next markings. One with the value `!all` decides, and otherwise all of them.
    fn expand(&mut self, number: u32, (state, node): (u32, CtlId), all: bool, graph: &mut Graph) -> Result<u64, Stuck> {
        if !graph.is_expanded(state) {
            graph.expand(state)?;
        }
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        next.extend(graph.steps_of(state).iter().map(|(_, to)| *to));
        next.sort_unstable();
        next.dedup();
        let mut decided = if next.is_empty() { Some(false) } else { None };
        let mut pending = 0;
        for &to in &next {
            match self.value(to, node, number, graph) {
                Some(value) if value == all => {}
                Some(value) => {
                    decided = Some(value);
                    break;
                }
                None => {
                    pending += 1;
                    let solve = self.solves.last().expect("it is not over");
                    if all && solve.is_cycle(number, solve.numbers[&(to, node.index() as u32)]) {
                        decided = Some(false);
                        break;
                    }
                }
            }
        }
        if pending == 0 && decided.is_none() {
            decided = Some(all);
        }
        let config = &mut self.solves.last_mut().expect("it is not over").configs[number as usize];
        (config.stage, config.pending) = (Stage::Next, pending);
        if let Some(value) = decided {
            self.settle(number, value);
        }
        let steps = next.len() as u64;
        self.next = next;
        Ok(steps)
    }

    /// Gives a configuration its value, and those that follow from it theirs.
    fn decide(&mut self, number: u32, value: bool) {
        let solve = self.solves.last_mut().expect("it is not over");
        let mut news = vec![(number, value)];
        while let Some((number, value)) = news.pop() {
            let config = &mut solve.configs[number as usize];
            if config.value.is_some() {
                continue;
            }
            config.value = Some(value);
            let key = config.key;
            self.known.insert(key, value);
            for by in std::mem::take(&mut config.waiting) {
                let config = &mut solve.configs[by as usize];
                if config.value.is_some() {
                    continue;
                }
                // What is asked for in next markings, whether all of them are needed, and the operand that decides.
                let own = config.key.1;
                let (next, all, deciding) = match self.formula.node(CtlId::new(own as usize)) {
                    CtlNode::ExistsNext(a) => (a.index() as u32, false, None),
                    CtlNode::ExistsUntil(_, b) => (own, false, Some(*b)),
                    CtlNode::AllUntil(_, b) => (own, true, Some(*b)),
                    CtlNode::Any(_) => (own, false, Some(CtlId::new(key.1 as usize))),
                    _ => (own, false, None),
                };
                let is_here = key.0 == config.key.0 && key.1 != own;
                if value && is_here && deciding.is_some_and(|operand| operand.index() as u32 == key.1) {
                    news.push((by, true));
                    continue;
                }
                match config.stage {
                    Stage::Operand(_) if config.is_queued => {}
                    Stage::Operand(_) => {
                        config.is_queued = true;
                        solve.open.push(by);
                    }
                    // An operand that it went on from is false.
                    Stage::Next if next != key.1 => {}
                    Stage::Next if value != all && config.left && !value => config.pending = u32::MAX,
                    Stage::Next if value != all => news.push((by, value)),
                    Stage::Next => {
                        config.pending -= 1;
                        if config.pending == 0 && (all || !config.left) {
                            news.push((by, all));
                        }
                    }
                }
            }
        }
    }
}

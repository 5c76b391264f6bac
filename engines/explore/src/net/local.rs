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
//! * `A (a U b)` is false if a path along which `b` is false comes back to its beginning, so a cycle decides it.

use super::graph::Graph;
use hashbrown::HashMap;
use model::{Ctl, CtlId, CtlNode};
use temporal::demand::Stuck;

/// The longest path on which a cycle is searched for.
const LONGEST_CYCLE: usize = 1 << 12;
/// Next markings that cost a unit of work.
const STEPS_PER_UNIT: u64 = 4;

/// A subformula in a marking: the numbers of both.
type Key = (u32, u32);

/// How far a configuration was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// The operand with this number comes next.
    Operand(u32),
    /// All next markings were asked for.
    Next,
}

#[derive(Debug)]
struct Config {
    key: Key,
    /// The configuration that asked for it first, unless it is the root.
    parent: u32,
    value: Option<bool>,
    stage: Stage,
    /// Next markings without a value.
    pending: u32,
    is_queued: bool,
    /// True if it was looked at, and nothing that it needs was left out.
    was_seen: bool,
    /// The configurations that wait for its value.
    waiting: Vec<u32>,
}

/// A computation of the value of one configuration, which is its first one.
#[derive(Debug, Default)]
struct Solve {
    configs: Vec<Config>,
    numbers: HashMap<Key, u32>,
    /// Configurations to look at. The last one comes first.
    open: Vec<u32>,
}

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

impl Solve {
    fn new(root: Key) -> Self {
        let mut solve = Self::default();
        solve.ask(root, None);
        solve
    }

    /// Returns the configuration with this key, and asks for its value.
    fn ask(&mut self, key: Key, by: Option<u32>) -> u32 {
        let new = self.configs.len() as u32;
        let number = *self.numbers.entry(key).or_insert(new);
        if number == new {
            self.configs.push(Config {
                key,
                parent: by.unwrap_or(new),
                value: None,
                stage: Stage::Operand(0),
                pending: 0,
                is_queued: false,
                was_seen: false,
                waiting: Vec::new(),
            });
        }
        let config = &mut self.configs[number as usize];
        config.waiting.extend(by);
        if !config.is_queued && !config.was_seen {
            config.is_queued = true;
            self.open.push(number);
        }
        number
    }

    /// Returns the next configuration to look at: one without a value that some other one waits for. Others are left
    /// out until they are asked for again.
    fn pop(&mut self) -> Option<u32> {
        while let Some(number) = self.open.pop() {
            let config = &mut self.configs[number as usize];
            config.is_queued = false;
            let waiting = std::mem::take(&mut config.waiting);
            let is_needed = number == 0 || waiting.iter().any(|by| self.configs[*by as usize].value.is_none());
            let config = &mut self.configs[number as usize];
            config.waiting = waiting;
            config.was_seen = config.value.is_none() && is_needed;
            if config.was_seen {
                return Some(number);
            }
        }
        None
    }

    /// Returns true if the path on which `from` was asked for comes through `to`, along the same subformula.
    fn is_cycle(&self, from: u32, to: u32) -> bool {
        let node = self.configs[from as usize].key.1;
        let mut at = from;
        for _ in 0..LONGEST_CYCLE {
            if at == to {
                return true;
            }
            let parent = self.configs[at as usize].parent;
            if parent == at || self.configs[parent as usize].key.1 != node {
                return false;
            }
            at = parent;
        }
        false
    }
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
            let root = &solve.configs[0];
            let answer = match (root.value, solve.open.is_empty()) {
                (Some(value), _) => Some((root.key, value)),
                (None, true) => Some((root.key, false)),
                (None, false) => None,
            };
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
            CtlNode::Constant(value) => self.decide(number, *value),
            CtlNode::Letter(letter) => self.decide(number, graph.satisfies(state, *letter)),
            CtlNode::Not(a) => self.negate(number, (state, *a), graph),
            CtlNode::All(parts) | CtlNode::Any(parts) => {
                let all = matches!(node, CtlNode::All(_));
                for (i, part) in (0u32..).zip(parts).skip(first as usize) {
                    match self.value(state, *part, number, graph) {
                        Some(value) if value == all => {}
                        Some(value) => {
                            self.decide(number, value);
                            return Ok(0);
                        }
                        None => {
                            self.wait(number, Stage::Operand(i));
                            return Ok(0);
                        }
                    }
                }
                self.decide(number, all);
            }
            CtlNode::ExistsNext(a) => return self.expand(number, (state, *a), false, graph),
            CtlNode::ExistsUntil(a, b) | CtlNode::AllUntil(a, b) => {
                // The value of `b` decides if it is true, and then that of `a` if it is false.
                for (i, operand, deciding) in [(0, *b, true), (1, *a, false)].into_iter().skip(first as usize) {
                    match self.value(state, operand, number, graph) {
                        Some(value) if value == deciding => {
                            self.decide(number, value);
                            return Ok(0);
                        }
                        Some(_) => {}
                        None => {
                            self.wait(number, Stage::Operand(i));
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

    fn wait(&mut self, number: u32, stage: Stage) {
        self.solves.last_mut().expect("it is not over").configs[number as usize].stage = stage;
    }

    fn negate(&mut self, number: u32, (state, a): (u32, CtlId), graph: &Graph) {
        let key = (state, a.index() as u32);
        let value = match self.formula.node(a) {
            CtlNode::Constant(value) => Some(*value),
            CtlNode::Letter(letter) => Some(graph.satisfies(state, *letter)),
            _ => self.known.get(&key).copied(),
        };
        match value {
            Some(value) => self.decide(number, !value),
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
            self.decide(number, value);
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
            self.known.insert(config.key, value);
            for by in std::mem::take(&mut config.waiting) {
                let config = &mut solve.configs[by as usize];
                if config.value.is_some() {
                    continue;
                }
                match config.stage {
                    Stage::Operand(_) if config.is_queued => {}
                    Stage::Operand(_) => {
                        config.is_queued = true;
                        solve.open.push(by);
                    }
                    Stage::Next => {
                        let all = matches!(self.formula.node(CtlId::new(config.key.1 as usize)), CtlNode::AllUntil(..));
                        config.pending -= u32::from(value == all);
                        if value != all {
                            news.push((by, value));
                        } else if config.pending == 0 {
                            news.push((by, all));
                        }
                    }
                }
            }
        }
    }
}

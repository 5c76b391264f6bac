//! Levels, their local states, and what transitions do to them.
//!
//! A level is a group of places. A local state of a level is the number of tokens on each of its places. Local states
//! get numbers when they are found, so no bound must be known before. A transition is a chain of rules, one for each
//! level that it tests or changes. Chains with equal ends share them, so what is known about an end holds for all.

use crate::diagrams::steps::steps_of;
use hashbrown::HashMap;
use model::{Net, Reason, Transition};
use num_traits::ToPrimitive;

/// Largest number of tokens on a place. Sums of a few such numbers fit 64 bits.
const LIMIT: u64 = 1 << 60;

/// Largest number of initial local states of a level.
const INITIAL: usize = 1 << 20;

/// The number of a rule.
pub(crate) type RuleId = u32;

/// The number of a chain of rules.
pub(crate) type ChainId = u32;

/// The chain without rules, which changes nothing.
pub(crate) const DONE: ChainId = 0;

/// A group of places.
pub(crate) struct Level {
    pub(crate) places: Vec<u32>,
    pub(crate) states: Vec<Box<[u64]>>,
    numbers: HashMap<Box<[u64]>, u32>,
}

impl Level {
    fn number(&mut self, state: Box<[u64]>) -> u32 {
        *self.numbers.entry(state).or_insert_with_key(|state| {
            self.states.push(state.clone());
            (self.states.len() - 1) as u32
        })
    }
}

/// A guard on the place with this index in the level.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Test {
    place: u32,
    least: u64,
    most: u64,
}

/// An effect on the place with this index in the level. `None` stands for a number that does not fit.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Change {
    place: u32,
    sources: Vec<u32>,
    add: Option<i64>,
}

/// What a transition tests and changes in a level.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Rule {
    level: u32,
    tests: Vec<Test>,
    changes: Vec<Change>,
}

/// An entry of [`Steps`] that is not yet computed.
const UNKNOWN: u32 = u32::MAX;

/// An entry of [`Steps`] for a local state in which the rule does not hold.
const DISABLED: u32 = u32::MAX - 1;

/// The next local state, if a number is too large.
pub(crate) const OVERFLOW: u32 = u32::MAX - 2;

/// For each local state: the next one.
type Steps = Vec<u32>;

impl Rule {
    fn holds(&self, state: &[u64]) -> bool {
        self.tests.iter().all(|t| (t.least..=t.most).contains(&state[t.place as usize]))
    }

    /// The next local state. `None` if a number is too large.
    fn next(&self, state: &[u64]) -> Option<Box<[u64]>> {
        let mut next: Box<[u64]> = state.into();
        for change in &self.changes {
            let sum = change.sources.iter().try_fold(0u64, |sum, p| sum.checked_add(state[*p as usize]));
            let tokens = sum.zip(change.add).and_then(|(sum, add)| sum.checked_add_signed(add));
            next[change.place as usize] = tokens.filter(|n| *n <= LIMIT)?;
        }
        Some(next)
    }
}

/// A chain: a rule, and the rules for the levels below it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Chain {
    pub(crate) rule: RuleId,
    pub(crate) level: u32,
    pub(crate) next: ChainId,
}

/// The set of markings in which transitions are enabled, as a condition for some of the levels, from the top.
pub(crate) struct Enabling {
    pub(crate) conditions: Vec<RuleId>,
    /// The number of transitions with these guards.
    pub(crate) transitions: u64,
}

/// A net as levels, from the bottom, and chains.
pub(crate) struct Local {
    pub(crate) levels: Vec<Level>,
    rules: Vec<Rule>,
    steps: Vec<Steps>,
    chains: Vec<Chain>,
    known_rules: HashMap<Rule, RuleId>,
    known_chains: HashMap<Chain, ChainId>,
    /// For each level: the chains that begin there.
    pub(crate) tops: Vec<Vec<ChainId>>,
    pub(crate) enabling: Vec<Enabling>,
}

impl Local {
    /// Creates the levels from groups of places, which contain each place once, from the bottom. All places that an
    /// effect reads are in the group of the place that it changes.
    pub(crate) fn new(net: &Net, groups: &[Vec<u32>]) -> Self {
        let level = |group: &Vec<u32>| Level { places: group.clone(), states: Vec::new(), numbers: HashMap::new() };
        let none = Chain { rule: RuleId::MAX, level: 0, next: DONE };
        let mut local = Self {
            levels: groups.iter().map(level).collect(),
            rules: Vec::new(),
            steps: Vec::new(),
            chains: vec![none],
            known_rules: HashMap::new(),
            known_chains: HashMap::new(),
            tops: vec![Vec::new(); groups.len()],
            enabling: Vec::new(),
        };
        let mut home = vec![(0, 0); net.places().len()];
        for (level, group) in groups.iter().enumerate() {
            group.iter().enumerate().for_each(|(at, p)| home[*p as usize] = (level as u32, at as u32));
        }
        let mut enabling: HashMap<Vec<RuleId>, usize> = HashMap::new();
        for transition in net.transitions() {
            local.add_enabling(transition, &home, &mut enabling);
        }
        for transition in steps_of(net) {
            local.add_chain(&transition, &home);
        }
        local
    }

    fn add_chain(&mut self, transition: &Transition, home: &[(u32, u32)]) {
        // Lowest level first.
        let mut chain = DONE;
        for rule in rules_of(transition, home) {
            let level = rule.level;
            let rule = self.rule(rule);
            let link = Chain { rule, level, next: chain };
            chain = *self.known_chains.entry(link).or_insert_with(|| {
                self.chains.push(link);
                (self.chains.len() - 1) as ChainId
            });
        }
        let top = &mut self.tops[self.chains[chain as usize].level as usize];
        if !top.contains(&chain) {
            top.push(chain);
        }
    }

    fn add_enabling(&mut self, of: &Transition, home: &[(u32, u32)], enabling: &mut HashMap<Vec<RuleId>, usize>) {
        let rules = rules_of(of, home);
        let tests = rules.into_iter().rev().filter(|rule| !rule.tests.is_empty());
        let conditions: Vec<RuleId> = tests.map(|r| self.rule(Rule { changes: Vec::new(), ..r })).collect();
        let at = *enabling.entry(conditions).or_insert_with_key(|conditions| {
            self.enabling.push(Enabling { conditions: conditions.clone(), transitions: 0 });
            self.enabling.len() - 1
        });
        self.enabling[at].transitions += 1;
    }

    fn rule(&mut self, rule: Rule) -> RuleId {
        *self.known_rules.entry(rule).or_insert_with_key(|rule| {
            self.rules.push(rule.clone());
            self.steps.push(Vec::new());
            (self.rules.len() - 1) as RuleId
        })
    }

    pub(crate) fn chain(&self, chain: ChainId) -> Chain {
        self.chains[chain as usize]
    }

    /// The level of a rule.
    pub(crate) fn level_of(&self, rule: RuleId) -> usize {
        self.rules[rule as usize].level as usize
    }

    /// Whether the tests of a rule hold in a local state of its level.
    pub(crate) fn holds(&self, rule: RuleId, state: u32) -> bool {
        let rule = &self.rules[rule as usize];
        rule.holds(&self.levels[rule.level as usize].states[state as usize])
    }

    /// The local state after a rule, or [`OVERFLOW`]. `None` if its tests do not hold.
    pub(crate) fn step(&mut self, rule: RuleId, state: u32) -> Option<u32> {
        let mut next = self.steps[rule as usize].get(state as usize).copied().unwrap_or(UNKNOWN);
        if next == UNKNOWN {
            next = self.first_step(rule, state);
        }
        (next != DISABLED).then_some(next)
    }

    fn first_step(&mut self, number: RuleId, state: u32) -> u32 {
        let rule = &self.rules[number as usize];
        let level = &mut self.levels[rule.level as usize];
        let before = &level.states[state as usize];
        let next = match rule.holds(before) {
            true => rule.next(before).map_or(OVERFLOW, |next| level.number(next)),
            false => DISABLED,
        };
        let steps = &mut self.steps[number as usize];
        if steps.len() <= state as usize {
            steps.resize(state as usize + 1, UNKNOWN);
        }
        steps[state as usize] = next;
        next
    }

    /// The initial local states of a level, ascending.
    pub(crate) fn initial(&mut self, net: &Net, level: usize) -> Result<Vec<u32>, Reason> {
        let level = &mut self.levels[level];
        let mut states: Vec<Vec<u64>> = vec![Vec::new()];
        for p in &level.places {
            let range = &net.places()[*p as usize].initial;
            let Some(most) = &range.at_most else { return Err(Reason::Unsupported) };
            let least = range.at_least.to_u64().filter(|n| *n <= LIMIT).ok_or(Reason::Overflow)?;
            let more = (most - &range.at_least).to_usize().unwrap_or(usize::MAX);
            if more.saturating_add(1).saturating_mul(states.len()) > INITIAL {
                return Err(Reason::Memory);
            }
            let longer = |state: &Vec<u64>| {
                let state = state.clone();
                (0..=more as u64).map(move |n| state.iter().copied().chain([least + n]).collect())
            };
            states = states.iter().flat_map(longer).collect();
        }
        let mut numbers: Vec<u32> = states.into_iter().map(|s| level.number(s.into())).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// The rules of a transition, ascending by level.
fn rules_of(transition: &Transition, home: &[(u32, u32)]) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let mut at = |level: u32| match rules.iter().position(|rule| rule.level == level) {
        Some(found) => found,
        None => {
            rules.push(Rule { level, tests: Vec::new(), changes: Vec::new() });
            rules.len() - 1
        }
    };
    let mut tests = Vec::new();
    for guard in &transition.guards {
        let (level, place) = home[guard.place.index()];
        let least = guard.range.at_least.to_u64().unwrap_or(u64::MAX);
        let most = guard.range.at_most.as_ref().map_or(u64::MAX, |most| most.to_u64().unwrap_or(u64::MAX));
        tests.push((at(level), Test { place, least, most }));
    }
    let mut changes = Vec::new();
    for effect in &transition.effects {
        let (level, place) = home[effect.place.index()];
        let sources = effect.sources.iter().map(|p| home[p.index()].1).collect();
        changes.push((at(level), Change { place, sources, add: effect.add.to_i64() }));
    }
    tests.into_iter().for_each(|(at, test)| rules[at].tests.push(test));
    changes.into_iter().for_each(|(at, change)| rules[at].changes.push(change));
    rules.sort_by_key(|rule| rule.level);
    for rule in &mut rules {
        rule.tests.sort_by_key(|t| t.place);
        rule.changes.sort_by_key(|c| c.place);
    }
    rules
}

//! Chooses a stubborn set of a marking.
//!
//! The rules leave choices open: which false child of a conjunction, which failing guard, which key. For a
//! failing guard, the one that needs the fewest new transitions is chosen. For children of conjunctions and for
//! keys, several sets are built, and the one with the fewest enabled transitions is taken. The result depends
//! only on the marking.

use super::attract::{Attraction, FormulaNode, lacks};
use super::depends::{Depends, Omit, assigned, may_decrease, may_increase};
use crate::rules::Rules;
use std::sync::Arc;

/// Maximum number of sets that are built for one marking. The best one is taken.
const TRIES: usize = 6;

/// Kinds of groups of transitions that are added as a whole, one group for each place.
#[derive(Clone, Copy)]
enum Group {
    Increase,
    Decrease,
    Lower,
    Upper,
    Change,
    Assign,
}

const GROUPS: usize = 6;

/// Chooses stubborn sets. Reuses its buffers from marking to marking.
#[derive(Clone, Debug)]
pub struct Chooser {
    rules: Arc<Rules>,
    depends: Arc<Depends>,
    goals: Arc<Vec<Attraction>>,
    /// For each transition: the last attempt that added it. `grouped` holds the same number for each place and
    /// kind of group.
    taken: Vec<u32>,
    grouped: Vec<u32>,
    /// For each transition: the last marking in which it was enabled.
    is_enabled: Vec<u32>,
    marking: u32,
    now: u32,
    open: Vec<u32>,
    /// Enabled transitions in the set.
    chosen: Vec<u32>,
    best: Vec<u32>,
    lacks: Vec<u64>,
}

impl Chooser {
    /// Creates a chooser for these goals. None of them may hold in the markings passed to [`Chooser::choose`].
    #[must_use]
    pub fn new(rules: Arc<Rules>, depends: Arc<Depends>, goals: Vec<Attraction>) -> Self {
        let (transitions, places) = (rules.transitions(), rules.places());
        Self {
            rules,
            depends,
            goals: Arc::new(goals),
            taken: vec![0; transitions],
            grouped: vec![0; places * GROUPS],
            is_enabled: vec![0; transitions],
            marking: 0,
            now: 0,
            open: Vec::new(),
            chosen: Vec::new(),
            best: Vec::new(),
            lacks: Vec::new(),
        }
    }

    /// Returns the distance of the marking from the nearest goal. For a formula, it is counted in tokens. For a
    /// deadlock, it is the number of enabled transitions.
    pub fn distance(&mut self, tokens: &[u64], enabled: usize) -> u64 {
        let goals = Arc::clone(&self.goals);
        let far = |goal: &Attraction| match goal {
            Attraction::Formula(parts) => {
                lacks(parts, tokens, &mut self.lacks);
                self.lacks.last().copied().unwrap_or(0)
            }
            Attraction::Deadlock => enabled as u64,
        };
        goals.iter().map(far).min().unwrap_or(0)
    }

    /// Returns the transitions that suffice in this marking, ascending. `enabled` lists all enabled
    /// transitions, ascending. Goals that hold in the marking are ignored.
    pub fn choose(&mut self, tokens: &[u64], enabled: &[u32]) -> &[u32] {
        self.marking = next(self.marking, &mut self.is_enabled);
        enabled.iter().for_each(|&t| self.is_enabled[t as usize] = self.marking);
        self.best.clear();
        self.best.extend_from_slice(enabled);
        for number in 0..TRIES {
            let is_last = !self.attempt(number, tokens, enabled);
            if self.chosen.len() < self.best.len() {
                std::mem::swap(&mut self.best, &mut self.chosen);
            }
            if is_last || self.best.len() <= 1 {
                break;
            }
        }
        self.best.sort_unstable();
        &self.best
    }

    /// Builds a set. Returns false if a further attempt would build no other set.
    fn attempt(&mut self, number: usize, tokens: &[u64], enabled: &[u32]) -> bool {
        if self.now == u32::MAX {
            self.grouped.fill(0);
        }
        self.now = next(self.now, &mut self.taken);
        self.open.clear();
        self.chosen.clear();
        let goals = Arc::clone(&self.goals);
        let mut more = false;
        for goal in goals.iter() {
            more |= match goal {
                Attraction::Formula(parts) => self.attract(parts, number, tokens),
                Attraction::Deadlock => self.key(number, enabled),
            };
        }
        self.close(tokens);
        more
    }

    fn attract(&mut self, parts: &[FormulaNode], number: usize, tokens: &[u64]) -> bool {
        let mut lack = std::mem::take(&mut self.lacks);
        lacks(parts, tokens, &mut lack);
        let mut more = false;
        let mut pending = Vec::from([parts.len() as u32 - 1]);
        while let Some(node) = pending.pop() {
            match &parts[node as usize] {
                FormulaNode::All(of) => {
                    let count = of.iter().filter(|&&i| lack[i as usize] > 0).count();
                    more |= number + 1 < count;
                    pending.extend(of.iter().filter(|&&i| lack[i as usize] > 0).nth(number % count.max(1)));
                }
                FormulaNode::Any(of) => pending.extend(of),
                FormulaNode::Sum { helpers, .. } if self.depends.has(Omit::Attracted) => {
                    helpers.iter().for_each(|&t| self.take(t));
                }
                FormulaNode::Sum { .. } => {}
            }
        }
        self.lacks = lack;
        more
    }

    /// Adds the transitions that may disable a key.
    fn key(&mut self, number: usize, enabled: &[u32]) -> bool {
        // Keys are spread over the enabled transitions, so that attempts differ.
        let stride = enabled.len().div_ceil(TRIES).max(1);
        // Every attempt has a key, even if formulas need more attempts than there are keys.
        let Some(&key) = enabled.get(number * stride % enabled.len().max(1)) else { return false };
        let rules = Arc::clone(&self.rules);
        for guard in rules.guards.row(key as usize) {
            if guard.least > 0 && self.depends.has(Omit::Key) {
                self.take_all(Group::Decrease, guard.place);
            }
            if guard.most < u64::MAX && self.depends.has(Omit::KeyUpper) {
                self.take_all(Group::Increase, guard.place);
            }
        }
        (number + 1) * stride < enabled.len()
    }

    /// Adds the transitions that rules (D) and (E) require.
    fn close(&mut self, tokens: &[u64]) {
        let (rules, depends) = (Arc::clone(&self.rules), Arc::clone(&self.depends));
        while let Some(t) = self.open.pop() {
            if self.is_enabled[t as usize] != self.marking {
                self.keep_disabled(t, tokens);
                continue;
            }
            for &change in rules.changes.row(t as usize) {
                if may_decrease(&rules, change) && depends.has(Omit::SpoiledLower) {
                    self.take_all(Group::Lower, change.place);
                }
                if may_increase(change) && depends.has(Omit::SpoiledUpper) {
                    self.take_all(Group::Upper, change.place);
                }
                if depends.has(Omit::Assigners) {
                    self.take_all(Group::Assign, change.place);
                }
                if depends.has(Omit::Changers) {
                    assigned(&rules, change).for_each(|p| self.take_all(Group::Change, p));
                }
            }
        }
    }

    fn keep_disabled(&mut self, t: u32, tokens: &[u64]) {
        let rules = Arc::clone(&self.rules);
        let failing = rules.guards.row(t as usize).iter().filter_map(|guard| {
            let has = tokens[guard.place as usize];
            let group = match (has < guard.least, has > guard.most) {
                (true, _) => Group::Increase,
                (_, true) => Group::Decrease,
                _ => return None,
            };
            Some((group, guard.place))
        });
        let cost = |&(group, place): &(Group, u32)| match self.is_taken(group, place) {
            true => 0,
            false => 1 + self.row(group, place).len(),
        };
        let best = failing.min_by_key(cost);
        debug_assert!(best.is_some(), "a disabled transition has a guard that fails");
        match best {
            Some((Group::Increase, _)) if !self.depends.has(Omit::TooFew) => {}
            Some((Group::Decrease, _)) if !self.depends.has(Omit::TooMany) => {}
            Some((group, place)) => self.take_all(group, place),
            None => {}
        }
    }

    fn row(&self, group: Group, place: u32) -> &[u32] {
        let rows = match group {
            Group::Increase => &self.depends.increase,
            Group::Decrease => &self.depends.decrease,
            Group::Lower => &self.depends.lower,
            Group::Upper => &self.depends.upper,
            Group::Change => &self.depends.change,
            Group::Assign => &self.depends.assign,
        };
        rows.row(place as usize)
    }

    fn is_taken(&self, group: Group, place: u32) -> bool {
        self.grouped[place as usize * GROUPS + group as usize] == self.now
    }

    fn take_all(&mut self, group: Group, place: u32) {
        if self.is_taken(group, place) {
            return;
        }
        self.grouped[place as usize * GROUPS + group as usize] = self.now;
        for i in 0..self.row(group, place).len() {
            self.take(self.row(group, place)[i]);
        }
    }

    fn take(&mut self, t: u32) {
        if std::mem::replace(&mut self.taken[t as usize], self.now) != self.now {
            self.open.push(t);
            if self.is_enabled[t as usize] == self.marking {
                self.chosen.push(t);
            }
        }
    }
}

/// Returns the next number for `marks`, which no entry contains.
fn next(now: u32, marks: &mut [u32]) -> u32 {
    match now.checked_add(1) {
        Some(next) => next,
        None => {
            marks.fill(0);
            1
        }
    }
}

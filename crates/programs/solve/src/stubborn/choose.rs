//! Chooses a small stubborn set of a state. The least sets that contain one of several seeds and satisfy the
//! rules are computed, and the one with the fewest enabled events is taken. If a rule can be satisfied in
//! several ways, the way that adds the fewest enabled events is taken.

use super::rules::{Entry, RulePart, Rules};
use super::sets::{Pool, SetId, add, contains, count};
use model::{Goal, Program};
use std::sync::Arc;

/// Maximum number of key events that are tried per state.
const MAX_KEYS: usize = 12;

/// Chooses stubborn sets of a program for some goals. Reuses its buffers from state to state.
#[derive(Clone, Debug)]
pub struct Chooser {
    rules: Arc<Rules>,
    choice: Choice,
}

impl Chooser {
    /// Compiles the rules of a program for goals that are checked together. Returns `None` if the program is
    /// too large for the rules. The cost is a pass over the local states, and over pairs of events in each of
    /// them.
    #[must_use]
    pub fn new(program: &Program, goals: &[Goal]) -> Option<Self> {
        Self::without(program, goals, None)
    }

    /// Like [`Chooser::new`], but leaves out a part of the rules. Tests use this to check that the part is
    /// needed.
    #[must_use]
    pub fn without(program: &Program, goals: &[Goal], omit: Option<RulePart>) -> Option<Self> {
        Some(Self { rules: Arc::new(Rules::new(program, omit)?), choice: Choice::new(goals) })
    }

    /// Returns the events that suffice in a composite state, as a bit vector. Returns `None` if no event is
    /// enabled.
    pub fn choose(&mut self, state: &[u32]) -> Option<&[u64]> {
        if !self.choice.look(&self.rules, state) {
            return None;
        }
        Some(self.choice.choose(&self.rules, state))
    }

    /// Returns all events that were enabled in the last state passed to [`Chooser::choose`], as a bit vector.
    #[must_use]
    pub fn enabled(&self) -> &[u64] {
        &self.choice.enabled
    }
}

/// The goals and the buffers for choosing the set of one state.
#[derive(Clone, Debug)]
struct Choice {
    bad: bool,
    deadlock: bool,
    requested: Vec<u64>,
    /// The enabled events of the state.
    enabled: Vec<u64>,
    /// The best set so far.
    best: Vec<u64>,
    trial: Closure,
    base: Closure,
}

/// A set that is being closed under the rules.
#[derive(Clone, Default, Debug)]
struct Closure {
    set: Vec<u64>,
    /// Events of the set that satisfy their rules.
    done: Vec<u64>,
    /// Number of enabled events in the set.
    enabled: u32,
}

impl Choice {
    fn new(goals: &[Goal]) -> Self {
        Self {
            bad: goals.contains(&Goal::Bad),
            deadlock: goals.contains(&Goal::Deadlock),
            requested: Vec::new(),
            enabled: Vec::new(),
            best: Vec::new(),
            trial: Closure::default(),
            base: Closure::default(),
        }
    }

    /// Computes the enabled events of `state`. Returns false if there are none.
    fn look(&mut self, rules: &Rules, state: &[u32]) -> bool {
        self.requested.clear();
        self.requested.resize(rules.words, 0);
        self.enabled.clear();
        self.enabled.resize(rules.words, 0);
        for (thread, &local) in state.iter().enumerate() {
            add(&mut self.requested, &rules.request[thread][local as usize]);
            add(&mut self.enabled, &rules.block[thread][local as usize]);
        }
        self.enabled.iter_mut().zip(&self.requested).for_each(|(block, request)| *block = request & !*block);
        self.enabled.iter().any(|&word| word != 0)
    }

    /// Returns the enabled events of a stubborn set of `state`. [`Choice::look`] must have been called for the
    /// state.
    fn choose(&mut self, rules: &Rules, state: &[u32]) -> &[u64] {
        self.best.clone_from(&self.enabled);
        let mut least = count(&self.enabled);
        for last in [false, true] {
            if least == u32::from(self.deadlock) || (last && !self.bad) {
                break;
            }
            self.base.clear(rules.words);
            if self.bad {
                self.seed_bad(rules, state, last);
            }
            if !self.base.close(rules, state, &self.enabled, &self.requested, least) {
                continue;
            }
            if self.deadlock {
                self.try_keys(rules, state, &mut least);
            } else {
                least = self.base.enabled;
                self.best.clone_from(&self.base.set);
            }
        }
        self.best.iter_mut().zip(&self.enabled).for_each(|(set, enabled)| *set &= enabled);
        &self.best
    }

    /// Rule (B): adds events such that every run to a bad state contains one of them.
    fn seed_bad(&mut self, rules: &Rules, state: &[u32], last: bool) {
        for (ways, &local) in rules.ways.iter().zip(state) {
            let ways = ways[local as usize];
            add(&mut self.base.set, rules.pool.get(if last { ways.last } else { ways.first }));
        }
    }

    /// Rule (K): adds a key event to `base`. Tries several keys, those in `base` first.
    fn try_keys(&mut self, rules: &Rules, state: &[u32], least: &mut u32) {
        let mut tried = 0;
        for inside in [true, false] {
            for &key in &rules.order {
                if *least <= self.base.enabled.max(1) || tried == MAX_KEYS {
                    return;
                }
                if !contains(&self.enabled, key) || contains(&self.base.set, key) != inside {
                    continue;
                }
                tried += 1;
                self.trial.clone_from(&self.base);
                self.trial.set[key / 64] |= 1 << (key % 64);
                self.seed_key(rules, state, key);
                if self.trial.close(rules, state, &self.enabled, &self.requested, *least) {
                    *least = self.trial.enabled;
                    self.best.clone_from(&self.trial.set);
                }
            }
        }
    }

    fn seed_key(&mut self, rules: &Rules, state: &[u32], key: usize) {
        let mut cheapest = Cheapest::default();
        for entry in rules.entries(state, key) {
            add(&mut self.trial.set, rules.pool.get(entry.hold));
        }
        for entry in rules.entries(state, key).filter(|entry| entry.requests) {
            cheapest.offer(entry.insist, &rules.pool, &self.trial.set, &self.enabled);
        }
        let (set, _) = cheapest.found.expect("an enabled event is requested");
        add(&mut self.trial.set, rules.pool.get(set));
    }
}

impl Closure {
    fn clear(&mut self, words: usize) {
        for set in [&mut self.set, &mut self.done] {
            set.clear();
            set.resize(words, 0);
        }
        self.enabled = 0;
    }

    /// Adds the events that the rules require. Returns false if the set reaches `limit` enabled events.
    fn close(&mut self, rules: &Rules, state: &[u32], enabled: &[u64], requested: &[u64], limit: u32) -> bool {
        loop {
            let open = self.set.iter().zip(&self.done).map(|(set, done)| set & !done);
            let Some((word, open)) = open.enumerate().find(|&(_, open)| open != 0) else { return true };
            let event = word * 64 + open.trailing_zeros() as usize;
            self.done[word] |= 1 << (event % 64);
            if contains(enabled, event) {
                self.enabled += 1;
                if self.enabled >= limit {
                    return false;
                }
                self.ahead(rules, state, event, enabled);
            } else {
                self.disabled(rules, state, event, enabled, contains(requested, event));
            }
        }
    }

    /// Rule (E): each thread stays, or swaps.
    fn ahead(&mut self, rules: &Rules, state: &[u32], event: usize, enabled: &[u64]) {
        for entry in rules.entries(state, event) {
            let mut way = entry.stay;
            if entry.swap != way {
                let mut cheapest = Cheapest::default();
                cheapest.offer(entry.stay, &rules.pool, &self.set, enabled);
                cheapest.offer(entry.swap, &rules.pool, &self.set, enabled);
                way = cheapest.found.map_or(way, |(way, _)| way);
            }
            add(&mut self.set, rules.pool.get(way));
        }
    }

    /// Rule (D): some thread keeps blocking the event, or no thread comes to request it.
    fn disabled(&mut self, rules: &Rules, state: &[u32], event: usize, enabled: &[u64], requested: bool) {
        let mut cheapest = Cheapest::default();
        for entry in rules.entries(state, event).filter(|entry| entry.blocks) {
            cheapest.offer(entry.free, &rules.pool, &self.set, enabled);
        }
        let ask = |entry: &Entry| entry.ask;
        if !requested {
            let (mut new_enabled, mut new) = (0, 0);
            for asked in rules.entries(state, event).map(ask) {
                let (more_enabled, more) = cost(rules.pool.get(asked), &self.set, enabled);
                (new_enabled, new) = (new_enabled + more_enabled, new + more);
            }
            if cheapest.found.is_none_or(|(_, cost)| (new_enabled, new) < cost) {
                rules.entries(state, event).map(ask).for_each(|asked| add(&mut self.set, rules.pool.get(asked)));
                return;
            }
        }
        let (way, _) = cheapest.found.expect("a disabled event is blocked or not requested");
        add(&mut self.set, rules.pool.get(way));
    }
}

/// The set that adds the fewest enabled events among those offered. Ties are decided by the number of all
/// events.
#[derive(Default)]
struct Cheapest {
    found: Option<(SetId, (u32, u32))>,
}

impl Cheapest {
    fn offer(&mut self, id: SetId, pool: &Pool, set: &[u64], enabled: &[u64]) {
        let cost = cost(pool.get(id), set, enabled);
        if self.found.is_none_or(|(_, least)| cost < least) {
            self.found = Some((id, cost));
        }
    }
}

/// Returns how many enabled events, and how many events in total, `more` adds to `set`.
fn cost(more: &[u64], set: &[u64], enabled: &[u64]) -> (u32, u32) {
    more.iter().zip(set).zip(enabled).fold((0, 0), |(new_enabled, new), ((more, set), enabled)| {
        let added = more & !set;
        (new_enabled + (added & enabled).count_ones(), new + added.count_ones())
    })
}

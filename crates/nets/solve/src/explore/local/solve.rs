//! The configurations of a computation: which of them are looked at next, and which wait for others.

use hashbrown::HashMap;

/// The longest path on which a cycle is searched for.
const LONGEST_CYCLE: usize = 1 << 12;
/// A subformula in a marking: the numbers of both.
pub(super) type Key = (u32, u32);

/// How far a configuration was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// The operand with this number comes next.
    Operand(u32),
    /// All next markings were asked for.
    Next,
}

#[derive(Debug)]
pub(super) struct Config {
    pub(super) key: Key,
    /// The configuration that asked for it first, unless it is the root.
    pub(super) parent: u32,
    pub(super) value: Option<bool>,
    pub(super) stage: Stage,
    /// Next markings without a value.
    pub(super) pending: u32,
    pub(super) is_queued: bool,
    /// True if it has gone on from an operand without a value. Then only `true` is decided.
    pub(super) left: bool,
    /// True if it was looked at, and nothing that it needs was left out.
    pub(super) was_seen: bool,
    /// The configurations that wait for its value.
    pub(super) waiting: Vec<u32>,
}

/// A computation of the value of one configuration, which is its first one.
#[derive(Debug, Default)]
pub(super) struct Solve {
    pub(super) configs: Vec<Config>,
    pub(super) numbers: HashMap<Key, u32>,
    /// Configurations to look at. The last one comes first.
    pub(super) open: Vec<u32>,
    /// Configurations that wait for an operand, and can go on from it.
    pub(super) stalled: Vec<(u32, u32)>,
}

impl Solve {
    pub(super) fn new(root: Key) -> Self {
        let mut solve = Self::default();
        solve.ask(root, None);
        solve
    }

    /// Returns the configuration with this key, and asks for its value.
    pub(super) fn ask(&mut self, key: Key, by: Option<u32>) -> u32 {
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
                left: false,
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
    pub(super) fn pop(&mut self) -> Option<u32> {
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

    /// Lets configurations go on from operands without a value. Returns false if there are none.
    pub(super) fn go_on(&mut self) -> bool {
        for (number, operand) in std::mem::take(&mut self.stalled) {
            let config = &mut self.configs[number as usize];
            if config.value.is_none() && config.stage == Stage::Operand(operand) && !config.is_queued {
                (config.stage, config.left, config.is_queued) = (Stage::Operand(operand + 1), true, true);
                self.open.push(number);
            }
        }
        !self.open.is_empty()
    }

    /// Returns true if the path on which `from` was asked for comes through `to`, along the same subformula.
    pub(super) fn is_cycle(&self, from: u32, to: u32) -> bool {
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

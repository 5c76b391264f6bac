//! What each engine of a check has done so far: for the display of progress, and for reports that say what was tried.
//!
//! The scheduler writes at the beginning and the end of each turn. During a turn, the number of states comes from the
//! stop flag of the turn, to which engines report it. Nothing here has an influence on a check.

use model::{Grown, Reason, Stats, Stop};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// What an engine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// The engine has a turn.
    Working,
    /// The engine has work left, and other engines have a turn.
    Waiting,
    /// The engine has nothing left to do.
    Done,
    /// The engine ended because of the memory limit.
    OutOfMemory,
}

/// What the engines with one name have done. A check may have several engines with a name, one for each slice.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Name of the engine.
    pub engine: &'static str,
    /// What it is doing.
    pub standing: Standing,
    /// Work so far, as the microseconds that it takes on the machine where work units were measured.
    pub work: u64,
    /// The counts so far. Those of several engines are added.
    pub stats: Stats,
    /// Why the engine has left a goal open, if it said so.
    pub reason: Option<Reason>,
}

/// The efforts of all engines that had a turn.
#[derive(Debug, Default)]
pub struct Efforts {
    entries: Mutex<Vec<Entry>>,
}

/// One engine of one pass.
#[derive(Debug)]
struct Entry {
    pass: usize,
    place: usize,
    effort: Effort,
    /// The flag of the current turn.
    live: Option<Arc<Stop>>,
}

/// A pass over the engines, which may have engines with the names of other passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass<'a> {
    efforts: &'a Efforts,
    number: usize,
}

impl Efforts {
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a pass.
    pub(crate) fn pass(&self) -> Pass<'_> {
        let number = self.entries().iter().map(|entry| entry.pass + 1).max().unwrap_or(0);
        Pass { efforts: self, number }
    }

    /// Returns the efforts so far, one for each name, in the order of the first turns. `None` if they are being
    /// written right now. This function never waits: a thread that writes may be suspended because of the memory limit,
    /// and the caller may be the one that enforces the limit.
    #[must_use]
    pub fn now(&self) -> Option<Vec<Effort>> {
        let mut all: Vec<Effort> = Vec::new();
        let entries = match self.entries.try_lock() {
            Ok(entries) => entries,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        for entry in entries.iter() {
            let effort = entry.now();
            match all.iter_mut().find(|other| other.engine == effort.engine) {
                Some(other) => other.add(effort),
                None => all.push(effort),
            }
        }
        Some(all)
    }
}

impl Pass<'_> {
    /// Records that an engine begins a turn. `live` is the flag to which it reports states.
    pub(crate) fn begin(self, place: usize, engine: &'static str, live: &Arc<Stop>) {
        let mut entries = self.efforts.entries();
        let known = entries.iter().position(|entry| entry.pass == self.number && entry.place == place);
        let known = known.unwrap_or_else(|| {
            let effort = Effort { engine, standing: Standing::Waiting, work: 0, stats: Stats::default(), reason: None };
            entries.push(Entry { pass: self.number, place, effort, live: None });
            entries.len() - 1
        });
        entries[known].effort.standing = Standing::Working;
        entries[known].live = Some(Arc::clone(live));
    }

    /// Records that an engine has ended a turn.
    pub(crate) fn end(self, place: usize, standing: Standing, work: u64, stats: Stats, reason: Option<Reason>) {
        let mut entries = self.efforts.entries();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.pass == self.number && entry.place == place) {
            debug_assert!(work >= entry.effort.work, "no work is undone");
            entry.live = None;
            let reason = reason.or(entry.effort.reason);
            entry.effort = Effort { engine: entry.effort.engine, standing, work, stats, reason };
        }
    }
}

impl Entry {
    fn now(&self) -> Effort {
        let mut effort = self.effort.clone();
        if let Some(live) = &self.live {
            effort.stats.states = effort.stats.states.max(live.reported_states());
        }
        effort
    }
}

impl Effort {
    /// Adds the effort of another engine with this name.
    fn add(&mut self, other: Effort) {
        let rank = |standing| match standing {
            Standing::Working => 3,
            Standing::Waiting => 2,
            Standing::OutOfMemory => 1,
            Standing::Done => 0,
        };
        if rank(other.standing) > rank(self.standing) {
            self.standing = other.standing;
        }
        self.reason = self.reason.or(other.reason);
        self.work = self.work.saturating_add(other.work);
        self.stats.states += other.stats.states;
        self.stats.transitions += other.stats.transitions;
        add_all(&mut self.stats.lemmas, other.stats.lemmas);
        let size = |grown: &Option<Grown>| grown.as_ref().map(Grown::size);
        if size(&other.stats.grown) > size(&self.stats.grown) {
            self.stats.grown = other.stats.grown;
        }
        // Frames are counted from the initial states, so those of several engines are no sum.
        let frames = self.stats.more.get("frames").copied().max(other.stats.more.get("frames").copied());
        add_all(&mut self.stats.more, other.stats.more);
        if let Some(frames) = frames {
            self.stats.more.insert("frames", frames);
        }
    }
}

fn add_all<K: Ord>(to: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
    for (key, n) in from {
        *to.entry(key).or_default() += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(states: u64, frames: u64) -> Stats {
        Stats { states, more: BTreeMap::from([("frames", frames), ("clauses", 5)]), ..Stats::default() }
    }

    #[test]
    fn engines_with_one_name_are_added_and_live_states_count() {
        let efforts = Efforts::default();
        let (pass, stop) = (efforts.pass(), Arc::new(Stop::default()));
        pass.begin(0, "ic3", &stop);
        pass.begin(1, "explicit", &stop);
        pass.begin(2, "ic3", &stop);
        stop.report_states(7);
        pass.end(0, Standing::Done, 10, stats(0, 3), None);
        pass.end(2, Standing::OutOfMemory, 20, stats(1, 9), Some(Reason::Overflow));
        let now = efforts.now().expect("one thread");
        assert_eq!(now.iter().map(|e| e.engine).collect::<Vec<_>>(), ["ic3", "explicit"]);
        assert_eq!((now[0].work, now[0].standing, now[0].reason), (30, Standing::OutOfMemory, Some(Reason::Overflow)));
        assert_eq!((now[0].stats.more["frames"], now[0].stats.more["clauses"], now[0].stats.states), (9, 10, 1));
        assert_eq!((now[1].stats.states, now[1].standing), (7, Standing::Working));
    }

    #[test]
    fn a_later_pass_has_entries_of_its_own() {
        let efforts = Efforts::default();
        for work in [5, 7] {
            let pass = efforts.pass();
            pass.begin(0, "walk", &Arc::default());
            pass.end(0, Standing::Done, work, stats(0, 0), None);
        }
        assert_eq!(efforts.now().expect("one thread")[0].work, 12);
    }
}

//! The store of a program (`bp.store`): values that b-threads share.
//!
//! In BPjs, a b-thread that runs sees the store as it was at the last sync, with its own changes (`MapProxy`). At the
//! next sync, the changes of all b-threads are joined (`MapProxyConsolidator`); two different changes of one key are a
//! violation. So the order in which b-threads run does not matter, except through objects: `get` gives the object of
//! the store itself.
//!
//! 1. An object that a b-thread got and changed is changed in the store, also without `put`. If another b-thread gets
//!    the same key in the same step, the order matters, and the reader refuses the program.
//! 2. An object of the store that a b-thread still reaches at its sync is frozen, in the b-thread and in the store. So
//!    the copies of the object that a state has stay equal.
//! 3. An object belongs to one key. Two keys that share an object are refused.

use super::heap::{Copier, Heap, reach};
use super::value::{Cell, Stop, Value, unsupported};
use std::collections::BTreeMap;
use std::rc::Rc;

type Res<T> = Result<T, Stop>;

/// A value with the cells that it reaches. The numbers of these cells begin after the shared cells.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Item {
    pub(super) value: Value,
    pub(super) cells: Rc<[Cell]>,
}

/// The values of a store.
pub(super) type Items = BTreeMap<Rc<str>, Item>;

/// What a b-thread does to a key between two syncs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Put(Item),
    Remove,
    /// The object of the store was changed in place, or is frozen from now on. `put` and `remove` win over this.
    Touch(Item),
}

/// The store as a b-thread sees it between two syncs.
#[derive(Clone, Default, Debug)]
pub(super) struct Store {
    /// The values at the last sync.
    pub(super) seed: Rc<Items>,
    /// The objects of the seed that the b-thread got.
    got: BTreeMap<Rc<str>, Value>,
    /// The new values. `None`: the key is removed.
    pub(super) changes: BTreeMap<Rc<str>, Option<Value>>,
}

/// The effect of a b-thread on the store.
#[derive(Clone, Default, Debug)]
pub(super) struct Effect {
    pub(super) changes: BTreeMap<Rc<str>, Change>,
    /// The keys of the objects that the b-thread got. True if it changed the object in place.
    pub(super) got: BTreeMap<Rc<str>, bool>,
}

impl Item {
    pub(super) fn new(heap: &Heap, value: &Value) -> Self {
        let mut value = value.clone();
        let mut copier = Copier::new(heap.own(), heap.shared());
        copier.visit(&mut value);
        Self { value, cells: copier.finish().into() }
    }

    fn is_frozen(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell, Cell::Frozen(_)))
    }

    /// Returns true if both values are equal for BPjs. `None` if that is open.
    fn same(&self, other: &Self) -> Option<bool> {
        let bare = |item: &Self| -> Vec<Cell> {
            let cells = item.cells.iter().map(|cell| match cell {
                Cell::Frozen(inner) => (**inner).clone(),
                cell => cell.clone(),
            });
            cells.collect()
        };
        if self.value == other.value && bare(self) == bare(other) {
            return Some(true);
        }
        let is_object = |item: &Self| matches!(item.value, Value::Ref(_));
        (!(is_object(self) && is_object(other))).then_some(false)
    }
}

impl Store {
    pub(super) fn new(seed: Rc<Items>) -> Self {
        Self { seed, ..Self::default() }
    }

    /// True if the key has a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.changes.get(key).map_or_else(|| self.seed.contains_key(key), Option::is_some)
    }

    pub(super) fn get(&mut self, key: &Rc<str>, heap: &mut Heap) -> Res<Value> {
        if let Some(change) = self.changes.get(key) {
            return Ok(change.clone().unwrap_or(Value::Null));
        }
        if let Some(value) = self.got.get(key) {
            return Ok(value.clone());
        }
        let Some(item) = self.seed.get(key) else { return Ok(Value::Null) };
        let value = heap.append(&item.value, &item.cells)?;
        if matches!(value, Value::Ref(_)) {
            self.got.insert(key.clone(), value.clone());
        }
        Ok(value)
    }

    pub(super) fn size(&self) -> usize {
        let kept = self.seed.keys().filter(|key| !self.changes.contains_key(*key)).count();
        kept + self.changes.values().flatten().count()
    }

    /// Visits the values that the script put into the store.
    pub(super) fn each(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.changes.values_mut().flatten().for_each(visit);
    }

    /// Returns the objects that the b-thread reached through the store.
    pub(super) fn roots(&self) -> Vec<Value> {
        self.changes.values().flatten().chain(self.got.values()).cloned().collect()
    }

    /// Ends a run: freezes the objects that something else reaches, too, and returns the effect. `others` says which
    /// cells the b-thread and the b-threads that it registers reach.
    pub(super) fn effect(&self, heap: &mut Heap, others: &[bool]) -> Res<Effect> {
        let mut effect = Effect::default();
        for (key, value) in &self.got {
            let is_changed = self.seed.get(key) != Some(&Item::new(heap, value));
            effect.got.insert(key.clone(), is_changed);
        }
        // The objects of the store after the run, by key.
        let mut ends: BTreeMap<&Rc<str>, Option<&Value>> = self.got.iter().map(|(k, v)| (k, Some(v))).collect();
        ends.extend(self.changes.iter().map(|(k, v)| (k, v.as_ref())));
        let mut owner = vec![false; heap.own().len()];
        for (key, value) in ends {
            let Some(value) = value else {
                effect.changes.insert(key.clone(), Change::Remove);
                continue;
            };
            let cells = reach(heap.own(), heap.shared(), [value.clone()]);
            let mut is_held = false;
            for (at, _) in cells.iter().enumerate().filter(|(_, is_reached)| **is_reached) {
                if std::mem::replace(&mut owner[at], true) {
                    let hint = "put a copy of the object";
                    return Err(unsupported("two keys of the store share an object", hint));
                }
                is_held |= others[at];
            }
            if is_held {
                heap.freeze(&cells);
            }
            let item = Item::new(heap, value);
            if self.changes.contains_key(key) {
                effect.changes.insert(key.clone(), Change::Put(item));
            } else if self.seed.get(key) != Some(&item) {
                effect.changes.insert(key.clone(), Change::Touch(item));
            }
        }
        Ok(effect)
    }
}

/// Joins the changes of two b-threads of one step. `Err` has the key that both change differently, or the reason why
/// the result is open.
pub(super) fn join(into: &mut Effect, other: &Effect) -> Result<(), Clash> {
    for (key, is_changed) in &other.got {
        if let Some(old) = into.got.get(key) {
            if *old || *is_changed {
                return Err(Clash::Race(key.clone()));
            }
        } else {
            into.got.insert(key.clone(), *is_changed);
        }
    }
    for (key, change) in &other.changes {
        let joined = match (into.changes.get(key), change) {
            (None | Some(Change::Touch(_)), change) => change.clone(),
            (Some(old), Change::Touch(_)) => old.clone(),
            (Some(Change::Remove), Change::Remove) => Change::Remove,
            (Some(Change::Put(old)), Change::Put(new)) => match old.same(new) {
                Some(true) => Change::Put(if old.is_frozen() { old.clone() } else { new.clone() }),
                Some(false) => return Err(Clash::Conflict(key.clone())),
                None => return Err(Clash::Race(key.clone())),
            },
            (Some(_), _) => return Err(Clash::Conflict(key.clone())),
        };
        into.changes.insert(key.clone(), joined);
    }
    Ok(())
}

/// Why two changes have no joint result.
pub(super) enum Clash {
    /// In BPjs a violation.
    Conflict(Rc<str>),
    /// The result depends on the order in which the b-threads run.
    Race(Rc<str>),
}

/// Applies the changes of a step.
pub(super) fn apply(items: &Rc<Items>, effect: Effect) -> Rc<Items> {
    if effect.changes.is_empty() {
        return items.clone();
    }
    let mut items = Items::clone(items);
    for (key, change) in effect.changes {
        match change {
            Change::Put(item) | Change::Touch(item) => drop(items.insert(key, item)),
            Change::Remove => drop(items.remove(&key)),
        }
    }
    Rc::new(items)
}

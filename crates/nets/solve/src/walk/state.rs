//! The current marking, with the set of enabled transitions kept up to date.
//!
//! Each transition counts its guards that do not hold. The guards on a place are sorted by their limits, so a
//! change of the place visits exactly the guards with truth values that change.

use crate::rules::Rules;
use crate::walk::goals::Goals;

pub(crate) struct WalkState {
    pub(crate) tokens: Vec<u64>,
    pub(crate) enabled: Vec<u32>,
    /// For each transition, its position in `enabled`.
    position: Vec<u32>,
    /// For each transition, the number of guards that do not hold.
    unmet: Vec<u32>,
    /// Places that may have tokens.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// Guards and places visited, a measure of work.
    pub(crate) effort: u64,
    /// Buffer for new counts of places. Empty between firings.
    pending: Vec<(u32, u64)>,
}

const NOWHERE: u32 = u32::MAX;

/// A place has more tokens than walks allow.
pub(crate) struct TooMany;

impl WalkState {
    /// The marking without tokens.
    pub(crate) fn new(net: &Rules) -> Self {
        let mut state = Self {
            tokens: vec![0; net.places()],
            enabled: Vec::new(),
            position: vec![NOWHERE; net.transitions()],
            unmet: net.conditions.clone(),
            touched: Vec::new(),
            is_touched: vec![false; net.places()],
            effort: 0,
            pending: Vec::new(),
        };
        for place in 0..net.places() {
            // Without tokens, all upper limits hold.
            net.upper.row(place).iter().for_each(|(_, t)| state.unmet[*t as usize] -= 1);
        }
        for (t, unmet) in (0u32..).zip(state.unmet.clone()) {
            if unmet == 0 {
                state.enable(t);
            }
        }
        state
    }

    /// Returns to the least initial marking, with `extra` tokens on open places.
    pub(crate) fn restart(&mut self, net: &Rules, goals: &mut Goals, extra: &[u32]) {
        let touched = std::mem::take(&mut self.touched);
        touched.iter().for_each(|place| self.set(net, goals, *place as usize, 0));
        touched.iter().for_each(|place| self.is_touched[*place as usize] = false);
        goals.clear();
        for (place, &n) in net.initial.iter().enumerate().filter(|(_, n)| **n > 0) {
            self.set(net, goals, place, n);
        }
        for ((place, _), n) in net.open.iter().zip(extra) {
            let place = *place as usize;
            self.set(net, goals, place, self.tokens[place] + u64::from(*n));
        }
    }

    /// Fires `t`, which must be enabled.
    pub(crate) fn fire(&mut self, net: &Rules, goals: &mut Goals, t: u32) -> Result<(), TooMany> {
        let mut pending = std::mem::take(&mut self.pending);
        for change in net.changes.row(t as usize) {
            pending.push((change.place, net.result(*change, &self.tokens).ok_or(TooMany)?));
        }
        for (place, n) in pending.drain(..) {
            self.set(net, goals, place as usize, n);
        }
        self.pending = pending;
        Ok(())
    }

    /// Fires `t`, which must be enabled, and lists in `undo` the tokens that its places had before.
    pub(crate) fn try_fire(
        &mut self,
        net: &Rules,
        goals: &mut Goals,
        t: u32,
        undo: &mut Vec<(u32, u64)>,
    ) -> Result<(), TooMany> {
        undo.clear();
        undo.extend(net.changes.row(t as usize).iter().map(|c| (c.place, self.tokens[c.place as usize])));
        self.fire(net, goals, t)
    }

    /// Gives these places the tokens that they had before a firing.
    pub(crate) fn take_back(&mut self, net: &Rules, goals: &mut Goals, undo: &[(u32, u64)]) {
        undo.iter().for_each(|(place, n)| self.set(net, goals, *place as usize, *n));
    }

    /// Moves to the marking with these tokens: pairs of a place and a positive number.
    pub(crate) fn jump(&mut self, net: &Rules, goals: &mut Goals, to: &mut dyn Iterator<Item = (u32, u64)>) {
        let before = std::mem::take(&mut self.touched);
        before.iter().for_each(|place| self.is_touched[*place as usize] = false);
        self.effort += before.len() as u64 / 4;
        for (place, n) in to {
            self.touch(place as usize);
            self.set(net, goals, place as usize, n);
        }
        for place in before.into_iter().map(|place| place as usize) {
            if !self.is_touched[place] && self.tokens[place] > 0 {
                self.set(net, goals, place, 0);
                self.is_touched[place] = false;
            }
        }
        self.touched.retain(|place| self.is_touched[*place as usize]);
    }

    /// Iterates over the places with tokens, in the order in which they got some.
    pub(crate) fn marked(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.touched.iter().map(|place| (*place, self.tokens[*place as usize])).filter(|(_, n)| *n > 0)
    }

    fn touch(&mut self, place: usize) {
        if !std::mem::replace(&mut self.is_touched[place], true) {
            self.touched.push(u32::try_from(place).expect("places have 32-bit numbers"));
        }
    }

    fn set(&mut self, net: &Rules, goals: &mut Goals, place: usize, new: u64) {
        let old = std::mem::replace(&mut self.tokens[place], new);
        if old == new {
            return;
        }
        self.touch(place);
        goals.changed(place, old, new);
        let (low, high) = (old.min(new), old.max(new));
        let crossed = between(net.lower.row(place), low + 1, high);
        self.effort += crossed.len() as u64 + 1;
        for &(_, t) in crossed {
            if new > old { self.meet(t) } else { self.miss(t) }
        }
        // Upper limits from `low` to `high - 1` hold for the lower count only.
        let crossed = between(net.upper.row(place), low, high - 1);
        self.effort += crossed.len() as u64;
        for &(_, t) in crossed {
            if new > old { self.miss(t) } else { self.meet(t) }
        }
    }

    fn meet(&mut self, t: u32) {
        self.unmet[t as usize] -= 1;
        if self.unmet[t as usize] == 0 {
            self.enable(t);
        }
    }

    fn miss(&mut self, t: u32) {
        self.unmet[t as usize] += 1;
        let position = std::mem::replace(&mut self.position[t as usize], NOWHERE);
        if position != NOWHERE {
            self.enabled.swap_remove(position as usize);
            if let Some(moved) = self.enabled.get(position as usize) {
                self.position[*moved as usize] = position;
            }
        }
    }

    fn enable(&mut self, t: u32) {
        self.position[t as usize] = u32::try_from(self.enabled.len()).expect("transitions have 32-bit numbers");
        self.enabled.push(t);
    }
}

/// The entries with numbers in `from..=to`.
fn between(sorted: &[(u64, u32)], from: u64, to: u64) -> &[(u64, u32)] {
    let start = sorted.partition_point(|(n, _)| *n < from);
    let end = start + sorted[start..].partition_point(|(n, _)| *n <= to);
    &sorted[start..end]
}

//! Is a marking covered by a listed one: equal on exact places, at most as many tokens on others?
//!
//! Listed markings are put in groups that agree on exact slots and on slots of several places, each group by falling token
//! count; a signature of 64 bits says for some slots and thresholds that the slot holds at least so many. A coverer has at
//! least as many tokens and all signature bits.

use super::compiled::places_of;
use super::shape::Shape;
use super::table::Table;
use crate::Check;
use crate::keys::{Layout, mixed};
use crate::work::Work;
use model::Slot;

/// When a value of a slot covers another.
enum Fit {
    Equal,
    AtMost,
    /// Of a slot of several places: equal, or no token instead of one on a place that is not exact (by value - 1).
    Loose(Vec<bool>),
}

/// When values of slots cover others.
pub(crate) struct Fits {
    slots: Vec<Fit>,
}

impl Fits {
    /// `exact`: by place.
    pub(crate) fn new(shape: &Shape<'_>, exact: &[bool]) -> Self {
        let fit = |slot: &Slot| {
            let loose: Vec<bool> = places_of(slot).map(|(_, p)| !exact[p.index()]).collect();
            match slot {
                _ if !loose.contains(&true) => Fit::Equal,
                Slot::Tokens(_) => Fit::AtMost,
                Slot::OneOf(_) => Fit::Loose(loose),
            }
        };
        Self { slots: shape.slots.iter().map(fit).collect() }
    }

    /// Does every marking cover only itself?
    pub(crate) fn only_equal(&self) -> bool {
        self.slots.iter().all(|fit| matches!(fit, Fit::Equal))
    }

    /// Does `large` cover `small` in this slot?
    pub(crate) fn covers(&self, slot: usize, small: u32, large: u32) -> bool {
        match &self.slots[slot] {
            Fit::Equal => small == large,
            Fit::AtMost => small <= large,
            Fit::Loose(loose) => small == large || small == 0 && loose[large as usize - 1],
        }
    }
}

/// An index of listed markings by what they may cover.
pub(crate) struct Cover {
    entries: Vec<Entry>,
    /// Slots whose values all markings of a group share.
    grouping: Vec<usize>,
    /// Slots of several places, some of them not exact.
    loose: Vec<usize>,
    /// Slot and threshold of each bit of a signature.
    bits: Vec<(usize, u32)>,
}

struct Entry {
    group: u64,
    total: u64,
    signature: u64,
    place: usize,
}

impl Cover {
    pub(crate) fn new(
        table: &Table,
        layout: &Layout,
        fits: &Fits,
        greatest: &[u32],
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let slots = |wanted: fn(&Fit) -> bool| -> Vec<usize> {
            (0..fits.slots.len()).filter(|&slot| wanted(&fits.slots[slot])).collect()
        };
        let mut cover = Self {
            entries: Vec::new(),
            grouping: slots(|fit| !matches!(fit, Fit::AtMost)),
            loose: slots(|fit| matches!(fit, Fit::Loose(_))),
            bits: thresholds(&slots(|fit| matches!(fit, Fit::AtMost)), greatest),
        };
        work.grow(table.len().saturating_mul(size_of::<Entry>()))?;
        cover.entries.reserve_exact(table.len());
        let mut state = Vec::new();
        for place in table.iter() {
            layout.unpack_words(table.key(place), &mut state);
            work.spend(1 + state.len() as u64 / 8)?;
            cover.entries.push(Entry { place, ..cover.entry(&state) });
        }
        cover.entries.sort_unstable_by_key(|e| (e.group, u64::MAX - e.total, e.place));
        Ok(cover)
    }

    fn entry(&self, state: &[u32]) -> Entry {
        let group = self.grouping.iter().fold(0, |hash, &slot| mixed(&[hash, u64::from(state[slot])]));
        let bit = |(i, (slot, threshold)): (usize, &(usize, u32))| u64::from(state[*slot] >= *threshold) << i;
        let signature = self.bits.iter().enumerate().map(bit).fold(0, |a, b| a | b);
        // Tokens of slots that group count the same in all members of a group: nobody minds their values here.
        let total = state.iter().map(|&value| u64::from(value)).sum();
        Entry { group, total, signature, place: 0 }
    }

    /// Is there a listed marking that covers `state`?
    pub(crate) fn has(
        &self,
        state: &[u32],
        table: &Table,
        layout: &Layout,
        fits: &Fits,
        work: &mut Work<'_>,
    ) -> Check<bool> {
        let asked = self.entry(state);
        // Without the token of a loose slot the coverer may be in another group.
        let anywhere = self.loose.iter().any(|&slot| state[slot] == 0);
        let candidates = if anywhere {
            &self.entries[..]
        } else {
            let start = self.entries.partition_point(|e| e.group < asked.group);
            let rest = &self.entries[start..];
            &rest[..rest.partition_point(|e| e.group == asked.group && e.total >= asked.total)]
        };
        for entry in candidates {
            work.spend(1)?;
            if entry.signature & asked.signature != asked.signature {
                continue;
            }
            let key = table.key(entry.place);
            let covers = |(slot, &small): (usize, &u32)| fits.covers(slot, small, layout.slot(key, slot));
            if state.iter().enumerate().all(covers) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// At most 64 thresholds, spread over the slots: 1, 2, 4, .. for each while it has such values and there is room.
fn thresholds(slots: &[usize], greatest: &[u32]) -> Vec<(usize, u32)> {
    let powers = (0..32).map(|power| 1u32 << power);
    let all = powers.flat_map(|t| slots.iter().filter(move |&&s| greatest[s] >= t).map(move |&s| (s, t)));
    all.take(64).collect()
}

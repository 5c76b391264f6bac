//! Looks for a listed marking that covers a given one: equal on exact places, and at least as many tokens on
//! the other places.
//!
//! Listed markings are grouped: all markings of a group agree on exact slots and on slots of several places.
//! For the other slots of tokens, and for some thresholds, a row of bits stores for each listed marking whether
//! it has at least this many tokens there. The intersection of one such row per marked slot leaves few
//! candidates. The intersection is computed for 64 markings at a time. The candidates are then compared slot by
//! slot.

use crate::Check;
use kernel::Work;
use kernel::keys::{Layout, mixed};
use kernel::net::SlotLayout;
use kernel::table::Table;
use model::{PlaceId, Slot};

/// The condition under which a value of a slot covers another value of the slot.
enum Fit {
    Equal,
    AtMost,
    /// For a slot of several places: the values are equal, or the covered value has no token and the token of
    /// the covering value is on a place that is not exact. The entry `value - 1` is true for such places.
    Loose(Vec<bool>),
}

/// For each slot: the condition under which its values cover each other.
pub(crate) struct Fits {
    slots: Vec<Fit>,
}

impl Fits {
    /// `exact[p]` is true if place p is exact.
    pub(crate) fn new(shape: &SlotLayout<'_>, exact: &[bool]) -> Self {
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

    /// True if every marking covers only itself.
    pub(crate) fn only_equal(&self) -> bool {
        self.slots.iter().all(|fit| matches!(fit, Fit::Equal))
    }

    /// True if `large` covers `small` in this slot.
    pub(crate) fn covers(&self, slot: usize, small: u32, large: u32) -> bool {
        match &self.slots[slot] {
            Fit::Equal => small == large,
            Fit::AtMost => small <= large,
            Fit::Loose(loose) => small == large || small == 0 && loose[large as usize - 1],
        }
    }
}

/// An index of the listed markings, to find one that covers a given marking.
pub(crate) struct Cover {
    /// The listed markings, ordered by group.
    entries: Vec<Entry>,
    /// Slots in which all markings of a group have the same value.
    grouping: Vec<usize>,
    /// Slots of several places, some of which are not exact.
    loose: Vec<usize>,
    /// One plane for each slot of tokens that is not exact and each of its thresholds, ordered by slot, then by
    /// threshold.
    planes: Vec<Plane>,
}

#[derive(Clone, Copy)]
struct Entry {
    group: u64,
    place: usize,
}

/// The entries that have at least `threshold` tokens in a slot, 64 to a word.
struct Plane {
    slot: usize,
    threshold: u32,
    bits: Vec<u64>,
}

/// Approximate number of bits that all planes together have per listed marking. (If there are more slots than
/// this, each slot has one plane.)
const BITS: usize = 512;

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
        let thresholds = thresholds(&slots(|fit| matches!(fit, Fit::AtMost)), greatest);
        let words = table.len().div_ceil(64);
        work.grow((thresholds.len() * words * 8).saturating_add(table.len().saturating_mul(size_of::<Entry>())))?;
        let mut cover = Self {
            entries: Vec::with_capacity(table.len()),
            grouping: slots(|fit| !matches!(fit, Fit::AtMost)),
            loose: slots(|fit| matches!(fit, Fit::Loose(_))),
            planes: Vec::with_capacity(thresholds.len()),
        };
        for place in table.taken() {
            work.spend(1 + cover.grouping.len() as u64)?;
            let group = cover.group(|slot| layout.slot(table.key(place), slot));
            cover.entries.push(Entry { group, place });
        }
        cover.entries.sort_unstable_by_key(|e| (e.group, e.place));
        for (slot, threshold) in thresholds {
            work.spend(table.len() as u64)?;
            let mut bits = vec![0; words];
            for (i, entry) in cover.entries.iter().enumerate() {
                bits[i / 64] |= u64::from(layout.slot(table.key(entry.place), slot) >= threshold) << (i % 64);
            }
            cover.planes.push(Plane { slot, threshold, bits });
        }
        Ok(cover)
    }

    fn group(&self, value: impl Fn(usize) -> u32) -> u64 {
        self.grouping.iter().fold(0, |hash, &slot| mixed(&[hash, u64::from(value(slot))]))
    }

    /// True if some listed marking covers `state`.
    pub(crate) fn has(
        &self,
        state: &[u32],
        table: &Table,
        layout: &Layout,
        fits: &Fits,
        work: &mut Work<'_>,
    ) -> Check<bool> {
        // A marking without token in a loose slot may be covered by a marking of another group.
        let (start, end) = if self.loose.iter().any(|&slot| state[slot] == 0) {
            (0, self.entries.len())
        } else {
            let group = self.group(|slot| state[slot]);
            let start = self.entries.partition_point(|e| e.group < group);
            (start, start + self.entries[start..].partition_point(|e| e.group == group))
        };
        // For each slot: the plane with the greatest threshold that `state` reaches.
        let of_slots = self.planes.chunk_by(|a, b| a.slot == b.slot);
        let chosen: Vec<&Plane> = of_slots
            .filter_map(|planes| {
                let reached = planes.partition_point(|plane| plane.threshold <= state[plane.slot]);
                reached.checked_sub(1).map(|last| &planes[last])
            })
            .collect();
        for word in start / 64..end.div_ceil(64) {
            work.spend(1)?;
            let mut left = chosen.iter().fold(u64::MAX, |left, plane| left & plane.bits[word]);
            while left != 0 {
                let at = word * 64 + left.trailing_zeros() as usize;
                left &= left - 1;
                if at < start || at >= end {
                    continue;
                }
                work.spend(1)?;
                let key = table.key(self.entries[at].place);
                let covers = |(slot, &small): (usize, &u32)| fits.covers(slot, small, layout.slot(key, slot));
                if state.iter().enumerate().all(covers) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Returns thresholds from 1 to the greatest value of each slot, ascending: all of them if they fit the limit,
/// else evenly spread ones.
fn thresholds(slots: &[usize], greatest: &[u32]) -> Vec<(usize, u32)> {
    let each = (BITS / slots.len().max(1)).max(1) as u64;
    let mut all = Vec::new();
    for &slot in slots {
        let most = u64::from(greatest[slot]);
        let count = most.min(each);
        all.extend((0..count).map(|i| (slot, (1 + i * most / count) as u32)));
    }
    all
}

/// The places of a slot, each with the value that stands for its token (0 in a slot of tokens).
fn places_of(slot: &Slot) -> impl Iterator<Item = (u32, PlaceId)> + '_ {
    let (tokens, several): (Option<PlaceId>, &[PlaceId]) = match slot {
        Slot::Tokens(place) => (Some(*place), &[]),
        Slot::OneOf(places) => (None, places),
    };
    tokens.into_iter().map(|p| (0, p)).chain((1..).zip(several.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::thresholds;

    #[test]
    fn thresholds_are_spread_over_the_values() {
        assert_eq!(thresholds(&[0, 2], &[2, 9, 3]), [(0, 1), (0, 2), (2, 1), (2, 2), (2, 3)]);
        let spread = thresholds(&[0], &[u32::MAX]);
        assert_eq!((spread.len(), spread[0], spread[1].1), (512, (0, 1), 1 + (u32::MAX / 512)));
        assert!(spread.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(thresholds(&[], &[3]), []);
    }
}

//! Saves a breadth-first search of a reactive program, and continues from saved records.
//!
//! States are numbered in the order in which they are found, and never change, so a checkpoint only appends new states.
//! A state mostly has the values of the state before it, so a record has only the slots that differ. The predecessors
//! that a search stores ([`super::graph`]) come with their states.
//!
//! Two kinds of records: *states*, and *progress*, which ends a checkpoint. How parts of states are grouped is not
//! saved: the search groups them again.

use super::ReactiveStepper;
use super::graph::{Exploration, STRIDE};
use model::saved::{Parts, Record};
use model::{Reason, Save, Saved, Stop, Unrestored, Unsaved};
use search::valuations::StateNumber;

const STATES: u8 = b'S';
const PROGRESS: u8 = b'P';

/// States in one record.
const AT_ONCE: usize = 1 << 12;

impl Exploration {
    /// Saves what is new since the checkpoint with the mark `since`, and returns its mark: the number of states. `head`
    /// is the first record, and `tail` belongs to the progress.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn save(&self, since: u64, head: &[u8], tail: &[u8], to: &mut dyn Save) -> Result<u64, Unsaved> {
        let len = self.states().len();
        let since = usize::try_from(since).ok().filter(|&since| since <= len).unwrap_or(0);
        if since == 0 {
            to.begin_anew()?;
            to.append(head)?;
        }
        let mut cursor = self.states().cursor();
        let (mut last, mut state) = (self.stepper().initial().into_vec(), self.stepper().initial().into_vec());
        if let Some(before) = since.checked_sub(1) {
            self.states().read_at(&mut cursor, number(before), &mut last);
        }
        for first in (since..len).step_by(AT_ONCE) {
            let end = len.min(first + AT_ONCE);
            let mut record = Record::new(STATES);
            record.small(first as u64);
            record.small((end - first) as u64);
            for at in first..end {
                if at.is_multiple_of(STRIDE) {
                    record.small(self.parents()[at / STRIDE].into());
                }
                self.states().read_at(&mut cursor, number(at), &mut state);
                differences(&mut record, &last, &state);
                last.copy_from_slice(&state);
            }
            to.append(record.bytes())?;
        }
        let mut record = Record::new(PROGRESS);
        [len as u64, self.expanded(), self.transitions()].into_iter().for_each(|number| record.small(number));
        record.text(tail);
        to.append(record.bytes())?;
        Ok(len as u64)
    }

    /// Returns the search that was saved in these records, after the first one, and the `tail` of its last checkpoint.
    ///
    /// # Errors
    /// If the records are not those of a search of this program, or if work must stop.
    pub fn restored(
        stepper: ReactiveStepper,
        jobs: usize,
        from: &mut dyn Saved,
        stop: &Stop,
    ) -> Result<(Self, Vec<u8>), Unrestored> {
        let last = stepper.initial().into_vec();
        let mut loading = Loading { search: Self::new(stepper, jobs), known: 0, last, tail: None };
        let mut record = Vec::new();
        while from.next(&mut record)? {
            loading.read(&record, stop)?;
        }
        let Loading { search, tail, .. } = loading;
        Ok((search, tail.ok_or_else(|| Unrestored::damaged("the last checkpoint is not complete"))?))
    }
}

/// A state's number as an index.
fn number(at: usize) -> StateNumber {
    StateNumber::try_from(at).expect("states have 32-bit numbers")
}

/// Appends the values of `state` that differ from those of `last`: their count, and for each the number of slots passed
/// over, and the value.
fn differences(record: &mut Record, last: &[i32], state: &[i32]) {
    let differ = |slot: &usize| last[*slot] != state[*slot];
    record.small((0..state.len()).filter(differ).count() as u64);
    let mut next = 0;
    for slot in (0..state.len()).filter(differ) {
        record.small((slot - next) as u64);
        record.small(folded(state[slot]));
        next = slot + 1;
    }
}

/// Maps numbers of small amount to small numbers, whatever their sign.
fn folded(value: i32) -> u64 {
    u64::from(value.cast_unsigned() << 1 ^ (value >> 31).cast_unsigned())
}

/// The value of [`folded`].
fn unfolded(number: u64) -> Option<i32> {
    let number = u32::try_from(number).ok()?;
    Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

/// A search that is being read.
struct Loading {
    search: Exploration,
    /// Number of states read.
    known: usize,
    last: Vec<i32>,
    /// The end of the checkpoint, if it is complete.
    tail: Option<Vec<u8>>,
}

impl Loading {
    fn read(&mut self, record: &[u8], stop: &Stop) -> Result<(), Unrestored> {
        if let Some(reason) = stop.raised() {
            return Err(Unrestored::Stopped(reason));
        }
        if !stop.has_room(self.search.growth_bytes()) {
            return Err(Unrestored::Stopped(Reason::Memory));
        }
        let (tag, mut parts) = Parts::of(record)?;
        self.tail = None;
        match tag {
            STATES => self.states(&mut parts)?,
            PROGRESS => {
                let [len, expanded, transitions] = [parts.index()?, parts.index()?, parts.index()?];
                if len != self.known || expanded > len {
                    return Err(Unrestored::damaged("the progress does not fit the states"));
                }
                self.search.go_on_at(number(expanded), transitions as u64);
                self.tail = Some(parts.text()?.to_vec());
            }
            _ => return Err(Unrestored::damaged("a record is not one of a search")),
        }
        parts.end()
    }

    fn states(&mut self, parts: &mut Parts<'_>) -> Result<(), Unrestored> {
        let (first, count) = (parts.index()?, parts.index()?);
        if first != self.known {
            return Err(Unrestored::damaged("states are not numbered in order"));
        }
        for _ in 0..count {
            let parent = if self.known.is_multiple_of(STRIDE) { Some(parts.index()?) } else { None };
            self.differences(parts)?;
            // The first state is there from the start.
            if !self.search.add_saved(&self.last, self.known, parent) {
                return Err(Unrestored::damaged("a state or its predecessor is not one of this search"));
            }
            self.known += 1;
        }
        Ok(())
    }

    /// Reads the next state into `last`.
    fn differences(&mut self, parts: &mut Parts<'_>) -> Result<(), Unrestored> {
        let mut next = 0usize;
        for _ in 0..parts.index()? {
            let slot = next.saturating_add(parts.index()?);
            let value = unfolded(parts.small()?);
            let (Some(place), Some(value)) = (self.last.get_mut(slot), value) else {
                return Err(Unrestored::damaged("a state has a value that no state of the program has"));
            };
            if self.search.stepper().values(slot).is_some_and(|values| values.binary_search(&value).is_err()) {
                return Err(Unrestored::damaged("a state has a value that no state of the program has"));
            }
            *place = value;
            next = slot + 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_sign_come_back() {
        for value in [0, -1, 1, 63, -64, i32::MAX, i32::MIN] {
            assert_eq!(unfolded(folded(value)), Some(value));
        }
        assert!([0, -1, 1, -60, 60].iter().all(|value| folded(*value) < 128) && unfolded(1 << 32).is_none());
    }
}

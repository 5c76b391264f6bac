//! Saves a search, and continues from saved records.
//!
//! States are numbered in the order in which they are found, and never change. So a checkpoint only appends what is
//! new: the new states with their parents, and a record of progress. In breadth-first order parents ascend, and
//! mostly a state has the same parent as the one before or the next one. So a parent takes a byte, as the difference
//! to the parent before.
//!
//! Three kinds of records: the *layout* of the states that follow it, *states*, and *progress*, which ends a
//! checkpoint. If slots were widened since the last checkpoint, a new layout comes first, and the states before it
//! are repacked on loading. Tests of states, and the index of states that may cover others, are not saved. They depend
//! only on the states in their order, so all states are tested again, which finds the same goal states.
//!
//! Records that no search wrote are refused: a state that does not fit the layout or occurs twice, a parent that comes
//! later than its child, initial states other than those of the system. A wrong state can pass these tests. Then the
//! checker refuses the evidence.

use super::may_grow;
use crate::exploration::Exploration;
use crate::order::{Order, Position};
use crate::packed::Packed;
use crate::step::Stepper;
use crate::table::{MAX_STATES, StateId};
use model::saved::{Parts, Record};
use model::{Goal, Reason, Save, Saved, Stop, Unrestored, Unsaved};
use std::ops::ControlFlow;

const LAYOUT: u8 = b'L';
pub(crate) const STATES: u8 = b'S';
const PROGRESS: u8 = b'P';

/// Words of states in one record.
const RECORD_WORDS: usize = 1 << 15;

/// What a record of progress says.
struct Progress {
    states: usize,
    position: Position,
    transitions: u64,
    cut: bool,
    overflow: bool,
    widened: u32,
    len_when_widened: usize,
    repacked: u64,
    noted: Vec<(Goal, StateId)>,
}

impl<S: Stepper, O: Order<S>> Packed<S, O> {
    /// Saves what is new since the checkpoint with the mark `since`. Marks are numbers of states. `head` is the first
    /// record. Returns `None` if the stepper or the order cannot be saved, or if the search has not begun.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn save(&self, since: u64, head: &[u8], to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        let (Some(layout), Some(position)) = (self.stepper().layout(), self.order.position()) else { return Ok(None) };
        if !self.is_started {
            return Ok(None);
        }
        let since = usize::try_from(since).ok().filter(|&since| since <= self.len()).unwrap_or(0);
        if since == 0 {
            to.begin_anew()?;
            to.append(head)?;
        }
        let mut record = Record::new(LAYOUT);
        record.text(&layout);
        to.append(record.bytes())?;
        let each = (RECORD_WORDS / self.stepper().words()).max(1);
        for first in (since..self.len()).step_by(each) {
            to.append(self.space.saved(first, self.len().min(first + each)).bytes())?;
        }
        to.append(self.progress(position).bytes())?;
        Ok(Some(self.len() as u64))
    }

    fn progress(&self, position: Position) -> Record {
        let mut record = Record::new(PROGRESS);
        let numbers = [
            self.len() as u64,
            position.next as u64,
            position.expanded as u64,
            self.transitions(),
            self.cut.into(),
            self.is_overflown().into(),
            self.widened.into(),
            self.len_when_widened as u64,
            self.repacked,
            self.noted.len() as u64,
        ];
        numbers.into_iter().for_each(|number| record.small(number));
        for (goal, id) in &self.noted {
            record.goal(*goal);
            record.small(id.index() as u64);
        }
        record
    }

    /// Returns the search that was saved in these records, after the first one. This search must be a new one of the
    /// same system.
    ///
    /// # Errors
    /// If the records are not those of a search of this system, or if work must stop.
    pub fn restored(&self, from: &mut dyn Saved, stop: &Stop) -> Result<Self, Unrestored> {
        let other = || Unrestored::damaged("this search cannot be saved");
        let stepper =
            self.stepper().layout().and_then(|layout| self.stepper().with_layout(&layout)).ok_or_else(other)?;
        let mut loading = Loading { space: Exploration::new(stepper), parent: 0, progress: None };
        let mut record = Vec::new();
        while from.next(&mut record)? {
            loading.read(&record, stop)?;
        }
        let Loading { mut space, progress, .. } = loading;
        let progress = progress.ok_or_else(|| Unrestored::damaged("the last checkpoint is not complete"))?;
        begins_as_it_must(&space)?;
        space.set_transitions(progress.transitions);
        let order = self.order.at(space.stepper(), progress.position).ok_or_else(other)?;
        let noted = progress.noted;
        Ok(Self {
            order,
            covering: space.stepper().covering(),
            space,
            is_started: true,
            tested: 0,
            hits: noted.iter().copied().collect(),
            noted,
            covered: Vec::new(),
            cut: progress.cut,
            overflow: progress.overflow,
            widened: progress.widened,
            len_when_widened: progress.len_when_widened,
            repacked: progress.repacked,
            tests: 0,
        })
    }
}

/// Checks that the first states are the initial states of the system, and no others.
fn begins_as_it_must<S: Stepper>(space: &Exploration<S>) -> Result<(), Unrestored> {
    let (mut count, mut is_right) = (0, true);
    space.stepper().initial_while(&mut |state| {
        is_right = space.is_state(count, state) && space.is_initial(StateId::new(count));
        count += 1;
        if is_right { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let is_last = count == space.len() || count < space.len() && !space.is_initial(StateId::new(count));
    if is_right && is_last { Ok(()) } else { Err(Unrestored::damaged("the initial states are not those of the model")) }
}

/// A search that is being read.
struct Loading<S: Stepper> {
    space: Exploration<S>,
    /// 0 if the last state is an initial one, and otherwise the number of its parent plus 1.
    parent: u64,
    /// The progress of the checkpoint, if it is complete.
    progress: Option<Progress>,
}

impl<S: Stepper> Loading<S> {
    fn read(&mut self, record: &[u8], stop: &Stop) -> Result<(), Unrestored> {
        if let Some(reason) = stop.raised() {
            return Err(Unrestored::Stopped(reason));
        }
        let (tag, mut parts) = Parts::of(record)?;
        self.progress = None;
        match tag {
            LAYOUT => self.layout(parts.text()?, stop)?,
            STATES => self.states(&mut parts, stop)?,
            PROGRESS => self.progress = Some(progress(&mut parts, self.space.len())?),
            _ => return Err(Unrestored::damaged("a record is not one of a search")),
        }
        parts.end()
    }

    /// Repacks the states read so far, if this is another layout.
    fn layout(&mut self, layout: &[u8], stop: &Stop) -> Result<(), Unrestored> {
        let own = self.space.stepper();
        if own.layout().as_deref() == Some(layout) {
            return Ok(());
        }
        let stepper =
            own.with_layout(layout).ok_or_else(|| Unrestored::damaged("the layout is not one of the model"))?;
        if !may_grow(self.space.repack_bytes(stepper.words()), stop) {
            return Err(Unrestored::Stopped(Reason::Memory));
        }
        let before = self.space.len();
        self.space.repack(stepper);
        debug_assert_eq!(self.space.len(), before, "the layout is wider, so states that differ still differ");
        Ok(())
    }

    fn states(&mut self, parts: &mut Parts<'_>, stop: &Stop) -> Result<(), Unrestored> {
        let (first, count) = (parts.index()?, parts.index()?);
        if first != self.space.len() || count > MAX_STATES - first {
            return Err(Unrestored::damaged("states are not numbered in order"));
        }
        if !may_grow(self.space.growth_bytes_for(count as u64), stop) {
            return Err(Unrestored::Stopped(Reason::Memory));
        }
        let words = self.space.stepper().words();
        let mut states =
            parts.words(count.checked_mul(words).ok_or_else(|| Unrestored::damaged("too many states"))?)?;
        let mut state = vec![0; words];
        for _ in 0..count {
            state.iter_mut().zip(&mut states).for_each(|(word, read)| *word = read);
            self.parent = self.parent.saturating_add(parts.small()?);
            self.space.add_saved(&state, self.parent)?;
        }
        Ok(())
    }
}

fn progress(parts: &mut Parts<'_>, states: usize) -> Result<Progress, Unrestored> {
    let mut progress = Progress {
        states: parts.index()?,
        position: Position { next: parts.index()?, expanded: parts.index()? },
        transitions: parts.small()?,
        cut: parts.flag()?,
        overflow: parts.flag()?,
        widened: parts.small()?.try_into().map_err(|_| Unrestored::damaged("too many widenings"))?,
        len_when_widened: parts.index()?,
        repacked: parts.small()?,
        noted: Vec::new(),
    };
    let Position { next, expanded } = progress.position;
    if progress.states != states || next > states || expanded > next {
        return Err(Unrestored::damaged("the progress does not fit the states"));
    }
    for _ in 0..parts.index()? {
        let (goal, id) = (parts.goal()?, parts.index()?);
        if id >= states {
            return Err(Unrestored::damaged("a goal state is missing"));
        }
        progress.noted.push((goal, StateId::new(id)));
    }
    Ok(progress)
}

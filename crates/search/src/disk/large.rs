//! A breadth-first search in memory that goes on on disk when memory is used up.

use super::Disk;
use super::levels::Levels;
use super::place::Place;
use crate::step::Stepper;
use crate::table::StateId;
use crate::{Packed, Pause, Together, may_grow};
use model::{Goal, Reason, Save, Saved, StateSet, Stop, Trace, Unrestored, Unsaved};

/// Work units of the search in memory between two looks at its size.
const PORTION: u64 = 1 << 14;

/// Successors per work unit, at most, apart from those of a batch.
const SUCCESSORS_PER_UNIT: u64 = 16;

/// A search for which a place on disk may be given. Without one, it is a search in memory.
#[derive(Debug)]
pub struct Large<S: Stepper> {
    kept: Kept<S>,
    disk: Option<Disk>,
}

#[derive(Debug)]
enum Kept<S: Stepper> {
    InMemory(Box<Packed<S, Together<S>>>),
    OnDisk(Box<Levels<S>>),
    /// The states could not be moved, for this reason.
    Lost(Reason),
}

impl<S: Stepper + Clone> Large<S> {
    /// Returns a search by `jobs` workers.
    pub fn new(stepper: S, jobs: usize, disk: Option<Disk>) -> Self {
        let search = Packed::new(stepper, |stepper| Together::of(stepper, jobs));
        Self { kept: Kept::InMemory(Box::new(search)), disk }
    }

    /// Searches, as [`Packed::advance`] does.
    pub fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, Place)> {
        if let Kept::InMemory(search) = &mut self.kept {
            let Some(disk) = &self.disk else { return in_memory(search.advance(means, open, stop)) };
            let means = means.min(PORTION).min((disk.memory as u64 / 64).max(1));
            if !is_full(search, disk, means, stop) {
                return in_memory(search.advance(means, open, stop));
            }
            if let Err(reason) = self.move_to_disk() {
                self.kept = Kept::Lost(reason);
            }
        }
        match &mut self.kept {
            Kept::OnDisk(levels) => levels.advance(means, open, stop),
            Kept::Lost(reason) => Pause::Stuck(*reason),
            Kept::InMemory(_) => Pause::Turn,
        }
    }

    /// Saves the search ([`Packed::save`]). A search on disk is not saved: what was saved before stays.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn save(&self, since: u64, head: &[u8], to: &mut dyn Save) -> Result<Option<u64>, Unsaved> {
        match &self.kept {
            Kept::InMemory(search) => search.save(since, head, to),
            Kept::OnDisk(_) | Kept::Lost(_) => Ok(None),
        }
    }

    /// Returns this search as it was when the records were saved ([`Packed::restored`]).
    ///
    /// # Errors
    /// The errors of `from`, and if records do not fit the system.
    pub fn restored(&self, from: &mut dyn Saved, stop: &Stop) -> Result<Self, Unrestored> {
        match &self.kept {
            Kept::InMemory(search) => {
                let kept = Kept::InMemory(Box::new(search.restored(from, stop)?));
                Ok(Self { kept, disk: self.disk.clone() })
            }
            Kept::OnDisk(_) | Kept::Lost(_) => Err(Unrestored::damaged("the search has begun")),
        }
    }

    fn move_to_disk(&mut self) -> Result<(), Reason> {
        let Some(disk) = self.disk.take() else { return Ok(()) };
        let Kept::InMemory(search) = std::mem::replace(&mut self.kept, Kept::Lost(Reason::Memory)) else {
            return Ok(());
        };
        if search.is_covered() {
            // Covered states are not expanded, and only memory holds which ones they are.
            return Err(Reason::Memory);
        }
        self.kept = Kept::OnDisk(Box::new(Levels::of(*search, disk)?));
        Ok(())
    }

    /// Returns the work done so far, in units of about a microsecond.
    pub fn work(&self) -> u64 {
        match &self.kept {
            Kept::InMemory(search) => search.work(),
            Kept::OnDisk(levels) => levels.work(),
            Kept::Lost(_) => u64::MAX,
        }
    }

    /// Returns the number of known states.
    pub fn len(&self) -> u64 {
        match &self.kept {
            Kept::InMemory(search) => search.len() as u64,
            Kept::OnDisk(levels) => levels.len(),
            Kept::Lost(_) => 0,
        }
    }

    /// Returns true if no state is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of (state, label, successor) triples found by expansions.
    pub fn transitions(&self) -> u64 {
        match &self.kept {
            Kept::InMemory(search) => search.transitions(),
            Kept::OnDisk(levels) => levels.transitions,
            Kept::Lost(_) => 0,
        }
    }

    /// Returns the greatest number of bytes on disk at a time, or `None` if all states are in memory.
    pub fn disk_bytes(&self) -> Option<u64> {
        match &self.kept {
            Kept::OnDisk(levels) => Some(levels.disk.scratch.peak()),
            Kept::InMemory(_) | Kept::Lost(_) => None,
        }
    }

    /// Returns the stepper, unless the search has failed.
    pub fn stepper(&self) -> Option<&S> {
        match &self.kept {
            Kept::InMemory(search) => Some(search.stepper()),
            Kept::OnDisk(levels) => Some(&levels.stepper),
            Kept::Lost(_) => None,
        }
    }

    /// Returns true if successors or initial states were left out, because of a bound or because they do not fit the
    /// slots.
    pub fn is_cut(&self) -> bool {
        match &self.kept {
            Kept::InMemory(search) => search.is_cut(),
            Kept::OnDisk(levels) => levels.cut,
            Kept::Lost(_) => true,
        }
    }

    /// Returns true if some state does not fit the slots, however wide.
    pub fn is_overflown(&self) -> bool {
        match &self.kept {
            Kept::InMemory(search) => search.is_overflown(),
            Kept::OnDisk(levels) => levels.overflow || levels.stepper.has_overflown(),
            Kept::Lost(_) => false,
        }
    }

    /// Returns true if states were left unexpanded because other states cover them.
    pub fn is_covered(&self) -> bool {
        matches!(&self.kept, Kept::InMemory(search) if search.is_covered())
    }

    /// Returns a shortest run to where a goal was met.
    ///
    /// # Errors
    /// If there is no memory for it, a file cannot be read, or `stop` is raised.
    pub fn run_to(&mut self, place: &Place, stop: &Stop) -> Result<Trace, Reason> {
        match (&mut self.kept, place) {
            (Kept::InMemory(search), Place::InMemory(id)) if may_grow(search.trace_bytes(*id), stop) => {
                Ok(search.trace_to(*id))
            }
            (Kept::OnDisk(levels), Place::OnDisk(level, state)) => levels.run_to(*level, state, stop),
            _ => Err(Reason::Memory),
        }
    }

    /// Ends the search and returns its states.
    ///
    /// # Errors
    /// If the search has failed.
    pub fn into_states(self) -> Result<Box<dyn StateSet>, Reason>
    where
        S: 'static,
    {
        match self.kept {
            Kept::InMemory(search) => Ok(search.into_states()),
            Kept::OnDisk(levels) => Ok(levels.into_states()),
            Kept::Lost(reason) => Err(reason),
        }
    }
}

fn in_memory(pause: Pause<(Goal, StateId)>) -> Pause<(Goal, Place)> {
    match pause {
        Pause::Hit((goal, id)) => Pause::Hit((goal, Place::InMemory(id))),
        Pause::Exhausted => Pause::Exhausted,
        Pause::Stuck(reason) => Pause::Stuck(reason),
        Pause::Dear => Pause::Dear,
        Pause::Turn => Pause::Turn,
    }
}

/// Returns true if the search can be moved, and the states that `means` units of work may find need more memory than
/// there is.
fn is_full<S: Stepper + Clone>(search: &Packed<S, Together<S>>, disk: &Disk, means: u64, stop: &Stop) -> bool {
    let (space, _) = search.parts();
    let batch = search.stepper().max_fan_out().saturating_mul(SUCCESSORS_PER_UNIT);
    let growth = space.growth_bytes_for(means.saturating_mul(SUCCESSORS_PER_UNIT).saturating_add(batch));
    let is_larger = growth > 0 && space.bytes().saturating_add(growth) > disk.memory;
    !space.is_empty() && search.is_tested() && (is_larger || growth > 0 && !stop.has_room(growth))
}

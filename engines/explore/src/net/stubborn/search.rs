//! One best-first search by stubborn sets. Slots are widened as in the plain search.

use super::stepper::StubbornStepper;
use crate::may_grow;
use crate::net::search::{Pause, extras, widened};
use model::{Budget, Goal, Kind, NetTask, Reason, StateSet, Trace};
use reduce::rules::Rules;
use reduce::stubborn::{Attraction, Chooser, Depends};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use store::{Exploration, NetGoals, StateId, Step, Width};

/// More initial markings than this are left to others.
const MANY_INITIAL: u64 = 1 << 16;
/// Work units of an expansion, and of a hundred places looked at.
const UNITS: u64 = 2;
const PLACES_PER_UNIT: u64 = 100;

/// A search under way.
#[derive(Debug)]
pub(super) struct StubbornSearch {
    task: NetTask,
    search: Exploration<StubbornStepper>,
    goals: NetGoals,
    is_started: bool,
    /// Markings found and not yet tested begin here.
    tested: usize,
    /// Markings to expand: nearest to the goals first, then latest first.
    open: BinaryHeap<(Reverse<u64>, u32)>,
    /// The marking to expand again, with wider slots.
    again: Option<StateId>,
    is_asked_deadlock: bool,
    overflow: bool,
    units: u64,
    /// Of an expansion.
    cost: u64,
    packed: Vec<u64>,
}

impl StubbornSearch {
    /// `None` if there are too many initial markings, or numbers are too large.
    pub(super) fn new(task: NetTask, rules: Arc<Rules>, depends: Arc<Depends>) -> Option<Self> {
        let attractions: Option<Vec<Attraction>> =
            task.goals.iter().map(|&goal| Attraction::new(&task, &rules, goal)).collect();
        let cost = UNITS + rules.places() as u64 / PLACES_PER_UNIT;
        let chooser = Chooser::new(rules, depends, attractions?);
        let stepper = StubbornStepper::new(&task, Width::narrow(&task), chooser).ok()?;
        if stepper.initial_count() > MANY_INITIAL {
            return None;
        }
        Some(Self {
            goals: NetGoals::new(&stepper.plain, &task, &task.goals),
            is_asked_deadlock: task.goals.contains(&Goal::Deadlock),
            search: Exploration::new(stepper),
            task,
            is_started: false,
            tested: 0,
            open: BinaryHeap::new(),
            again: None,
            overflow: false,
            units: 0,
            cost,
            packed: Vec::new(),
        })
    }

    /// The work done so far.
    pub(super) fn units(&self) -> u64 {
        self.units
    }

    pub(super) fn len(&self) -> usize {
        self.search.len()
    }

    pub(super) fn transitions(&self) -> u64 {
        self.search.transitions()
    }

    /// How many transitions were enabled in the markings expanded; those taken are [`StubbornSearch::transitions`].
    pub(super) fn enabled(&mut self) -> u64 {
        self.search.stepper().seen
    }

    /// About what its markings take.
    pub(super) fn bytes(&mut self) -> usize {
        // number, parent, hash slot and place in the list
        let each = self.search.stepper().words() * 8 + 32;
        self.len().saturating_mul(each)
    }

    /// Was there a number of more than 32 bits?
    pub(super) fn is_overflown(&self) -> bool {
        self.overflow
    }

    /// Searches for about `work` units; ends early at a marking of a goal among `open`.
    pub(super) fn advance(&mut self, work: u64, open: &[Goal], budget: &Budget) -> Pause {
        if !self.is_started {
            if !may_grow(self.search.growth_bytes_initial(), budget) {
                return Pause::Stuck(Reason::Memory);
            }
            self.search.add_initial();
            self.is_started = true;
        }
        let end = self.units.saturating_add(work);
        loop {
            if let Some((goal, id)) = self.test_new(open) {
                self.goals.remove(goal);
                return Pause::Hit(goal, id);
            }
            let Some(id) = self.again.take().or_else(|| self.open.pop().map(|(_, id)| StateId::new(id as usize)))
            else {
                return Pause::Exhausted;
            };
            if self.units >= end {
                self.again = Some(id);
                return Pause::Turn;
            }
            match self.expand(id, budget) {
                Err(reason) => return Pause::Stuck(reason),
                Ok(true) if self.is_asked_deadlock && open.contains(&Goal::Deadlock) => {
                    return Pause::Hit(Goal::Deadlock, id);
                }
                Ok(_) => {}
            }
        }
    }

    /// Tests the markings found since the last time, up to the first with a goal, and puts them on the list.
    fn test_new(&mut self, open: &[Goal]) -> Option<(Goal, StateId)> {
        while self.tested < self.search.len() {
            let id = StateId::new(self.tested);
            let mut hit = None;
            self.goals.test(self.search.packed(id), |goal| {
                if open.contains(&goal) && hit.is_none() {
                    hit = Some(goal);
                }
            });
            if let Some(goal) = hit {
                // Looked at again: another goal may hold there.
                return Some((goal, id));
            }
            self.tested += 1;
            self.units += self.cost / 2;
            self.packed.clear();
            self.packed.extend_from_slice(self.search.packed(id));
            let distance = self.search.stepper().distance(&self.packed);
            self.open.push((Reverse(distance), id.index() as u32));
        }
        None
    }

    /// Expands a marking. Is it a deadlock?
    fn expand(&mut self, id: StateId, budget: &Budget) -> Result<bool, Reason> {
        self.units += self.cost;
        let growth = self.search.growth_bytes_of(id);
        if growth > 0 && !may_grow(growth.saturating_add(self.search.len().saturating_mul(32)), budget) {
            return Err(Reason::Memory);
        }
        let kind = self.search.expand(id, |_, _, _| {});
        if kind == Kind::Overflow {
            if self.widen(budget)? {
                self.again = Some(id);
            } else {
                self.overflow = true;
            }
        }
        Ok(kind == Kind::Goal(Goal::Deadlock))
    }

    /// Makes room where the last expansion lacked it; false if there is no more to be had.
    fn widen(&mut self, budget: &Budget) -> Result<bool, Reason> {
        let by_class = self.search.len() > 1 << 12;
        let Some(plain) = widened(&self.task, &self.search.stepper().plain, by_class) else { return Ok(false) };
        if !may_grow(self.search.repack_bytes(plain.words()), budget) {
            return Err(Reason::Memory);
        }
        self.goals.recompile(&plain, &self.task);
        self.units += self.search.len() as u64;
        let stepper = self.search.stepper().with(plain);
        self.search.repack(stepper);
        Ok(true)
    }

    /// A run to `id`; `None` if there is no memory for it.
    pub(super) fn trace_to(&mut self, id: StateId, budget: &Budget) -> Option<Trace> {
        if !may_grow(self.search.trace_bytes(id), budget) {
            return None;
        }
        self.search.stepper().tells_all = true;
        let trace = self.search.trace_to(id);
        self.search.stepper().tells_all = false;
        let mut trace = trace?;
        trace.start = extras(&trace.start, &self.task, &self.search.stepper().plain);
        Some(trace)
    }

    /// The markings found.
    pub(super) fn into_states(self) -> Box<dyn StateSet> {
        Box::new(self.search.into_states())
    }
}

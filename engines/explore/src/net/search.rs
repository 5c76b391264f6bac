//! One breadth-first search through the markings of a net.
//!
//! Formula goals are tested when a marking is found, which is a layer earlier than expanding it; the order is that of breadth
//! first all the same, so the first hit ends a shortest run. When a number does not fit its slot, the slot is widened and
//! the table packed anew: numbers and parents of markings stay.

use crate::{POLL_EVERY, may_grow};
use model::{Budget, Goal, Kind, NetTask, Reason, StateSet, Trace};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use store::{Covering, Exploration, NetGoals, NetStepper, PackedStates, StateId, Step, Unsteppable, Width};

/// An expansion is a unit of work; one with more successors than this counts as several.
const TRANSITIONS_PER_UNIT: u64 = 16;

/// Inequalities tested per unit of work.
const TESTS_PER_UNIT: u64 = 256;

/// Words of a marking that make an expansion cost a unit more.
const WORDS_PER_UNIT: u64 = 16;
/// So many times slots are widened one by one, and then still whenever the table has doubled since the last time. Packing
/// a large table anew costs as much as finding it did, so a table of more than `SMALL` markings widens whole classes.
const ONE_BY_ONE: u32 = 16;
const SMALL: usize = 1 << 12;

/// A search under way.
#[derive(Debug)]
pub(crate) struct NetSearch {
    task: NetTask,
    search: Exploration<NetStepper>,
    /// The formulas not yet claimed.
    goals: NetGoals,
    initial_count: u64,
    /// Units for an expansion: successors are copied, hashed and compared word by word.
    units_each: u64,
    is_started: bool,
    next: usize,
    tested: usize,
    hits: VecDeque<(Goal, StateId)>,
    covering: Option<Covering>,
    /// By number, where coverage is looked for.
    covered: Vec<bool>,
    cut: bool,
    overflow: bool,
    widened: u32,
    len_when_widened: usize,
    /// Markings packed anew.
    repacked: u64,
    /// Transitions of expansions that were made again.
    again: u64,
    tests: u64,
}

/// Why a stretch of the search ended.
pub(crate) enum Pause {
    Hit(Goal, StateId),
    Exhausted,
    /// It cannot go on: out of memory, or stopped among the initial markings.
    Stuck(Reason),
    /// The next expansion takes more than there is.
    Dear,
    Turn,
}

impl NetSearch {
    /// A search for `goals`; `cover`: markings covered by others need not be expanded.
    pub(crate) fn new(task: NetTask, goals: &[Goal], cover: bool) -> Result<Self, Unsteppable> {
        let stepper = NetStepper::new(&task, Width::narrow(&task))?;
        Ok(Self {
            goals: NetGoals::new(&stepper, &task, goals),
            covering: cover.then(|| Covering::new(&stepper)),
            initial_count: stepper.initial_count(),
            units_each: 1 + stepper.words() as u64 / WORDS_PER_UNIT,
            search: Exploration::new(stepper),
            task,
            is_started: false,
            next: 0,
            tested: 0,
            hits: VecDeque::new(),
            covered: Vec::new(),
            cut: false,
            overflow: false,
            widened: 0,
            len_when_widened: 0,
            repacked: 0,
            again: 0,
            tests: 0,
        })
    }

    /// How many initial markings there are within the bound.
    pub(crate) fn initial_count(&self) -> u64 {
        self.initial_count
    }

    /// The work done so far.
    pub(crate) fn units(&self) -> u64 {
        let expanding = (self.next as u64).max(self.search.transitions() / TRANSITIONS_PER_UNIT);
        expanding * self.units_each + self.repacked + self.tests / TESTS_PER_UNIT
    }

    pub(crate) fn len(&self) -> usize {
        self.search.len()
    }

    pub(crate) fn transitions(&self) -> u64 {
        self.search.transitions() - self.again
    }

    /// Has the bound cut anything off?
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Was there a number of more than 32 bits?
    pub(crate) fn is_overflown(&self) -> bool {
        self.overflow
    }

    /// Were markings left unexpanded because others cover them?
    pub(crate) fn is_covered(&self) -> bool {
        self.covered.contains(&true)
    }

    /// Does the next expansion take more than `most` units?
    fn is_beyond(&self, most: u64) -> bool {
        let units = |fan_out: u64| (fan_out / TRANSITIONS_PER_UNIT).saturating_mul(self.units_each);
        units(self.search.max_fan_out()) > most && units(self.search.fan_out(StateId::new(self.next))) > most
    }

    /// Searches for a while, with about `means` units at most; ends early at a marking of a goal among `open`.
    pub(crate) fn advance(&mut self, means: u64, open: &[Goal], budget: &Budget) -> Pause {
        if !self.is_started {
            if let Some(reason) = self.start(budget) {
                return Pause::Stuck(reason);
            }
            self.is_started = true;
        }
        let all = self.units().saturating_add(means);
        let end = self.units().saturating_add(POLL_EVERY.min(means));
        loop {
            self.test_new(open);
            if let Some((goal, id)) = self.hits.pop_front() {
                self.goals.remove(goal);
                if open.contains(&goal) {
                    return Pause::Hit(goal, id);
                }
                continue;
            }
            while self.covered.get(self.next) == Some(&true) {
                self.next += 1;
            }
            if self.next == self.search.len() {
                return Pause::Exhausted;
            }
            if self.units() >= end {
                return Pause::Turn;
            }
            if self.is_beyond(all.saturating_sub(self.units())) {
                return Pause::Dear;
            }
            if let Err(reason) = self.expand_next(budget) {
                return Pause::Stuck(reason);
            }
        }
    }

    fn start(&mut self, budget: &Budget) -> Option<Reason> {
        const ASK_EVERY: usize = 1 << 12;
        if !may_grow(self.search.growth_bytes_initial(), budget) {
            return Some(Reason::Memory);
        }
        self.cut = self.search.stepper().initial_is_cut();
        let go_on = |id: StateId| !(id.index() + 1).is_multiple_of(ASK_EVERY) || budget.stop.raised().is_none();
        if self.search.add_initial_while(go_on) {
            return None;
        }
        Some(budget.stop.raised().unwrap_or(Reason::Interrupted))
    }

    /// Tests the markings found since the last time; stops at the first with a goal.
    fn test_new(&mut self, open: &[Goal]) {
        while self.tested < self.search.len() && self.hits.is_empty() {
            let id = StateId::new(self.tested);
            self.tested += 1;
            if let Some(covering) = &mut self.covering {
                let search = &self.search;
                let state = search.packed(id);
                let is_covered = covering.is_covered(state, |id| search.packed(id));
                self.covered.push(is_covered);
                if is_covered {
                    continue;
                }
                covering.keep(id, state);
            }
            if !self.goals.is_empty() {
                self.tests += self.goals.cost() as u64;
                let hits = &mut self.hits;
                self.goals.test(self.search.packed(id), |goal| {
                    if open.contains(&goal) {
                        hits.push_back((goal, id));
                    }
                });
            }
        }
    }

    fn expand_next(&mut self, budget: &Budget) -> Result<(), Reason> {
        let id = StateId::new(self.next);
        let growth = self.search.growth_bytes_of(id);
        if growth > 0 {
            let covering = self.covering.as_ref().map_or(0, |c| c.bytes_per_state() + 1);
            if !may_grow(growth.saturating_add(covering.saturating_mul(self.search.len())), budget) {
                return Err(Reason::Memory);
            }
        }
        let mut found = 0;
        let mut kind = self.search.expand(id, |_, _, _| found += 1);
        if kind == Kind::Overflow {
            if self.widen(budget)? {
                self.again += found;
                return Ok(());
            }
            self.overflow = true;
            // what does not fit does not hide what is cut off
            kind = Kind::Cut;
        }
        match kind {
            Kind::Cut => self.cut = true,
            Kind::Goal(goal) => self.hits.push_back((goal, id)),
            Kind::Inner | Kind::Overflow => {}
        }
        self.next += 1;
        Ok(())
    }

    /// Makes room where the last expansion lacked it; false if there is no more to be had.
    fn widen(&mut self, budget: &Budget) -> Result<bool, Reason> {
        let len = self.search.len();
        let by_class = len > SMALL || self.widened >= ONE_BY_ONE && len < 2 * self.len_when_widened;
        let Some(stepper) = widened(&self.task, self.search.stepper(), by_class) else { return Ok(false) };
        if !may_grow(self.search.repack_bytes(stepper.words()), budget) {
            return Err(Reason::Memory);
        }
        self.goals.recompile(&stepper, &self.task);
        self.search.repack(stepper.clone());
        if let Some(covering) = &mut self.covering {
            *covering = covering.repacked(&stepper, |id| self.search.packed(id));
        }
        self.widened += 1;
        self.len_when_widened = len;
        self.repacked += len as u64;
        Ok(true)
    }

    /// A shortest run to `id`; `None` if there is no memory for it.
    pub(crate) fn trace_to(&mut self, id: StateId, budget: &Budget) -> Option<Trace> {
        if !may_grow(self.search.trace_bytes(id), budget) {
            return None;
        }
        let mut trace = self.search.trace_to(id).expect("every marking found has a run from an initial one");
        let stepper = self.search.stepper();
        trace.start = extras(&trace.start, &self.task, stepper);
        Some(trace)
    }

    /// The markings found, without those that others cover.
    pub(crate) fn into_states(self) -> Box<dyn StateSet> {
        let states = self.search.into_states();
        if self.covered.contains(&true) {
            let left = self.covered.iter().filter(|covered| !**covered).count() as u64;
            return Box::new(Kept { states, covered: self.covered, left });
        }
        Box::new(states)
    }
}

/// The stepper with more room in the slots, or in all slots of their width, that overflowed in its last expansion; `None` if they
/// cannot have more.
pub(crate) fn widened(task: &NetTask, stepper: &NetStepper, by_class: bool) -> Option<NetStepper> {
    let mut width = stepper.state_width().clone();
    let mut wider = false;
    for &slot in stepper.overflown() {
        wider |= if by_class { width.widen_class(slot) } else { width.widen(slot) };
    }
    if !wider {
        return None;
    }
    NetStepper::new(task, width).ok()
}

/// What a trace that starts in this state says of the start: by open place the tokens beyond the least initial count.
pub(crate) fn extras(start: &[u32], task: &NetTask, stepper: &NetStepper) -> Box<[u32]> {
    let mut packed = Vec::new();
    stepper.pack(start, &mut packed);
    let beyond = |place| {
        let least = u64::try_from(&task.net.place(place).initial.at_least).expect("the marking has as many");
        u32::try_from(stepper.tokens(place, &packed) - least).expect("slots have 32 bits")
    };
    task.net.open_places().into_iter().map(beyond).collect()
}

/// Markings that no other one covers, as far as that was looked for.
#[derive(Debug)]
struct Kept {
    states: PackedStates<NetStepper>,
    covered: Vec<bool>,
    left: u64,
}

impl StateSet for Kept {
    fn len(&self) -> u64 {
        self.left
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut covered = self.covered.iter();
        self.states.for_each(&mut |state| match covered.next() {
            Some(false) => visit(state),
            _ => ControlFlow::Continue(()),
        })
    }
}

//! The search itself: states are found, tested for goals, compared with states that may cover them, and
//! expanded in an order.
//!
//! States are tested in the order in which they are found, so the first hit of a breadth-first search ends a
//! shortest run. Where a successor does not fit its slots, the stepper is replaced by a wider one and the table
//! is repacked. Numbers and parents of states stay the same. Memory is requested before it is allocated.

use super::breadth::Breadth;
use super::kept::Kept;
use super::order::Order;
use super::{Pause, may_grow};
use crate::covering::Covering;
use crate::exploration::Exploration;
use crate::step::Stepper;
use crate::table::StateId;
use model::{ExpansionKind, Goal, Reason, StateSet, Stop, Trace};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Parts of a work unit in which the work of tests is counted.
const TESTS_PER_UNIT: u64 = 256;

/// Slots are widened one by one this many times, and after that only if the table has doubled since the last
/// widening. Otherwise, and if the table has more than `SMALL` states, all slots of the same width class are
/// widened, because repacking a large table costs as much as finding its states did.
const ONE_BY_ONE: u32 = 16;
const SMALL: usize = 1 << 12;

/// A search in progress.
#[derive(Debug)]
pub struct Packed<S: Stepper, O = Breadth> {
    pub(super) space: Exploration<S>,
    pub(super) order: O,
    pub(super) is_started: bool,
    /// Number of states tested so far.
    pub(super) tested: usize,
    /// Goals that were met and not reported yet.
    pub(super) hits: VecDeque<(Goal, StateId)>,
    /// The goal states that expansions found: the first one of each goal, and all that were reported.
    pub(super) noted: Vec<(Goal, StateId)>,
    pub(super) covering: Option<Covering>,
    /// For each state that was compared with `covering`: true if it is covered. Empty without `covering`.
    pub(super) covered: Vec<bool>,
    pub(super) cut: bool,
    pub(super) overflow: bool,
    pub(super) widened: u32,
    pub(super) len_when_widened: usize,
    /// Number of states repacked, counted each time.
    pub(super) repacked: u64,
    /// Work of tests, in 1/`TESTS_PER_UNIT` of a work unit.
    pub(super) tests: u64,
}

impl<S: Stepper, O: Order<S>> Packed<S, O> {
    /// Returns a search through the system of `stepper`, without any known states.
    pub fn new(stepper: S, order: impl FnOnce(&S) -> O) -> Self {
        Self {
            order: order(&stepper),
            covering: stepper.covering(),
            space: Exploration::new(stepper),
            is_started: false,
            tested: 0,
            hits: VecDeque::new(),
            noted: Vec::new(),
            covered: Vec::new(),
            cut: false,
            overflow: false,
            widened: 0,
            len_when_widened: 0,
            repacked: 0,
            tests: 0,
        }
    }

    /// Returns the work done so far, in units of about a microsecond.
    #[inline]
    pub fn work(&self) -> u64 {
        self.order.work(&self.space) + self.repacked + self.tests / TESTS_PER_UNIT
    }

    /// Returns the number of known states.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Returns true if no state is known yet.
    pub fn is_empty(&self) -> bool {
        self.space.is_empty()
    }

    /// Returns the number of states expanded.
    pub fn expanded(&self) -> usize {
        self.order.expanded()
    }

    /// Returns the number of (state, label, successor) triples found by expansions.
    pub fn transitions(&self) -> u64 {
        self.space.transitions()
    }

    /// Returns the stepper.
    pub fn stepper(&self) -> &S {
        self.space.stepper()
    }

    /// Returns true if successors or initial states were left out, because of a bound or because they do not
    /// fit the slots.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Returns true if some state does not fit the slots, however wide.
    pub fn is_overflown(&self) -> bool {
        self.overflow || self.space.stepper().has_overflown()
    }

    /// Returns true if states were left unexpanded because other states cover them.
    pub fn is_covered(&self) -> bool {
        self.covered.contains(&true)
    }

    /// Searches, with a budget of about `means` work units. Returns early at a state of a goal among `open`,
    /// and when the stop flag has to be checked.
    pub fn advance(&mut self, means: u64, open: &[Goal], stop: &Stop) -> Pause<(Goal, StateId)> {
        if !self.is_started {
            if let Err(reason) = self.start(stop) {
                return Pause::Stuck(reason);
            }
            self.is_started = true;
        }
        self.order.prepare(&self.space, stop);
        let all = self.work().saturating_add(means);
        let end = self.work().saturating_add(self.order.patience().min(means));
        loop {
            self.test_new();
            if let Some((goal, id)) = self.hits.pop_front() {
                if open.contains(&goal) {
                    self.space.stepper_mut().settle(goal);
                    return Pause::Hit((goal, id));
                }
                continue;
            }
            if self.order.is_exhausted(&self.space) {
                return Pause::Exhausted;
            }
            let left = usize::try_from(end.saturating_sub(self.work())).unwrap_or(usize::MAX);
            if left == 0 {
                return Pause::Turn;
            }
            if self.order.is_beyond(&self.space, all.saturating_sub(self.work())) {
                return Pause::Dear;
            }
            if let Err(reason) = self.expand(left, open, stop) {
                return Pause::Stuck(reason);
            }
        }
    }

    fn start(&mut self, stop: &Stop) -> Result<(), Reason> {
        const ASK_EVERY: usize = 1 << 12;
        if !may_grow(self.space.growth_bytes_initial(), stop) {
            return Err(Reason::Memory);
        }
        self.cut = self.space.initial_is_cut();
        let go_on = |id: StateId| !(id.index() + 1).is_multiple_of(ASK_EVERY) || stop.raised().is_none();
        if self.space.add_initial_while(go_on) {
            return Ok(());
        }
        Err(stop.raised().unwrap_or(Reason::Interrupted))
    }

    /// Tests the states found since the last call, up to the first that satisfies a goal.
    #[inline]
    fn test_new(&mut self) {
        let has_tests = self.space.has_tests();
        if has_tests || O::LISTS || self.covering.is_some() {
            self.test_each(has_tests);
        }
    }

    fn test_each(&mut self, has_tests: bool) {
        while self.tested < self.space.len() && self.hits.is_empty() {
            let id = StateId::new(self.tested);
            self.tested += 1;
            let is_covered = self.note_covered(id);
            if O::LISTS || self.covering.is_some() {
                self.order.found(&mut self.space, id, is_covered);
            }
            if has_tests && !is_covered {
                self.tests += self.space.test_cost();
                let hits = &mut self.hits;
                self.space.test(id, &mut |goal| hits.push_back((goal, id)));
            }
        }
    }

    /// Returns true if another state covers this one. Otherwise the state is added to the index of covering
    /// states.
    fn note_covered(&mut self, id: StateId) -> bool {
        let Self { covering: Some(covering), space, covered, .. } = self else { return false };
        let state = space.packed(id);
        let is_covered = covering.is_covered(state, |id| space.packed(id));
        covered.push(is_covered);
        if !is_covered {
            covering.keep(id, state);
        }
        is_covered
    }

    fn expand(&mut self, most: usize, open: &[Goal], stop: &Stop) -> Result<(), Reason> {
        let growth = self.order.growth_bytes(&self.space);
        if growth > 0 && !may_grow(growth.saturating_add(self.covering_bytes()), stop) {
            return Err(Reason::Memory);
        }
        let Self { order, space, hits, noted, cut, .. } = self;
        let mut overflown = None;
        order.expand(space, most, |id, kind| match kind {
            ExpansionKind::Inner => ControlFlow::Continue(()),
            ExpansionKind::Cut => {
                *cut = true;
                ControlFlow::Continue(())
            }
            ExpansionKind::Goal(goal) => {
                let is_open = open.contains(&goal);
                if is_open || noted.iter().all(|(other, _)| *other != goal) {
                    noted.push((goal, id));
                }
                if is_open {
                    hits.push_back((goal, id));
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            }
            ExpansionKind::Overflow => {
                overflown = Some(id);
                ControlFlow::Break(())
            }
        });
        overflown.map_or(Ok(()), |id| self.overflow(id, stop))
    }

    fn covering_bytes(&self) -> usize {
        let each = self.covering.as_ref().map_or(0, |covering| covering.bytes_per_state() + 1);
        each.saturating_mul(self.space.len())
    }

    /// Handles an overflow in the expansion of a state: widens the slots. If they cannot be widened, the
    /// successors that do not fit are left out.
    fn overflow(&mut self, id: StateId, stop: &Stop) -> Result<(), Reason> {
        let len = self.space.len();
        let by_class = len > SMALL || self.widened >= ONE_BY_ONE && len < 2 * self.len_when_widened;
        let kind = self.space.step(id);
        debug_assert_eq!(kind, ExpansionKind::Overflow, "it overflows again");
        let Some(stepper) = self.space.stepper().widened(by_class) else {
            (self.overflow, self.cut) = (true, true);
            self.order.pass(&mut self.space, id);
            return Ok(());
        };
        if !may_grow(self.space.repack_bytes(stepper.words()), stop) {
            return Err(Reason::Memory);
        }
        self.order.repacked(stepper.words());
        let empty = stepper.covering();
        self.space.repack(stepper);
        if let (Some(covering), Some(empty)) = (&mut self.covering, empty) {
            *covering = covering.repacked(empty, |id| self.space.packed(id));
        }
        self.widened += 1;
        self.len_when_widened = len;
        self.repacked += len as u64;
        Ok(())
    }

    /// Returns true if all known states are tested and all hits are reported.
    pub(crate) fn is_tested(&self) -> bool {
        self.hits.is_empty() && (self.tested == self.space.len() || !self.space.has_tests())
    }

    /// Returns the exploration and the order.
    pub(crate) fn parts(&self) -> (&Exploration<S>, &O) {
        (&self.space, &self.order)
    }

    /// Ends the search, and returns its exploration.
    pub(crate) fn into_space(self) -> Exploration<S> {
        self.space
    }

    /// Returns how many bytes [`Packed::trace_to`] may allocate.
    pub fn trace_bytes(&self, id: StateId) -> usize {
        self.space.trace_bytes(id)
    }

    /// Returns the run on which `id` was found. With breadth-first order it is a shortest run.
    ///
    /// # Panics
    /// If `id` is not a state of this search.
    pub fn trace_to(&mut self, id: StateId) -> Trace {
        self.find_trace(id).expect("every state of a search has a run from an initial state")
    }

    /// Like [`Packed::trace_to`]. Returns `None` if there is no run, because the search was restored from wrong
    /// records.
    pub fn find_trace(&mut self, id: StateId) -> Option<Trace> {
        self.space.trace_to(id)
    }

    /// Ends the search and returns its states, without the states that other states cover.
    pub fn into_states(self) -> Box<dyn StateSet>
    where
        S: 'static,
    {
        let states = self.space.into_states();
        if self.covered.contains(&true) { Box::new(Kept::new(states, self.covered)) } else { Box::new(states) }
    }
}

//! The search itself: states are found, tested for goals, looked up among those that cover others, and expanded in an
//! order.
//!
//! States are tested in the order in which they are found, so that breadth first the first hit ends a shortest run.
//! Where a successor does not fit its slots, the stepper is made wider and the table packed anew: numbers and parents
//! of states stay. Memory is asked for before it is taken.

use super::breadth::Breadth;
use super::kept::Kept;
use super::order::Order;
use super::{Pause, may_grow};
use crate::exploration::Exploration;
use crate::net::Covering;
use crate::step::Step;
use crate::table::StateId;
use model::{Goal, Kind, Reason, StateSet, Stop, Trace};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Tests are counted in parts of a work unit.
const TESTS_PER_UNIT: u64 = 256;

/// So many times slots are widened one by one, and then still whenever the table has doubled since the last time.
/// Packing a large table anew costs as much as finding it did, so a table of more than `SMALL` states widens whole
/// classes.
const ONE_BY_ONE: u32 = 16;
const SMALL: usize = 1 << 12;

/// A search under way.
#[derive(Debug)]
pub struct Packed<S: Step, O = Breadth> {
    space: Exploration<S>,
    order: O,
    is_started: bool,
    /// States tested so far.
    tested: usize,
    hits: VecDeque<(Goal, StateId)>,
    covering: Option<Covering>,
    /// By number, where coverage is looked for.
    covered: Vec<bool>,
    cut: bool,
    overflow: bool,
    widened: u32,
    len_when_widened: usize,
    /// States packed anew.
    repacked: u64,
    /// In parts of a unit.
    tests: u64,
}

impl<S: Step, O: Order<S>> Packed<S, O> {
    /// A search through the system of `stepper` that knows no state yet.
    pub fn new(stepper: S, order: impl FnOnce(&S) -> O) -> Self {
        Self {
            order: order(&stepper),
            covering: stepper.covering(),
            space: Exploration::new(stepper),
            is_started: false,
            tested: 0,
            hits: VecDeque::new(),
            covered: Vec::new(),
            cut: false,
            overflow: false,
            widened: 0,
            len_when_widened: 0,
            repacked: 0,
            tests: 0,
        }
    }

    /// The work done so far, in units of about a microsecond.
    #[inline]
    pub fn work(&self) -> u64 {
        self.order.work(&self.space) + self.repacked + self.tests / TESTS_PER_UNIT
    }

    /// How many states are known.
    pub fn len(&self) -> usize {
        self.space.len()
    }

    /// Is no state known yet?
    pub fn is_empty(&self) -> bool {
        self.space.is_empty()
    }

    /// How many states have been expanded.
    pub fn expanded(&self) -> usize {
        self.order.expanded()
    }

    /// How many (state, label, successor) triples the expansions have found.
    pub fn transitions(&self) -> u64 {
        self.space.transitions()
    }

    /// Its stepper.
    pub fn stepper(&self) -> &S {
        self.space.stepper()
    }

    /// Were successors or initial states left out, because of a bound or because they do not fit?
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Was there a state that fits no slots?
    pub fn is_overflown(&self) -> bool {
        self.overflow || self.space.stepper().has_overflown()
    }

    /// Were states left unexpanded because others cover them?
    pub fn is_covered(&self) -> bool {
        self.covered.contains(&true)
    }

    /// Searches for a while, with about `means` units of work at most; ends early at a state of a goal among `open`,
    /// and when it is time to look at the stop flag.
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

    /// Tests the states found since the last time; stops at the first with a goal.
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

    /// Is the state covered by another one? If not, it may cover others from now on.
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
        let Self { order, space, hits, cut, .. } = self;
        let mut overflown = None;
        order.expand(space, most, |id, kind| match kind {
            Kind::Inner => ControlFlow::Continue(()),
            Kind::Cut => {
                *cut = true;
                ControlFlow::Continue(())
            }
            Kind::Goal(goal) => {
                if open.contains(&goal) {
                    hits.push_back((goal, id));
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            }
            Kind::Overflow => {
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

    /// Makes room where the expansion of a state lacked it; if there is none to be had, does without what does not fit.
    fn overflow(&mut self, id: StateId, stop: &Stop) -> Result<(), Reason> {
        let len = self.space.len();
        let by_class = len > SMALL || self.widened >= ONE_BY_ONE && len < 2 * self.len_when_widened;
        let kind = self.space.step(id);
        debug_assert_eq!(kind, Kind::Overflow, "it overflows again");
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

    /// How many bytes [`Packed::trace_to`] may allocate.
    pub fn trace_bytes(&self, id: StateId) -> usize {
        self.space.trace_bytes(id)
    }

    /// The run to `id` on which it was found; breadth first, a shortest one.
    ///
    /// # Panics
    /// If `id` is no state of this search.
    pub fn trace_to(&mut self, id: StateId) -> Trace {
        self.space.trace_to(id).expect("every state of a search has a run from an initial state")
    }

    /// Ends the search and keeps its states, without those that others cover.
    pub fn into_states(self) -> Box<dyn StateSet>
    where
        S: 'static,
    {
        let states = self.space.into_states();
        if self.covered.contains(&true) { Box::new(Kept::new(states, self.covered)) } else { Box::new(states) }
    }
}

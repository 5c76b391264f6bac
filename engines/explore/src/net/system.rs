//! A net as the search of packed states sees it: stepped by table, with formulas tested on markings, slots that
//! widen, and markings that cover others. What is left out is a parameter ([`Reduction`]).

use crate::search::{Certifier, Space};
use model::{Certificate, Formula, Goal, Kind, Markings, NetTask, Reason, Stats, Trace};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{Covering, NetGoals, NetStepper, Step, Successors, Unsteppable, Width};

/// Words of a marking that make an expansion cost a unit more: successors are copied, hashed and compared word by word.
const WORDS_PER_UNIT: u64 = 16;

/// Which successors are told.
pub trait Reduction: Clone + Debug + Send + 'static {
    /// The engine that searches so.
    const NAME: &'static str;

    /// Collects successors in `out`, which is cleared first.
    fn expand(&mut self, plain: &mut NetStepper, packed: &[u64], out: &mut Successors) -> Kind;

    /// What an expansion takes beside its successors, and testing a marking, as [`Step::looking`] and
    /// [`Step::test_cost`] count it.
    fn costs(&self, plain: &NetStepper, goals: &NetGoals) -> (u64, u64);

    /// Markings as evidence.
    fn certificate(markings: Markings) -> Certificate;

    /// Counts beside states and transitions.
    fn count(&self, stats: &mut Stats) {
        let _ = stats;
    }
}

/// All successors.
#[derive(Clone, Debug)]
pub(super) struct Whole;

impl Reduction for Whole {
    const NAME: &'static str = "explicit";

    #[inline]
    fn expand(&mut self, plain: &mut NetStepper, packed: &[u64], out: &mut Successors) -> Kind {
        plain.expand(packed, out)
    }

    fn costs(&self, plain: &NetStepper, goals: &NetGoals) -> (u64, u64) {
        (plain.words() as u64 / WORDS_PER_UNIT, goals.cost() as u64)
    }

    fn certificate(markings: Markings) -> Certificate {
        Certificate::Markings(markings)
    }
}

/// A net with its goals.
#[derive(Clone, Debug)]
pub struct NetSystem<R> {
    task: Arc<NetTask>,
    pub(super) plain: NetStepper,
    /// The formulas not yet claimed.
    goals: NetGoals,
    /// Markings covered by others need not be expanded.
    may_cover: bool,
    pub(super) reduction: R,
    /// Of this system and its clones: was there a number that no slot can hold? Workers step clones.
    has_overflown: Arc<AtomicBool>,
    /// See [`Reduction::costs`].
    costs: (u64, u64),
}

impl<R: Reduction> NetSystem<R> {
    /// Asks for `goals`.
    ///
    /// # Errors
    /// If the initial markings cannot be run through.
    pub(super) fn new(task: Arc<NetTask>, goals: &[Goal], may_cover: bool, reduction: R) -> Result<Self, Unsteppable> {
        let plain = NetStepper::new(&task, Width::narrow(&task))?;
        let goals = NetGoals::new(&plain, &task, goals);
        let costs = reduction.costs(&plain, &goals);
        Ok(Self { task, plain, goals, may_cover, reduction, has_overflown: Arc::default(), costs })
    }
}

impl<R> NetSystem<R> {
    /// Can a slot that overflowed in the last expansion have more bits?
    fn can_widen(&self) -> bool {
        let width = self.plain.state_width();
        self.plain.overflown().iter().any(|&slot| width.can_widen(slot))
    }
}

/// Markings covered by others are left out only where that loses no goal.
pub(super) fn may_cover(task: &NetTask, goals: &[Goal]) -> bool {
    let upward = |goal: &Goal| task.formula(*goal).is_some_and(|formula: &Arc<Formula>| formula.is_upward_closed());
    !task.exact && task.bound.is_none() && task.net.is_monotone() && goals.iter().all(upward)
}

impl<R: Reduction> Step for NetSystem<R> {
    store::states_of!(plain);

    #[inline]
    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        match self.reduction.expand(&mut self.plain, packed, out) {
            Kind::Overflow if !self.can_widen() => {
                self.has_overflown.store(true, Ordering::Relaxed);
                // What does not fit is cut off, and what does is not to be found out again and again.
                Kind::Cut
            }
            kind => kind,
        }
    }

    fn has_overflown(&self) -> bool {
        self.has_overflown.load(Ordering::Relaxed)
    }

    fn expand_all(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        self.plain.expand(packed, out)
    }

    fn has_tests(&self) -> bool {
        !self.goals.is_empty()
    }

    fn test(&mut self, packed: &[u64], found: &mut dyn FnMut(Goal)) {
        self.goals.test(packed, found);
    }

    fn test_cost(&self) -> u64 {
        self.costs.1
    }

    fn settle(&mut self, goal: Goal) {
        self.goals.remove(goal);
        self.costs = self.reduction.costs(&self.plain, &self.goals);
    }

    fn widened(&self, by_class: bool) -> Option<Self> {
        let mut width = self.plain.state_width().clone();
        let mut is_wider = false;
        for &slot in self.plain.overflown() {
            is_wider |= if by_class { width.widen_class(slot) } else { width.widen(slot) };
        }
        if !is_wider {
            return None;
        }
        let plain = NetStepper::new(&self.task, width).ok()?;
        let mut goals = self.goals.clone();
        goals.recompile(&plain, &self.task);
        let costs = self.reduction.costs(&plain, &goals);
        let (task, reduction) = (Arc::clone(&self.task), self.reduction.clone());
        let has_overflown = Arc::clone(&self.has_overflown);
        Some(Self { task, plain, goals, may_cover: self.may_cover, reduction, has_overflown, costs })
    }

    fn covering(&self) -> Option<Covering> {
        self.may_cover.then(|| Covering::new(&self.plain))
    }

    fn looking(&self) -> u64 {
        self.costs.0
    }
}

impl<R: Reduction> Space for NetSystem<R> {
    const NAME: &'static str = R::NAME;
    const CUT: Reason = Reason::Bound;

    fn certifier(&self) -> Certifier {
        let task = Arc::clone(&self.task);
        Box::new(move |states| {
            let markable = vec![true; task.net.places().len()];
            R::certificate(Markings { slots: task.slots.clone(), markable, states })
        })
    }

    /// The start is by open place the tokens beyond the least initial count.
    fn claimed(&self, mut trace: Trace) -> Trace {
        let mut packed = Vec::new();
        self.plain.pack(&trace.start, &mut packed);
        let beyond = |place| {
            let least = u64::try_from(&self.task.net.place(place).initial.at_least).expect("the marking has as many");
            u32::try_from(self.plain.tokens(place, &packed) - least).expect("slots have 32 bits")
        };
        trace.start = self.task.net.open_places().into_iter().map(beyond).collect();
        trace
    }

    fn count(&self, stats: &mut Stats) {
        self.reduction.count(stats);
    }
}

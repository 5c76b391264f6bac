//! A net as a stepper for the search of packed states. Goals are formulas that are tested on markings. Slots can
//! be widened, and markings that other markings cover can be left out. A [`Reduction`] determines which
//! successors are left out.

use crate::{NetGoals, NetStepper, Unsteppable, Width};
use model::{
    Certificate, ExpansionKind, Formula, Goal, Grown, Growth, Markings, NetTask, PlaceId, Reason, Stats, Trace,
};
use search::explicit::search::{Certifier, Space};
use search::{Covering, Stepper, Successors};
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of words of a marking for which an expansion costs one additional unit of work. (Successors are
/// copied, hashed and compared word by word.)
const WORDS_PER_UNIT: u64 = 16;

/// Number of expansions after which one marking is looked at for the place that grows.
const LOOK: u32 = 1 << 12;
/// The fewest tokens that are worth a word.
const MANY: u64 = 16;

/// Determines which successors of a marking are computed.
pub trait Reduction: Clone + Debug + Send + Sync + 'static {
    /// Name of the engine that searches with this reduction.
    const NAME: &'static str;

    /// Stores successors in `out`, which is cleared first.
    fn expand(&mut self, plain: &mut NetStepper, packed: &[u64], out: &mut Successors) -> ExpansionKind;

    /// Returns the extra work of an expansion, and the work of testing a marking, in the units of
    /// [`Stepper::looking`] and [`Stepper::test_cost`].
    fn costs(&self, plain: &NetStepper, goals: &NetGoals) -> (u64, u64);

    /// Returns the certificate for a set of markings.
    fn certificate(markings: Markings) -> Certificate;

    /// Adds counts other than states and transitions.
    fn count(&self, stats: &mut Stats) {
        let _ = stats;
    }
}

/// The reduction that leaves out nothing.
#[derive(Clone, Debug)]
pub(super) struct Whole;

impl Reduction for Whole {
    const NAME: &'static str = "explicit";

    #[inline]
    fn expand(&mut self, plain: &mut NetStepper, packed: &[u64], out: &mut Successors) -> ExpansionKind {
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
    /// The goals that have no claim yet.
    goals: NetGoals,
    /// True if markings that other markings cover need not be expanded.
    may_cover: bool,
    pub(super) reduction: R,
    /// True if this system or a clone met a number that no slot can hold. Workers step clones.
    has_overflown: Arc<AtomicBool>,
    /// The result of [`Reduction::costs`].
    costs: (u64, u64),
    /// The place with the most tokens in the markings that were looked at. Clones share it.
    growth: Growth,
    /// Number of expansions.
    expanded: u32,
}

impl<R: Reduction> NetSystem<R> {
    /// Returns a system for `goals`.
    ///
    /// # Errors
    /// If the initial markings cannot be enumerated.
    pub(super) fn new(task: Arc<NetTask>, goals: &[Goal], may_cover: bool, reduction: R) -> Result<Self, Unsteppable> {
        let plain = NetStepper::new(&task, Width::narrow(&task))?;
        let goals = NetGoals::new(&plain, &task, goals);
        let costs = reduction.costs(&plain, &goals);
        let (has_overflown, growth) = Default::default();
        Ok(Self { task, plain, goals, may_cover, reduction, has_overflown, costs, growth, expanded: 0 })
    }
}

impl<R> NetSystem<R> {
    /// Returns true if a marking satisfies the goal with this number ([`NetGoals::satisfies`]).
    pub(super) fn satisfies(&self, number: usize, packed: &[u64]) -> bool {
        self.goals.satisfies(number, packed)
    }

    /// Returns true if covered markings need not be expanded.
    pub(super) fn covers(&self) -> bool {
        self.may_cover
    }

    /// Returns true if a slot that overflowed in the last expansion can be widened.
    fn can_widen(&self) -> bool {
        let width = self.plain.state_width();
        self.plain.overflown().iter().any(|&slot| width.can_widen(slot))
    }
}

impl<R: Reduction> NetSystem<R> {
    /// Returns the same system for states of another width.
    fn of_width(&self, width: Width) -> Option<Self> {
        let plain = NetStepper::new(&self.task, width).ok()?;
        let mut goals = self.goals.clone();
        goals.recompile(&plain, &self.task);
        let costs = self.reduction.costs(&plain, &goals);
        let (task, reduction) = (Arc::clone(&self.task), self.reduction.clone());
        let (has_overflown, growth) = (Arc::clone(&self.has_overflown), self.growth.clone());
        let (may_cover, expanded) = (self.may_cover, self.expanded);
        Some(Self { task, plain, goals, may_cover, reduction, has_overflown, costs, growth, expanded })
    }

    /// Looks which place has the most tokens in a marking.
    #[cold]
    fn look(&self, packed: &[u64]) {
        let places = self.task.net.places().iter().enumerate();
        let most = places.map(|(at, place)| (self.plain.tokens(PlaceId::new(at), packed), place));
        // Places with few tokens are no reason why there are many markings.
        if let Some((tokens, place)) = most.max_by_key(|(tokens, _)| *tokens).filter(|(tokens, _)| *tokens >= MANY) {
            self.growth.note(Grown::Place { place: place.name.clone(), tokens });
        }
    }
}

/// Returns true if leaving out covered markings loses no goal.
pub(super) fn may_cover(task: &NetTask, goals: &[Goal]) -> bool {
    let upward = |goal: &Goal| task.formula(*goal).is_some_and(|formula: &Arc<Formula>| formula.is_upward_closed());
    !task.exact && task.bound.is_none() && task.net.is_monotone() && goals.iter().all(upward)
}

impl<R: Reduction> Stepper for NetSystem<R> {
    search::states_of!(plain);

    #[inline]
    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        self.expanded = self.expanded.wrapping_add(1);
        if self.expanded.is_multiple_of(LOOK) {
            self.look(packed);
        }
        match self.reduction.expand(&mut self.plain, packed, out) {
            ExpansionKind::Overflow if !self.can_widen() => {
                self.has_overflown.store(true, Ordering::Relaxed);
                // Successors that do not fit are cut off. Reporting `Cut` avoids expanding this marking again
                // and again.
                ExpansionKind::Cut
            }
            kind => kind,
        }
    }

    fn has_overflown(&self) -> bool {
        self.has_overflown.load(Ordering::Relaxed)
    }

    fn expand_all(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
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
        if is_wider { self.of_width(width) } else { None }
    }

    fn layout(&self) -> Option<Vec<u8>> {
        Some(self.plain.state_width().bytes())
    }

    fn with_layout(&self, layout: &[u8]) -> Option<Self> {
        self.of_width(self.plain.state_width().with_bits(layout)?)
    }

    fn is_state(&self, unpacked: &[u32]) -> bool {
        self.plain.has_value(unpacked)
    }

    fn covering(&self) -> Option<Covering> {
        self.may_cover.then(|| self.plain.covering())
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
            let potentially_marked = vec![true; task.net.places().len()];
            R::certificate(Markings { slots: task.slots.clone(), potentially_marked, states })
        })
    }

    /// The start of a claimed run has one number for each place with several initial counts: the tokens beyond
    /// the least initial count.
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
        stats.grown = self.growth.most();
    }
}

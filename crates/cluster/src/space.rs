//! The systems that a cluster searches: behavioral programs, and nets.

use model::{Certificate, ExpansionKind, Goal, Markings, NetTask, StateSet, Trace};
use nets::{NetGoals, NetStepper, Unsteppable, Width};
use programs::RwbStepper;
use search::{Stepper, Successors};
use std::sync::Arc;

/// A stepper that all workers create alike.
pub trait Space: Stepper + Clone + 'static {
    /// Returns the slots that overflowed in the last expansion and can be wider.
    fn overflown(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Returns a stepper in which these slots are wider. `None` if they cannot be.
    fn wider(&self, slots: &[usize]) -> Option<Self> {
        let _ = slots;
        None
    }

    /// Converts a run of unpacked states to the form of claims.
    fn claimed(&self, trace: Trace) -> Trace {
        trace
    }

    /// Makes the states of a worker its share of a certificate.
    fn share(&self, states: Box<dyn StateSet>) -> Certificate;
}

impl Space for RwbStepper {
    fn share(&self, states: Box<dyn StateSet>) -> Certificate {
        Certificate::StateSet(states)
    }
}

/// A net with its goals.
#[derive(Clone, Debug)]
pub struct NetSpace {
    task: Arc<NetTask>,
    plain: NetStepper,
    goals: NetGoals,
    has_overflown: bool,
}

impl NetSpace {
    /// Returns the net of a task.
    ///
    /// # Errors
    /// If the initial markings cannot be enumerated.
    pub fn new(task: Arc<NetTask>) -> Result<Self, Unsteppable> {
        let width = Width::narrow(&task);
        Self::with(task, width)
    }

    fn with(task: Arc<NetTask>, width: Width) -> Result<Self, Unsteppable> {
        let plain = NetStepper::new(&task, width)?;
        let goals = NetGoals::new(&plain, &task, &task.goals);
        Ok(Self { task, plain, goals, has_overflown: false })
    }
}

impl Stepper for NetSpace {
    search::states_of!(plain);

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        match self.plain.expand(packed, out) {
            ExpansionKind::Overflow if Space::overflown(self).is_empty() => {
                // Some successor fits no slot, however wide.
                self.has_overflown = true;
                ExpansionKind::Cut
            }
            kind => kind,
        }
    }

    fn has_overflown(&self) -> bool {
        self.has_overflown
    }

    fn has_tests(&self) -> bool {
        !self.goals.is_empty()
    }

    fn test(&mut self, packed: &[u64], found: &mut dyn FnMut(Goal)) {
        self.goals.test(packed, found);
    }

    fn settle(&mut self, goal: Goal) {
        self.goals.remove(goal);
    }
}

impl Space for NetSpace {
    fn overflown(&self) -> Vec<usize> {
        let width = self.plain.state_width();
        self.plain.overflown().iter().copied().filter(|&slot| width.can_widen(slot)).collect()
    }

    fn wider(&self, slots: &[usize]) -> Option<Self> {
        let mut width = self.plain.state_width().clone();
        let places = self.task.slots.len();
        let is_wider = slots.iter().filter(|&&slot| slot < places && width.widen(slot)).count() > 0;
        is_wider.then(|| Self::with(Arc::clone(&self.task), width).ok()).flatten()
    }

    /// The start of a claimed run has one number for each place with several initial counts: the tokens beyond
    /// the least initial count.
    fn claimed(&self, mut trace: Trace) -> Trace {
        let mut packed = Vec::new();
        self.plain.pack(&trace.start, &mut packed);
        let beyond = |place| {
            let least = u64::try_from(&self.task.net.place(place).initial.at_least).unwrap_or(0);
            u32::try_from(self.plain.tokens(place, &packed).saturating_sub(least)).unwrap_or(u32::MAX)
        };
        trace.start = self.task.net.open_places().into_iter().map(beyond).collect();
        trace
    }

    fn share(&self, states: Box<dyn StateSet>) -> Certificate {
        let potentially_marked = vec![true; self.task.net.places().len()];
        Certificate::Markings(Markings { slots: self.task.slots.clone(), potentially_marked, states })
    }
}

//! The semantics of own systems (Rust models of the user): the kernel queries the system itself again.
//!
//! The author of the system promises that it gives the same answer to every query ([`model::own`]). The kernel
//! checks what is not promised: each slot holds one of its values, and the system has an initial state.

use crate::closed::{Change, Listed, Visit};
use crate::work::Work;
use crate::{Check, Semantics, reject};
use model::{Goal, System};

/// An own system, with the goals that no state of a set may satisfy.
#[derive(Debug)]
pub struct Own<'a> {
    system: &'a dyn System,
    goals: &'a [Goal],
    sizes: Vec<u64>,
    predicates: usize,
}

impl<'a> Own<'a> {
    /// Creates the semantics of `system`, with these goals.
    ///
    /// # Errors
    /// If a slot has no value, or more than 2^32 values.
    pub fn new(system: &'a dyn System, goals: &'a [Goal]) -> Check<Self> {
        let (sizes, predicates) = (system.sizes(), system.predicates().len());
        if sizes.iter().any(|size| !(1..=1 << 32).contains(size)) {
            return reject("a slot has between one and 2^32 values");
        }
        Ok(Self { system, goals, sizes, predicates })
    }

    /// Returns true if `state` has one number per slot, each within the range of its slot.
    fn is_state(&self, state: &[u32]) -> bool {
        state.len() == self.sizes.len() && state.iter().zip(&self.sizes).all(|(slot, size)| u64::from(*slot) < *size)
    }

    fn steps(&self, state: &[u32]) -> Check<Vec<(u32, Vec<u32>)>> {
        assert!(self.is_state(state), "only states are asked for steps");
        let mut steps = Vec::new();
        self.system.successors(state, &mut |label, next| steps.push((label, next.to_vec())));
        match steps.iter().find(|(_, next)| !self.is_state(next)) {
            Some((label, next)) => reject(format!("step {label} from {state:?} leads to {next:?}, not a state")),
            None => Ok(steps),
        }
    }

    fn is_goal(&self, state: &[u32], goal: Goal) -> Check<bool> {
        match goal {
            Goal::Predicate(id) if id.index() < self.predicates => Ok(self.system.holds(id.index(), state)),
            Goal::Deadlock => Ok(self.steps(state)?.is_empty()),
            _ => reject(format!("the system has no goal `{goal}`")),
        }
    }

    fn initial_states(&self) -> Check<Vec<Vec<u32>>> {
        let mut all = Vec::new();
        self.system.initial(&mut |state| all.push(state.to_vec()));
        match all.iter().find(|state| !self.is_state(state)) {
            _ if all.is_empty() => reject("the system has no initial state"),
            Some(state) => reject(format!("{state:?} is initial and is not a state")),
            None => Ok(all),
        }
    }
}

impl Listed for Own<'_> {
    const ELEMENT: &'static str = "state";

    fn sizes(&self) -> Vec<usize> {
        self.sizes.iter().map(|size| usize::try_from(*size).unwrap_or(usize::MAX)).collect()
    }

    fn initial(&self, visit: &mut dyn FnMut(&[u32]) -> Check<()>) -> Check<()> {
        self.initial_states()?.iter().try_for_each(|state| visit(state))
    }

    fn expand(&mut self, state: &[u32], visit: &mut impl Visit, work: &mut Work<'_>) -> Check<()> {
        for &goal in self.goals {
            if self.is_goal(state, goal)? {
                return reject(format!("the set contains a state of goal `{goal}`"));
            }
        }
        let mut changes = Vec::new();
        for (_, next) in self.steps(state)? {
            work.spend(1 + next.len() as u64 / 8)?;
            let pairs = state.iter().zip(&next).enumerate().filter(|(_, (from, to))| from != to);
            changes.clear();
            changes.extend(pairs.map(|(slot, (from, to))| Change { slot, from: *from, to: *to }));
            visit.visit(&changes, work)?;
        }
        Ok(())
    }

    fn describe(&self, state: &[u32]) -> String {
        if !self.is_state(state) {
            return format!("{state:?}");
        }
        let parts: Vec<String> =
            self.system.shown(state).into_iter().map(|(name, value)| name + " " + &value).collect();
        parts.join(", ")
    }
}

impl Semantics for Own<'_> {
    type State = Vec<u32>;

    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<Vec<u32>> {
        let initial = self.initial_states()?;
        work.spend(initial.len() as u64)?;
        if initial.iter().any(|state| state == start) {
            Ok(start.to_vec())
        } else {
            reject("the run does not start in an initial state")
        }
    }

    fn step(&mut self, state: &mut Vec<u32>, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()> {
        let steps = self.steps(state)?;
        work.spend(1 + steps.len() as u64)?;
        let mut with_label = steps.into_iter().filter(|(other, _)| *other == label).map(|(_, next)| next);
        let taken = match choice {
            Some(choice) => with_label.find(|next| next == choice),
            None => with_label.next().filter(|next| with_label.all(|other| other == *next)),
        };
        match taken {
            Some(next) => *state = next,
            None => return reject(format!("{} does not have exactly one step {label}", self.describe(state))),
        }
        Ok(())
    }

    fn reached(&mut self, state: &Vec<u32>, goal: Goal, _: &mut Work<'_>) -> Check<()> {
        if self.is_goal(state, goal)? { Ok(()) } else { reject(format!("the last state is not of goal `{goal}`")) }
    }
}

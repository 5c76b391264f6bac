//! Systems of one's own as choices: a label is the number of a step, which the system itself names.

use super::{Choices, Field, Refusal, Taken};
use crate::steps::Value;
use model::{Formula, Goal, System};
use num_bigint::BigUint;
use num_traits::Zero;
use std::sync::Arc;

/// A system of one's own as choices.
#[derive(Clone, Debug)]
pub struct OwnChoices {
    system: Arc<dyn System>,
    /// The initial states.
    initial: Vec<Vec<u32>>,
    /// The names of the parts of the first initial state.
    parts: Vec<String>,
}

impl OwnChoices {
    /// Creates the choices.
    ///
    /// # Panics
    /// If the system has no initial state.
    #[must_use]
    pub fn new(system: &Arc<dyn System>) -> Self {
        let mut initial = Vec::new();
        system.initial(&mut |state| initial.push(state.to_vec()));
        assert!(!initial.is_empty(), "a system has an initial state");
        let parts = system.shown(&initial[0]).into_iter().map(|(name, _)| name).collect();
        Self { system: Arc::clone(system), initial, parts }
    }

    /// Returns the states to which the steps with this label lead: one, if labels alone determine steps.
    fn targets(&self, at: &[u32], label: u32) -> Vec<Vec<u32>> {
        let mut targets = Vec::new();
        self.system.successors(at, &mut |other, next| {
            if other == label {
                targets.push(next.to_vec());
            }
        });
        targets
    }
}

impl Choices for OwnChoices {
    type State = Vec<u32>;

    const NOTE: &'static str = "A state lists its parts.";

    fn start_fields(&self) -> Vec<Field> {
        match self.initial.len() {
            1 => Vec::new(),
            count => vec![Field::counted("initial state".to_owned(), count.into(), BigUint::ZERO)],
        }
    }

    fn start(&self, outcome: &BigUint) -> Option<Vec<u32>> {
        self.initial.get(usize::try_from(outcome).ok()?).cloned()
    }

    fn start_of(&self, recorded: &[u32]) -> Option<BigUint> {
        self.initial.iter().position(|state| state == recorded).map(BigUint::from)
    }

    fn recorded_start(&self, outcome: &BigUint) -> Option<Box<[u32]>> {
        self.start(outcome).map(Vec::into_boxed_slice)
    }

    /// Each state numbers its own steps, so no list of labels says anything.
    fn labels(&self) -> usize {
        0
    }

    fn name(&self, label: u32) -> String {
        format!("step {label}")
    }

    fn enabled(&self, at: &Vec<u32>) -> Vec<u32> {
        let mut labels = Vec::new();
        self.system.successors(at, &mut |label, _| labels.push(label));
        labels.dedup();
        labels
    }

    fn fields(&self, at: &Vec<u32>, label: u32) -> Vec<Field> {
        match self.targets(at, label).len() {
            0 | 1 => Vec::new(),
            count => vec![Field::counted("target".to_owned(), count.into(), BigUint::ZERO)],
        }
    }

    fn refusal(&self, _: &Vec<u32>, _: u32) -> Refusal {
        Refusal::Unknown
    }

    fn take(&self, at: &Vec<u32>, label: u32, outcome: &BigUint) -> Result<Taken<Vec<u32>>, Refusal> {
        let number = usize::try_from(outcome).map_err(|_| Refusal::Unknown)?;
        let to = self.targets(at, label).into_iter().nth(number).ok_or(Refusal::Unknown)?;
        let event = self.system.label(at, label);
        let (requested_by, shows, goals) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Taken { to, event, requested_by, shows, goals, is_rejected: false })
    }

    fn recorded(&self, at: &Vec<u32>, label: u32, _: &BigUint, to: &Vec<u32>) -> Result<Option<Box<[u32]>>, Refusal> {
        Ok((self.targets(at, label).len() > 1).then(|| to.clone().into_boxed_slice()))
    }

    fn outcome_of(&self, at: &Vec<u32>, label: u32, recorded: Option<&[u32]>) -> Option<BigUint> {
        match recorded {
            None => Some(BigUint::zero()),
            Some(to) => self.targets(at, label).iter().position(|target| target == to).map(BigUint::from),
        }
    }

    fn parts(&self) -> usize {
        self.parts.len()
    }

    fn part(&self, part: usize) -> String {
        self.parts[part].clone()
    }

    fn value(&self, at: &Vec<u32>, part: usize) -> Value {
        let shown = self.system.shown(at).into_iter().nth(part);
        Value::Shown(shown.map_or_else(String::new, |(_, value)| value))
    }

    fn differ(&self, at: &Vec<u32>, other: &Vec<u32>) -> Vec<usize> {
        super::positions(&self.system.shown(at), &self.system.shown(other))
    }

    /// A part has no number: it may stand for several slots.
    fn numbers(&self, _: &Vec<u32>) -> Vec<u32> {
        vec![0; self.parts.len()]
    }

    fn holds(&self, _: &Vec<u32>, _: &Formula) -> Option<bool> {
        None
    }

    fn reaches(&self, at: &Vec<u32>, goal: Goal) -> bool {
        match goal {
            Goal::Predicate(id) => self.system.holds(id.index(), at),
            Goal::Deadlock => self.enabled(at).is_empty(),
            _ => false,
        }
    }

    fn size(&self, at: &Vec<u32>) -> usize {
        size_of::<Vec<u32>>() + at.len() * size_of::<u32>()
    }

    fn is_bad(&self, at: &Vec<u32>) -> bool {
        (0..self.system.predicates().len()).any(|predicate| self.system.holds(predicate, at))
    }

    fn may_end(&self, _: &Vec<u32>) -> bool {
        !self.system.asks_deadlock()
    }

    fn typed(&self, at: &Vec<u32>, label: u32) -> String {
        self.system.label(at, label)
    }

    fn lines(&self, _: &Vec<u32>, at: &Vec<u32>) -> Vec<String> {
        self.system.shown(at).into_iter().map(|(name, value)| format!("{name}: {value}")).collect()
    }
}

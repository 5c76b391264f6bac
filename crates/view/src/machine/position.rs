//! A position in a system, for programs that step line by line. The states before it are kept, as far as a user may
//! want to go back; a random run keeps none.

use super::error::MachineError;
use super::path::{Path, Pick};
use super::views::{WhyView, bad_step};
use crate::choices::moves::random_step;
use crate::choices::{Choices, Field, Taken, number};
use crate::trace::Detail;
use model::{Goal, Problem};
use num_bigint::BigUint;
use search::rng::Rng;
use std::collections::VecDeque;

/// Number of states to which a user goes back without another computation.
const KEPT: usize = 200;

/// A field for which a random start takes one of its first values has more values than this.
const MANY: usize = 64;

/// Number of values of such a field among which a random start chooses.
const EXTRA: usize = 5;

/// What is said of a step.
pub struct StepLine {
    /// The step, and what it changes.
    pub line: String,
    /// The properties that the step or the state after it reaches: each with the reason, in indented lines.
    pub reached: Vec<(String, String)>,
}

/// A position in a system, with the way to it.
pub trait Position {
    /// Begins in the initial state of this outcome. Returns false if there is none.
    fn begin(&mut self, outcome: &BigUint) -> bool;

    /// Begins in the state after the first `steps` steps of a path.
    ///
    /// # Errors
    /// If the path is not one of the system.
    fn follow(&mut self, path: &Path, steps: usize) -> Result<(), MachineError>;

    /// Returns the number of steps to the position.
    fn steps(&self) -> u64;

    /// Returns the number of the first step.
    fn first(&self) -> u64;

    /// Returns what the initial states leave open.
    fn start_fields(&self) -> Vec<Field>;

    /// Returns a random initial state, as an outcome.
    fn random_start(&self, random: &mut Rng) -> BigUint;

    /// Returns the labels that can be taken.
    fn enabled(&self) -> Vec<u32>;

    /// Returns the name of a label as people type it.
    fn typed(&self, label: u32) -> String;

    /// Returns a label as it is offered.
    fn offer(&self, label: u32, detail: Detail) -> String;

    /// Returns the fields of a label.
    fn fields(&self, label: u32) -> Vec<Field>;

    /// Takes a step.
    ///
    /// # Errors
    /// Why the step is not possible.
    fn take(&mut self, pick: &Pick, detail: Detail) -> Result<StepLine, String>;

    /// Takes a random step, to which no step goes back. `None` if nothing can be taken.
    fn take_random(&mut self, random: &mut Rng, detail: Detail) -> Option<StepLine>;

    /// Takes the last step back. Returns false at the start.
    fn back(&mut self) -> bool;

    /// Returns the state in a line.
    fn show(&self, most: usize) -> String;

    /// Returns the properties that the state reaches, each with the reason.
    fn reached(&self, detail: Detail) -> Vec<(String, String)>;

    /// Returns a remark on labels that are not enabled, if there is one to make.
    fn remark(&self, detail: Detail) -> Option<String>;

    /// Returns why nothing can be taken, where this is no deadlock.
    fn ending(&self) -> String;
}

/// A position in a system of the kind `K`.
pub(super) struct Stepped<'a, K: Choices> {
    kind: &'a K,
    problem: &'a Problem,
    start: BigUint,
    picks: Vec<Pick>,
    /// The last states before the current one.
    before: VecDeque<K::State>,
    /// The current state, after the start.
    at: Option<K::State>,
}

impl<'a, K: Choices> Stepped<'a, K> {
    pub(super) fn new(kind: &'a K, problem: &'a Problem) -> Self {
        Self { kind, problem, start: BigUint::ZERO, picks: Vec::new(), before: VecDeque::new(), at: None }
    }

    fn at(&self) -> &K::State {
        self.at.as_ref().expect("a position is in a state once it has begun")
    }

    /// Returns the properties that a state reaches. Bad states and deadlocks are named even without a question.
    fn reached_in(&self, state: &K::State, goals: &[Goal], detail: Detail) -> Vec<(String, String)> {
        let kind = self.kind;
        let asked = self.problem.properties().iter().map(|property| (property.id.as_str(), property.goal));
        let usual = [Goal::Bad, Goal::Deadlock].into_iter().filter(|goal| self.problem.goals().all(|g| g != *goal));
        let all = asked.chain(usual.map(|goal| (goal.id(), goal)));
        let is_reached = |goal: Goal| {
            let formula = self.problem.formula(goal).and_then(|formula| kind.holds(state, formula));
            goals.contains(&goal) || formula.unwrap_or_else(|| kind.reaches(state, goal))
        };
        let why = |goal| kind.why(self.problem, state, goal, self.steps(), detail);
        all.filter(|(_, goal)| is_reached(*goal)).map(|(id, goal)| (id.to_owned(), why(goal))).collect()
    }

    /// Returns the state after the steps that were taken.
    fn replayed(&self) -> Result<K::State, MachineError> {
        let start = self.kind.start(&self.start);
        let mut state = start.ok_or_else(|| MachineError::Path("there is no such initial state".to_owned()))?;
        for (number, pick) in self.picks.iter().enumerate() {
            let taken = self.kind.take(&state, pick.label, &pick.outcome);
            state = taken.map_err(|refusal| bad_step(number + 1, refusal))?.to;
        }
        Ok(state)
    }

    fn told(&mut self, pick: Pick, taken: Taken<K::State>, detail: Detail) -> StepLine {
        let line = self.kind.line_of(self.at(), pick.label, &taken, detail);
        self.picks.push(pick);
        let before = self.at.replace(taken.to);
        self.before.extend(before);
        if self.before.len() > KEPT {
            self.before.pop_front();
        }
        StepLine { line, reached: self.reached_in(self.at(), &taken.goals, detail) }
    }
}

impl<K: Choices> Position for Stepped<'_, K> {
    fn begin(&mut self, outcome: &BigUint) -> bool {
        self.start.clone_from(outcome);
        self.at = self.kind.start(outcome);
        self.at.is_some()
    }

    fn follow(&mut self, path: &Path, steps: usize) -> Result<(), MachineError> {
        self.start.clone_from(&path.start);
        self.picks = path.picks[..steps].to_vec();
        self.at = Some(self.replayed()?);
        Ok(())
    }

    fn steps(&self) -> u64 {
        self.picks.len() as u64
    }

    fn first(&self) -> u64 {
        K::FIRST
    }

    fn start_fields(&self) -> Vec<Field> {
        self.kind.start_fields()
    }

    fn random_start(&self, random: &mut Rng) -> BigUint {
        let fields = self.start_fields();
        let value = |field: &Field| match usize::try_from(&field.count) {
            Ok(count) if count <= MANY => BigUint::from(random.below(count.max(1))),
            _ => BigUint::from(1 + random.below(EXTRA)),
        };
        let values: Vec<BigUint> = fields.iter().map(value).collect();
        number(&fields, &values)
    }

    fn enabled(&self) -> Vec<u32> {
        self.kind.enabled(self.at())
    }

    fn typed(&self, label: u32) -> String {
        self.kind.typed(self.at(), label)
    }

    fn offer(&self, label: u32, detail: Detail) -> String {
        self.kind.offer(self.at(), label, detail)
    }

    fn fields(&self, label: u32) -> Vec<Field> {
        self.kind.fields(self.at(), label)
    }

    fn take(&mut self, pick: &Pick, detail: Detail) -> Result<StepLine, String> {
        let taken = self.kind.take(self.at(), pick.label, &pick.outcome);
        let taken = taken.map_err(|refusal| WhyView::of(refusal).sentence())?;
        Ok(self.told(pick.clone(), taken, detail))
    }

    fn take_random(&mut self, random: &mut Rng, detail: Detail) -> Option<StepLine> {
        let (pick, taken) = random_step(self.kind, self.at(), random)?;
        let line = self.told(pick, taken, detail);
        self.before.clear();
        Some(line)
    }

    fn back(&mut self) -> bool {
        if self.picks.pop().is_none() {
            return false;
        }
        self.at = self.before.pop_back().or_else(|| self.replayed().ok());
        true
    }

    fn show(&self, most: usize) -> String {
        self.kind.show(self.at(), most)
    }

    fn reached(&self, detail: Detail) -> Vec<(String, String)> {
        self.reached_in(self.at(), &[], detail)
    }

    fn remark(&self, detail: Detail) -> Option<String> {
        self.kind.remark(self.at(), detail)
    }

    fn ending(&self) -> String {
        let why = (self.kind.labels() > 0).then(|| self.kind.refusal(self.at(), 0));
        match why.map(WhyView::of) {
            Some(WhyView::Other { why }) => why,
            _ => "nothing can be taken, and the system may end here".to_owned(),
        }
    }
}

//! Reactive programs as choices: a label is an input letter.

use super::{Choices, Field, Refusal, Taken};
use crate::steps::{Value, letters};
use certify::Player;
use model::{Formula, Goal, InputId, Outcome, Reactive, VarId};
use num_bigint::BigUint;
use num_traits::Zero;
use std::sync::Arc;

/// A reactive program as choices.
#[derive(Clone, Debug)]
pub struct ReactiveChoices {
    program: Arc<Reactive>,
}

/// The values of all variables, and how the run ended if it has ended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CalledState {
    values: Vec<i32>,
    ended: Option<&'static str>,
}

impl ReactiveChoices {
    /// Creates the choices.
    #[must_use]
    pub fn new(program: &Arc<Reactive>) -> Self {
        Self { program: Arc::clone(program) }
    }
}

impl Choices for ReactiveChoices {
    type State = CalledState;

    fn start_fields(&self) -> Vec<Field> {
        Vec::new()
    }

    fn start(&self, outcome: &BigUint) -> Option<CalledState> {
        let values = || Player::new(&self.program).values().to_vec();
        outcome.is_zero().then(|| CalledState { values: values(), ended: None })
    }

    fn start_of(&self, _: &[u32]) -> Option<BigUint> {
        Some(BigUint::ZERO)
    }

    fn recorded_start(&self, _: &BigUint) -> Option<Box<[u32]>> {
        Some(Box::default())
    }

    fn labels(&self) -> usize {
        self.program.inputs().len()
    }

    fn name(&self, label: u32) -> String {
        letters::input(&self.program, InputId(label))
    }

    /// All inputs are enabled: whether a call rejects its input is known only after it.
    fn enabled(&self, at: &CalledState) -> Vec<u32> {
        if at.ended.is_some() { Vec::new() } else { (0..).take(self.labels()).collect() }
    }

    fn fields(&self, _: &CalledState, _: u32) -> Vec<Field> {
        Vec::new()
    }

    fn refusal(&self, at: &CalledState, _: u32) -> Refusal {
        at.ended.map_or(Refusal::Unknown, |how| Refusal::Other(how.to_owned()))
    }

    fn take(&self, at: &CalledState, label: u32, outcome: &BigUint) -> Result<Taken<CalledState>, Refusal> {
        if at.ended.is_some() || label as usize >= self.labels() || !outcome.is_zero() {
            return Err(self.refusal(at, label));
        }
        let mut player = Player::new(&self.program);
        player.restore(&at.values);
        let ended = player.call(InputId(label));
        let (how, goals) = match ended {
            Outcome::Error(error) => (Some("the program has stopped at an error"), vec![Goal::Error(error)]),
            Outcome::Crash => (Some("the program has stopped"), Vec::new()),
            Outcome::Invalid => (Some("the program has rejected the input"), Vec::new()),
            Outcome::Output(_) | Outcome::Silent | Outcome::Unspelt => (None, Vec::new()),
        };
        // After a call that stops, the values mean nothing: the last ones stay.
        let values = if how.is_some() { at.values.clone() } else { player.values().to_vec() };
        let shows = letters::shown(&player, ended);
        let to = CalledState { values, ended: how };
        Ok(Taken {
            to,
            event: self.name(label),
            requested_by: Vec::new(),
            shows,
            goals,
            is_rejected: ended == Outcome::Invalid,
        })
    }

    fn recorded(&self, _: &CalledState, _: u32, _: &BigUint, _: &CalledState) -> Result<Option<Box<[u32]>>, Refusal> {
        Ok(None)
    }

    fn outcome_of(&self, _: &CalledState, _: u32, _: Option<&[u32]>) -> Option<BigUint> {
        Some(BigUint::ZERO)
    }

    fn parts(&self) -> usize {
        self.program.var_count()
    }

    fn part(&self, part: usize) -> String {
        self.program.name(VarId::new(part)).to_owned()
    }

    fn value(&self, at: &CalledState, part: usize) -> Value {
        Value::Number(at.values[part])
    }

    fn differ(&self, at: &CalledState, other: &CalledState) -> Vec<usize> {
        super::positions(&at.values, &other.values)
    }

    fn numbers(&self, at: &CalledState) -> Vec<u32> {
        at.values.iter().map(|value| value.cast_unsigned()).collect()
    }

    fn holds(&self, _: &CalledState, _: &Formula) -> Option<bool> {
        None
    }

    fn reaches(&self, _: &CalledState, _: Goal) -> bool {
        false
    }

    fn size(&self, at: &CalledState) -> usize {
        size_of::<CalledState>() + at.values.len() * size_of::<i32>()
    }
}

//! Reactive programs as choices: a label is an input letter.

use super::{Choices, Field, Refusal, Taken};
use crate::steps::{Value, letters};
use crate::trace::{self, Detail};
use certify::Player;
use model::reactive::letter;
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
    ended: Option<Outcome>,
}

/// Returns how a run ended.
fn how(ended: Outcome) -> &'static str {
    match ended {
        Outcome::Error(_) => "the program has stopped at an error",
        Outcome::Invalid => "the program has rejected the input",
        _ => "the program has stopped",
    }
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

    const NOTE: &'static str = "A state lists the variables that are not as at the start. Labels are inputs / outputs.";

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
        at.ended.map_or(Refusal::Unknown, |ended| Refusal::Other(how(ended).to_owned()))
    }

    fn take(&self, at: &CalledState, label: u32, outcome: &BigUint) -> Result<Taken<CalledState>, Refusal> {
        if at.ended.is_some() || label as usize >= self.labels() || !outcome.is_zero() {
            return Err(self.refusal(at, label));
        }
        let mut player = Player::new(&self.program);
        player.restore(&at.values);
        let ended = player.call(InputId(label));
        let has_ended = matches!(ended, Outcome::Error(_) | Outcome::Crash | Outcome::Invalid);
        let goals = if let Outcome::Error(error) = ended { vec![Goal::Error(error)] } else { Vec::new() };
        // After a call that stops, the values mean nothing. So all states after the same end are one.
        let first = Player::new(&self.program);
        let values = if has_ended { &first } else { &player }.values().to_vec();
        let shows = letters::shown(&player, ended);
        let to = CalledState { values, ended: has_ended.then_some(ended) };
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
        if other.ended.is_some() { Vec::new() } else { super::positions(&at.values, &other.values) }
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

    fn is_bad(&self, at: &CalledState) -> bool {
        at.ended.is_some()
    }

    fn may_end(&self, at: &CalledState) -> bool {
        at.ended.is_some()
    }

    fn lines(&self, first: &CalledState, at: &CalledState) -> Vec<String> {
        if let Some(ended) = at.ended {
            return vec![letters::end(&self.program, ended).unwrap_or_default()];
        }
        let changed = self.differ(first, at);
        let lines: Vec<String> =
            changed.into_iter().map(|part| format!("{} = {}", self.part(part), at.values[part])).collect();
        if lines.is_empty() { vec!["as at the start".to_owned()] } else { lines }
    }

    fn typed(&self, _: &CalledState, label: u32) -> String {
        letter(self.program.input(InputId(label)))
    }

    fn line_of(&self, from: &CalledState, label: u32, taken: &Taken<CalledState>, detail: Detail) -> String {
        let read = trace::reactive::read(self.program.input(InputId(label)));
        let after = if taken.to.ended.is_some() { &from.values } else { &taken.to.values };
        let changed = trace::reactive::changed(&self.program, &from.values, after, detail);
        format!("{read:<6} {:<7}  {changed}", taken.shows.join(", "))
    }
}

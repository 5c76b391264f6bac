//! Systems as choices, for programs that let a user step through a system: which labels can be taken in a state, why
//! the others cannot, and where a label leads.
//!
//! A *label* is the number of an event, a transition or an input. If a label alone does not determine the next state,
//! the rest is a choice of numbers, its *fields*: the target of a thread, the value of an input. The choice is written
//! as one number, the *outcome*, in which the fields are the digits ([`number`], [`digits`]). So a path is a list of
//! numbers, and it does not depend on hashes or on the order of a search.
//!
//! One state is handled at a time. No verdict depends on this code: [`Choices::recorded`] turns a path into a trace,
//! and the checker replays it.

mod circuit;
mod data;
mod marked;
pub(crate) mod moves;
mod own;
mod program;
mod reactive;

pub use circuit::CircuitChoices;
pub use data::DataChoices;
pub use marked::MarkedChoices;
pub use own::OwnChoices;
pub use program::ProgramChoices;
pub use reactive::ReactiveChoices;

use crate::steps::Value;
use crate::text::names;
use crate::trace::{Detail, long_list};
use model::{Formula, Goal, Node, PlaceId, Problem};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};
use std::fmt::Debug;
use std::hash::Hash;

/// The number of outcomes of a label that [`outcomes`] lists at most.
pub const MOST_OUTCOMES: usize = 64;

/// A number that a choice is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// What the number is about: a thread, a place, an input.
    pub name: String,
    /// The number of values. The values are numbered from 0.
    pub count: BigUint,
    /// The names of the values, if they have names.
    pub options: Vec<String>,
    /// What is added to the number of a value to show it.
    pub least: BigUint,
    /// True if the numbers stand for integers with sign: 0, -1, 1, -2, ..
    pub signed: bool,
}

impl Field {
    /// Returns a field for values with these names.
    #[must_use]
    pub fn named(name: String, options: Vec<String>) -> Self {
        Self { name, count: options.len().into(), options, least: BigUint::ZERO, signed: false }
    }

    /// Returns a field for the numbers from `least`, `count` of them.
    #[must_use]
    pub fn counted(name: String, count: BigUint, least: BigUint) -> Self {
        Self { name, count, options: Vec::new(), least, signed: false }
    }
}

/// A taken step.
#[derive(Clone, Debug)]
pub struct Taken<S> {
    /// The next state.
    pub to: S,
    /// The text of the step, as in [`crate::Step::event`].
    pub event: String,
    /// The threads that request the event.
    pub requested_by: Vec<String>,
    /// The outputs, or how the call ended.
    pub shows: Vec<String>,
    /// The goals that the step itself reaches, such as an output that is true.
    pub goals: Vec<Goal>,
    /// True if the system rejects the step, so that a random run takes another one.
    pub is_rejected: bool,
}

/// The reason why a label cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no such label, or no such outcome.
    Unknown,
    /// No thread requests the event.
    NotRequested,
    /// These threads block the event: each with the place where it does.
    Blocked(Vec<(String, String)>),
    /// A request of this higher priority is enabled.
    Priority(i64),
    /// These places have too few or too many tokens.
    Tokens(Vec<Lack>),
    /// The run has ended, or the step is not possible, for this reason.
    Other(String),
}

/// A place that prevents a transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lack {
    /// The name of the place.
    pub place: String,
    /// Its tokens.
    pub has: BigUint,
    /// The condition on them: `>= 2`.
    pub needs: String,
}

/// A system that is stepped through by choices.
pub trait Choices: Send + Sync + 'static {
    /// A state.
    type State: Clone + Eq + Hash + Debug + Send + Sync;

    /// How to read a state in a picture ([`Self::lines`]).
    const NOTE: &'static str;

    /// The number of the first step.
    const FIRST: u64 = 1;

    /// The choices of the initial state. Empty if there is only one.
    fn start_fields(&self) -> Vec<Field>;

    /// Returns the initial state of this outcome; `None` if there is no such outcome.
    fn start(&self, outcome: &BigUint) -> Option<Self::State>;

    /// Returns the outcome of the start that a trace records; `None` if the trace does not fit.
    fn start_of(&self, recorded: &[u32]) -> Option<BigUint>;

    /// Returns the start of a trace for this outcome.
    fn recorded_start(&self, outcome: &BigUint) -> Option<Box<[u32]>>;

    /// The number of labels.
    fn labels(&self) -> usize;

    /// The name of a label, which may be less than the text of a step.
    fn name(&self, label: u32) -> String;

    /// Returns the labels that can be taken, ascending. A label with fields may be listed although not every outcome
    /// is possible.
    fn enabled(&self, at: &Self::State) -> Vec<u32>;

    /// Returns the fields of a label. Empty if it has one outcome.
    fn fields(&self, at: &Self::State, label: u32) -> Vec<Field>;

    /// Returns why a label that is not enabled cannot be taken.
    fn refusal(&self, at: &Self::State, label: u32) -> Refusal;

    /// Takes a step.
    ///
    /// # Errors
    /// If the label cannot be taken with this outcome.
    fn take(&self, at: &Self::State, label: u32, outcome: &BigUint) -> Result<Taken<Self::State>, Refusal>;

    /// Returns what a trace records of a step, besides its label; `Err` if a trace cannot record it.
    ///
    /// # Errors
    /// If a number is too large for a trace.
    fn recorded(
        &self,
        at: &Self::State,
        label: u32,
        outcome: &BigUint,
        to: &Self::State,
    ) -> Result<Option<Box<[u32]>>, Refusal>;

    /// Returns the outcome that a trace records; `None` if it is not found.
    fn outcome_of(&self, at: &Self::State, label: u32, recorded: Option<&[u32]>) -> Option<BigUint>;

    /// The number of parts of a state: threads, places, latches, variables.
    fn parts(&self) -> usize;

    /// Returns the name of a part.
    fn part(&self, part: usize) -> String;

    /// Returns the value of a part, as [`crate::Steps::state`] does.
    fn value(&self, at: &Self::State, part: usize) -> Value;

    /// Returns the parts with different values, ascending.
    fn differ(&self, at: &Self::State, other: &Self::State) -> Vec<usize>;

    /// Returns the text for a value that says more to people than the value: the line of a state without a name.
    fn text(&self, _at: &Self::State, _part: usize) -> Option<String> {
        None
    }

    /// Returns where a part is in the text of the model, if it is known.
    fn place(&self, _at: &Self::State, _part: usize) -> Option<String> {
        None
    }

    /// Returns the line of the text at which a part is; `None` if it is not known, or in another text.
    fn line(&self, _at: &Self::State, _part: usize) -> Option<u32> {
        None
    }

    /// Returns the number of each part's value: the local state of a thread, the tokens of a place (at most
    /// `u32::MAX`), the line of a text.
    fn numbers(&self, at: &Self::State) -> Vec<u32>;

    /// Returns true if the state satisfies the formula. `None` if formulas do not speak of such states.
    fn holds(&self, at: &Self::State, formula: &Formula) -> Option<bool>;

    /// Returns true if the state satisfies the goal, if the goal is about states and has no formula.
    fn reaches(&self, at: &Self::State, goal: Goal) -> bool;

    /// The approximate size of a state in bytes.
    fn size(&self, at: &Self::State) -> usize;

    /// Returns true if pictures mark the state: a state of a goal, or one after which nothing counts.
    fn is_bad(&self, _at: &Self::State) -> bool {
        false
    }

    /// Returns true if it is no fault that the state has no step.
    fn may_end(&self, _at: &Self::State) -> bool {
        false
    }

    /// Returns the text of a state in pictures. `first` is an initial state.
    fn lines(&self, first: &Self::State, at: &Self::State) -> Vec<String>;

    /// Returns the state in a line, with at most `most` of its parts.
    fn show(&self, at: &Self::State, most: usize) -> String {
        let shown = |part| format!("{}: {}", self.part(part), said(self, at, part));
        let all: Vec<String> = (0..self.parts()).map(shown).collect();
        names(all.iter().map(String::as_str), most)
    }

    /// Returns the name of a label as people type it.
    fn typed(&self, _at: &Self::State, label: u32) -> String {
        self.name(label)
    }

    /// Returns a label as it is offered: its name, and the threads that request it.
    fn offer(&self, at: &Self::State, label: u32, _detail: Detail) -> String {
        self.typed(at, label)
    }

    /// Returns a line about a step that was taken: its event, and what it changes.
    fn line_of(&self, from: &Self::State, _label: u32, taken: &Taken<Self::State>, detail: Detail) -> String {
        let change = |&part: &usize| {
            format!("{}: {} -> {}", self.part(part), said(self, from, part), said(self, &taken.to, part))
        };
        let changes: Vec<String> = self.differ(from, &taken.to).iter().map(change).collect();
        let changes = if changes.is_empty() { "(nothing)".to_owned() } else { long_list(&changes, detail) };
        let words = std::iter::once(taken.event.as_str()).chain(taken.shows.iter().map(String::as_str));
        format!("{}  {changes}", words.collect::<Vec<_>>().join(" "))
    }

    /// Returns why the state, which is reached after `steps` steps, is one of the goal: indented lines, or nothing.
    fn why(&self, _problem: &Problem, _at: &Self::State, _goal: Goal, _steps: u64, _detail: Detail) -> String {
        String::new()
    }

    /// Returns why a state without a step has none, if there is more to say than why each label is not enabled: lines.
    fn stuck(&self, _at: &Self::State) -> Vec<String> {
        Vec::new()
    }

    /// Returns a remark on the labels that are not enabled, if there is one to make.
    fn remark(&self, _at: &Self::State, _detail: Detail) -> Option<String> {
        None
    }
}

/// Returns the value of a part in a line.
fn said<C: Choices + ?Sized>(choices: &C, at: &C::State, part: usize) -> String {
    choices.text(at, part).unwrap_or_else(|| choices.value(at, part).to_string())
}

/// Returns the number with these digits, the first one the lowest.
#[must_use]
pub fn number(fields: &[Field], values: &[BigUint]) -> BigUint {
    fields.iter().zip(values).rev().fold(BigUint::ZERO, |sum, (field, value)| sum * &field.count + value)
}

/// Returns the digits of an outcome; `None` if it is too large.
#[must_use]
pub fn digits(fields: &[Field], outcome: &BigUint) -> Option<Vec<BigUint>> {
    let mut rest = outcome.clone();
    let mut values = Vec::with_capacity(fields.len());
    for field in fields {
        if field.count.is_zero() {
            return None;
        }
        let (quotient, value) = rest.div_rem(&field.count);
        values.push(value);
        rest = quotient;
    }
    rest.is_zero().then_some(values)
}

/// Returns the digits of an outcome for fields with few values each.
pub fn small_digits(fields: &[Field], outcome: &BigUint) -> Option<Vec<usize>> {
    digits(fields, outcome)?.iter().map(|digit| usize::try_from(digit).ok()).collect()
}

/// Returns the first outcomes of these fields, at most `most`, and true if these are all.
#[must_use]
pub fn outcomes(fields: &[Field], most: usize) -> (Vec<BigUint>, bool) {
    let mut all = BigUint::one();
    for field in fields {
        all *= &field.count;
        if all > most.into() {
            break;
        }
    }
    let listed = usize::try_from(&all).map_or(most, |all| all.min(most));
    ((0..listed).map(BigUint::from).collect(), all <= most.into())
}

/// Returns the bits of an outcome, one for each of `count` fields with two values, 32 to a word.
pub fn words(outcome: &BigUint, count: usize) -> Option<Vec<u32>> {
    if outcome.bits() > count as u64 {
        return None;
    }
    let mut words = outcome.to_u32_digits();
    words.resize(count.div_ceil(32), 0);
    Some(words)
}

/// Returns the positions at which two lists of the same length differ.
pub fn positions<T: PartialEq>(one: &[T], other: &[T]) -> Vec<usize> {
    one.iter().zip(other).enumerate().filter(|(_, (a, b))| a != b).map(|(i, _)| i).collect()
}

/// Returns true if the formula holds where each place has the tokens that `tokens` returns.
pub fn holds(formula: &Formula, tokens: impl Fn(PlaceId) -> BigInt) -> bool {
    let mut truths: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        let truth = match node {
            Node::All(parts) => parts.iter().all(|part| truths[part.index()]),
            Node::Any(parts) => parts.iter().any(|part| truths[part.index()]),
            Node::AtLeast(sum) => {
                sum.terms.iter().map(|(place, by)| by * tokens(*place)).sum::<BigInt>() >= sum.at_least
            }
        };
        truths.push(truth);
    }
    truths.last().copied().unwrap_or(false)
}

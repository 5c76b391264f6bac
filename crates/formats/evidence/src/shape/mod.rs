//! The JSON form of evidence, for writing and reading alike.
//!
//! A type of the model that stands in evidence implements [`Shape`]. The macro [`shape!`] implements it from a
//! description of the form, so that each form is written down once:
//!
//! ```text
//! shape! { Task = {thread, event, period} => {Task { thread, event, period }} }
//! shape! { Reason [LINES] =
//!     "cartesian" () => {Reason::Cartesian},
//!     "potential" (weights) => {Reason::Potential(weights)},
//!     "lemma" (kind, reason) => {Reason::Lemma(kind, reason)},
//!     "at" {thread, state / event} => {Reason::At { thread, state, event }},
//! }
//! ```
//!
//! `{a, b}` is an object with these keys; `/` is a comma with a line break behind it in what is written. `(a)` is the
//! form of `a`, and `(a, b)` is an array. A row with a name is `{"name": form}`, or with `()` the name alone. The
//! last part of a row is a value of the model. It serves as a pattern for writing and as an expression for reading.
//! `refuse (condition, "message")` after it refuses what was read; the parts of the value are references there. A row
//! `with (a = value)` is for values of the model in which `a` has this value, which is not written.
//!
//! A form may depend on its [`Scope`]: a place is a name, or a number where the certificate lists places.
//!
//! Why no derived serializers: names of places need the system, their errors need a place in the file, and types of the
//! model would need a second definition in this crate, with conversions to and from it.

mod input;
mod leaves;
pub(super) mod named;
mod rows;

pub(super) use input::{Input, Later};
pub(super) use rows::{get, put, shape};

use super::asked::GoalNames;
use super::names::Names;
pub(super) use super::names::invalid;
use formats::json::Res;
use model::{PlaceId, Problem};
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Each element of a list begins a line.
pub(super) const LINES: [&str; 2] = ["\n", ",\n"];
/// There is a line break between the elements of a list.
pub(super) const BREAKS: [&str; 2] = ["", ",\n"];

/// A type with a JSON form.
pub(super) trait Shape: Sized {
    /// Approximate number of numbers that an element of a list takes in memory, besides lists in it.
    const NUMBERS: usize = 1;
    /// The texts before the first element of a list and before the other ones.
    const BEFORE: [&'static str; 2] = ["", ","];
    /// The same for lists of such elements in a list.
    const LISTS: [&'static str; 2] = ["", ","];
    /// True if an optional value is left out of an object, and not written as `null`.
    const LEFT_OUT: bool = false;
    /// The keys of a pair that begins with such a value. Other pairs are arrays.
    const KEYS: Option<[&'static str; 2]> = None;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()>;

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self>;

    fn write_list(list: &[Self], to: &mut Output<'_>) -> io::Result<()> {
        to.list(list.iter())
    }

    fn read_list(from: &mut Input<'_, '_>) -> Res<Vec<Self>> {
        let mut list = Vec::new();
        from.list(|from| {
            list.push(Self::read_from(from)?);
            from.take(Self::NUMBERS)
        })?;
        Ok(list)
    }

    /// True if the value is left out of an object.
    fn is_left_out(&self) -> bool {
        false
    }

    /// Returns the value of a key that is left out.
    fn left_out() -> Option<Self> {
        None
    }
}

/// What the numbers and names in a certificate mean.
pub(super) enum Style {
    /// Events are numbers, goals are `bad` and `deadlock`, and large numbers are strings.
    Numbers,
    /// Places, events and goals have their names.
    Names,
    /// Places are positions in this list.
    Listed(Listed),
    /// Places are collected here, and not written.
    Used(RefCell<Vec<PlaceId>>),
    /// Bits are about a circuit that is derived from that of the problem.
    OtherCircuit,
}

/// Places that a certificate lists.
#[derive(Default)]
pub(super) struct Listed {
    /// The places in ascending order.
    pub(super) places: Vec<PlaceId>,
    /// For each place of the system: its position in `places`. Empty for reading.
    position: Vec<u32>,
}

impl Listed {
    pub(super) fn read(places: Vec<PlaceId>) -> Self {
        Self { places, position: Vec::new() }
    }

    /// Makes the list of these places of a system with `all` places. Places that the system does not have are listed,
    /// too. They have no name, so writing them is an error.
    pub(super) fn of(mut places: Vec<PlaceId>, all: usize) -> Self {
        places.sort_unstable();
        places.dedup();
        let mut position = vec![0; all];
        for (number, place) in (0..).zip(&places) {
            if let Some(position) = position.get_mut(place.index()) {
                *position = number;
            }
        }
        Self { places, position }
    }
}

/// The system and the questions that a certificate is about.
pub(super) struct Scope<'p> {
    pub(super) names: &'p Names<'p>,
    pub(super) problem: &'p Problem,
    pub(super) asked: Rc<GoalNames<'p>>,
    pub(super) style: Style,
}

impl<'p> Scope<'p> {
    pub(super) fn new(names: &'p Names<'p>, problem: &'p Problem, style: Style) -> Self {
        Self { names, problem, asked: Rc::new(GoalNames::of(problem)), style }
    }

    /// Returns a scope with another style.
    pub(super) fn styled(&self, style: Style) -> Scope<'p> {
        Self { names: self.names, problem: self.problem, asked: Rc::clone(&self.asked), style }
    }
}

/// Where a form is written.
pub(super) struct Output<'w> {
    pub(super) out: &'w mut dyn Write,
    pub(super) scope: &'w Scope<'w>,
}

impl Output<'_> {
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() { Ok(()) } else { self.out.write_all(text.as_bytes()) }
    }

    /// Writes numbers.
    fn plain<T: serde::Serialize + ?Sized>(&mut self, numbers: &T) -> io::Result<()> {
        match self.scope.style {
            Style::Used(_) => Ok(()),
            _ => Ok(serde_json::to_writer(&mut *self.out, numbers)?),
        }
    }

    /// Writes the elements of a list.
    pub(super) fn list<'x, T: Shape + 'x>(&mut self, list: impl Iterator<Item = &'x T>) -> io::Result<()> {
        self.text("[")?;
        for (i, element) in list.enumerate() {
            self.text(T::BEFORE[usize::from(i > 0)])?;
            element.write_to(self)?;
        }
        self.text("]")
    }
}

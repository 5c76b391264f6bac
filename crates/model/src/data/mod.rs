//! Programs with unbounded data: behavioral programs with integer variables in threads and integer arguments of
//! events. Integers are mathematical integers.
//!
//! A thread is a finite graph of locations. What an event does at a location depends on the variables of the thread and
//! on the arguments of the event. A *decision* says how: it is a tree of tests, so exactly one way fits all values
//! (apart from free choices). At its end an [`Outcome`] says whether the thread requests or blocks the event, and where
//! it goes.
//!
//! A step: an event with arguments, and for each thread one outcome of its decision. It is possible if no thread blocks
//! and some thread requests the event in these outcomes. All threads then move at once; the new values are computed
//! from the old ones. A state with a bad location has no steps.

mod linear;
mod projection;
mod proof;
pub(crate) mod skeleton;

pub use linear::{Constraint, Linear, Symbol};
pub use projection::DataProjection;
pub use proof::{Control, DataCertificate, Proof, ProofStep};

use crate::grown::Ranges;
use crate::ids::{DecisionId, EventId, LocationId, ThreadId, VariableId};
use num_bigint::BigInt;
use num_traits::Signed;
use std::collections::BTreeMap;

/// A program with unbounded data. [`DataProgram::new`] checks it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataProgram {
    variables: Vec<DataVariable>,
    events: Vec<DataEvent>,
    threads: Vec<DataThread>,
    ranges: Ranges,
}

/// An integer variable. It belongs to one thread, and only this thread reads and changes it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataVariable {
    /// The name, with the array index if it is an element.
    pub name: String,
    /// The thread that owns the variable.
    pub thread: ThreadId,
}

/// A family of events: one for each list of arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataEvent {
    /// The parts of the name around the arguments: one more than there are arguments. `level(`, `)` is the family
    /// `level(0)`, `level(1)`, ..
    pub parts: Vec<String>,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct DataThread {
    /// The name, unique in the program.
    pub name: String,
    /// The locations.
    pub locations: Vec<Location>,
    /// The decisions. Their parts come before them.
    pub decisions: Vec<Decision>,
    /// The decision about the initial location and the initial values. All its outcomes go somewhere, and none blocks.
    pub initial: DecisionId,
}

/// A location of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// The name of the state in the text, or a number.
    pub name: String,
    /// The line in the text, from 1; 0 if there is none.
    pub line: u32,
    /// Values of variables that have one value here, as text: `turn = X`. May be empty.
    pub values: String,
    /// The kind of the location.
    pub kind: LocationKind,
    /// For each event that the thread requests, waits for or blocks here: the decision. The thread ignores other
    /// events.
    pub on: BTreeMap<EventId, DecisionId>,
}

/// The kind of a location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LocationKind {
    /// An ordinary location.
    Plain,
    /// The thread may end here: a state in which all threads are at such locations is a proper end.
    Final,
    /// A bad location.
    Bad,
}

/// A step of a decision.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Decision {
    /// Goes on by a test.
    Test {
        /// The tested constraint.
        constraint: Constraint,
        /// What follows if it holds.
        yes: DecisionId,
        /// What follows if it does not hold.
        no: DecisionId,
    },
    /// Divides `term` by a positive number, rounding down. The quotient is the input `quotient`, the remainder is the
    /// input `quotient + 1`.
    Divide {
        /// What is divided.
        term: Linear,
        /// The divisor, positive.
        by: BigInt,
        /// The number of the input for the quotient.
        quotient: u32,
        /// What follows.
        then: DecisionId,
    },
    /// The input gets any value.
    Any {
        /// The number of the input.
        input: u32,
        /// What follows.
        then: DecisionId,
    },
    /// Goes on in any of these ways; at least one.
    Choose(Vec<DecisionId>),
    /// The end.
    End(Outcome),
}

/// What an event does in a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Outcome {
    /// True if the thread requests the event.
    pub requests: bool,
    /// True if the thread blocks the event.
    pub blocks: bool,
    /// Where the thread goes, with the new values of the variables that change. `None` if it ignores the event.
    pub go: Option<(LocationId, Vec<(VariableId, Linear)>)>,
}

impl DataProgram {
    /// Creates a program.
    ///
    /// # Errors
    /// Returns what is wrong: an index out of range, a decision that is no tree of earlier ones or defines an input
    /// twice, an initial outcome that goes nowhere or blocks, or a thread that uses a variable or an input of another
    /// thread.
    pub fn new(variables: Vec<DataVariable>, events: Vec<DataEvent>, threads: Vec<DataThread>) -> Result<Self, String> {
        let program = Self { variables, events, threads, ranges: Ranges::default() };
        if program.events.iter().any(|event| event.parts.is_empty()) {
            return Err("an event has no name".to_owned());
        }
        for number in 0..program.threads.len() {
            program.check_thread(ThreadId::new(number))?;
        }
        Ok(program)
    }

    /// Sets the ranges of the variables, for reports: the least and the greatest value.
    #[must_use]
    pub fn with_ranges(mut self, ranges: Vec<Option<(i64, i64)>>) -> Self {
        self.ranges = Ranges(ranges.into());
        self
    }

    /// Returns the least and the greatest value of a variable, if the text gives a range.
    #[must_use]
    pub fn range(&self, variable: VariableId) -> Option<(i64, i64)> {
        self.ranges.0.get(variable.index()).copied().flatten()
    }

    /// The variables.
    #[must_use]
    pub fn variables(&self) -> &[DataVariable] {
        &self.variables
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> &[DataEvent] {
        &self.events
    }

    /// The threads.
    #[must_use]
    pub fn threads(&self) -> &[DataThread] {
        &self.threads
    }

    fn check_thread(&self, id: ThreadId) -> Result<(), String> {
        let thread = &self.threads[id.index()];
        let count = thread.decisions.len();
        // For each decision: the smallest input that it or a part defines, and the largest argument number used, plus
        // one.
        let mut defined: Vec<u64> = Vec::with_capacity(count);
        let mut arity: Vec<u32> = Vec::with_capacity(count);
        for (number, decision) in thread.decisions.iter().enumerate() {
            let own = |linear: &Linear| self.arguments_of(linear, id);
            let (mut least, mut most, mut parts) = (u64::MAX, 0, Vec::new());
            match decision {
                Decision::Test { constraint, yes, no } => {
                    most = own(constraint.term())?;
                    parts.extend([*yes, *no]);
                }
                Decision::Divide { term, by, quotient, then } => {
                    if !by.is_positive() {
                        return Err(format!("`{}` divides by {by}", thread.name));
                    }
                    (least, most) = (u64::from(*quotient), own(term)?);
                    parts.push(*then);
                }
                Decision::Any { input, then } => {
                    least = u64::from(*input);
                    parts.push(*then);
                }
                Decision::Choose(ways) if ways.is_empty() => return Err("a choice has no way".to_owned()),
                Decision::Choose(ways) => parts.extend(ways),
                Decision::End(outcome) => most = self.check_outcome(outcome, id)?,
            }
            let width = if matches!(decision, Decision::Divide { .. }) { 2 } else { 1 };
            let own_least = least;
            for part in parts {
                if part.index() >= number {
                    return Err(format!("decision {number} of `{}` has a part that comes later", thread.name));
                }
                if own_least != u64::MAX && defined[part.index()] < own_least + width {
                    return Err(format!("decision {number} of `{}` defines an input that a part defines", thread.name));
                }
                least = least.min(defined[part.index()]);
                most = most.max(arity[part.index()]);
            }
            defined.push(least);
            arity.push(most);
        }
        if thread.initial.index() >= count || arity[thread.initial.index()] > 0 {
            return Err(format!("the initial decision of `{}` is out of range or uses arguments", thread.name));
        }
        self.check_initial(thread)?;
        for (event, decision) in thread.locations.iter().flat_map(|location| &location.on) {
            let Some(declared) = self.events.get(event.index()) else { return Err("no such event".to_owned()) };
            if decision.index() >= count || arity[decision.index()] as usize >= declared.parts.len() {
                return Err(format!("a decision of `{}` is out of range or uses too many arguments", thread.name));
            }
        }
        Ok(())
    }

    /// Checks that every outcome below the initial decision goes somewhere, and does not block.
    fn check_initial(&self, thread: &DataThread) -> Result<(), String> {
        let mut seen = vec![false; thread.decisions.len()];
        let mut work = vec![thread.initial];
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match &thread.decisions[id.index()] {
                Decision::End(Outcome { go: None, .. }) => return Err(format!("`{}` begins nowhere", thread.name)),
                Decision::End(Outcome { blocks: true, .. }) => {
                    return Err(format!("`{}` blocks its beginning", thread.name));
                }
                decision => work.extend(decision.parts()),
            }
        }
        Ok(())
    }

    fn check_outcome(&self, outcome: &Outcome, thread: ThreadId) -> Result<u32, String> {
        let Some((target, updates)) = &outcome.go else { return Ok(0) };
        if target.index() >= self.threads[thread.index()].locations.len() {
            return Err("no such location".to_owned());
        }
        let mut most = 0;
        for (at, (variable, value)) in updates.iter().enumerate() {
            if updates[..at].iter().any(|(other, _)| other == variable) {
                return Err("a variable is assigned twice".to_owned());
            }
            self.arguments_of(&Linear::of(Symbol::Variable(*variable)), thread)?;
            most = most.max(self.arguments_of(value, thread)?);
        }
        Ok(most)
    }

    /// Checks that the thread may use the symbols. Returns the largest number of an argument, plus one.
    fn arguments_of(&self, linear: &Linear, thread: ThreadId) -> Result<u32, String> {
        let mut most = 0;
        for (symbol, _) in linear.terms() {
            let is_own = match symbol {
                Symbol::Variable(id) => {
                    self.variables.get(id.index()).is_some_and(|variable| variable.thread == thread)
                }
                Symbol::Input(owner, _) => *owner == thread,
                Symbol::Argument(number) => {
                    most = most.max(number.saturating_add(1));
                    true
                }
            };
            if !is_own {
                return Err(format!("`{}` uses what belongs to another thread", self.threads[thread.index()].name));
            }
        }
        Ok(most)
    }
}

impl DataEvent {
    /// Returns the number of arguments.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.parts.len() - 1
    }

    /// Returns the name of the family, with `*` for each argument.
    #[must_use]
    pub fn family(&self) -> String {
        self.parts.join("*")
    }

    /// Returns the name of one event of the family.
    #[must_use]
    pub fn name(&self, arguments: &[BigInt]) -> String {
        let mut name = self.parts[0].clone();
        for (argument, part) in arguments.iter().zip(&self.parts[1..]) {
            name += &argument.to_string();
            name += part;
        }
        name
    }
}

impl Decision {
    /// Returns the decisions that may follow.
    #[must_use]
    pub fn parts(&self) -> Vec<DecisionId> {
        match self {
            Decision::Test { yes, no, .. } => vec![*yes, *no],
            Decision::Divide { then, .. } | Decision::Any { then, .. } => vec![*then],
            Decision::Choose(ways) => ways.clone(),
            Decision::End(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A beginning that blocks has no meaning: runs would begin there, and the skeleton would not.
    #[test]
    fn beginnings_that_block_are_refused() {
        let program = |blocks| {
            let end =
                |blocks, to| Decision::End(Outcome { requests: false, blocks, go: Some((LocationId(to), Vec::new())) });
            let location =
                |kind| Location { name: String::new(), line: 0, values: String::new(), kind, on: BTreeMap::new() };
            let decisions = vec![end(false, 0), end(blocks, 1), Decision::Choose(vec![DecisionId(0), DecisionId(1)])];
            let locations = vec![location(LocationKind::Plain), location(LocationKind::Bad)];
            let thread = DataThread { name: "T".to_owned(), locations, decisions, initial: DecisionId(2) };
            DataProgram::new(Vec::new(), Vec::new(), vec![thread])
        };
        assert_eq!(program(true).unwrap_err(), "`T` blocks its beginning");
        let skeleton = skeleton::skeleton(&program(false).unwrap()).unwrap();
        assert_eq!(skeleton.threads()[0].initial.len(), 2);
    }
}

//! Programs with unbounded data as choices: a label is an event, and the fields are its arguments and the numbers that
//! threads draw. How many numbers are drawn depends on the state, and is found by trying.

use super::{Choices, Field, Refusal, Taken, digits, number};
use crate::steps::{Value, location};
use certify::Work;
use certify::data::{self, Runs, Semantics};
use model::data::DataProgram;
use model::{EventId, Formula, Goal, Stop};
use num_bigint::BigUint;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The largest number of numbers that a step may draw.
const DRAWN: usize = 8;

/// Arguments that are tried to find out whether an event with one argument is enabled.
const TRIED: u64 = 65;

/// A program with unbounded data as choices.
#[derive(Clone, Debug)]
pub struct DataChoices {
    program: Arc<DataProgram>,
}

/// A location for each thread, and a value for each variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataState(data::DataState);

impl Hash for DataState {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.locations().hash(hasher);
        self.0.values().hash(hasher);
    }
}

/// Returns the two slots of a trace for the number with this code.
fn slots(code: u64) -> [u32; 2] {
    // The code of 0, -1, 1, -2, .. is 0, 1, 2, 3, ..
    let value = (code >> 1).cast_signed() ^ -((code & 1).cast_signed());
    let bits = value.cast_unsigned();
    [bits as u32, (bits >> 32) as u32]
}

/// Returns the codes of the numbers in the slots of a trace.
fn codes(slots: &[u32]) -> Vec<BigUint> {
    let code = |pair: &[u32]| {
        let value = (u64::from(pair.get(1).copied().unwrap_or(0)) << 32 | u64::from(pair[0])).cast_signed();
        BigUint::from((value << 1 ^ value >> 63).cast_unsigned())
    };
    slots.chunks(2).map(code).collect()
}

/// Returns fields for this many integers.
fn integers(names: impl Iterator<Item = String>) -> Vec<Field> {
    let field = |name| Field { signed: true, ..Field::counted(name, BigUint::from(1u32) << 64, BigUint::ZERO) };
    names.map(field).collect()
}

impl DataChoices {
    /// Creates the choices.
    #[must_use]
    pub fn new(program: &Arc<DataProgram>) -> Self {
        Self { program: Arc::clone(program) }
    }

    /// Returns the recorded numbers of an outcome, with as many numbers as `accepts` wants.
    fn choice<T>(
        outcome: &BigUint,
        least: usize,
        accepts: impl Fn(&[u32]) -> Result<T, certify::Refusal>,
    ) -> Result<(Vec<u32>, T), Refusal> {
        let mut why = Refusal::Unknown;
        for count in least..=DRAWN {
            let fields = integers((0..count).map(|_| String::new()));
            let Some(values) = digits(&fields, outcome) else { continue };
            let recorded: Vec<u32> = values.iter().flat_map(|code| slots(u64::try_from(code).unwrap_or(0))).collect();
            match accepts(&recorded) {
                Ok(found) => return Ok((recorded, found)),
                Err(refused) => {
                    let text = refused.to_string();
                    let wants_more = text.contains("the trace records fewer choices than there are");
                    why = Refusal::Other(text);
                    if !wants_more {
                        break;
                    }
                }
            }
        }
        Err(why)
    }

    fn step(&self, at: &DataState, label: u32, outcome: &BigUint) -> Result<(Vec<u32>, data::DataState), Refusal> {
        let event = self.program.events().get(label as usize).ok_or(Refusal::Unknown)?;
        let stop = Stop::default();
        Self::choice(outcome, event.arity(), |recorded| {
            let mut next = at.0.clone();
            let choice = (!recorded.is_empty()).then_some(recorded);
            Runs::new(&self.program).step(&mut next, label, choice, &mut Work::new(u64::MAX, &stop))?;
            Ok(next)
        })
    }

    fn begin(&self, outcome: &BigUint) -> Result<(Vec<u32>, data::DataState), Refusal> {
        let stop = Stop::default();
        let start = |recorded: &[u32]| Runs::new(&self.program).start(recorded, &mut Work::new(u64::MAX, &stop));
        Self::choice(outcome, 0, start)
    }

    /// Returns the first outcome of an event that is possible, among those that are tried.
    fn first(&self, at: &DataState, label: u32) -> Result<BigUint, Refusal> {
        let refused = match self.step(at, label, &BigUint::ZERO) {
            Ok(_) => return Ok(BigUint::ZERO),
            Err(refused) => refused,
        };
        let has_arguments = self.program.events().get(label as usize).is_some_and(|event| event.arity() > 0);
        let tried = if has_arguments { 1..TRIED } else { 0..0 };
        tried.map(BigUint::from).find(|outcome| self.step(at, label, outcome).is_ok()).ok_or(refused)
    }
}

impl Choices for DataChoices {
    type State = DataState;

    const NOTE: &'static str = "A state lists the locations of threads, and the values of variables.";

    fn start_fields(&self) -> Vec<Field> {
        let drawn = self.begin(&BigUint::ZERO).map_or(0, |(recorded, _)| recorded.len() / 2);
        integers((1..=drawn).map(|i| format!("number {i}")))
    }

    fn start(&self, outcome: &BigUint) -> Option<DataState> {
        self.begin(outcome).ok().map(|(_, state)| DataState(state))
    }

    fn start_of(&self, recorded: &[u32]) -> Option<BigUint> {
        let codes = codes(recorded);
        Some(number(&integers(codes.iter().map(|_| String::new())), &codes))
    }

    fn recorded_start(&self, outcome: &BigUint) -> Option<Box<[u32]>> {
        self.begin(outcome).ok().map(|(recorded, _)| recorded.into_boxed_slice())
    }

    fn labels(&self) -> usize {
        self.program.events().len()
    }

    fn name(&self, label: u32) -> String {
        self.program.events()[label as usize].family()
    }

    fn enabled(&self, at: &DataState) -> Vec<u32> {
        (0..).take(self.labels()).filter(|label| self.first(at, *label).is_ok()).collect()
    }

    fn fields(&self, at: &DataState, label: u32) -> Vec<Field> {
        let Ok(first) = self.first(at, label) else { return Vec::new() };
        let Ok((recorded, _)) = self.step(at, label, &first) else { return Vec::new() };
        let arity = self.program.events()[label as usize].arity();
        let name = |i| if i <= arity { format!("argument {i}") } else { format!("number {}", i - arity) };
        integers((1..=recorded.len() / 2).map(name))
    }

    fn refusal(&self, at: &DataState, label: u32) -> Refusal {
        if label as usize >= self.labels() {
            return Refusal::Unknown;
        }
        self.first(at, label).err().unwrap_or(Refusal::Unknown)
    }

    fn take(&self, at: &DataState, label: u32, outcome: &BigUint) -> Result<Taken<DataState>, Refusal> {
        let (recorded, next) = self.step(at, label, outcome)?;
        let (runs, stop) = (Runs::new(&self.program), Stop::default());
        let choice = (!recorded.is_empty()).then_some(&recorded[..]);
        let arguments = runs.arguments(label, choice).map_err(|why| Refusal::Other(why.to_string()))?;
        let mut work = Work::new(u64::MAX, &stop);
        let requesters = runs.requesters(&at.0, label, choice, &mut work).unwrap_or_default();
        let name = |t: model::ThreadId| self.program.threads()[t.index()].name.clone();
        Ok(Taken {
            to: DataState(next),
            event: self.program.events()[EventId(label).index()].name(&arguments),
            requested_by: requesters.into_iter().map(name).collect(),
            shows: Vec::new(),
            goals: Vec::new(),
            is_rejected: false,
        })
    }

    fn recorded(
        &self,
        at: &DataState,
        label: u32,
        outcome: &BigUint,
        _: &DataState,
    ) -> Result<Option<Box<[u32]>>, Refusal> {
        let (recorded, _) = self.step(at, label, outcome)?;
        Ok((!recorded.is_empty()).then(|| recorded.into_boxed_slice()))
    }

    fn outcome_of(&self, _: &DataState, _: u32, recorded: Option<&[u32]>) -> Option<BigUint> {
        self.start_of(recorded.unwrap_or_default())
    }

    fn parts(&self) -> usize {
        self.program.threads().len() + self.program.variables().len()
    }

    fn part(&self, part: usize) -> String {
        let threads = self.program.threads();
        match threads.get(part) {
            Some(thread) => thread.name.clone(),
            None => {
                let variable = &self.program.variables()[part - threads.len()];
                format!("{}.{}", threads[variable.thread.index()].name, variable.name)
            }
        }
    }

    fn value(&self, at: &DataState, part: usize) -> Value {
        let threads = self.program.threads();
        match threads.get(part) {
            Some(thread) => Value::State(location(&thread.locations[at.0.locations()[part].index()])),
            None => Value::Shown(at.0.values()[part - threads.len()].to_string()),
        }
    }

    fn differ(&self, at: &DataState, other: &DataState) -> Vec<usize> {
        let first = self.program.threads().len();
        let mut parts = super::positions(at.0.locations(), other.0.locations());
        parts.extend(super::positions(at.0.values(), other.0.values()).iter().map(|part| first + part));
        parts
    }

    fn line(&self, at: &DataState, part: usize) -> Option<u32> {
        let thread = self.program.threads().get(part)?;
        Some(thread.locations[at.0.locations()[part].index()].line).filter(|line| *line > 0)
    }

    /// The locations of the threads. Values of variables have no such numbers.
    fn numbers(&self, at: &DataState) -> Vec<u32> {
        at.0.locations().iter().map(|location| location.0).collect()
    }

    fn holds(&self, _: &DataState, _: &Formula) -> Option<bool> {
        None
    }

    fn reaches(&self, at: &DataState, goal: Goal) -> bool {
        let stop = Stop::default();
        let mut work = Work::new(1 << 20, &stop);
        matches!(goal, Goal::Bad | Goal::Deadlock) && Runs::new(&self.program).reached(&at.0, goal, &mut work).is_ok()
    }

    fn size(&self, at: &DataState) -> usize {
        let locations = at.0.locations().len() * size_of::<u32>();
        locations + at.0.values().iter().map(|value| 32 + value.bits() as usize / 8).sum::<usize>()
    }

    fn is_bad(&self, at: &DataState) -> bool {
        self.reaches(at, Goal::Bad)
    }

    fn may_end(&self, at: &DataState) -> bool {
        !self.reaches(at, Goal::Deadlock)
    }

    fn lines(&self, _: &DataState, at: &DataState) -> Vec<String> {
        (0..self.parts()).map(|part| format!("{}: {}", self.part(part), self.value(at, part))).collect()
    }
}

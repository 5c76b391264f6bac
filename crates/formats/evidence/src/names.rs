//! The names of the parts of a system in evidence files. Thread-transition systems have no names, so their parts
//! are numbers.

use super::shape::{Input, Later, invalid};
use formats::codes::{self, Code};
use formats::json::{Res, string};
use formats::{Error, nearest, printable};
use model::reactive::letter;
use model::{LocalId, PlaceId, SystemModel};
use num_bigint::BigUint;
use num_traits::Zero;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

/// Parts of one kind: names, or numbers below `count`.
pub(super) struct Labels<'p> {
    /// The beginning of the error about an unknown part, such as "the net has no place".
    lacks: String,
    /// The code of this error.
    code: &'static Code,
    pub(super) count: usize,
    list: Option<Vec<Cow<'p, str>>>,
    /// The numbers of names, also of further names than those that are written.
    index: HashMap<Cow<'p, str>, u32>,
}

impl<'p> Labels<'p> {
    /// Returns named parts. If several parts have the same name, the first one counts.
    pub(super) fn names<T: Into<Cow<'p, str>>>(lacks: impl Into<String>, names: impl Iterator<Item = T>) -> Self {
        let list: Vec<Cow<'p, str>> = names.map(Into::into).collect();
        let index = (0..list.len()).rev().map(|at| (list[at].clone(), at as u32)).collect();
        Self { lacks: lacks.into(), code: &codes::EVIDENCE_NAME, count: list.len(), list: Some(list), index }
    }

    fn numbers(lacks: &str, count: usize) -> Self {
        Self { lacks: lacks.to_owned(), code: &codes::EVIDENCE_NAME, count, list: None, index: HashMap::new() }
    }

    /// Returns a part as JSON text.
    pub(super) fn text(&self, number: u32) -> io::Result<String> {
        match &self.list {
            _ if number as usize >= self.count => {
                Err(invalid("the evidence names parts that the system does not have"))
            }
            Some(names) => Ok(string(&names[number as usize])),
            None => Ok(number.to_string()),
        }
    }

    pub(super) fn read(&self, from: &mut Input<'_, '_>) -> Res<u32> {
        let start = from.here();
        if self.list.is_some() {
            let name = from.name("a name")?;
            return self.index.get(&name).copied().ok_or_else(|| self.unknown(from, start, &name));
        }
        let number: u32 = from.read()?;
        if (number as usize) < self.count {
            return Ok(number);
        }
        let error = from.error(self.code, start, format!("{} {number}", self.lacks));
        Err(error.label(format!("expected a number below {}", self.count)))
    }

    fn unknown(&self, from: &Input<'_, '_>, start: Later, name: &str) -> Box<Error> {
        let message = format!("{} `{}`", self.lacks, printable(name));
        unknown_name(from.error(self.code, start, message), name, self.index.keys().map(Cow::as_ref))
    }
}

/// Completes the error about an unknown name.
pub(super) fn unknown_name<'n>(error: Box<Error>, name: &str, known: impl Iterator<Item = &'n str>) -> Box<Error> {
    let error = error.label("unknown name");
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    match nearest(name, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// A system with its names.
pub(super) struct Names<'p> {
    pub(super) system: &'p SystemModel,
    pub(super) events: Labels<'p>,
    pub(super) places: Labels<'p>,
    pub(super) threads: Labels<'p>,
    /// For a program: the local states of each thread.
    pub(super) states: Vec<Labels<'p>>,
}

/// A place with an open initial count, and its least initial count.
pub(super) struct Open {
    pub(super) place: PlaceId,
    pub(super) least: BigUint,
}

impl<'p> Names<'p> {
    /// Returns the names in `system`, or `None` for a system of one's own.
    pub(super) fn of(system: &'p SystemModel) -> Option<Self> {
        let none = || Labels::numbers("the system has no part", 0);
        let (mut places, mut threads, mut states) = (none(), none(), Vec::new());
        let events = match system {
            SystemModel::Rwb(program) => {
                threads = Labels::names("the program has no thread", program.threads().iter().map(|t| &*t.name));
                states.extend(program.threads().iter().map(|thread| {
                    let lacks = format!("thread `{}` has no state", printable(&thread.name));
                    Labels::names(lacks, thread.states.iter().map(|state| &*state.name))
                }));
                Labels::names("the program has no event", program.events().iter().map(|event| &**event))
            }
            SystemModel::Net(net) => {
                let shown = (0..net.places().len()).map(|place| net.shown_place(PlaceId::new(place)));
                places = Labels::names("the net has no place", shown);
                places.index.extend(net.place_index().into_iter().map(|(name, place)| (name.into(), place.0)));
                let shown = (0..net.transitions().len()).map(|t| net.shown_transition(model::TransitionId::new(t)));
                let mut events = Labels::names("the net has no transition", shown);
                events.index.extend(net.transition_index().into_iter().map(|(name, t)| (name.into(), t.0)));
                events
            }
            SystemModel::Threads(threads) => {
                places = Labels::numbers("the thread-transition system has no state", threads.places());
                Labels::numbers("the thread-transition system has no transition", threads.transitions().len())
            }
            SystemModel::Circuit(_) => {
                let frame = Labels::names("the step of a circuit is `frame`, not", ["frame"].into_iter());
                Labels { code: &codes::EVIDENCE_KIND, ..frame }
            }
            SystemModel::Reactive(program) => {
                Labels::names("the program has no input", program.inputs().iter().map(|input| letter(*input)))
            }
            SystemModel::Data(program) => Labels::numbers("the program has no event", program.events().len()),
            SystemModel::Own(_) => return None,
        };
        Some(Self { system, events, places, threads, states })
    }

    /// Returns the places with an open initial count, in the order of their counts at the start of a trace.
    pub(super) fn open(&self) -> Vec<Open> {
        match self.system {
            SystemModel::Net(net) => {
                let least = |place| Open { place, least: net.place(place).initial.at_least.clone() };
                net.open_places().into_iter().map(least).collect()
            }
            SystemModel::Threads(threads) => {
                let initial = threads.initial();
                let least = |l: &LocalId| initial.threads.get(l).cloned().unwrap_or_else(BigUint::zero);
                initial.any.iter().map(|l| Open { place: threads.local_place(*l), least: least(l) }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the key of an open place in the start of a trace: its name, or the number of the local state.
    pub(super) fn open_key(&self, place: PlaceId) -> String {
        match self.system {
            SystemModel::Net(net) => net.shown_place(place).to_owned(),
            SystemModel::Threads(threads) => (place.0 - threads.shared()).to_string(),
            _ => String::new(),
        }
    }

    /// Returns, as JSON text, the state that a move chose.
    pub(super) fn state_text(&self, slots: &[u32]) -> io::Result<String> {
        let parts: Vec<String> = match self.system {
            SystemModel::Data(_) => integers(slots).iter().map(i64::to_string).collect(),
            SystemModel::Net(_) | SystemModel::Reactive(_) => return Err(invalid("a choice where there is none")),
            _ if slots.len() != self.state_width() => return Err(invalid("a state of another system")),
            SystemModel::Rwb(_) => {
                self.states.iter().zip(slots).map(|(states, slot)| states.text(*slot)).collect::<io::Result<_>>()?
            }
            _ => slots.iter().map(u32::to_string).collect(),
        };
        Ok(format!("[{}]", parts.join(",")))
    }

    /// Reads the state that a move chose.
    pub(super) fn state(&self, from: &mut Input<'_, '_>) -> Res<Box<[u32]>> {
        let start = from.here();
        match self.system {
            SystemModel::Rwb(_) => {
                let names: Vec<Later> = from.read()?;
                if names.len() != self.states.len() {
                    let (found, threads) = (names.len(), self.states.len());
                    let message = format!("a composite state of {found} threads, but the program has {threads}");
                    return Err(from.wrong(start, message).label("expected one state for each thread"));
                }
                self.states.iter().zip(names).map(|(states, name)| from.at(name, |from| states.read(from))).collect()
            }
            SystemModel::Threads(threads) => {
                let list: Box<[u32]> = from.read()?;
                if list.len() != self.state_width() || list[0] >= threads.shared() {
                    let label = format!("expected the shared state and {} numbers of threads", threads.locals());
                    return Err(from.wrong(start, "not a state of the thread-transition system").label(label));
                }
                Ok(list)
            }
            SystemModel::Circuit(circuit) => words(from, circuit.inputs().len(), "inputs of the circuit"),
            SystemModel::Data(_) => {
                let list: Vec<i64> = from.read()?;
                Ok(list.into_iter().flat_map(slots_of).collect())
            }
            _ => {
                from.value()?;
                let error = from.wrong(start, "the steps of nets and reactive programs leave no choice");
                Err(error.label("expected the name of the step alone"))
            }
        }
    }

    /// Returns the number of slots of a recorded choice.
    pub(super) fn state_width(&self) -> usize {
        match self.system {
            SystemModel::Rwb(program) => program.threads().len(),
            SystemModel::Threads(threads) => 1 + threads.locals() as usize,
            SystemModel::Circuit(circuit) => circuit.inputs().len().div_ceil(32),
            SystemModel::Data(program) => 2 * program.threads().len(),
            SystemModel::Net(_) | SystemModel::Reactive(_) | SystemModel::Own(_) => 0,
        }
    }
}

/// Returns the integers of a run of a program with unbounded data: two slots each, low bits first.
fn integers(slots: &[u32]) -> Vec<i64> {
    let integer = |pair: &[u32]| {
        let high = pair.get(1).copied().unwrap_or(0);
        (u64::from(pair[0]) | u64::from(high) << 32).cast_signed()
    };
    slots.chunks(2).map(integer).collect()
}

/// Returns the two slots of an integer.
fn slots_of(integer: i64) -> [u32; 2] {
    let bits = integer.cast_unsigned();
    [(bits & u64::from(u32::MAX)) as u32, (bits >> 32) as u32]
}

/// Reads a list of numbers with 32 bits in each, for `bits` bits. `what` describes them in errors.
pub(super) fn words(from: &mut Input<'_, '_>, bits: usize, what: &str) -> Res<Box<[u32]>> {
    let (start, list, width) = (from.here(), from.read::<Box<[u32]>>()?, bits.div_ceil(32));
    if list.len() != width {
        let error = from.wrong(start, format!("not the {what}"));
        return Err(error.label(format!("expected {width} numbers, for {bits} bits, 32 in each")));
    }
    Ok(list)
}

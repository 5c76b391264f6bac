//! The names of the parts of a system in evidence files. Thread-transition systems have no names, so their parts
//! are numbers.

use formats::codes::{self, Code};
use formats::json::string;
use formats::printable;
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
    pub(super) lacks: String,
    /// The code of this error.
    pub(super) code: &'static Code,
    pub(super) count: usize,
    pub(super) list: Option<Vec<Cow<'p, str>>>,
    /// The numbers of names, also of further names than those that are written.
    pub(super) index: HashMap<Cow<'p, str>, u32>,
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
}

/// The places of a program are the local states of all threads, and one for each thread with several initial states.
/// There are so many more, because evidence may be about the program with threads for the question
/// ([`mod@model::observed`]).
const ADDED_STATES: usize = 16;

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
    /// Returns the names in `system`, or `None` for a system in memory only.
    pub(super) fn of(system: &'p SystemModel) -> Option<Self> {
        let none = || Labels::numbers("the system has no part", 0);
        let of_threads = |states: usize| Labels::numbers("the program has no local state", states + ADDED_STATES);
        let (mut places, mut threads, mut states) = (none(), none(), Vec::new());
        let events = match system {
            SystemModel::Rwb(program) => {
                threads = Labels::names("the program has no thread", program.threads().iter().map(|t| &*t.name));
                states.extend(program.threads().iter().map(|thread| {
                    let lacks = format!("thread `{}` has no state", printable(&thread.name));
                    Labels::names(lacks, thread.states.iter().map(|state| &*state.name))
                }));
                places = of_threads(program.threads().iter().map(|thread| thread.states.len() + 1).sum());
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
            SystemModel::Data(program) => {
                places = of_threads(program.threads().iter().map(|thread| thread.locations.len() + 1).sum());
                Labels::numbers("the program has no event", program.events().len())
            }
            SystemModel::Own(system) => {
                system.identity()?;
                Labels::numbers("the system has no step", u32::MAX as usize)
            }
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

    /// Returns the number of slots of a recorded choice.
    pub(super) fn state_width(&self) -> usize {
        match self.system {
            SystemModel::Rwb(program) => program.threads().len(),
            SystemModel::Threads(threads) => 1 + threads.locals() as usize,
            SystemModel::Circuit(circuit) => circuit.inputs().len().div_ceil(32),
            SystemModel::Data(program) => 2 * program.threads().len(),
            SystemModel::Own(system) => system.sizes().len(),
            SystemModel::Net(_) | SystemModel::Reactive(_) => 0,
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

pub(super) fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

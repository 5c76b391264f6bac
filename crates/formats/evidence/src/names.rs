//! The names of the parts of a system in evidence files. Thread-transition systems have no names, so their parts
//! are numbers.

use crate::shape::shaped;
use formats::json::{Document, Res, Value, string};
use formats::{Error, codes, nearest, printable};
use model::reactive::letter;
use model::{
    Circuit, DataProgram, EventId, LocalId, Net, PlaceId, Program, Reactive, SystemModel, ThreadId,
    ThreadTransitionSystem, TransitionId,
};
use num_bigint::BigUint;
use num_traits::Zero;
use std::collections::HashMap;
use std::io;

/// A system with its names.
pub(super) enum Names<'p> {
    Program(ProgramNames<'p>),
    Net(NetNames<'p>),
    Threads(&'p ThreadTransitionSystem),
    Circuit(&'p Circuit),
    Reactive(&'p Reactive),
    Data(&'p DataProgram),
}

pub(super) struct ProgramNames<'p> {
    pub(super) program: &'p Program,
    events: HashMap<&'p str, EventId>,
    states: Vec<HashMap<&'p str, u32>>,
}

pub(super) struct NetNames<'p> {
    pub(super) net: &'p Net,
    places: HashMap<&'p str, PlaceId>,
    transitions: HashMap<&'p str, TransitionId>,
}

/// A place with an open initial count, and its least initial count.
pub(super) struct Open {
    pub(super) place: PlaceId,
    pub(super) least: BigUint,
}

impl<'p> Names<'p> {
    /// Returns the names in `system`, or `None` for a system of one's own.
    pub(super) fn of(system: &'p SystemModel) -> Option<Self> {
        Some(match system {
            SystemModel::Rwb(program) => {
                let events = program.events().iter().enumerate().map(|(i, e)| (e.as_str(), EventId::new(i))).collect();
                let states = |t: &'p model::Thread| (0..).zip(&t.states).map(|(i, s)| (s.name.as_str(), i)).collect();
                let states = program.threads().iter().map(states).collect();
                Self::Program(ProgramNames { program, events, states })
            }
            SystemModel::Net(net) => {
                Self::Net(NetNames { net, places: net.place_index(), transitions: net.transition_index() })
            }
            SystemModel::Threads(threads) => Self::Threads(threads),
            SystemModel::Circuit(circuit) => Self::Circuit(circuit),
            SystemModel::Reactive(program) => Self::Reactive(program),
            SystemModel::Data(program) => Self::Data(program),
            SystemModel::Own(_) => return None,
        })
    }

    /// Returns an event as JSON text.
    pub(super) fn event_text(&self, event: EventId) -> io::Result<String> {
        match self {
            Self::Program(names) => names.program.events().get(event.index()).map(|e| string(e)).ok_or_else(unknown),
            Self::Net(names) if event.index() < names.net.transitions().len() => {
                Ok(string(names.net.shown_transition(TransitionId(event.0))))
            }
            Self::Net(_) => Err(unknown()),
            Self::Threads(threads) if event.index() < threads.transitions().len() => Ok(event.0.to_string()),
            Self::Circuit(_) if event.index() == 0 => Ok("\"frame\"".to_owned()),
            Self::Reactive(program) => {
                program.inputs().get(event.index()).map(|&n| string(&letter(n))).ok_or_else(unknown)
            }
            Self::Data(program) if event.index() < program.events().len() => Ok(event.0.to_string()),
            Self::Threads(_) | Self::Circuit(_) | Self::Data(_) => Err(unknown()),
        }
    }

    pub(super) fn event<'a>(&self, document: Document<'a>, value: Value<'a>) -> Res<EventId> {
        match self {
            Self::Program(names) => {
                let name = document.string(value, "the name of an event")?;
                names.events.get(name.as_ref()).copied().ok_or_else(|| {
                    let known = names.program.events().iter().map(String::as_str);
                    let message = format!("the program has no event `{}`", printable(&name));
                    unknown_name(document, value, &message, &name, known)
                })
            }
            Self::Net(names) => {
                let name = document.string(value, "the name of a transition")?;
                names.transitions.get(name.as_ref()).map(|t| EventId(t.0)).ok_or_else(|| {
                    let known = names.transitions.keys().copied();
                    let message = format!("the net has no transition `{}`", printable(&name));
                    unknown_name(document, value, &message, &name, known)
                })
            }
            Self::Threads(threads) => {
                number_below(document, value, threads.transitions().len(), "transition").map(EventId)
            }
            Self::Data(program) => number_below(document, value, program.events().len(), "event").map(EventId),
            Self::Circuit(_) => match document.string(value, "`frame`")?.as_ref() {
                "frame" => Ok(EventId(0)),
                _ => Err(document.error(&codes::EVIDENCE_KIND, value, "the steps of circuits are called `frame`")),
            },
            Self::Reactive(program) => {
                let name = document.string(value, "an input letter")?;
                let at = program.inputs().iter().position(|&n| letter(n) == name);
                at.map(EventId::new).ok_or_else(|| {
                    let message = format!("the program has no input `{}`", printable(&name));
                    let known: Vec<String> = program.inputs().iter().map(|&n| letter(n)).collect();
                    unknown_name(document, value, &message, &name, known.iter().map(String::as_str))
                })
            }
        }
    }

    /// Returns a place of a net or thread-transition system as JSON text.
    pub(super) fn place_text(&self, place: PlaceId) -> io::Result<String> {
        match self {
            Self::Net(names) if place.index() < names.net.places().len() => Ok(string(names.net.shown_place(place))),
            Self::Net(_) => Err(unknown()),
            Self::Threads(threads) if place.index() < threads.places() => Ok(place.0.to_string()),
            Self::Threads(_) | Self::Program(_) | Self::Circuit(_) | Self::Reactive(_) | Self::Data(_) => {
                Err(unknown())
            }
        }
    }

    pub(super) fn place<'a>(&self, document: Document<'a>, value: Value<'a>) -> Res<PlaceId> {
        match self {
            Self::Net(names) => {
                let name = document.string(value, "the name of a place")?;
                names.place(document, value, &name)
            }
            Self::Threads(threads) => number_below(document, value, threads.places(), "state").map(PlaceId),
            Self::Program(_) | Self::Circuit(_) | Self::Reactive(_) | Self::Data(_) => {
                Err(document.error(&codes::EVIDENCE_KIND, value, "a program or circuit has no places"))
            }
        }
    }

    /// Returns the number of places of a net or thread-transition system.
    pub(super) fn places(&self) -> usize {
        match self {
            Self::Net(names) => names.net.places().len(),
            Self::Threads(threads) => threads.places(),
            Self::Program(_) | Self::Circuit(_) | Self::Reactive(_) | Self::Data(_) => 0,
        }
    }

    /// Returns the places with an open initial count, in the order of their counts at the start of a trace.
    pub(super) fn open(&self) -> Vec<Open> {
        match self {
            Self::Program(_) | Self::Circuit(_) | Self::Reactive(_) | Self::Data(_) => Vec::new(),
            Self::Net(names) => {
                let least = |place| Open { place, least: names.net.place(place).initial.at_least.clone() };
                names.net.open_places().into_iter().map(least).collect()
            }
            Self::Threads(threads) => {
                let initial = threads.initial();
                let least = |l: &LocalId| initial.threads.get(l).cloned().unwrap_or_else(BigUint::zero);
                initial.any.iter().map(|l| Open { place: threads.local_place(*l), least: least(l) }).collect()
            }
        }
    }

    /// Returns the key of an open place in the start of a trace: its name, or the number of the local state.
    pub(super) fn open_key(&self, place: PlaceId) -> String {
        match self {
            Self::Net(names) => names.net.shown_place(place).to_owned(),
            Self::Threads(threads) => (place.0 - threads.shared()).to_string(),
            Self::Program(_) | Self::Circuit(_) | Self::Reactive(_) | Self::Data(_) => String::new(),
        }
    }

    /// Returns, as JSON text, the state that a move chose.
    pub(super) fn state_text(&self, slots: &[u32]) -> io::Result<String> {
        let mut parts = Vec::with_capacity(slots.len());
        match self {
            Self::Program(names) if slots.len() == names.program.threads().len() => {
                for (thread, slot) in names.program.threads().iter().zip(slots) {
                    let state = thread.states.get(LocalId(*slot).index()).ok_or_else(unknown)?;
                    parts.push(string(&state.name));
                }
            }
            Self::Threads(threads) if slots.len() == 1 + threads.locals() as usize => {
                parts.extend(slots.iter().map(u32::to_string));
            }
            Self::Circuit(circuit) if slots.len() == circuit.inputs().len().div_ceil(32) => {
                parts.extend(slots.iter().map(u32::to_string));
            }
            Self::Data(_) => parts.extend(integers(slots).iter().map(i64::to_string)),
            _ => return Err(unknown()),
        }
        Ok(format!("[{}]", parts.join(",")))
    }

    pub(super) fn state<'a>(&self, document: Document<'a>, value: Value<'a>) -> Res<Box<[u32]>> {
        match self {
            Self::Program(names) => names.state(document, value),
            Self::Net(_) => {
                let error = document.error(&codes::EVIDENCE_SHAPE, value, "transitions of nets leave no choice");
                Err(error.label("expected the name of the transition alone"))
            }
            Self::Threads(threads) => {
                let list: Box<[u32]> = shaped(document, value)?;
                let width = 1 + threads.locals() as usize;
                if list.len() != width || list[0] >= threads.shared() {
                    let error =
                        document.error(&codes::EVIDENCE_SHAPE, value, "not a state of the thread-transition system");
                    let label = format!("expected the shared state and {} numbers of threads", width - 1);
                    return Err(error.label(label));
                }
                Ok(list)
            }
            Self::Circuit(circuit) => words(document, value, circuit.inputs().len(), "inputs of the circuit"),
            Self::Data(_) => {
                let list: Vec<i64> = shaped(document, value)?;
                Ok(list.into_iter().flat_map(slots_of).collect())
            }
            Self::Reactive(_) => {
                let error = document.error(&codes::EVIDENCE_SHAPE, value, "calls of reactive programs leave no choice");
                Err(error.label("expected the letter alone"))
            }
        }
    }

    /// Returns the number of slots of a recorded choice.
    pub(super) fn state_width(&self) -> usize {
        match self {
            Self::Program(names) => names.program.threads().len(),
            Self::Net(names) => names.net.places().len(),
            Self::Threads(threads) => 1 + threads.locals() as usize,
            Self::Circuit(circuit) => circuit.inputs().len().div_ceil(32),
            Self::Data(program) => 2 * program.threads().len(),
            Self::Reactive(_) => 0,
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

impl ProgramNames<'_> {
    /// Returns the thread's state with this name.
    pub(super) fn state_called(&self, thread: ThreadId, name: &str) -> Option<u32> {
        self.states.get(thread.index())?.get(name).copied()
    }

    fn state<'a>(&self, document: Document<'a>, value: Value<'a>) -> Res<Box<[u32]>> {
        let list = document.array(value, "a list with one state for each thread")?;
        if list.len() != self.states.len() {
            let message =
                format!("a composite state of {} threads, but the program has {}", list.len(), self.states.len());
            let error = document.error(&codes::EVIDENCE_SHAPE, value, message);
            return Err(error.label("expected one state for each thread"));
        }
        let mut slots = Vec::with_capacity(list.len());
        for (t, item) in list.into_iter().enumerate() {
            let name = document.string(item, "the name of a state")?;
            let Some(slot) = self.states[t].get(name.as_ref()) else {
                let thread = &self.program.threads()[t];
                let message = format!("thread `{}` has no state `{}`", printable(&thread.name), printable(&name));
                let known = thread.states.iter().map(|s| s.name.as_str());
                return Err(unknown_name(document, item, &message, &name, known));
            };
            slots.push(*slot);
        }
        Ok(slots.into_boxed_slice())
    }
}

impl NetNames<'_> {
    pub(super) fn place<'a>(&self, document: Document<'a>, value: Value<'a>, name: &str) -> Res<PlaceId> {
        self.places.get(name).copied().ok_or_else(|| {
            let message = format!("the net has no place `{}`", printable(name));
            unknown_name(document, value, &message, name, self.places.keys().copied())
        })
    }
}

/// Reads a list of numbers with 32 bits in each, for `bits` bits. `what` describes them in errors.
pub(super) fn words<'a>(document: Document<'a>, value: Value<'a>, bits: usize, what: &str) -> Res<Box<[u32]>> {
    let list: Box<[u32]> = shaped(document, value)?;
    let width = bits.div_ceil(32);
    if list.len() != width {
        let error = document.error(&codes::EVIDENCE_SHAPE, value, format!("not the {what}"));
        return Err(error.label(format!("expected {width} numbers, for {bits} bits, 32 in each")));
    }
    Ok(list)
}

fn number_below<'a>(document: Document<'a>, value: Value<'a>, end: usize, what: &str) -> Res<u32> {
    let number: u32 = shaped(document, value)?;
    if (number as usize) < end {
        return Ok(number);
    }
    let message = format!("the thread-transition system has no {what} {number}");
    let error = document.error(&codes::EVIDENCE_NAME, value, message);
    Err(error.label(format!("expected a number below {end}")))
}

fn unknown() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the evidence names parts that the system does not have")
}

pub(super) fn unknown_name<'a, 'n>(
    document: Document<'a>,
    value: Value<'a>,
    message: &str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
) -> Box<Error> {
    let error = document.error(&codes::EVIDENCE_NAME, value, message).label("unknown name");
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    match nearest(name, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

//! Names and states of systems, as evidence files have them.

use super::{Input, Later};
use crate::names::{Labels, Names};
use formats::json::Res;
use formats::{Error, nearest, printable};
use model::SystemModel;
use std::borrow::Cow;

impl Labels<'_> {
    pub(crate) fn read(&self, from: &mut Input<'_, '_>) -> Res<u32> {
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
pub(crate) fn unknown_name<'n>(error: Box<Error>, name: &str, known: impl Iterator<Item = &'n str>) -> Box<Error> {
    let error = error.label("unknown name");
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    match nearest(name, known) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

impl Names<'_> {
    /// Reads the state that a move chose.
    pub(crate) fn state(&self, from: &mut Input<'_, '_>) -> Res<Box<[u32]>> {
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
            SystemModel::Own(_) => {
                let (list, width) = (from.read::<Box<[u32]>>()?, self.state_width());
                let wrong =
                    || from.wrong(start, "not a state of the system").label(format!("expected {width} numbers"));
                if list.len() == width { Ok(list) } else { Err(wrong()) }
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
}

/// Returns the two slots of an integer.
fn slots_of(integer: i64) -> [u32; 2] {
    let bits = integer.cast_unsigned();
    [(bits & u64::from(u32::MAX)) as u32, (bits >> 32) as u32]
}

/// Reads a list of numbers with 32 bits in each, for `bits` bits. `what` describes them in errors.
pub(crate) fn words(from: &mut Input<'_, '_>, bits: usize, what: &str) -> Res<Box<[u32]>> {
    let (start, list, width) = (from.here(), from.read::<Box<[u32]>>()?, bits.div_ceil(32));
    if list.len() != width {
        let error = from.wrong(start, format!("not the {what}"));
        return Err(error.label(format!("expected {width} numbers, for {bits} bits, 32 in each")));
    }
    Ok(list)
}

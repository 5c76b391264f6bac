//! Closed state sets in evidence files: `{"width": 2, "states": [[0,1],[1,0]]}`. They are written and read as a
//! stream, because there may be tens of millions of states.

use crate::shape::shaped;
use formats::codes;
use formats::json::{Document, Res, Value};
use model::{Program, StateSet};
use serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;

/// A state set in memory, as read from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedStates {
    width: usize,
    count: u64,
    /// `width` slots for each state.
    slots: Vec<u32>,
}

impl StateSet for ListedStates {
    fn len(&self) -> u64 {
        self.count
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let width = self.width;
        (0..self.count as usize).try_for_each(|i| visit(&self.slots[i * width..(i + 1) * width]))
    }
}

/// Writes a set under the key `key`.
pub(super) fn write(key: &str, program: &Program, set: &dyn StateSet, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"{key}\":{{\"width\":{},\"states\":", program.threads().len())?;
    write_rows(set, out)?;
    write!(out, "}}")
}

/// Writes the states as an array of arrays.
pub(super) fn write_rows(set: &dyn StateSet, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "[")?;
    let mut result = Ok(());
    let mut line = String::new();
    let mut first = true;
    let _ = set.for_each(&mut |state| {
        line.clear();
        line.push_str(if std::mem::take(&mut first) { "\n[" } else { ",\n[" });
        for (i, slot) in state.iter().enumerate() {
            if i > 0 {
                line.push(',');
            }
            line.push_str(&slot.to_string());
        }
        line.push(']');
        result = out.write_all(line.as_bytes());
        if result.is_err() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    result?;
    write!(out, "]")
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    width: usize,
    #[serde(borrow)]
    states: &'a RawValue,
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, program: &Program) -> Res<ListedStates> {
    let shape: Fields<'a> = shaped(document, value)?;
    let width = program.threads().len();
    if shape.width != width {
        let message = format!("states of {} threads, but the program has {width}", shape.width);
        return Err(document.error(&codes::EVIDENCE_SHAPE, value, message).label(format!("expected `width` {width}")));
    }
    read_rows(document, shape.states, width)
}

/// Reads an array of states with `width` slots each.
pub(super) fn read_rows<'a>(document: Document<'a>, value: Value<'a>, width: usize) -> Res<ListedStates> {
    let mut deserializer = serde_json::Deserializer::from_str(value.get());
    let rows = Rows { width, most: document.limits.evidence_numbers };
    rows.deserialize(&mut deserializer)
        .map_err(|e| document.located(&codes::EVIDENCE_SHAPE, &e, document.span(value).start))
}

/// The deserializer for an array of rows of `width` numbers, with at most `most` numbers in all.
struct Rows {
    width: usize,
    most: usize,
}

impl<'de> DeserializeSeed<'de> for Rows {
    type Value = ListedStates;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ListedStates, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Rows {
    type Value = ListedStates;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of states, each an array of {} numbers", self.width)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ListedStates, A::Error> {
        let mut set = ListedStates { width: self.width, count: 0, slots: Vec::new() };
        while let Some(()) = seq.next_element_seed(Row { width: self.width, slots: &mut set.slots })? {
            set.count += 1;
            if set.slots.len() > self.most || set.count > self.most as u64 {
                return Err(A::Error::custom(format!("the set has more than {} numbers", self.most)));
            }
        }
        Ok(set)
    }
}

/// The deserializer for one row, which is appended to `slots`.
struct Row<'s> {
    width: usize,
    slots: &'s mut Vec<u32>,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a state: an array of {} numbers", self.width)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for i in 0..self.width {
            self.slots.push(seq.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?);
        }
        match seq.next_element::<u32>()? {
            Some(_) => Err(A::Error::invalid_length(self.width + 1, &self)),
            None => Ok(()),
        }
    }
}

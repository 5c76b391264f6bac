//! Certificates about markings in evidence files: the potentially marked places, and closed sets of markings.
//!
//! ```json
//! "markable": ["p", "q"]
//! "markings": {"slots": ["p", ["q", "r"]], "markable": ["p", "q", "r"], "states": [[2,0],[1,2]]}
//! "reduced_markings": as "markings", closed under the successors by stubborn sets
//! ```

use super::shape::{Input, Later, Output, Shape, get, put, shape};
use super::state_set::{Rows, read_rows};
use formats::json::Res;
use model::{Markings, PlaceId, PotentiallyMarked, Slot};
use std::io;

shape! { PotentiallyMarked = (places) => {PotentiallyMarked { places }} }

/// A slot is a place, or a list of places.
impl Shape for Slot {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        match self {
            Self::Tokens(place) => place.write_to(to),
            Self::OneOf(places) => places.write_to(to),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        if from.peek() == b'[' { from.read().map(Self::OneOf) } else { from.read().map(Self::Tokens) }
    }
}

pub(super) fn write(markings: &Markings, to: &mut Output<'_>) -> io::Result<()> {
    let Markings { slots, potentially_marked: markable, states } = markings;
    let states = Rows(states.as_ref());
    put!(to, { slots / markable / states })
}

pub(super) fn read(from: &mut Input<'_, '_>) -> Res<Markings> {
    let (slots, potentially_marked, states): (Later, Vec<bool>, Later) = get!(from, {slots markable states});
    let slots = from.at(slots, read_slots)?;
    let states = from.at(states, |from| read_rows(from, slots.len()))?;
    Ok(Markings { slots, potentially_marked, states })
}

fn read_slots(from: &mut Input<'_, '_>) -> Res<Vec<Slot>> {
    let mut kept = vec![false; from.scope.names.places.count];
    let mut slots = Vec::new();
    from.list(|from| {
        let (start, slot) = (from.here(), from.read()?);
        let places: &[PlaceId] = match &slot {
            Slot::Tokens(place) => std::slice::from_ref(place),
            Slot::OneOf(places) => places,
        };
        if places.iter().any(|place| std::mem::replace(&mut kept[place.index()], true)) {
            return Err(from.wrong(start, "a place in two slots"));
        }
        slots.push(slot);
        Ok(())
    })?;
    Ok(slots)
}

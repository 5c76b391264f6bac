//! Certificates about markings in evidence files: the potentially marked places, and closed sets of markings.
//!
//! ```json
//! "markable": ["p", "q"]
//! "markings": {"slots": ["p", ["q", "r"]], "markable": ["p", "q", "r"], "states": [[2,0],[1,2]]}
//! "reduced_markings": as "markings", closed under the successors by stubborn sets
//! ```

use super::names::Names;
use super::shape::shaped;
use super::state_set;
use formats::codes;
use formats::json::{Document, Res, Value};
use model::{Markings, PlaceId, PotentiallyMarked, Slot};
use serde_json::value::RawValue;
use std::io::{self, Write};

pub(super) fn write_markable(
    names: &Names<'_>,
    potentially_marked: &PotentiallyMarked,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "\"markable\":")?;
    write_places(names, &potentially_marked.places, out)
}

fn write_places(names: &Names<'_>, places: &[bool], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "[")?;
    let marked = places.iter().enumerate().filter(|(_, marked)| **marked);
    for (i, (place, _)) in marked.enumerate() {
        write!(out, "{}{}", if i == 0 { "" } else { "," }, names.place_text(PlaceId::new(place))?)?;
    }
    write!(out, "]")
}

/// Writes a set of markings under the key `kind`: `markings` or `reduced_markings`.
pub(super) fn write(kind: &str, names: &Names<'_>, markings: &Markings, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"{kind}\":{{\"slots\":[")?;
    for (i, slot) in markings.slots.iter().enumerate() {
        let text = match slot {
            Slot::Tokens(place) => names.place_text(*place)?,
            Slot::OneOf(places) => {
                let texts: io::Result<Vec<String>> = places.iter().map(|p| names.place_text(*p)).collect();
                format!("[{}]", texts?.join(","))
            }
        };
        write!(out, "{}{text}", if i == 0 { "" } else { "," })?;
    }
    write!(out, "],\n\"markable\":")?;
    write_places(names, &markings.potentially_marked, out)?;
    write!(out, ",\n\"states\":")?;
    state_set::write_rows(markings.states.as_ref(), out)?;
    write!(out, "}}")
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow)]
    slots: &'a RawValue,
    #[serde(borrow, rename = "markable")]
    potentially_marked: &'a RawValue,
    #[serde(borrow)]
    states: &'a RawValue,
}

pub(super) fn read_markable<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<PotentiallyMarked> {
    Ok(PotentiallyMarked { places: read_places(document, value, names)? })
}

fn read_places<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Vec<bool>> {
    let mut places = vec![false; names.places()];
    for item in document.array(value, "a list of places")? {
        let place = names.place(document, item)?;
        if std::mem::replace(&mut places[place.index()], true) {
            return Err(document.error(&codes::EVIDENCE_SHAPE, item, "a place stands here twice").label("again here"));
        }
    }
    Ok(places)
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Markings> {
    let shape: Fields<'a> = shaped(document, value)?;
    let mut kept = vec![false; names.places()];
    let mut keep = |item: Value<'a>| -> Res<PlaceId> {
        let place = names.place(document, item)?;
        if std::mem::replace(&mut kept[place.index()], true) {
            return Err(document.error(&codes::EVIDENCE_SHAPE, item, "a place in two slots").label("again here"));
        }
        Ok(place)
    };
    let mut slots = Vec::new();
    for item in document.array(shape.slots, "a list of slots")? {
        if !item.get().starts_with('[') {
            slots.push(Slot::Tokens(keep(item)?));
            continue;
        }
        let places: Res<Vec<PlaceId>> = document.array(item, "a list of places")?.into_iter().map(&mut keep).collect();
        slots.push(Slot::OneOf(places?));
    }
    let potentially_marked = read_places(document, shape.potentially_marked, names)?;
    let states = state_set::read_rows(document, shape.states, slots.len())?;
    Ok(Markings { slots, potentially_marked, states: Box::new(states) })
}

//! The positions of nodes in PNML and TAPAAL files. Readers of models skip them, because no answer depends on them.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Serialize;
use std::collections::HashMap;

/// A position in the picture that the file describes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Spot {
    x: f64,
    y: f64,
}

/// Returns the positions of the nodes by their ids. Empty if the text has none, or is no XML.
pub(crate) fn spots(text: &str) -> HashMap<String, Spot> {
    let mut reader = Reader::from_str(text);
    let mut spots = HashMap::new();
    // The node that is being read, and the depth of elements in it.
    let mut node: Option<(String, usize)> = None;
    loop {
        match reader.read_event() {
            Err(_) | Ok(Event::Eof) => return spots,
            Ok(Event::Start(tag)) => match &mut node {
                Some((_, depth)) => *depth += 1,
                None => {
                    node = opened(&tag, &mut spots).map(|id| (id, 0));
                }
            },
            Ok(Event::Empty(tag)) => match &node {
                // `<graphics><position x=".." y=".."/></graphics>` of the node itself, not of its name.
                Some((id, 1)) if tag.local_name().as_ref() == "position" => {
                    if let Some(spot) = spot(&tag, "x", "y") {
                        spots.entry(id.clone()).or_insert(spot);
                    }
                }
                Some(_) => {}
                None => drop(opened(&tag, &mut spots)),
            },
            Ok(Event::End(_)) => {
                node = match node {
                    Some((_, 0)) | None => None,
                    Some((id, depth)) => Some((id, depth - 1)),
                };
            }
            Ok(_) => {}
        }
    }
}

/// Returns the id of a place or transition. TAPAAL files have the position in the same tag.
fn opened(tag: &BytesStart<'_>, spots: &mut HashMap<String, Spot>) -> Option<String> {
    if !matches!(tag.local_name().as_ref(), "place" | "transition") {
        return None;
    }
    let id = attribute(tag, "id")?;
    if let Some(spot) = spot(tag, "positionX", "positionY") {
        spots.insert(id.clone(), spot);
    }
    Some(id)
}

fn spot(tag: &BytesStart<'_>, x: &str, y: &str) -> Option<Spot> {
    let number = |name| attribute(tag, name)?.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    Some(Spot { x: number(x)?, y: number(y)? })
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = tag.try_get_attribute(name).ok()??;
    Some(found.value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_nodes_are_read_and_those_of_names_are_not() {
        let text = "<pnml><net><page><place id='p'><name><graphics><offset x='1' y='2'/><position x='7' y='7'/>\
            </graphics></name><graphics><position x='30' y='-4.5'/></graphics></place>\
            <transition id='t' positionX='5' positionY='6'/><place id='q'/></page></net></pnml>";
        let found = spots(text);
        assert_eq!(
            (found.get("p"), found.get("t")),
            (Some(&Spot { x: 30.0, y: -4.5 }), Some(&Spot { x: 5.0, y: 6.0 }))
        );
        assert_eq!((found.len(), spots("no xml <").len()), (2, 0));
    }
}

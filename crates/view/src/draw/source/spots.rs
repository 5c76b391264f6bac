//! The positions of nodes in PNML and TAPAAL files. Readers of models skip them, because no answer depends on them.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;

/// The positions of nodes by their ids.
pub type Spots = HashMap<String, (f64, f64)>;

/// Returns the positions in a text. Empty if there are none, or if the text is not XML.
pub fn spots(text: &str) -> Spots {
    let mut found = Spots::new();
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        return found;
    }
    let mut reader = Reader::from_str(text);
    // The names of the open elements, and the last node with its depth.
    let mut depth = 0usize;
    let mut node: Option<(String, usize)> = None;
    loop {
        match reader.read_event() {
            Err(_) | Ok(Event::Eof) => return found,
            Ok(Event::Start(tag)) => {
                depth += 1;
                look(&tag, depth, &mut node, &mut found);
            }
            Ok(Event::Empty(tag)) => look(&tag, depth + 1, &mut node, &mut found),
            Ok(Event::End(_)) => {
                node = node.filter(|(_, from)| *from < depth);
                depth = depth.saturating_sub(1);
            }
            Ok(_) => {}
        }
    }
}

/// Looks at a tag that opens at this depth.
fn look(tag: &BytesStart<'_>, depth: usize, node: &mut Option<(String, usize)>, found: &mut Spots) {
    match tag.local_name().as_ref() {
        "place" | "transition" => {
            let Some(id) = attribute(tag, "id") else { return };
            // TAPAAL files have the position in the tag of the node.
            if let Some(spot) = spot(tag, "positionX", "positionY") {
                found.insert(id.clone(), spot);
            }
            *node = Some((id, depth));
        }
        // A position two levels below the node is its own, and a deeper one is that of its name.
        "position" => {
            if let Some((id, _)) = node.as_ref().filter(|(_, from)| from + 2 == depth)
                && let Some(spot) = spot(tag, "x", "y")
            {
                found.entry(id.clone()).or_insert(spot);
            }
        }
        _ => {}
    }
}

fn spot(tag: &BytesStart<'_>, x: &str, y: &str) -> Option<(f64, f64)> {
    let number = |name| attribute(tag, name)?.trim().parse::<f64>().ok().filter(|n| n.abs() < 1e7);
    Some((number(x)?, number(y)?))
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
        let text = "<pnml><net><page><place id='p'><name><graphics><position x='7' y='7'/></graphics></name><graphics>\
            <position x='30' y='-4.5'/></graphics></place><transition id='t' positionX='5' positionY='6'/>\
            <place id='q'/><graphics><position x='1' y='1'/></graphics></page></net></pnml>";
        let found = spots(text);
        assert_eq!((found.get("p"), found.get("t")), (Some(&(30.0, -4.5)), Some(&(5.0, 6.0))));
        assert_eq!((found.len(), spots("no xml <").len()), (2, 0));
    }
}

//! The positions of nodes in PNML and TAPAAL files, as the page reads them.

use serde::Serialize;
use std::collections::HashMap;
use view::draw::source::spots;

/// A position in the picture that the file describes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Spot {
    x: f64,
    y: f64,
}

/// Returns the positions of the nodes by their ids. Empty if the text has none, or is no XML.
pub(crate) fn spots(text: &str) -> HashMap<String, Spot> {
    spots::spots(text).into_iter().map(|(id, (x, y))| (id, Spot { x, y })).collect()
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

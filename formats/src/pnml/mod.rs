//! PNML, the XML exchange format of Petri nets (ISO/IEC 15909-2): place/transition nets, on any number of nested pages.
//!
//! Labels that change what a net does are read or refused, never skipped: `initialMarking`, `inscription`, and the arc types
//! `inhibitor`, `read`, `test` and `reset` that several editors add. Names, graphics and tool specific parts are skipped (also
//! the units of NUPN: a hint that is not used). Nodes are known by their ids, as in files of properties.

mod arcs;
mod nodes;
mod read;
mod write;

use crate::registry::Format;

/// Place/transition nets in PNML.
pub(crate) const FORMAT: Format = Format {
    name: "pnml",
    extensions: &["pnml"],
    doc: "Petri nets in XML (ISO/IEC 15909-2), place/transition nets.",
    read: Some(read::read),
    write: Some(write::write),
    says_goals: false,
};

//! PNML, the XML exchange format of Petri nets (ISO/IEC 15909-2), as tools write it: place/transition nets and
//! symmetric nets, on arbitrarily many nested pages, and TAPAAL's own files, which are PNML with several components.
//!
//! Every attribute and element has a row in one table (`known.rs`): it has a meaning, it does not affect the
//! behavior of the net, or it is refused. So every file is read as the net that its own tool reads. Nodes are
//! identified by their ids, as in files of properties; reports show their names.

mod arcs;
mod colour;
mod components;
mod kind;
mod known;
mod labels;
mod links;
mod nodes;
mod order;
mod parts;
mod queries;
mod read;
mod tapaal;
mod terms;
mod write;

use formats::format::Format;

/// Place/transition nets in PNML.
pub const FORMAT: Format = Format {
    name: "pnml",
    extensions: &["pnml"],
    family: model::Family::Nets,
    doc: "Petri nets in XML (ISO/IEC 15909-2), place/transition nets and symmetric nets.",
    read: Some(read::read),
    write: Some(write::write),
    says_goals: false,
};

/// Untimed nets in TAPAAL's files.
pub const TAPN: Format = Format {
    name: "tapn",
    extensions: &["tapn"],
    family: model::Family::Nets,
    doc: "Petri nets of TAPAAL: components with shared nodes, without time and games.",
    read: Some(read::read_tapn),
    write: None,
    says_goals: false,
};

//! The attributes and elements that tools write, and what becomes of each: one table, so that nothing is ignored
//! without a row.
//!
//! What a row calls void cannot change which markings are reachable. Whatever has no row is refused where it stands on
//! a place, a transition or an arc. The facts are from the sources of the tools: verifypn's `PNMLParser.cpp`; TAPAAL's
//! `TimedArcPetriNetNetworkWriter`, `TapnXmlLoader` and `PNMLWriter`; pm4py's importer and exporter; example files of
//! PIPE and WoPeD; the manual pages of Tina. `docs/pnml.md` has the same table for people, and a test holds the two
//! together.

/// What becomes of an attribute or element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sense {
    /// The reader gives it its meaning.
    Read,
    /// It says nothing about what the net does.
    Void,
    /// It says nothing with one of these values. Any other one would change what the net does, for this reason.
    Usual(&'static [&'static str], &'static str),
    /// It would change what the net does, for this reason.
    Refused(&'static str),
}
use Sense::{Read, Refused, Usual, Void};

/// An attribute or element by its name.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) sense: Sense,
}

const fn row(name: &'static str, sense: Sense) -> Row {
    Row { name, sense }
}

/// A kind of element: its attributes and its children.
pub(super) struct Known {
    pub(super) attributes: &'static [Row],
    pub(super) elements: &'static [Row],
    /// May it hold attributes that have no row? They are warned about.
    pub(super) lenient: bool,
}

const TIME: &str = "time is not supported";
const COLOUR: &str = "tokens with colours are not supported";
const CAPACITY: &str = "capacities are not supported; a place for the free room says the same";

/// The file itself.
pub(super) const FILE: Known = Known {
    attributes: &[],
    elements: &[
        row("net", Read),
        row("declaration", Read),
        row("shared-place", Read),
        row("shared-transition", Read),
        row("constant", Read),
        row("feature", Read),
        row("query", Read),
        row("queries", Read),
        row("k-bound", Void),
        row("labels", Void),
    ],
    lenient: true,
};

/// Nets and pages.
pub(super) const NET: Known = Known {
    attributes: &[row("id", Read), row("type", Read), row("active", Read), row("name", Void)],
    elements: &[
        row("page", Read),
        row("place", Read),
        row("transition", Read),
        row("arc", Read),
        row("inputArc", Read),
        row("outputArc", Read),
        row("inhibitorArc", Read),
        row("transportArc", Refused("it is for tokens with an age, and time is not supported")),
        row("referencePlace", Read),
        row("referenceTransition", Read),
        row("declaration", Read),
        row("finalmarkings", Read),
        row("query", Read),
        row("queries", Read),
        row("labels", Void),
        row("token", Void),
        row("tokenclass", Void),
        row("definition", Void),
        row("stategroup", Void),
    ],
    lenient: true,
};

pub(super) const PLACE: Known = Known {
    attributes: &[
        row("id", Read),
        row("name", Read),
        row("initialMarking", Read),
        row("invariant", Usual(&["< inf", "<inf"], TIME)),
        row("inscription", Usual(&["< inf", "<inf"], TIME)),
        row("capacity", Usual(&["0", "inf"], CAPACITY)),
        row("displayName", Void),
        row("nameOffsetX", Void),
        row("nameOffsetY", Void),
        row("positionX", Void),
        row("positionY", Void),
        row("markingOffsetX", Void),
        row("markingOffsetY", Void),
    ],
    elements: &[
        row("initialMarking", Read),
        row("capacity", Usual(&["0"], CAPACITY)),
        row("type", Read),
        row("hlinitialMarking", Read),
        row("colorinvariant", Refused(COLOUR)),
    ],
    lenient: false,
};

pub(super) const TRANSITION: Known = Known {
    attributes: &[
        row("id", Read),
        row("name", Read),
        row("priority", Read),
        row("timed", Read),
        row("urgent", Usual(&["false"], TIME)),
        row("player", Usual(&["0"], "games are not supported")),
        row("guard", Refused("data are not supported")),
        row("infiniteServer", Void),
        row("rate", Void),
        row("distribution", Void),
        row("firingMode", Void),
        row("weight", Void),
        row("angle", Void),
        row("orientation", Void),
        row("displayName", Void),
        row("nameOffsetX", Void),
        row("nameOffsetY", Void),
        row("positionX", Void),
        row("positionY", Void),
    ],
    elements: &[
        row("timed", Read),
        row("priority", Read),
        row("delay", Read),
        row("infiniteServer", Void),
        row("rate", Void),
        row("orientation", Void),
        row("condition", Refused("conditions are not supported")),
        row("readVariable", Refused("data are not supported")),
        row("writeVariable", Refused("data are not supported")),
    ],
    lenient: false,
};

pub(super) const ARC: Known = Known {
    attributes: &[
        row("id", Read),
        row("source", Read),
        row("target", Read),
        row("type", Read),
        row("weight", Read),
        row("inscription", Read),
        row("tagged", Usual(&["false"], "tagged tokens are not supported")),
        row("transition", Refused("arcs that transport tokens with their age are not supported")),
        row("transportID", Refused("arcs that transport tokens with their age are not supported")),
        row("nameOffsetX", Void),
        row("nameOffsetY", Void),
    ],
    elements: &[
        row("inscription", Read),
        row("type", Read),
        row("arctype", Read),
        row("hlinscription", Read),
        row("tagged", Usual(&["false"], "tagged tokens are not supported")),
        row("colorinterval", Refused(COLOUR)),
        row("arcpath", Void),
    ],
    lenient: false,
};

/// Reference places and transitions.
pub(super) const REFERENCE: Known =
    Known { attributes: &[row("id", Read), row("ref", Read)], elements: &[], lenient: false };

/// A number in the text of a label, or of a place in a final marking.
pub(super) const LABEL: Known =
    Known { attributes: &[row("idref", Read)], elements: &[row("text", Read), row("value", Read)], lenient: false };

/// What an element says in its attribute `value` or in its text: the type of an arc, for example.
pub(super) const VALUE: Known = Known { attributes: &[row("value", Read)], elements: &[], lenient: false };

/// Places that TAPAAL's components share.
pub(super) const SHARED_PLACE: Known = Known {
    attributes: &[
        row("name", Read),
        row("initialMarking", Read),
        row("invariant", Usual(&["< inf", "<inf"], TIME)),
        row("inscription", Usual(&["< inf", "<inf"], TIME)),
    ],
    elements: &[row("type", Read), row("hlinitialMarking", Read), row("colorinvariant", Refused(COLOUR))],
    lenient: false,
};

/// Transitions that TAPAAL's components share.
pub(super) const SHARED_TRANSITION: Known = Known {
    attributes: &[
        row("name", Read),
        row("urgent", Usual(&["false"], TIME)),
        row("player", Usual(&["0"], "games are not supported")),
        row("distribution", Void),
        row("firingMode", Void),
        row("weight", Void),
    ],
    elements: &[],
    lenient: false,
};

impl Known {
    pub(super) fn attribute(&self, name: &str) -> Option<Sense> {
        self.attributes.iter().find(|row| row.name == name).map(|row| row.sense)
    }

    /// Names, graphics and tool specific parts may stand everywhere. The few that mean something are read before this
    /// is asked.
    pub(super) fn element(&self, name: &str) -> Option<Sense> {
        let found = self.elements.iter().find(|row| row.name == name).map(|row| row.sense);
        found.or_else(|| matches!(name, "name" | "graphics" | "toolspecific").then_some(Void))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row is in the table for people, as `attribute` or `<element>`.
    #[test]
    fn the_table_for_people_has_every_row() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pnml.md");
        let docs = std::fs::read_to_string(path).expect("the documentation");
        let all = [FILE, NET, PLACE, TRANSITION, ARC, REFERENCE, LABEL, VALUE, SHARED_PLACE, SHARED_TRANSITION];
        for known in &all {
            for row in known.attributes {
                assert!(docs.contains(&format!("`{}`", row.name)), "the attribute {}", row.name);
            }
            for row in known.elements {
                assert!(docs.contains(&format!("`<{}>`", row.name)), "the element {}", row.name);
            }
            for Row { sense, .. } in known.attributes.iter().chain(known.elements) {
                if let Usual(values, _) = sense {
                    let value = values[0];
                    assert!(docs.contains(&format!("`{value}`")), "the value {value}");
                }
            }
        }
    }
}

//! The attributes and elements that tools write, and how the reader treats each of them. One table lists all of
//! them, so that nothing is ignored without a row.
//!
//! A row with the sense `Void` cannot change which markings are reachable. On places, transitions and arcs,
//! everything without a row is refused. The rows are based on the sources of the tools: verifypn's
//! `PNMLParser.cpp`; TAPAAL's `TimedArcPetriNetNetworkWriter`, `writeTACPN`, `TapnXmlLoader` and `PNMLWriter`; pm4py's
//! importer and exporter; example files of PIPE and WoPeD; the manual pages of Tina. `docs/pnml.md` contains the
//! same table, and a test compares the two.

/// The treatment of an attribute or element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sense {
    /// The reader interprets it.
    Read,
    /// It does not affect the behavior of the net.
    Void,
    /// If it has one of the listed values, it does not affect the behavior of the net. Any other value would
    /// change the behavior, for the given reason.
    Usual(&'static [&'static str], &'static str),
    /// It would change the behavior of the net, for the given reason.
    Refused(&'static str),
}
use Sense::{Read, Refused, Usual, Void};
use formats::error::printable;
use std::fmt;

/// The name of an attribute or element, and its treatment.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) sense: Sense,
}

const fn row(name: &'static str, sense: Sense) -> Row {
    Row { name, sense }
}

/// A kind of element: its attributes and its children.
pub(super) struct ElementSchema {
    pub(super) attributes: &'static [Row],
    /// Attributes that other kinds of elements have, too.
    pub(super) shared: &'static [Row],
    pub(super) elements: &'static [Row],
    /// True if the element may have attributes without a row. Such attributes give warnings.
    pub(super) lenient: bool,
}

const TIME: &str = "time is not supported";
const GAMES: &str = "games are not supported";
const DATA: &str = "data are not supported";
const AGE: &str = "it is for tokens with an age, and time is not supported";
const TAGGED: &str = "tagged tokens are not supported";
const CAPACITY: &str = "capacities are not supported; a place that counts the free capacity has the same effect";

/// How long a transition waits, and which of several transitions fires first, in TAPAAL's stochastic nets. A net is
/// stochastic if `feature` says so. The parameters of a distribution have the names of `SMC*Distribution.java`.
const STOCHASTIC: &[Row] = &[
    row("distribution", Void),
    row("distributionName", Void),
    row("value", Void),
    row("a", Void),
    row("b", Void),
    row("c", Void),
    row("p", Void),
    row("rate", Void),
    row("mean", Void),
    row("stddev", Void),
    row("logMean", Void),
    row("logStddev", Void),
    row("shape", Void),
    row("scale", Void),
    row("firingMode", Void),
    row("weight", Void),
];

/// The root element of the file.
pub(super) const FILE: ElementSchema = ElementSchema {
    attributes: &[],
    shared: &[],
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
        row("custom_distribution", Void),
    ],
    lenient: true,
};

/// Nets and pages.
pub(super) const NET: ElementSchema = ElementSchema {
    attributes: &[row("id", Read), row("type", Read), row("active", Read), row("name", Void)],
    shared: &[],
    elements: &[
        row("page", Read),
        row("place", Read),
        row("transition", Read),
        row("arc", Read),
        row("inputArc", Read),
        row("outputArc", Read),
        row("inhibitorArc", Read),
        row("transportArc", Refused(AGE)),
        row("referencePlace", Read),
        row("referenceTransition", Read),
        row("declaration", Read),
        row("finalmarkings", Read),
        row("query", Read),
        row("queries", Read),
        row("labels", Void),
        row("custom_distribution", Void),
        row("variables", Refused(DATA)),
        row("token", Void),
        row("tokenclass", Void),
        row("definition", Void),
        row("stategroup", Void),
    ],
    lenient: true,
};

pub(super) const PLACE: ElementSchema = ElementSchema {
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
    shared: &[],
    elements: &[
        row("initialMarking", Read),
        row("capacity", Usual(&["0"], CAPACITY)),
        row("tagged", Usual(&["false"], TAGGED)),
        row("initialMarkingAge", Refused(AGE)),
        row("type", Read),
        row("hlinitialMarking", Read),
        row("colorinvariant", Refused(TIME)),
    ],
    lenient: false,
};

pub(super) const TRANSITION: ElementSchema = ElementSchema {
    attributes: &[
        row("id", Read),
        row("name", Read),
        row("priority", Read),
        row("timed", Read),
        row("urgent", Usual(&["false"], TIME)),
        row("player", Usual(&["0"], GAMES)),
        row("guard", Refused(DATA)),
        row("infiniteServer", Void),
        row("angle", Void),
        row("orientation", Void),
        row("displayName", Void),
        row("nameOffsetX", Void),
        row("nameOffsetY", Void),
        row("positionX", Void),
        row("positionY", Void),
    ],
    shared: STOCHASTIC,
    elements: &[
        row("timed", Read),
        row("priority", Read),
        row("delay", Read),
        row("infiniteServer", Void),
        row("rate", Void),
        row("orientation", Void),
        row("placeHolder", Read),
        row("player", Usual(&["0"], GAMES)),
        row("condition", Read),
        row("readVariable", Refused(DATA)),
        row("writeVariable", Refused(DATA)),
    ],
    lenient: false,
};

pub(super) const ARC: ElementSchema = ElementSchema {
    attributes: &[
        row("id", Read),
        row("source", Read),
        row("target", Read),
        row("type", Read),
        row("weight", Read),
        row("inscription", Read),
        row("tagged", Usual(&["false"], TAGGED)),
        row("transition", Refused("arcs that transport tokens with their age are not supported")),
        row("transportID", Refused("arcs that transport tokens with their age are not supported")),
        row("nameOffsetX", Void),
        row("nameOffsetY", Void),
    ],
    shared: &[],
    elements: &[
        row("inscription", Read),
        row("type", Read),
        row("arctype", Read),
        row("hlinscription", Read),
        row("tagged", Usual(&["false"], TAGGED)),
        row("colorinterval", Refused(TIME)),
        row("arcpath", Void),
    ],
    lenient: false,
};

/// Reference places and transitions.
pub(super) const REFERENCE: ElementSchema =
    ElementSchema { attributes: &[row("id", Read), row("ref", Read)], shared: &[], elements: &[], lenient: false };

/// A number in the text of a label, or of a place in a final marking.
pub(super) const LABEL: ElementSchema = ElementSchema {
    attributes: &[row("idref", Read)],
    shared: &[],
    elements: &[row("text", Read), row("value", Read)],
    lenient: false,
};

/// An element with a value, in its attribute `value` or in its text: the type of an arc, for example.
pub(super) const VALUE: ElementSchema =
    ElementSchema { attributes: &[row("value", Read)], shared: &[], elements: &[], lenient: false };

/// Places that TAPAAL's components share.
pub(super) const SHARED_PLACE: ElementSchema = ElementSchema {
    attributes: &[
        row("name", Read),
        row("initialMarking", Read),
        row("invariant", Usual(&["< inf", "<inf"], TIME)),
        row("inscription", Usual(&["< inf", "<inf"], TIME)),
    ],
    shared: &[],
    elements: &[
        row("type", Read),
        row("hlinitialMarking", Read),
        row("initialMarkingAge", Refused(AGE)),
        row("colorinvariant", Refused(TIME)),
    ],
    lenient: false,
};

/// Transitions that TAPAAL's components share.
pub(super) const SHARED_TRANSITION: ElementSchema = ElementSchema {
    attributes: &[row("name", Read), row("urgent", Usual(&["false"], TIME)), row("player", Usual(&["0"], GAMES))],
    shared: STOCHASTIC,
    elements: &[],
    lenient: false,
};

impl ElementSchema {
    pub(super) fn attribute(&self, name: &str) -> Option<Sense> {
        self.attributes.iter().chain(self.shared).find(|row| row.name == name).map(|row| row.sense)
    }

    /// Returns the treatment of a child element. Names, graphics and tool specific parts may stand everywhere.
    /// Where such an element has a meaning, the reader handles it before calling this function.
    pub(super) fn element(&self, name: &str) -> Option<Sense> {
        let found = self.elements.iter().find(|row| row.name == name).map(|row| row.sense);
        found.or_else(|| matches!(name, "name" | "graphics" | "toolspecific").then_some(Void))
    }
}

/// The subject of an error.
#[derive(Clone, Copy)]
pub(super) enum What<'w> {
    Plain(&'static str),
    /// A kind of node, and its id.
    Node(&'static str, &'w str),
    /// An arc, with the ids of its source and target.
    Arc(&'w str, &'w str),
}

impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Plain(what) => f.write_str(what),
            What::Node(kind, id) => write!(f, "the {kind} `{}`", printable(id)),
            What::Arc(from, to) => write!(f, "the arc from `{}` to `{}`", printable(from), printable(to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that every row is in the table of `docs/pnml.md`, as `attribute` or `<element>`.
    #[test]
    fn the_table_for_people_has_every_row() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/pnml.md");
        let docs = std::fs::read_to_string(path).expect("the documentation");
        let all = [FILE, NET, PLACE, TRANSITION, ARC, REFERENCE, LABEL, VALUE, SHARED_PLACE, SHARED_TRANSITION];
        for known in &all {
            for row in known.attributes.iter().chain(known.shared) {
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

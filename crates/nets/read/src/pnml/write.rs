//! Writer for PNML: plain nets, on one page. Goals are not part of the format; they are in files of properties.

use super::kind::PLACE_TRANSITION;
use crate::plain::{self, Arcs, apart, net_for};
use crate::xml::legal;
pub(super) use formats::error::{WriteError, printable};
use model::{FinalMarking, Net, PlaceId, Problem, Transition, TransitionId};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use quick_xml::escape::escape;
use std::borrow::Cow;
use std::io::Write;

pub(super) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let net = net_for("pnml", problem)?;
    check(net)?;
    let names = Names::of(net);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">")?;
    writeln!(out, "<net id=\"{}net\" type=\"{PLACE_TRANSITION}\">", names.other)?;
    writeln!(out, "<page id=\"{}page\">", names.other)?;
    let grid = Grid::of(net.places().len() + names.transitions.len());
    for (p, place) in net.places().iter().enumerate() {
        write!(out, "<place id=\"{}\">", id(&place.name))?;
        write_labels(&place.name, net.shown_place(PlaceId::new(p)), grid.position(p), out)?;
        if !place.initial.at_least.is_zero() {
            write!(out, "<initialMarking><text>{}</text></initialMarking>", place.initial.at_least)?;
        }
        writeln!(out, "</place>")?;
    }
    let mut arcs = 0usize;
    for (t, (transition, name)) in net.transitions().iter().zip(&names.transitions).enumerate() {
        write!(out, "<transition id=\"{}\">", id(name))?;
        write_labels(name, net.shown_transition(TransitionId::new(t)), grid.position(net.places().len() + t), out)?;
        if net.is_silent(TransitionId::new(t)) {
            write!(out, "<toolspecific tool=\"ProM\" version=\"6.4\" activity=\"$invisible$\"/>")?;
        }
        writeln!(out, "</transition>")?;
        write_arcs(net, transition, name, &names.other, &mut arcs, out)?;
    }
    writeln!(out, "</page>")?;
    if !net.finals().is_empty() {
        writeln!(out, "<finalmarkings>")?;
        net.finals().iter().try_for_each(|marking| write_final(net, marking, out))?;
        writeln!(out, "</finalmarkings>")?;
    }
    Ok(writeln!(out, "</net></pnml>")?)
}

/// Places nodes in rows, so that an editor shows them side by side. A net has no layout of its own.
struct Grid {
    columns: usize,
}

impl Grid {
    /// The distance of two nodes, in points.
    const STEP: usize = 80;

    /// Returns a grid with about as many rows as columns.
    fn of(nodes: usize) -> Self {
        Self { columns: nodes.isqrt().max(1) }
    }

    fn position(&self, node: usize) -> (usize, usize) {
        (Self::STEP * (1 + node % self.columns), Self::STEP * (1 + node / self.columns))
    }
}

/// Writes the displayed name of a node and its position. Readers change blanks in names, so a name with unusual
/// blanks that is also the id is not written.
fn write_labels(id: &str, shown: &str, (x, y): (usize, usize), out: &mut dyn Write) -> Result<(), WriteError> {
    let mut words = shown.split_whitespace();
    if id != shown || shown.split(' ').all(|word| words.next() == Some(word)) {
        write!(out, "<name><text>{}</text></name>", escape(shown))?;
    }
    Ok(write!(out, "<graphics><position x=\"{x}\" y=\"{y}\"/></graphics>")?)
}

fn write_final(net: &Net, marking: &FinalMarking, out: &mut dyn Write) -> Result<(), WriteError> {
    write!(out, "<marking>")?;
    for (place, tokens) in marking {
        write!(out, "<place idref=\"{}\"><text>{tokens}</text></place>", id(&net.place(*place).name))?;
    }
    Ok(writeln!(out, "</marking>")?)
}

/// Returns an error for the first feature of the net that PNML cannot express.
fn check(net: &Net) -> Result<(), WriteError> {
    plain::fixed_start("pnml", net)?;
    let named = net.places().iter().map(|p| &p.name).chain(net.transitions().iter().map(|t| &t.name));
    for name in named {
        if name.is_empty() || !name.chars().all(legal) {
            let what = format!("the name `{}`, which XML cannot express", printable(name));
            return Err(WriteError::feature("pnml", what));
        }
    }
    net.transitions().iter().try_for_each(|transition| {
        plain::no_upper_bounds("pnml", net, transition)?;
        plain::fixed_effects("pnml", net, transition)
    })
}

/// The ids in the file. They must all be different, while in a net a transition may have the name of a place.
struct Names<'n> {
    transitions: Vec<Cow<'n, str>>,
    /// A prefix for the ids of arcs, the page and the net. No other id begins with it.
    other: String,
}

impl<'n> Names<'n> {
    fn of(net: &'n Net) -> Self {
        let transitions = apart(net);
        let names = net.places().iter().map(|p| p.name.as_str()).chain(transitions.iter().map(AsRef::as_ref));
        // The prefix is `x` with one more underscore than any name has after a first letter `x`.
        let marks = names.filter_map(|n| n.strip_prefix('x')).map(|n| n.len() - n.trim_start_matches('_').len()).max();
        Self { other: format!("x{}", "_".repeat(marks.map_or(0, |m| m + 1))), transitions }
    }
}

fn write_arcs(
    net: &Net,
    transition: &Transition,
    name: &str,
    other: &str,
    arcs: &mut usize,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    let mut arc = |source: &str, target: &str, weight: &BigUint| -> Result<(), WriteError> {
        if weight.is_zero() {
            return Ok(());
        }
        *arcs += 1;
        write!(out, "<arc id=\"{other}arc{arcs}\" source=\"{}\" target=\"{}\">", id(source), id(target))?;
        if !weight.is_one() {
            write!(out, "<inscription><text>{weight}</text></inscription>")?;
        }
        Ok(writeln!(out, "</arc>")?)
    };
    for Arcs { place, takes, puts } in plain::arcs(transition) {
        let place = &net.place(place).name;
        arc(place, name, &takes)?;
        arc(name, place, &puts)?;
    }
    Ok(())
}

/// Returns a name as the value of an attribute, escaped so that all blanks are preserved.
fn id(name: &str) -> String {
    escape(name).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;")
}

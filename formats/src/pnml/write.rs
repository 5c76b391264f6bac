//! Writer for PNML: plain nets, on one page. Goals are not part of the format; they are in files of properties.

use super::read::PLACE_TRANSITION;
use crate::error::{WriteError, printable};
use crate::registry::net_for;
use crate::xml::legal;
use model::{FinalMarking, Net, PlaceId, Problem, Transition, TransitionId};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use quick_xml::escape::escape;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write;

pub(super) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let net = net_for("pnml", problem)?;
    check(net)?;
    let names = Names::of(net);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">")?;
    writeln!(out, "<net id=\"{}net\" type=\"{PLACE_TRANSITION}\">", names.other)?;
    writeln!(out, "<page id=\"{}page\">", names.other)?;
    for (p, place) in net.places().iter().enumerate() {
        write!(out, "<place id=\"{}\">", id(&place.name))?;
        write_name(&place.name, net.shown_place(PlaceId::new(p)), out)?;
        if !place.initial.at_least.is_zero() {
            write!(out, "<initialMarking><text>{}</text></initialMarking>", place.initial.at_least)?;
        }
        writeln!(out, "</place>")?;
    }
    let mut arcs = 0usize;
    for (t, (transition, name)) in net.transitions().iter().zip(&names.transitions).enumerate() {
        write!(out, "<transition id=\"{}\">", id(name))?;
        write_name(name, net.shown_transition(TransitionId::new(t)), out)?;
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

/// Writes the displayed name of a node, if it differs from the id.
fn write_name(id: &str, shown: &str, out: &mut dyn Write) -> Result<(), WriteError> {
    if id != shown {
        write!(out, "<name><text>{}</text></name>", escape(shown))?;
    }
    Ok(())
}

fn write_final(net: &Net, marking: &FinalMarking, out: &mut dyn Write) -> Result<(), WriteError> {
    write!(out, "<marking>")?;
    for (place, tokens) in marking {
        write!(out, "<place idref=\"{}\"><text>{tokens}</text></place>", id(&net.place(*place).name))?;
    }
    Ok(writeln!(out, "</marking>")?)
}

fn feature(what: impl std::fmt::Display) -> WriteError {
    WriteError::feature("pnml", what)
}

/// Returns an error for the first feature of the net that PNML cannot express.
fn check(net: &Net) -> Result<(), WriteError> {
    for place in net.places() {
        if !place.initial.is_single() {
            let message = format!("place `{}` has no fixed number of tokens at the start", printable(&place.name));
            return Err(feature(message).hint("fix it with --init"));
        }
    }
    let named = net.places().iter().map(|p| &p.name).chain(net.transitions().iter().map(|t| &t.name));
    for name in named {
        if name.is_empty() || !name.chars().all(legal) {
            return Err(feature(format!("the name `{}`, which XML cannot express", printable(name))));
        }
    }
    net.transitions().iter().try_for_each(|t| check_transition(net, t))
}

fn check_transition(net: &Net, transition: &Transition) -> Result<(), WriteError> {
    let name = printable(&transition.name);
    for guard in &transition.guards {
        let place = printable(&net.place(guard.place).name);
        match &guard.range.at_most {
            Some(most) if most.is_zero() => {
                return Err(feature(format!("transition `{name}` tests `{place}` for zero")));
            }
            Some(_) => return Err(feature(format!("transition `{name}` has an upper bound on `{place}`"))),
            None => {}
        }
    }
    for effect in &transition.effects {
        let place = printable(&net.place(effect.place).name);
        if effect.delta().is_some() {
            continue;
        }
        let what = match (effect.sources.is_empty(), effect.add.is_zero()) {
            (true, true) => format!("transition `{name}` resets `{place}`"),
            (true, false) => format!("transition `{name}` assigns a constant to `{place}`"),
            (false, _) => format!("transition `{name}` transfers tokens to `{place}`"),
        };
        return Err(feature(what));
    }
    Ok(())
}

/// The ids in the file. They must all be different, while in a net a transition may have the name of a place.
struct Names<'n> {
    transitions: Vec<Cow<'n, str>>,
    /// A prefix for the ids of arcs, the page and the net. No other id begins with it.
    other: String,
}

impl<'n> Names<'n> {
    fn of(net: &'n Net) -> Self {
        let mut taken: HashSet<Cow<'n, str>> = net.places().iter().map(|p| Cow::Borrowed(p.name.as_str())).collect();
        let all: HashSet<&str> = net.transitions().iter().map(|t| t.name.as_str()).collect();
        let mut transitions = Vec::with_capacity(net.transitions().len());
        for transition in net.transitions() {
            let mut name = Cow::Borrowed(transition.name.as_str());
            while taken.contains(&name) || (matches!(name, Cow::Owned(_)) && all.contains(name.as_ref())) {
                name.to_mut().push('_');
            }
            taken.insert(name.clone());
            transitions.push(name);
        }
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
    // The arc from the place takes what the guard requires. The arc back returns this number plus the effect.
    for guard in &transition.guards {
        let place = net.place(guard.place);
        let least = &guard.range.at_least;
        arc(&place.name, name, least)?;
        let change = transition.effect(guard.place).and_then(|e| e.delta()).cloned().unwrap_or_default();
        let back = (BigInt::from(least.clone()) + change).to_biguint().unwrap_or_default();
        arc(name, &place.name, &back)?;
    }
    for effect in transition.effects.iter().filter(|e| transition.guard(e.place).is_none()) {
        arc(name, &net.place(effect.place).name, &effect.add.to_biguint().unwrap_or_default())?;
    }
    Ok(())
}

/// Returns a name as the value of an attribute, escaped so that all blanks are preserved.
fn id(name: &str) -> String {
    escape(name).replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;")
}

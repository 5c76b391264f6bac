//! Writer for Tina's textual nets. Reading the text gives the same net, except that a transition with the name of
//! a place gets another name.

use super::lex::written;
use crate::plain::{self, Arcs, apart, net_for};
pub(super) use formats::error::{WriteError, printable};
use model::{Net, Problem, Transition};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::borrow::Cow;
use std::io::{self, Write};

pub(super) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let net = net_for("tina", problem)?;
    check(net)?;
    let places: Vec<Cow<'_, str>> = net.places().iter().map(|place| written(&place.name)).collect();
    for (place, name) in net.places().iter().zip(&places) {
        write!(out, "pl {name}")?;
        if !place.initial.at_least.is_zero() {
            write!(out, " ({})", place.initial.at_least)?;
        }
        writeln!(out)?;
    }
    for (transition, name) in net.transitions().iter().zip(apart(net)) {
        write_transition(transition, &written(&name), &places, out)?;
    }
    Ok(())
}

/// Returns an error for the first feature of the net that the format cannot express.
fn check(net: &Net) -> Result<(), WriteError> {
    if net.places().is_empty() && net.transitions().is_empty() {
        return Err(WriteError::feature("tina", "a net without places and transitions"));
    }
    plain::no_ends("tina", net)?;
    plain::fixed_start("tina", net)?;
    let names = net.places().iter().map(|p| &p.name).chain(net.transitions().iter().map(|t| &t.name));
    if let Some(name) = names.into_iter().find(|name| name.is_empty() || name.contains(char::is_control)) {
        let what = format!("the name `{}`, which is empty or has control characters", printable(name));
        return Err(WriteError::feature("tina", what));
    }
    net.transitions().iter().try_for_each(|transition| plain::fixed_effects("tina", net, transition))
}

fn write_transition(
    transition: &Transition,
    name: &str,
    places: &[Cow<'_, str>],
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "tr {name}")?;
    let arcs: Vec<Arcs> = plain::arcs(transition).collect();
    for arc in &arcs {
        write_arc(&places[arc.place.index()], &arc.takes, out)?;
    }
    for guard in &transition.guards {
        if let Some(most) = &guard.range.at_most {
            write!(out, " {}?-{}", places[guard.place.index()], most + 1u8)?;
        }
    }
    write!(out, " ->")?;
    for arc in &arcs {
        write_arc(&places[arc.place.index()], &arc.puts, out)?;
    }
    writeln!(out)
}

fn write_arc(place: &str, weight: &BigUint, out: &mut dyn Write) -> io::Result<()> {
    match weight {
        weight if weight.is_zero() => Ok(()),
        weight if weight.is_one() => write!(out, " {place}"),
        weight => write!(out, " {place}*{weight}"),
    }
}

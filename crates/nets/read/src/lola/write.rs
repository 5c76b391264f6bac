//! Writer for `.lola` nets. Reading the text gives the same net. Names that are no words are quoted.

use super::lex::is_word;
use super::net::{KEYWORDS, is_quotable};
use crate::plain::{self, net_for};
pub(super) use formats::error::{WriteError, printable};
use model::{Net, Problem};
use num_bigint::BigUint;
use num_traits::Zero;
use std::borrow::Cow;
use std::io::Write;

pub(super) fn write(problem: &Problem, out: &mut dyn Write) -> Result<(), WriteError> {
    let net = net_for("lola", problem)?;
    check(net)?;
    let names: Vec<Cow<'_, str>> = net.places().iter().map(|p| name(&p.name)).collect::<Result<_, _>>()?;
    let transitions: Vec<Cow<'_, str>> = net.transitions().iter().map(|t| name(&t.name)).collect::<Result<_, _>>()?;
    writeln!(out, "PLACE {};", names.join(", "))?;
    list("MARKING", names.iter().zip(net.places()).map(|(name, place)| (name, &place.initial.at_least)), out)?;
    for (transition, name) in net.transitions().iter().zip(&transitions) {
        writeln!(out, "TRANSITION {name}")?;
        let arcs: Vec<plain::Arcs> = plain::arcs(transition).collect();
        list("  CONSUME", arcs.iter().map(|arc| (&names[arc.place.index()], &arc.takes)), out)?;
        list("  PRODUCE", arcs.iter().map(|arc| (&names[arc.place.index()], &arc.puts)), out)?;
    }
    Ok(())
}

/// Returns an error for the first feature of the net that the format cannot express.
fn check(net: &Net) -> Result<(), WriteError> {
    if net.places().is_empty() {
        return Err(WriteError::feature("lola", "a net without places"));
    }
    plain::no_ends("lola", net)?;
    plain::fixed_start("lola", net)?;
    net.transitions().iter().try_for_each(|transition| {
        plain::no_upper_bounds("lola", net, transition)?;
        plain::fixed_effects("lola", net, transition)
    })
}

/// Writes a list of places and numbers, without the numbers that are 0.
fn list<'n>(
    begin: &str,
    items: impl Iterator<Item = (&'n Cow<'n, str>, &'n BigUint)>,
    out: &mut dyn Write,
) -> Result<(), WriteError> {
    write!(out, "{begin}")?;
    let mut sign = " ";
    for (name, number) in items.filter(|(_, number)| !number.is_zero()) {
        write!(out, "{sign}{name}: {number}")?;
        sign = ", ";
    }
    Ok(writeln!(out, "{}", if sign == " " { " ;" } else { ";" })?)
}

/// Returns a name as the format writes it.
fn name(name: &str) -> Result<Cow<'_, str>, WriteError> {
    if is_word(name) && !KEYWORDS.contains(&name) {
        return Ok(Cow::Borrowed(name));
    }
    if is_quotable(name) && !name.contains('"') {
        return Ok(Cow::Owned(format!("\"{name}\"")));
    }
    let what = format!("the name `{}`, which cannot stand between quotation marks", printable(name));
    Err(WriteError::feature("lola", what))
}

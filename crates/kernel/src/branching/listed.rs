//! The listed markings on which formulas are evaluated.

use crate::closed::{Set, Whole};
use crate::net::{Listing, Marked, Rules, SlotLayout};
use crate::work::Work;
use crate::{Check, reject};
use model::{Markings, Problem};

/// Reads the listed markings, and passes them on with the rules of the system.
pub(super) fn on_listed<'a>(
    problem: &'a Problem,
    markings: Option<&'a Markings>,
    work: &mut Work<'_>,
    check: impl FnOnce(&mut Listing<'_>, &Rules<'_>, (&Set, &'a Markings), &mut Work<'_>) -> Check<()>,
) -> Check<Whole> {
    let Some(markings) = markings else { return reject("no markings are listed") };
    let Some(system) = Marked::of(problem) else { return reject("the formula is not about markings") };
    let (rules, shape) = (Rules::new(system, work)?, SlotLayout::new(system, &markings.slots)?);
    // A transition that changes no listed place is a step, too.
    let mut listing = Listing::new(system, &rules, &shape, markings, (&[], true), work)?;
    let set = Set::read(&listing, markings.states.as_ref(), work)?;
    check(&mut listing, &rules, (&set, markings), work)?;
    Ok(Whole { states: set.table.len() as u64, hash: set.hash })
}

//! Evidence that consists of several parts, in evidence files: for formulas of computation tree logic, and for largest
//! values of sums.
//!
//! ```json
//! "branching": {"holds": true, "formulas": [[{"sum": [["p", 1]], "at_least": 2}]], "parts": [..], "markings": {..},
//!               "siphons": [["p", "q"]], "live": {"traps": [["p"]], "refutation": [[[-1], [3, 1]], [[], [4, 2]]],
//!               "restart": {"end": "q", "steps": [["follow", "t"]], "weights": [["p", 1], ["q", 1]]}}}
//! "bound": {"value": 3, "formulas": [..], "parts": [..]}
//! ```
//!
//! `formulas` come after those of the questions about the model. A formula is the list of its nodes, operands first:
//! `{"all": [0, 1]}`, `{"any": [0, 1]}` or `{"sum": [[place, factor], ..], "at_least": number}`. A part is a claim,
//! with its `goals` (`formula 7` is the formula with this number) and one kind of evidence. `markings`, `siphons` and
//! `live` may be left out, also `restart` ([`mod@crate::restart`]), `recurring` and `lost` ([`recurring`]). A
//! refutation is a list of clauses with their hints.

use super::parts::{read_parts, write_parts};
use super::shape::{Input, Later, Output, Shape, get, shape};
use super::{markings, recurring};
use formats::json::Res;
use model::{BranchingEvidence, Claim, Goal, Live, Parts, PlaceId};
use num_bigint::BigUint;
use std::io;
use std::sync::Arc;

shape! { Live = {restart / traps / refutation} => {Live { restart, traps, refutation }} }

pub(super) fn write_branching(to: &mut Output<'_>, holds: bool, evidence: &BranchingEvidence) -> io::Result<()> {
    to.text(&format!("\"branching\":{{\"holds\":{holds},"))?;
    write_parts(to, &evidence.never)?;
    if let Some(listed) = &evidence.markings {
        to.text(",\n\"markings\":")?;
        markings::write(listed, to)?;
    }
    if !evidence.siphons.is_empty() {
        to.text(",\n\"siphons\":")?;
        evidence.siphons.write_to(to)?;
    }
    if let Some(live) = &evidence.live {
        to.text(",\n\"live\":")?;
        live.write_to(to)?;
    }
    if let Some(letters) = &evidence.recurring {
        to.text(",\n\"recurring\":")?;
        recurring::write(to, letters)?;
    }
    if !evidence.lost.is_empty() {
        to.text(",\n\"lost\":")?;
        recurring::write_lost(to, &evidence.lost)?;
    }
    to.text("}")
}

pub(super) fn write_bound(to: &mut Output<'_>, value: &BigUint, parts: &Parts) -> io::Result<()> {
    to.text("\"bound\":{\"value\":")?;
    value.write_to(to)?;
    to.text(",")?;
    write_parts(to, parts)?;
    to.text("}")
}

pub(super) fn read_branching(from: &mut Input<'_, '_>, goals: Vec<Goal>) -> Res<Claim> {
    type Lists = (Option<Vec<Vec<PlaceId>>>, Option<Arc<Live>>, Option<Later>, Option<Later>);
    from.has_json_codes = true;
    let (holds, formulas, parts, markings, siphons, live, recurring, lost) =
        get!(from, {holds formulas parts markings siphons live recurring lost});
    let (siphons, live, recurring, lost): Lists = (siphons, live, recurring, lost);
    let never = read_parts(from, (formulas, parts))?;
    let markings =
        Option::map(markings, |place| from.coded(false, |from| from.at(place, markings::read))).transpose()?;
    let recurring = recurring.map(|place| from.at(place, recurring::read)).transpose()?;
    let lost = lost.map(|place| from.at(place, recurring::read_lost)).transpose()?.unwrap_or_default();
    let siphons = siphons.unwrap_or_default();
    let markings = markings.map(Arc::new);
    let evidence = BranchingEvidence { never, markings, siphons, live, recurring, lost };
    Ok(Claim::Branching { goals, holds, evidence })
}

pub(super) fn read_bound(from: &mut Input<'_, '_>, goal: Goal) -> Res<Claim> {
    from.has_json_codes = true;
    let (value, formulas, parts) = get!(from, {value formulas parts});
    Ok(Claim::Bound { goal, value, parts: read_parts(from, (formulas, parts))? })
}

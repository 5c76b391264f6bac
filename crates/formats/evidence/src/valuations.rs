//! Certificates about reactive programs in evidence files: sets of valuations that are closed under calls.
//!
//! ```json
//! "valuations": {"slots": ["a17", {"variable": "a7", "cuts": [-5, 3]}], "rows": [[1,0],[4294967295,2]]}
//! ```
//!
//! A slot that is a name contains exact values, written as the unsigned numbers with the same 32 bits. A slot
//! with cuts contains numbers of intervals: number 0 is the interval below the first cut.

use super::names::Labels;
use super::shape::{Input, Later, Output, Shape, get, invalid, put};
use super::state_set::{Rows, read_rows};
use formats::json::Res;
use model::valuations::{Holds, Valuations};
use model::{Reactive, VarId};
use std::io;
use std::sync::Arc;

pub(super) fn write(program: &Reactive, valuations: &Valuations, to: &mut Output<'_>) -> io::Result<()> {
    to.text("{\"slots\":")?;
    for (i, (var, holds)) in valuations.slots.iter().enumerate() {
        if var.index() >= program.var_count() {
            return Err(invalid("a variable that the program does not have"));
        }
        to.text(if i == 0 { "[" } else { "," })?;
        let variable: Arc<str> = program.name(*var).into();
        match holds {
            Holds::Exactly => variable.write_to(to)?,
            Holds::Cell(cuts) => put!(to, {variable, cuts})?,
        }
    }
    to.text(if valuations.slots.is_empty() { "[],\n\"rows\":" } else { "],\n\"rows\":" })?;
    Rows(valuations.rows.as_ref()).write_to(to)?;
    to.text("}")
}

pub(super) fn read(from: &mut Input<'_, '_>, program: &Reactive) -> Res<Valuations> {
    let (slots, rows): (Later, Later) = get!(from, {slots rows});
    let slots = from.at(slots, |from| read_slots(from, program))?;
    let rows = from.at(rows, |from| read_rows(from, slots.len()))?;
    Ok(Valuations { slots, rows })
}

fn read_slots(from: &mut Input<'_, '_>, program: &Reactive) -> Res<Vec<(VarId, Holds)>> {
    let names = (0..program.var_count()).map(|var| program.name(VarId::new(var)));
    let variables = Labels::names("the program has no variable", names);
    let mut taken = vec![false; program.var_count()];
    let mut slots = Vec::new();
    from.list(|from| {
        let (variable, cuts): (Later, Option<Later>) = match from.peek() {
            b'{' => {
                let (variable, cuts) = get!(from, {variable cuts});
                (variable, Some(cuts))
            }
            _ => (from.read()?, None),
        };
        let var = VarId(from.at(variable, |from| variables.read(from))?);
        if std::mem::replace(&mut taken[var.index()], true) {
            return Err(from.wrong(variable, "a variable in two slots"));
        }
        let cuts = cuts.map(|cuts| from.at(cuts, read_cuts)).transpose()?;
        slots.push((var, cuts.map_or(Holds::Exactly, Holds::Cell)));
        Ok(())
    })?;
    Ok(slots)
}

fn read_cuts(from: &mut Input<'_, '_>) -> Res<Vec<i32>> {
    let (start, cuts) = (from.here(), from.read::<Vec<i32>>()?);
    if cuts.is_sorted_by(|a, b| a < b) { Ok(cuts) } else { Err(from.wrong(start, "the cuts are out of order")) }
}

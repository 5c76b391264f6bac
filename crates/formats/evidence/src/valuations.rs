//! Certificates about reactive programs in evidence files: sets of valuations that are closed under calls.
//!
//! ```json
//! "valuations": {"slots": ["a17", {"variable": "a7", "cuts": [-5, 3]}], "rows": [[1,0],[4294967295,2]]}
//! ```
//!
//! A slot that is a name contains exact values, written as the unsigned numbers with the same 32 bits. A slot
//! with cuts contains numbers of intervals: number 0 is the interval below the first cut.

use super::shape::{invalid, shaped};
use super::state_set;
use formats::json::{Document, Res, Value, string};
use formats::{codes, nearest, printable};
use model::valuations::{Holds, Valuations};
use model::{Reactive, VarId};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io::{self, Write};

pub(super) fn write(program: &Reactive, valuations: &Valuations, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"valuations\":{{\"slots\":[")?;
    for (i, (var, holds)) in valuations.slots.iter().enumerate() {
        if var.index() >= program.var_count() {
            return Err(invalid("a variable that the program does not have"));
        }
        write!(out, "{}", if i == 0 { "" } else { "," })?;
        let name = string(program.name(*var));
        match holds {
            Holds::Exactly => write!(out, "{name}")?,
            Holds::Cell(cuts) => {
                write!(out, "{{\"variable\":{name},\"cuts\":")?;
                serde_json::to_writer(&mut *out, cuts)?;
                write!(out, "}}")?;
            }
        }
    }
    write!(out, "],\n\"rows\":")?;
    state_set::write_rows(valuations.rows.as_ref(), out)?;
    write!(out, "}}")
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow)]
    slots: &'a RawValue,
    #[serde(borrow)]
    rows: &'a RawValue,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CellShape<'a> {
    #[serde(borrow)]
    variable: &'a RawValue,
    #[serde(borrow)]
    cuts: &'a RawValue,
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, program: &Reactive) -> Res<Valuations> {
    let shape: Fields<'a> = shaped(document, value)?;
    let variables = (0..program.var_count()).map(VarId::new);
    // If several variables have the same name, the first one counts, as in the reader of the program.
    let known: HashMap<&str, VarId> = variables.rev().map(|v| (program.name(v), v)).collect();
    let mut taken = vec![false; program.var_count()];
    let mut slots = Vec::new();
    let mut numbers = 0usize;
    for item in document.array(shape.slots, "a list of variables")? {
        let (name_at, holds) = if item.get().starts_with('{') {
            let cell: CellShape<'a> = shaped(document, item)?;
            let cuts: Vec<i32> = shaped(document, cell.cuts)?;
            numbers += cuts.len();
            if numbers > document.limits.evidence_numbers {
                let error = document.error(&codes::LIMIT_EVIDENCE, cell.cuts, "there are too many cuts");
                return Err(error.label("the limit is reached here"));
            }
            if !cuts.is_sorted_by(|a, b| a < b) {
                let error = document.error(&codes::EVIDENCE_SHAPE, cell.cuts, "the cuts are out of order");
                return Err(error.label("expected ascending numbers"));
            }
            (cell.variable, Holds::Cell(cuts))
        } else {
            (item, Holds::Exactly)
        };
        let name = document.string(name_at, "the name of a variable")?;
        let Some(&var) = known.get(name.as_ref()) else {
            let message = format!("the program has no variable `{}`", printable(&name));
            let error = document.error(&codes::EVIDENCE_NAME, name_at, message).label("unknown name");
            let names = (0..program.var_count()).map(|v| program.name(VarId::new(v)));
            return Err(match nearest(&name, names) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        if std::mem::replace(&mut taken[var.index()], true) {
            return Err(document.error(&codes::EVIDENCE_SHAPE, name_at, "a variable in two slots").label("again here"));
        }
        slots.push((var, holds));
    }
    let rows = state_set::read_rows(document, shape.rows, slots.len())?;
    Ok(Valuations { slots, rows: Box::new(rows) })
}

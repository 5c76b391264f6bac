//! Nets that begin again, in evidence files ([`model::Restart`]).
//!
//! ```json
//! "restart": {"end": "q", "weights": [["p", 1], ["q", 1]],
//!             "steps": [["follow", "t"], ["place", "p", "q"], ["transition", "t", "u"]]}
//! ```
//!
//! In steps with two names the first one is removed.

use super::invariant::Number;
use super::names::Names;
use super::parts::read_terms;
use formats::codes;
use formats::json::{Document, Res, Value};
use model::{EventId, Reduction, Restart, TransitionId};
use std::io::{self, Write};

pub(super) fn write(names: &Names<'_>, restart: &Restart, out: &mut dyn Write) -> io::Result<()> {
    let transition = |t: TransitionId| names.event_text(EventId(t.0));
    write!(out, "\"restart\":{{\"end\":{},\n\"steps\":[", names.place_text(restart.end)?)?;
    for (i, step) in restart.steps.iter().enumerate() {
        let (kind, operands) = match step {
            Reduction::Follow(t) => ("follow", vec![transition(*t)?]),
            Reduction::Place { removed, kept } => {
                ("place", vec![names.place_text(*removed)?, names.place_text(*kept)?])
            }
            Reduction::Transition { removed, kept } => ("transition", vec![transition(*removed)?, transition(*kept)?]),
        };
        write!(out, "{}[\"{kind}\",{}]", if i == 0 { "" } else { ",\n" }, operands.join(","))?;
    }
    write!(out, "],\n\"weights\":[")?;
    for (i, (place, weight)) in restart.weights.iter().enumerate() {
        write!(out, "{}[{},", if i == 0 { "" } else { "," }, names.place_text(*place)?)?;
        serde_json::to_writer(&mut *out, &Number::count(weight))?;
        write!(out, "]")?;
    }
    writeln!(out, "]}},")
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Restart> {
    let object = document.record(value, "an end with steps and weights", &["end", "steps", "weights"])?;
    let end = names.place(document, document.required(&object, "end")?)?;
    let steps = document.array(document.required(&object, "steps")?, "a list of steps")?;
    let steps = steps.into_iter().map(|step| read_step(document, step, names)).collect::<Res<_>>()?;
    let list = document.required(&object, "weights")?;
    let weights = read_terms(document, list, names)?.into_iter().map(|(place, weight)| {
        let negative = || document.error(&codes::EVIDENCE_SHAPE, list, "a weight is negative");
        let weight = weight.to_biguint().ok_or_else(|| negative().label("expected weights of at least 1"))?;
        Ok((place, weight))
    });
    Ok(Restart { end, steps, weights: weights.collect::<Res<_>>()? })
}

fn read_step<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Reduction> {
    let items = document.array(value, "a step")?;
    let transition = |name: Value<'a>| names.event(document, name).map(|event| TransitionId(event.0));
    let place = |name: Value<'a>| names.place(document, name);
    let kind = items.first().map(|kind| document.string(kind, "the kind of a step")).transpose()?;
    Ok(match (kind.as_deref(), items.get(1..).unwrap_or_default()) {
        (Some("follow"), [t]) => Reduction::Follow(transition(*t)?),
        (Some("place"), [removed, kept]) => Reduction::Place { removed: place(*removed)?, kept: place(*kept)? },
        (Some("transition"), [removed, kept]) => {
            Reduction::Transition { removed: transition(*removed)?, kept: transition(*kept)? }
        }
        _ => {
            let error = document.error(&codes::EVIDENCE_SHAPE, value, "not a step to a smaller net");
            return Err(error.label("expected `follow` with a transition, or `place` or `transition` with two names"));
        }
    })
}

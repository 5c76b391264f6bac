//! The bound of a bounded answer in evidence files, which stands beside its `invariant`.
//!
//! ```json
//! "within": {"most": 5, "counted": ["p", "q"]}
//! ```

use super::invariant::Number;
use super::names::Names;
use super::shape::shaped;
use formats::codes;
use formats::json::{Document, Res, Value};
use model::Within;
use serde_json::value::RawValue;
use std::io::{self, Write};

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields<'a> {
    #[serde(borrow)]
    most: &'a RawValue,
    #[serde(borrow)]
    counted: &'a RawValue,
}

pub(super) fn write(names: &Names<'_>, within: &Within, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"within\":{{\"most\":")?;
    serde_json::to_writer(&mut *out, &Number::count(&within.most))?;
    write!(out, ",\"counted\":[")?;
    for (i, place) in within.counted.iter().enumerate() {
        write!(out, "{}{}", if i == 0 { "" } else { "," }, names.place_text(*place)?)?;
    }
    writeln!(out, "]}},")
}

/// Reads a bound. The checker judges which places are counted, and their order.
pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>) -> Res<Within> {
    let shape: Fields<'a> = shaped(document, value)?;
    let number: Number = shaped(document, shape.most)?;
    let Ok(most) = number.into_count() else {
        let error = document.error(&codes::EVIDENCE_SHAPE, shape.most, "a bound below 0");
        return Err(error.label("expected a count"));
    };
    let counted = document.array(shape.counted, "a list of places")?;
    let counted = counted.into_iter().map(|item| names.place(document, item)).collect::<Res<_>>()?;
    Ok(Within { most, counted })
}

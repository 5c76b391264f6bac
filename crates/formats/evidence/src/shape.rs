//! Values of a given shape in evidence files, and errors about evidence that no file can hold.

use formats::codes;
use formats::json::{Document, Res, Value};
use serde::Deserialize;
use std::io;

pub(super) fn invalid(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

/// Parses a value into a type with a derived deserializer, and converts errors of serde to errors with a place.
pub(super) fn shaped<'a, T: Deserialize<'a>>(document: Document<'a>, value: Value<'a>) -> Res<T> {
    let start = document.span(value).start;
    serde_json::from_str(value.get()).map_err(|e| document.located(&codes::EVIDENCE_SHAPE, &e, start))
}

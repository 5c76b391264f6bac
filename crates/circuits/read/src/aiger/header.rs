//! Reader for the first line of an AIGER file: text or binary form, and the numbers of variables, inputs,
//! latches and so on.

use super::cursor::{Cursor, Res, line_at};
use formats::codes;
use formats::source::Limits;

/// The numbers in the header.
pub(super) struct Header {
    pub(super) binary: bool,
    /// The largest variable.
    pub(super) maximum: u32,
    pub(super) inputs: u32,
    pub(super) latches: u32,
    pub(super) outputs: u32,
    pub(super) ands: u32,
    pub(super) bad: u32,
    pub(super) constraints: u32,
    pub(super) justice: u32,
    pub(super) fairness: u32,
}

const EXPECTED: &str = "the numbers M I L O A, then perhaps B C J F";

pub(super) fn header(cursor: &mut Cursor<'_>, limits: &Limits) -> Res<Header> {
    let bytes = &cursor.source.bytes;
    let line = line_at(bytes, 0);
    if bytes.is_empty() {
        let error = cursor.error(&codes::INPUT_EMPTY, 0..0, "the file is empty");
        return Err(error.label("expected `aag` or `aig`"));
    }
    let binary = match bytes.get(..4) {
        Some(b"aag ") => false,
        Some(b"aig ") => true,
        _ => {
            let error = cursor.error(&codes::AIGER_HEADER, line, "this is not an AIGER file");
            return Err(error.label("expected `aag` or `aig`, a blank and numbers"));
        }
    };
    cursor.at = 4;
    let numbers = cursor.numbers(5, 9, EXPECTED).map_err(|e| {
        e.recoded(
            &codes::AIGER_HEADER,
            "the first line counts variables, inputs, latches, outputs, gates, bad states, ...",
        )
    })?;
    let of = |i: usize| numbers.get().get(i).copied().unwrap_or(0);
    let header = Header {
        binary,
        maximum: of(0),
        inputs: of(1),
        latches: of(2),
        outputs: of(3),
        ands: of(4),
        bad: of(5),
        constraints: of(6),
        justice: of(7),
        fairness: of(8),
    };
    let many = |code, what: &str, most: usize| {
        let error = cursor.error(code, line.clone(), format!("the circuit has more than {most} {what}"));
        Err(error.label("according to the header"))
    };
    if header.maximum as usize > limits.nodes {
        return many(&codes::LIMIT_NODES, "variables", limits.nodes);
    }
    let ports = [1, 2, 3, 5, 6, 7, 8].into_iter().map(|i| u64::from(of(i))).sum::<u64>();
    if ports > limits.ports as u64 {
        return many(&codes::LIMIT_PORTS, "inputs, latches and outputs", limits.ports);
    }
    let defined = [1, 2, 4].into_iter().map(|i| u64::from(of(i))).sum::<u64>();
    let maximum = u64::from(header.maximum);
    if defined > maximum || (binary && defined != maximum) {
        let message = format!("{defined} inputs, latches and gates, but the largest variable is {maximum}");
        let error = cursor.error(&codes::AIGER_HEADER, line, message);
        return Err(error.label(if binary { "expected M = I + L + A" } else { "expected M of at least I + L + A" }));
    }
    Ok(header)
}

//! BTOR2: circuits over words and memories, the format of the hardware model checking contest (Niemetz, Preiner,
//! Wolf, Biere: Btor2, BtorMC and Boolector 3.0, 2018). Reference: `docs/btor2.md`.
//!
//! `parse.rs` reads the lines into nodes and checks their sorts. `blast/` turns the nodes on which a property or a
//! constraint depends into a circuit of bits, so that the engines, the checker and the evidence of circuits apply
//! without change. Small arrays become one latch for each bit of each element, and large ones memories of the circuit.
//!
//! The meaning of each operator is that of the bit-vector operator of SMT-LIB with the same purpose, including
//! division by zero. Three sources define it independently: the gates here, the integers in `dev/testkit/src/words`,
//! and the solvers to which the tests compare both.

mod blast;
mod constant;
mod line;
mod ops;
mod parse;
mod sorts;
mod system;
mod write;

use crate::outputs;
use formats::codes;
use formats::comments::{self, Comments};
use formats::error::{Error, Text};
use formats::format::{Format, Read};
use formats::source::{Limits, Source};
use model::Problem;
use std::sync::Arc;

/// Systems over bit-vectors and arrays.
pub const FORMAT: Format = Format {
    name: "btor2",
    extensions: &["btor2", "btor"],
    family: model::Family::Circuits,
    doc: "Circuits over words and memories, as BTOR2 text.",
    read: Some(read),
    write: Some(write::text),
    says_goals: true,
};

type Res<T> = Result<T, Box<Error>>;

/// A comment begins with `;`.
const SEMICOLON: Comments = Comments { line: &[";"], at_start: false, block: None, quote: None };

fn read(source: &Source, limits: &Limits) -> Res<Read> {
    let text = comments::text(source, &SEMICOLON)?;
    let text = Text { name: &source.name, text: &text };
    let system = parse::system(text, limits)?;
    let circuit = blast::circuit(&system, text, limits)?;
    let properties = outputs::properties(&circuit, 'b');
    let mut warnings = Vec::new();
    if let (Some(place), true) = (system.fairness_at, system.justice.is_empty()) {
        let message = "fairness constraints without justice property have no effect";
        let error = text.error(&codes::BTOR2_LIVENESS, place, message);
        warnings.push(*error.label("fairness is skipped").warning());
    }
    if properties.is_empty() {
        let error = Error::whole(
            &codes::BTOR2_NO_PROPERTY,
            &source.name,
            "the system has no bad state and no justice property",
        );
        warnings.push(*error.hint("a property is a line `ID bad NODE` or `ID justice COUNT NODE ..`").warning());
    }
    let problem = Problem::of(Arc::new(circuit)).asking(properties);
    let problem = problem.map_err(|mismatch| Error::unfit(&source.name, &mismatch))?;
    Ok(Read { problem, warnings })
}

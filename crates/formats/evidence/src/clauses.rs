//! Clauses that hold in every reachable state of a program or circuit, in evidence files.
//!
//! ```json
//! "clauses": {"invariant": {"bits": [0,4], "clauses": [[-1,-2]],
//!                           "initial": [[[],[1,2]]], "step": [[[3],[1,4]],[[],[5,2]]]},
//!             "excluded": [{"goal": "b0", "why": [[[],[1,3]]]}]}
//! ```
//!
//! Clauses that exclude a justice property of a circuit are about a translated circuit
//! (`crates/model/src/circuit/justice.rs`). The translation is `"loop"`, or `{"count":K}`. Its latches and nodes
//! include those of the circuit:
//!
//! ```json
//! "justice": {"translation": {"count":3}, "invariant": {}, "excluded": []}
//! ```
//!
//! Clauses about a circuit with memories are about a circuit that follows some words by latches
//! (`crates/model/src/circuit/memory/tracking.rs`). A tracker is the number of a port, with a number of frames. With
//! `"trackers": "all"`, the circuit follows all words (`crates/model/src/circuit/memory/expanded.rs`):
//!
//! ```json
//! "tracking": {"trackers": [[0,2]], "gates": [[8,15]], "invariant": {}, "excluded": []}
//! ```
//!
//! The gates are conjunctions that are added to this circuit, as pairs of literals (twice the number of a node, plus
//! one if it is negated).
//!
//! With `induction`, the goals of a circuit are excluded by induction over this number of frames (`first`: a refutation
//! of "a goal occurs in one of the first frames"):
//!
//! ```json
//! "clauses": {"invariant": {}, "induction": {"frames":3,"first":[[[],[1,2]]]}, "excluded": []}
//! ```
//!
//! A derivation is a list of clauses, each with the numbers of the clauses that imply it. It is `null` if nothing
//! was proven. The form of bits depends on the system ([`super::clausal`]).

use super::shape::{Input, Output, Shape, shape};
use formats::codes;
use formats::json::Res;
use model::{Clauses, Followed, JusticeProof, Signal, Tracker, TrackingProof, Translation};
use std::io;

shape! { Clauses = {invariant / induction / excluded} => {Clauses { invariant, induction, exclusions: excluded }} }

shape! { JusticeProof = {translation / invariant / induction / excluded} =>
{JusticeProof { translation, clauses: Clauses { invariant, induction, exclusions: excluded } }} }

shape! { Translation =
    "loop" () => {Translation::Loop},
    "count" (most) => {Translation::Count(most)},
}

shape! { TrackingProof = {trackers / gates / invariant / induction / excluded} => {TrackingProof {
followed: trackers, gates, clauses: Clauses { invariant, induction, exclusions: excluded } }} }

shape! { Tracker [NUMBERS = 2] = (port, delay) => {Tracker { port, delay }} }

/// Trackers are a list, or the word for all words.
impl Shape for Followed {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        match self {
            Self::All => to.text("\"all\""),
            Self::Some(trackers) => trackers.write_to(to),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        match from.peek() {
            b'[' => from.read().map(Self::Some),
            _ => {
                let (start, word) = (from.here(), from.string("a list of pairs [port,frames], or \"all\"")?);
                (word == "all").then_some(Self::All).ok_or_else(|| from.wrong(start, "expected a list, or \"all\""))
            }
        }
    }
}

/// A signal is twice the number of its node, plus one if it is negated.
impl Shape for Signal {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        self.code().write_to(to)
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        from.read().map(Self::from_code)
    }
}

/// Reads clauses about a system, and checks that they fit its kind.
pub(super) fn read(from: &mut Input<'_, '_>) -> Res<Clauses> {
    let (start, clauses) = (from.here(), from.read::<Clauses>()?);
    if clauses.induction.is_some() && from.scope.names.system.as_program().is_some() {
        return Err(from.error(&codes::EVIDENCE_KIND, start, "induction over frames is for circuits"));
    }
    Ok(clauses)
}

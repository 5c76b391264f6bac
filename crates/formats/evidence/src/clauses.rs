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
//! A bit of a circuit is the number of a latch, or a gate or input by the number of its node (`{"node":7}`). A bit of a
//! program is a thread and a state (`["T","s"]`). A
//! derivation is a list of clauses, each with the numbers of the clauses that imply it. It is `null` if nothing
//! was proven.

use super::Asked;
use super::clausal::{ClausalShape, DerivationShape};
use super::names::Names;
use super::refutation::{Numbers, refused, write_list};
use super::shape::{invalid, shaped};
use formats::json::{Document, Res, Value};
use formats::{codes, printable};
use model::{
    Bit, Circuit, Clausal, Clauses, Derivation, Followed, Gate, Goal, Induction, JusticeProof, LatchId, LocalId,
    PortId, Problem, Program, Signal, ThreadId, Tracker, TrackingProof, Translation,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::io::{self, Write};

#[derive(Serialize)]
struct ExcludedOut<'p> {
    goal: &'p str,
    why: Option<DerivationShape>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClausesShape<'a> {
    #[serde(borrow)]
    invariant: &'a RawValue,
    #[serde(borrow, default)]
    induction: Option<&'a RawValue>,
    #[serde(borrow)]
    excluded: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExcludedShape<'a> {
    #[serde(borrow)]
    goal: &'a RawValue,
    #[serde(borrow)]
    why: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JusticeShape<'a> {
    #[serde(borrow)]
    translation: &'a RawValue,
    #[serde(borrow)]
    invariant: &'a RawValue,
    #[serde(borrow, default)]
    induction: Option<&'a RawValue>,
    #[serde(borrow)]
    excluded: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrackingShape<'a> {
    #[serde(borrow)]
    trackers: &'a RawValue,
    #[serde(borrow)]
    gates: &'a RawValue,
    #[serde(borrow)]
    invariant: &'a RawValue,
    #[serde(borrow, default)]
    induction: Option<&'a RawValue>,
    #[serde(borrow)]
    excluded: &'a RawValue,
}

/// The induction of clauses in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "expected {\"frames\":N,\"first\":..} with a number of frames")]
struct InductionShape {
    frames: u32,
    first: Option<DerivationShape>,
}

/// A translation in a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TranslationShape {
    Loop,
    Count(u32),
}

/// Trackers in a file: a list, or the word for all words.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a list of pairs [port,frames], or \"all\"")]
enum TrackersShape {
    All(AllShape),
    Some(Vec<(u32, u32)>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AllShape {
    All,
}

/// The largest number of a node of a translated or tracked circuit in a file, plus one. The checker accepts no
/// larger circuit.
const NODES: u32 = 1 << 30;

pub(super) fn write_justice(problem: &Problem, proof: &JusticeProof, out: &mut dyn Write) -> io::Result<()> {
    let translation = match proof.translation {
        Translation::Loop => TranslationShape::Loop,
        Translation::Count(most) => TranslationShape::Count(most),
    };
    write!(out, "\"justice\":{{\"translation\":{},\n\"invariant\":", serde_json::to_string(&translation)?)?;
    write_other(problem, &proof.clauses, out)
}

pub(super) fn write_tracking(problem: &Problem, proof: &TrackingProof, out: &mut dyn Write) -> io::Result<()> {
    let trackers = match &proof.followed {
        Followed::All => TrackersShape::All(AllShape::All),
        Followed::Some(trackers) => {
            TrackersShape::Some(trackers.iter().map(|tracker| (tracker.port.0, tracker.delay)).collect())
        }
    };
    let gates: Vec<(u32, u32)> = proof.gates.iter().map(|(a, b)| (a.code(), b.code())).collect();
    writeln!(out, "\"tracking\":{{\"trackers\":{},", serde_json::to_string(&trackers)?)?;
    write!(out, "\"gates\":{},\n\"invariant\":", serde_json::to_string(&gates)?)?;
    write_other(problem, &proof.clauses, out)
}

/// Writes clauses of another circuit, and ends the object.
fn write_other(problem: &Problem, clauses: &Clauses, out: &mut dyn Write) -> io::Result<()> {
    let bit = |bit: &Bit| match bit {
        Bit::Latch(latch) => Ok(CircuitBit::Latch(latch.0)),
        Bit::Node(signal) if !signal.is_negated() => Ok(CircuitBit::Node(NodeNumber { node: signal.code() / 2 })),
        _ => Err(invalid("a bit that no circuit has")),
    };
    let bits: io::Result<Vec<CircuitBit>> = clauses.invariant.bits.iter().map(bit).collect();
    serde_json::to_writer(&mut *out, &ClausalShape::of(&clauses.invariant, bits?))?;
    write_excluded(problem, clauses, out)
}

pub(super) fn read_justice<'a>(document: Document<'a>, value: Value<'a>, problem: &Problem) -> Res<JusticeProof> {
    let shape: JusticeShape<'a> = shaped(document, value)?;
    let translation = match shaped(document, shape.translation)? {
        TranslationShape::Loop => Translation::Loop,
        TranslationShape::Count(most) => Translation::Count(most),
    };
    let mut numbers = Numbers { document, left: document.limits.evidence_numbers };
    let clauses = read_other(&mut numbers, (shape.invariant, shape.induction, shape.excluded), problem)?;
    Ok(JusticeProof { translation, clauses })
}

pub(super) fn read_tracking<'a>(document: Document<'a>, value: Value<'a>, problem: &Problem) -> Res<TrackingProof> {
    let shape: TrackingShape<'a> = shaped(document, value)?;
    let mut numbers = Numbers { document, left: document.limits.evidence_numbers };
    let followed = match shaped(document, shape.trackers)? {
        TrackersShape::All(AllShape::All) => Followed::All,
        TrackersShape::Some(trackers) => {
            numbers.take(2 * trackers.len(), shape.trackers)?;
            let tracker = |(port, delay)| Tracker { port: PortId(port), delay };
            Followed::Some(trackers.into_iter().map(tracker).collect())
        }
    };
    let gates: Vec<(u32, u32)> = shaped(document, shape.gates)?;
    numbers.take(2 * gates.len(), shape.gates)?;
    let gates = gates.into_iter().map(|(a, b)| (Signal::from_code(a), Signal::from_code(b))).collect();
    let clauses = read_other(&mut numbers, (shape.invariant, shape.induction, shape.excluded), problem)?;
    Ok(TrackingProof { followed, gates, clauses })
}

/// Reads clauses of another circuit: the invariant, the induction and the excluded goals.
fn read_other<'a>(
    numbers: &mut Numbers<'a>,
    (invariant, induction, excluded): (Value<'a>, Option<Value<'a>>, Value<'a>),
    problem: &Problem,
) -> Res<Clauses> {
    let document = numbers.document;
    let bit = |bit: CircuitBit| match bit {
        CircuitBit::Latch(number) => Ok(Bit::Latch(LatchId(number))),
        CircuitBit::Node(NodeNumber { node }) if node < NODES => Ok(Bit::Node(Signal::new(node as usize, false))),
        CircuitBit::Node(NodeNumber { node }) => Err(format!("no circuit has a node {node}")),
    };
    let invariant = clausal(numbers, invariant, bit)?;
    let induction = read_induction(document, induction, numbers)?;
    let exclusions = read_excluded(document, excluded, numbers, problem)?;
    Ok(Clauses { invariant, induction, exclusions })
}

pub(super) fn write(names: &Names<'_>, problem: &Problem, clauses: &Clauses, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "\"clauses\":{{\"invariant\":")?;
    let bits = clauses.invariant.bits.iter();
    match names {
        Names::Circuit(circuit) => {
            let bits: io::Result<Vec<CircuitBit>> = bits.map(|bit| circuit_bit(circuit, bit)).collect();
            serde_json::to_writer(&mut *out, &ClausalShape::of(&clauses.invariant, bits?))?;
        }
        Names::Program(names) => {
            let bits: io::Result<Vec<(&str, &str)>> = bits.map(|bit| state_names(names.program, bit)).collect();
            serde_json::to_writer(&mut *out, &ClausalShape::of(&clauses.invariant, bits?))?;
        }
        Names::Net(_) | Names::Threads(_) | Names::Reactive(_) | Names::Data(_) => {
            return Err(invalid("a certificate for another kind of system"));
        }
    }
    write_excluded(problem, clauses, out)
}

/// Writes the induction and the excluded goals with their refutations, and ends the object.
fn write_excluded(problem: &Problem, clauses: &Clauses, out: &mut dyn Write) -> io::Result<()> {
    if let Some(Induction { frames, first }) = &clauses.induction {
        write!(out, ",\n\"induction\":")?;
        let shape = InductionShape { frames: *frames, first: first.as_ref().map(DerivationShape::of) };
        serde_json::to_writer(&mut *out, &shape)?;
    }
    let asked = Asked::of(problem);
    let excluded = |(goal, why): &(Goal, Option<Derivation>)| -> io::Result<ExcludedOut<'_>> {
        Ok(ExcludedOut { goal: asked.id(*goal)?, why: why.as_ref().map(DerivationShape::of) })
    };
    let excluded: io::Result<Vec<ExcludedOut<'_>>> = clauses.exclusions.iter().map(excluded).collect();
    write!(out, ",\n\"excluded\":[")?;
    write_list(excluded?.into_iter(), out)?;
    write!(out, "]}}")
}

/// A bit of a circuit in a file.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected the number of a latch, or a gate or input as {\"node\":N}")]
enum CircuitBit {
    Latch(u32),
    Node(NodeNumber),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeNumber {
    node: u32,
}

fn circuit_bit(circuit: &Circuit, bit: &Bit) -> io::Result<CircuitBit> {
    match bit {
        Bit::Latch(latch) if latch.index() < circuit.latches().len() => Ok(CircuitBit::Latch(latch.0)),
        Bit::Node(signal) if is_node(circuit, signal.node()) && !signal.is_negated() => {
            Ok(CircuitBit::Node(NodeNumber { node: signal.code() / 2 }))
        }
        _ => Err(invalid("a bit that the circuit does not have")),
    }
}

/// True if there is such a gate or input. A latch has one name only, so that no bit is listed twice.
fn is_node(circuit: &Circuit, node: usize) -> bool {
    circuit.gates().get(node).is_some_and(|gate| !matches!(gate, Gate::Latch(_)))
}

fn bit_of(circuit: &Circuit, bit: CircuitBit) -> Result<Bit, String> {
    match bit {
        CircuitBit::Latch(number) => {
            let known = (number as usize) < circuit.latches().len();
            known.then_some(Bit::Latch(LatchId(number))).ok_or_else(|| format!("the circuit has no latch {number}"))
        }
        CircuitBit::Node(NodeNumber { node }) => {
            let bit = is_node(circuit, node as usize).then(|| Bit::Node(Signal::new(node as usize, false)));
            bit.ok_or_else(|| format!("the circuit has no gate or input with node {node}"))
        }
    }
}

fn state_names<'p>(program: &'p Program, bit: &Bit) -> io::Result<(&'p str, &'p str)> {
    let names = match bit {
        Bit::In(thread, state) => program
            .threads()
            .get(thread.index())
            .and_then(|t| Some((t.name.as_str(), t.states.get(state.index())?.name.as_str()))),
        Bit::Latch(_) | Bit::Node(_) | Bit::AtLeast(..) | Bit::Room(_) => None,
    };
    names.ok_or_else(|| invalid("a bit that the program does not have"))
}

pub(super) fn read<'a>(document: Document<'a>, value: Value<'a>, names: &Names<'_>, problem: &Problem) -> Res<Clauses> {
    let shape: ClausesShape<'a> = shaped(document, value)?;
    if let (Some(induction), Names::Program(_)) = (shape.induction, names) {
        return Err(document.error(&codes::EVIDENCE_KIND, induction, "induction over frames is for circuits"));
    }
    let mut numbers = Numbers { document, left: document.limits.evidence_numbers };
    let invariant = match names {
        Names::Circuit(circuit) => clausal(&mut numbers, shape.invariant, |bit: CircuitBit| bit_of(circuit, bit))?,
        Names::Program(names) => {
            let threads: HashMap<&str, ThreadId> =
                (0..).zip(names.program.threads()).map(|(i, t)| (t.name.as_str(), ThreadId(i))).collect();
            let state = |(thread, state): (String, String)| {
                let known = threads.get(thread.as_str()).and_then(|t| Some((*t, names.state_called(*t, &state)?)));
                let bit = known.map(|(thread, state)| Bit::In(thread, LocalId(state)));
                bit.ok_or_else(|| format!("no thread `{}` with a state `{}`", printable(&thread), printable(&state)))
            };
            clausal(&mut numbers, shape.invariant, state)?
        }
        Names::Net(_) | Names::Threads(_) | Names::Reactive(_) | Names::Data(_) => {
            return Err(document.error(&codes::EVIDENCE_KIND, value, "clauses about nets belong to an invariant"));
        }
    };
    let induction = read_induction(document, shape.induction, &mut numbers)?;
    let exclusions = read_excluded(document, shape.excluded, &mut numbers, problem)?;
    Ok(Clauses { invariant, induction, exclusions })
}

fn read_induction<'a>(
    document: Document<'a>,
    value: Option<Value<'a>>,
    numbers: &mut Numbers<'a>,
) -> Res<Option<Induction>> {
    let Some(value) = value else { return Ok(None) };
    let InductionShape { frames, first } = shaped(document, value)?;
    numbers.take(1 + first.as_ref().map_or(0, DerivationShape::size), value)?;
    Ok(Some(Induction { frames, first: first.map(DerivationShape::into_derivation) }))
}

/// Reads the excluded goals with their refutations.
fn read_excluded<'a>(
    document: Document<'a>,
    list: Value<'a>,
    numbers: &mut Numbers<'a>,
    problem: &Problem,
) -> Res<Vec<(Goal, Option<Derivation>)>> {
    let asked = Asked::of(problem);
    let mut exclusions = Vec::new();
    for item in document.array(list, "a list of goals with their refutations")? {
        let shape: ExcludedShape<'a> = shaped(document, item)?;
        let name = document.string(shape.goal, "the id of a property")?;
        let Some(goal) = asked.goal(&name) else {
            let error =
                document.error(&codes::EVIDENCE_KIND, shape.goal, format!("`{}` is not a goal", printable(&name)));
            return Err(error.label("expected the id of a property"));
        };
        let why: Option<DerivationShape> = shaped(document, shape.why)?;
        numbers.take(1 + why.as_ref().map_or(0, DerivationShape::size), item)?;
        exclusions.push((goal, why.map(DerivationShape::into_derivation)));
    }
    Ok(exclusions)
}

fn clausal<'a, B: Deserialize<'a>>(
    numbers: &mut Numbers<'a>,
    value: Value<'a>,
    bit: impl FnMut(B) -> Result<Bit, String>,
) -> Res<Clausal> {
    let shape: ClausalShape<B> = shaped(numbers.document, value)?;
    numbers.take(shape.size(), value)?;
    shape.into_clausal(bit).map_err(|why| refused(numbers.document, value, why))
}

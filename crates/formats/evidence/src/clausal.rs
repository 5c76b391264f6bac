//! Forms of clauses and their derivations in evidence files, for all kinds of systems.
//!
//! A bit of a circuit is the number of a latch, or a gate or input by the number of its node (`{"node":7}`). A bit of a
//! program is a thread and a state (`["T","s"]`). A bit of a net is a place and its least number of tokens; the
//! position after the last place stands for [`Bit::Room`].

use super::shape::{Input, Later, Listed, Output, Shape, Style, get, invalid, put, shape};
use formats::json::Res;
use formats::{Error, codes};
use model::{Bit, Circuit, Clausal, Derivation, Gate, Induction, LatchId, LocalId, Signal, SystemModel, ThreadId};
use num_bigint::BigUint;
use std::io;

/// The largest number of a node of a translated or tracked circuit in a file, plus one. The checker accepts no
/// larger circuit.
const NODES: u32 = 1 << 30;

shape! { Derivation = (steps) => {Derivation { steps }} }

shape! { Clausal = {bits, clauses, initial, step} => {Clausal { bits, clauses, initial, step }}
refuse (!are_literals(clauses, bits.len()), "a literal that names no bit") }

shape! { Induction [LEFT_OUT] = {frames, first} => {Induction { frames, first }} }

fn are_literals(clauses: &[Vec<i32>], bits: usize) -> bool {
    clauses.iter().flatten().all(|literal| *literal != 0 && literal.unsigned_abs() as usize <= bits)
}

impl Shape for Bit {
    const NUMBERS: usize = 2;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        let (names, style) = (to.scope.names, &to.scope.style);
        match (self, names.system, style) {
            (Self::AtLeast(place, n), _, Style::Listed(_) | Style::Used(_)) => (*place, n.clone()).write_to(to),
            (Self::Room(_), _, Style::Used(_)) => Ok(()),
            (Self::Room(n), _, Style::Listed(Listed { places, .. })) => (places.len(), n.clone()).write_to(to),
            (Self::Latch(latch), SystemModel::Circuit(circuit), _) if is_latch(circuit, *latch, style) => {
                latch.write_to(to)
            }
            (Self::Node(signal), SystemModel::Circuit(circuit), _) if !signal.is_negated() => {
                let node = signal.code() / 2;
                match is_node(circuit, node, style) {
                    true => put!(to, { node }),
                    false => Err(invalid("a bit that the circuit does not have")),
                }
            }
            (Self::In(thread, state), SystemModel::Rwb(_), _) => {
                let states = names.states.get(thread.index()).ok_or_else(|| invalid("an unknown thread"))?;
                to.text(&format!("[{},{}]", names.threads.text(thread.0)?, states.text(state.0)?))
            }
            _ => Err(invalid("a bit that the system does not have")),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, names, style) = (from.here(), from.scope.names, &from.scope.style);
        Ok(match (style, names.system) {
            (Style::Listed(listed), _) => {
                let (position, n): (Later, BigUint) = from.read()?;
                match from.read_at::<usize>(position)? == listed.places.len() {
                    true => Self::Room(n),
                    false => Self::AtLeast(from.read_at(position)?, n),
                }
            }
            (_, SystemModel::Circuit(circuit)) if from.peek() == b'{' => {
                let (node,): (u32,) = get!(from, { node });
                if !is_node(circuit, node, style) {
                    return Err(from.wrong(start, format!("the circuit has no gate or input with node {node}")));
                }
                Self::Node(Signal::new(node as usize, false))
            }
            (_, SystemModel::Circuit(circuit)) => {
                let latch: LatchId = from.read()?;
                if !is_latch(circuit, latch, style) {
                    return Err(from.wrong(start, format!("the circuit has no latch {}", latch.0)));
                }
                Self::Latch(latch)
            }
            _ => {
                let (thread, state): (Later, Later) = from.read()?;
                let wrong = |e: Box<Error>| e.recoded(&codes::EVIDENCE_SHAPE, "a bit is a pair [thread,state]");
                let thread = from.at(thread, |from| names.threads.read(from)).map_err(wrong)?;
                let states = &names.states[thread as usize];
                Self::In(ThreadId(thread), LocalId(from.at(state, |from| states.read(from)).map_err(wrong)?))
            }
        })
    }
}

/// True if there is such a gate or input. A latch has one name only, so that no bit is listed twice. The nodes of other
/// circuits are not known here.
fn is_node(circuit: &Circuit, node: u32, style: &Style) -> bool {
    match style {
        Style::OtherCircuit => node < NODES,
        _ => circuit.gates().get(node as usize).is_some_and(|gate| !matches!(gate, Gate::Latch(_))),
    }
}

fn is_latch(circuit: &Circuit, latch: LatchId, style: &Style) -> bool {
    matches!(style, Style::OtherCircuit) || latch.index() < circuit.latches().len()
}

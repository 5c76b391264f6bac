//! Encodes a behavioral program as a circuit.
//!
//! At most one event fires per frame, selected by inputs. An event that no thread requests, that some thread
//! blocks, or that comes after a bad state, changes nothing. So goal states, which have no successors, remain
//! unchanged. If a thread has several targets, further inputs choose one.

mod code;
mod lift;
mod step;

#[cfg(test)]
mod tests;

pub use code::Code;
pub use lift::CircuitLift;

use circuits::encode::{CannotEncode, select};
use code::Coded;
use model::circuit::{Circuit, CircuitBuilder, Signal};
use model::{EventId, Goal, LocalId, Program};
use std::sync::Arc;

/// A circuit, and what its parts mean.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The encoded program, with one output for each goal, in the same order.
    pub circuit: Circuit,
    /// Clauses over latches that hold in every frame because of what the bits mean. Initial states that violate
    /// them must be ignored.
    pub clauses: Vec<Vec<Signal>>,
    /// Lifts runs and clauses of the circuit to the program.
    pub lift: CircuitLift,
}

impl Encoded {
    /// Returns the circuit with the clauses as constraints, for tools that read only circuits.
    #[must_use]
    pub fn alone(&self) -> Circuit {
        let mut circuit = self.circuit.clone();
        for clause in &self.clauses {
            let none = clause.iter().fold(Signal::TRUE, |none, &s| circuit.and(none, !s));
            circuit.constrain(!none);
        }
        circuit
    }
}

/// Encodes the program as a circuit, with an output for each of these goals. Outputs for goals other than `bad`
/// and `deadlock` are always false. The cost is `O(size of the program's sets and of the circuit)`.
///
/// # Errors
/// Fails if the circuit would have more than `limit` nodes and clauses together.
pub fn encode(program: &Arc<Program>, goals: &[Goal], code: Code, limit: usize) -> Result<Encoded, CannotEncode> {
    let mut b = CircuitBuilder::default();
    let mut clauses = Vec::new();
    let mut threads = Vec::with_capacity(program.threads().len());
    for thread in program.threads() {
        let reachable = thread.locally_reachable();
        let states: Vec<LocalId> = (0..reachable.len()).filter(|&s| reachable[s]).map(LocalId::new).collect();
        threads.push(code::code(&mut b, thread, states, code, &mut clauses)?);
        within(&b, clauses.len(), limit)?;
    }
    let events = Events::new(&mut b, program, &threads, limit)?;
    step::next(&mut b, program, &threads, &events, limit)?;
    for &goal in goals {
        let signal = match goal {
            Goal::Bad => events.bad,
            Goal::Deadlock => {
                let enabled: Vec<Signal> = events.enabled.iter().map(|event| event.1).collect();
                let none = b.any(&enabled);
                b.and(!events.bad, !none)
            }
            _ => Signal::FALSE,
        };
        b.circuit_mut().output(signal, Some(goal.id().to_owned()));
    }
    within(&b, clauses.len(), limit)?;
    let circuit = b.finish();
    let lift = CircuitLift::new(program, &circuit, &threads, &events.fires);
    Ok(Encoded { circuit, clauses, lift })
}

fn within(b: &CircuitBuilder, clauses: usize, limit: usize) -> Result<(), CannotEncode> {
    if b.circuit().gates().len().saturating_add(clauses) > limit { Err(CannotEncode::TooLarge) } else { Ok(()) }
}

/// The signals for what can happen in a frame.
struct Events {
    /// Some thread is in a bad state.
    bad: Signal,
    /// The events that some thread requests in some state, each with the signal that some thread requests it
    /// and no thread in a state that is not bad blocks it.
    enabled: Vec<(EventId, Signal)>,
    /// The same events in the same order, each with the signal that it fires.
    fires: Vec<(EventId, Signal)>,
}

impl Events {
    fn new(b: &mut CircuitBuilder, program: &Program, threads: &[Coded], limit: usize) -> Result<Self, CannotEncode> {
        let (mut bad, mut work) = (Vec::new(), 0usize);
        let mut requests: Vec<Vec<Signal>> = vec![Vec::new(); program.events().len()];
        let mut blocks = requests.clone();
        for (thread, coded) in program.threads().iter().zip(threads) {
            for (&s, &at) in coded.states.iter().zip(&coded.at) {
                let state = thread.state(s);
                if state.bad {
                    bad.push(at);
                    continue;
                }
                work = work.saturating_add(state.request.len()).saturating_add(state.block.len());
                if work > limit {
                    return Err(CannotEncode::TooLarge);
                }
                state.request.iter().for_each(|e| requests[e.index()].push(at));
                state.block.iter().for_each(|e| blocks[e.index()].push(at));
            }
        }
        let bad = b.any(&bad);
        let mut enabled = Vec::new();
        for (e, (requests, blocks)) in requests.iter().zip(&blocks).enumerate() {
            let (requested, blocked) = (b.any(requests), b.any(blocks));
            let is_enabled = b.and(requested, !blocked);
            if is_enabled != Signal::FALSE {
                enabled.push((EventId::new(e), is_enabled));
            }
            within(b, 0, limit)?;
        }
        let chosen = select::one_of(b, enabled.len(), "event");
        let mut fires = Vec::with_capacity(enabled.len());
        for (&(event, is_enabled), chosen) in enabled.iter().zip(chosen) {
            let fire = b.all(&[chosen, is_enabled, !bad]);
            fires.push((event, fire));
        }
        Ok(Self { bad, enabled, fires })
    }
}

//! The next functions of the latches of threads. A bit is true in the next frame if an event takes the thread
//! to a state in which the bit is true, or if the bit is true and the thread does not leave such a state. If
//! the encoding is by digits, all bits are written whenever the thread moves.

use super::code::Coded;
use super::{Events, within};
use circuits::encode::{CannotEncode, select};
use model::circuit::{CircuitBuilder, Gate, Signal};
use model::{EventId, LocalId, Program, Thread};
use std::collections::BTreeMap;

/// Sets the next functions of the latches of all threads.
pub(super) fn next(
    b: &mut CircuitBuilder,
    program: &Program,
    threads: &[Coded],
    events: &Events,
    limit: usize,
) -> Result<(), CannotEncode> {
    let fires: BTreeMap<EventId, Signal> = events.fires.iter().copied().collect();
    for (thread, coded) in program.threads().iter().zip(threads) {
        let choices = choices(b, thread, coded, &fires);
        moves(b, thread, coded, &fires, &choices, limit)?;
    }
    Ok(())
}

/// Returns the events on which a state moves and that can fire in it, with their targets. Events that no thread
/// requests or that the state itself blocks cannot fire.
fn targets<'t>(
    thread: &'t Thread,
    state: LocalId,
    fires: &'t BTreeMap<EventId, Signal>,
) -> impl Iterator<Item = (Signal, &'t [LocalId])> {
    let state = thread.state(state);
    let happens = move |(e, to): (&EventId, &'t Vec<LocalId>)| {
        let fire = fires.get(e).filter(|_| !state.block.contains(*e))?;
        Some((*fire, to.as_slice()))
    };
    state.on.iter().filter_map(happens)
}

/// Returns for each target number the signal that it is chosen. The list is empty if every event has one
/// target.
fn choices(b: &mut CircuitBuilder, thread: &Thread, coded: &Coded, fires: &BTreeMap<EventId, Signal>) -> Vec<Signal> {
    let counts = coded.states.iter().flat_map(|&s| targets(thread, s, fires).map(|(_, to)| to.len()));
    match counts.max() {
        Some(most) if most > 1 => select::one_of(b, most, &format!("{}.to", thread.name)),
        _ => Vec::new(),
    }
}

fn moves(
    b: &mut CircuitBuilder,
    thread: &Thread,
    coded: &Coded,
    fires: &BTreeMap<EventId, Signal>,
    choices: &[Signal],
    limit: usize,
) -> Result<(), CannotEncode> {
    let mut arrivals: Vec<Vec<Signal>> = vec![Vec::new(); coded.states.len()];
    let mut leaves: Vec<Signal> = Vec::with_capacity(coded.states.len());
    for (position, &s) in coded.states.iter().enumerate() {
        // For each target: the signals that take the thread there.
        let mut ways: BTreeMap<LocalId, Vec<Signal>> = BTreeMap::new();
        let mut leaving = Vec::new();
        for (fire, to) in targets(thread, s, fires) {
            if to == [s] {
                continue;
            }
            leaving.push(fire);
            let mut first = Signal::TRUE;
            for (i, &target) in to.iter().enumerate().rev() {
                // There are as many choices as the event with the most targets needs, so a choice may have no
                // target for this event. The first target is taken if no other target of this event is chosen.
                let chosen = if i == 0 { first } else { choices[i] };
                first = b.and(first, !chosen);
                let way = b.and(fire, chosen);
                ways.entry(target).or_default().push(way);
            }
        }
        let at = coded.at[position];
        for (target, ways) in ways {
            let to = coded.states.binary_search(&target).expect("targets of what can happen are reachable");
            let way = b.any(&ways);
            let way = b.and(at, way);
            arrivals[to].push(way);
        }
        let leave = b.any(&leaving);
        leaves.push(b.and(at, leave));
        within(b, 0, limit)?;
    }
    let moved = b.any(&leaves);
    for (bit, states) in &coded.bits {
        let of = |all: &[Signal]| -> Vec<Signal> { all.iter().zip(states).filter(|s| *s.1).map(|s| *s.0).collect() };
        let left = if coded.is_one_hot { b.any(&of(&leaves)) } else { moved };
        let stays = b.and(*bit, !left);
        let mut parts: Vec<Signal> = arrivals.iter().zip(states).filter(|s| *s.1).flat_map(|s| s.0.clone()).collect();
        parts.push(stays);
        let next = b.any(&parts);
        let Gate::Latch(latch) = b.circuit().gates()[bit.node()] else { unreachable!("bits are latches") };
        b.circuit_mut().set_next(latch, next);
        within(b, 0, limit)?;
    }
    Ok(())
}

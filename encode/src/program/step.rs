//! Where threads are in the next frame: a bit is true afterwards if an event takes the thread to a state in which it is, or if it
//! is and the thread is not taken out of such a state. (Digits are all written anew when the thread moves at all.)

use super::code::Coded;
use super::{Events, within};
use crate::{CannotEncode, select};
use model::circuit::{CircuitBuilder, Gate, Signal};
use model::{EventId, LocalId, Program, Thread};
use std::collections::BTreeMap;

/// Sets the next functions of all threads' latches.
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

/// The events that a state moves on, and can: those that nobody requests, or the state itself blocks, never happen there.
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

/// For each target number the signal that it is chosen; nothing where every event has one target.
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
        // By target: what takes the thread there.
        let mut ways: BTreeMap<LocalId, Vec<Signal>> = BTreeMap::new();
        let mut leaving = Vec::new();
        for (fire, to) in targets(thread, s, fires) {
            if to == [s] {
                continue;
            }
            leaving.push(fire);
            let mut first = Signal::TRUE;
            for (i, &target) in to.iter().enumerate().rev() {
                // The first target is taken where no other is chosen: choices of the thread are as many as any event needs.
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

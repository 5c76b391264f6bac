//! Makes the translated circuits. The order of the nodes matters: bits of invariants are numbers of nodes and latches.

use model::{Circuit, Gate, LatchId, Reset, Signal};

/// Returns the circuit in which an input saves the state, and the output is true if the state occurs again and each
/// of the signals was true in between.
pub(super) fn a_loop(circuit: &Circuit, signals: &[Signal]) -> Circuit {
    let mut new = extended(circuit);
    let compared = circuit.cone_latches(signals.iter().copied());
    let save = new.input(None);
    let saved = latch(&mut new);
    let copies: Vec<(LatchId, Signal)> = (0..compared.len()).map(|_| latch(&mut new)).collect();
    let monitors: Vec<(LatchId, Signal)> = (0..signals.len()).map(|_| latch(&mut new)).collect();
    let inside = or(&mut new, saved.1, save);
    new.set_next(saved.0, inside);
    let saving = new.and(save, !saved.1);
    let mut same = Vec::new();
    for (latch, &(id, before)) in compared.iter().zip(&copies) {
        let now = circuit.latches()[latch.index()].signal;
        let taken = new.and(saving, now);
        let kept = new.and(!saving, before);
        let next = or(&mut new, taken, kept);
        new.set_next(id, next);
        let more = new.and(now, !before);
        let less = new.and(!now, before);
        same.push(new.and(!more, !less));
    }
    for (&signal, &(id, monitor)) in signals.iter().zip(&monitors) {
        let met = or(&mut new, monitor, signal);
        let next = new.and(inside, met);
        new.set_next(id, next);
    }
    let output = same.into_iter().chain(monitors.iter().map(|(_, monitor)| *monitor));
    let output = output.fold(saved.1, |all, part| new.and(all, part));
    new.output(output, None);
    new
}

/// Returns the circuit with an output that is true when all of the signals were true, one after another, for the time
/// `most` + 1.
pub(super) fn a_count(circuit: &Circuit, signals: &[Signal], most: u32) -> Circuit {
    let mut new = extended(circuit);
    let monitors: Vec<(LatchId, Signal)> = match signals.len() {
        0 | 1 => Vec::new(),
        count => (0..count).map(|_| latch(&mut new)).collect(),
    };
    let counters: Vec<(LatchId, Signal)> = (0..most).map(|_| latch(&mut new)).collect();
    let mut met: Vec<Signal> = signals.to_vec();
    for (met, (_, monitor)) in met.iter_mut().zip(&monitors) {
        *met = or(&mut new, *monitor, *met);
    }
    let all = met.iter().copied().reduce(|all, met| new.and(all, met)).unwrap_or(Signal::TRUE);
    for (&(id, _), &met) in monitors.iter().zip(&met) {
        let next = new.and(met, !all);
        new.set_next(id, next);
    }
    let mut again = all;
    for &(id, counter) in &counters {
        let next = or(&mut new, counter, again);
        new.set_next(id, next);
        again = new.and(counter, all);
    }
    new.output(again, None);
    new
}

/// Returns a circuit with the nodes, latches and constraints of `circuit`, under the same numbers.
fn extended(circuit: &Circuit) -> Circuit {
    let mut new = Circuit::default();
    for gate in &circuit.gates()[1..] {
        match *gate {
            Gate::And(a, b) => _ = new.and(a, b),
            Gate::Latch(id) => _ = new.latch(circuit.latches()[id.index()].reset, None),
            Gate::Input(_) | Gate::False => _ = new.input(None),
        }
    }
    for (number, old) in circuit.latches().iter().enumerate() {
        new.set_next(LatchId::new(number), old.next.expect("circuits as read are complete"));
    }
    circuit.constraints().iter().for_each(|constraint| new.constrain(*constraint));
    new
}

/// Adds a latch that starts with 0. Its next function follows.
fn latch(circuit: &mut Circuit) -> (LatchId, Signal) {
    let id = circuit.latch(Reset::Zero, None);
    (id, circuit.latches()[id.index()].signal)
}

fn or(circuit: &mut Circuit, a: Signal, b: Signal) -> Signal {
    !circuit.and(!a, !b)
}

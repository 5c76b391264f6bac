//! Justice properties, decided by berkeley-abc: its command `l2s` translates liveness to safety, and `pdr` decides it.
//!
//! `l2s` takes its question from the names of outputs. `assert_fair` must be true infinitely often on each run on which
//! each `assume_fair` is true infinitely often. So the signals of a justice property are assumed, and the constant
//! false is asserted. It knows no constraints and no reset value but 0, so the circuit is changed: a latch remembers
//! broken constraints, and latches that start with 1 hold the negation of their values.

use impasse::formats::by_name;
use impasse::model::{Circuit, CircuitBuilder, Gate, JusticeId, LatchId, Problem, Reset, Signal};
use std::fs;
use std::process::Command;
use std::sync::Arc;
use testkit::circuit::has_fair_run;

const ABC: &str = "berkeley-abc";
/// Seconds for one property.
const SECONDS: u32 = 20;

/// Counters over the compared properties.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) properties: u64,
    pub(crate) constrained: u64,
    pub(crate) violated: u64,
    /// Properties without an answer.
    pub(crate) silent: u64,
    /// Circuits with a latch that starts with either value.
    pub(crate) open: u64,
}

/// Compares all justice properties of the circuit.
///
/// # Errors
///
/// A description of the difference.
pub(crate) fn compare(circuit: &Circuit, tally: &mut Tally) -> Result<(), String> {
    if circuit.latches().iter().any(|latch| latch.reset == Reset::Open) {
        tally.open += 1;
        return Ok(());
    }
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let file = folder.path().join("justice.aig");
    for justice in (0..circuit.justices().len()).map(JusticeId::new) {
        let bytes = file_for(circuit, justice)?;
        fs::write(&file, &bytes).map_err(|e| e.to_string())?;
        let script = format!("read_aiger {}; l2s; strash; pdr -T {SECONDS}", file.display());
        let output = Command::new(ABC).args(["-c", &script]).output().map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout);
        tally.properties += 1;
        let is_violated = has_fair_run(circuit, justice);
        // Output 0 is a safety property that `l2s` adds. It always holds.
        let theirs = match (said.contains("Output 1 of miter"), said.contains("Property proved")) {
            (true, false) => true,
            (false, true) => false,
            _ => {
                tally.silent += 1;
                continue;
            }
        };
        if theirs != is_violated {
            return Err(format!("{justice:?}: violated for berkeley-abc: {theirs}, here: {is_violated}\n{said}"));
        }
        tally.violated += u64::from(theirs);
        tally.constrained += u64::from(!circuit.constraints().is_empty());
    }
    Ok(())
}

/// Returns the changed circuit as a file of the format before AIGER 1.9.
fn file_for(circuit: &Circuit, justice: JusticeId) -> Result<Vec<u8>, String> {
    let changed = changed(circuit, justice);
    let header = |kind: &str| {
        let (inputs, latches, ands) = (changed.inputs().len(), changed.latches().len(), changed.ands());
        let (before, after) = if kind == "b" { (0, changed.outputs().len()) } else { (changed.outputs().len(), 0) };
        let end = if after > 0 { format!(" {after}") } else { String::new() };
        format!("aig {} {inputs} {latches} {before} {ands}{end}\n", inputs + latches + ands)
    };
    let write = by_name("aig").and_then(|format| format.write).ok_or("no writer")?;
    let mut bytes = Vec::new();
    write(&Problem::of(Arc::new(changed.clone())), &mut bytes).map_err(|e| format!("{e:?}"))?;
    // Bad states stand where outputs stand in a file without bad states.
    let rest = bytes.strip_prefix(header("b").as_bytes()).ok_or("another header")?;
    let symbols: usize =
        changed.outputs().iter().enumerate().map(|(i, o)| symbol('b', i, o.name.as_deref()).len()).sum();
    let mut file = [header("o").as_bytes(), &rest[..rest.len() - symbols]].concat();
    for (i, output) in changed.outputs().iter().enumerate() {
        file.extend(symbol('o', i, output.name.as_deref()).bytes());
    }
    Ok(file)
}

fn symbol(kind: char, number: usize, name: Option<&str>) -> String {
    format!("{kind}{number} {}\n", name.unwrap_or_default())
}

/// Returns the circuit with latches that start with 0, without constraints, and with outputs for `l2s`.
fn changed(circuit: &Circuit, justice: JusticeId) -> Circuit {
    let mut builder = CircuitBuilder::default();
    let mut signals: Vec<Signal> = Vec::new();
    let starts = |latch: LatchId| circuit.latches()[latch.index()].reset == Reset::One;
    for gate in circuit.gates() {
        let of = |s: Signal| signals[s.node()].negated_if(s.is_negated());
        signals.push(match *gate {
            Gate::False => Signal::FALSE,
            Gate::Input(_) => builder.circuit_mut().input(None),
            Gate::Latch(latch) => {
                let new = builder.circuit_mut().latch(Reset::Zero, None);
                builder.circuit().latches()[new.index()].signal.negated_if(starts(latch))
            }
            Gate::And(a, b) => builder.and(of(a), of(b)),
        });
    }
    let of = |s: Signal| signals[s.node()].negated_if(s.is_negated());
    for (number, latch) in circuit.latches().iter().enumerate() {
        let id = LatchId::new(number);
        let next = of(latch.next.expect("generated circuits are complete")).negated_if(starts(id));
        builder.circuit_mut().set_next(id, next);
    }
    let broken = builder.circuit_mut().latch(Reset::Zero, None);
    let was_broken = builder.circuit().latches()[broken.index()].signal;
    let constraints: Vec<Signal> = circuit.constraints().iter().map(|s| of(*s)).chain([!was_broken]).collect();
    let fine = builder.all(&constraints);
    builder.circuit_mut().set_next(broken, !fine);
    builder.circuit_mut().output(Signal::FALSE, Some("assert_fair_0".to_owned()));
    let recurring = circuit.recurring(justice).into_iter().map(of).chain([Signal::TRUE]);
    for (number, signal) in recurring.enumerate() {
        let signal = builder.and(signal, fine);
        builder.circuit_mut().output(signal, Some(format!("assume_fair_{number}")));
    }
    builder.finish()
}

//! Describes a circuit: its sizes, the initial values of its latches, and its properties.

use crate::cli::input::Model;
use impasse::model::{Circuit, Goal, Reset};
use view::text::plural;

/// Maximum number of properties listed without `-v`.
const PROPERTIES: usize = 20;

pub(super) fn describe(model: &Model, circuit: &Circuit, all: bool) {
    let count = |n: usize, what: &str| plural(n as u64, what);
    say!("{}: circuit", model.name);
    let latches = match circuit.latches().len() {
        1 => "1 latch".to_owned(),
        n => count(n, "latche"),
    };
    say!("  {}, {latches}, {}", count(circuit.inputs().len(), "input"), count(circuit.ands(), "gate"));
    for memory in &circuit.memories().memories {
        let name = memory.name.as_deref().unwrap_or("without name");
        say!("  memory {name}: addresses of {} bits, words of {} bits", memory.index, memory.width);
    }
    let of = |reset| circuit.latches().iter().filter(|latch| latch.reset == reset).count();
    let (one, open) = (of(Reset::One), of(Reset::Open));
    if one + open > 0 {
        say!("  starts with: {} at 0, {one} at 1, {open} at either", circuit.latches().len() - one - open);
    }
    if !circuit.constraints().is_empty() {
        say!("  only runs count in which {} always", hold(circuit.constraints().len()));
    }
    match circuit.fairness().len() {
        0 => {}
        1 => say!("  for justice, only runs count in which 1 fairness signal is true infinitely often"),
        n => say!("  for justice, only runs count in which {n} fairness signals are true infinitely often"),
    }
    let properties = model.problem.properties();
    if properties.is_empty() {
        say!("  asks for nothing");
        return;
    }
    say!("  asks for:");
    let most = if all { usize::MAX } else { PROPERTIES };
    for property in properties.iter().take(most) {
        match property.goal {
            Goal::Justice(justice) => {
                let signals = count(circuit.justices()[justice.index()].signals.len(), "signal");
                say!("    {}: justice ({signals} that must not all be true infinitely often)", property.id);
            }
            _ => say!("    {}: output (must never be true)", property.id),
        }
    }
    if properties.len() > most {
        say!("    ({} more; -v shows all)", count(properties.len() - most, "property"));
    }
}

fn hold(constraints: usize) -> String {
    if constraints == 1 { "1 constraint holds".to_owned() } else { format!("{constraints} constraints hold") }
}

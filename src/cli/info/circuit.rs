//! What is in a circuit.

use crate::cli::text::plural;
use impasse::model::Circuit;

pub(super) fn describe(name: &str, circuit: &Circuit) {
    let count = |n: usize, what: &str| plural(n as u64, what);
    say!("{name}: circuit");
    let (inputs, latches) = (count(circuit.inputs().len(), "input"), circuit.latches().len());
    let latches = if latches == 1 { "1 latch".to_owned() } else { count(latches, "latche") };
    say!("  {inputs}, {latches}, {}", count(circuit.ands(), "gate"));
    say!("  {}, {}", count(circuit.outputs().len(), "output"), count(circuit.constraints().len(), "constraint"));
}

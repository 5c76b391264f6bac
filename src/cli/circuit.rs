//! Encodes nets, thread-transition systems and programs as circuits, for the formats of circuits.

use super::args::{CircuitArgs, EncodingArg};
use super::kinds;
use circuits::encode::CannotEncode;
use impasse::model::{Bound, Circuit, Formula, Goal, Net, OutputId, Problem, Property};
use impasse::questions;
use nets::encode::{Encoding, MOST_NODES, Within};
use std::sync::Arc;

/// Returns true if the format called `name` is a format of circuits.
pub(super) fn is_format(name: &str) -> bool {
    matches!(name, "aag" | "aig" | "btor2")
}

/// Returns the problem as a problem about a circuit, with an output for each property asked.
pub(super) fn of(problem: &Problem, args: &CircuitArgs, format: &str) -> Result<Problem, String> {
    let problem = questions::choose(problem.clone(), &args.property)?;
    let Some(circuit) = kinds::of(&problem).circuit(args, format)? else { return Ok(problem) };
    let output = |(i, p): (usize, &Property)| Property { goal: Goal::Output(OutputId::new(i)), ..p.clone() };
    let properties = problem.properties().iter().enumerate().map(output).collect();
    Problem::of(Arc::new(circuit)).asking(properties).map_err(|mismatch| mismatch.to_string())
}

pub(super) fn refuse_bounds(args: &CircuitArgs, what: &str) -> Result<(), String> {
    if args.bound.is_some() || args.total.is_some() {
        return Err(format!("`--bound` and `--total` are for nets and thread-transition systems, and this is {what}"));
    }
    Ok(())
}

pub(super) fn within(args: &CircuitArgs, bounds: Vec<Option<u64>>, counted: Vec<bool>) -> Within {
    Within { each: args.bound, bounds, total: args.total.map(|most| Bound { most, counted }) }
}

pub(super) fn of_net(problem: &Problem, net: &Net, within: &Within, args: &CircuitArgs) -> Result<Circuit, String> {
    let encoding = match args.encoding {
        None | Some(EncodingArg::Thermometer) => Encoding::Thermometer,
        Some(EncodingArg::OneHot) => Encoding::OneHot,
        Some(EncodingArg::Binary) => Encoding::Binary,
    };
    let stuck = impasse::model::deadlock_of(net.transitions());
    let formula = |p: &Property| -> (String, Formula) {
        (p.id.clone(), problem.formula(p.goal).map_or_else(|| stuck.clone(), |formula| (**formula).clone()))
    };
    let goals: Vec<(String, Formula)> = problem.properties().iter().map(formula).collect();
    let goals: Vec<(String, &Formula)> = goals.iter().map(|(id, formula)| (id.clone(), formula)).collect();
    match nets::encode::encode(net, within, encoding, &goals, MOST_NODES) {
        Ok(encoded) => Ok(encoded.circuit),
        Err(error @ CannotEncode::Unbounded(_)) => Err(format!(
            "{error}: a circuit of a net needs `--bound N` (tokens on each place) or `--total N` (on all together)"
        )),
        Err(error) => Err(error.to_string()),
    }
}

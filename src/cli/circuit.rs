//! Nets, thread systems and programs as circuits, for formats of circuits.

use super::args::{CircuitArgs, EncodingArg};
use super::ask;
use encode::net::{Encoding, MOST_NODES, Within};
use encode::program::{self, Code};
use encode::{CannotEncode, net};
use impasse::model::{Bound, Circuit, Formula, Goal, Net, OutputId, Problem, Property, SystemModel, ThreadSystem};
use std::sync::Arc;

/// Does this format hold circuits?
pub(super) fn is_format(name: &str) -> bool {
    matches!(name, "aag" | "aig")
}

/// The problem as one about a circuit, with an output for each property asked.
pub(super) fn of(
    problem: &Problem,
    args: &CircuitArgs,
    net_of: impl Fn(&ThreadSystem) -> Result<Net, String>,
) -> Result<Problem, String> {
    let problem = ask::choose(problem.clone(), &args.property)?;
    let circuit = match &problem.system {
        SystemModel::Circuit(_) => {
            refuse_bounds(args, "a circuit")?;
            if args.encoding.is_some() || !args.property.is_empty() {
                return Err("a circuit is written as it is, with all its properties: no `--encoding`, no `--property`"
                    .to_owned());
            }
            return Ok(problem);
        }
        SystemModel::Reactive(_) => return Err("circuits of reactive programs are not made".to_owned()),
        SystemModel::Rwb(_) => {
            refuse_bounds(args, "a behavioral program")?;
            if !problem.assumptions.is_empty() {
                return Err("the model assumes something about runs (`assume`), which a circuit cannot say".to_owned());
            }
            if args.encoding == Some(EncodingArg::Thermometer) {
                return Err("local states are no counts: `--encoding` is `one-hot` or `binary`".to_owned());
            }
            let code = if args.encoding == Some(EncodingArg::Binary) { Code::Digits } else { Code::OneHot };
            let goals: Vec<Goal> = problem.goals().collect();
            // A circuit says which ends are proper.
            let other = impasse::model::observed(&problem, &goals);
            let other = other.ok_or("only `bad` and `deadlock` are written, no other questions")?;
            program::encode(other.problem.program(), &goals, code, MOST_NODES)
                .map_err(|error| error.to_string())?
                .alone()
        }
        SystemModel::Net(net) => {
            of_net(&problem, net, &within(args, vec![None; net.places().len()], vec![true; net.places().len()]), args)?
        }
        SystemModel::Threads(threads) => {
            let net = net_of(threads)?;
            let is_shared = |p: usize| p < threads.shared() as usize;
            let places = 0..net.places().len();
            let bounds = places.clone().map(|p| is_shared(p).then_some(1)).collect();
            of_net(&problem, &net, &within(args, bounds, places.map(|p| !is_shared(p)).collect()), args)?
        }
    };
    let output = |(i, p): (usize, &Property)| Property { goal: Goal::Output(OutputId::new(i)), ..p.clone() };
    let properties = problem.properties.iter().enumerate().map(output).collect();
    let system = SystemModel::Circuit(Arc::new(circuit));
    Ok(Problem { system, formulas: Vec::new(), temporal: Vec::new(), properties, assumptions: Vec::new() })
}

fn refuse_bounds(args: &CircuitArgs, what: &str) -> Result<(), String> {
    if args.bound.is_some() || args.total.is_some() {
        return Err(format!("`--bound` and `--total` are for nets and thread systems, and this is {what}"));
    }
    Ok(())
}

fn within(args: &CircuitArgs, bounds: Vec<Option<u64>>, counted: Vec<bool>) -> Within {
    Within { each: args.bound, bounds, total: args.total.map(|most| Bound { most, counted }) }
}

fn of_net(problem: &Problem, net: &Net, within: &Within, args: &CircuitArgs) -> Result<Circuit, String> {
    let encoding = match args.encoding {
        None | Some(EncodingArg::Thermometer) => Encoding::Thermometer,
        Some(EncodingArg::OneHot) => Encoding::OneHot,
        Some(EncodingArg::Binary) => Encoding::Binary,
    };
    let stuck = impasse::model::deadlock_of(net.transitions());
    let formula = |p: &Property| -> (String, Formula) {
        (p.id.clone(), problem.formula(p.goal).map_or_else(|| stuck.clone(), |formula| (**formula).clone()))
    };
    let goals: Vec<(String, Formula)> = problem.properties.iter().map(formula).collect();
    let goals: Vec<(String, &Formula)> = goals.iter().map(|(id, formula)| (id.clone(), formula)).collect();
    match net::encode(net, within, encoding, &goals, MOST_NODES) {
        Ok(encoded) => Ok(encoded.circuit),
        Err(error @ CannotEncode::Unbounded(_)) => Err(format!(
            "{error}: a circuit of a net needs `--bound N` (tokens on each place) or `--total N` (on all together)"
        )),
        Err(error) => Err(error.to_string()),
    }
}

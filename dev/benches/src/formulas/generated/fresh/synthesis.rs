//! Exact synthesis: a circuit of a given number of gates for given functions (Kojevnikov, Kulikov, Yaroslavtsev
//! 2009; Knuth, volume 4A, section 7.1.2).

use super::super::formula::{Formula, Lit};
use model::cnf::Cnf;

/// A circuit of `gates` gates with two inputs each, of any kind, for `outputs` functions of `inputs` bits.
/// `function` maps the inputs to the outputs, both as the bits of a number. Every output must be 0 if all inputs
/// are 0, because then gates with this property suffice.
pub(super) fn circuit(inputs: usize, outputs: usize, gates: usize, function: impl Fn(u32) -> u32) -> Cnf {
    let mut formula = Formula::default();
    let rows = 1usize << inputs;
    // Row 0 is left out: all wires are 0 there.
    let value = formula.grid(gates, rows);
    let kind = formula.grid(gates, 3);
    let shows = formula.grid(outputs, gates);
    let mut used: Vec<Vec<Lit>> = vec![Vec::new(); gates];
    for gate in 0..gates {
        let mut pairs = Vec::new();
        for second in 0..inputs + gate {
            for first in 0..second {
                let chosen = formula.var();
                pairs.push(chosen);
                for input in [first, second] {
                    if let Some(earlier) = input.checked_sub(inputs) {
                        used[earlier].push(chosen);
                    }
                }
                for row in 1..rows {
                    let wires = [first, second].map(|input| wire(&mut formula, input, row, inputs, &value));
                    computes(&mut formula, chosen, wires, &kind[gate], value[gate][row]);
                }
            }
        }
        formula.exactly_one(&pairs);
        // No gate is constant or equal to one of its inputs.
        let [second, first, both] = [kind[gate][0], kind[gate][1], kind[gate][2]];
        formula.clause(&[first, second, both]);
        formula.clause(&[-first, second, -both]);
        formula.clause(&[first, -second, -both]);
    }
    for (output, own) in shows.iter().enumerate() {
        formula.exactly_one(own);
        for (gate, &here) in own.iter().enumerate() {
            used[gate].push(here);
            for row in 1..rows {
                let wanted = function(row as u32) >> output & 1 == 1;
                let wire = value[gate][row];
                formula.implies(&[here], &[if wanted { wire } else { -wire }]);
            }
        }
    }
    used.iter().for_each(|own| formula.clause(own));
    formula.finish()
}

fn wire(formula: &mut Formula, input: usize, row: usize, inputs: usize, value: &[Vec<Lit>]) -> Lit {
    match input.checked_sub(inputs) {
        Some(gate) => value[gate][row],
        None => formula.constant(row >> input & 1 == 1),
    }
}

/// Adds that the gate has the value of its kind, if it has these wires as inputs.
fn computes(formula: &mut Formula, chosen: Lit, [a, b]: [Lit; 2], kind: &[Lit], value: Lit) {
    formula.implies(&[chosen, -a, -b], &[-value]);
    for (wires, result) in [([-a, b], kind[0]), ([a, -b], kind[1]), ([a, b], kind[2])] {
        formula.implies(&[chosen, wires[0], wires[1], result], &[value]);
        formula.implies(&[chosen, wires[0], wires[1], -result], &[-value]);
    }
}

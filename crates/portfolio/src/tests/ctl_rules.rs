//! The rules by which formulas of computation tree logic are simplified, against formulas as they are written, in all
//! markings of random nets.

use super::net_branching::system;
use model::{CtlBuilder, CtlId, CtlNode, Formula, FormulaId};
use std::sync::Arc;
use testkit::Random;

/// Adds a random subformula to both lists: as it is written, and as it is simplified.
fn add(random: &mut Random, written: &mut Vec<CtlNode>, simplified: &mut Vec<CtlId>, builder: &mut CtlBuilder) {
    let letters = 3;
    // Operands that were added last occur more often, so that formulas are deep.
    let pick = |random: &mut Random| {
        let among = if random.below(2) == 0 { written.len().min(4) } else { written.len() };
        written.len() - 1 - random.below(among)
    };
    let kind = if written.len() < letters { 0 } else { random.between(1, 12) };
    let (node, id) = match kind {
        0 => {
            let letter = FormulaId::new(written.len());
            (CtlNode::Letter(letter), builder.letter(letter))
        }
        1 => {
            let value = random.below(2) == 0;
            (CtlNode::Constant(value), builder.constant(value))
        }
        2 | 3 => {
            let a = pick(random);
            (CtlNode::Not(CtlId::new(a)), builder.not(simplified[a]))
        }
        4..=7 => {
            let parts: Vec<usize> = (0..random.between(2, 3)).map(|_| pick(random)).collect();
            let ids = parts.iter().map(|a| CtlId::new(*a)).collect();
            let all = kind < 6;
            let id = builder.join(all, parts.iter().map(|a| simplified[*a]).collect());
            (if all { CtlNode::All(ids) } else { CtlNode::Any(ids) }, id)
        }
        8 => {
            let a = pick(random);
            (CtlNode::ExistsNext(CtlId::new(a)), builder.exists_next(simplified[a]))
        }
        _ => {
            // Half of them say `true U b`.
            let always = written.iter().position(|node| *node == CtlNode::Constant(true));
            let a = always.filter(|_| random.below(2) == 0).unwrap_or_else(|| pick(random));
            let b = pick(random);
            let operands = (CtlId::new(a), CtlId::new(b));
            match kind < 11 {
                true => {
                    let id = builder.exists_until(simplified[a], simplified[b]);
                    (CtlNode::ExistsUntil(operands.0, operands.1), id)
                }
                false => {
                    let id = builder.all_until(simplified[a], simplified[b]);
                    (CtlNode::AllUntil(operands.0, operands.1), id)
                }
            }
        }
    };
    written.push(node);
    simplified.push(id);
}

#[test]
fn simplified_formulas_say_what_is_written() {
    let (mut compared, mut shorter) = (0u64, 0u64);
    for seed in 0..testkit::count(10_000) {
        let random = &mut Random::new(seed ^ 0x7275_6c65);
        let Some((system, graph)) = system(seed, random) else { continue };
        let places = system.places().expect("it has places");
        let formulas: Vec<Arc<Formula>> = (0..3).map(|_| Arc::new(testkit::formula::random(random, places))).collect();
        let (mut written, mut simplified, mut builder) = (Vec::new(), Vec::new(), CtlBuilder::default());
        for _ in 0..random.between(6, 24) {
            add(random, &mut written, &mut simplified, &mut builder);
        }
        let truth = graph.truth(&formulas, &written);
        for (number, id) in simplified.iter().enumerate() {
            let formula = builder.clone().finish(*id);
            let simple = graph.truth(&formulas, formula.nodes()).pop().expect("it has a root");
            assert_eq!(truth[number], simple, "seed {seed}: {number} of {written:?} is not {formula:?}");
            compared += 1;
            shorter += u64::from(formula.nodes().len() <= number / 2);
        }
    }
    assert!(!testkit::are_full() || compared > 50_000 && shorter > 10_000, "{compared}, {shorter}");
}

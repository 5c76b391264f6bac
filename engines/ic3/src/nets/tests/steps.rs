//! One step of the circuit is one firing, and goals are signals.

use crate::bits::Source;
use crate::markings::tests::brute::{Marking, fire, satisfies};
use crate::markings::tests::nets::nets;
use crate::nets::goals;
use crate::nets::thresholds::{Known, Thresholds};
use model::{Circuit, Formula, FormulaBuilder, Gate, LatchId, Net, Signal};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use reduce::rules::Rules;
use std::sync::Arc;

fn thresholds(net: &Net) -> Thresholds {
    let rules = Arc::new(Rules::new(net).expect("small numbers"));
    let known = Known::nothing(&rules);
    Thresholds::new(rules, known)
}

/// By node, its value.
fn evaluate(circuit: &Circuit, latches: &dyn Fn(LatchId) -> bool, inputs: &[bool]) -> Vec<bool> {
    let mut values: Vec<bool> = Vec::new();
    for gate in circuit.gates() {
        let of = |s: Signal| values[s.node()] != s.is_negated();
        values.push(match *gate {
            Gate::False => false,
            Gate::Input(i) => inputs[i as usize],
            Gate::Latch(l) => latches(l),
            Gate::And(a, b) => of(a) && of(b),
        });
    }
    values
}

fn value(values: &[bool], s: Signal) -> bool {
    values[s.node()] != s.is_negated()
}

fn holds(bits: &Thresholds, marking: &Marking, latch: LatchId) -> bool {
    let (place, n) = bits.meaning(latch);
    marking[place as usize] >= BigUint::from(n)
}

/// Inputs that choose a transition.
fn choosing(bits: &Thresholds, t: u32) -> Vec<bool> {
    (0..bits.circuit().inputs().len()).map(|digit| t >> digit & 1 == 1).collect()
}

pub(super) fn formulas() -> impl Strategy<Value = Formula> {
    let linear = (proptest::collection::vec((0u32..3, -2..3i32), 1..3), -3..4i32);
    proptest::collection::vec(linear, 1..3).prop_map(|sums| {
        let mut builder = FormulaBuilder::default();
        let parts: Vec<_> = sums
            .into_iter()
            .map(|(terms, least)| {
                let terms = terms.into_iter().map(|(p, c)| (model::PlaceId(p), BigInt::from(c)));
                builder.at_least(terms, BigInt::from(least))
            })
            .collect();
        let root = builder.any(parts);
        builder.finish(root)
    })
}

proptest! {
    #[test]
    fn a_step_is_a_firing(
        net in nets(false),
        asked in proptest::collection::vec((0usize..6, 1u64..5), 1..5),
        from in proptest::collection::vec(0u8..5, 6),
    ) {
        let mut bits = thresholds(&net);
        let places = net.places().len();
        for (p, n) in asked {
            bits.at_least(u32::try_from(p % places).unwrap(), n);
        }
        let asked: Vec<LatchId> = (0..bits.circuit().latches().len()).map(LatchId::new).collect();
        asked.iter().for_each(|&l| bits.define(l));
        prop_assert!(!bits.is_too_large());
        let marking: Marking = from.iter().take(places).map(|n| BigUint::from(*n)).collect();
        for t in 0..net.transitions().len() {
            let number = u32::try_from(t).unwrap();
            let inputs = choosing(&bits, number);
            let values = evaluate(bits.circuit(), &|l| holds(&bits, &marking, l), &inputs);
            prop_assert!(bits.clauses().iter().all(|c| c.iter().any(|&s| value(&values, s))));
            let fired = fire(&net, t, &marking);
            let next = fired.clone().unwrap_or_else(|| marking.clone());
            for &latch in &asked {
                let after = value(&values, bits.circuit().latches()[latch.index()].next.unwrap());
                prop_assert_eq!(after, holds(&bits, &next, latch));
            }
        }
    }

    #[test]
    fn goals_are_signals(
        net in nets(true),
        formula in formulas(),
        bounded in proptest::collection::vec(proptest::bool::ANY, 3),
        from in proptest::collection::vec(0u8..4, 6),
    ) {
        prop_assume!(net.places().len() >= 3);
        let rules = Arc::new(Rules::new(&net).expect("small numbers"));
        let mut known = Known::nothing(&rules);
        for p in 0..3 {
            known.ends[p] = if bounded[p] { 3 } else { u64::MAX };
        }
        let mut bits = Thresholds::new(rules, known);
        let marking: Marking = from.iter().take(net.places().len()).map(|n| BigUint::from(*n)).collect();
        if let Some(signal) = goals::signal(&mut bits, &formula) {
            let values = evaluate(bits.circuit(), &|l| holds(&bits, &marking, l), &vec![false; bits.circuit().inputs().len()]);
            prop_assert_eq!(value(&values, signal), satisfies(&formula, &marking));
        }
    }
}

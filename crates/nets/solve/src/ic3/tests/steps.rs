//! Checks that a step of the circuit is a firing, and that signals of goals are right.

use crate::coverability::tests::nets::nets;
use crate::ic3::goals;
use crate::ic3::sums::Bits;
use crate::ic3::thresholds::{NetInvariants, Thresholds};
use crate::rules::Rules;
use circuits::ic3::Source;
use model::{Formula, FormulaBuilder, LatchId, Net, Signal};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use std::sync::Arc;
use testkit::circuit::values;
use testkit::net::{Marking, fire};

fn thresholds(net: &Net) -> Thresholds {
    let rules = Arc::new(Rules::new(net).expect("small numbers"));
    let known = NetInvariants::nothing(&rules);
    Thresholds::new(rules, known)
}

fn value(values: &[bool], s: Signal) -> bool {
    values[s.node()] != s.is_negated()
}

fn holds(bits: &Thresholds, marking: &Marking, latch: LatchId) -> bool {
    let (place, n) = bits.meaning(latch);
    marking[place as usize] >= BigUint::from(n)
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
            // The inputs select a transition.
            let values = values(bits.circuit(), |l| holds(&bits, &marking, l), |digit| number >> digit & 1 == 1);
            prop_assert!(bits.clauses().iter().all(|c| c.iter().any(|&s| value(&values, s))));
            let fired = fire(&net.transitions()[t], &marking);
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
        let mut known = NetInvariants::nothing(&rules);
        for (p, bounded) in bounded.into_iter().enumerate() {
            known.ends[p] = if bounded { 3 } else { u64::MAX };
        }
        let mut bits = Thresholds::new(rules, known);
        let marking: Marking = from.iter().take(net.places().len()).map(|n| BigUint::from(*n)).collect();
        if let Some(signal) = goals::signal(&mut bits, &formula) {
            let values = values(bits.circuit(), |l| holds(&bits, &marking, l), |_| false);
            prop_assert_eq!(value(&values, signal), testkit::formula::holds(&formula, &marking));
        }
    }
}

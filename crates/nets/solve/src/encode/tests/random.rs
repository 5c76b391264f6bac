//! Random nets with arcs of all kinds. In every encoding the circuit reaches the same markings as the net
//! within the bound, and its outputs are true in the same markings as the formulas.

use crate::encode::rules::Within;
use crate::encode::{Encoded, Encoding, encode};
use circuits::encode::simulate::Simulation;
use model::{
    Bound, Effect, Formula, FormulaBuilder, Guard, Net, Place, PlaceId, Range, Reset, Transition, deadlock_of,
};
use num_bigint::BigInt;
use proptest::prelude::*;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use testkit::Count;
use testkit::formula::holds;
use testkit::net::{fire, successors};

type Marking = Vec<u64>;

#[derive(Clone, Debug)]
pub(super) struct Case {
    net: Net,
    within: Within,
    goals: Vec<Formula>,
}

fn range(least: u64, width: Option<u64>) -> Range {
    Range { at_least: least.into(), at_most: width.map(|w| (least + w).into()) }
}

/// Generates the guard and the effect of a transition on one place, both optional. The effect adds a constant
/// to the place, or replaces its tokens by a constant, by the tokens of another place, or by the tokens of both
/// places, plus a constant.
fn arc(places: usize) -> impl Strategy<Value = (u64, Option<u64>, u8, i64, usize)> {
    let width = prop_oneof![3 => Just(None), 1 => (0u64..3).prop_map(Some)];
    (0u64..3, width, 0u8..8, -2i64..3, 0..places)
}

fn transition(name: String, arcs: &[(u64, Option<u64>, u8, i64, usize)]) -> Transition {
    let mut guards: Vec<Guard> = Vec::new();
    let mut effects = Vec::new();
    for (p, &(least, width, kind, add, other)) in arcs.iter().enumerate() {
        let place = PlaceId::new(p);
        if kind > 0 {
            guards.push(Guard { place, range: range(least, width) });
        }
        let ensured = if kind > 0 { least as i64 } else { 0 };
        let sources: Vec<usize> = match kind {
            0 | 1 => continue,
            5 => vec![],
            6 => vec![other],
            7 => vec![p.min(other), p.max(other)],
            _ => vec![p],
        };
        let add = match kind {
            5 | 6 => add.max(0),
            _ => add.max(-ensured),
        };
        let sources: SmallVec<[PlaceId; 1]> = sources.into_iter().map(PlaceId::new).collect();
        effects.push(Effect { place, sources, add: add.into() });
    }
    Transition { name, guards, effects }
}

fn formula() -> impl Strategy<Value = Vec<(Vec<i64>, i64)>> {
    prop::collection::vec((prop::collection::vec(-2i64..4, 3), -4i64..7), 1..4)
}

fn case() -> impl Strategy<Value = Case> {
    (1usize..4).prop_flat_map(|places| {
        let initial = prop::collection::vec(
            (0u64..3, prop_oneof![3 => Just(Some(0)), 1 => Just(Some(2)), 1 => Just(None)]),
            places,
        );
        let transitions = prop::collection::vec(prop::collection::vec(arc(places), places), 1..4);
        let total = prop::option::of((0u64..6, prop::collection::vec(prop::bool::weighted(0.8), places)));
        let bounds = prop::collection::vec(prop::option::weighted(0.3, 1u64..4), places);
        (initial, transitions, total, 1u64..5, bounds, prop::collection::vec(formula(), 2)).prop_map(build)
    })
}

type Parts = (
    Vec<(u64, Option<u64>)>,
    Vec<Vec<(u64, Option<u64>, u8, i64, usize)>>,
    Option<(u64, Vec<bool>)>,
    u64,
    Vec<Option<u64>>,
    Vec<Vec<(Vec<i64>, i64)>>,
);

fn build((initial, transitions, total, each, bounds, goals): Parts) -> Case {
    let places = initial.iter().enumerate();
    let places: Vec<Place> =
        places.map(|(p, &(least, width))| Place { name: format!("p{p}"), initial: range(least, width) }).collect();
    let count = places.len();
    let transitions: Vec<Transition> =
        transitions.iter().enumerate().map(|(t, arcs)| transition(format!("t{t}"), arcs)).collect();
    let mut formulas: Vec<Formula> = goals
        .iter()
        .map(|parts| {
            let mut b = FormulaBuilder::default();
            let sums: Vec<_> = parts
                .iter()
                .map(|(weights, least)| {
                    let terms = weights.iter().take(count).enumerate();
                    let terms: Vec<_> = terms.map(|(p, &w)| (PlaceId::new(p), BigInt::from(w))).collect();
                    b.at_least(terms, BigInt::from(*least))
                })
                .collect();
            let (first, rest) = sums.split_first().expect("one at least");
            let any = b.any(rest.to_vec());
            let root = if rest.is_empty() { *first } else { b.all(vec![*first, any]) };
            b.finish(root)
        })
        .collect();
    formulas.push(deadlock_of(&transitions));
    let net = Net::new(places, transitions).expect("guards ensure what effects take");
    let total = total.map(|(most, counted)| Bound { most, counted });
    Case { net, within: Within { each: Some(each), bounds, total }, goals: formulas }
}

fn fits(case: &Case, m: &[u64]) -> bool {
    let each = m.iter().enumerate().all(|(p, &n)| {
        let own = case.within.bounds.get(p).copied().flatten().unwrap_or(u64::MAX);
        n <= own.min(case.within.each.unwrap_or(u64::MAX))
    });
    each && case.within.total.as_ref().is_none_or(|total| {
        m.iter().zip(&total.counted).filter(|(_, c)| **c).map(|(n, _)| n).sum::<u64>() <= total.most
    })
}

/// Returns all markings that are reachable within the bound.
fn reachable(case: &Case) -> BTreeSet<Marking> {
    let counts = case.net.places().iter().map(|p| (0..=5).filter(|n: &u64| n.is_in(&p.initial)).collect());
    let starts = testkit::choices::<u64>(counts).into_iter().filter(|m| fits(case, m));
    let next = |m: &Marking| successors(&case.net, m).filter(|to| fits(case, to)).collect();
    testkit::reach(starts, usize::MAX, next).expect("there is no limit").states.into_iter().collect()
}

fn bits(number: usize, count: usize) -> Vec<bool> {
    (0..count).map(|i| number >> i & 1 == 1).collect()
}

/// Returns the markings that the circuit reaches, and checks that its outputs agree with the formulas in each.
/// Returns `None` if the circuit has too many initial states.
fn simulated(case: &Case, encoded: &Encoded) -> Option<BTreeSet<Marking>> {
    let circuit = &encoded.circuit;
    let open = circuit.latches().iter().filter(|l| l.reset == Reset::Open).count();
    if open > 12 {
        return None;
    }
    let inputs = circuit.inputs().len();
    let mut work: Vec<Vec<bool>> =
        (0..1usize << open).map(|n| Simulation::new(circuit, bits(n, open)).latches().to_vec()).collect();
    let mut seen: BTreeSet<Vec<bool>> = work.iter().cloned().collect();
    let mut markings = BTreeSet::new();
    while let Some(latches) = work.pop() {
        for choice in 0..1usize << inputs {
            let mut frame = Simulation::at(circuit, latches.clone());
            if !frame.frame(&bits(choice, inputs)) {
                continue;
            }
            let marking = encoded.lift.marking(&latches);
            for (output, goal) in circuit.outputs().iter().zip(&case.goals) {
                assert_eq!(frame.value(output.signal), holds(goal, &marking), "{goal:?} in {marking:?}");
            }
            let fired = encoded.lift.fired(&frame);
            frame.step();
            let to = encoded.lift.marking(frame.latches());
            match fired {
                None => assert_eq!(to, marking, "nothing happens where nothing fires"),
                Some(t) => {
                    assert_eq!(Some(to), fire(case.net.transition(t), &marking), "what fires is enabled");
                }
            }
            markings.insert(marking);
            if seen.insert(frame.latches().to_vec()) {
                work.push(frame.latches().to_vec());
            }
        }
    }
    Some(markings)
}

proptest! {
    #[test]
    fn circuits_reach_what_nets_reach(case in case()) {
        let expected = reachable(&case);
        let goals: Vec<(String, &Formula)> = case.goals.iter().enumerate().map(|(i, g)| (format!("g{i}"), g)).collect();
        for encoding in [Encoding::Thermometer, Encoding::OneHot, Encoding::Binary] {
            match encode(&case.net, &case.within, encoding, &goals, 1 << 20) {
                Ok(encoded) => if let Some(found) = simulated(&case, &encoded) {
                    prop_assert_eq!(&found, &expected, "{:?}", encoding);
                },
                Err(_) => prop_assert!(expected.is_empty()),
            }
        }
    }
}

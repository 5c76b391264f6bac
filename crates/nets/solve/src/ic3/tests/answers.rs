//! Compares answers with brute force: with and without bounds, with and without invariants, and after other
//! bounds.

use super::steps::formulas;
use crate::coverability::tests::brute::{Brute, holds_on_small_markings};
use crate::coverability::tests::leads_to;
use crate::coverability::tests::nets::{cover, nets, targets};
use crate::invariants::Invariants;
use crate::{Ic3Bits, InvariantUse, NetBitsOptions};
use model::{
    Bound, Budget, Certificate, Claim, Engine, Formula, FormulaId, Goal, InvariantCertificate, Net, NetInvariant,
    NetTask, Trace, Turn, Within,
};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::net::{Marking, invariant_holds_within, is_goal_of, successors};

/// A claim about a goal.
#[derive(Debug)]
enum Said {
    Safe(InvariantCertificate),
    Unsafe(Trace),
    NotWithin(Within, InvariantCertificate),
}

pub(super) fn task(net: Net, formulas: Vec<Formula>, bound: Option<u64>) -> NetTask {
    let mut goals: Vec<Goal> = (0..formulas.len()).map(|i| Goal::Formula(FormulaId::new(i))).collect();
    goals.push(Goal::Deadlock);
    let counted = vec![true; net.places().len()];
    let task = NetTask::plain(Arc::new(net), formulas.into_iter().map(Arc::new).collect(), goals);
    NetTask { bound: bound.map(|most| Bound { most, counted }), ..task }
}

pub(super) fn engine(task: &NetTask, options: NetBitsOptions) -> Ic3Bits {
    Ic3Bits::new(task.clone(), Arc::new(Invariants::new(task).expect("small numbers")), options)
}

pub(super) fn uses() -> impl Strategy<Value = InvariantUse> {
    any::<[bool; 3]>().prop_map(|[clauses, bounds, rules]| InvariantUse { clauses, bounds, rules })
}

/// Runs the engine until it makes no more claims or the work units are used up.
fn say(engine: &mut Ic3Bits, units: u64) -> BTreeMap<Goal, Said> {
    let mut said = BTreeMap::new();
    let mut budget = Budget::new(units, Arc::default());
    loop {
        let (goals, what) = match engine.run(&mut budget) {
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::Invariant(i) }) => (goals, Said::Safe(*i)),
            Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }) => (vec![goal], Said::Unsafe(trace)),
            Turn::Claims(Claim::Within { goals, within, invariant }) => (goals, Said::NotWithin(within, *invariant)),
            Turn::Claims(claim) => panic!("{claim:?}"),
            Turn::More | Turn::Done => return said,
        };
        assert_eq!(goals.len(), 1);
        assert!(said.insert(goals[0], what).is_none(), "each goal once");
    }
}

fn total(marking: &Marking) -> u64 {
    marking.iter().map(|n| n.to_u64().expect("small")).sum()
}

/// All markings of runs within the bound.
fn within(net: &Net, bound: u64) -> Vec<Marking> {
    let counts = net
        .places()
        .iter()
        .map(|place| (0..=bound).map(BigUint::from).filter(|n| place.initial.contains(n)).collect::<Vec<_>>());
    let starts = testkit::choices(counts).into_iter().filter(|m| total(m) <= bound);
    let next = |m: &Marking| successors(net, m).filter(|to| total(to) <= bound).collect();
    testkit::reach(starts, usize::MAX, next).expect("there is no limit").states
}

/// Checks every claim about the bound. Goals without a claim have been given up.
fn check_within(task: &NetTask, bound: u64, said: &BTreeMap<Goal, Said>) {
    let seen = within(&task.net, bound);
    for (goal, said) in said {
        let reached = seen.iter().any(|m| is_goal_of(task, *goal, m));
        match said {
            Said::Unsafe(trace) => {
                assert!(reached, "{goal} is not reached within {bound}");
                assert!(leads_to(task, *goal, trace));
            }
            Said::NotWithin(about, invariant) => {
                assert!(!reached, "{goal} is reached within {bound}");
                assert_eq!((&about.most, about.counted.len()), (&BigUint::from(bound), task.net.places().len()));
                let Some(invariant @ NetInvariant::Clauses(_)) = invariant.invariants.last() else {
                    panic!("{invariant:?}")
                };
                assert!(
                    seen.iter().all(|m| invariant_holds_within(invariant, m, Some(about))),
                    "{invariant:?} within {bound}"
                );
            }
            Said::Safe(invariant) => {
                assert!(!reached);
                assert!(holds_on_small_markings(task, invariant), "{invariant:?}");
            }
        }
    }
}

const UNITS: u64 = 300_000;

fn kind(said: Option<&Said>) -> Option<bool> {
    said.map(|said| matches!(said, Said::Unsafe(_)))
}

fn against_brute_force(net: Net, wanted: &[Vec<(usize, u8)>], formula: Formula, unbounded: bool) {
    let mut formulas: Vec<Formula> = wanted.iter().map(|w| cover(net.places().len(), w)).collect();
    if net.places().len() >= 3 {
        formulas.push(formula);
    }
    let task = task(net, formulas, Some(0));
    let invariants = |invariants| NetBitsOptions { invariants, unbounded, rising: false };
    let (mut with, mut without) =
        (engine(&task, invariants(InvariantUse::ALL)), engine(&task, invariants(InvariantUse::NONE)));
    let mut settled: Vec<Goal> = Vec::new();
    for bound in 0..5 {
        with.set_bound(bound);
        without.set_bound(bound);
        let fresh_task = NetTask { bound: task.bound.clone().map(|b| Bound { most: bound, ..b }), ..task.clone() };
        let fresh = say(&mut engine(&fresh_task, invariants(InvariantUse::ALL)), UNITS);
        let (with, without) = (say(&mut with, UNITS), say(&mut without, UNITS));
        for said in [&fresh, &with, &without] {
            check_within(&task, bound, said);
        }
        for goal in task.goals.iter().filter(|g| !settled.contains(g)) {
            if let (Some(a), Some(b)) = (kind(with.get(goal)), kind(fresh.get(goal))) {
                assert_eq!(a, b, "carrying lemmas over changes no answer");
            }
        }
        settled.extend(with.iter().filter(|(_, s)| !matches!(s, Said::NotWithin(..))).map(|(g, _)| *g));
    }
}

proptest! {
    #![proptest_config(testkit::config(48))]

    #[test]
    fn bounds_one_after_the_other(net in nets(false), wanted in targets(), formula in formulas()) {
        against_brute_force(net, &wanted, formula, false);
    }

    #[test]
    fn what_holds_within_a_bound_may_hold_without(net in nets(true), wanted in targets(), formula in formulas()) {
        against_brute_force(net, &wanted, formula, true);
    }

    #[test]
    fn covering_without_bounds(net in nets(true), wanted in targets(), invariants in uses(), rising in any::<bool>()) {
        let formulas = wanted.iter().map(|w| cover(net.places().len(), w)).collect();
        let task = task(net, formulas, None);
        let said = say(&mut engine(&task, NetBitsOptions { invariants, rising, unbounded: true }), UNITS);
        for (goal, said) in &said {
            let brute = if *goal == Goal::Deadlock { None } else { Brute::new(&task).is_safe(*goal, 500) };
            match said {
                Said::Safe(invariant) => {
                    prop_assert!(brute != Some(false));
                    prop_assert!(holds_on_small_markings(&task, invariant), "{:?}", invariant);
                }
                Said::Unsafe(trace) => {
                    prop_assert!(brute != Some(true));
                    prop_assert!(leads_to(&task, *goal, trace));
                }
                Said::NotWithin(..) => prop_assert!(false, "no bound"),
            }
        }
    }

    #[test]
    fn goals_of_any_form_without_bounds(net in nets(false), formula in formulas(), invariants in uses()) {
        prop_assume!(net.places().len() >= 3);
        let task = task(net, vec![formula], None);
        let said = say(&mut engine(&task, NetBitsOptions { invariants, ..NetBitsOptions::default() }), UNITS);
        let seen = within(&task.net, 4);
        for (goal, said) in &said {
            match said {
                Said::Safe(invariant) => {
                    prop_assert!(!seen.iter().any(|m| is_goal_of(&task, *goal, m)));
                    prop_assert!(holds_on_small_markings(&task, invariant), "{:?}", invariant);
                }
                Said::Unsafe(trace) => prop_assert!(leads_to(&task, *goal, trace)),
                Said::NotWithin(..) => prop_assert!(false, "no bound"),
            }
        }
    }
}

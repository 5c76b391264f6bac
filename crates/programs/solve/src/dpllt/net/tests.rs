//! Tests the engine on small nets with known answers. Random nets are compared with brute force in the tests
//! across crates.

use super::*;
use model::{Bound, Effect, Formula, FormulaBuilder, FormulaId, Guard, Net, Place, Range, Slot, Transition};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

fn p(i: u32) -> PlaceId {
    PlaceId(i)
}

fn one(i: u32) -> (PlaceId, BigUint) {
    (p(i), BigUint::from(1u8))
}

fn net(initial: Vec<Range>, arcs: &[(&[u32], &[u32])]) -> Net {
    let place = |(i, initial)| Place { name: format!("p{i}"), initial };
    let weights = |places: &[u32]| places.iter().map(|&i| one(i)).collect::<Vec<_>>();
    let transition = |(i, (pre, post)): (usize, &(&[u32], &[u32]))| {
        Transition::from_arcs(format!("t{i}"), &weights(pre), &weights(post))
    };
    let transitions = arcs.iter().enumerate().map(transition).collect();
    Net::new(initial.into_iter().enumerate().map(place).collect(), transitions).expect("well formed")
}

fn cover(marking: &[(u32, u32)]) -> Arc<Formula> {
    Arc::new(Formula::cover(&marking.iter().map(|&(i, n)| (p(i), n.into())).collect::<Vec<_>>()))
}

fn task(net: Net, formulas: Vec<Arc<Formula>>, bound: Option<u64>) -> NetTask {
    let goals = (0..formulas.len()).map(|i| Goal::Formula(FormulaId::new(i))).chain([Goal::Deadlock]).collect();
    let counted = vec![true; net.places().len()];
    let mut task = NetTask::plain(Arc::new(net), formulas, goals);
    task.bound = bound.map(|most| Bound { most, counted });
    task
}

/// Returns true if the trace is a run into the goal.
fn reaches(task: &NetTask, goal: Goal, trace: &Trace) -> bool {
    testkit::net::replay::<BigUint>(&task.net, trace).is_some_and(|end| testkit::net::is_goal_of(task, goal, &end))
}

/// Returns claims in order: `safe STATES`, `unsafe from START`, `unknown REASON`.
fn claims(task: &NetTask, batch: Option<usize>, turn: u64) -> Vec<String> {
    let mut engine = NetDpllt::new(task.clone(), Options { batch, lemmas_only: false });
    let stop = Arc::new(Stop::default());
    let mut claims = Vec::new();
    for _ in 0..100_000 {
        match engine.run(&mut Budget::new(turn, Arc::clone(&stop))) {
            Turn::Claims(Claim::Safe { certificate: Certificate::Markings(markings), goals }) => {
                assert_eq!(goals.len(), 1);
                let mut states = BTreeSet::new();
                let _ = markings.states.for_each(&mut |m| {
                    assert!(states.insert(m.to_vec()), "each marking once");
                    ControlFlow::Continue(())
                });
                claims.push(format!("safe {}", states.len()));
            }
            Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }) => {
                assert!(reaches(task, goal, &trace), "{goal}: {trace:?}");
                claims.push(format!("unsafe from {:?}", trace.start));
            }
            Turn::Claims(Claim::Unknown { reason, .. }) => claims.push(format!("unknown {reason}")),
            Turn::Claims(other) => panic!("{other:?}"),
            Turn::More => {}
            Turn::Done => return claims,
        }
    }
    panic!("the engine does not end");
}

fn check(task: &NetTask, expected: &[&str]) {
    for (batch, turn) in [(Some(1), 1), (Some(1), u64::MAX), (Some(3), 2), (None, u64::MAX)] {
        assert_eq!(claims(task, batch, turn), expected, "batch {batch:?}, turns of {turn}");
    }
}

/// Builds a net of processes: place 0 is idle, 1 is waiting, 2 is critical, and 3 holds the lock.
fn lock(processes: Range) -> Net {
    let zero = || Range::exactly(0u8);
    net(vec![processes, zero(), zero(), Range::exactly(1u8)], &[(&[0], &[1]), (&[1, 3], &[2]), (&[2], &[0, 3])])
}

#[test]
fn a_bounded_net_is_safe_with_and_without_a_bound() {
    let goals = || vec![cover(&[(2, 2)]), cover(&[(2, 1)]), cover(&[(2, 1), (3, 1)])];
    // Of 5 processes, none or one is critical: 6 + 5 markings.
    let expected = ["safe 11", "unsafe from []", "safe 11", "safe 11"];
    check(&task(lock(Range::exactly(5u8)), goals(), None), &expected);
    check(&task(lock(Range::exactly(5u8)), goals(), Some(6)), &expected);
    let cut = "unknown bound";
    check(&task(lock(Range::exactly(5u8)), goals(), Some(5)), &[cut; 4]);
}

#[test]
fn any_number_of_processes_needs_a_bound() {
    let goals = || vec![cover(&[(2, 2)]), cover(&[(1, 3)])];
    check(&task(lock(Range::from(0u8)), goals(), None), &["unknown unsupported"; 3]);
    // Traces contain the tokens beyond the least count.
    let expected = ["unknown bound", "unsafe from [1]", "unknown bound"];
    assert_eq!(claims(&task(lock(Range::from(2u8)), goals(), Some(6)), Some(1), u64::MAX), expected);
    // For the second goal, the first violating start that is tried has three processes. The run to the third
    // goal starts without processes, so no transition is enabled.
    let expected = ["unknown bound", "unsafe from [3]", "unsafe from [0]"];
    assert_eq!(claims(&task(lock(Range::from(0u8)), goals(), Some(6)), Some(1), u64::MAX), expected);
}

#[test]
fn a_goal_may_have_successors_and_another_goal_lie_behind_it() {
    let net = net(vec![Range::exactly(1u8), Range::exactly(0u8), Range::exactly(0u8)], &[(&[0], &[1]), (&[1], &[2])]);
    check(
        &task(net, vec![cover(&[(1, 1)]), cover(&[(2, 1)])], None),
        &["unsafe from []", "unsafe from []", "unsafe from []"],
    );
}

#[test]
fn slots_widen_as_tokens_come() {
    // Place 0 fills place 1 up to 70,000, one token at a time. A full place 1 lets place 2 be marked.
    let filled: u32 = 70_000;
    let mut transitions = net(vec![Range::exactly(0u8); 3], &[(&[0], &[1])]).transitions().to_vec();
    let full = Guard { place: p(1), range: Range::from(filled) };
    let mark = Effect { place: p(2), sources: [p(2), p(2)].into_iter().collect(), add: BigInt::from(1) };
    transitions.push(Transition { name: "full".into(), guards: vec![full], effects: vec![mark] });
    let places = [filled, 0, 0].map(Range::exactly);
    let place = |(i, initial)| Place { name: format!("p{i}"), initial };
    let net = Net::new(places.into_iter().enumerate().map(place).collect(), transitions).expect("well formed");
    let goals = vec![cover(&[(1, filled), (2, 1)]), cover(&[(1, filled + 1)]), cover(&[(2, 200_000)])];
    let got = claims(&task(net, goals, None), None, u64::MAX);
    // Place 2 doubles forever, beyond the capacity of any slot.
    assert_eq!(got, ["unsafe from []", "unknown overflow", "unsafe from []", "unknown overflow"]);
}

#[test]
fn linear_goals_and_slots_of_which_one_is_marked() {
    // Two places share a token. A third place counts its moves.
    let arcs: &[(&[u32], &[u32])] = &[(&[0], &[1, 2]), (&[1], &[0, 2]), (&[2, 2], &[])];
    let net = net(vec![Range::exactly(1u8), Range::exactly(0u8), Range::exactly(0u8)], arcs);
    let mut builder = FormulaBuilder::default();
    let both = builder.at_least([(p(0), 1.into()), (p(1), 1.into()), (p(2), (-1).into())], 2.into());
    let never = Arc::new(builder.finish(both));
    let mut builder = FormulaBuilder::default();
    let ahead = builder.at_least([(p(2), 1.into()), (p(0), (-2).into())], 3.into());
    let some = Arc::new(builder.finish(ahead));
    let mut task = task(net, vec![never, some], Some(5));
    task.slots = vec![Slot::Tokens(p(2)), Slot::OneOf(vec![p(0), p(1)])];
    let got = claims(&task, None, u64::MAX);
    assert_eq!(got[0], "unknown bound");
    assert!(got[1].starts_with("unsafe"), "{got:?}");
    assert_eq!(got[2], "unknown bound");
}

#[test]
fn counts_are_summed_over_goals_but_states_are_not() {
    let task = task(lock(Range::exactly(5u8)), vec![cover(&[(2, 2)]), cover(&[(2, 3)])], None);
    let mut engine = NetDpllt::new(task, Options { batch: Some(1), lemmas_only: false });
    let mut budget = Budget::unlimited(Arc::default());
    let mut splits = Vec::new();
    while !matches!(engine.run(&mut budget), Turn::Done) {
        splits.push(engine.stats().more["splits"]);
    }
    assert_eq!(splits, [11, 22, 33]);
    assert_eq!(engine.stats().states, 11);
}

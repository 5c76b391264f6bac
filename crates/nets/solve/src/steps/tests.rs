//! Compares compiled nets with the naive stepper.

use crate::{NetGoals, NetStepper, Query, Unsteppable, Width};
use model::{
    Bound, Effect, ExpansionKind, FormulaBuilder, FormulaId, Goal, Guard, Net, NetTask, Place, PlaceId, Range, Slot,
    Transition,
};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use search::{Stepper, Successors};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::net::{Features, Marking, explore, fire, is_goal_of, is_within, tasks};

const ALL: Features = Features { upper: true, open: true, control: true };
const PLAIN: Features = Features { upper: true, open: true, control: false };

/// Returns the slot values of a marking.
fn slots(task: &NetTask, m: &Marking) -> Vec<u32> {
    let value = |slot: &Slot| match slot {
        Slot::Tokens(p) => m[p.index()].to_u32().unwrap(),
        Slot::OneOf(places) => places.iter().position(|p| m[p.index()] > BigUint::ZERO).map_or(0, |i| i as u32 + 1),
    };
    task.slots.iter().map(value).collect()
}

fn packed(stepper: &impl Stepper, state: &[u32]) -> Vec<u64> {
    let mut packed = Vec::new();
    stepper.pack(state, &mut packed);
    packed
}

/// Returns expansion kind and successors of an unpacked state.
fn step(stepper: &mut impl Stepper, state: &[u32]) -> (ExpansionKind, Vec<(u32, Vec<u32>)>) {
    let mut out = Successors::new(stepper.words());
    let kind = stepper.expand(&packed(stepper, state), &mut out);
    let mut unpacked = Vec::new();
    let all = out.iter().map(|(label, next)| {
        stepper.unpack(next, &mut unpacked);
        (label, unpacked.clone())
    });
    (kind, all.collect())
}

/// The same as [`step`], computed by the naive stepper.
fn naive_step(task: &NetTask, m: &Marking) -> (ExpansionKind, Vec<(u32, Vec<u32>)>) {
    let all = (0..task.net.transitions().len()).filter_map(|t| Some((t as u32, fire(&task.net.transitions()[t], m)?)));
    let (within, beyond): (Vec<_>, Vec<_>) = all.partition(|(_, s)| is_within(task, s));
    let kind = match (within.len(), beyond.len()) {
        (0, 0) => ExpansionKind::Goal(Goal::Deadlock),
        (_, 0) => ExpansionKind::Inner,
        _ => ExpansionKind::Cut,
    };
    (kind, within.iter().map(|(t, s)| (*t, slots(task, s))).collect())
}

fn initial(stepper: &impl Stepper) -> Vec<Vec<u32>> {
    let (mut all, mut unpacked) = (Vec::new(), Vec::new());
    stepper.initial(&mut |state| {
        stepper.unpack(state, &mut unpacked);
        all.push(unpacked.clone());
    });
    all
}

proptest! {
    #![proptest_config(testkit::config(1500))]

    /// Compiled and naive stepper agree on initial states, successors, labels, kinds and goals.
    #[test]
    fn compiled_steps_are_the_steps_of_the_net(task in tasks(ALL)) {
        let Some(reach) = explore(&task, 3000) else { return Ok(()) };
        let mut stepper = NetStepper::new(&task, Width::wide(&task)).unwrap();
        let (first, cut) = testkit::net::initial(&task, task.bound.as_ref().unwrap().most as u32 + 1);
        let first: BTreeSet<Vec<u32>> = first.iter().map(|m| slots(&task, m)).collect();
        let all = initial(&stepper);
        prop_assert_eq!(stepper.initial_count(), all.len() as u64);
        prop_assert_eq!(stepper.initial_is_cut(), cut);
        prop_assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), first);
        let goals = NetGoals::new(&stepper, &task, &task.goals);
        for m in reach.depths.keys() {
            let state = slots(&task, m);
            let expected = naive_step(&task, m);
            prop_assert_eq!(step(&mut stepper, &state), expected.clone());
            let packed = packed(&stepper, &state);
            prop_assert!(stepper.fan_out(&packed) >= expected.1.len() as u64);
            prop_assert!(stepper.fan_out(&packed) <= stepper.max_fan_out());
            for (p, tokens) in m.iter().enumerate() {
                prop_assert_eq!(&BigUint::from(stepper.tokens(PlaceId::new(p), &packed)), tokens);
            }
            let mut hit = BTreeSet::new();
            goals.test(&packed, |goal| { hit.insert(goal); });
            let formulas = task.goals.iter().copied().filter(|g| *g != Goal::Deadlock);
            prop_assert_eq!(hit, formulas.filter(|&g| is_goal_of(&task, g, m)).collect());
            for &goal in &task.goals {
                let mut query = Query::new(stepper.clone(), &task, goal);
                let is_goal = is_goal_of(&task, goal, m);
                let expected = match expected.0 {
                    _ if is_goal => (ExpansionKind::Goal(goal), Vec::new()),
                    ExpansionKind::Goal(_) => (ExpansionKind::Inner, Vec::new()),
                    _ => expected.clone(),
                };
                prop_assert_eq!(step(&mut query, &state), expected);
            }
        }
    }

    /// A narrow stepper leaves out only successors that do not fit, it reports their slots, and after widening
    /// they fit.
    #[test]
    fn narrow_steps_leave_out_what_does_not_fit(task in tasks(ALL)) {
        let Some(reach) = explore(&task, 300) else { return Ok(()) };
        let mut width = Width::narrow(&task);
        for m in reach.depths.keys() {
            let expected = naive_step(&task, m);
            let state = slots(&task, m);
            for _ in 0..40 {
                let mut stepper = NetStepper::new(&task, width.clone()).unwrap();
                let fits = |s: &[u32]| {
                    let mut unpacked = Vec::new();
                    let bits = width.bits();
                    stepper.unpack(&packed(&stepper, &s.iter().zip(bits).map(|(&v, &b)| {
                        if u64::from(v) < 1 << b { v } else { 0 }
                    }).collect::<Vec<_>>()), &mut unpacked);
                    unpacked == s
                };
                if !fits(&state) {
                    break;
                }
                let fitting: Vec<_> = expected.1.iter().filter(|(_, s)| fits(s)).cloned().collect();
                let lost = fitting.len() < expected.1.len();
                let got = step(&mut stepper, &state);
                let overflown = stepper.overflown().to_vec();
                prop_assert_eq!(&got.1, &fitting);
                prop_assert_eq!(got.0 == ExpansionKind::Overflow, lost);
                prop_assert_eq!(overflown.is_empty(), !lost);
                if !lost {
                    prop_assert_eq!(got.0, expected.0);
                    break;
                }
                prop_assert!(overflown.iter().all(|&slot| width.widen(slot)), "it fits some width");
            }
        }
    }

    /// A slot of several places gives the same kinds and labels as one slot per place.
    #[test]
    fn shared_slots_are_plain_slots(task in tasks(ALL)) {
        let Some(reach) = explore(&task, 300) else { return Ok(()) };
        let mut plain = NetTask::plain(task.net.clone(), task.formulas.clone(), task.goals.clone());
        plain.bound = task.bound.clone();
        let mut shared = NetStepper::new(&task, Width::wide(&task)).unwrap();
        let mut apart = NetStepper::new(&plain, Width::wide(&plain)).unwrap();
        for m in reach.depths.keys() {
            let (kind, successors) = step(&mut shared, &slots(&task, m));
            let (plain_kind, plain_successors) = step(&mut apart, &slots(&plain, m));
            prop_assert_eq!(kind, plain_kind);
            let labels = |s: &[(u32, Vec<u32>)]| s.iter().map(|s| s.0).collect::<Vec<_>>();
            prop_assert_eq!(labels(&successors), labels(&plain_successors));
        }
    }

    /// Covering is the comparison place by place, at any width.
    #[test]
    fn covering_is_componentwise(
        counts in proptest::collection::vec((0..6u32, any::<u32>(), any::<u32>(), 0..3u32, 0..3u32), 1..20),
        control in (0..4u32, 0..4u32),
    ) {
        let places = counts.len() + 3;
        let place = |i| Place { name: format!("p{i}"), initial: Range::exactly(0u8) };
        let net = Net::new((0..places).map(place).collect(), Vec::new()).unwrap();
        let mut task = NetTask::plain(Arc::new(net), Vec::new(), Vec::new());
        task.slots.truncate(counts.len());
        task.slots.insert(counts.len() / 2, Slot::OneOf((counts.len()..places).map(PlaceId::new).collect()));
        let mut width = Width::narrow(&task);
        let shared = counts.len() / 2;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for (i, &(class, x, y, less, _)) in counts.iter().enumerate() {
            let slot = i + usize::from(i >= shared);
            (0..class).for_each(|_| _ = width.widen(slot));
            let mask = (u64::MAX >> (64 - (1u32 << class))) as u32;
            // Most of the markings are near each other. Otherwise no marking would cover another one.
            let (x, y) = (x & mask, y & mask);
            a.push(x);
            b.push(match less { 0 => x, 1 => x.saturating_sub(1), _ => if i % 7 == 0 { y } else { x / 2 } });
        }
        a.insert(shared, control.0);
        b.insert(shared, if control.1 == 3 { control.0 } else { control.1 });
        let stepper = NetStepper::new(&task, width).unwrap();
        let covering = stepper.covering();
        let (pa, pb) = (packed(&stepper, &a), packed(&stepper, &b));
        let at_least = |x: &[u32], y: &[u32]| {
            (0..x.len()).all(|i| if i == shared { x[i] == y[i] } else { x[i] >= y[i] })
        };
        prop_assert_eq!(covering.covers(&pa, &pb), at_least(&a, &b));
        prop_assert_eq!(covering.covers(&pb, &pa), at_least(&b, &a));
    }
}

fn net(initial: &[BigUint], transitions: Vec<Transition>) -> Net {
    let place = |(i, n): (usize, &BigUint)| Place { name: format!("p{i}"), initial: Range::exactly(n.clone()) };
    Net::new(initial.iter().enumerate().map(place).collect(), transitions).unwrap()
}

fn power(n: u32) -> BigUint {
    BigUint::from(1u8) << n
}

fn arcs(name: &str, pre: &[(u32, BigUint)], post: &[(u32, BigUint)]) -> Transition {
    let of = |list: &[(u32, BigUint)]| list.iter().map(|(p, n)| (PlaceId(*p), n.clone())).collect::<Vec<_>>();
    Transition::from_arcs(name.into(), &of(pre), &of(post))
}

/// Counts up across the limit of every width: widening is requested where it is needed, and 2^32 never fits.
#[test]
fn counts_widen_up_to_32_bits_and_not_beyond() {
    for edge in [1u32, 2, 4, 8, 16, 31, 32] {
        for below in 1..=2u8 {
            let start = power(edge) - below;
            let up = arcs("up", &[], &[(0, 1u8.into())]);
            let double = Transition {
                name: "double".into(),
                guards: vec![],
                effects: vec![Effect {
                    place: PlaceId(1),
                    sources: [PlaceId(0); 2].into_iter().collect(),
                    add: 0.into(),
                }],
            };
            let net = Arc::new(net(&[start.clone(), BigUint::ZERO], vec![up, double]));
            let task = NetTask::plain(net.clone(), Vec::new(), Vec::new());
            let mut width = Width::narrow(&task);
            let m = vec![start.clone(), BigUint::ZERO];
            let (mut last, mut kind, mut rounds) = (Vec::new(), ExpansionKind::Overflow, 0);
            while kind == ExpansionKind::Overflow {
                let mut stepper = NetStepper::new(&task, width.clone()).unwrap();
                (kind, last) = step(&mut stepper, &slots(&task, &m));
                rounds += 1;
                let widened = stepper.overflown().to_vec().into_iter().filter(|&s| width.widen(s)).count();
                if widened == 0 {
                    break;
                }
            }
            assert!(rounds < 8);
            let expected: Vec<_> = (0..2).filter_map(|t| Some((t as u32, fire(&net.transitions()[t], &m)?))).collect();
            let fits = |m: &Marking| m.iter().all(|n| n < &power(32));
            let expected: Vec<_> =
                expected.iter().filter(|(_, m)| fits(m)).map(|(t, m)| (*t, slots(&task, m))).collect();
            assert_eq!(kind == ExpansionKind::Overflow, expected.len() < 2, "{edge} {below}");
            assert_eq!(last, expected, "{edge} {below}");
        }
    }
}

#[test]
fn numbers_beyond_64_bits_are_exact_where_they_matter() {
    let huge = || power(64) + 1u8;
    let guard = |at_least: BigUint, at_most: Option<BigUint>| {
        vec![Guard { place: PlaceId(0), range: Range { at_least, at_most } }]
    };
    let set = |name: &str, guards, sources: &[u32], add: BigInt| Transition {
        name: name.into(),
        guards,
        effects: vec![Effect { place: PlaceId(1), sources: sources.iter().map(|p| PlaceId(*p)).collect(), add }],
    };
    let transitions = vec![
        set("never", guard(power(32), None), &[], 1.into()),
        set("never, far beyond", guard(huge(), None), &[], 1.into()),
        set("below a great number", guard(BigUint::ZERO, Some(huge())), &[], 2.into()),
        set("at the edge", guard(power(32) - 1u8, Some(power(32))), &[], 3.into()),
        set("assigns too much", vec![], &[], BigInt::from(huge())),
        set("adds too much", vec![], &[1], BigInt::from(power(200))),
        set("takes too much", guard(power(200), None), &[0], -BigInt::from(power(200))),
        set("adds it up", vec![], &[0, 0], 0.into()),
    ];
    let net = Arc::new(net(&[power(32) - 1u8, BigUint::ZERO], transitions));
    let task = NetTask::plain(net.clone(), Vec::new(), Vec::new());
    let mut stepper = NetStepper::new(&task, Width::wide(&task)).unwrap();
    let (kind, next) = step(&mut stepper, &[u32::MAX, 0]);
    assert_eq!((kind, next), (ExpansionKind::Overflow, vec![(2, vec![u32::MAX, 2]), (3, vec![u32::MAX, 3])]));
    let mut bounded = task.clone();
    for (most, counts, expected) in [
        (u64::from(u32::MAX), true, ExpansionKind::Cut),
        (u64::MAX, true, ExpansionKind::Cut),
        (u64::MAX, false, ExpansionKind::Overflow),
    ] {
        bounded.bound = Some(Bound { most, counted: vec![true, counts] });
        let mut stepper = NetStepper::new(&bounded, Width::wide(&bounded)).unwrap();
        assert_eq!(step(&mut stepper, &[7, 0]).0, expected, "2^64 + 1 tokens are over any bound");
    }
    let mut too_much = task.clone();
    too_much.net = Arc::new(self::net(&[power(32)], Vec::new()));
    too_much.slots.truncate(1);
    assert_eq!(NetStepper::new(&too_much, Width::wide(&too_much)).unwrap_err(), Unsteppable::Overflow);
    too_much.bound = Some(Bound { most: 5, counted: vec![true] });
    let stepper = NetStepper::new(&too_much, Width::narrow(&too_much)).unwrap();
    assert!(stepper.initial_is_cut() && initial(&stepper).is_empty());
}

#[test]
fn big_weights_in_goals_are_exact() {
    let net = Arc::new(net(&[BigUint::ZERO, BigUint::ZERO], Vec::new()));
    let mut formulas = Vec::new();
    for (weight, k) in [(29, 30), (30, 31), (31, 62), (31, 63), (33, 62), (60, 91), (64, 96), (100, 131)] {
        for less in 0..2u8 {
            let mut b = FormulaBuilder::default();
            let terms = [(PlaceId(0), BigInt::from(power(weight))), (PlaceId(1), -BigInt::from(power(weight)))];
            let root = b.at_least(terms, BigInt::from(power(k)) - less);
            formulas.push(Arc::new(b.finish(root)));
        }
    }
    let goals: Vec<Goal> = (0..formulas.len()).map(|f| Goal::Formula(FormulaId::new(f))).collect();
    let task = NetTask::plain(net, formulas.clone(), goals);
    let stepper = NetStepper::new(&task, Width::wide(&task)).unwrap();
    let compiled = NetGoals::new(&stepper, &task, &task.goals);
    for state in [[0, 0], [1, 0], [2, 0], [2, 1], [u32::MAX, 0], [u32::MAX, 1], [1 << 31, 0], [0, u32::MAX]] {
        let mut hit = Vec::new();
        compiled.test(&packed(&stepper, &state), |goal| hit.push(goal));
        let m: Marking = state.iter().map(|&n| n.into()).collect();
        let expected = task.goals.iter().copied().filter(|&g| is_goal_of(&task, g, &m));
        assert_eq!(hit, expected.collect::<Vec<_>>(), "{state:?}");
    }
}

/// A formula with 2^60 paths, because it uses its parts many times.
#[test]
fn formulas_that_share_parts_do_not_unfold() {
    let net = Arc::new(net(&[BigUint::ZERO], Vec::new()));
    let mut b = FormulaBuilder::default();
    let mut node = b.place_at_least(PlaceId(0), &3u8.into());
    for i in 0..60 {
        node = if i % 2 == 0 { b.all(vec![node, node]) } else { b.any(vec![node, node]) };
    }
    let task = NetTask::plain(net, vec![Arc::new(b.finish(node))], vec![Goal::Formula(FormulaId(0))]);
    let stepper = NetStepper::new(&task, Width::wide(&task)).unwrap();
    let goals = NetGoals::new(&stepper, &task, &task.goals);
    for (tokens, expected) in [(2, 0), (3, 1)] {
        let mut hits = 0;
        goals.test(&packed(&stepper, &[tokens]), |_| hits += 1);
        assert_eq!(hits, expected);
    }
}

#[test]
fn a_slot_with_a_second_token_overflows_for_good() {
    let one = || BigUint::from(1u8);
    let second = arcs("second", &[(2, one())], &[(1, one())]);
    let double = |add: i8| Transition {
        name: format!("double {add}"),
        guards: vec![Guard { place: PlaceId(0), range: Range::from(1u8) }],
        effects: vec![Effect { place: PlaceId(0), sources: [PlaceId(0); 2].into_iter().collect(), add: add.into() }],
    };
    let transitions = vec![second, double(0), double(-1)];
    let task = NetTask::plain(Arc::new(net(&[one(), BigUint::ZERO, one()], transitions)), Vec::new(), Vec::new());
    let slots = vec![Slot::OneOf(vec![PlaceId(0), PlaceId(1)]), Slot::Tokens(PlaceId(2))];
    let task = NetTask { slots, ..task };
    let mut width = Width::wide(&task);
    let mut stepper = NetStepper::new(&task, width.clone()).unwrap();
    assert_eq!(step(&mut stepper, &[1, 1]), (ExpansionKind::Overflow, vec![(2, vec![1, 1])]));
    assert_eq!(stepper.overflown(), [0]);
    assert_eq!(step(&mut stepper, &[1, 0]), (ExpansionKind::Overflow, vec![(2, vec![1, 0])]));
    assert!(!width.widen(0));
    assert_eq!(step(&mut stepper, &[0, 1]), (ExpansionKind::Inner, vec![(0, vec![2, 0])]));
}

#[test]
fn random_nets_are_worth_testing() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut met = (false, false, false);
    for _ in 0..400 {
        let task = tasks(PLAIN).new_tree(&mut runner).unwrap().current();
        let Some(reach) = explore(&task, 300) else { continue };
        met = (met.0 | reach.cut, met.1 | (reach.depths.len() > 30), met.2 | (!reach.cut && reach.goals.len() > 1));
    }
    assert_eq!(met, (true, true, true), "cut, large, several goals without a cut");
}

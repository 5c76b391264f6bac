//! Sums without a largest value: the runs that show it go on for ever in random nets, and wrong runs are rejected.

use crate::{Finding, Options, check};
use certify::{Refusal, confirm};
use model::{
    BoundId, Claim, Effect, EventId, Goal, Guard, Net, Place, PlaceId, Problem, Property, Questions, Range, Reason,
    Stop, Sum, Trace, Transition,
};
use num_bigint::BigInt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::Random;

const MOST: Goal = Goal::Bound(BoundId(0));
/// Turns of engines.
const TURNS: u32 = 30;
/// Passes of the steps that repeat.
const PASSES: usize = 6;

fn problem(net: Net, sum: &[(u32, u32)]) -> Problem {
    let sum: Sum = sum.iter().map(|(p, factor)| (PlaceId(*p), (*factor).into())).collect();
    let asked = Questions { sums: vec![sum], properties: vec![Property::never("most", MOST)], ..Questions::default() };
    Problem::new(Arc::new(net), asked).expect("the sum is of places")
}

/// Returns the marking after a step, by the definition of nets. `None` if the transition is not enabled.
fn step(net: &Net, marking: &[BigInt], event: EventId) -> Option<Vec<BigInt>> {
    let transition = &net.transitions()[event.index()];
    let fits = |guard: &Guard| {
        let tokens = marking[guard.place.index()].to_biguint();
        tokens.is_some_and(|tokens| guard.range.contains(&tokens))
    };
    transition.guards.iter().all(fits).then(|| {
        let mut next = marking.to_vec();
        for Effect { place, sources, add } in &transition.effects {
            next[place.index()] = sources.iter().map(|p| &marking[p.index()]).sum::<BigInt>() + add;
        }
        next
    })
}

#[test]
fn runs_that_show_that_a_sum_is_unbounded_go_on_for_ever() {
    let mut unbounded = 0;
    for seed in 0..testkit::count(1_000) {
        let mut random = Random::new(seed);
        let net = testkit::net::net(&mut random);
        let place = random.below(net.places().len());
        let problem = problem(net.clone(), &[(place as u32, 2)]);
        let (stop, turns) = (Arc::new(Stop::default()), AtomicU32::new(0));
        let count = |_: &'static str| {
            if turns.fetch_add(1, Ordering::Relaxed) >= TURNS {
                stop.raise(Reason::Timeout);
            }
        };
        let outcome = check(&problem, &Options { stop: Arc::clone(&stop), on_turn: &count, ..Options::default() });
        let answer = outcome.about(MOST).expect("it is asked");
        assert!(!matches!(answer.finding, Finding::Rejected { .. }), "{seed}: {:?}", answer.finding);
        let Some(trace) = answer.trace() else { continue };
        unbounded += 1;
        let events: Vec<EventId> =
            trace.runs().iter().flat_map(|run| (0..run.times).flat_map(|_| &run.word)).map(|step| step.event).collect();
        let from = usize::try_from(trace.repeats_from.expect("it repeats")).expect("it is short");
        let mut marking: Vec<BigInt> =
            net.places().iter().map(|place| BigInt::from(place.initial.at_least.clone())).collect();
        let mut tokens = Vec::new();
        for (number, event) in events.iter().chain((1..PASSES).flat_map(|_| &events[from..])).enumerate() {
            if number >= from && (number - from).is_multiple_of(events.len() - from) {
                tokens.push(marking[place].clone());
            }
            marking = step(&net, &marking, *event).unwrap_or_else(|| panic!("{seed}: step {number} is not enabled"));
        }
        assert!(tokens.is_sorted_by(|a, b| a < b) && tokens.len() == PASSES, "{seed}: {tokens:?}");
    }
    assert!(unbounded > 10, "{unbounded}");
}

/// All engines together find what single engines find: long runs of one engine do not hide short ones of others.
#[test]
fn sums_that_grow_in_small_nets_are_unbounded() {
    let place = |name: &str, tokens: u32| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
    let arcs = |list: &[(u32, u32)]| -> Vec<_> { list.iter().map(|(p, n)| (PlaceId(*p), (*n).into())).collect() };
    let made = |name: &str, pre: &[(u32, u32)], post: &[(u32, u32)]| {
        Transition::from_arcs(name.to_owned(), &arcs(pre), &arcs(post))
    };
    let places = || vec![place("a", 1), place("b", 0), place("c", 0)];
    let collected = vec![made("s", &[], &[(0, 1)]), made("t", &[(0, 2)], &[(1, 1)])];
    let passed = vec![made("s", &[], &[(0, 1)]), made("t", &[(0, 1)], &[(1, 1)]), made("u", &[(1, 1)], &[(2, 1)])];
    for (transitions, asked) in [(collected, 1), (passed, 2)] {
        let problem = problem(Net::new(places(), transitions).expect("it is a net"), &[(asked, 1)]);
        let (stop, turns) = (Arc::new(Stop::default()), AtomicU32::new(0));
        let count = |_: &'static str| {
            if turns.fetch_add(1, Ordering::Relaxed) >= 20 * TURNS {
                stop.raise(Reason::Timeout);
            }
        };
        let outcome = check(&problem, &Options { stop: Arc::clone(&stop), on_turn: &count, ..Options::default() });
        assert!(outcome.about(MOST).is_some_and(crate::Answer::is_unsafe), "place {asked}");
    }
}

/// Each of these runs ends with more tokens than before the part that repeats, or does not grow at all, and cannot go
/// on for ever.
#[test]
fn runs_that_do_not_pump_are_rejected() {
    let place = |name: &str, tokens: u32| Place { name: name.to_owned(), initial: Range::exactly(tokens) };
    let plain = |name: &str, pre: &[(u32, u32)], post: &[(u32, u32)]| {
        let arcs = |list: &[(u32, u32)]| -> Vec<_> { list.iter().map(|(p, n)| (PlaceId(*p), (*n).into())).collect() };
        Transition::from_arcs(name.to_owned(), &arcs(pre), &arcs(post))
    };
    let mut few = plain("few", &[], &[(0, 1)]);
    few.guards = vec![Guard { place: PlaceId(0), range: Range { at_most: Some(3u8.into()), ..Range::from(0u8) } }];
    let copied = Effect { place: PlaceId(0), sources: [PlaceId(1)].into_iter().collect(), add: 0.into() };
    let copy = Transition { name: "copy".to_owned(), guards: Vec::new(), effects: vec![copied] };
    let transitions = vec![
        plain("make", &[], &[(0, 1)]),
        plain("move", &[(1, 1)], &[(0, 1)]),
        few,
        copy,
        plain("none", &[(0, 1)], &[(0, 1)]),
    ];
    let net = Net::new(vec![place("a", 0), place("b", 5)], transitions).expect("it is a net");
    let problem = problem(net, &[(0, 1)]);
    let confirmed = |events: &[u32], from: Option<u64>| {
        let mut trace = Trace::new(Box::from([]));
        events.iter().for_each(|event| trace.push(EventId(*event), None));
        trace.repeats_from = from;
        let claim = Claim::Unsafe { goal: MOST, trace, candidate: false };
        confirm(&problem, &claim, &certify::Options::default(), &Stop::default())
    };
    assert!(confirmed(&[0], Some(0)).is_ok_and(|confirmed| confirmed.verdict.is_unsafe()));
    assert!(confirmed(&[1, 4, 0], Some(1)).is_ok());
    let wrong = [
        (&[0][..], None, "does not repeat"),
        (&[0], Some(1), "does not repeat"),
        (&[0, 1], Some(1), "takes tokens"),
        (&[1], Some(0), "takes tokens"),
        (&[2], Some(0), "upper bound"),
        (&[3], Some(0), "assigns"),
        (&[0, 4], Some(1), "does not grow"),
        (&[4], Some(0), "not enabled"),
        (&[9], Some(0), "no transition"),
    ];
    for (events, from, why) in wrong {
        assert!(matches!(confirmed(events, from), Err(Refusal::Rejected(_))), "{events:?} {why}");
    }
}

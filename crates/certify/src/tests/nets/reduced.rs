//! Tests of markings closed under stubborn sets: no set is ever accepted from which a claimed goal can be
//! reached, whatever its origin.
//!
//! Acceptance is monotone in the set of markings. So there is a greatest set of reachable markings without
//! goals in which every marking has enough successors. The rules are sound for a net iff no goal can be reached
//! from that set. So one computation decides about all sets.

use super::super::brute::Rng;
use super::super::rejected;
use super::naive::{fire, holds, initial, is_dead, reachable};
use super::*;
use crate::EvidenceKind;
use crate::nets::kept::KeptNet;
use crate::nets::stubborn::{Group, Omit, Stubborn};
use kernel::Work;
use kernel::net::Marked;
use kernel::net::rules::Rules;
use kernel::net::shape::SlotLayout;
use std::collections::BTreeSet;

fn is_goal(net: &Net, formulas: &[Formula], deadlock: bool, m: &[u32]) -> bool {
    formulas.iter().any(|f| holds(f, m)) || deadlock && is_dead(net, m)
}

fn successors<'a>(net: &'a Net, m: &'a [u32]) -> impl Iterator<Item = (u32, Tokens)> + 'a {
    (0..).zip(net.transitions()).filter_map(move |(i, t)| Some((i, fire(t, m)?)))
}

/// The greatest subset of `states` without goals in which all markings have enough successors.
fn greatest(
    net: &Net,
    states: &BTreeSet<Tokens>,
    formulas: &[Formula],
    deadlock: bool,
    omit: Option<Omit>,
) -> BTreeSet<Tokens> {
    let stop = Stop::default();
    let mut work = Work::new(u64::MAX, &stop);
    let rules = Rules::new(Marked::Net(net), &mut work).expect("cheap");
    let slots: Vec<Slot> = (0..net.places().len()).map(|q| Slot::Tokens(PlaceId::new(q))).collect();
    let shape = SlotLayout::new(Marked::Net(net), &slots).expect("all places");
    let potentially_marked = vec![true; net.places().len()];
    let part = KeptNet::new(Marked::Net(net), &rules, &potentially_marked, &shape);
    let formulas_asked: Vec<&Formula> = formulas.iter().collect();
    let all = vec![true; net.transitions().len()];
    let mut stubborn = Stubborn::new(&part, &all, &formulas_asked, deadlock, omit, &mut work).expect("small");
    let mut left: BTreeSet<Tokens> = states.iter().filter(|m| !is_goal(net, formulas, deadlock, m)).cloned().collect();
    loop {
        let mut has_enough = |m: &Tokens| {
            stubborn.look(m, &mut work).expect("cheap");
            assert!(!stubborn.is_goal());
            successors(net, m).filter(|(_, to)| !left.contains(to)).for_each(|(t, _)| stubborn.leave_out(t));
            stubborn.admits(m, &mut work).expect("cheap")
        };
        let kept: BTreeSet<Tokens> = left.iter().filter(|m| has_enough(m)).cloned().collect();
        if kept.len() == left.len() {
            return left;
        }
        left = kept;
    }
}

/// The markings from which no goal can be reached.
fn harmless(net: &Net, states: &BTreeSet<Tokens>, formulas: &[Formula], deadlock: bool) -> BTreeSet<Tokens> {
    let mut left: BTreeSet<Tokens> = states.iter().filter(|m| !is_goal(net, formulas, deadlock, m)).cloned().collect();
    loop {
        let kept: BTreeSet<Tokens> =
            left.iter().filter(|m| successors(net, m).all(|(_, to)| left.contains(&to))).cloned().collect();
        if kept.len() == left.len() {
            return left;
        }
        left = kept;
    }
}

struct Case {
    net: Net,
    states: BTreeSet<Tokens>,
    formulas: Vec<Formula>,
    deadlock: bool,
}

fn random_case(seed: u64) -> Option<Case> {
    let mut rng = Rng(seed);
    let places = 1 + rng.below(5);
    let net = random_net(&mut rng, places);
    let deadlock = rng.one_in(3);
    let formulas = if deadlock && rng.one_in(2) { vec![] } else { vec![random_formula(&mut rng, places)] };
    let (states, all) = reachable(&net, 150);
    all.then_some(Case { net, states, formulas, deadlock })
}

impl Case {
    /// True if a goal can be reached from the greatest set that the rules accept.
    fn is_wrong(&self, omit: Option<Omit>) -> bool {
        let Self { net, states, formulas, deadlock } = self;
        let greatest = greatest(net, states, formulas, *deadlock, omit);
        !greatest.is_subset(&harmless(net, states, formulas, *deadlock))
    }
}

#[test]
fn no_goal_is_reached_from_a_set_that_is_accepted() {
    let mut more = 0;
    for seed in 0..testkit::count(20_000) {
        let Some(case) = random_case(seed) else { continue };
        assert!(!case.is_wrong(None), "seed {seed}: {:?}", case.net);
        more += 1;
    }
    assert!(!testkit::are_full() || more > 2_000, "{more}");
}

/// Each rule is needed: without it, some set is accepted wrongly.
#[test]
fn every_rule_earns_its_place() {
    let rules = [
        Omit::Attracted,
        Omit::Key(Group::Decrease),
        Omit::Key(Group::Increase),
        Omit::TooFew,
        Omit::TooMany,
        Omit::Spoils(Group::Lower),
        Omit::Spoils(Group::Upper),
        Omit::Spoils(Group::Change),
        Omit::Spoils(Group::Assign),
    ];
    for omit in rules {
        let found = (0..60_000).any(|seed| random_case(seed).is_some_and(|case| case.is_wrong(Some(omit))));
        assert!(found, "nothing goes wrong without {omit:?}");
    }
}

fn asked_reduced(set: &Set, problem: &Problem, goals: &[Goal]) -> Result<Confirmed, Refusal> {
    let states = Box::new(Listed(set.states.clone()));
    let markings = Markings { slots: set.slots.clone(), potentially_marked: set.potentially_marked.clone(), states };
    asked(problem, &Claim::Safe { goals: goals.to_vec(), certificate: Certificate::ReducedMarkings(markings) })
}

/// Four threads of two steps each. One order of steps suffices, and all of its markings are needed.
#[test]
fn one_order_of_independent_steps_is_enough() {
    let places = (0..12).map(|q| place(&format!("p{q}"), u64::from(q % 3 == 0), Some(u64::from(q % 3 == 0)))).collect();
    let steps = (0..12u32).filter(|q| q % 3 < 2).map(|q| arcs(&format!("t{q}"), &[q], &[q + 1])).collect();
    let problem = net_problem(net(places, steps), vec![cover(&[(2, 1), (1, 1)])]);
    let mut states = vec![vec![1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0]];
    for q in [0, 1] {
        let mut next = states[states.len() - 1].clone();
        (next[q], next[q + 1]) = (0, 1);
        states.push(next);
    }
    let set = Set::plain(12, states);
    let confirmed = asked_reduced(&set, &problem, &[first()]).unwrap();
    assert_eq!((confirmed.evidence, confirmed.length), (EvidenceKind::StateSet, 3));
    for i in 0..3 {
        let mut less = set.clone();
        less.states.remove(i);
        rejected(asked_reduced(&less, &problem, &[first()]), if i == 0 { "initial" } else { "too few successors" });
    }
    rejected(asked_reduced(&set, &problem, &[Goal::Deadlock]), "too few successors");
    let reached = net_problem(problem_net(&problem), vec![cover(&[(2, 1), (5, 1)])]);
    rejected(asked_reduced(&set, &reached, &[first()]), "too few successors");
}

fn problem_net(problem: &Problem) -> Net {
    match problem.system() {
        SystemModel::Net(net) => Net::clone(net),
        _ => unreachable!("nets only"),
    }
}

/// If a conjunction requires tokens on a place that is never marked, its other places need not be kept. Slicing
/// leaves these places out of the search.
#[test]
fn places_beside_one_that_is_never_marked_need_not_be_kept() {
    let places =
        vec![place("a", 1, Some(1)), place("b", 0, Some(0)), place("never", 0, Some(0)), place("n", 1, Some(2))];
    let net = net(places, vec![arcs("step", &[0], &[1])]);
    let goal = |beside: u32| {
        let mut builder = FormulaBuilder::default();
        let first = builder.cover(&[(p(beside), 1u8.into()), (p(3), 2u8.into())]);
        let second = builder.cover(&[(p(0), 1u8.into()), (p(1), 1u8.into())]);
        let root = builder.any(vec![first, second]);
        builder.finish(root)
    };
    let slots = vec![Slot::Tokens(p(0)), Slot::Tokens(p(1))];
    let set = Set { slots, potentially_marked: vec![true, true, false, true], states: vec![vec![1, 0], vec![0, 1]] };
    assert!(asked_reduced(&set, &net_problem(net.clone(), vec![goal(2)]), &[first()]).is_ok());
    rejected(asked_reduced(&set, &net_problem(net, vec![goal(1)]), &[first()]), "which the evidence does not keep");
}

/// `step` adds a place that is never marked to `x`, so it does not change `x`. It is independent of `other`,
/// which reads `x`.
#[test]
fn adding_what_is_never_marked_is_no_change() {
    let places = ["a", "b", "x", "c", "d", "never"].map(|name| {
        let tokens = u64::from(["a", "x", "c"].contains(&name));
        place(name, tokens, Some(tokens))
    });
    let step = transition("step", &[(0, 1, None)], &[(0, &[0], -1), (1, &[1], 1), (2, &[2, 5], 0)]);
    let other = transition("other", &[(3, 1, None)], &[(3, &[3], -1), (4, &[2], 0)]);
    let net = net(places.to_vec(), vec![step, other]);
    let goal = Formula::cover(&[(p(1), 2u8.into()), (p(2), 1u8.into())]);
    let slots = (0..5).map(|i| Slot::Tokens(p(i))).collect();
    let states = vec![vec![1, 0, 1, 1, 0], vec![0, 1, 1, 1, 0]];
    let set = Set { slots, potentially_marked: vec![true, true, true, true, true, false], states };
    assert!(asked_reduced(&set, &net_problem(net, vec![goal]), &[first()]).is_ok());
}

/// Whatever places are kept and whatever markings are listed, what is accepted is true.
#[test]
fn nothing_wrong_is_confirmed() {
    let mut accepted = [0; 2];
    for seed in 0..testkit::count(40_000) {
        let Some(Case { net, states, formulas, deadlock }) = random_case(seed) else { continue };
        let mut rng = Rng(!seed);
        let is_reached = states.iter().any(|m| is_goal(&net, &formulas, deadlock, m));
        let kept: Vec<usize> = (0..net.places().len()).filter(|_| !rng.one_in(4)).collect();
        let potentially_marked = (0..net.places().len()).map(|q| states.iter().any(|m| m[q] > 0)).collect();
        let among = greatest(&net, &states, &formulas, deadlock, None);
        let spare = if rng.one_in(2) { 6 } else { 1000 };
        let listed: BTreeSet<Tokens> = if is_reached { &states } else { &among }
            .iter()
            .filter(|m| initial(&net).contains(m) || !is_goal(&net, &formulas, deadlock, m) && !rng.one_in(spare))
            .map(|m| kept.iter().map(|&q| m[q]).collect())
            .collect();
        let slots = kept.iter().map(|&q| Slot::Tokens(PlaceId::new(q))).collect();
        let set = Set { slots, potentially_marked, states: listed.into_iter().collect() };
        let problem = net_problem(net, formulas);
        let goals: Vec<Goal> = problem.goals().filter(|goal| deadlock || *goal != Goal::Deadlock).collect();
        let answer = asked_reduced(&set, &problem, &goals);
        assert!(answer.is_err() || !is_reached, "seed {seed}: {set:?} {problem:?}");
        accepted[usize::from(kept.len() < problem_net(&problem).places().len())] += usize::from(answer.is_ok());
    }
    assert!(!testkit::are_full() || accepted.iter().all(|n| *n > 200), "{accepted:?}");
}

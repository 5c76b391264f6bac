//! Tests of sets of markings: they are accepted iff the definition, taken literally, says so, and never for a
//! goal that is reachable.

use super::super::brute::Rng;
use super::super::rejected;
use super::*;
use crate::EvidenceKind;
use std::collections::BTreeSet;

/// Two of three tokens may enter. p2 counts entries up to two.
fn ring() -> Net {
    let places = vec![place("idle", 2, Some(2)), place("busy", 0, Some(0)), place("lock", 1, Some(1))];
    net(places, vec![arcs("enter", &[0, 2], &[1]), arcs("leave", &[1], &[0, 2])])
}

#[test]
fn the_reachable_markings_are_accepted_and_each_one_is_needed() {
    let problem = net_problem(ring(), vec![cover(&[(1, 2)])]);
    let set = Set::plain(3, vec![vec![2, 0, 1], vec![1, 1, 0]]);
    let confirmed = set.check(&problem, &[first(), Goal::Deadlock]).unwrap();
    assert!(confirmed.verdict.is_safe());
    assert_eq!((confirmed.evidence, confirmed.length), (EvidenceKind::StateSet, 2));
    let mut turned = set.clone();
    turned.states.reverse();
    assert_eq!(turned.check(&problem, &[first()]).unwrap().hash, confirmed.hash, "the order does not matter");
    let covered = Set::plain(3, vec![vec![2, 0, 1], vec![1, 1, 0], vec![2, 1, 1]]);
    rejected(covered.check(&problem.clone().only(|_| false), &[first()]), "not asked for");
    let with = |states: &[&[u32]]| Set::plain(3, states.iter().map(|s| s.to_vec()).collect());
    rejected(with(&[&[2, 0, 1]]).check(&problem, &[first()]), "not closed");
    rejected(with(&[&[1, 1, 0]]).check(&problem, &[first()]), "initial");
    rejected(with(&[]).check(&problem, &[first()]), "initial");
    rejected(with(&[&[2, 0, 1], &[1, 1, 0], &[3, 1, 0]]).check(&problem, &[first()]), "not closed");
    rejected(with(&[&[2, 0, 1], &[1, 1, 0], &[2, 0, 1]]).check(&problem, &[first()]), "listed twice");
    rejected(with(&[&[2, 0, 1], &[1, 1]]).check(&problem, &[first()]), "a marking has 2");
    let bad = with(&[&[2, 0, 1], &[1, 1, 0], &[0, 2, 0], &[1, 1, 1]]);
    rejected(bad.check(&problem, &[first()]), "may satisfy a goal");
}

#[test]
fn projections_and_slots_are_checked() {
    let problem = net_problem(ring(), vec![cover(&[(1, 2)])]);
    let one_of = |places: &[u32]| Slot::OneOf(places.iter().map(|&q| p(q)).collect());
    let set = |slots: Vec<Slot>, states: &[&[u32]]| Set {
        slots,
        potentially_marked: vec![true; 3],
        states: states.iter().map(|s| s.to_vec()).collect(),
    };
    // The idle place is not kept: the lock alone suffices. A deadlock is not excluded, because the idle place
    // may be empty.
    let projected = set(vec![one_of(&[2, 1])], &[&[1], &[2]]);
    assert!(projected.check(&problem, &[first()]).is_ok());
    rejected(projected.check(&problem, &[Goal::Deadlock]), "may be a deadlock");
    rejected(set(vec![one_of(&[2, 1])], &[&[1]]).check(&problem, &[first()]), "not closed");
    rejected(set(vec![one_of(&[2, 1])], &[&[1], &[2], &[3]]).check(&problem, &[first()]), "out of the range");
    rejected(set(vec![one_of(&[2, 7])], &[&[1], &[2]]).check(&problem, &[first()]), "does not exist");
    let twice = vec![one_of(&[2, 1]), Slot::Tokens(p(1))];
    rejected(set(twice, &[&[1, 0], &[2, 1]]).check(&problem, &[first()]), "kept twice");
    // Idle and busy hold two tokens together, so they do not share a slot.
    rejected(set(vec![one_of(&[0, 1])], &[&[1], &[2]]).check(&problem, &[first()]), "initial");
    // Busy alone may grow without bound.
    let busy = set(vec![Slot::Tokens(p(1))], &[&[0], &[1]]);
    rejected(busy.check(&problem, &[first()]), "not closed");
    // Here one listed marking covers all other markings.
    let lock = vec![Slot::Tokens(p(2)), Slot::Tokens(p(1))];
    assert!(set(lock.clone(), &[&[1, 0], &[0, 1]]).check(&problem, &[first()]).is_ok());
    rejected(set(lock, &[&[1, 1], &[2, 0]]).check(&problem, &[first()]), "not closed");
    rejected(
        Set { potentially_marked: vec![true, true], ..projected.clone() }.check(&problem, &[first()]),
        "the net has 3",
    );
    let closed = Set { potentially_marked: vec![true, false, true], ..projected };
    rejected(closed.check(&problem, &[first()]), "may put tokens on `busy`");
}

#[test]
fn open_ended_places_must_not_be_kept() {
    let places = vec![place("many", 1, None), place("lock", 1, Some(1)), place("busy", 0, Some(0))];
    let t = arcs("enter", &[0, 1], &[2]);
    let problem = net_problem(net(places, vec![t]), vec![cover(&[(2, 2)])]);
    let all = Set::plain(3, vec![vec![9, 1, 0], vec![8, 0, 1]]);
    rejected(all.check(&problem, &[first()]), "any number");
    let slots = vec![Slot::Tokens(p(1)), Slot::Tokens(p(2))];
    let kept = Set { slots, potentially_marked: vec![true; 3], states: vec![vec![1, 0], vec![0, 1]] };
    assert!(kept.check(&problem, &[first()]).is_ok());
}

/// Every number of tokens on an exact place is looked up. A slot for one token has no value for two.
#[test]
fn all_initial_markings_count() {
    let zero_test = || vec![transition("z", &[(0, 0, Some(0))], &[])];
    let problem =
        net_problem(net(vec![place("a", 1, Some(4)), place("b", 0, Some(2))], zero_test()), vec![cover(&[(1, 3)])]);
    let all: Vec<Tokens> = (1..=4).map(|a| vec![a, 2]).collect();
    assert!(Set::plain(2, all.clone()).check(&problem, &[first()]).is_ok());
    for i in 0..all.len() {
        let mut less = all.clone();
        less.remove(i);
        rejected(Set::plain(2, less).check(&problem, &[first()]), "initial");
    }
    let two = net_problem(net(vec![place("a", 1, Some(1)), place("b", 1, Some(1))], vec![]), vec![cover(&[(0, 2)])]);
    let slots = vec![Slot::OneOf(vec![p(0), p(1)])];
    let set = Set { slots, potentially_marked: vec![true; 2], states: vec![vec![0], vec![1], vec![2]] };
    rejected(set.check(&two, &[first()]), "initial");
    let fork = vec![place("a", 1, Some(1)), place("b", 0, Some(0)), place("c", 0, Some(0))];
    let fork = net_problem(net(fork, vec![arcs("fork", &[0], &[1, 2])]), vec![cover(&[(1, 2)])]);
    let apart = vec![Slot::Tokens(p(0)), Slot::OneOf(vec![p(1), p(2)])];
    let states = vec![vec![1, 0], vec![0, 1], vec![0, 2]];
    rejected(Set { slots: apart, potentially_marked: vec![true; 3], states }.check(&fork, &[first()]), "not closed");
    let together = vec![Slot::OneOf(vec![p(0), p(1), p(2)])];
    let states = vec![vec![1], vec![2], vec![3], vec![0]];
    rejected(Set { slots: together, potentially_marked: vec![true; 3], states }.check(&fork, &[first()]), "not closed");
}

/// Numbers at and beyond the limits of slots.
#[test]
fn large_numbers_are_exact() {
    let most = u64::from(u32::MAX);
    let grow = |add: i64| {
        let places = vec![place("a", most, Some(most)), place("b", 1, Some(1))];
        let t = transition("t", &[(1, 1, Some(1))], &[(0, &[0], add)]);
        net_problem(net(places, vec![t]), vec![cover(&[(0, most + 1)])])
    };
    let set = Set::plain(2, vec![vec![u32::MAX, 1]]);
    rejected(set.check(&grow(1), &[first()]), "not closed");
    rejected(set.check(&grow(1 << 32), &[first()]), "not closed");
    rejected(set.check(&grow(i64::MAX), &[first()]), "not closed");
    let places = || vec![place("a", most, Some(most)), place("b", 1, Some(1))];
    for (least, fires) in [(most, true), (most + 1, false), (u64::MAX, false)] {
        let t = transition("t", &[(0, least, None)], &[(1, &[], 0)]);
        let problem = net_problem(net(places(), vec![t]), vec![cover(&[(0, u64::MAX)])]);
        assert!(set.check(&problem, &[first()]).is_ok(), "covered by itself");
        let alone = net_problem(problem_net(&problem), vec![linear(&[(1, -1)], 0)]);
        assert_eq!(set.check(&alone, &[first()]).is_err(), fires, "{least}");
    }
    // a + a does not fit into a slot, and with this constant not into 64 bits.
    let t = transition("t", &[], &[(0, &[0, 0], i64::MAX)]);
    let problem = net_problem(net(places(), vec![t]), vec![cover(&[(1, 2)])]);
    rejected(set.check(&problem, &[first()]), "not closed");
    let too_many = vec![place("a", most + 1, Some(most + 1)), place("b", 1, Some(1))];
    rejected(set.check(&net_problem(net(too_many, vec![]), vec![cover(&[(1, 2)])]), &[first()]), "more tokens");
    // Weights may have any size.
    let huge: BigInt = BigInt::from(1) << 200;
    for (k, good) in [(huge.clone() * u32::MAX, false), (huge.clone() * u32::MAX + 1, true)] {
        let mut builder = FormulaBuilder::default();
        let root = builder.at_least([(p(0), huge.clone()), (p(1), BigInt::from(-1))], k - 1);
        let problem = net_problem(net(places(), vec![]), vec![builder.finish(root)]);
        assert_eq!(set.check(&problem, &[first()]).is_ok(), good);
    }
}

/// Many listed markings nearly cover the successors. Only markings that cover a successor completely count.
#[test]
fn covering_is_exact_for_many_markings() {
    let places =
        (0..6).map(|i| place(&format!("p{i}"), if i == 0 { 6 } else { 0 }, Some(if i == 0 { 6 } else { 0 }))).collect();
    let mut transitions: Vec<Transition> = (0..6).map(|i| arcs(&format!("m{i}"), &[i], &[(i + 1) % 6])).collect();
    transitions.extend((0..6).map(|i| arcs(&format!("l{i}"), &[i, (i + 2) % 6], &[(i + 4) % 6])));
    let net = net(places, transitions);
    let problem = net_problem(net.clone(), vec![cover(&[(0, 7)])]);
    let all = naive::reachable(&net, 100_000).0;
    let most: Vec<Tokens> = all.iter().filter(|m| m.iter().sum::<u32>() == 6).cloned().collect();
    assert!(most.len() > 400 && most.len() < all.len());
    assert!(Set::plain(6, most.clone()).check(&problem, &[first()]).is_ok());
    for i in (0..most.len()).step_by(37) {
        let mut less = most.clone();
        less.remove(i);
        assert!(Set::plain(6, less).check(&problem, &[first()]).is_err(), "{:?} is missing", most[i]);
    }
    // The counts are large and sparse, so thresholds are far apart.
    let wide = |a: u32, b: u32| {
        let most = u64::from(u32::MAX);
        let places = vec![place("a", most, Some(most)), place("b", 0, Some(0)), place("c", 1, Some(1))];
        let t = transition("t", &[(2, 1, None)], &[(0, &[], a.into()), (1, &[], b.into()), (2, &[2], -1)]);
        net_problem(super::net(places, vec![t]), vec![cover(&[(2, 2)])])
    };
    let set = Set::plain(3, vec![vec![u32::MAX, 0, 1], vec![1_000_000, 5_000_000, 0]]);
    assert!(set.check(&wide(1_000_000, 5_000_000), &[first()]).is_ok());
    assert!(set.check(&wide(999_999, 4_999_999), &[first()]).is_ok());
    rejected(set.check(&wide(1_000_001, 4_999_999), &[first()]), "not closed");
    rejected(set.check(&wide(0, 5_000_001), &[first()]), "not closed");
}

fn problem_net(problem: &Problem) -> Net {
    let SystemModel::Net(net) = problem.system() else { panic!("a net") };
    (**net).clone()
}

#[test]
fn limits_end_large_checks() {
    let problem = net_problem(ring(), vec![cover(&[(1, 2)])]);
    let set = Set::plain(3, vec![vec![2, 0, 1], vec![1, 1, 0]]);
    let states = || Box::new(Listed(set.states.clone()));
    let claim = || {
        let markings =
            Markings { slots: set.slots.clone(), potentially_marked: set.potentially_marked.clone(), states: states() };
        Claim::Safe { goals: vec![first()], certificate: Certificate::Markings(markings) }
    };
    let options = Options { max_steps: 20, ..Options::default() };
    assert_eq!(confirm(&problem, &claim(), &options, &Stop::default()), Err(Refusal::ResourceLimit));
    let full = Stop::with_memory_limit(1, || 0);
    assert_eq!(confirm(&problem, &claim(), &Options::default(), &full), Err(Refusal::ResourceLimit));
}

/// A random certificate that is nearly right: reachable markings, with some places dropped, some packed
/// together, and some damage.
fn random_set(rng: &mut Rng, net: &Net, reachable: &BTreeSet<Tokens>, goals: &[&Formula], deadlock: bool) -> Set {
    let places = net.places().len();
    let mut free: Vec<u32> = (0..places as u32).collect();
    if rng.one_in(3) {
        free.retain(|_| !rng.one_in(3));
    }
    rng.shuffle(&mut free);
    let mut slots = Vec::new();
    while let Some(q) = free.pop() {
        let together = |list: &[u32]| reachable.iter().all(|m| list.iter().map(|&q| m[q as usize]).sum::<u32>() <= 1);
        let mut list = vec![q];
        while let Some(&other) = free.last().filter(|&&other| together(&[&list[..], &[other]].concat())) {
            list.push(other);
            free.pop();
        }
        let packed = together(&list) && (list.len() > 1 || rng.one_in(4));
        slots.push(if packed { Slot::OneOf(list.into_iter().map(p).collect()) } else { Slot::Tokens(p(q)) });
    }
    let mut potentially_marked = if rng.one_in(2) { vec![true; places] } else { naive::potentially_marked(net) };
    if rng.one_in(12) {
        let q = rng.below(places);
        potentially_marked[q] = !potentially_marked[q];
    }
    let pack = |m: &Tokens| -> Tokens {
        let slot = |slot: &Slot| match slot {
            Slot::Tokens(q) => m[q.index()],
            Slot::OneOf(list) => list.iter().position(|q| m[q.index()] > 0).map_or(0, |i| i as u32 + 1),
        };
        slots.iter().map(slot).collect()
    };
    let packed: BTreeSet<Tokens> = reachable.iter().map(pack).collect();
    let mut set = Set { slots: slots.clone(), potentially_marked, states: packed.into_iter().collect() };
    if rng.one_in(2) {
        only_greatest(net, &mut set, goals, deadlock);
    }
    for _ in 0..[0, 0, 1, 2][rng.below(4)] {
        if set.states.is_empty() || set.slots.is_empty() {
            break;
        }
        let (i, slot) = (rng.below(set.states.len()), rng.below(set.slots.len()));
        match rng.below(3) {
            0 => drop(set.states.remove(i)),
            _ => {
                let most = if let Slot::OneOf(list) = &set.slots[slot] { list.len() } else { 3 };
                set.states[i][slot] = rng.below(most + 1) as u32;
            }
        }
    }
    set.states.sort();
    set.states.dedup();
    rng.shuffle(&mut set.states);
    set
}

/// Drops listed markings that another one covers.
fn only_greatest(net: &Net, set: &mut Set, goals: &[&Formula], deadlock: bool) {
    let exact = naive::exact(net, set, goals, deadlock);
    let wide: Vec<Vec<Option<i64>>> = set.states.iter().map(|s| naive::by_place(set, net.places().len(), s)).collect();
    let plain = |s: &[Option<i64>]| -> Vec<i64> { s.iter().map(|n| n.unwrap_or(0)).collect() };
    let needed: Vec<bool> = (0..wide.len())
        .map(|i| (0..wide.len()).all(|j| i == j || !naive::stands_for(&wide[j], &exact, &plain(&wide[i]))))
        .collect();
    let mut needed = needed.into_iter();
    set.states.retain(|_| needed.next() == Some(true));
}

#[test]
fn random_sets_are_accepted_iff_the_definition_says_so() {
    let mut rng = Rng(11);
    let (mut accepted, mut smaller, mut projected, mut deadlocks) = (0, 0, 0, 0);
    for round in 0..12_000 {
        let places = 1 + rng.below(5);
        let net = random_net(&mut rng, places);
        let formula = random_formula(&mut rng, places);
        let (reachable, all) = naive::reachable(&net, 60);
        let both = [first(), Goal::Deadlock];
        let goals = [&both[..1], &both[..1], &both[1..], &both[..]][rng.below(4)];
        let (formulas, deadlock) =
            (if goals[0] == first() { vec![&formula] } else { vec![] }, goals.contains(&Goal::Deadlock));
        let set = random_set(&mut rng, &net, &reachable, &formulas, deadlock);
        let good = naive::is_good(&net, &set, &formulas, deadlock);
        let problem = net_problem(net.clone(), vec![formula.clone()]);
        let got = set.check(&problem, goals);
        assert_eq!(got.is_ok(), good, "round {round}: {got:?}\n{net:#?}\n{formula:?}\n{goals:?}\n{set:?}");
        if good {
            accepted += 1;
            smaller += usize::from(all && set.states.len() < reachable.len());
            projected += usize::from(set.slots.len() < places);
            deadlocks += usize::from(deadlock);
            let exact = naive::exact(&net, &set, &formulas, deadlock);
            for m in &reachable {
                let violated = formulas.iter().any(|f| naive::holds(f, m)) || deadlock && naive::is_dead(&net, m);
                assert!(!violated, "round {round}: a wrong verdict, {m:?}\n{net:#?}\n{formula:?}\n{set:?}");
                let wide: Vec<i64> = m.iter().map(|&n| n.into()).collect();
                let listed = |s: &Tokens| naive::stands_for(&naive::by_place(&set, places, s), &exact, &wide);
                assert!(set.states.iter().any(listed), "round {round}: {m:?} is not in the set");
            }
        }
    }
    assert!(
        accepted > 1500 && smaller > 200 && projected > 200 && deadlocks > 150,
        "the generator is too weak: {accepted} {smaller} {projected} {deadlocks}"
    );
}

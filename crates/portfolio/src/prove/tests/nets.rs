//! Tests of clauses over thresholds, by an enumeration of all markings in a box. The box is large enough for
//! the numbers that occur.

use super::*;
use model::{
    Act, AtMost, Bit, Clausal, Effect, Formula, FormulaId, Goal, Guard, InvariantCertificate, LocalId, Net, Place,
    PlaceId, Property, Questions, Range, SharedId, SystemModel, ThreadInit, ThreadTransition, ThreadTransitionSystem,
    Transition,
};
use num_bigint::{BigInt, BigUint};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::net::{boxed, invariant_holds};
use testkit::{formula, marked};

/// A marking in the box: the tokens of each place.
type Marking = Vec<usize>;

/// Maximum number of tokens on each place in the box.
const MOST: usize = 6;

/// A system that is stepped by the definition of its kind.
struct World(SystemModel);

impl World {
    fn places(&self) -> usize {
        marked::places(&self.0)
    }

    /// Returns the number of places that stand for shared states.
    fn shared(&self) -> usize {
        if let SystemModel::Threads(system) = &self.0 { system.shared() as usize } else { 0 }
    }

    fn may_start(&self, marking: &[usize]) -> bool {
        marked::may_start(&self.0, marking)
    }

    fn successors(&self, marking: &[usize]) -> BTreeSet<Marking> {
        marked::successors(&self.0, marking).into_iter().collect()
    }

    fn markings(&self) -> Vec<Marking> {
        let all: Vec<Marking> = boxed(self.places(), MOST as u32);
        all.into_iter().filter(|m| marked::is_marking(&self.0, m)).collect()
    }

    /// Returns the markings of runs that stay in the box.
    fn reached(&self) -> BTreeSet<Marking> {
        let starts = self.markings().into_iter().filter(|m| self.may_start(m));
        let next = |m: &Marking| {
            let next = self.successors(m).into_iter();
            next.filter(|to| to.iter().all(|&n| n <= MOST)).collect()
        };
        testkit::reach(starts, usize::MAX, next).expect("there is no limit").states.into_iter().collect()
    }
}

fn random_range(random: &mut Random) -> Range {
    let least = [0, 0, 1, 2][random.below(4)];
    match random.below(6) {
        0 => Range { at_least: least.into(), at_most: Some((least + random.below(2)).into()) },
        _ => Range::from(least),
    }
}

fn random_net(random: &mut Random) -> World {
    let places = 2 + random.below(2);
    let initial = |random: &mut Random| match random.below(5) {
        0 => Range::from(random.below(2)),
        1 => Range { at_least: 0u8.into(), at_most: Some(2u8.into()) },
        _ => Range::exactly(random.below(3)),
    };
    let list = (0..places).map(|i| Place { name: format!("p{i}"), initial: initial(random) }).collect();
    let mut transitions = Vec::new();
    for name in 0..1 + random.below(4) {
        let guards: Vec<Guard> = (0..places)
            .filter_map(|p| {
                if random.chance(60) {
                    Some(Guard { place: PlaceId::new(p), range: random_range(random) })
                } else {
                    None
                }
            })
            .filter(|g| !g.range.is_everything())
            .collect();
        let ensured = |p: PlaceId| {
            guards.iter().find(|g| g.place == p).map_or(0, |g| i64::try_from(&g.range.at_least).expect("small"))
        };
        let mut effects = Vec::new();
        for p in (0..places).map(PlaceId::new) {
            if random.chance(40) {
                continue;
            }
            let mut sources: Vec<PlaceId> = match random.below(5) {
                0 => (0..random.below(4)).map(|_| PlaceId::new(random.below(places))).collect(),
                _ => vec![p],
            };
            sources.sort_unstable();
            let least = -sources.iter().map(|&p| ensured(p)).sum::<i64>();
            let add = (random.below(4) as i64 - 2).max(least);
            effects.push(Effect { place: p, sources: sources.into(), add: add.into() });
        }
        transitions.push(Transition { name: format!("t{name}"), guards, effects });
    }
    let net = Net::new(list, transitions).expect("the generator keeps the rules");
    World(SystemModel::Net(Arc::new(net)))
}

fn random_threads(random: &mut Random) -> World {
    let (shared, locals) = (1 + random.below(2) as u32, 2 + random.below(2) as u32);
    let (mut threads, mut any) = (BTreeMap::new(), Vec::new());
    for l in (0..locals).map(LocalId) {
        if random.chance(40) {
            threads.insert(l, BigUint::from(1 + random.below(2)));
        }
        if random.chance(30) {
            any.push(l);
        }
    }
    let initial = ThreadInit { shared: SharedId(random.below(shared as usize) as u32), threads, any };
    let transitions = (0..1 + random.below(4)).map(|_| {
        let any = |random: &mut Random| {
            (SharedId(random.below(shared as usize) as u32), LocalId(random.below(locals as usize) as u32))
        };
        let act = [Act::Move, Act::Move, Act::Move, Act::Spawn, Act::Transfer][random.below(5)];
        let mut passive = BTreeMap::new();
        for l in (0..locals).map(LocalId) {
            if act == Act::Move && random.chance(40) {
                let targets: BTreeSet<LocalId> =
                    (0..=random.below(2)).map(|_| LocalId(random.below(locals as usize) as u32)).collect();
                passive.insert(l, targets.into_iter().collect());
            }
        }
        ThreadTransition { from: any(random), to: any(random), act, passive }
    });
    let transitions = transitions.collect();
    let system =
        ThreadTransitionSystem::new(shared, locals, initial, transitions).expect("the generator keeps the rules");
    World(SystemModel::Threads(Arc::new(system)))
}

fn bits(places: usize) -> Vec<(usize, usize)> {
    (0..places).flat_map(|p| (1..=2usize).map(move |k| (p, k))).collect()
}

fn clausal(places: usize, clauses: &[Vec<i32>]) -> Clausal {
    let bit = |(p, k)| Bit::AtLeast(PlaceId::new(p), BigUint::from(k));
    Clausal { bits: bits(places).into_iter().map(bit).collect(), clauses: clauses.to_vec(), ..Clausal::default() }
}

/// Draws a random statement about markings. Returns it if it holds in all `reached` markings, and otherwise
/// `None`.
fn random_fact(random: &mut Random, places: usize, reached: &BTreeSet<Marking>) -> Option<NetInvariant> {
    let list: Vec<PlaceId> = (0..places).map(PlaceId::new).filter(|_| random.chance(60)).collect();
    let invariant = match random.below(6) {
        0 => {
            let terms: Vec<(PlaceId, BigInt)> =
                list.iter().map(|p| (*p, BigInt::from([1, 1, 2, -1][random.below(4)]))).collect();
            let value = |m: &Marking| terms.iter().map(|(p, w)| w * BigInt::from(m[p.index()])).sum::<BigInt>();
            let at_most = reached.iter().map(value).max()?;
            NetInvariant::AtMost(AtMost { terms, at_most })
        }
        1 => {
            let terms: Vec<(PlaceId, BigInt)> = list.iter().map(|p| (*p, BigInt::from(-1))).collect();
            let least = reached.iter().map(|m| list.iter().map(|p| m[p.index()]).sum::<usize>()).min()?;
            NetInvariant::AtMost(AtMost { terms, at_most: -BigInt::from(least) })
        }
        2 => NetInvariant::SomeMarked(list),
        3 => {
            let mut pairs = model::ConcurrencyRelation::none(list.clone());
            for marking in reached {
                for a in 0..list.len() {
                    for b in 0..=a {
                        let both = marking[list[a].index()] > 0 && marking[list[b].index()] > 0;
                        if both && (a != b || marking[list[a].index()] > 1) {
                            pairs.allow(a, b);
                        }
                    }
                }
            }
            NetInvariant::ConcurrencyRelation(pairs)
        }
        4 => NetInvariant::NeverCovered(vec![list.iter().map(|p| (*p, BigUint::from(1 + random.below(2)))).collect()]),
        _ => NetInvariant::Clauses(clausal(places, &random_clauses(random, 2 * places, 2))),
    };
    reached.iter().all(|m| invariant_holds(&invariant, m)).then_some(invariant)
}

/// Numbers of claims, for each result of the check.
#[derive(Default, Debug)]
struct Counts {
    accepted: usize,
    refused: usize,
    /// Accepted claims that have other invariants before the clauses.
    with_facts: usize,
}

fn compare(world: &World, random: &mut Random, seed: u64, counts: &mut Counts) {
    let places = world.places();
    let reached = world.reached();
    let markings = world.markings();
    let bits = bits(places);
    let formula = formula::random(random, places);
    let goal = if random.chance(25) { Goal::Deadlock } else { Goal::Formula(FormulaId(0)) };
    let problem = Problem::new(
        world.0.clone(),
        Questions {
            formulas: vec![Arc::new(formula.clone())],
            properties: vec![Property::never("goal", goal)],
            ..Questions::default()
        },
    )
    .expect("it fits");
    let is_goal = |m: &Marking| match goal {
        Goal::Deadlock => world.successors(m).is_empty(),
        _ => formula::holds(&formula, m),
    };
    // One clause for each combination of bits that no run reaches, and then some random clauses.
    let value = |m: &Marking| bits.iter().map(|&(p, k)| m[p] >= k).collect::<Vec<bool>>();
    let seen: BTreeSet<Vec<bool>> = reached.iter().map(value).collect();
    let possible: BTreeSet<Vec<bool>> = markings.iter().map(value).collect();
    let but = |v: &Vec<bool>| v.iter().zip(1..).map(|(&b, n)| if b { -n } else { n }).collect::<Vec<i32>>();
    let exact: Vec<Vec<i32>> = possible.difference(&seen).map(but).collect();
    let invariants: Vec<NetInvariant> =
        (0..random.below(3)).filter_map(|_| random_fact(random, places, &reached)).collect();
    for (clauses, invariants) in [(exact, invariants), (random_clauses(random, bits.len(), 3), Vec::new())] {
        let inside = |m: &Marking| hold(&clauses, |bit| m[bits[bit].0] >= bits[bit].1);
        let known = |m: &Marking| invariants.iter().all(|invariant| invariant_holds(invariant, m));
        let kept = |m: &&Marking| world.successors(m).iter().all(|next| !known(next) || inside(next));
        let starts = markings.iter().filter(|m| world.may_start(m)).all(inside);
        let inductive = starts && markings.iter().filter(|m| known(m) && inside(m)).all(|m| kept(&m));
        let free = !markings.iter().any(|m| known(m) && inside(m) && is_goal(m));
        let last = NetInvariant::Clauses(clausal(places, &clauses));
        let certificate = InvariantCertificate {
            invariants: invariants.iter().cloned().chain([last]).collect(),
            exclusions: vec![(goal, Exclusion::Refuted(None))],
        };
        let mut claim = Claim::Safe { goals: vec![goal], certificate: Certificate::Invariant(Box::new(certificate)) };
        let result = proven(&problem, &mut claim);
        let context = || format!("seed {seed}: {clauses:?}, {invariants:?}, {formula:?}, {goal}");
        match &result {
            Ok(_) => {
                assert!(inductive && free, "{}", context());
                assert!(reached.iter().all(|m| inside(m) && !is_goal(m)), "{}", context());
                counts.accepted += 1;
                counts.with_facts += usize::from(!invariants.is_empty());
                damage(&problem, &mut claim, random);
            }
            // Random invariants may hold without being inductive.
            Err(Refusal::Rejected(_)) => assert!(!invariants.is_empty(), "{}: {result:?}", context()),
            Err(other) => {
                counts.refused += 1;
                // Without other invariants, and without sums that have positive and negative weights, every
                // true obligation must be proven.
                let sums =
                    formula.nodes().iter().filter_map(|n| if let model::Node::AtLeast(s) = n { Some(s) } else { None });
                let mut signs = sums.map(|s| s.terms.iter().map(|(_, c)| c.sign()).collect::<BTreeSet<_>>().len());
                let exact = invariants.is_empty() && (goal == Goal::Deadlock || signs.all(|n| n == 1));
                assert!(!exact || !inductive || !free, "{}: {other}", context());
            }
        }
    }
}

#[test]
fn what_is_proven_of_nets_holds() {
    let mut counts = Counts::default();
    for seed in 0..testkit::count(1500) {
        let mut random = Random::new(seed);
        compare(&random_net(&mut random), &mut random, seed, &mut counts);
    }
    assert!(
        !testkit::are_full() || counts.accepted > 200 && counts.refused > 200 && counts.with_facts > 50,
        "{counts:?}"
    );
}

#[test]
fn what_is_proven_of_thread_systems_holds() {
    let mut counts = Counts::default();
    for seed in 0..testkit::count(700) {
        let mut random = Random::new(seed ^ 1 << 40);
        compare(&random_threads(&mut random), &mut random, seed, &mut counts);
    }
    assert!(
        !testkit::are_full() || counts.accepted > 100 && counts.refused > 100 && counts.with_facts > 20,
        "{counts:?}"
    );
}

#[test]
fn numbers_of_any_size_are_compared() {
    // A transition that transfers all tokens, with thresholds beyond 64 bits.
    let huge: BigUint = BigUint::from(1u8) << 100u32;
    let places = ["p", "q", "r"].map(|n| Place { name: n.into(), initial: Range::exactly(0u8) });
    let mut places = places.to_vec();
    places[0].initial = Range::exactly(huge.clone());
    let (p, q, r) = (PlaceId(0), PlaceId(1), PlaceId(2));
    let effect = |place, sources: &[PlaceId]| Effect { place, sources: sources.into(), add: BigInt::ZERO };
    let transitions = vec![Transition {
        name: "all".into(),
        guards: Vec::new(),
        effects: vec![effect(p, &[]), effect(q, &[p]), effect(r, &[q, r])],
    }];
    let net = Net::new(places, transitions).unwrap();
    let formula = Formula::cover(&[(q, &huge + 1u8)]);
    let problem = Problem::new(
        Arc::new(net),
        Questions {
            formulas: vec![Arc::new(formula)],
            properties: vec![Property::never("goal", Goal::Formula(FormulaId(0)))],
            ..Questions::default()
        },
    )
    .expect("it fits");
    let claim = |clauses: Vec<Vec<i32>>| {
        let bits = vec![Bit::AtLeast(p, &huge + 1u8), Bit::AtLeast(q, &huge + 1u8), Bit::AtLeast(q, huge.clone())];
        let invariants = vec![NetInvariant::Clauses(Clausal { bits, clauses, ..Clausal::default() })];
        let exclusions = vec![(Goal::Formula(FormulaId(0)), Exclusion::Refuted(None))];
        let certificate = Certificate::Invariant(Box::new(InvariantCertificate { invariants, exclusions }));
        Claim::Safe { goals: vec![Goal::Formula(FormulaId(0))], certificate }
    };
    assert!(accepted(&proven(&problem, &mut claim(vec![vec![-1], vec![-2]]))));
    assert!(!accepted(&proven(&problem, &mut claim(vec![vec![-3], vec![-1]]))));
    assert!(!accepted(&proven(&problem, &mut claim(vec![vec![-2]]))));
}

/// Numbers of bounded claims, for each result of the check.
#[derive(Default, Debug)]
struct Bounded {
    accepted: usize,
    refused: usize,
    /// Refused claims that are true and inductive in the box.
    missed: usize,
    /// Accepted claims that hold only because of the bound. Without the bound, the goal is reached in the box.
    by_bound: usize,
}

/// Compares claims about the runs within a random bound on some of the places with an enumeration of these
/// runs.
fn compare_within(world: &World, first: usize, random: &mut Random, seed: u64, counts: &mut Bounded) {
    let places = world.places();
    let counted: Vec<PlaceId> = (first..places).filter(|_| random.chance(80)).map(PlaceId::new).collect();
    let most = random.below(MOST - 1);
    let total = |m: &Marking| counted.iter().map(|p| m[p.index()]).sum::<usize>();
    let is_within = |m: &Marking| total(m) <= most;
    let markings: Vec<Marking> = world.markings().into_iter().filter(is_within).collect();
    let mut queue: Vec<Marking> = markings.iter().filter(|m| world.may_start(m)).cloned().collect();
    let mut reached: BTreeSet<Marking> = queue.iter().cloned().collect();
    while let Some(marking) = queue.pop() {
        for next in world.successors(&marking) {
            if is_within(&next) && next.iter().all(|&n| n <= MOST) && reached.insert(next.clone()) {
                queue.push(next);
            }
        }
    }
    let mut bits: Vec<Bit> =
        bits(places).into_iter().map(|(p, k)| Bit::AtLeast(PlaceId::new(p), BigUint::from(k))).collect();
    bits.extend((1..=3usize).map(|k| Bit::Room(BigUint::from(k))));
    let value = |m: &Marking| -> Vec<bool> {
        let of = |bit: &Bit| match bit {
            Bit::AtLeast(p, k) => BigUint::from(m[p.index()]) >= *k,
            Bit::Room(k) => BigUint::from(most - total(m)) >= *k,
            Bit::Latch(_) | Bit::Node(_) | Bit::In(..) => unreachable!("made above"),
        };
        bits.iter().map(of).collect()
    };
    let formula = formula::random(random, places);
    let goal = if random.chance(25) { Goal::Deadlock } else { Goal::Formula(FormulaId(0)) };
    let problem = Problem::new(
        world.0.clone(),
        Questions {
            formulas: vec![Arc::new(formula.clone())],
            properties: vec![Property::never("goal", goal)],
            ..Questions::default()
        },
    )
    .expect("it fits");
    let is_goal = |m: &Marking| match goal {
        Goal::Deadlock => world.successors(m).is_empty(),
        _ => formula::holds(&formula, m),
    };
    let seen: BTreeSet<Vec<bool>> = reached.iter().map(value).collect();
    let possible: BTreeSet<Vec<bool>> = markings.iter().map(value).collect();
    let but = |v: &Vec<bool>| v.iter().zip(1..).map(|(&b, n)| if b { -n } else { n }).collect::<Vec<i32>>();
    let exact: Vec<Vec<i32>> = possible.difference(&seen).map(but).collect();
    for clauses in [exact, random_clauses(random, bits.len(), 3)] {
        let inside = |m: &Marking| {
            let value = value(m);
            hold(&clauses, |bit| value[bit])
        };
        let kept = |m: &&Marking| world.successors(m).iter().all(|next| !is_within(next) || inside(next));
        let starts = markings.iter().filter(|m| world.may_start(m)).all(inside);
        let inductive = starts && markings.iter().filter(|m| inside(m)).all(|m| kept(&m));
        let free = !markings.iter().any(|m| inside(m) && is_goal(m));
        let last = Clausal { bits: bits.clone(), clauses: clauses.clone(), ..Clausal::default() };
        let certificate = InvariantCertificate {
            invariants: vec![NetInvariant::Clauses(last)],
            exclusions: vec![(goal, Exclusion::Refuted(None))],
        };
        let within = model::Within { most: most.into(), counted: counted.clone() };
        let mut claim = Claim::Within { goals: vec![goal], within, invariant: Box::new(certificate) };
        complete(&problem, &mut claim, &Options::default(), &Stop::default());
        assert!(confirm(&problem, &claim, &Options::default(), &Stop::default()).is_err(), "no verdict");
        let context = || format!("seed {seed}: within {most} of {counted:?}: {clauses:?}, {formula:?}, {goal}");
        match certify::confirm_within(&problem, &claim, &Options::default(), &Stop::default()) {
            Ok(bounded) => {
                assert!(inductive && free, "{}", context());
                assert!(reached.iter().all(|m| inside(m) && !is_goal(m)), "{}", context());
                assert_eq!((bounded.goals(), bounded.most()), (&[goal][..], &BigUint::from(most)));
                counts.accepted += 1;
                counts.by_bound += usize::from(world.reached().iter().any(is_goal));
            }
            Err(Refusal::Unknown(why)) if why.contains("not proven") => {
                counts.refused += 1;
                counts.missed += usize::from(inductive && free);
            }
            Err(other) => panic!("{}: {other}", context()),
        }
    }
}

#[test]
fn what_is_proven_of_nets_within_a_bound_holds_within_it() {
    let mut counts = Bounded::default();
    for seed in 0..testkit::count(1500) {
        let mut random = Random::new(seed ^ 1 << 41);
        compare_within(&random_net(&mut random), 0, &mut random, seed, &mut counts);
    }
    assert!(
        !testkit::are_full() || counts.accepted > 200 && counts.refused > 200 && counts.by_bound > 10,
        "{counts:?}"
    );
    // The clauses express the bound only through the number of tokens that it leaves, so claims that need the
    // sum of all counts are missed.
    assert!(counts.missed < 3 * counts.accepted, "{counts:?}");
}

#[test]
fn what_is_proven_of_thread_systems_within_a_bound_holds_within_it() {
    let mut counts = Bounded::default();
    for seed in 0..testkit::count(700) {
        let mut random = Random::new(seed ^ 1 << 42);
        let world = random_threads(&mut random);
        compare_within(&world, world.shared(), &mut random, seed, &mut counts);
    }
    assert!(!testkit::are_full() || counts.accepted > 100 && counts.refused > 100 && counts.by_bound > 3, "{counts:?}");
    // The clauses express the bound only through the number of tokens that it leaves, so claims that need the
    // sum of all counts are missed.
    assert!(counts.missed < 3 * counts.accepted, "{counts:?}");
}

#[test]
fn shared_states_do_not_count_as_threads() {
    let mut random = Random::new(7);
    let world = random_threads(&mut random);
    let goal = Goal::Deadlock;
    let problem = Problem::of(world.0.clone()).asking(vec![Property::never("goal", goal)]).expect("it fits");
    let places = world.places();
    for counted in [vec![0], vec![places], vec![places - 1, places - 1], vec![0, places - 1]] {
        let within = model::Within { most: 0u8.into(), counted: counted.iter().map(|&p| PlaceId::new(p)).collect() };
        let never = Clausal { clauses: vec![Vec::new()], ..Clausal::default() };
        let certificate = InvariantCertificate {
            invariants: vec![NetInvariant::Clauses(never)],
            exclusions: vec![(goal, Exclusion::Refuted(None))],
        };
        let mut claim = Claim::Within { goals: vec![goal], within, invariant: Box::new(certificate) };
        complete(&problem, &mut claim, &Options::default(), &Stop::default());
        let checked = certify::confirm_within(&problem, &claim, &Options::default(), &Stop::default());
        assert!(matches!(checked, Err(Refusal::Rejected(_))), "{counted:?}: {checked:?}");
    }
}

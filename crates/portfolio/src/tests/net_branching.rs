//! Formulas of computation tree logic and largest values about random nets and thread-transition systems, against brute
//! force, and damaged evidence.

use crate::{Options, check, engines};
use certify::{Options as CheckOptions, confirm};
use model::{
    BoundId, BranchingEvidence, BranchingId, Claim, Ctl, Formula, Goal, Markings, Parts, PlaceId, Problem, Property,
    Questions, Slot, StateSet, Stop, Sum, SystemModel,
};
use num_bigint::BigUint;
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::{Graph, formula};

/// Systems with more markings are left out.
const MOST: usize = 200;
/// Thread-transition systems are left out if they have more markings, or more threads in a state.
pub(super) const MOST_OF_THREADS: usize = 60;

pub(super) fn sum(random: &mut Random, places: usize) -> Sum {
    let factor = |random: &mut Random| BigUint::from(random.between(0, 2) as u32);
    let terms = (0..places).map(|p| (PlaceId::new(p), factor(random)));
    terms.filter(|(_, factor)| *factor != BigUint::ZERO).collect()
}

/// A random system with three formulas and two sums.
struct Case {
    problem: Problem,
    graph: Graph,
    has_threads: bool,
}

/// Returns a random system with its markings: a net, or a thread-transition system for odd seeds.
pub(super) fn system(seed: u64, random: &mut Random) -> Option<(SystemModel, Graph)> {
    let (system, most): (SystemModel, usize) = match seed % 2 {
        0 => (Arc::new(testkit::net::up_to(4, random)).into(), MOST),
        _ => (Arc::new(testkit::threads::system(random)).into(), MOST_OF_THREADS),
    };
    let graph = Graph::of(&system, most)?;
    Some((system, graph))
}

/// Calls `each` with random problems.
fn cases(count: u64, mut each: impl FnMut(u64, &Case)) {
    for seed in 0..count {
        let random = &mut Random::new(seed ^ 0x6374_6c63);
        let Some((system, graph)) = system(seed, random) else { continue };
        let (places, has_threads) = (system.places().expect("it has places"), system.as_threads().is_some());
        let formulas: Vec<Arc<Formula>> =
            (0..random.between(1, 3)).map(|_| Arc::new(testkit::formula::random(random, places))).collect();
        let branching = (0..3).map(|_| {
            let size = 1 + random.below(6);
            Arc::new(formula(random, formulas.len(), size))
        });
        let branching: Vec<Arc<Ctl>> = branching.collect();
        let sums: Vec<Sum> = (0..2).map(|_| sum(random, places)).collect();
        let of_formula = |i| Property::never(format!("phi{i}"), Goal::Branching(BranchingId::new(i)));
        let of_sum = |i| Property::never(format!("sum{i}"), Goal::Bound(BoundId::new(i)));
        let properties = (0..branching.len()).map(of_formula).chain((0..sums.len()).map(of_sum)).collect();
        let asked = Questions { properties, formulas, branching, sums, ..Questions::default() };
        let problem = Problem::new(system, asked).expect("it fits");
        each(seed, &Case { problem, graph, has_threads });
    }
}

#[test]
fn random_questions_agree_with_brute_force() {
    let mut count = [[0; 3]; 2];
    cases(testkit::count(6_000), |seed, case| {
        // The plain search decides formulas alone. It gives no largest values by itself.
        let alone = Options { engine: Some(&engines::EXPLICIT), ..Options::default() };
        for (options, is_whole) in [(Options::default(), true), (alone, false)] {
            let outcome = check(&case.problem, &options);
            for answer in &outcome.answers {
                match answer.property.goal {
                    Goal::Branching(id) => {
                        let formula = &case.problem.branching()[id.index()];
                        let holds = case.graph.holds(case.problem.formulas(), formula);
                        let found = (answer.is_safe(), answer.is_unsafe());
                        assert_eq!(found, (holds, !holds), "seed {seed}: {formula:?}: {:?}", answer.finding);
                        count[usize::from(case.has_threads)][usize::from(holds)] += 1;
                    }
                    Goal::Bound(id) => {
                        let most = case.graph.most(&case.problem.sums()[id.index()]);
                        let value = answer.value();
                        assert!(value == Some(&most) || value.is_none() && !is_whole, "seed {seed}: {value:?}, {most}");
                        count[usize::from(case.has_threads)][2] += 1;
                    }
                    other => panic!("{other}"),
                }
            }
        }
    });
    assert!(!testkit::are_full() || count.iter().flatten().all(|n| *n > 500), "{count:?}");
}

/// Markings without some of them.
#[derive(Debug)]
pub(super) struct Listed(pub(super) Vec<Vec<u32>>);

impl StateSet for Listed {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.iter().try_for_each(|marking| visit(marking))
    }
}

/// Whatever part of the markings is listed, the checker accepts no wrong answer. With all of them, it accepts each
/// right one.
#[test]
fn no_part_of_the_markings_shows_what_is_wrong() {
    let (mut parts, mut shown, mut by_siphon) = (0, 0, 0);
    cases(testkit::count(8_000), |seed, case| {
        let all: Option<Vec<Vec<u32>>> =
            case.graph.markings.iter().map(|m| m.iter().map(|n| u32::try_from(n).ok()).collect()).collect();
        let Some(all) = all else { return };
        let random = &mut Random::new(seed);
        for (number, formula) in case.problem.branching().iter().enumerate() {
            let right = case.graph.holds(case.problem.formulas(), formula);
            let goals = vec![Goal::Branching(BranchingId::new(number))];
            for whole in [true, false, false, false] {
                let mut listed = all.clone();
                if !whole {
                    listed.retain(|_| random.below(3) > 0);
                }
                let places = case.graph.markings[0].len();
                let markings = Markings {
                    slots: (0..places).map(|p| Slot::Tokens(PlaceId::new(p))).collect(),
                    potentially_marked: vec![true; places],
                    states: Box::new(Listed(listed)),
                };
                let markings = Some(Arc::new(markings));
                let mut evidence = BranchingEvidence { markings, ..BranchingEvidence::default() };
                let accepts = |holds, evidence: &BranchingEvidence| {
                    let claim = Claim::Branching { goals: goals.clone(), holds, evidence: evidence.clone() };
                    confirm(&case.problem, &claim, &CheckOptions::default(), &Stop::default()).is_ok()
                };
                assert!(!accepts(!right, &evidence), "seed {seed}: {formula:?}");
                let is_shown = accepts(right, &evidence);
                // Sets that are no siphons are refused, and siphons show nothing that is wrong.
                let places = 0..places;
                evidence.siphons = vec![places.filter(|_| random.below(3) > 0).map(PlaceId::new).collect()];
                assert!(!accepts(!right, &evidence), "seed {seed}: {formula:?} {:?}", evidence.siphons);
                by_siphon += usize::from(!is_shown && accepts(right, &evidence));
                assert!(is_shown || !whole, "seed {seed}: {formula:?}");
                parts += usize::from(!whole);
                shown += usize::from(!whole && is_shown);
            }
        }
    });
    assert!(!testkit::are_full() || shown > parts / 10 && shown < parts, "{shown} of {parts}");
    assert!(!testkit::are_full() || by_siphon > 20, "{by_siphon} answers by siphons");
}

/// Other values, parts that are missing, and claims about other formulas show no largest value.
#[test]
fn damaged_evidence_for_largest_values_is_refused() {
    let mut count = 0;
    cases(testkit::count(400), |seed, case| {
        let outcome = check(&case.problem, &Options::default());
        for answer in &outcome.answers {
            let Some(Claim::Bound { goal, value, parts }) = answer.claim.as_deref() else { continue };
            let accepts = |value: BigUint, parts: Parts| {
                let claim = Claim::Bound { goal: *goal, value, parts };
                confirm(&case.problem, &claim, &CheckOptions::default(), &Stop::default()).is_ok()
            };
            assert!(accepts(value.clone(), parts.clone()), "seed {seed}");
            assert!(!accepts(value + 1u8, parts.clone()), "seed {seed}");
            if *value > BigUint::ZERO {
                assert!(!accepts(value - 1u8, parts.clone()), "seed {seed}");
            }
            for missing in 0..parts.claims.len() {
                let mut less = parts.clone();
                less.claims.remove(missing);
                assert!(!accepts(value.clone(), less), "seed {seed}: without part {missing}");
                count += 1;
            }
        }
    });
    assert!(!testkit::are_full() || count > 200, "{count}");
}

//! Temporal formulas about random nets and thread-transition systems, against brute force, and damaged evidence.

use super::net_branching::system;
use crate::{Options, check};
use certify::{Options as CheckOptions, confirm};
use model::{
    Certificate, Claim, Formula, FormulaId, Goal, Letter, Ltl, LtlBuilder, LtlId, LtlNode, Markings, Problem, Property,
    Questions, StateSet, Stop, SystemModel, TemporalId, Trace,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use testkit::Random;
use testkit::marked::liveness::is_violated;

const GOAL: Goal = Goal::Temporal(TemporalId(0));

/// Returns a random formula with these letters, and about `size` operators.
pub(super) fn formula(random: &mut Random, letters: usize, size: usize) -> Ltl {
    let mut builder = LtlBuilder::default();
    let letter = |random: &mut Random, builder: &mut LtlBuilder| {
        builder.letter(Letter::Marking(FormulaId::new(random.below(letters))))
    };
    let mut parts: Vec<LtlId> = (0..2).map(|_| letter(random, &mut builder)).collect();
    for _ in 0..size {
        let a = parts.swap_remove(random.below(parts.len()));
        let b = if parts.is_empty() { letter(random, &mut builder) } else { parts[random.below(parts.len())] };
        let node = match random.below(11) {
            0 => LtlNode::Not(a),
            1 | 2 => LtlNode::Next(a),
            3 | 4 => LtlNode::Globally(a),
            5 | 6 => LtlNode::Finally(a),
            7 => [LtlNode::And(a, b), LtlNode::Or(a, b)][random.below(2)],
            8 => LtlNode::Until(a, b),
            9 => LtlNode::WeakUntil(a, b),
            _ => LtlNode::Release(a, b),
        };
        parts.push(builder.node(node));
    }
    let root = *parts.last().expect("there is one");
    builder.finish(root)
}

fn problem(system: SystemModel, formulas: &[Arc<Formula>], ltl: Ltl) -> Problem {
    let (formulas, temporal) = (formulas.to_vec(), vec![Arc::new(ltl)]);
    let properties = vec![Property::never("phi", GOAL)];
    let asked = Questions { properties, formulas, temporal, ..Questions::default() };
    Problem::new(system, asked).expect("it fits")
}

/// Calls `each` with random problems, and whether a run violates the formula of each.
fn problems(count: u64, mut each: impl FnMut(u64, &Problem, bool)) {
    for seed in 0..count {
        let random = &mut Random::new(seed ^ 0x6e65_7473);
        let Some((system, graph)) = system(seed, random) else { continue };
        let places = system.places().expect("it has places");
        let formulas: Vec<Arc<Formula>> =
            (0..random.between(1, 3)).map(|_| Arc::new(testkit::formula::random(random, places))).collect();
        let size = 1 + random.below(6);
        let ltl = formula(random, formulas.len(), size);
        if let Some(expected) = is_violated(&graph, &formulas, &ltl) {
            each(seed, &problem(system, &formulas, ltl), expected);
        }
    }
}

#[test]
fn random_formulas_about_runs_agree_with_brute_force() {
    let mut count = [[0; 2]; 2];
    problems(testkit::count(40_000), |seed, problem, expected| {
        let outcome = check(problem, &Options::default());
        let answer = outcome.about(GOAL).expect("it was asked");
        let found = (answer.is_unsafe(), answer.is_safe());
        assert_eq!(found, (expected, !expected), "seed {seed}, {:?}", problem.temporal());
        count[usize::from(problem.system().as_threads().is_some())][usize::from(expected)] += 1;
    });
    assert!(!testkit::are_full() || count.iter().flatten().all(|n| *n > 1_500), "{count:?}");
}

/// Markings without one of them.
#[derive(Debug)]
struct Without(Vec<Vec<u32>>);

impl StateSet for Without {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.iter().try_for_each(|marking| visit(marking))
    }
}

/// The checker must refuse all evidence about a formula that a run violates, whatever the set; and runs that are cut
/// off, or that repeat from somewhere else, unless they still violate the formula.
#[test]
fn damaged_evidence_about_runs_of_nets_is_refused() {
    let accepted =
        |problem: &Problem, claim: &Claim| confirm(problem, claim, &CheckOptions::default(), &Stop::default()).is_ok();
    let (mut sets, mut holes, mut runs) = (0, 0, 0);
    problems(testkit::count(4_000), |seed, problem, expected| {
        let outcome = check(problem, &Options::default());
        let answer = outcome.about(GOAL).expect("it was asked");
        match answer.claim.as_deref() {
            Some(Claim::Safe { certificate: Certificate::Markings(all), goals }) => {
                let mut listed = Vec::new();
                let _ = all.states.for_each(&mut |marking| {
                    listed.push(marking.to_vec());
                    ControlFlow::Continue(())
                });
                let with = |states: Vec<Vec<u32>>| Claim::Safe {
                    goals: goals.clone(),
                    certificate: Certificate::Markings(Markings {
                        slots: all.slots.clone(),
                        potentially_marked: all.potentially_marked.clone(),
                        states: Box::new(Without(states)),
                    }),
                };
                assert!(accepted(problem, &with(listed.clone())), "seed {seed}");
                // The set has only markings that the search came to, so each is needed for the product.
                for hole in 0..listed.len() {
                    let mut rest = listed.clone();
                    rest.remove(hole);
                    assert!(!accepted(problem, &with(rest)), "seed {seed}, without {hole}");
                    holes += 1;
                }
                // The same set says nothing about the opposite, which some run violates.
                let mut builder = LtlBuilder::default();
                let root = builder.formula(&problem.temporal()[0]);
                let root = builder.node(LtlNode::Not(root));
                let opposite = builder.finish(root);
                let other =
                    problem.clone().changed(|asked| asked.temporal = vec![Arc::new(opposite)]).expect("it fits");
                assert!(!accepted(&other, &with(listed)), "seed {seed}");
                sets += 1;
            }
            Some(Claim::Unsafe { goal, trace, .. }) => {
                assert!(expected);
                let again = |trace: Trace| Claim::Unsafe { goal: *goal, trace, candidate: false };
                assert!(accepted(problem, &again(trace.clone())), "seed {seed}");
                let never = problem.clone().changed(|asked| {
                    let truth = Ltl::new(vec![LtlNode::Constant(true)]);
                    asked.temporal = vec![Arc::new(truth)];
                });
                assert!(!accepted(&never.expect("it fits"), &again(trace.clone())), "seed {seed}");
                let ends = trace.repeats_from.is_none();
                let mut other = trace.clone();
                other.repeats_from = if ends { Some(trace.len().unwrap_or(0)) } else { None };
                assert!(!accepted(problem, &again(other)), "seed {seed}: it does not end, or does not repeat");
                runs += 1;
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    });
    assert!(!testkit::are_full() || sets > 200 && holes > 500 && runs > 200, "{sets} {holes} {runs}");
}

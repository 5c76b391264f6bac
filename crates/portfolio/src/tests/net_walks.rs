//! Walks that repeat or end, for formulas of computation tree logic about random nets: the checker accepts each claim,
//! and it agrees with brute force.

use super::net_branching::system;
use certify::{Options as CheckOptions, confirm};
use model::{
    BranchingId, Budget, Claim, Engine, Formula, Goal, NetTask, Problem, Property, Questions, Stop, SystemModel, Turn,
};
use nets::walk::{LassoWalk, Question};
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::formula;

/// Work for each net.
const WORK: u64 = 2_000;

#[test]
fn walks_decide_formulas_of_branching_time_as_brute_force_does() {
    let (mut count, mut by_siphons) = ([0; 2], 0);
    for seed in 0..testkit::count(6_000) {
        let random = &mut Random::new(seed ^ 0x7061_7468);
        // Nets have even numbers.
        let Some((SystemModel::Net(net), graph)) = system(seed * 2, random) else { continue };
        let places = net.places().len();
        let formulas: Vec<Arc<Formula>> =
            (0..random.between(1, 3)).map(|_| Arc::new(testkit::formula::random(random, places))).collect();
        let branching: Vec<_> = (0..3)
            .map(|_| {
                let size = 1 + random.below(6);
                Arc::new(formula(random, formulas.len(), size))
            })
            .collect();
        let goal = |i| Goal::Branching(BranchingId::new(i));
        let properties = (0..branching.len()).map(|i| Property::never(format!("phi{i}"), goal(i))).collect();
        let asked = Questions { properties, formulas, branching, ..Questions::default() };
        let problem = Problem::new(Arc::clone(&net), asked).expect("it fits");
        let task = NetTask::plain(net, problem.formulas().to_vec(), Vec::new());
        let question = |(i, formula): (usize, &Arc<_>)| (goal(i), Question::Branching(Arc::clone(formula)));
        let questions = problem.branching().iter().enumerate().map(question).collect();
        let mut walk = LassoWalk::new(&task, questions, Box::new(|_| None), seed);
        let mut budget = Budget::unlimited(Arc::default());
        budget.work = WORK;
        while let Turn::Claims(claim) = walk.run(&mut budget) {
            let Claim::Branching { goals, holds, evidence } = &claim else { panic!("{claim:?}") };
            for goal in goals {
                let formula = problem.ctl(*goal).expect("it is asked about");
                assert_eq!(graph.holds(problem.formulas(), formula), *holds, "seed {seed}: {formula:?}");
            }
            let confirmed = confirm(&problem, &claim, &CheckOptions::default(), &Stop::default());
            assert!(confirmed.is_ok(), "seed {seed}: {confirmed:?}");
            count[usize::from(*holds)] += goals.len();
            by_siphons += usize::from(!evidence.siphons.is_empty());
        }
    }
    let is_enough = count.iter().all(|count| *count > 1_000) && by_siphons > 100;
    assert!(!testkit::are_full() || is_enough, "{count:?}, {by_siphons} by siphons");
}

//! Tests that slices of nets give the same answers as the nets.

use crate::closed::check_closed;
use crate::naive::{Marking, explore, is_empty_outside};
use impasse_nets::reduce::{Options, prepare};
use model::{Certificate, Claim, FormulaId, Goal, Lift as _, MarkedTask, Net, Problem, Property, Questions, Reason};
use proptest::prelude::*;
use std::sync::Arc;
use testkit::formula::any_formulas;
use testkit::net::{is_goal, nets, replay};

const DEPTH: usize = 5;

pub(crate) fn problem(net: Net, formulas: Vec<model::Formula>, deadlock: bool) -> Problem {
    let mut properties: Vec<Property> =
        (0..formulas.len()).map(|i| Property::never(format!("f{i}"), Goal::Formula(FormulaId::new(i)))).collect();
    if deadlock {
        properties.push(Property::never("deadlock", Goal::Deadlock));
    }
    let formulas = formulas.into_iter().map(Arc::new).collect();
    Problem::new(Arc::new(net), Questions { formulas, properties, ..Questions::default() }).expect("it fits")
}

fn check(net: &Net, problem: &Problem, slice: bool) {
    let prepared = prepare(&MarkedTask::of(problem).unwrap(), &Options { slice, bound: None });
    let whole = explore(net, 1, DEPTH, 400);
    let depth = whole.depth.last().copied().unwrap_or(0);
    for claim in &prepared.settled {
        let Claim::Safe { goals, certificate: Certificate::PotentiallyMarked(m) } = claim else { panic!("{claim:?}") };
        assert!(whole.markings.iter().all(|marking| is_empty_outside(marking, &m.places)));
        for &goal in goals {
            assert!(!prepared.task.goals.contains(&goal));
            assert_eq!(whole.first(net, problem.formula(goal).map(|f| &**f)), None, "settled, but reachable");
        }
    }
    let part = explore(&prepared.task.net, 1, depth, usize::MAX);
    for &goal in &prepared.task.goals {
        let asked = problem.formula(goal).map(|f| &**f);
        let expected = whole.first(net, asked);
        let found = part.first(&prepared.task.net, prepared.task.formula(goal).map(|f| &**f));
        // A shortest run of the slice is no longer than one of the net, and each run of the slice is a run of
        // the net.
        if let Some(i) = expected {
            let j = found.expect("reachable, but not in the slice");
            assert!(part.depth[j] <= whole.depth[i]);
        }
        if let Some(j) = found {
            let claim = Claim::Unsafe { goal, trace: part.trace(j), candidate: false };
            let Claim::Unsafe { trace, .. } = prepared.lift.claim(claim) else { panic!("a trace stays one") };
            let marking: Marking = replay(net, &trace).expect("the trace is a run of the net");
            assert!(is_goal(net, asked, &marking), "the trace ends in the goal");
        }
    }
    check_closed(net, problem, &prepared);
}

proptest! {
    #![proptest_config(testkit::config(4000))]

    #[test]
    fn slices_of_random_nets_agree(
        net in nets(1..7, 0..7, false),
        recipes in prop::collection::vec(any_formulas(), 1..3),
        deadlock in prop::bool::weighted(0.2),
    ) {
        let formulas = recipes.iter().map(|r| r.over(net.places().len())).collect();
        let problem = problem(net.clone(), formulas, deadlock);
        check(&net, &problem, true);
        check(&net, &problem, false);
    }
}

#[test]
fn evidence_that_nets_do_not_have_is_no_claim() {
    let net = Net::new(Vec::new(), Vec::new()).unwrap();
    let problem = problem(net, Vec::new(), true);
    let prepared = prepare(&MarkedTask::of(&problem).unwrap().asking(&[Goal::Deadlock]), &Options::default());
    let certificate = Certificate::Refutation(Box::default());
    let claim = prepared.lift.claim(Claim::Safe { goals: vec![Goal::Deadlock], certificate });
    assert!(matches!(claim, Claim::Unknown { reason: Reason::Uncertified, .. }), "{claim:?}");
}

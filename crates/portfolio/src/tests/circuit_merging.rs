//! IC3 on circuits with merged nodes: claims about the circuit as read are confirmed by the checker, and agree with
//! brute force.

use crate::circuit::ic3_after_merging;
use crate::prove;
use model::{Budget, Certificate, CircuitTask, Claim, Engine, Goal, Stop, Turn};
use std::sync::Arc;
use testkit::circuit::{circuit, problem, truth};
use testkit::count;

#[test]
fn claims_about_merged_circuits_are_confirmed() {
    let (mut safe, mut found, mut merged, mut nodes) = (0, 0, 0, 0);
    for seed in 0..count(6_000) {
        let problem = problem(circuit(seed));
        let circuit = problem.system().as_circuit().expect("it is one");
        let truth = truth(circuit, 256).expect("it has few states");
        let task = CircuitTask::of(&problem).expect("it is a circuit");
        let mut engine = ic3_after_merging(task).after(seed % 3);
        let mut open = problem.goals().count();
        let mut budget = Budget::unlimited(Arc::default());
        while let Turn::Claims(mut claim) = engine.run(&mut budget) {
            let (options, stop) = (certify::Options::default(), Stop::default());
            prove::complete(&problem, &mut claim, &options, &stop);
            let confirmed = certify::confirm(&problem, &claim, &options, &stop);
            assert!(confirmed.is_ok(), "seed {seed}: {claim:?}: {confirmed:?}");
            for goal in claim.goals() {
                let Goal::Output(output) = goal else { panic!("{goal} is no output") };
                let is_unsafe = matches!(claim, Claim::Unsafe { .. });
                assert_eq!(is_unsafe, truth.shortest.contains_key(output), "seed {seed}: {output:?}");
                open -= 1;
            }
            found += u64::from(matches!(claim, Claim::Unsafe { .. }));
            if let Claim::Safe { certificate: Certificate::Clauses(clauses), .. } = &claim {
                safe += 1;
                nodes += u64::from(clauses.invariant.bits.iter().any(|bit| matches!(bit, model::Bit::Node(_))));
            }
        }
        assert_eq!(open, 0, "seed {seed}: every output is decided");
        merged += u64::from(engine.stats().more.contains_key("merged"));
    }
    assert!(safe > 20 && found > 20 && merged > 50 && nodes > 5, "{safe}, {found}, {merged}, {nodes} say little");
}

//! Tests of potentially marked places: closed sets that exclude the goal are accepted, and no other sets are.

use super::super::brute::Rng;
use super::super::rejected;
use super::*;
use crate::EvidenceKind;

#[test]
fn places_that_nothing_feeds_exclude_their_goals() {
    let places = vec![place("a", 1, None), place("b", 0, Some(0)), place("c", 0, Some(0))];
    let transitions = vec![arcs("ab", &[0], &[1]), arcs("cc", &[2], &[2, 0])];
    let problem = net_problem(net(places, transitions), vec![cover(&[(1, 1), (2, 1)]), cover(&[(1, 7)])]);
    let confirmed = potentially_marked(&problem, &[true, true, false], &[first()]).unwrap();
    assert_eq!(
        (confirmed.evidence, confirmed.evidence.id(), confirmed.length),
        (EvidenceKind::PotentiallyMarked, "markable", 2)
    );
    let second = Goal::Formula(FormulaId(1));
    rejected(potentially_marked(&problem, &[true, true, false], &[second]), "do not exclude");
    rejected(potentially_marked(&problem, &[true, true, false], &[first(), second]), "do not exclude");
    rejected(potentially_marked(&problem, &[true, true, false], &[Goal::Deadlock]), "nothing about deadlocks");
    rejected(potentially_marked(&problem, &[true, true, false], &[first(), Goal::Deadlock]), "nothing about deadlocks");
    rejected(potentially_marked(&problem, &[true, false, false], &[first()]), "may put tokens on `b`");
    rejected(potentially_marked(&problem, &[false, true, false], &[first()]), "`a` may be marked at the start");
    rejected(potentially_marked(&problem, &[true, true, true], &[first()]), "do not exclude");
    rejected(potentially_marked(&problem, &[true, true], &[first()]), "the net has 3");
}

/// Effects that leave no token, because of the guards on their sources.
#[test]
fn upper_ends_of_guards_count() {
    for (most, constant, marks) in
        [(Some(1), -1, false), (Some(2), -1, true), (None, -1, true), (Some(0), 0, false), (Some(0), 1, true)]
    {
        let least = u64::from(constant < 0);
        let t = transition("t", &[(0, least, most)], &[(1, &[0], constant)]);
        let places = vec![place("a", 0, Some(9)), place("b", 0, Some(0))];
        let problem = net_problem(net(places, vec![t]), vec![cover(&[(1, 1)])]);
        assert_eq!(potentially_marked(&problem, &[true, false], &[first()]).is_err(), marks, "{most:?} {constant}");
    }
}

#[test]
fn random_sets_of_places_are_accepted_iff_closed_and_are_true() {
    let mut rng = Rng(5);
    let mut accepted = 0;
    for round in 0..6000 {
        let places = 1 + rng.below(5);
        let net = random_net(&mut rng, places);
        let formula = random_formula(&mut rng, places);
        let mut set = naive::potentially_marked(&net);
        if rng.one_in(3) {
            let q = rng.below(places);
            set[q] = !set[q];
        }
        let got = potentially_marked(&net_problem(net.clone(), vec![formula.clone()]), &set, &[first()]);
        if !naive::is_markable_closed(&net, &set) {
            assert!(got.is_err(), "round {round}");
        }
        if got.is_ok() {
            accepted += 1;
            let (reachable, _) = naive::reachable(&net, 60);
            for m in reachable {
                assert!(!naive::holds(&formula, &m), "round {round}: a wrong verdict\n{net:#?}\n{formula:?}");
                assert!((0..places).all(|q| set[q] || m[q] == 0), "round {round}: {m:?} {set:?}");
            }
        }
    }
    assert!(accepted > 300, "only {accepted} sets were good: the generator is too weak");
}

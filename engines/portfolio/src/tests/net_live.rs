//! Liveness of random nets by siphons and traps, against brute force, and damaged evidence.

use crate::{Options, check, engines};
use certify::{Options as CheckOptions, confirm};
use model::{
    BranchingEvidence, BranchingId, Claim, CtlBuilder, Formula, FormulaBuilder, FormulaId, Goal, Live, Net, PlaceId,
    Problem, Property, Questions, Range, Stop,
};
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::Graph;
use testkit::net::{arcs, place};

/// Nets with more markings are left out.
const MOST: usize = 400;

/// Returns a random net with arcs of weight 1: places in cycles that share transitions.
fn ordinary(random: &mut Random) -> Net {
    let places = random.between(1, 6);
    let marked = |random: &mut Random| Range::exactly(u8::from(random.below(2) == 0));
    let list = (0..places).map(|p| place(format!("p{p}"), marked(random))).collect();
    let transition = |random: &mut Random, number: usize| {
        let some = |random: &mut Random| {
            let mut list: Vec<(u32, u64)> =
                (0..random.between(1, 2)).map(|_| (random.below(places) as u32, 1)).collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        let (from, to) = (some(random), some(random));
        arcs(format!("t{number}"), &from, &to)
    };
    let count = random.between(1, 6);
    Net::new(list, (0..count).map(|number| transition(random, number)).collect()).expect("it is a net")
}

/// A net with the question whether all transitions are live.
fn problem(net: &Arc<Net>) -> Problem {
    let enabled = |t: &model::Transition| {
        let mut builder = FormulaBuilder::default();
        let parts = t.guards.iter().map(|guard| builder.at_least(vec![(guard.place, 1.into())], 1.into())).collect();
        let root = builder.all(parts);
        Arc::new(builder.finish(root))
    };
    let formulas: Vec<Arc<Formula>> = net.transitions().iter().map(enabled).collect();
    let mut builder = CtlBuilder::default();
    let always = |builder: &mut CtlBuilder, letter: usize| {
        let letter = builder.letter(FormulaId::new(letter));
        let again = builder.exists_finally(letter);
        builder.all_globally(again)
    };
    let parts = (0..formulas.len()).map(|letter| always(&mut builder, letter)).collect();
    let root = builder.join(true, parts);
    let goal = Goal::Branching(BranchingId::new(0));
    let branching = vec![Arc::new(builder.finish(root))];
    let properties = vec![Property::never("live".to_owned(), goal)];
    let asked = Questions { formulas, branching, properties, ..Questions::default() };
    Problem::new(Arc::clone(net), asked).expect("the questions fit")
}

#[test]
fn siphons_with_marked_traps_show_that_nets_are_live() {
    let (mut live, mut shown, mut refused) = (0, 0, 0);
    for seed in 0..testkit::count(10_000) {
        let random = &mut Random::new(seed ^ 0x6c69_7665);
        let net = Arc::new(ordinary(random));
        let problem = problem(&net);
        let Some(graph) = Graph::of(problem.system(), MOST) else { continue };
        let is_live = graph.holds(problem.formulas(), &problem.branching()[0]);
        live += usize::from(is_live);
        let outcome = check(&problem, &Options { engine: Some(&engines::SIPHONS), ..Options::default() });
        let answer = &outcome.answers[0];
        assert!(if is_live { !answer.is_unsafe() } else { !answer.is_safe() }, "seed {seed}: {answer:?}");
        let claim = answer.claim.as_deref().filter(|_| answer.is_safe());
        // Parts of the formula may decide it, too.
        let known = claim.and_then(|claim| match claim {
            Claim::Branching { goals, evidence, .. } => Some((goals, evidence.live.as_ref()?)),
            _ => None,
        });
        if let Some((goals, known)) = known {
            shown += 1;
            for damaged in damaged(known, &net, random) {
                let evidence = BranchingEvidence { live: Some(Arc::new(damaged)), ..BranchingEvidence::default() };
                let claim = Claim::Branching { goals: goals.clone(), holds: true, evidence };
                refused += usize::from(confirm(&problem, &claim, &CheckOptions::default(), &Stop::default()).is_err());
            }
        } else {
            let live = Some(Arc::new(Live::default()));
            let evidence = BranchingEvidence { live, ..BranchingEvidence::default() };
            let claim = Claim::Branching { goals: problem.goals().collect(), holds: true, evidence };
            let accepted = confirm(&problem, &claim, &CheckOptions::default(), &Stop::default()).is_ok();
            assert!(!accepted || is_live, "seed {seed}: no traps");
        }
    }
    assert!(
        !testkit::are_full() || shown > 100 && live > shown && refused > 100,
        "{shown} of {live}, {refused} refused"
    );
}

/// Evidence without a trap, with another trap, and without its refutation.
fn damaged(live: &Live, net: &Net, random: &mut Random) -> Vec<Live> {
    let mut list = vec![Live { refutation: model::Derivation::default(), ..live.clone() }];
    if !live.traps.is_empty() {
        let mut less = live.clone();
        less.traps.remove(random.below(live.traps.len()));
        let mut other = live.clone();
        let places = 0..net.places().len();
        other.traps[0] = places.filter(|_| random.below(2) == 0).map(PlaceId::new).collect();
        list.extend([less, other]);
    }
    list
}

//! Compares refutations of random formulas about random small nets with all reachable markings and a naive
//! checker.

use super::*;
use model::invariant::variable;
use model::{
    Effect, FormulaBuilder, Guard, Linear, Net, NetInvariant, Node, NodeId, Place, PlaceId, Range, Stop, Transition,
    Why,
};
use num_bigint::BigInt;
use proptest::prelude::*;
use std::collections::BTreeSet;
use testkit::net::{invariant_holds, least, successors};
use testkit::{Count, reach};

const PLACES: usize = 4;
const MOST: i64 = 5;

type Marking = Vec<i64>;

/// For each place: least count, greatest count (5: unlimited), change, and true if the place is emptied first.
type Arcs = Vec<(i64, i64, i64, bool)>;

fn net() -> impl Strategy<Value = Net> {
    let arc = prop_oneof![
        4 => Just((0i64, MOST, 0i64, false)),
        3 => Just((1, MOST, -1, false)),
        3 => Just((0, MOST, 1, false)),
        1 => (0i64..3, 2i64..=MOST, -2i64..3, prop::bool::weighted(0.3)),
    ];
    let transitions = prop::collection::vec(prop::collection::vec(arc, PLACES), 1..6);
    (prop::collection::vec(0i64..2, PLACES), transitions).prop_map(|(start, transitions)| build(&start, &transitions))
}

fn build(start: &[i64], transitions: &[Arcs]) -> Net {
    let count = |n: i64| num_bigint::BigUint::from(n.unsigned_abs());
    let place = |(i, n): (usize, &i64)| Place { name: format!("p{i}"), initial: Range::exactly(count(*n)) };
    let transition = |(i, arcs): (usize, &Arcs)| {
        let (mut guards, mut effects) = (Vec::new(), Vec::new());
        for (p, (least, most, add, emptied)) in arcs.iter().enumerate() {
            let (place, least) = (PlaceId::new(p), (*least).max(-add));
            let at_most = (*most < MOST).then(|| count((*most).max(least)));
            guards.push(Guard { place, range: Range { at_least: count(least), at_most } });
            let sources = if *emptied { Vec::new() } else { vec![place] };
            let add = if *emptied { add.abs() } else { *add };
            effects.push(Effect { place, sources: sources.into_iter().collect(), add: add.into() });
        }
        Transition { name: format!("t{i}"), guards, effects }
    };
    let places = start.iter().enumerate().map(place).collect();
    Net::new(places, transitions.iter().enumerate().map(transition).collect()).expect("a net")
}

/// A formula of inequalities. The flags choose conjunctions or disjunctions.
fn formula() -> impl Strategy<Value = Formula> {
    let atom = (prop::collection::vec(-1i64..=1, PLACES), -2i64..=3);
    prop::collection::vec((atom, prop::bool::ANY), 1..7).prop_map(|parts| {
        let mut b = FormulaBuilder::default();
        let mut node: Option<NodeId> = None;
        for ((weights, at_least), all) in parts {
            let terms = (0..).zip(weights).map(|(p, c)| (PlaceId(p), BigInt::from(c)));
            let next = b.at_least(terms, at_least.into());
            node = Some(match node {
                None => next,
                Some(node) if all => b.all(vec![node, next]),
                Some(node) => b.any(vec![node, next]),
            });
        }
        let root = node.expect("at least one");
        b.finish(root)
    })
}

fn holds(linear: &Linear, m: &Marking) -> bool {
    Count::reaches(m, &linear.terms, &linear.at_least)
}

/// All markings reachable through markings with at most eight tokens on each place.
fn reachable(net: &Net) -> BTreeSet<Marking> {
    let next = |m: &Marking| successors(net, m).filter(|to| to.iter().all(|n| *n <= 8)).collect();
    reach([least(net)], usize::MAX, next).expect("there is no limit").states.into_iter().collect()
}

/// Checks the cases by their definition.
fn check(
    formula: &Formula,
    invariants: &[NetInvariant],
    cases: &model::Cases,
    markings: &BTreeSet<Marking>,
) -> Result<(), TestCaseError> {
    let nodes = formula.nodes();
    let mut inequalities: Vec<Option<Linear>> =
        nodes.iter().map(|n| if let Node::AtLeast(l) = n { Some(l.clone()) } else { None }).collect();
    let ids: Vec<NodeId> = formula.ids().collect();
    let mut clauses: Vec<Vec<i32>> = vec![vec![variable(ids[ids.len() - 1])]];
    for (id, node) in ids.iter().zip(nodes) {
        let v = variable(*id);
        match node {
            Node::All(parts) => clauses.extend(parts.iter().map(|p| vec![-v, variable(*p)])),
            Node::Any(parts) => clauses.push(parts.iter().map(|p| variable(*p)).chain([-v]).collect()),
            Node::AtLeast(_) => {}
        }
    }
    for split in &cases.splits {
        let v = inequalities.len() as i32 + 1;
        clauses.push(vec![v, v + 1]);
        let terms = split.terms.iter().map(|(p, c)| (*p, -c)).collect();
        inequalities.push(Some(split.clone()));
        inequalities.push(Some(Linear { terms, at_least: 1 - &split.at_least }));
    }
    for lemma in &cases.lemmas {
        clauses.push(lemma.atoms.iter().map(|v| -v.cast_signed()).collect());
        let Why::Sum { multipliers, invariants: used } = &lemma.why else {
            let atom = |v: &u32| inequalities[*v as usize - 1].as_ref().is_some_and(|l| l.terms.len() == 1);
            prop_assert!(lemma.atoms.iter().all(atom));
            for m in markings {
                let held = |v: &u32| inequalities[*v as usize - 1].as_ref().is_some_and(|l| holds(l, m));
                prop_assert!(!lemma.atoms.iter().all(held), "{:?} are marked together", lemma.atoms);
            }
            continue;
        };
        prop_assert_eq!(multipliers.len(), lemma.atoms.len());
        let (mut weights, mut surplus) = (vec![BigInt::from(0); PLACES], BigInt::from(0));
        let mut add = |terms: &[(PlaceId, BigInt)], at_least: &BigInt, times: BigInt| {
            terms.iter().for_each(|(p, c)| weights[p.index()] += c * &times);
            surplus += at_least * times;
        };
        for (v, times) in lemma.atoms.iter().zip(multipliers) {
            let atom = inequalities[*v as usize - 1].clone().expect("an inequality");
            add(&atom.terms, &atom.at_least, times.clone().into());
        }
        for (fact, times) in used {
            let times = BigInt::from(times.clone());
            match &invariants[*fact as usize] {
                NetInvariant::AtMost(bound) => add(&bound.terms, &bound.at_most, -times),
                NetInvariant::SomeMarked(places) => {
                    let terms: Vec<_> = places.iter().map(|p| (*p, BigInt::from(1))).collect();
                    add(&terms, &BigInt::from(1), times);
                }
                _ => prop_assert!(false, "no fact for sums"),
            }
        }
        prop_assert!(weights.iter().all(|w| *w <= BigInt::from(0)) && surplus > BigInt::from(0));
    }
    for step in &cases.steps {
        let mut units: Vec<Vec<i32>> = step.iter().map(|l| vec![-l]).collect();
        units.extend(clauses.iter().cloned());
        prop_assert!(conflicts(&units), "a step does not follow");
        clauses.push(step.clone());
    }
    prop_assert!(conflicts(&clauses), "no conflict at the end");
    Ok(())
}

fn conflicts(clauses: &[Vec<i32>]) -> bool {
    let mut truths: BTreeSet<i32> = BTreeSet::new();
    loop {
        let before = truths.len();
        for clause in clauses {
            let open: Vec<i32> = clause.iter().copied().filter(|l| !truths.contains(&-l)).collect();
            match open.as_slice() {
                [] => return true,
                [one] => {
                    truths.insert(*one);
                }
                _ => {}
            }
        }
        if truths.len() == before {
            return false;
        }
    }
}

fn claims(task: &NetTask, budget: u64) -> Vec<(Goal, InvariantCertificate)> {
    let invariants = Arc::new(Invariants::new(task).expect("small numbers"));
    let mut engine = Equation::new(task.clone(), invariants);
    let mut found = Vec::new();
    loop {
        let mut budget = Budget::new(budget, Arc::new(Stop::default()));
        match engine.run(&mut budget) {
            Turn::Claims(Claim::Safe { goals, certificate: Certificate::Invariant(invariant) }) => {
                found.push((goals[0], *invariant));
            }
            Turn::Claims(_) => panic!("it claims nothing else"),
            Turn::More => {}
            Turn::Done => return found,
        }
    }
}

proptest! {
    #![proptest_config(testkit::config(400))]

    #[test]
    fn what_is_excluded_is_never_reached_and_the_evidence_adds_up(
        net in net(),
        formulas in prop::collection::vec(formula(), 1..4),
        budget in prop_oneof![Just(40u64), Just(1_000_000)],
    ) {
        let net = Arc::new(net);
        let formulas: Vec<Arc<Formula>> = formulas.into_iter().map(Arc::new).collect();
        let mut goals: Vec<Goal> = (0..formulas.len()).map(|i| Goal::Formula(model::FormulaId::new(i))).collect();
        goals.push(Goal::Deadlock);
        let task = NetTask::plain(Arc::clone(&net), formulas, goals);
        let markings = reachable(&net);
        for (goal, invariant) in claims(&task, budget) {
            let deadlock = model::deadlock::deadlock_of(net.transitions());
            let formula = task.formula(goal).map_or(&deadlock, |f| f);
            for m in &markings {
                prop_assert!(!testkit::formula::holds(formula, m), "{m:?} satisfies {formula:?}");
                prop_assert!(invariant.invariants.iter().all(|f| invariant_holds(f, m)), "{m:?}: \
                    {:?}", invariant.invariants);
            }
            let [(_, Exclusion::Cases(cases))] = invariant.exclusions.as_slice() else { panic!("one exclusion") };
            check(formula, &invariant.invariants, cases, &markings)?;
        }
    }
}

/// Two processes that take two locks one after the other, in the same order or in opposite orders.
fn locks(same_order: bool) -> NetTask {
    // idle0 has0 idle1 has1 lock0 lock1
    let one = |places: &[u32]| places.iter().map(|p| (PlaceId(*p), 1u8.into())).collect::<Vec<_>>();
    let (first, second) = if same_order { (4, 5) } else { (5, 4) };
    let steps: [(&[u32], &[u32]); 4] =
        [(&[0, 4], &[1]), (&[1, 5], &[0, 4, 5]), (&[2, first], &[3]), (&[3, second], &[2, 4, 5])];
    let transitions = steps.iter().enumerate();
    let transitions = transitions.map(|(i, (pre, post))| Transition::from_arcs(format!("t{i}"), &one(pre), &one(post)));
    let place = |i: u32| Place { name: format!("p{i}"), initial: Range::exactly(u8::from(i != 1 && i != 3)) };
    let net = Net::new((0..6).map(place).collect(), transitions.collect()).expect("a net");
    NetTask::plain(Arc::new(net), vec![], vec![Goal::Deadlock])
}

#[test]
fn locks_in_one_order_never_deadlock() {
    assert_eq!(claims(&locks(true), 1_000_000).len(), 1);
    assert_eq!(claims(&locks(false), 1_000_000).len(), 0);
}

//! Formulas and largest values about random thread-transition systems in which any number of threads may start, against
//! brute force for several numbers.

use super::net_branching::{Listed, MOST_OF_THREADS, sum};
use super::net_temporal;
use crate::{Options, Outcome, check};
use certify::confirm;
use model::{
    BoundId, BranchingEvidence, BranchingId, Claim, Ctl, CtlNode, Formula, Goal, Ltl, Markings, PlaceId, Problem,
    Property, Questions, Reason, Slot, Stop, Sum, TemporalId, ThreadInit, ThreadTransitionSystem,
};
use nets::MOST_STARTING;
use num_bigint::BigUint;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::Random;
use testkit::marked::branching::{Graph, formula};
use testkit::marked::liveness::is_violated;

/// Numbers of threads beyond the fewest that brute force tries.
const TRIED: u32 = 4;
/// Turns of engines. Some systems have no end.
const TURNS: u32 = 60;

const BRANCHING: Goal = Goal::Branching(BranchingId(0));
const RUNS: Goal = Goal::Temporal(TemporalId(0));
const MOST: Goal = Goal::Bound(BoundId(0));

/// Returns the system in which this number of threads starts where any number may.
fn instance(system: &ThreadTransitionSystem, more: u32) -> ThreadTransitionSystem {
    let ThreadInit { shared, mut threads, any } = system.initial().clone();
    if more > 0 {
        any.iter().for_each(|l| *threads.entry(*l).or_default() += more);
    }
    let initial = ThreadInit { shared, threads, any: Vec::new() };
    let parts = (system.shared(), system.locals(), system.transitions().to_vec());
    ThreadTransitionSystem::new(parts.0, parts.1, initial, parts.2).expect("only the start is changed")
}

fn answers(problem: &Problem) -> Outcome {
    let (stop, turns) = (Arc::new(Stop::default()), AtomicU32::new(0));
    let count = |_: &'static str| {
        if turns.fetch_add(1, Ordering::Relaxed) >= TURNS {
            stop.raise(Reason::Timeout);
        }
    };
    check(problem, &Options { stop: Arc::clone(&stop), on_turn: &count, ..Options::default() })
}

/// The questions about a system.
struct Asked {
    formulas: Vec<Arc<Formula>>,
    ctl: Arc<Ctl>,
    ltl: Arc<Ltl>,
    sum: Sum,
}

impl Asked {
    fn random(random: &mut Random, places: usize) -> Self {
        let formulas: Vec<Arc<Formula>> =
            (0..random.between(1, 3)).map(|_| Arc::new(testkit::formula::random(random, places))).collect();
        let (ctl, ltl) = (1 + random.below(5), 1 + random.below(5));
        let ctl = Arc::new(formula(random, formulas.len(), ctl));
        let ltl = Arc::new(net_temporal::formula(random, formulas.len(), ltl));
        Self { formulas, ctl, ltl, sum: sum(random, places) }
    }

    /// True for the formulas that the initial marking, or a run from it, violates.
    fn fails(&self, graph: &Graph) -> [bool; 2] {
        let ltl = is_violated(graph, &self.formulas, &self.ltl).unwrap_or(false);
        [!graph.holds(&self.formulas, &self.ctl), ltl]
    }

    fn problem(&self, system: &Arc<ThreadTransitionSystem>) -> Problem {
        let goals = [("ctl", BRANCHING), ("ltl", RUNS), ("most", MOST)];
        let asked = Questions {
            properties: goals.map(|(id, goal)| Property::never(id, goal)).to_vec(),
            formulas: self.formulas.clone(),
            temporal: vec![Arc::clone(&self.ltl)],
            branching: vec![Arc::clone(&self.ctl)],
            sums: vec![Arc::clone(&self.sum)],
            ..Questions::default()
        };
        Problem::new(Arc::clone(system), asked).expect("it fits")
    }
}

#[test]
fn answers_for_any_number_of_threads_agree_with_those_for_some() {
    let mut count = [[0; 2]; 3];
    for seed in 0..testkit::count(4_000) {
        let random = &mut Random::new(seed ^ 0x616e_7920);
        let system = Arc::new(testkit::threads::system(random));
        let asked = Asked::random(random, system.places());
        let graphs: Option<Vec<Graph>> =
            (0..=TRIED).map(|more| Graph::of(&Arc::new(instance(&system, more)).into(), MOST_OF_THREADS)).collect();
        let Some(graphs) = graphs.filter(|_| !system.initial().any.is_empty()) else { continue };
        let outcome = answers(&asked.problem(&system));
        // More threads than brute force tries at first may be necessary. Very large systems are left out.
        for (number, goal) in [BRANCHING, RUNS].into_iter().enumerate() {
            let fails = |graph: &Graph| asked.fails(graph)[number];
            let is_wrong = graphs.iter().any(fails);
            let more = |more| Graph::of(&Arc::new(instance(&system, more)).into(), MOST_OF_THREADS);
            let answer = outcome.about(goal).expect("it was asked");
            let (safe, wrong) = (answer.is_safe(), answer.is_unsafe());
            assert!(!is_wrong || wrong, "seed {seed}: {goal} {:?} {:?}", answer.finding, answer.claim);
            let is_later = || (TRIED + 1..=MOST_STARTING).any(|number| more(number).as_ref().is_none_or(fails));
            assert!(is_wrong || !wrong || is_later(), "seed {seed}: {goal} {:?}", answer.claim);
            assert!(!safe || !is_wrong, "seed {seed}: {goal} {:?}", answer.claim);
            count[number][usize::from(is_wrong)] += usize::from(safe || wrong);
        }
        let (answer, open) = (outcome.about(MOST).expect("it was asked"), system.initial().any.iter());
        let is_open = open.map(|l| system.local_place(*l)).any(|p| asked.sum.iter().any(|(place, _)| *place == p));
        let least: BigUint = graphs.iter().map(|graph| graph.most(&asked.sum)).max().expect("there is one");
        assert!(answer.value().is_none_or(|value| !is_open && *value >= least), "seed {seed}: {:?}", answer.finding);
        count[2][usize::from(is_open)] += 1;
    }
    assert!(!testkit::are_full() || count.iter().flatten().all(|n| *n > 20), "{count:?}");
}

/// The markings of one number show what does not hold for this number, and never that a formula holds for each number.
#[test]
fn the_markings_of_one_number_show_only_what_they_violate() {
    let mut count = [0; 2];
    for seed in 0..testkit::count(4_000) {
        let random = &mut Random::new(seed ^ 0x6f6e_6520);
        let system = Arc::new(testkit::threads::system(random));
        let asked = Asked::random(random, system.places());
        let more = random.below(3) as u32;
        let Some(graph) = Graph::of(&Arc::new(instance(&system, more)).into(), MOST_OF_THREADS) else { continue };
        let is_constant = matches!(asked.ctl.node(asked.ctl.root()), CtlNode::Constant(_));
        if system.initial().any.is_empty() || is_constant {
            continue;
        }
        let problem = asked.problem(&system);
        let places = system.places();
        let accepts = |holds: bool, without: usize| {
            let all = graph.markings.iter().enumerate().filter(|(number, _)| *number != without);
            let listed = all.map(|(_, m)| m.iter().map(|n| u32::try_from(n).expect("few threads")).collect()).collect();
            let markings = Markings {
                slots: (0..places).map(|p| Slot::Tokens(PlaceId::new(p))).collect(),
                potentially_marked: vec![true; places],
                states: Box::new(Listed(listed)),
            };
            let evidence = BranchingEvidence { markings: Some(Arc::new(markings)), ..BranchingEvidence::default() };
            let claim = Claim::Branching { goals: vec![BRANCHING], holds, evidence };
            confirm(&problem, &claim, &certify::Options::default(), &Stop::default()).is_ok()
        };
        let [fails, _] = asked.fails(&graph);
        assert!(!accepts(true, usize::MAX), "seed {seed}");
        assert_eq!(accepts(false, usize::MAX), fails, "seed {seed}");
        // Without the initial marking, another one may be initial for another number.
        let is_other = graph.markings[1..].iter().any(|m| testkit::threads::may_start(&system, m));
        assert!(is_other || !accepts(false, 0), "seed {seed}");
        count[usize::from(fails)] += 1;
    }
    assert!(!testkit::are_full() || count.iter().all(|n| *n > 50), "{count:?}");
}

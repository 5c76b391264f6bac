//! Liveness and soundness of random nets by siphons and traps, against brute force, and damaged evidence.

use crate::{Options, check, engines};
use certify::{Options as CheckOptions, confirm};
use model::{
    BranchingEvidence, BranchingId, Claim, Ctl, CtlBuilder, Formula, FormulaBuilder, FormulaId, Goal, Live, Net,
    PlaceId, Problem, Property, Questions, Range, Reduction, Restart, Stop, TransitionId,
};
use std::sync::Arc;
use testkit::Random;
use testkit::marked::branching::Graph;
use testkit::net::workflow::workflow;
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
    asking(net, formulas, builder.finish(root))
}

/// A net with the question whether it is sound: whether a marking with one token on `end` and no others can always be
/// reached, no other reachable marking has tokens there, and each transition is enabled in some reachable marking.
fn soundness(net: &Arc<Net>, end: PlaceId) -> Problem {
    let mut formulas: Vec<Arc<Formula>> = problem(net).formulas().to_vec();
    let places = || (0..net.places().len()).map(PlaceId::new);
    let more = |builder: &mut FormulaBuilder| {
        let many = |p| builder.place_at_least(p, &(1 + u8::from(p == end)).into());
        let parts = places().map(many).collect();
        builder.any(parts)
    };
    for is_last in [true, false] {
        let mut builder = FormulaBuilder::default();
        let (ended, more) = (builder.place_at_least(end, &1u8.into()), more(&mut builder));
        let more = if is_last { builder.negate(more) } else { more };
        let root = builder.all(vec![ended, more]);
        formulas.push(Arc::new(builder.finish(root)));
    }
    let mut builder = CtlBuilder::default();
    let happens = |builder: &mut CtlBuilder, letter: usize| {
        let letter = builder.letter(FormulaId::new(letter));
        builder.exists_finally(letter)
    };
    let count = net.transitions().len();
    let mut parts: Vec<_> = (0..count).map(|letter| happens(&mut builder, letter)).collect();
    let option = happens(&mut builder, count);
    let improper = happens(&mut builder, count + 1);
    parts.push(builder.all_globally(option));
    parts.push(builder.not(improper));
    let root = builder.join(true, parts);
    asking(net, formulas, builder.finish(root))
}

/// A net with a question.
fn asking(net: &Arc<Net>, formulas: Vec<Arc<Formula>>, formula: Ctl) -> Problem {
    let goal = Goal::Branching(BranchingId::new(0));
    let properties = vec![Property::never("asked".to_owned(), goal)];
    let branching = vec![Arc::new(formula)];
    let asked = Questions { formulas, branching, properties, ..Questions::default() };
    Problem::new(Arc::clone(net), asked).expect("the questions fit")
}

/// What a test has seen.
#[derive(Default, Debug)]
struct Seen {
    holds: usize,
    shown: usize,
    refused: usize,
}

impl Seen {
    /// Compares the engine with brute force, and lets the checker look at damaged evidence.
    fn compare(&mut self, problem: &Problem, random: &mut Random, seed: u64) {
        let Some(graph) = Graph::of(problem.system(), MOST) else { return };
        let holds = graph.holds(problem.formulas(), &problem.branching()[0]);
        self.holds += usize::from(holds);
        let outcome = check(problem, &Options { engine: Some(&engines::SIPHONS), ..Options::default() });
        let answer = &outcome.answers[0];
        assert!(if holds { !answer.is_unsafe() } else { !answer.is_safe() }, "seed {seed}: {answer:?}");
        let claim = answer.claim.as_deref().filter(|_| answer.is_safe());
        // Parts of the formula may decide it, too.
        let known = claim.and_then(|claim| match claim {
            Claim::Branching { evidence, .. } => evidence.live.as_ref(),
            _ => None,
        });
        self.shown += usize::from(known.is_some());
        let none = Live::default();
        let net = problem.system().as_net().expect("it is a net");
        for damaged in damaged(known.map_or(&none, |known| &**known), net, random) {
            let evidence = BranchingEvidence { live: Some(Arc::new(damaged)), ..BranchingEvidence::default() };
            let claim = Claim::Branching { goals: problem.goals().collect(), holds: true, evidence };
            let accepted = confirm(problem, &claim, &CheckOptions::default(), &Stop::default()).is_ok();
            assert!(!accepted || holds, "seed {seed}: {claim:?}");
            self.refused += usize::from(!accepted);
        }
    }

    fn is_enough(&self) -> bool {
        !testkit::are_full() || self.shown > 100 && self.holds > self.shown && self.refused > 100
    }
}

#[test]
fn siphons_with_marked_traps_show_that_nets_are_live() {
    let mut seen = Seen::default();
    for seed in 0..testkit::count(10_000) {
        let random = &mut Random::new(seed ^ 0x6c69_7665);
        let net = Arc::new(ordinary(random));
        seen.compare(&problem(&net), random, seed);
    }
    assert!(seen.is_enough(), "{seen:?}");
}

#[test]
fn nets_that_begin_again_and_are_live_are_sound() {
    let mut seen = Seen::default();
    for seed in 0..testkit::count(4_000) {
        let random = &mut Random::new(seed ^ 0x656e_6400);
        let size = random.between(1, 10);
        let net = match seed % 4 {
            0 => ordinary(random),
            kind => workflow(random, size, kind == 1),
        };
        let net = Arc::new(net);
        let is_end = |p: &usize| net.transitions().iter().all(|t| t.guard(PlaceId::new(*p)).is_none());
        let ends: Vec<usize> = (0..net.places().len()).filter(is_end).collect();
        let [end] = ends[..] else { continue };
        seen.compare(&soundness(&net, PlaceId::new(end)), random, seed);
    }
    assert!(seen.is_enough(), "{seen:?}");
}

/// Evidence without a trap, with another trap, without its refutation, and with another end or other weights.
fn damaged(live: &Live, net: &Net, random: &mut Random) -> Vec<Live> {
    let mut list = vec![Live { refutation: model::Derivation::default(), ..live.clone() }];
    let places = net.places().len();
    let mut other = live.clone();
    let known = live.restart.clone();
    let ones = || (0..places).map(|place| (PlaceId::new(place), 1u8.into())).collect();
    let known = known.unwrap_or_else(|| Restart { end: PlaceId(0), steps: Vec::new(), weights: ones() });
    other.restart = Some(Restart { end: PlaceId::new(random.below(places)), ..known });
    list.push(other.clone());
    if let (Some(new), Some(old)) = (&mut other.restart, &live.restart) {
        new.end = old.end;
        let number = random.below(new.weights.len().max(1));
        new.weights.iter_mut().skip(number).take(1).for_each(|(_, weight)| *weight = random.below(3).into());
        list.push(other.clone());
    }
    if let (Some(new), Some(old)) = (&mut other.restart, &live.restart) {
        new.clone_from(old);
        new.steps.truncate(random.below(old.steps.len() + 1));
        let (t, u) = (random.below(net.transitions().len()), random.below(net.transitions().len()));
        let (p, q) = (random.below(places), random.below(places));
        new.steps.push(match random.below(3) {
            0 => Reduction::Follow(TransitionId::new(t)),
            1 => Reduction::Place { removed: PlaceId::new(p), kept: PlaceId::new(q) },
            _ => Reduction::Transition { removed: TransitionId::new(t), kept: TransitionId::new(u) },
        });
        list.push(other);
    }
    list.push(Live { restart: None, ..live.clone() });
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

//! Formulas `AG EF a` about random nets by backward search, against brute force, and damaged evidence.

use crate::{Options, check, engines};
use certify::{Options as CheckOptions, confirm};
use model::{
    BranchingEvidence, BranchingId, Certificate, Claim, CtlBuilder, Formula, FormulaBuilder, FormulaId, Goal,
    InvariantCertificate, Lost, Net, PlaceId, Problem, Property, Questions, Range, Reason, Recurring, Stop,
    TransitionId, Way,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use testkit::Random;
use testkit::marked::branching::Graph;
use testkit::net::{arcs, place};

/// Nets with more markings are compared with nothing.
const MOST: usize = 300;
/// Turns of the engine.
const TURNS: u32 = 5;

/// Returns a random net with weights. Half of them conserve tokens, so they are bounded.
fn weighted(random: &mut Random) -> Net {
    let places = random.between(1, 4);
    let list = (0..places).map(|p| place(format!("p{p}"), Range::exactly(random.below(3) as u32))).collect();
    let conserves = random.chance(50);
    let transition = |random: &mut Random, number: usize| {
        let some = |random: &mut Random, count: usize| {
            let tokens: Vec<(u32, u64)> = (0..count).map(|_| (random.below(places) as u32, 1)).collect();
            tokens
        };
        let from = random.below(3);
        let to = if conserves { from } else { random.below(3) };
        arcs(format!("t{number}"), &some(random, from), &some(random, to))
    };
    let count = random.between(1, 4);
    Net::new(list, (0..count).map(|number| transition(random, number)).collect()).expect("it is a net")
}

/// The questions `AG EF a` for a random letter of each kind: at least, both of two, and at most.
fn problem(net: &Arc<Net>, random: &mut Random) -> Problem {
    let places = net.places().len();
    let mut formulas = Vec::new();
    for kind in 0..3 {
        let mut builder = FormulaBuilder::default();
        let mut some = |random: &mut Random| {
            let (place, count) = (PlaceId::new(random.below(places)), random.between(1, 2).into());
            if kind < 2 { builder.place_at_least(place, &count) } else { builder.place_at_most(place, &(count - 1u8)) }
        };
        let parts = (0..1 + kind % 2).map(|_| some(random)).collect();
        let root = builder.all(parts);
        formulas.push(Arc::new(builder.finish(root)));
    }
    let always = |letter: usize| {
        let mut builder = CtlBuilder::default();
        let letter = builder.letter(FormulaId::new(letter));
        let again = builder.exists_finally(letter);
        let root = builder.all_globally(again);
        Arc::new(builder.finish(root))
    };
    let branching = (0..formulas.len()).map(always).collect();
    let goals = (0..formulas.len()).map(|number| Goal::Branching(BranchingId::new(number)));
    let properties = goals.map(|goal| Property::never(goal.to_string(), goal)).collect();
    let asked = Questions { formulas, branching, properties, ..Questions::default() };
    Problem::new(Arc::clone(net), asked).expect("the questions fit")
}

/// What the test has seen: formulas shown to hold, those shown not to hold, and damaged evidence that was refused.
#[derive(Default, Debug)]
struct Seen {
    holds: usize,
    fails: usize,
    beyond: usize,
    refused: usize,
}

#[test]
fn formulas_are_decided_by_backward_search() {
    let mut seen = Seen::default();
    for seed in 0..testkit::count(3_000) {
        let random = &mut Random::new(seed ^ 0x7265_6375);
        let net = Arc::new(weighted(random));
        let problem = problem(&net, random);
        let graph = Graph::of(problem.system(), MOST);
        // Engines for proofs need not end. Each turn is as long as all before it.
        let (stop, turns) = (Arc::new(Stop::default()), AtomicU32::new(0));
        let on_turn = |_: &str| {
            if turns.fetch_add(1, Ordering::Relaxed) >= TURNS {
                stop.raise(Reason::Timeout);
            }
        };
        let engine = Some(&engines::RECURRENCE);
        let outcome =
            check(&problem, &Options { engine, on_turn: &on_turn, stop: Arc::clone(&stop), ..Options::default() });
        for (answer, formula) in outcome.answers.iter().zip(problem.branching()) {
            let Some(claim) = answer.claim.as_deref().filter(|_| answer.is_safe() || answer.is_unsafe()) else {
                continue;
            };
            if let Some(graph) = &graph {
                let holds = graph.holds(problem.formulas(), formula);
                assert_eq!(answer.is_safe(), holds, "seed {seed}: {net:?} {formula:?}");
                seen.refused += damaged_is_refused(&problem, (answer.property.goal, holds), claim, random);
                seen.refused += others_are_refused(&problem, graph, claim);
            } else {
                seen.beyond += 1;
            }
            *(if answer.is_safe() { &mut seen.holds } else { &mut seen.fails }) += 1;
        }
    }
    let least = [seen.holds, seen.fails, seen.beyond, seen.refused].into_iter().min();
    assert!(!testkit::are_full() || least > Some(100), "{seen:?}");
}

/// Claims the opposite with the same evidence, and damages the evidence. Returns how often it was refused.
fn damaged_is_refused(problem: &Problem, (goal, holds): (Goal, bool), claim: &Claim, random: &mut Random) -> usize {
    let Claim::Branching { evidence, .. } = claim else { return 0 };
    let accepts = |holds: bool, evidence: BranchingEvidence| {
        let claim = Claim::Branching { goals: vec![goal], holds, evidence };
        confirm(problem, &claim, &CheckOptions::default(), &Stop::default()).is_ok()
    };
    let mut wrong = vec![accepts(!holds, evidence.clone())];
    for lost in &evidence.lost {
        let mut other = Lost::clone(lost);
        other.run = model::Trace::new(Box::from([]));
        let lost = vec![Arc::new(other)];
        wrong.push(accepts(!holds, BranchingEvidence { lost, ..evidence.clone() }));
    }
    let letter = FormulaId::new(random.below(problem.formulas().len()));
    let ways = vec![(letter, vec![any_way(problem.formulas(), random), any_way(problem.formulas(), random)])];
    let recurring = Some(Arc::new(Recurring { ways, ..Recurring::default() }));
    wrong.push(accepts(!holds, BranchingEvidence { recurring, ..evidence.clone() }));
    if let Some(known) = evidence.recurring.as_ref().filter(|known| !known.parts.claims.is_empty()) {
        let recurring = Some(Arc::new(Recurring { ways: known.ways.clone(), ..Recurring::default() }));
        wrong.push(accepts(holds, BranchingEvidence { recurring, ..evidence.clone() }));
    }
    assert!(!wrong.contains(&true), "{evidence:?}");
    wrong.len()
}

/// Claims the same about the other letters, with the same evidence. Returns how often it was refused.
fn others_are_refused(problem: &Problem, graph: &Graph, claim: &Claim) -> usize {
    let Claim::Branching { evidence, holds, .. } = claim else { return 0 };
    let mut refused = 0;
    for (number, formula) in problem.branching().iter().enumerate() {
        let (letter, mut other) = (FormulaId::new(number), evidence.clone());
        other.recurring = evidence.recurring.as_ref().map(|known| {
            let ways = known.ways.iter().map(|(_, ways)| (letter, ways.clone())).collect();
            Arc::new(Recurring { ways, parts: known.parts.clone() })
        });
        for lost in &mut other.lost {
            let never = match &*lost.never {
                Claim::Safe { certificate: Certificate::Invariant(of), .. } => {
                    let goals = vec![Goal::Formula(letter)];
                    let exclusions = of.exclusions.iter().map(|(_, why)| (goals[0], why.clone())).collect();
                    let of = InvariantCertificate { invariants: of.invariants.clone(), exclusions };
                    Claim::Safe { goals, certificate: Certificate::Invariant(Box::new(of)) }
                }
                _ => Claim::Unknown { goals: Vec::new(), reason: Reason::GaveUp },
            };
            *lost = Arc::new(Lost { letter, run: lost.run.clone(), never: Arc::new(never) });
        }
        let goals = vec![Goal::Branching(BranchingId::new(number))];
        let claim = Claim::Branching { goals, holds: *holds, evidence: other };
        let accepted = confirm(problem, &claim, &CheckOptions::default(), &Stop::default()).is_ok();
        assert!(!accepted || graph.holds(problem.formulas(), formula) == *holds, "{claim:?}");
        refused += usize::from(!accepted);
    }
    refused
}

/// The empty marking, from which a letter is said to be reached.
fn any_way(formulas: &[Arc<Formula>], random: &mut Random) -> Way {
    let next = (random.below(2) == 0).then(|| (TransitionId::new(random.below(formulas.len())), 0));
    Way { marking: Vec::new(), next }
}

//! Certificates: right ones by hand and by a small prover, and damaged ones.

use super::prover::certificate;
use super::{Known, Oracle, at_least, at_most, counter, levels, plus, random, remainders, var};
use crate::data::{Invariant, Obligation, Status, check};
use crate::tests::Rng;
use crate::{Check, Refusal, Work};
use model::data::{Constraint, Control, DataCertificate, DataProgram, Linear, Proof, ProofStep, Symbol};
use model::{EventId, Goal, LocationId, OutputId, Stop, ThreadId};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

const BOTH: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

fn checked(program: &DataProgram, goals: &[Goal], certificate: &DataCertificate) -> Check<u64> {
    let stop = Stop::default();
    check(program, goals, certificate, &mut Work::new(1 << 32, &stop))
}

fn proved(program: &DataProgram, goals: &[Goal], controls: &[Control]) -> Option<DataCertificate> {
    let stop = Stop::default();
    certificate(program, goals, controls, &mut Work::new(1 << 32, &stop))
}

#[track_caller]
fn rejected(result: Check<u64>, reason: &str) {
    match result {
        Err(Refusal::Rejected(why)) => assert!(why.contains(reason), "rejected for another reason: {why}"),
        other => panic!("expected a rejection ({reason}), got {other:?}"),
    }
}

pub(super) fn control(locations: &[u32], clauses: &[&[Constraint]]) -> Control {
    let locations = locations.iter().map(|at| LocationId(*at)).collect();
    Control { locations, clauses: clauses.iter().map(|clause| clause.to_vec()).collect() }
}

fn sum(multipliers: &[(u32, i64)]) -> ProofStep {
    ProofStep::Contradiction(multipliers.iter().map(|(fact, by)| (*fact, BigInt::from(*by))).collect())
}

fn decide(thread: u32) -> ProofStep {
    ProofStep::Decide(ThreadId(thread))
}

fn proof(steps: &[ProofStep]) -> Proof {
    Proof { steps: steps.to_vec() }
}

/// The levels never become bad, and never stop: v0 >= 0.
fn levels_by_hand() -> DataCertificate {
    let initial = proof(&[ProofStep::Step, sum(&[(0, 1)])]);
    let above = [decide(1), sum(&[(0, 1), (1, 1), (2, 1)]), ProofStep::Step, sum(&[(2, 1), (3, 1)])];
    let below = [decide(1), ProofStep::Done, ProofStep::Done];
    let step = proof(&[[decide(0)].as_slice(), &above, &below].concat());
    let instance = ProofStep::Instance { event: EventId(0), arguments: vec![plus(&var(0), 1)] };
    let possible = proof(&[instance, decide(1), ProofStep::Done, ProofStep::Done]);
    let controls = vec![control(&[0, 0], &[&[at_least(&var(0), 0)]])];
    DataCertificate { controls, proofs: vec![initial, step, possible] }
}

/// The values after 0 to 3 ticks, by clauses of several constraints.
fn counter_controls() -> Vec<Control> {
    let equal = [Constraint::at_most(&var(0), &var(1)), Constraint::at_most(&var(1), &var(0))];
    let far = [at_most(&var(0), 2), at_least(&var(1), 3)];
    vec![control(&[0, 0], &[&equal[..1], &far, &equal[1..], &[at_most(&var(1), 3)]])]
}

fn remainder_controls() -> Vec<Control> {
    let range: [&[Constraint]; 2] = [&[at_least(&var(0), 0)], &[at_most(&var(0), 2)]];
    vec![control(&[0], &[]), control(&[1], &range), control(&[3], &[])]
}

#[test]
fn proofs_by_hand_and_by_the_prover_are_accepted() {
    assert_eq!(checked(&levels(0), &BOTH, &levels_by_hand()), Ok(1));
    let found = proved(&levels(0), &BOTH, &levels_by_hand().controls).expect("there is a proof");
    assert_eq!(checked(&levels(0), &BOTH, &found), Ok(1));
    let found = proved(&remainders(), &BOTH, &remainder_controls()).expect("there is a proof");
    assert_eq!(checked(&remainders(), &BOTH, &found), Ok(3));
    let found = proved(&counter(3), &[Goal::Bad], &counter_controls()).expect("there is a proof");
    assert_eq!(checked(&counter(3), &[Goal::Bad], &found), Ok(1));
    assert!(proved(&counter(3), &BOTH, &counter_controls()).is_none(), "the counter stops at 3");
    assert!(proved(&counter(4), &[Goal::Bad], &counter_controls()).is_none(), "the counter is bad at 4");
    assert!(proved(&levels(-2), &[Goal::Bad], &levels_by_hand().controls).is_none(), "the level -1 is bad");
}

#[test]
fn proofs_of_other_programs_and_goals_are_refused() {
    let by_hand = levels_by_hand();
    rejected(checked(&levels(-1), &BOTH, &by_hand), "not a positive number");
    rejected(checked(&levels(0), &[Goal::Output(OutputId(0))], &by_hand), "has no goal");
    rejected(checked(&levels(0), &[Goal::Bad], &by_hand), "1 proofs have no obligation");
    let bound = proved(&counter(3), &[Goal::Bad], &counter_controls()).unwrap();
    rejected(checked(&counter(3), &BOTH, &bound), "control 0 has no deadlock has no proof");
    rejected(checked(&counter(4), &[Goal::Bad], &bound), "not a positive number");
}

#[test]
fn controls_are_checked() {
    let with = |controls: Vec<Control>| checked(&levels(0), &BOTH, &DataCertificate { controls, ..levels_by_hand() });
    let good = levels_by_hand().controls[0].clone();
    rejected(with(vec![good.clone(), good.clone()]), "control 1 is listed twice");
    rejected(with(vec![good.clone(), control(&[0, 1], &[])]), "it has a bad location");
    rejected(with(vec![control(&[0, 2], &[])]), "it does not fit the threads of the program");
    rejected(with(vec![control(&[0], &[])]), "it does not fit the threads of the program");
    rejected(with(vec![control(&[0, 0], &[&[at_least(&var(1), 0)]])]), "v1, which is not a variable");
    rejected(with(vec![control(&[0, 0], &[&[at_least(&super::arg(0), 0)]])]), "a0, which is not a variable");
    rejected(with(vec![control(&[0, 0], &[&[at_least(&super::input(0, 0), 0)]])]), "i0.0, which is not a variable");
    rejected(with(Vec::new()), "which are not listed");
    assert!(with(vec![control(&[0, 0], &[&[]])]).is_err(), "an empty clause holds nowhere");
}

/// The facts are true, and only a negative multiple of one is a contradiction.
#[test]
fn multipliers_are_positive() {
    let with = |by: i64| {
        let controls = vec![control(&[0, 0], &[&[at_least(&var(0), 2)]])];
        let proofs = vec![proof(&[ProofStep::Step, sum(&[(0, by)])])];
        checked(&levels(0), &BOTH, &DataCertificate { controls, proofs })
    };
    rejected(with(-1), "the multiplier of fact 0 is not positive");
    rejected(with(0), "the multiplier of fact 0 is not positive");
    rejected(with(1), "the sum of the facts is -1, which is not a positive number");
}

/// Only a deadlock is claimed: steps may lead to bad locations.
#[test]
fn bad_locations_are_exempt_if_they_are_not_claimed() {
    let program = levels(-2);
    let controls = [control(&[0, 0], &[])];
    let found = proved(&program, &[Goal::Deadlock], &controls).expect("there is a proof");
    assert_eq!(checked(&program, &[Goal::Deadlock], &found), Ok(1));
    assert!(checked(&program, &BOTH, &found).is_err());
}

/// Facts about an input before its definition would choose between instances by what only the instance determines.
#[test]
fn undefined_inputs_are_no_facts() {
    let (program, stop) = (remainders(), Stop::default());
    let mut work = Work::new(1 << 20, &stop);
    let controls = remainder_controls();
    let invariant = Invariant::new(&program, &BOTH, &controls, &mut work).unwrap();
    let open = invariant.open(Obligation::NoDeadlock(0), &mut work).unwrap();
    let cut = ProofStep::Cut(at_most(&super::input(0, 0), 0));
    assert!(open.parts(&cut, &mut work).is_err());
    assert_eq!(open.status(), Status::Instance);
    let instance = ProofStep::Instance { event: EventId(0), arguments: Vec::new() };
    let [open] = open.parts(&instance, &mut work).unwrap().try_into().unwrap();
    assert_eq!((open.status(), open.facts().len()), (Status::Done, 4), "the first way divides");
    assert_eq!(open.parts(&cut, &mut work).unwrap().len(), 2);
    let [open] = open.parts(&instance, &mut work).unwrap().try_into().unwrap();
    assert_eq!(open.facts().len(), 8);
    let renamed = super::input(0, (1 << 20) + 1);
    assert!(open.facts().iter().any(|fact| *fact.term() == renamed.scaled(&(-1).into())), "-r <= 0");
    assert!(open.parts(&ProofStep::Cut(at_most(&super::input(0, 1 << 21), 0)), &mut work).is_err());
    let wrong = ProofStep::Instance { event: EventId(0), arguments: vec![Linear::number(0)] };
    assert!(open.parts(&wrong, &mut work).is_err());
    let wrong = ProofStep::Instance { event: EventId(3), arguments: Vec::new() };
    assert!(open.parts(&wrong, &mut work).is_err());
}

/// The four facts about a division hold for the quotient and the remainder, and for no other numbers.
#[test]
fn facts_about_divisions_are_exact() {
    let (program, stop) = (remainders(), Stop::default());
    let mut work = Work::new(1 << 20, &stop);
    let controls = remainder_controls();
    let invariant = Invariant::new(&program, &BOTH, &controls, &mut work).unwrap();
    let open = invariant.open(Obligation::Event(0, EventId(0)), &mut work).unwrap();
    let part = open.parts(&decide(0), &mut work).unwrap().swap_remove(0);
    let [q, r] = [0, 1].map(|number| super::input(0, number));
    let product = r.plus(&3.into(), &q);
    let expected = [
        Constraint::at_most(&var(0), &product),
        Constraint::at_most(&product, &var(0)),
        at_least(&r, 0),
        at_most(&r, 2),
    ];
    assert!(part.facts().iter().map(|fact| &**fact).eq(&expected), "{:?}", part.facts());
    for (value, quotient, remainder) in (-9..9).flat_map(|v| (-5..5).flat_map(move |q| (-4..4).map(move |r| (v, q, r))))
    {
        let of = |symbol: Symbol| match symbol {
            Symbol::Variable(_) => BigInt::from(value),
            Symbol::Input(_, 0) => quotient.into(),
            _ => remainder.into(),
        };
        let is_division = i32::div_euclid(value, 3) == quotient && i32::rem_euclid(value, 3) == remainder;
        assert_eq!(part.facts().iter().all(|fact| fact.holds(&of)), is_division, "{value} {quotient} {remainder}");
    }
}

/// The certificates for damage, with their programs and goals.
fn examples() -> Vec<(DataProgram, Vec<Goal>, DataCertificate)> {
    let found = |program: DataProgram, goals: &[Goal], controls: &[Control]| {
        let certificate = proved(&program, goals, controls).unwrap();
        (program, goals.to_vec(), certificate)
    };
    vec![
        (levels(0), BOTH.to_vec(), levels_by_hand()),
        found(counter(3), &[Goal::Bad], &counter_controls()),
        found(remainders(), &BOTH, &remainder_controls()),
    ]
}

/// Other steps in the place of one. They prove less than it does. (A proof may have more or fewer instances.)
fn damaged(step: &ProofStep) -> Vec<Vec<ProofStep>> {
    let mut all = Vec::new();
    if !matches!(step, ProofStep::Instance { .. }) {
        all.extend([Vec::new(), vec![step.clone(), step.clone()]]);
    }
    let one = |step: ProofStep| vec![step];
    match step {
        ProofStep::Contradiction(sum) => {
            all.push(one(ProofStep::Contradiction(Vec::new())));
            for at in 0..sum.len() {
                let with = |change: &dyn Fn(&mut (u32, BigInt))| {
                    let mut sum = sum.clone();
                    change(&mut sum[at]);
                    one(ProofStep::Contradiction(sum))
                };
                all.push(with(&|part| part.0 = 1000));
                all.push(with(&|part| part.1 = -part.1.clone()));
                all.push(with(&|part| part.1 = BigInt::ZERO));
                if sum.len() > 1 {
                    all.push(with(&|part| part.1 += 1));
                }
            }
        }
        ProofStep::Decide(thread) => {
            all.extend([ThreadId(thread.0 + 7), ThreadId(u32::MAX)].map(|thread| one(ProofStep::Decide(thread))));
            all.extend([one(ProofStep::Step), one(ProofStep::Done)]);
        }
        ProofStep::Clause(number) => all.push(one(ProofStep::Clause(number + 100))),
        ProofStep::Step => all.extend([one(ProofStep::Done), one(decide(0))]),
        ProofStep::Done => all.extend([one(ProofStep::Step), one(decide(0)), one(sum(&[]))]),
        ProofStep::Instance { event, arguments } => {
            let instance = |event, arguments| one(ProofStep::Instance { event, arguments });
            all.push(instance(EventId(event.0 + 7), arguments.clone()));
            all.push(instance(*event, [arguments.as_slice(), &[Linear::number(0)]].concat()));
            all.push(instance(*event, vec![super::input(0, 0); arguments.len().max(1)]));
        }
        ProofStep::Cut(_) => {}
    }
    all
}

#[test]
fn damaged_proofs_are_refused() {
    let mut count = 0;
    for (program, goals, right) in examples() {
        assert!(checked(&program, &goals, &right).is_ok());
        let refused = |certificate: &DataCertificate| {
            let result = checked(&program, &goals, certificate);
            assert!(matches!(result, Err(Refusal::Rejected(_))), "{certificate:?}");
        };
        for number in 0..right.proofs.len() {
            let mut other = right.clone();
            other.proofs.remove(number);
            refused(&other);
            other = right.clone();
            other.proofs.insert(number, Proof::default());
            refused(&other);
            for at in 0..right.proofs[number].steps.len() {
                for steps in damaged(&right.proofs[number].steps[at]) {
                    let mut other = right.clone();
                    other.proofs[number].steps.splice(at..=at, steps);
                    refused(&other);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 100, "{count}");
}

/// Changed facts and clauses may leave a proof right. A bad location stays unreachable only if no proof is accepted.
#[test]
fn no_change_of_a_proof_proves_what_is_false() {
    let pairs = [
        (levels(-2), BOTH.to_vec(), levels_by_hand()),
        (counter(4), vec![Goal::Bad], examples()[1].2.clone()),
        (counter(3), BOTH.to_vec(), examples()[1].2.clone()),
    ];
    for (program, goals, right) in pairs {
        for seed in 0..testkit::count(3000) {
            let rng = &mut Rng(seed);
            let mut other = right.clone();
            for _ in 0..1 + rng.below(3) {
                shake(rng, &mut other);
            }
            assert!(checked(&program, &goals, &other).is_err(), "seed {seed}");
        }
    }
}

/// Changes one thing of the certificate.
fn shake(rng: &mut Rng, certificate: &mut DataCertificate) {
    if rng.one_in(3) {
        let number = rng.below(certificate.controls.len());
        let clauses = &mut certificate.controls[number].clauses;
        let to = rng.below(6) as i64 - 1;
        match rng.below(3) {
            0 => clauses.push(vec![at_most(&var(0), to)]),
            1 if !clauses.is_empty() => drop(clauses.remove(rng.below(clauses.len()))),
            _ => clauses.insert(0, vec![at_least(&var(0), to)]),
        }
        return;
    }
    let number = rng.below(certificate.proofs.len());
    let others: Vec<ProofStep> = certificate.proofs.iter().flat_map(|proof| proof.steps.clone()).collect();
    let steps = &mut certificate.proofs[number].steps;
    let at = rng.below(steps.len().max(1));
    let other = others[rng.below(others.len())].clone();
    match (rng.below(4), steps.get_mut(at)) {
        (0, Some(ProofStep::Contradiction(sum))) if !sum.is_empty() => {
            let part = rng.below(sum.len());
            sum[part].0 = rng.below(8) as u32;
        }
        (1, Some(_)) => drop(steps.remove(at)),
        (2, Some(step)) => *step = other,
        _ => steps.insert(at.min(steps.len()), other),
    }
}

/// The states that the oracle reaches, with small values.
pub(super) fn reached(oracle: &Oracle<'_>) -> BTreeSet<Known> {
    let mut open: Vec<Known> = oracle.initial().into_iter().map(|(_, state)| state).collect();
    let mut seen = BTreeSet::new();
    while let Some(state) = open.pop().filter(|_| seen.len() < 300) {
        if state.1.iter().all(|value| value.abs() <= 8) && seen.insert(state.clone()) {
            open.extend(oracle.steps(&state).into_iter().map(|(_, _, next)| next));
        }
    }
    seen
}

/// Invariants of random programs, guessed from reached states. What is proved must hold in all reached states.
#[test]
fn what_is_proved_is_true() {
    let mut counts = BTreeMap::new();
    for seed in 0..testkit::count(1500) {
        let rng = &mut Rng(seed);
        let program = random::random(rng);
        let oracle = Oracle { program: &program, domain: -2..=3 };
        let all = reached(&oracle);
        let sample: Vec<&Known> =
            all.iter().filter(|state| !oracle.is_bad(state)).filter(|_| !rng.one_in(30)).collect();
        let mut hulls: BTreeMap<&[u32], Vec<(i64, i64)>> = BTreeMap::new();
        for (locations, values) in sample {
            let hull = hulls.entry(locations).or_insert_with(|| values.iter().map(|v| (*v, *v)).collect());
            hull.iter_mut().zip(values).for_each(|(pair, v)| *pair = (pair.0.min(*v), pair.1.max(*v)));
        }
        let mut clauses = |hull: &[(i64, i64)]| {
            let bounds = (0..).zip(hull).flat_map(|(id, (least, most))| {
                [(*least > -4).then(|| at_least(&var(id), *least)), (*most < 4).then(|| at_most(&var(id), *most))]
            });
            bounds.flatten().filter(|_| !rng.one_in(6)).map(|bound| vec![bound]).collect()
        };
        let locations = |at: &[u32]| at.iter().map(|at| LocationId(*at)).collect();
        let controls: Vec<Control> =
            hulls.iter().map(|(at, hull)| Control { locations: locations(at), clauses: clauses(hull) }).collect();
        for goals in [&BOTH[..1], &BOTH[1..]] {
            let Some(found) = proved(&program, goals, &controls) else {
                *counts.entry((goals[0], false)).or_insert(0) += 1;
                continue;
            };
            *counts.entry((goals[0], true)).or_insert(0) += 1;
            assert!(checked(&program, goals, &found).is_ok());
            for state in &all {
                let is_wrong = match goals[0] {
                    Goal::Bad => oracle.is_bad(state),
                    _ => is_stuck(&program, state),
                };
                assert!(!is_wrong, "seed {seed}: {state:?} is reached");
            }
        }
    }
    assert!(counts.len() == 4 && counts.values().all(|count| *count > 20), "{counts:?}");
}

fn is_stuck(program: &DataProgram, state: &Known) -> bool {
    let oracle = Oracle { program, domain: -14..=14 };
    !oracle.is_bad(state) && !oracle.is_proper_end(state) && oracle.steps(state).is_empty()
}

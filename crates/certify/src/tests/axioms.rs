//! Tests every axiom rule against brute force, at the edge of what the rule accepts.
//!
//! For a random program and axiom, the test starts with a clause that contains every literal of a pool. Only
//! the side conditions can reject this clause. Then the test removes literals as long as the checker still
//! accepts. The smallest clause left must be true of every violating run up to a length. This finds rules that
//! require one literal or one run length too few.

use super::brute::{self, Ran, Rng};
use crate::refutation::{self, Premises};
use crate::{Check, Refusal};
use kernel::Work;
use kernel::program::stepper::Stepper;
use model::{
    Axiom, Constant, EventId, Goal, IntAtom, IntTerm, Justification, LemmaKind, LocalId, Meaning, Program, ProofStep,
    Prop, Refutation, StateGroup, Stop, ThreadId,
};
use std::collections::BTreeSet;

const LENGTH: usize = 12;

/// A program, with everything that clauses about it may name.
struct Case {
    program: std::sync::Arc<Program>,
    stepper: Stepper,
    goals: Vec<Goal>,
    meanings: Vec<Meaning>,
    groups: Vec<StateGroup>,
    members: Vec<BTreeSet<Vec<u32>>>,
    runs: Vec<Ran>,
    /// Composite states that the meanings name.
    visited: Vec<Vec<u32>>,
}

impl Case {
    fn random(rng: &mut Rng) -> Self {
        let program = if rng.one_in(2) { brute::random_lockstep(rng) } else { brute::random_program(rng) };
        let both = [Goal::Bad, Goal::Deadlock];
        let goals = [&both[..], &both[..1], &both[1..]][rng.below(3)].to_vec();
        let mut states: Vec<Vec<u32>> = brute::reachable(&program).into_iter().collect();
        states.push(program.threads().iter().map(|t| t.states.len() as u32 - 1).collect());
        let (groups, members) = random_groups(rng, &states);
        let meanings = pool(&program, &states, groups.len());
        let claimed =
            |run: &Ran| goals.contains(&brute::goal(&program, &run.states[run.events.len()]).expect("violating"));
        let runs = brute::violating_runs(&program, LENGTH, rng).into_iter().filter(claimed).collect();
        let stepper = Stepper::new(&program).expect("small");
        states.truncate(12);
        Self { program, stepper, goals, meanings, groups, members, runs, visited: states }
    }

    /// True if `clause` is accepted as an instance of `axiom`. Then the proof of this one step fails only
    /// because it does not end in the empty clause.
    fn accepts(&self, axiom: &Axiom, clause: &[i32]) -> bool {
        let refutation = Refutation {
            width: self.stepper.width(),
            meanings: self.meanings.clone(),
            groups: self.groups.clone(),
            steps: vec![ProofStep::Axiom(axiom.clone(), clause.to_vec())],
        };
        let stop = Stop::default();
        let mut work = Work::new(u64::MAX, &stop);
        let premises = Premises { trust: &[], assumptions: &[] };
        let result: Check<_> =
            refutation::check(&self.program, &self.stepper, &refutation, &self.goals, &premises, &mut work);
        match result {
            Err(Refusal::Rejected(why)) => why.contains("does not end in the empty clause"),
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("one axiom is no refutation"),
        }
    }

    /// Returns a clause that is accepted for `axiom` and is rejected without any one of its literals. `None` if
    /// the side conditions fail.
    fn smallest(&self, axiom: &Axiom, rng: &mut Rng) -> Option<Vec<i32>> {
        let count = self.meanings.len() as i32;
        let mut clause: Vec<i32> = (1..=count).flat_map(|v| [v, -v]).collect();
        if !self.accepts(axiom, &clause) {
            return None;
        }
        rng.shuffle(&mut clause);
        let mut chunk = clause.len() / 2;
        while chunk > 0 {
            let mut at = 0;
            while at < clause.len() {
                let mut less = clause.clone();
                less.drain(at..(at + chunk).min(clause.len()));
                if self.accepts(axiom, &less) { clause = less } else { at += chunk }
            }
            chunk /= 2;
        }
        Some(clause)
    }

    fn holds(&self, clause: &[i32], run: &Ran) -> bool {
        clause.iter().any(|&literal| {
            let truth = match &self.meanings[literal.unsigned_abs() as usize - 1] {
                Meaning::Prop(prop) => run.satisfies(&self.program, prop),
                Meaning::Group(g) => run.states.iter().any(|s| self.members[*g as usize].contains(s)),
                Meaning::Auxiliary => unreachable!("none in the pool"),
            };
            truth == (literal > 0)
        })
    }

    #[track_caller]
    fn must_hold(&self, axiom: &Axiom, clause: &[i32]) {
        let Some(run) = self.runs.iter().find(|run| !self.holds(clause, run)) else { return };
        let said: Vec<_> = clause.iter().map(|&l| (l > 0, &self.meanings[l.unsigned_abs() as usize - 1])).collect();
        panic!(
            "{axiom:?} accepts {said:?}, false of {run:?}\ngoals {:?} groups {:?}\n{:#?}",
            self.goals, self.groups, self.program
        );
    }
}

fn random_groups(rng: &mut Rng, states: &[Vec<u32>]) -> (Vec<StateGroup>, Vec<BTreeSet<Vec<u32>>>) {
    let (mut groups, mut members) = (Vec::new(), Vec::<BTreeSet<Vec<u32>>>::new());
    for _ in 0..4 {
        let odds = 1 + rng.below(3);
        let mut group = StateGroup::default();
        let mut all = BTreeSet::new();
        for state in states.iter().filter(|_| rng.one_in(odds)) {
            group.states.extend_from_slice(state);
            all.insert(state.clone());
        }
        for (part, states) in members.iter().enumerate() {
            if rng.one_in(3) {
                group.parts.push(part as u32);
                all.extend(states.iter().cloned());
            }
        }
        groups.push(group);
        members.push(all);
    }
    (groups, members)
}

fn pool(program: &Program, states: &[Vec<u32>], groups: usize) -> Vec<Meaning> {
    let t = || Constant::RunLength;
    let mut props: Vec<Prop> = states.iter().take(12).map(|s| Prop::Visits(s.as_slice().into())).collect();
    props.extend([Goal::Bad, Goal::Deadlock].map(Prop::Ends));
    props.extend((1..=4).flat_map(|m| (0..m).map(move |r| Prop::Int(IntAtom::congruent(t(), r, m)))));
    props.extend((0..=5).map(|v| Prop::Int(IntAtom::equals(t(), v))));
    props.extend([1, 2, 3, 5].map(|v| Prop::Int(IntAtom::at_least(t(), v))));
    props.extend([0, 1, 3].map(|v| Prop::Int(IntAtom::at_most(t(), v))));
    props.extend(about_counts(program).into_iter().map(Prop::Int));
    for back in 0..=2 {
        props.extend((0..program.events().len()).map(|e| Prop::EventBack { back, event: EventId::new(e) }));
        for (i, thread) in program.threads().iter().enumerate() {
            let all = 0..thread.states.len();
            props.extend(all.map(|s| Prop::StateBack { back, thread: ThreadId::new(i), state: LocalId::new(s) }));
        }
    }
    let mut meanings: Vec<Meaning> = props.into_iter().map(Meaning::Prop).collect();
    meanings.extend((0..groups as u32).map(Meaning::Group));
    meanings
}

fn about_counts(program: &Program) -> Vec<IntAtom> {
    let events: Vec<EventId> = (0..program.events().len()).map(EventId::new).collect();
    let most = |weights: &[(EventId, i64)], n: i64| IntAtom::Le(IntTerm::counts(weights), IntTerm::number(n));
    let all: Vec<(EventId, i64)> = events.iter().map(|e| (*e, 1)).collect();
    let mut atoms = vec![IntAtom::Eq(IntTerm::counts(&all), IntTerm::Constant(Constant::RunLength))];
    for &e in &events {
        atoms.extend((1..=2).map(|n| IntAtom::at_least(Constant::Count(e), n)));
        atoms.extend((0..=3).map(|n| IntAtom::at_most(Constant::Count(e), n)));
        for &other in events.iter().filter(|other| **other != e) {
            atoms.extend((-1..=2).map(|n| most(&[(e, 1), (other, -1)], n)));
            atoms.push(most(&[(e, 2), (other, -3)], 4));
        }
    }
    atoms
}

fn lemma(justification: Justification) -> Axiom {
    Axiom::Lemma(LemmaKind("test.fact"), justification)
}

fn random_justification(rng: &mut Rng, case: &Case) -> Justification {
    let program = &case.program;
    let back = rng.below(2) as u32;
    let event = EventId::new(rng.below(program.events().len()));
    let thread = ThreadId::new(rng.below(program.threads().len()));
    let state = LocalId::new(rng.below(program.thread(thread).states.len()));
    match rng.below(19) {
        0 => Justification::EventExists { back, event },
        1 => Justification::OpenAt { back, event, thread },
        2 => Justification::RequestedAt { back, event },
        3 => Justification::BadState,
        4 => Justification::ClockState { back, thread, state },
        5 => Justification::EnteredBy { back, thread, state },
        6 => Justification::CameFrom { back, thread, state, event },
        7 => Justification::DeadAt { thread, event },
        8 => Justification::RequestedBy { back, event },
        9 => Justification::BlockedBy { thread, state, event },
        14 => Justification::NeverStuck,
        16..=18 => {
            let all = (0..program.threads().len()).map(ThreadId::new);
            let mut threads: Vec<ThreadId> = all.filter(|&t| t == thread || rng.one_in(3)).collect();
            threads.sort_unstable();
            Justification::Counts { threads, length: rng.below(3) as u32 }
        }
        10 => Justification::Future { state: case.visited[rng.below(case.visited.len())].as_slice().into(), thread },
        _ => {
            let all = (0..program.threads().len()).map(ThreadId::new);
            let mut threads: Vec<ThreadId> = all.filter(|&t| t == thread || rng.one_in(3)).collect();
            threads.sort_unstable();
            Justification::Projected { threads, back, length: rng.below(3 - back as usize) as u32 }
        }
    }
}

fn justification_number(justification: &Justification) -> usize {
    match justification {
        Justification::EventExists { .. } => 0,
        Justification::OpenAt { .. } => 1,
        Justification::RequestedAt { .. } => 2,
        Justification::BadState => 3,
        Justification::ClockState { .. } => 4,
        Justification::EnteredBy { .. } => 5,
        Justification::CameFrom { .. } => 6,
        Justification::DeadAt { .. } => 7,
        Justification::RequestedBy { .. } => 8,
        Justification::BlockedBy { .. } => 9,
        Justification::Future { .. } => 10,
        Justification::Projected { length, .. } => 11 + *length as usize,
        Justification::NeverStuck => 14,
        Justification::Counts { length, .. } => 15 + *length as usize,
        Justification::Array(_) => unreachable!("no literal of the pool reads an array; tests/it/arrays.rs has these"),
    }
}

#[test]
fn accepted_facts_hold_for_every_violating_run() {
    let mut rng = Rng(11);
    let mut accepted = [0; 18];
    for _ in 0..4200 {
        let case = Case::random(&mut rng);
        if case.runs.is_empty() {
            continue;
        }
        for _ in 0..4 {
            let justification = random_justification(&mut rng, &case);
            let number = justification_number(&justification);
            let axiom = lemma(justification);
            if let Some(clause) = case.smallest(&axiom, &mut rng) {
                case.must_hold(&axiom, &clause);
                accepted[number] += 1;
            }
        }
    }
    assert!(accepted.iter().all(|&n| n > 100), "some fact was hardly ever accepted: {accepted:?}");
}

#[test]
fn accepted_axioms_hold_for_every_violating_run() {
    let mut rng = Rng(12);
    let axioms = [
        Axiom::Initial,
        Axiom::SomeGoal,
        Axiom::OneGoal,
        Axiom::NotClaimed(Goal::Bad),
        Axiom::NotClaimed(Goal::Deadlock),
        Axiom::GoalState,
        Axiom::Member,
        Axiom::Exit,
        Axiom::Exit,
        Axiom::Exit,
        Axiom::IntConflict,
    ];
    let mut accepted = vec![0; axioms.len()];
    for _ in 0..900 {
        let case = Case::random(&mut rng);
        if case.runs.is_empty() {
            continue;
        }
        for (axiom, count) in axioms.iter().zip(&mut accepted) {
            if let Some(clause) = case.smallest(axiom, &mut rng) {
                case.must_hold(axiom, &clause);
                *count += 1;
            }
        }
    }
    assert!(accepted.iter().all(|&n| n > 60), "some axiom was hardly ever accepted: {accepted:?}");
}

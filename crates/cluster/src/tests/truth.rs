//! Clusters of each size find what brute force finds.

use super::{of_program, said, workers};
use crate::NetSpace;
use model::{Formula, Goal, NetTask, PlaceId, Problem, Trace};
use num_bigint::BigUint;
use programs::RwbStepper;
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::net::{Marking, explore, is_goal_of};
use testkit::{Random, program, reach};

const GOALS: [Goal; 2] = [Goal::Bad, Goal::Deadlock];

#[test]
fn programs_have_the_same_answers_counts_and_lengths() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..testkit::count(150) {
        let program = program::program(seed);
        if program.has_finals() {
            continue;
        }
        let mut transitions = 0;
        let truth = reach(program::initial(&program), 20_000, |state| {
            let next = program::successors(&program, state);
            let distinct: std::collections::BTreeSet<_> = next.iter().cloned().collect();
            transitions += distinct.len() as u64;
            next.into_iter().map(|(_, state)| state).collect()
        });
        let Some(truth) = truth else { continue };
        let nearest = GOALS.map(|goal| truth.nearest(|state| program::goal(&program, state) == Some(goal)));
        let problem = of_program(program.clone());
        let space = RwbStepper::new(&Arc::new(program.clone()));
        let mut runs: Option<Vec<(Goal, Trace)>> = None;
        for count in 1..=4 {
            let how = super::How { explore_all: true, alone: super::alone(seed), ..workers(count) };
            let said = said(&space, &GOALS, &problem, &how);
            assert_eq!(said.counts.states, truth.states.len() as u64, "seed {seed}, {count} workers");
            assert_eq!(said.counts.transitions, transitions, "seed {seed}, {count} workers");
            let lengths: BTreeMap<Goal, u64> =
                said.runs.iter().map(|(goal, run)| (*goal, run.len().expect("short"))).collect();
            assert_eq!(GOALS.map(|goal| lengths.get(&goal).copied()), nearest, "seed {seed}");
            for (goal, run) in &said.runs {
                let end = program::replay(&program, run).expect("a run");
                assert_eq!(program::goal(&program, &end), Some(*goal), "seed {seed}");
            }
            assert_eq!(
                *runs.get_or_insert(said.runs.clone()),
                said.runs,
                "runs do not depend on the number of workers"
            );
            if !said.rest.is_empty() {
                let checked = said.checked.expect("there is evidence").expect("the kernel accepts it");
                assert_eq!((checked.goals(), checked.length()), (&said.rest[..], said.counts.states));
                safe += 1;
            }
        }
        unsafe_ += runs.map_or(0, |runs| runs.len());
    }
    assert!(safe > 30 && unsafe_ > 10, "the generator is too weak: {safe} {unsafe_}");
}

/// Without `explore_all`, a search ends after the level of the last goal, whatever the number of workers.
#[test]
fn searches_that_end_early_end_after_the_same_level() {
    for seed in 0..testkit::count(100) {
        let program = program::program(seed);
        if program.has_finals() || reach(program::initial(&program), 5000, |s| successors(&program, s)).is_none() {
            continue;
        }
        let problem = of_program(program.clone());
        let space = RwbStepper::new(&Arc::new(program));
        let how = |count| super::How { alone: super::alone(seed + count as u64), ..workers(count) };
        let all: Vec<_> = (1..=3).map(|count| said(&space, &GOALS[1..], &problem, &how(count))).collect();
        assert!(all.iter().all(|said| *said == all[0]), "seed {seed}: {all:#?}");
        if let Some((_, run)) = all[0].runs.first() {
            assert_eq!(run.len(), Some(all[0].counts.levels - 1));
        }
    }
}

fn successors(program: &model::Program, state: &program::State) -> Vec<program::State> {
    program::successors(program, state).into_iter().map(|(_, state)| state).collect()
}

/// Random nets with places that need several widths.
fn tasks(random: &mut Random) -> (Problem, NetTask) {
    let net = Arc::new(testkit::net::up_to(5, random));
    let places = net.places().len();
    let least = (PlaceId::new(random.below(places)), BigUint::from(1 + random.below(6)));
    let cover = Formula::cover(&[least]);
    let problem = Problem::of_net(Arc::clone(&net)).never("f", cover).and_then(Problem::never_stuck);
    let problem = problem.expect("it fits");
    let goals = problem.goals().collect();
    let task = NetTask::plain(net, problem.formulas().to_vec(), goals);
    (problem, task)
}

#[test]
fn nets_have_the_same_answers_counts_and_lengths() {
    let mut random = Random::new(7);
    let (mut safe, mut met, mut wide) = (0, 0, 0);
    for round in 0..testkit::count(3000) {
        let (problem, task) = tasks(&mut random);
        let Some(truth) = explore(&task, 3000) else { continue };
        let Ok(space) = NetSpace::new(Arc::new(task.clone())) else { continue };
        for count in [1, 2, 5] {
            let how = super::How { explore_all: true, alone: super::alone(round), ..workers(count) };
            let said = said(&space, &task.goals, &problem, &how);
            assert_eq!(said.counts.states, truth.depths.len() as u64, "round {round}, {count} workers");
            assert_eq!(said.counts.transitions, truth.transitions, "round {round}, {count} workers");
            let lengths: BTreeMap<Goal, u64> =
                said.runs.iter().map(|(goal, run)| (*goal, run.len().expect("short"))).collect();
            assert_eq!(lengths, truth.goals, "round {round}");
            for (goal, run) in &said.runs {
                let end: Marking = testkit::net::replay(&task.net, run).expect("a run");
                assert!(is_goal_of(&task, *goal, &end));
                met += 1;
            }
            if !said.rest.is_empty() {
                let checked = said.checked.expect("there is evidence").expect("the kernel accepts it");
                assert_eq!(checked.length(), said.counts.states);
                safe += 1;
            }
        }
        wide += usize::from(truth.depths.keys().flatten().any(|tokens| *tokens > 1u8.into()));
    }
    assert!(safe > 50 && met > 50 && wide > 20, "the generator is too weak: {safe} {met} {wide}");
}

//! Projections of random programs onto some threads, and their skeletons, against the oracle: each run of a program is
//! one of its projection, with the locations and values of the kept threads, and one of its skeleton, with locations.

use super::{Known, Oracle, proofs::reached, random};
use crate::tests::Rng;
use model::data::LocationKind;
use model::{EventId, Goal, Problem, ThreadId};
use std::sync::Arc;

/// Returns the state of the projection.
fn kept_part(oracle: &Oracle<'_>, state: &Known, kept: &[ThreadId], has_others: bool) -> Known {
    let mut locations: Vec<u32> = kept.iter().map(|thread| state.0[thread.index()]).collect();
    locations.extend(has_others.then_some(0));
    let variables = oracle.program.variables().iter().zip(&state.1);
    (locations, variables.filter(|(of, _)| kept.contains(&of.thread)).map(|(_, value)| *value).collect())
}

#[test]
fn projections_have_the_runs_of_the_program() {
    let (mut steps, mut smaller) = (0, 0);
    for seed in 0..testkit::count(400) {
        let rng = &mut Rng(seed);
        let program = random::random(rng);
        let all = (0..program.threads().len()).map(ThreadId::new);
        let kept: Vec<ThreadId> = all.filter(|_| rng.one_in(2)).collect();
        let targets: Vec<ThreadId> = kept.iter().copied().filter(|_| rng.one_in(2)).collect();
        let projected = program.projected(&kept, &targets).expect("ascending threads, and targets among them");
        let has_others = projected.threads().len() > kept.len();
        smaller += usize::from(kept.len() < program.threads().len());
        let (from, to) = (Oracle { program: &program, domain: -1..=2 }, Oracle { program: &projected, domain: -1..=2 });
        let part = |state: &Known| kept_part(&from, state, &kept, has_others);
        for (_, state) in from.initial() {
            assert!(to.initial().iter().any(|(_, other)| *other == part(&state)), "seed {seed}: {state:?} at first");
        }
        for state in reached(&from).iter().take(40) {
            let possible = to.steps(&part(state));
            for (event, choices, next) in from.steps(state) {
                let arity = program.events()[event as usize].arity();
                let is_same = |(other, others, after): &(u32, Vec<i64>, Known)| {
                    *other == event && others[..arity] == choices[..arity] && *after == part(&next)
                };
                assert!(possible.iter().any(is_same), "seed {seed}: event {event} from {state:?} to {next:?}");
                steps += 1;
            }
            let is_target_bad =
                targets.iter().any(|thread| from.kind(thread.index(), state.0[thread.index()]) == LocationKind::Bad);
            assert_eq!(to.is_bad(&part(state)), is_target_bad, "seed {seed}: {state:?}");
        }
    }
    assert!(steps > 1_000 && smaller > 15, "{steps} {smaller}");
}

#[test]
fn skeletons_have_the_runs_of_the_program() {
    let mut steps = 0;
    for seed in 0..testkit::count(400) {
        let program = Arc::new(random::random(&mut Rng(seed)));
        let problem = Problem::of_data(Arc::clone(&program), &[Goal::Bad]).expect("a question about data");
        let skeleton = model::observed(&problem, &[Goal::Bad]).expect("there are threads").program;
        let oracle = Oracle { program: &program, domain: -1..=2 };
        let initial = testkit::program::initial(&skeleton);
        assert!(oracle.initial().iter().all(|(_, state)| initial.contains(&state.0)), "seed {seed}");
        for state in reached(&oracle).iter().take(40) {
            let possible = testkit::program::successors(&skeleton, &state.0);
            for (event, _, next) in oracle.steps(state) {
                assert!(possible.contains(&(EventId(event), next.0)), "seed {seed}: event {event} from {state:?}");
                steps += 1;
            }
            assert_eq!(testkit::program::is_bad(&skeleton, &state.0), oracle.is_bad(state), "seed {seed}: {state:?}");
        }
    }
    assert!(steps > 1_000, "{steps}");
}

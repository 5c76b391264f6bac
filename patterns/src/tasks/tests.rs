//! Runs the kit on the pattern and on each of its mutants. A mutant is the pattern without one side condition.
//! Other tests use task sets with known answers.

use super::*;
use crate::kit;

/// Number of programs within which the kit must detect a mutant. The tests check the sound pattern on fewer
/// programs to save time. The sound pattern once passed this many, too.
const PROGRAMS: usize = 8_000;
const SOUND_PROGRAMS: usize = 2_000;

#[test]
fn nothing_excluded_is_visited_and_every_lemma_is_true() {
    let tally = kit::check_generated(&[&TASKS], kit::task_program, 1, SOUND_PROGRAMS).unwrap_or_else(|f| panic!("{f}"));
    assert!(tally.restricted > SOUND_PROGRAMS / 4, "many programs lose states: {tally:?}");
    assert!(tally.runs > SOUND_PROGRAMS && tally.evaluations > tally.runs, "runs to evaluate: {tally:?}");
    kit::check_random(&[&TASKS], 1, SOUND_PROGRAMS).unwrap_or_else(|f| panic!("{f}"));
}

/// Checks that the kit notices that `condition` is missing.
fn caught(condition: SideCondition) {
    let mutant = Tasks::without(condition);
    let found = kit::check_generated(&[&mutant], kit::task_program, 2, PROGRAMS);
    let failure = found.expect_err("something unsound");
    assert!(failure.what.contains("visits the excluded state") || failure.what.contains("is false"), "{failure}");
}

mutants! {
    mutant_a_unmentioned_events: InvisibleSelfLoops,
    mutant_a_several_targets: SingleTargets,
    mutant_b_wraps_elsewhere: WrapToRelease,
    mutant_c_several_initial_states: OneInitialState,
    mutant_c_starts_in_a_job: StartsDone,
    mutant_d_blocks_at_the_release_only: EveryPendingState,
    mutant_e_served_by_others: OwnEvent,
    mutant_f_foreign_events: ForeignBlocked,
    mutant_h_too_much_work: Schedulable,
    mutant_i_levels_beyond_the_set: LevelInSet,
    mutant_i_levels_not_closed: LevelClosed,
    mutant_last_slot: LastSlot,
    mutant_requests_of_others: OthersRequest,
    mutant_bad_states_of_others: EveryBadState,
}

/// The tasks of the paper as (period, work, level). Task 0 outranks 1, which outranks 2 and 3.
const PAPER: [(usize, usize, u32); 4] = [(5, 1, 0), (6, 1, 1), (9, 3, 2), (11, 2, 2)];

/// Returns the lemmas of goal `bad` for `program` without the states that the pattern excludes.
fn lemmas_of(program: &model::Program) -> Vec<Lemma> {
    let (without, _) = kit::restricted(&[&TASKS], program);
    let mut out = Vec::new();
    TASKS.recognize(without.threads(), Goal::Bad).expect("tasks").on_start(&mut out);
    out
}

#[test]
fn the_table_of_the_paper() {
    let rows = conjuncts::conjuncts(&kit::task_set(&PAPER, &[&[3], &[3], &[3]]));
    let counts: Vec<usize> = rows.iter().map(|(_, conjuncts)| conjuncts::count(conjuncts, 990)).collect();
    assert_eq!(counts, [990, 36, 30, 15, 0], "{rows:?}");
}

#[test]
fn the_example_of_the_paper_is_refuted_by_units() {
    let lemmas = lemmas_of(&kit::task_set(&PAPER, &[&[3], &[3], &[3]]));
    assert_eq!(lemmas.iter().map(|l| l.clause.len()).collect::<Vec<_>>(), [2, 1], "{lemmas:?}");
    assert!(kit::refutes(&lemmas, Goal::Bad, 1));
}

#[test]
fn violations_that_straddle_the_hyper_period_are_kept() {
    // The last number of a case is the step of the last slot of the first violation, counted from 0. So the run
    // is one event longer.
    type Case<'a> = ([(usize, usize, u32); 2], &'a [&'a [usize]], u64);
    let cases: [Case<'_>; 3] = [
        ([(3, 1, 0), (3, 2, 0)], &[&[1], &[1], &[1]], 3),
        ([(4, 2, 0), (4, 2, 0)], &[&[1], &[1], &[1]], 4),
        ([(2, 1, 0), (2, 1, 0)], &[&[1], &[1]], 2),
    ];
    for (tasks, word, t) in cases {
        let program = kit::task_set(&tasks, word);
        let lemmas = lemmas_of(&program);
        assert!(kit::refutes(&lemmas, Goal::Bad, t + 1) && !kit::refutes(&lemmas, Goal::Bad, t + 2), "{tasks:?}");
        let mut random = kit::Random::new(9);
        let runs = kit::violating_runs(&program, kit::Sample::default(), &mut random);
        assert_eq!(runs.iter().map(|run| run.events.len() as u64).min(), Some(t + 1), "{tasks:?}");
    }
}

#[test]
fn candidates_are_violating_runs() {
    for (word, length) in [(&[&[3][..], &[0][..]], 6), (&[&[3][..], &[3][..]], 4)] {
        let program = kit::task_set(&PAPER, word);
        let found = TASKS.recognize(program.threads(), Goal::Bad).expect("tasks");
        let candidates = found.candidates(&Values::from([(model::Constant::RunLength, length.into())]));
        let violates = |candidate: &Vec<(Vec<EventId>, u64)>| {
            let mut now = kit::initial_states(&program).swap_remove(0);
            for (word, times) in candidate {
                for event in word.iter().cycle().take(word.len() * *times as usize) {
                    if !kit::enabled(&program, &now).contains(event) {
                        return false;
                    }
                    now = kit::successors(&program, &now, *event).swap_remove(0);
                }
            }
            kit::kind_of(&program, &now) == Some(Goal::Bad)
        };
        assert!(candidates.iter().any(violates), "{candidates:?}");
    }
}

#[test]
fn ten_tasks_with_a_long_hyper_period_take_no_time() {
    // Periods that are coprime or nearly so. They coincide again after about 10^11 steps.
    let periods = [30, 41, 53, 67, 79, 90, 101, 113, 127, 149];
    let tasks: Vec<(usize, usize, u32)> =
        periods.iter().zip(0..).map(|(&period, level)| (period, 1 + period / 40, level)).collect();
    let program = kit::task_set(&tasks, &[&[9], &[9], &[9], &[9], &[9]]);
    let restriction = TASKS.restrict(program.threads()).expect("they are schedulable");
    let Unreachable::ResponseTimes(served) = &restriction.why else { panic!("{restriction:?}") };
    assert_eq!(served.len(), 10, "{served:?}");
    assert!(
        kit::refutes(&lemmas_of(&program), Goal::Bad, 1),
        "five slots in a row are more than the work of the last task"
    );
}

#[test]
fn the_reason_names_thread_state_and_event() {
    let program = kit::task_set(&[(3, 1, 0)], &[&[0]]);
    let mut threads = program.threads().to_vec();
    threads[0].states[3].on.remove(&EventId(1));
    let why = TASKS.recognize(&threads, Goal::Bad).err().map(|why| why.to_string());
    let expected =
        "thread `t0` is no task of event 0: in state `c1r1` event 1 leads to a state of another column or row";
    assert_eq!(why.as_deref(), Some(expected));
    threads.swap_remove(0);
    let why = TASKS.recognize(&threads, Goal::Bad).err().expect("no task");
    assert!(why.to_string().contains("is no task"), "{why}");
}

//! The kit on the pattern and on each of its mutants, and task sets whose answers are known.

use super::*;
use crate::kit;

/// Programs a mutant may survive at most; the sound pattern must survive as many.
const PROGRAMS: usize = 8_000;

#[test]
fn nothing_excluded_is_visited_and_every_lemma_is_true() {
    let tally = kit::check_generated(&[&TASKS], kit::task_program, 1, PROGRAMS).unwrap_or_else(|f| panic!("{f}"));
    assert!(tally.restricted > PROGRAMS / 4, "many programs lose states: {tally:?}");
    kit::check_random(&[&TASKS], 1, PROGRAMS).unwrap_or_else(|f| panic!("{f}"));
}

/// The kit must notice that `condition` is missing.
fn caught(condition: SideCondition) {
    let mutant = Tasks::without(condition);
    let found = kit::check_generated(&[&mutant], kit::task_program, 2, PROGRAMS);
    let failure = found.expect_err("something unsound");
    assert!(failure.what.contains("visits the excluded state") || failure.what.contains("is false"), "{failure}");
}

macro_rules! mutants {
    ($($name:ident: $condition:ident,)*) => {
        $(#[test]
        fn $name() {
            caught(SideCondition::$condition);
        })*
    };
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
}

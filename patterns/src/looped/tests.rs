//! The kit on the pattern and on each of its mutants, and programs whose refutations are known.

use super::*;
use crate::kit;

/// Programs a mutant may survive at most; the sound pattern must survive as many.
const PROGRAMS: usize = 6_000;

#[test]
fn every_lemma_is_true_of_every_violating_run() {
    let tally = kit::check_random(&[&LOOPED], 1, PROGRAMS).unwrap_or_else(|failure| panic!("{failure}"));
    assert!(tally.matches > PROGRAMS, "most programs match: {tally:?}");
    assert!(tally.runs > 10 * PROGRAMS && tally.evaluations > 10 * tally.runs, "runs to evaluate: {tally:?}");
}

/// The kit must notice that `condition` is missing.
fn caught(condition: SideCondition) {
    let failure = kit::check_random(&[&Looped::without(condition)], 1, PROGRAMS).expect_err("an unsound lemma");
    assert!(failure.what.contains("is false"), "{failure}");
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
    mutant_0_several_initial_states: OneInitialState,
    mutant_1a_unmentioned_events: InvisibleSelfLoops,
    mutant_1b_nondeterministic_targets: SingleTargets,
    mutant_1c_blocked_somewhere_else: BlockedHereOnly,
    mutant_2_prefix_as_congruence: PrefixNotCongruent,
    mutant_2_prefix_in_the_cycle: PrefixNotRepeated,
    mutant_3_marker_of_several_events: WholeWordOfMarker,
    mutant_3_bad_states_of_others: EveryBadState,
    mutant_4_requests_of_others: ForeignRequests,
    mutant_5_lemma_without_its_goal: GuardedByGoal,
    mutant_5_blocks_of_others: ForeignBlocks,
    mutant_6_step_off_by_one: StepOfLastEvent,
    mutant_6_run_without_events: EmptyRun,
}

//! Searches that may leave states out.

use super::*;
use model::Engine;

/// All goals that were hit, and the reasons for the others.
type Outcome = (Vec<(Goal, Trace)>, Vec<(Goal, Reason)>, Stats);

fn run_lossy(mut engine: Box<dyn Engine>, turn: u64) -> Outcome {
    let (mut hits, mut unknown) = (Vec::new(), Vec::new());
    loop {
        match engine.run(&mut Budget::new(turn, Arc::default())) {
            Turn::Claims(Claim::Unsafe { goal, trace, .. }) => hits.push((goal, trace)),
            Turn::Claims(Claim::Unknown { goals, reason }) => unknown.extend(goals.iter().map(|&g| (g, reason))),
            Turn::Claims(claim) => panic!("it claimed {claim:?}"),
            Turn::More => {}
            Turn::Done => return (hits, unknown, engine.stats()),
        }
    }
}

proptest! {
    #![proptest_config(testkit::config(300))]

    /// Each run is one, nothing is claimed safe, and with many bits for few states, nothing is missed.
    #[test]
    fn it_finds_runs_and_proves_nothing(program in random_program(), turn in 1..50u64, bytes in 1..1_000_000usize) {
        let expected = check(&program, &BOTH, true);
        let task = ProgramTask::new(Arc::new(program.clone()), BOTH);
        let (hits, unknown, stats) = run_lossy(crate::explore::lossy(&task, bytes), turn);
        for (goal, trace) in &hits {
            prop_assert_eq!(replay(&program, trace).and_then(|s| goal_of(&program, &s)), Some(*goal));
        }
        prop_assert_eq!(hits.len() + unknown.len(), 2);
        prop_assert!(unknown.iter().all(|(_, reason)| *reason == Reason::Lossy));
        if bytes > 100_000 {
            prop_assert_eq!(hits.len(), expected.hits.len());
            prop_assert!(hits.len() == 2 || stats.states == expected.stats.states);
        }
    }
}

/// Three bits per state do not tell 15,625 states apart if there are 8,192 bits.
#[test]
fn states_are_left_out_if_there_are_few_bits() {
    let program = super::disk::counters(6, 4, true);
    let task = ProgramTask::new(Arc::new(program), BOTH);
    let (hits, unknown, few) = run_lossy(crate::explore::lossy(&task, 1), 1000);
    assert_eq!((hits.len(), unknown), (0, BOTH.map(|goal| (goal, Reason::Lossy)).to_vec()));
    assert_eq!(few.more["bits"], 8 << 10);
    assert!(few.states < 8_000, "{}", few.states);
    let (_, _, many) = run_lossy(crate::explore::lossy(&task, 1 << 20), 1000);
    assert_eq!(many.states, 15_625);
    assert!(many.more["bits_set"] <= 3 * 15_625 && many.more["bits_set"] > 2 * 15_625);
}

/// A run has at most 10,000 steps, so a deeper state is not found.
#[test]
fn runs_have_a_greatest_length() {
    for (length, is_found) in [(9_000, true), (11_000, false)] {
        let task = ProgramTask::new(Arc::new(super::disk::counters(1, length, false)), [Goal::Deadlock]);
        let (hits, ..) = run_lossy(crate::explore::lossy(&task, 1 << 20), 1000);
        assert_eq!(hits.first().and_then(|hit| hit.1.len()), is_found.then_some(length as u64));
    }
}

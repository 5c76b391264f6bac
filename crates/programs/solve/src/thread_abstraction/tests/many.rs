//! Programs with very many threads.

use super::*;

/// The cost of setting up is the size of the program, not the product of states and events, which would be
/// millions of units here.
#[test]
fn setting_up_is_paid_for_by_what_threads_mention() {
    let threads = 10_000;
    let goes = |t: usize| named(threads, &format!("t{t}"), &[(&[t], &[], &[(t, 1)], false), (&[], &[], &[], false)]);
    let mut all: Vec<Thread> = (0..threads).map(goes).collect();
    all.push(named(
        threads,
        "twice",
        &[(&[], &[], &[(0, 1)], false), (&[], &[], &[(0, 2)], false), (&[], &[], &[], true)],
    ));
    let task = ProgramTask::new(Arc::new(assemble(threads, all)), [Goal::Bad]);
    let turn = ThreadAbstraction::new(&task).run(&mut Budget::new(200_000, Arc::default()));
    assert!(matches!(turn, Turn::Claims(Claim::Safe { .. })), "{turn:?}");
}

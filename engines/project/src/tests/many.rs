//! Programs of very many threads.

use super::*;

/// What setting up costs is what the program says, not its states times its events: these would take millions of units.
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
    let turn = Project::new(&task).run(&mut Budget::new(200_000, Arc::default()));
    assert!(matches!(turn, Turn::Claims(Claim::Safe { .. })), "{turn:?}");
}

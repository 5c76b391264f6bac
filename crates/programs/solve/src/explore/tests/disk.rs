//! Searches with their old levels on disk.

use super::*;
use search::disk::{Disk, Scratch};
use tempfile::TempDir;

/// Bytes of memory for states, and of a block on disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiny {
    pub(crate) memory: usize,
    pub(crate) block: usize,
}

impl Tiny {
    /// Returns a directory, and a place in it for temporary files.
    pub(crate) fn disk(self) -> (TempDir, Disk) {
        self.limited(u64::MAX)
    }

    fn limited(self, limit: u64) -> (TempDir, Disk) {
        let dir = tempfile::tempdir().expect("a directory");
        let scratch = Scratch::new(dir.path(), limit).expect("a writable directory");
        (dir, Disk { scratch, memory: self.memory, block: self.block })
    }
}

/// Memory for some 25 to 1,000 states.
pub(crate) fn tiny() -> impl Strategy<Value = Tiny> {
    (prop_oneof![600..3_000usize, 3_000..20_000usize], 10..200usize).prop_map(|(memory, block)| Tiny { memory, block })
}

/// Returns threads that count to `most`, each with its own event, and begin again if `cyclic`.
pub(super) fn counters(threads: usize, most: usize, cyclic: bool) -> Program {
    let state = |t: usize, n: usize| match n == most && !cyclic {
        true => Does::default(),
        false => Does { request: vec![t], on: vec![(vec![t], vec![(n + 1) % (most + 1)])], ..Does::default() },
    };
    let thread = |t| (0..=most).map(|n| state(t, n)).collect();
    program(threads, &(0..threads).map(thread).collect::<Vec<_>>(), &[])
}

proptest! {
    #![proptest_config(testkit::config(300))]

    /// Verdicts, lengths, counts and state sets are those of the search in memory.
    #[test]
    fn it_agrees_with_the_search_in_memory(
        program in random_program(),
        turn in 1..50u64,
        all: bool,
        jobs in 1..3usize,
        tiny in tiny(),
    ) {
        let expected = check(&program, &BOTH, all);
        let (_dir, disk) = tiny.disk();
        let options = Options { explore_all: all, jobs, disk: Some(disk) };
        let said = run_with(&program, &BOTH, options, turn, &Arc::default());
        prop_assert_eq!(&said.safe, &expected.safe);
        prop_assert_eq!(said.complete, expected.complete);
        if said.complete {
            prop_assert_eq!(said.stats.states, expected.stats.states);
            prop_assert_eq!(said.stats.transitions, expected.stats.transitions);
        }
        for (goal, trace) in &said.hits {
            let hit = expected.hits.iter().find(|hit| hit.0 == *goal);
            prop_assert_eq!(hit.and_then(|hit| hit.1.len()), trace.len());
            prop_assert_eq!(replay(&program, trace).and_then(|s| goal_of(&program, &s)), Some(*goal));
        }
        prop_assert_eq!(said.hits.len(), expected.hits.len());
        let listed = |said: &Said| said.states.as_ref().map(|set| {
            let mut listed = Vec::new();
            let _ = set.for_each(&mut |s| {
                listed.push(s.to_vec());
                ControlFlow::Continue(())
            });
            assert_eq!(listed.len() as u64, set.len());
            listed.sort();
            listed
        });
        prop_assert_eq!(listed(&said), listed(&expected));
    }
}

#[test]
fn counts_have_a_closed_form() {
    for (cyclic, memory) in [(false, 3_000), (true, 3_000), (false, 30_000), (true, 100_000)] {
        let (_dir, disk) = Tiny { memory, block: 100 }.disk();
        let scratch = disk.scratch.clone();
        let options = Options { disk: Some(disk), ..Options::default() };
        let said = run_with(&counters(6, 4, cyclic), &BOTH, options, u64::MAX, &Arc::default());
        assert_eq!(said.stats.states, 5u64.pow(6));
        assert_eq!(said.stats.transitions, 6 * 5u64.pow(5) * if cyclic { 5 } else { 4 });
        assert!(scratch.peak() > 10_000 && said.stats.more["disk_bytes"] == scratch.peak());
        match cyclic {
            true => assert_eq!(said.safe, BOTH),
            false => assert_eq!(said.hits[0].1.len(), Some(24)),
        }
        drop(said);
        assert_eq!(scratch.used(), 0, "the files are deleted with the evidence");
    }
}

/// Windows of more than 1,024 states are shared.
#[test]
fn workers_share_the_states_of_a_level() {
    for cyclic in [false, true] {
        let mut said = Vec::new();
        for jobs in 1..4 {
            let (_dir, disk) = Tiny { memory: 300_000, block: 1 << 16 }.disk();
            let options = Options { jobs, disk: Some(disk), ..Options::default() };
            let of_jobs = run_with(&counters(7, 4, cyclic), &BOTH, options, u64::MAX, &Arc::default());
            assert_eq!(of_jobs.stats.states, 5u64.pow(7));
            said.push((of_jobs.stats.transitions, of_jobs.hits, of_jobs.safe));
        }
        assert!(said.iter().all(|other| *other == said[0]));
    }
}

#[test]
fn nothing_is_written_while_memory_suffices() {
    let (_dir, disk) = Tiny { memory: 10_000_000, block: 100 }.disk();
    let scratch = disk.scratch.clone();
    let options = Options { disk: Some(disk), ..Options::default() };
    let said = run_with(&counters(6, 4, true), &BOTH, options, u64::MAX, &Arc::default());
    assert_eq!((said.stats.states, scratch.peak()), (5u64.pow(6), 0));
}

#[test]
fn the_disk_limit_is_kept() {
    for limit in (0..20_000).step_by(500) {
        let (_dir, disk) = Tiny { memory: 3_000, block: 100 }.limited(limit);
        let scratch = disk.scratch.clone();
        let options = Options { disk: Some(disk), ..Options::default() };
        let said = run_with(&counters(6, 4, true), &BOTH, options, 1000, &Arc::default());
        assert_eq!(said.unknown, BOTH.map(|goal| (goal, Reason::Disk)), "{limit} bytes");
        assert!(scratch.peak() <= limit && scratch.used() == 0);
    }
}

#[test]
fn memory_that_others_use_sends_the_states_to_disk() {
    let (_dir, disk) = Tiny { memory: usize::MAX, block: 1000 }.disk();
    let scratch = disk.scratch.clone();
    let stop = Arc::new(Stop::with_memory_limit(1_000_000, || 900_000));
    let options = Options { disk: Some(disk), ..Options::default() };
    let said = run_with(&counters(6, 4, true), &BOTH, options, u64::MAX, &stop);
    assert_eq!((said.safe, said.stats.states, stop.raised()), (BOTH.to_vec(), 5u64.pow(6), None));
    assert!(scratch.peak() > 0);
}

/// All levels are in one file, because a process may have only some hundred open files.
#[test]
fn a_space_may_have_very_many_levels() {
    let (_dir, disk) = Tiny { memory: 1_000, block: 100 }.disk();
    let options = Options { disk: Some(disk), ..Options::default() };
    let said = run_with(&counters(1, 3_000, false), &BOTH, options, u64::MAX, &Arc::default());
    assert_eq!((said.stats.states, said.hits[0].1.len()), (3_001, Some(3_000)));
}

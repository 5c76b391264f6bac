//! Searches that are saved and restored at random moments. They must be the same as uninterrupted ones: claims, lengths
//! of runs, counts, numbers and parents of states. Damaged records are refused.

use model::ids::ErrorId;
use model::{
    Assumption, Budget, Claim, Engine, Goal, LocalId, NetTask, ProgramTask, ReactiveTask, Stats, Stop, ThreadId, Turn,
};
use programs::counted;
use proptest::prelude::*;
use search::explicit::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use testkit::net::{Features, tasks};
use testkit::program::counters;
use testkit::reactive::Values;
use testkit::{Log, Random, count};

type Make<'m> = &'m dyn Fn() -> Box<dyn Engine>;

/// What a search said.
#[derive(PartialEq, Eq, Debug, Default)]
struct Said {
    hits: BTreeMap<Goal, String>,
    safe: BTreeSet<Goal>,
    unknown: BTreeSet<Goal>,
    stats: Stats,
}

impl Said {
    fn note(&mut self, claim: Claim) {
        match claim {
            // A goal that was claimed before the interruption is claimed again, with the same run.
            Claim::Unsafe { goal, trace, .. } => {
                let run = format!("{trace:?}");
                assert_eq!(*self.hits.entry(goal).or_insert_with(|| run.clone()), run);
            }
            Claim::Safe { goals, .. } => self.safe.extend(goals),
            Claim::Unknown { goals, .. } => self.unknown.extend(goals),
            claim => panic!("unexpected {claim:?}"),
        }
    }
}

/// Runs the engine in turns of the given lengths. Before each turn, calls `between`, which may replace the engine.
fn run(make: Make<'_>, mut turn: impl FnMut() -> u64, mut between: impl FnMut(&mut Box<dyn Engine>)) -> Said {
    let mut engine = make();
    let mut said = Said::default();
    loop {
        between(&mut engine);
        match engine.run(&mut Budget::new(turn(), Arc::default())) {
            Turn::Claims(claim) => said.note(claim),
            Turn::More => {}
            Turn::Done => break,
        }
    }
    said.stats = engine.stats();
    said
}

/// Returns the records of one checkpoint of everything, before each turn.
fn whole(engine: &mut dyn Engine) -> Vec<Vec<u8>> {
    let mut log = Log::default();
    log.save(true, |_, to| engine.save(0, to));
    log.records
}

/// Saves and kills the engine at random. Returns what it said, its last records, and the number of kills.
fn interrupted(make: Make<'_>, most: usize, random: &mut Random) -> (Said, Vec<Vec<u8>>, usize) {
    let mut lengths = Random::new(random.bits());
    let (mut log, mut last, mut kills) = (Log::default(), Vec::new(), 0);
    let said = run(
        make,
        || 1 + lengths.below(most) as u64,
        |engine| {
            if random.one_in(2) {
                log.save(!random.one_in(4), |since, to| engine.save(since, to));
            }
            if random.one_in(3) && kills < 50 {
                *engine = make();
                log.restore(|from| engine.restore(from, &Stop::default())).expect("these are its records");
                kills += 1;
            }
            last = whole(&mut **engine);
        },
    );
    (said, last, kills)
}

/// Compares an interrupted search with an uninterrupted one.
fn compare(make: Make<'_>, is_whole: bool, most: usize, random: &mut Random) -> usize {
    let mut last = Vec::new();
    let plain = run(make, || most as u64, |engine| last = whole(&mut **engine));
    let (mut said, records, kills) = interrupted(make, most, random);
    if !is_whole {
        // States are tested in batches, which begin at other states. So a goal may end the search a few states later.
        said.stats = plain.stats.clone();
    }
    assert_eq!(said, plain);
    // What the last turn found is not in these records, and turns have other lengths. So the shorter one is a
    // beginning of the longer one.
    let states = |records: &[Vec<u8>]| records.iter().filter(|record| record[0] == b'S').cloned().collect::<Vec<_>>();
    let (ours, theirs) = (states(&records), states(&last));
    // A search that has widened its slots later has other words.
    let layout = |records: &[Vec<u8>]| records.iter().filter(|record| record[0] == b'L').cloned().collect::<Vec<_>>();
    if layout(&records) == layout(&last)
        && ours.len() == theirs.len()
        && ours.iter().map(Vec::len).eq(theirs.iter().map(Vec::len))
    {
        assert_eq!(ours, theirs, "numbers and parents");
    }
    kills
}

fn options(random: &mut Random) -> Options {
    Options { explore_all: random.one_in(2), jobs: 1 + random.below(2), disk: None }
}

#[test]
fn programs_continue_as_if_never_interrupted() {
    let mut kills = 0;
    for seed in 0..count(2_000) {
        let random = &mut Random::new(seed);
        let program = Arc::new(testkit::program::program(seed));
        let how = options(random);
        let goals = [Goal::Bad, Goal::Deadlock];
        let plain = ProgramTask::new(Arc::clone(&program), goals);
        kills += compare(&|| Box::new(programs::explore(&plain, how.clone())), true, 40, random);
        let states = vec![LocalId::new(random.below(program.threads()[0].states.len()))];
        let assumed = plain.clone().assuming(vec![Assumption::Final { thread: ThreadId::new(0), states }]);
        kills += compare(&|| counted(&assumed, how.clone()), true, 40, random);
    }
    assert!(kills > 50, "{kills} kills");
}

proptest! {
    #![proptest_config(testkit::config(1_000))]
    /// Slots are widened, bounds cut, covered markings are left out, and there may be several rounds.
    #[test]
    fn nets_continue_as_if_never_interrupted(
        task in tasks(Features { upper: true, open: true, control: true }),
        seed: u64,
    ) {
        let random = &mut Random::new(seed);
        let how = Options { explore_all: random.one_in(2), jobs: 1, disk: None };
        // Nets with infinitely many markings have no end.
        if testkit::net::explore(&task, 2_000).is_some() {
            compare(&|| Box::new(nets::explore(task.clone(), how.clone())), how.explore_all, 30, random);
        }
    }
}

/// Returns a random C program with few states, and a task that asks for all of its labels.
fn reactive_task(random: &mut Random) -> Option<ReactiveTask> {
    let program = testkit::reactive::random(random, Values::Few);
    testkit::reactive::explore(&program, 2_000)?;
    let goals = (0..program.errors().len()).map(|error| Goal::Error(ErrorId::new(error)));
    Some(ReactiveTask::new(Arc::clone(&program), goals, &[]))
}

#[test]
fn reactive_programs_continue_as_if_never_interrupted() {
    let (mut kills, mut hits) = (0, 0);
    for seed in 0..count(1_500) {
        let random = &mut Random::new(seed);
        let Some(task) = reactive_task(random) else { continue };
        let how = options(random);
        kills += compare(&|| Box::new(reactive::explore(&task, how.clone())), how.explore_all, 40, random);
        hits +=
            usize::from(!run(&|| Box::new(reactive::explore(&task, how.clone())), || 1_000, |_| {}).hits.is_empty());
    }
    assert!(kills > 50 && hits > 10, "{kills} kills, {hits} with errors");
}

#[test]
fn several_workers_continue_too() {
    let task = ProgramTask::new(Arc::new(counters(9, 3)), [Goal::Deadlock]);
    for seed in 0..4 {
        let random = &mut Random::new(seed);
        let how = Options { explore_all: true, jobs: 2, disk: None };
        let kills = compare(&|| Box::new(programs::explore(&task, how.clone())), true, 20_000, random);
        let said = run(&|| Box::new(programs::explore(&task, how.clone())), || 20_000, |_| {});
        assert_eq!((said.stats.states, said.stats.transitions), (19_683, 9 * 19_683), "{kills} kills");
    }
}

#[test]
fn a_raised_pause_ends_the_turn() {
    let task = ProgramTask::new(Arc::new(counters(10, 4)), [Goal::Deadlock]);
    let stop = Arc::new(Stop::default());
    let mut engine = programs::explore(&task, Options { explore_all: true, jobs: 1, disk: None });
    stop.pause(true);
    for turn in 1..5 {
        let mut budget = Budget::unlimited(Arc::clone(&stop));
        assert!(matches!(engine.run(&mut budget), Turn::More));
        assert!(budget.work > 0 && engine.stats().states < 100_000 * turn);
    }
    stop.pause(false);
    while !matches!(engine.run(&mut Budget::unlimited(Arc::clone(&stop))), Turn::Done) {}
    assert_eq!(engine.stats().states, 1 << 20);
}

/// Every bit of a small checkpoint is flipped, and every record cut. A changed record is refused, or what it says is
/// possible: then the search ends, and does not panic.
#[test]
fn wrong_records_are_refused_or_harmless() {
    let task = ProgramTask::new(Arc::new(counters(3, 3)), [Goal::Deadlock]);
    let how = Options { explore_all: true, jobs: 1, disk: None };
    damage(&|| Box::new(programs::explore(&task, how.clone())), 4);
    let tasks = (0..).filter_map(|seed| reactive_task(&mut Random::new(seed)));
    let large = |task: &ReactiveTask| {
        run(&|| Box::new(reactive::explore(task, how.clone())), || 1_000, |_| {}).stats.states > 130
    };
    let task = tasks.into_iter().find(large).expect("a program with two stored predecessors");
    damage(&|| Box::new(reactive::explore(&task, how.clone())), 60);
}

/// Damages checkpoints of an engine, each after a turn of `work` units.
fn damage(make: Make<'_>, work: u64) {
    let mut engine = make();
    let mut log = Log::default();
    for _ in 0..3 {
        engine.run(&mut Budget::new(work, Arc::default()));
        assert!(log.save(true, |since, to| engine.save(since, to)));
    }
    let (mut refused, mut all) = (0, 0);
    let mut check = |records: Vec<Vec<u8>>| {
        let mut log = Log::of(records);
        let mut engine = make();
        all += 1;
        match log.restore(|from| engine.restore(from, &Stop::default())) {
            Ok(_) => while !matches!(engine.run(&mut Budget::unlimited(Arc::default())), Turn::Done) {},
            Err(_) => refused += 1,
        }
    };
    for (at, record) in log.records.iter().enumerate() {
        let mut with = |changed: Vec<u8>| {
            let mut records = log.records.clone();
            records[at] = changed;
            check(records);
        };
        for bit in 0..record.len() * 8 {
            let mut changed = record.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            with(changed);
        }
        (0..record.len()).for_each(|end| with(record[..end].to_vec()));
    }
    for at in 0..log.records.len() {
        let without = |records: &mut Vec<Vec<u8>>| _ = records.remove(at);
        let twice = |records: &mut Vec<Vec<u8>>| records.insert(at, records[at].clone());
        for change in [&without as &dyn Fn(&mut Vec<Vec<u8>>), &twice] {
            let mut records = log.records.clone();
            change(&mut records);
            check(records);
        }
    }
    assert!(refused * 2 > all, "{refused} of {all} are refused");
}

#[test]
fn records_of_another_system_are_refused() {
    let task = |threads, states| ProgramTask::new(Arc::new(counters(threads, states)), [Goal::Deadlock]);
    let how = Options { explore_all: true, jobs: 1, disk: None };
    let mut log = Log::default();
    let mut engine = programs::explore(&task(3, 3), how.clone());
    assert!(matches!(engine.run(&mut Budget::new(5, Arc::default())), Turn::More));
    assert!(log.save(true, |since, to| engine.save(since, to)));
    let mut restore = |engine: &mut dyn Engine| log.restore(|from| engine.restore(from, &Stop::default()));
    assert_eq!(restore(&mut programs::explore(&task(3, 3), how.clone())), Ok(true));
    assert!(restore(&mut programs::explore(&task(3, 2), how.clone())).is_err());
    assert!(restore(&mut programs::explore(&task(40, 3), how.clone())).is_err());
    let net: NetTask = testkit::net::task(testkit::net::net(&mut Random::new(1)), Vec::new(), true);
    assert!(restore(&mut nets::explore(net, how.clone())).is_err());
}

//! Searches go on exactly after a crash, whatever the crash did to the logs. What is damaged is cut off or refused, and
//! never believed.

use super::{How, Said, each, of_program, said, workers};
use crate::{Alone, NetSpace, Space};
use model::{Goal, NetTask, Problem};
use programs::RwbStepper;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use testkit::{Random, net, program, reach};

/// Damages the files of a worker. Returns true if something must have changed.
fn damage(dir: &Path, worker: usize, random: &mut Random) -> bool {
    let file = |end: &str| dir.join(format!("worker-{worker}.{end}"));
    let path = if random.one_in(5) { file("manifest") } else { file("log") };
    let mut data = fs::read(&path).expect("there is a log");
    match random.below(5) {
        0 => data.truncate(random.below(data.len())),
        1 => {
            let at = random.below(data.len());
            data[at] ^= 1 << random.below(8);
        }
        2 => data.extend((0..random.below(100)).map(|_| random.bits() as u8)),
        3 => {
            fs::remove_file(&path).expect("it exists");
            return true;
        }
        _ => return false,
    }
    fs::write(&path, data).expect("a file of this test");
    true
}

/// Crashes a search again and again, and resumes it. Returns the numbers of exact results, of results that did not
/// begin at the first level, and of refusals.
fn crash<S: Space>(space: &S, goals: &[Goal], problem: &Problem, random: &mut Random) -> [u64; 3] {
    let count = 1 + random.below(3);
    let alone = if random.one_in(3) { super::alone(random.below(12) as u64) } else { Alone::default() };
    let how = How { explore_all: random.one_in(2), alone, ..workers(count) };
    let whole = said(space, goals, problem, &how);
    let dir = tempfile::tempdir().expect("a folder");
    let how = How { logs: Some((dir.path().to_owned(), "run".to_owned())), ..how };
    for _ in 0..random.below(3) {
        let how = How { ends: Some(1 + random.below(whole.counts.levels as usize) as u64), ..how.clone() };
        each(space, goals, problem, &how);
    }
    if dir.path().join("worker-0.log").exists() && random.chance(70) {
        damage(dir.path(), random.below(count), random);
    }
    let how = How { levels: Arc::default(), ..how };
    let resumed: Vec<Result<Said, String>> = each(space, goals, problem, &how);
    if resumed.iter().all(Result::is_err) {
        return [0, 0, 1];
    }
    assert!(resumed.iter().all(|said| said.as_ref() == Ok(&whole)), "{resumed:#?}, and without a crash {whole:#?}");
    [1, u64::from(how.levels.load(Ordering::Relaxed) < whole.counts.levels), 0]
}

fn add(all: &mut [u64; 3], more: [u64; 3]) {
    all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
}

#[test]
fn searches_of_programs_go_on_exactly() {
    let mut random = Random::new(3);
    let mut all = [0; 3];
    for seed in 0..testkit::count(900) {
        let program = program::program(seed);
        let next = |state: &program::State| program::successors(&program, state).into_iter().map(|(_, s)| s).collect();
        if program.has_finals() || reach(program::initial(&program), 3000, next).is_none() {
            continue;
        }
        let space = RwbStepper::new(&Arc::new(program.clone()));
        add(&mut all, crash(&space, &[Goal::Bad, Goal::Deadlock], &of_program(program), &mut random));
    }
    assert!(all.iter().all(|count| *count > 1), "the test is too weak: {all:?}");
}

#[test]
fn searches_of_nets_go_on_exactly() {
    let mut random = Random::new(4);
    let mut all = [0; 3];
    for _ in 0..testkit::count(1500) {
        let plain = Arc::new(net::up_to(5, &mut random));
        let problem = Problem::of_net(Arc::clone(&plain)).never_stuck().expect("it fits");
        let task = NetTask::plain(plain, Vec::new(), vec![Goal::Deadlock]);
        let (Some(_), Ok(space)) = (net::explore(&task, 2000), NetSpace::new(Arc::new(task.clone()))) else { continue };
        add(&mut all, crash(&space, &task.goals, &problem, &mut random));
    }
    assert!(all.iter().all(|count| *count > 1), "the test is too weak: {all:?}");
}

#[test]
fn logs_of_other_runs_are_refused() {
    let program = program::program(1);
    let (space, problem) = (RwbStepper::new(&Arc::new(program.clone())), of_program(program));
    let dir = tempfile::tempdir().expect("a folder");
    let how = |workers: usize, run: &str| How {
        logs: Some((dir.path().to_owned(), run.to_owned())),
        ..super::workers(workers)
    };
    said(&space, &[Goal::Bad], &problem, &how(2, "one"));
    for other in [how(2, "other"), how(1, "one"), how(3, "one")] {
        let all = each(&space, &[Goal::Bad], &problem, &other);
        assert!(all.iter().all(|said| said.as_ref().is_err_and(|why| why.contains("another model"))), "{all:?}");
    }
    assert_eq!(
        said(&space, &[Goal::Bad], &problem, &how(2, "one")),
        said(&space, &[Goal::Bad], &problem, &super::workers(1))
    );
}

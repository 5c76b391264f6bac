//! Tests of response times: random task sets and near misses against brute force, and a deliberate violation of
//! each condition.

use super::brute::{self, Rng};
use super::restrictions::{Excluded, accepts, restriction};
use crate::restricted;
use kernel::Work;
use model::{EventId, LocalId, LocalState, Program, Restriction, Stop, Task, Thread, ThreadId, Unreachable};
use std::sync::Arc;

/// The parameters of a generated task.
#[derive(Clone, Copy, Debug)]
struct Spec {
    period: u32,
    work: u32,
    offset: u32,
    /// A pending task blocks the events of tasks with a smaller priority, and the events that belong to no
    /// task.
    priority: usize,
}

/// Threads under construction: tasks first. Event i is that of task i. Then come `others` events.
#[derive(Clone, Debug)]
struct Parts {
    events: usize,
    threads: Vec<Thread>,
    tasks: Vec<Task>,
}

impl Parts {
    /// The tasks, and a thread that always requests the last event.
    fn new(specs: &[Spec], others: usize) -> Self {
        let events = specs.len() + others;
        let mut threads: Vec<Thread> = (0..specs.len()).map(|i| task_thread(specs, i, events)).collect();
        let idle = brute::local("s", events, &[events as u32 - 1], &[], &[]);
        threads.push(brute::thread("Idle", &[0], vec![idle]));
        let task = |(i, spec): (usize, &Spec)| Task {
            thread: ThreadId::new(i),
            event: EventId::new(i),
            period: spec.period,
            work: spec.work,
            offset: spec.offset,
        };
        Self { events, threads, tasks: specs.iter().enumerate().map(task).collect() }
    }

    fn program(&self) -> Arc<Program> {
        brute::program(self.events, self.threads.clone())
    }

    fn restriction(&self, excluded: Excluded) -> Restriction {
        restriction(Unreachable::ResponseTimes(self.tasks.clone()), excluded)
    }

    /// The state with this name of a task's thread.
    fn state(&self, task: usize, name: &str) -> usize {
        self.threads[task].states.iter().position(|s| s.name == name).expect("a state")
    }

    fn miss(&self, task: usize) -> (ThreadId, LocalId) {
        (ThreadId::new(task), LocalId::new(self.state(task, "miss")))
    }

    /// The states in which a task misses its deadline.
    fn misses(&self) -> Excluded {
        (0..self.tasks.len()).map(|i| self.miss(i)).collect()
    }

    /// The states of all threads that the checker accepts as excluded, one by one.
    fn excludable(&self) -> Excluded {
        let program = self.program();
        let stop = Stop::default();
        let mut excluded = Vec::new();
        for (t, thread) in self.threads.iter().enumerate() {
            for s in 0..thread.states.len() {
                let one = (ThreadId::new(t), LocalId::new(s));
                let restriction = self.restriction(vec![one]);
                if restricted::check(&program, &[restriction], &mut Work::new(u64::MAX, &stop)).is_ok() {
                    excluded.push(one);
                }
            }
        }
        excluded
    }

    /// Returns the states that the checker accepts as excluded, one by one. Asserts that it also accepts all of
    /// them together, and that this is right.
    #[track_caller]
    fn checked(&self) -> Excluded {
        let excluded = self.excludable();
        if !excluded.is_empty() {
            assert!(accepts(&self.program(), &self.restriction(excluded.clone())), "one by one, but not together");
        }
        excluded
    }
}

/// States named c.r, for all columns c with all rows r that fit, and a state for a miss.
fn task_thread(specs: &[Spec], i: usize, events: usize) -> Thread {
    let Spec { period, work, offset, priority } = specs[i];
    let rows = |column: u32| column.min(work);
    let number = |column: u32, row: u32| (0..column).map(|c| rows(c) + 1).sum::<u32>() + row;
    // Column 0 has only row 0: a job that is not done at the next release is a miss. If there is an offset, a
    // state for "all work done" at column `offset` is needed too.
    let mut states = Vec::new();
    let miss = number(period, 0);
    for column in 0..period {
        for row in 0..=rows(column) {
            let pending = row < work;
            let mut state = brute::local(&format!("{column}.{row}"), events, &[], &[], &[]);
            for e in 0..events {
                let event = EventId::new(e);
                let lower = specs.get(e).is_none_or(|other| other.priority < priority);
                if pending && e != i && lower {
                    state.block.insert(event);
                }
                let after = row + u32::from(pending && e == i);
                let to = match (column + 1 == period, after == work) {
                    (true, true) => 0,
                    (true, false) => miss,
                    (false, _) => number(column + 1, after),
                };
                state.on.insert(event, vec![LocalId(to)]);
            }
            if pending {
                state.request.insert(EventId::new(i));
            }
            states.push(state);
        }
    }
    states.push(LocalState::bad("miss".to_owned(), events));
    let mut initial = 0;
    if offset > 0 {
        initial = if offset >= work { number(offset, work) } else { states.len() as u32 };
        // If less time has passed than the work takes, there is a separate chain of states with nothing to do
        // until the release.
        for column in offset..work {
            let mut state = brute::local(&format!("wait{column}"), events, &[], &[], &[]);
            let to = match column + 1 {
                next if next == period => 0,
                next if next < work => states.len() as u32 + 1,
                next => number(next, work),
            };
            (0..events).for_each(|e| _ = state.on.insert(EventId::new(e), vec![LocalId(to)]));
            states.push(state);
        }
    }
    brute::thread(&format!("Task{i}"), &[initial], states)
}

fn random_specs(rng: &mut Rng) -> Vec<Spec> {
    let count = 1 + rng.below(3);
    let spec = |rng: &mut Rng| {
        let period = 2 + rng.below(5) as u32;
        let work = 1 + rng.below(period.min(3) as usize) as u32;
        let offset = if rng.one_in(2) { 0 } else { rng.below(period as usize) as u32 };
        Spec { period, work, offset, priority: rng.below(4) }
    };
    (0..count).map(|_| spec(rng)).collect()
}

/// Makes one small change: to an edge, a request, a block, the initial states, or the parameters.
fn damage(rng: &mut Rng, parts: &mut Parts) {
    let t = rng.below(parts.threads.len());
    let s = rng.below(parts.threads[t].states.len());
    let event = EventId::new(rng.below(parts.events));
    let target = LocalId::new(rng.below(parts.threads[t].states.len()));
    let state = &mut parts.threads[t].states[s];
    match rng.below(12) {
        0 => _ = state.on.insert(event, vec![target]),
        1 => _ = state.on.remove(&event),
        2 => {
            let targets = state.on.entry(event).or_insert_with(|| vec![LocalId::new(s)]);
            targets.push(target);
            targets.sort_unstable();
            targets.dedup();
        }
        3 => state.request.insert(event),
        4 => state.request.remove(event),
        5 => state.block.insert(event),
        6 | 7 => state.block.remove(event),
        8 => parts.threads[t].initial = vec![target],
        9 => {
            parts.threads[t].initial.push(target);
            parts.threads[t].initial.sort_unstable();
            parts.threads[t].initial.dedup();
        }
        10 => {
            let i = rng.below(parts.tasks.len());
            let task = &mut parts.tasks[i];
            let number = [&mut task.period, &mut task.work, &mut task.offset].into_iter().nth(rng.below(3));
            let number = number.expect("three numbers");
            *number = if rng.one_in(2) { *number + 1 } else { number.saturating_sub(1) };
        }
        _ => _ = parts.tasks.swap_remove(rng.below(parts.tasks.len())),
    }
}

/// True if every busy period of each priority and above is short enough, by the textbook.
fn schedulable(specs: &[Spec]) -> bool {
    specs.iter().all(|spec| {
        let work = |l: u32| {
            let level = specs.iter().filter(|other| other.priority >= spec.priority);
            level.map(|other| l.div_ceil(other.period) * other.work).sum::<u32>()
        };
        (1..=spec.period).any(|l| work(l) == l)
    })
}

/// Returns three counts: schedulable task sets, damaged task sets for which no state is excluded, and damaged
/// task sets for which some state is excluded.
fn sweep(seed: u64, rounds: usize) -> [usize; 3] {
    let mut rng = Rng(seed);
    let mut counts = [0; 3];
    for round in 0..rounds {
        let specs = random_specs(&mut rng);
        let mut parts = Parts::new(&specs, 1 + rng.below(2));
        if rng.one_in(4) {
            let good = schedulable(&specs);
            let excluded = parts.checked();
            let missing = parts.misses().into_iter().find(|miss| !excluded.contains(miss));
            assert_eq!(missing.is_none(), good, "round {round}: {specs:?} {missing:?} {excluded:?}");
            counts[0] += usize::from(good);
            continue;
        }
        for _ in 0..1 + rng.below(2) {
            damage(&mut rng, &mut parts);
            if parts.tasks.is_empty() {
                break;
            }
        }
        let excluded = parts.checked();
        counts[if excluded.is_empty() { 1 } else { 2 }] += 1;
    }
    counts
}

#[test]
fn restrictions_of_random_task_sets_are_right() {
    let counts = sweep(51, 4000);
    assert!(counts.iter().all(|&n| n > 300), "{counts:?}");
}

#[test]
#[ignore = "minutes: the test above, longer"]
fn restrictions_of_many_random_task_sets_are_right() {
    let counts = sweep(52, 100_000);
    assert!(counts.iter().all(|&n| n > 7500), "{counts:?}");
}

/// Two tasks by priority, and an idle thread.
fn two() -> Parts {
    let high = Spec { period: 3, work: 1, offset: 0, priority: 2 };
    let low = Spec { period: 5, work: 2, offset: 0, priority: 1 };
    Parts::new(&[high, low], 1)
}

#[track_caller]
fn refused(parts: &Parts, excluded: Excluded, reason: &str) {
    refused_as("the task set", parts, excluded, reason);
}

#[track_caller]
fn refused_as(name: &str, parts: &Parts, excluded: Excluded, reason: &str) {
    let stop = Stop::default();
    let work = &mut Work::new(u64::MAX, &stop);
    match restricted::check(&parts.program(), &[parts.restriction(excluded)], work) {
        Err(crate::Refusal::Rejected(why)) if why.contains(reason) => {}
        other => panic!("{name}: expected a rejection ({reason}), got {:?}", other.map(|_| ())),
    }
}

#[test]
fn response_times_leave_out_what_is_too_late() {
    let parts = two();
    // Task 1 is done within 3 steps. Two missing slots at column 2 or later are too late, and so is one missing
    // slot at column 3.
    let names: Vec<String> =
        parts.checked().iter().map(|(t, s)| format!("{}:{}", t.0, parts.threads[t.index()].state(*s).name)).collect();
    assert_eq!(names, ["0:1.0", "0:2.0", "0:miss", "1:2.0", "1:3.0", "1:3.1", "1:4.0", "1:4.1", "1:miss"]);
    let late = LocalId::new(parts.state(1, "2.1"));
    refused(&parts, vec![(ThreadId(1), late)], "task 1 may come to state");
    refused(&parts, vec![(ThreadId(2), LocalId(0))], "is initial");
}

/// Tasks that are done wait for their release, even long after their bound.
#[test]
fn done_is_not_late() {
    let parts = Parts::new(&[Spec { period: 6, work: 1, offset: 0, priority: 1 }], 1);
    for column in 2..6 {
        let state = LocalId::new(parts.state(0, &format!("{column}.1")));
        refused(&parts, vec![(ThreadId(0), state)], "may come to state");
    }
    assert!(accepts(&parts.program(), &parts.restriction(parts.misses())));
}

/// A name, a damage to a correct set of tasks, and the reason for which the damaged set must be refused.
type Planted = (&'static str, fn(&mut Parts), &'static str);

fn edge(parts: &mut Parts, task: usize, from: &str, event: u32, to: &[&str]) {
    let mut targets: Vec<LocalId> = to.iter().map(|name| LocalId::new(parts.state(task, name))).collect();
    targets.sort_unstable();
    let from = parts.state(task, from);
    parts.threads[task].states[from].on.insert(EventId(event), targets);
}

fn state<'a>(parts: &'a mut Parts, task: usize, name: &str) -> &'a mut LocalState {
    let at = parts.state(task, name);
    &mut parts.threads[task].states[at]
}

const PLANTED: &[Planted] = &[
    ("two initial states", |p| p.threads[1].initial = vec![LocalId(0), LocalId(1)], "is not a valid task"),
    ("no work", |p| p.tasks[0].work = 0, "is not a valid task"),
    ("more work than steps", |p| p.tasks[0].work = 4, "is not a valid task"),
    ("no period", |p| p.tasks[0].period = 0, "is not a valid task"),
    ("an offset of a period", |p| p.tasks[0].offset = 3, "is not a valid task"),
    ("an unknown thread", |p| p.tasks[0].thread = ThreadId(7), "is not a valid task"),
    ("an unknown event", |p| p.tasks[0].event = EventId(7), "is not a valid task"),
    ("one thread for two tasks", |p| p.tasks[0].thread = ThreadId(1), "is not a valid task"),
    ("one event for two tasks", |p| p.tasks[0].event = EventId(1), "is not a valid task"),
    (
        "events of each other",
        |p| {
            p.tasks[0].event = EventId(1);
            p.tasks[1].event = EventId(0);
        },
        "requested by another thread",
    ),
    ("a foreign request", |p| p.threads[2].states[0].request.insert(EventId(0)), "requested by another thread"),
    ("a request by another task", |p| state(p, 0, "0.0").request.insert(EventId(1)), "requested by another thread"),
    ("a request without need", |p| state(p, 1, "3.2").request.insert(EventId(1)), "without need"),
    ("idling while pending", |p| state(p, 1, "1.1").block.remove(EventId(2)), "does not block event 2"),
    ("a task that is not listed", |p| _ = p.tasks.remove(0), "does not block event 0"),
    ("a choice", |p| edge(p, 1, "1.1", 1, &["2.1", "2.2"]), "has a choice"),
    ("an event that is not mentioned", |p| _ = state(p, 0, "1.1").on.remove(&EventId(2)), "out of turn"),
    ("a step over a column", |p| edge(p, 0, "0.0", 0, &["2.1"]), "out of turn"),
    ("a slot that does not count", |p| edge(p, 1, "0.0", 1, &["1.0"]), "without need"),
    ("a slot of another that counts", |p| edge(p, 1, "0.0", 0, &["1.1"]), "out of turn"),
    ("back to elsewhere", |p| edge(p, 0, "2.1", 2, &["1.1"]), "out of turn"),
    ("straight to the miss", |p| edge(p, 1, "4.2", 2, &["miss"]), "may come to state"),
    ("a longer period", |p| p.tasks[0].period = 4, "out of turn"),
    ("a shorter period", |p| p.tasks[0].period = 2, "does not block event 2"),
    ("less work", |p| p.tasks[1].work = 1, "without need"),
    ("another offset", |p| p.tasks[1].offset = 1, "without need"),
    (
        "a task that waits for its equals",
        |p| {
            *p = {
                let equal = |period, work| Spec { period, work, offset: 0, priority: 1 };
                Parts::new(&[equal(2, 1), equal(5, 2)], 1)
            }
        },
        "longer than 2",
    ),
    (
        "too much work",
        |p| {
            *p = {
                let spec = |period, work, priority| Spec { period, work, offset: 0, priority };
                Parts::new(&[spec(3, 2, 2), spec(5, 2, 1)], 1)
            }
        },
        "longer than 5",
    ),
];

#[test]
fn each_planted_violation_is_refused() {
    let right = two();
    assert!(accepts(&right.program(), &right.restriction(right.misses())));
    for (name, plant, reason) in PLANTED {
        let mut parts = two();
        plant(&mut parts);
        let excluded: Excluded = (0..2).map(|i| parts.miss(i)).collect();
        refused_as(name, &parts, excluded, reason);
    }
    refused(&right, vec![(ThreadId(0), LocalId(1)), (ThreadId(2), LocalId(0))], "is initial");
    let mut none = two();
    none.tasks.truncate(1);
    refused(&none, vec![none.miss(1)], "is not one of the tasks");
}

/// Numbers of the largest size. Neither a period that no thread could have nor a sum of such periods overflows.
#[test]
fn large_numbers_do_not_overflow() {
    let shut = |t: u32| {
        let state = brute::local("s", 2, &[], &[t], &[]);
        brute::thread(&format!("t{t}"), &[0], vec![state, LocalState::bad("bad".to_owned(), 2)])
    };
    let most = u32::MAX;
    let task = |t: u32| Task { thread: ThreadId(t), event: EventId(t), period: most, work: most, offset: 0 };
    let mut parts = Parts { events: 2, threads: vec![shut(0), shut(1)], tasks: vec![task(0), task(1)] };
    let bad = vec![(ThreadId(1), LocalId(1))];
    refused(&parts, bad.clone(), "longer than 4294967295");
    parts.tasks.remove(0);
    assert!(accepts(&parts.program(), &parts.restriction(bad)));
}

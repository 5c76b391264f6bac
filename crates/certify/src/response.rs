//! Response times of periodic tasks: shows that the threads of tasks never visit some states, because jobs are
//! done in time.
//!
//! [`model::Unreachable::ResponseTimes`] states the conditions and the argument. It also defines pending
//! states, own events, the closure A(i) of the levels, and the response bound L(i).
//!
//! A *walk* derives which states a task visits. It gives each such state a column c (steps since the release)
//! and a row r (slots received). The walk of task i uses a number `bound(i)`, which is at least L(i) and at most
//! the period of the task. A move leads into a column c', with w slots still missing after it. The walk leaves
//! out the move if w >= 1 and `c' + w > bound(i)`, because the job could then not be done within `bound(i)`
//! steps.
//!
//! The claims below show that no run takes a move that is left out. Suppose that some run does. Consider its
//! first step with such a move, and let i be the task that makes the move. The functions that check the
//! condition of claim k are marked with (k).
//!
//! 1. Before this step all tasks are in states that their walks derive, so releases are one period apart.
//! 2. Consider an earlier step in which some task of A(i) is pending. The event of this step is not blocked by
//!    the pending state. So it is the own event of some task j of A(i).
//! 3. The own event of j is requested when it fires. No other thread requests it, so the thread of j does.
//! 4. Only pending states of j request the own event of j. So j is pending, and gets a slot.
//! 5. The busy-period argument completes the proof. L(i) is the least L > 0 that equals the work which the
//!    tasks of A(i) release in L steps. The argument gives `c' + w <= L(i)`, and L(i) is at most bound(i). This
//!    is a contradiction.

use crate::threads::Threads;
use crate::{Check, reject};
use kernel::Work;
use kernel::program::stepper::{bit, bits};
use model::{EventSet, LocalId, Task, ThreadId};

/// Accepts `excluded` if the tasks show that no run visits these states.
pub(crate) fn check(
    tasks: &[Task],
    excluded: &[(ThreadId, LocalId)],
    threads: &Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    for (number, task) in tasks.iter().enumerate() {
        work.spend(1 + number as u64)?;
        check_task(task, &tasks[..number], threads)?;
    }
    let set = TaskSet { tasks, threads, requestable: threads.requestable() };
    set.no_other_thread_requests(work)?;
    let walks = set.walks(work)?;
    for &(thread, state) in excluded {
        work.spend(1 + tasks.len() as u64)?;
        let Some(number) = tasks.iter().position(|task| task.thread == thread) else {
            return reject(format!("thread {} is not one of the tasks", thread.0));
        };
        if walks[number].pairs[state.index()].is_some() {
            return reject(format!("task {number} may come to state {}", state.0));
        }
    }
    Ok(())
}

/// Checks that the parameters make sense, and that no earlier task has the same thread or event.
fn check_task(task: &Task, earlier: &[Task], threads: &Threads<'_>) -> Check<()> {
    let stepper = threads.stepper;
    let known = task.thread.index() < stepper.width() && task.event.index() < stepper.events();
    let sound = (1..=task.period).contains(&task.work) && task.offset < task.period;
    let new = earlier.iter().all(|other| other.thread != task.thread && other.event != task.event);
    if !known || !sound || !new || stepper.initial(task.thread.index()).len() != 1 {
        return reject(format!("{task:?} is not a valid task, or its thread or event is listed twice"));
    }
    Ok(())
}

struct TaskSet<'a> {
    tasks: &'a [Task],
    threads: &'a Threads<'a>,
    /// Events that some locally reachable state requests, 64 to a word.
    requestable: Vec<u64>,
}

/// The states that a task's thread may be in.
struct Walk {
    /// For each local state: its column and row, if the walk reached it.
    pairs: Vec<Option<(u32, u32)>>,
    /// Events that some pending state does not block, 64 to a word.
    open: Vec<u64>,
}

impl TaskSet<'_> {
    /// (3): checks that no other thread has a locally reachable state that requests a task's own event.
    fn no_other_thread_requests(&self, work: &mut Work<'_>) -> Check<()> {
        for task in self.tasks {
            work.spend(1)?;
            if self.threads.requested_outside(&[task.thread.0], task.event.0) {
                return reject(format!("the event {} of a task may be requested by another thread", task.event.0));
            }
        }
        Ok(())
    }

    /// Computes the walks of all tasks under bounds that the walks justify. The bound of each task begins at
    /// the task's own work. Bounds are raised until each is at least the response bound that results from the
    /// walks. A larger bound leaves out fewer moves. So more states are pending, levels are larger, and the
    /// resulting response bounds are larger, too. So these are the least bounds that are consistent with each
    /// other.
    fn walks(&self, work: &mut Work<'_>) -> Check<Vec<Walk>> {
        let mut bounds: Vec<u32> = self.tasks.iter().map(|task| task.work).collect();
        loop {
            let walks: Vec<Walk> =
                (0..self.tasks.len()).map(|i| self.walk(i, bounds[i], work)).collect::<Check<_>>()?;
            let mut fits = true;
            for (i, bound) in bounds.iter_mut().enumerate() {
                let needed = self.response(&self.level(i, &walks, work)?, self.tasks[i].period, work)?;
                fits &= needed <= *bound;
                *bound = needed.max(*bound);
            }
            if fits {
                return Ok(walks);
            }
        }
    }

    /// Computes the walk of one task with the given bound, and checks (1), (2) and (4) for it.
    fn walk(&self, number: usize, bound: u32, work: &mut Work<'_>) -> Check<Walk> {
        let (task, stepper) = (&self.tasks[number], self.threads.stepper);
        let thread = task.thread.index();
        let mut walk = Walk { pairs: vec![None; stepper.size(thread)], open: vec![0; stepper.words()] };
        let first = stepper.initial(thread)[0];
        let first_pair = if task.offset == 0 { (0, 0) } else { (task.offset, task.work) };
        walk.pairs[first as usize] = Some(first_pair);
        let mut todo = vec![(first, first_pair)];
        while let Some((state, (column, row))) = todo.pop() {
            let mut firing = self.requestable.clone();
            stepper.block(thread, state).take_from(&mut firing);
            work.spend(1 + firing.len() as u64)?;
            if row < task.work {
                self.only_own_events(number, &firing, work)?;
                let mut open = EventSet::full(stepper.events());
                open.subtract(stepper.block(thread, state));
                open.add_to(&mut walk.open);
            } else if stepper.requests(thread, state, task.event.0) {
                return reject(format!("task {number} requests its event in state {state} without need"));
            }
            for event in bits(&firing) {
                work.spend(1)?;
                let row = if event == task.event.0 && row < task.work { row + 1 } else { row };
                let Some(pair) = next_pair(task, bound, column, row) else { continue };
                let &[to] = stepper.targets(thread, state, event) else {
                    return reject(format!("task {number} has a choice on event {event} in state {state}"));
                };
                match walk.pairs[to as usize] {
                    None => {
                        walk.pairs[to as usize] = Some(pair);
                        todo.push((to, pair));
                    }
                    Some(known) if known == pair => {}
                    Some(_) => {
                        return reject(format!("task {number}: event {event} leads from {state} to {to} out of turn"));
                    }
                }
            }
        }
        Ok(walk)
    }

    /// (2): checks that each event in `firing` is the own event of some task. These are the events that may be
    /// requested and that some pending state of task `number` does not block. By the definition of a level, the
    /// tasks of these events are in the level.
    fn only_own_events(&self, number: usize, firing: &[u64], work: &mut Work<'_>) -> Check<()> {
        for event in bits(firing) {
            work.spend(1 + self.tasks.len() as u64)?;
            if self.tasks.iter().all(|task| task.event.0 != event) {
                return reject(format!("task {number} does not block event {event} while it is pending"));
            }
        }
        Ok(())
    }

    /// Computes A(i): task i, and with each task j all tasks k such that some pending state of j does not block
    /// the own event of k.
    fn level(&self, i: usize, walks: &[Walk], work: &mut Work<'_>) -> Check<Vec<usize>> {
        let mut inside = vec![false; self.tasks.len()];
        inside[i] = true;
        let mut level = vec![i];
        let mut at = 0;
        while at < level.len() {
            let open = &walks[level[at]].open;
            for (j, task) in self.tasks.iter().enumerate() {
                work.spend(1)?;
                if bit(open, task.event.0) && !std::mem::replace(&mut inside[j], true) {
                    level.push(j);
                }
            }
            at += 1;
        }
        Ok(level)
    }

    /// (5): returns the least L > 0 that equals the work which the tasks of `level` release in L steps. Rejects
    /// if L exceeds `most`. The work W(L) never falls as L grows, so 1, W(1), W(W(1)), .. rises to the least L
    /// and no further.
    fn response(&self, level: &[usize], most: u32, work: &mut Work<'_>) -> Check<u32> {
        let mut length = 1u128;
        loop {
            work.spend(1 + level.len() as u64)?;
            let tasks = level.iter().map(|&j| &self.tasks[j]);
            let released: u128 =
                tasks.map(|task| length.div_ceil(u128::from(task.period)) * u128::from(task.work)).sum();
            if released > u128::from(most) {
                return reject(format!("a busy period of level {level:?} may be longer than {most}"));
            }
            if released == length {
                return u32::try_from(length).or_else(|_| reject("a busy period is too long"));
            }
            length = released;
        }
    }
}

/// Returns the pair that a move from `column` leads to, with `row` slots received after the move. `None` if the
/// walk leaves the move out.
fn next_pair(task: &Task, bound: u32, column: u32, row: u32) -> Option<(u32, u32)> {
    let missing = task.work - row;
    let column = column + 1;
    if missing > 0 && u64::from(column) + u64::from(missing) > u64::from(bound) {
        return None;
    }
    Some(if column == task.period { (0, 0) } else { (column, row) })
}

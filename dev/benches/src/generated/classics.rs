//! Textbook families with n threads (or floors, or locks), each in a right and in a wrong version.
//!
//! The answers are known by construction and are easy for people to see. So the measured quantity is the time
//! that the tool needs.

/// The known answer about a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expected {
    /// Neither `bad` nor `deadlock` is reachable.
    Safe,
    /// A deadlock is reachable, and no bad state.
    Deadlock,
    /// A bad state is reachable, and no deadlock.
    Bad,
}

/// A family of programs, one for each size.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) known: Expected,
    /// Returns the text of the program of size n. n must be at least 3.
    pub(crate) text: fn(usize) -> String,
}

/// The families, each right version next to its wrong version.
pub(crate) const FAMILIES: [Family; 12] = [
    Family { name: "philosophers", known: Expected::Deadlock, text: |n| philosophers(n, false) },
    Family { name: "philosophers_left", known: Expected::Safe, text: |n| philosophers(n, true) },
    Family { name: "producers_lock", known: Expected::Deadlock, text: |n| producers(n, true) },
    Family { name: "producers", known: Expected::Safe, text: |n| producers(n, false) },
    Family { name: "readers_upgrade", known: Expected::Deadlock, text: |n| readers(n, true) },
    Family { name: "readers", known: Expected::Safe, text: |n| readers(n, false) },
    Family { name: "locks", known: Expected::Deadlock, text: |n| locks(n, false) },
    Family { name: "locks_sorted", known: Expected::Safe, text: |n| locks(n, true) },
    Family { name: "token_lost", known: Expected::Deadlock, text: |n| token(n, true) },
    Family { name: "token", known: Expected::Safe, text: |n| token(n, false) },
    Family { name: "elevator_door", known: Expected::Bad, text: |n| elevator(n, true) },
    Family { name: "elevator", known: Expected::Safe, text: |n| elevator(n, false) },
];

/// The sizes that are measured.
pub(crate) const SIZES: [usize; 5] = [10, 30, 100, 300, 1_000];

/// Iterates over the measured programs up to this size: name, known answer and text.
pub(crate) fn all(largest: usize) -> impl Iterator<Item = (String, Expected, String)> {
    let each = move |family: &'static Family| {
        let sizes = SIZES.into_iter().filter(move |n| *n <= largest);
        sizes.map(|n| (format!("{}_{n}", family.name), family.known, (family.text)(n)))
    };
    FAMILIES.iter().flat_map(each)
}

/// Philosophers take the left fork, then the right one. If the first one starts with the right fork (`left`),
/// there is no cycle of waiting philosophers.
fn philosophers(n: usize, left: bool) -> String {
    let left = i32::from(left);
    format!(
        "rwb 1
const n = {n}
const left = {left}
event take[n][2], put[n][2]       # [i][0]: philosopher i and fork i; [i][1]: philosopher i and fork i + 1
for i in 0..n {{
  thread Fork[i] {{ body {{ loop {{
    sync wait take[i][0], take[(i+n-1)%n][1] block put[i][0], put[(i+n-1)%n][1]
    sync wait put[i][0], put[(i+n-1)%n][1] block take[i][0], take[(i+n-1)%n][1]
  }} }} }}
  thread Phil[i] {{ body {{ loop {{
    when i == 0 && left {{ request take[i][1] request take[i][0] }} else {{ request take[i][0] request take[i][1] }}
    request put[i][1] request put[i][0]
  }} }} }}
}}
"
    )
}

/// Producers make an item and put it into a buffer; consumers get an item and use it. With `lock` they hold a
/// lock while they access the buffer. Consumers take the lock only if the buffer is not empty, but producers
/// take it even if the buffer is full.
fn producers(n: usize, lock: bool) -> String {
    let (put, get) = match lock {
        true => ("request lock[i] request put[i] request free[i]", "request take[i] request get[i] request give[i]"),
        false => ("request put[i]", "request get[i]"),
    };
    let more = match lock {
        true => {
            "event lock[n], free[n], take[n], give[n]
thread Lock { body { loop {
  sync wait lock[*], take[*] block free[*], give[*]
  sync wait free[*], give[*] block lock[*], take[*]
} } }
"
        }
        false => "",
    };
    let empty = if lock { "get[*], take[*]" } else { "get[*]" };
    format!(
        "rwb 1
const n = {n}
const room = 10
event make[n], put[n], get[n], use[n]
{more}for i in 0..n {{
  thread Producer[i] {{ body {{ loop {{ request make[i] {put} }} }} }}
  thread Consumer[i] {{ body {{ loop {{ {get} request use[i] }} }} }}
}}
thread Buffer {{ for k in 0..room+1 {{ state holds[k] {{
  when k == 0 {{ block {empty} }} else {{ on get[*] -> holds[k-1] }}
  when k == room {{ block put[*] }} else {{ on put[*] -> holds[k+1] }}
}} }} }}
"
    )
}

/// Readers share a page, and a writer has it alone. With `upgrade` a reader may ask to write without leaving
/// first. If all current readers do this, none of them can continue.
fn readers(n: usize, upgrade: bool) -> String {
    let (events, reader, alone) = match upgrade {
        true => (
            ", want[n], upgrade[n]",
            "select { on request leave[i] { } on request want[i] { request upgrade[i] request leave[i] } }",
            "when k != 1 { block upgrade[*] }",
        ),
        false => ("", "request leave[i]", ""),
    };
    format!(
        "rwb 1
const n = {n}
event enter[n], leave[n], open[n], close[n]{events}
for i in 0..n {{
  thread Reader[i] {{ body {{ loop {{ request enter[i] {reader} }} }} }}
  thread Writer[i] {{ body {{ loop {{ request open[i] request close[i] }} }} }}
}}
thread Page {{
  for k in 0..n+1 {{ state readers[k] {{
    when k < n {{ on enter[*] -> readers[k+1] }}
    when k > 0 {{ on leave[*] -> readers[k-1] block open[*] }} else {{ on open[*] -> written }}
    {alone}
  }} }}
  state written {{ block enter[*], open[*] on close[*] -> readers[0] }}
}}
thread Marker {{
  for k in 0..n+1 {{ state readers[k] {{
    when k < n {{ on enter[*] -> readers[k+1] }}
    when k > 0 {{ on leave[*] -> readers[k-1] on open[*] -> broken }} else {{ on open[*] -> written }}
  }} }}
  state written {{ on enter[*], open[*] -> broken on close[*] -> readers[0] }}
  state broken {{ bad }}
}}
"
    )
}

/// Returns three different locks of n for each of n workers. A worker that shares no lock with another worker
/// never waits. If no worker waited, nothing could deadlock, so the locks of such a worker are drawn again.
fn drawn(n: usize) -> Vec<Vec<usize>> {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut draw = || {
        let mut wanted = Vec::new();
        while wanted.len() < 3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let lock = usize::try_from(state >> 33).expect("31 bits") % n;
            if !wanted.contains(&lock) {
                wanted.push(lock);
            }
        }
        wanted
    };
    let mut wanted: Vec<Vec<usize>> = (0..n).map(|_| draw()).collect();
    let mut users = vec![0; n];
    wanted.iter().flatten().for_each(|&lock| users[lock] += 1);
    for locks in &mut wanted {
        while locks.iter().all(|&lock| users[lock] == 1) {
            locks.iter().for_each(|&lock| users[lock] -= 1);
            *locks = draw();
            locks.iter().for_each(|&lock| users[lock] += 1);
        }
    }
    wanted
}

/// Returns n workers and n locks. Each worker takes three locks, one after the other, and releases all of them
/// at once. A small random generator draws the locks. `sorted` workers take the lowest lock first.
fn locks(n: usize, sorted: bool) -> String {
    let mut wanted = drawn(n);
    if sorted {
        wanted.iter_mut().for_each(|locks| locks.sort_unstable());
    }
    let mut users = vec![Vec::new(); n];
    for (worker, locks) in wanted.into_iter().enumerate() {
        for (step, lock) in locks.into_iter().enumerate() {
            users[lock].push((worker, step));
        }
    }
    let mut text = format!(
        "rwb 1
const n = {n}
event take[n][3], done[n]         # [i][k]: worker i takes its k-th lock
for i in 0..n {{ thread Worker[i] {{ body {{ loop {{
  request take[i][0] request take[i][1] request take[i][2] request done[i]
}} }} }} }}
"
    );
    for (lock, users) in users.iter().enumerate().filter(|(_, users)| !users.is_empty()) {
        let takes: Vec<String> = users.iter().map(|(worker, step)| format!("take[{worker}][{step}]")).collect();
        let gives: Vec<String> = users.iter().map(|(worker, _)| format!("done[{worker}]")).collect();
        let (takes, gives) = (takes.join(", "), gives.join(", "));
        text += &format!(
            "thread Lock[{lock}] {{ state free {{ on {takes} -> taken }}
  state taken {{ block {takes} on {gives} -> free }} }}\n"
        );
    }
    text
}

/// Stations work independently, then wait for the token, use it and pass it on. With `lost` the middle station
/// may drop the token.
fn token(n: usize, lost: bool) -> String {
    let (event, drops) = match lost {
        true => (", lose", "when i == n/2 { request lose on lose -> has_not[0] }"),
        false => ("", ""),
    };
    format!(
        "rwb 1
const n = {n}
event work[n], pass[n]{event}        # pass[i]: from station i to the next one
for i in 0..n {{ thread Station[i] {{
  when i == 0 {{ init has[0] }} else {{ init has_not[0] }}
  for done in 0..2 {{
    state has_not[done] {{
      when done == 0 {{ request work[i] on work[i] -> has_not[1] }}
      block pass[i] on pass[(i+n-1)%n] -> has[done]
    }}
    state has[done] {{
      when done == 0 {{ request work[i] on work[i] -> has[1] }}
      when done == 1 {{ request pass[i] on pass[i] -> has_not[0] {drops} }}
      block pass[(i+n-1)%n]
    }}
  }}
}} }}
"
    )
}

/// A cabin moves between n floors, up to the highest one and down again, and opens at floors where a button is
/// pressed. A move with open door is bad. With a loose `contact` the door at the highest floor does not stop
/// the cabin from moving.
fn elevator(n: usize, contact: bool) -> String {
    let open = if contact { "on open[n-1] -> unseen on open[*] -> open" } else { "on open[*] -> open" };
    format!(
        "rwb 1
const n = {n}
event press[n], open[n], close, up, down
for i in 0..n {{ thread Button[i] {{
  state dark {{ request press[i] block open[i] on press[i] -> lit }}
  state lit {{ request open[i] on open[i] -> dark }}
}} }}
thread Cabin {{
  for i in 0..n {{ for d in 0..2 {{ state at[i][d] {{        # d: 0 on the way up, 1 on the way down
    block open[*] - open[i]
    when d == 0 && i < n-1 || i == 0 {{ request up on up -> at[i+1][0] }} else {{ request down on down -> at[i-1][1] }}
  }} }} }}
}}
thread Door {{
  state closed {{ block close {open} }}
  state open {{ request close block up, down on close -> closed }}
  state unseen {{ request close on close -> closed }}
}}
thread Marker {{
  state closed {{ on open[*] -> open }}
  state open {{ on close -> closed on up, down -> broken }}
  state broken {{ bad }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Limits, Source};
    use model::{Budget, Claim, Engine, Goal, ProgramTask, Turn};
    use std::sync::Arc;

    /// Returns the claims of plain search about a program: the safe goals, and the reached one.
    fn searched(name: &str, text: &str) -> (Vec<Goal>, Option<Goal>) {
        let source = Source { name: format!("{name}.rwb"), bytes: text.as_bytes().to_vec() };
        let read = readers::read(source, None, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let task = ProgramTask::of_program(Arc::clone(read.problem.system().as_program().expect("a program")));
        let mut engine = programs::explore(&task, search::explicit::Options::default());
        let mut budget = Budget::unlimited(Arc::default());
        let (mut safe, mut reached) = (Vec::new(), None);
        loop {
            match engine.run(&mut budget) {
                Turn::Claims(Claim::Safe { goals, .. }) => safe.extend(goals),
                Turn::Claims(Claim::Unsafe { goal, .. }) => reached = Some(goal),
                Turn::Claims(other) => panic!("{name}: {other:?}"),
                Turn::More => {}
                Turn::Done => return (safe, reached),
            }
        }
    }

    #[test]
    fn small_ones_are_what_they_are_said_to_be() {
        for family in &FAMILIES {
            for n in [3, 4] {
                let (safe, reached) = searched(family.name, &(family.text)(n));
                let expected = match family.known {
                    Expected::Safe => None,
                    Expected::Deadlock => Some(Goal::Deadlock),
                    Expected::Bad => Some(Goal::Bad),
                };
                assert_eq!(reached, expected, "{} {n}", family.name);
                assert!(reached.is_some() || !safe.is_empty(), "{} {n}", family.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<String> = all(usize::MAX).map(|(name, ..)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), FAMILIES.len() * SIZES.len());
    }
}

//! Generated programs: large, regular, and safe for a known reason.

pub(crate) mod classics;

/// Returns every program: its name and its text.
pub(crate) fn all() -> Vec<(String, String)> {
    let mut programs = vec![
        ("loop_coprime".to_owned(), loops(&COPRIME, &[])),
        ("loop_three_way".to_owned(), loops(&COPRIME[..9], &THREE_WAY)),
    ];
    for (what, marker) in TASK_MARKERS {
        programs.push((format!("task_10_{what}"), tasks(&TASKS, marker)));
    }
    programs.push(("array_1000".to_owned(), array(1_000, 10)));
    programs.push(("array_1000_wide".to_owned(), array(1_000, 1)));
    for limit in [2, 10] {
        programs.push((format!("sem_100_{limit}"), semaphore(100, limit)));
    }
    programs.push(("buffer_50_50".to_owned(), buffer(50, 10)));
    programs.push(("ring_100".to_owned(), ring(100)));
    programs
}

/// The product of these periods is 1.2 * 10^12.
const COPRIME: [u64; 10] = [5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

/// Periods, and conditions for the steps at which the event is not blocked. Any two of the three conditions
/// hold at some common step, but all three never hold at the same step. Write a, b, c for "k is a multiple of
/// 2, 3, 5": the conditions are a = b, a != c and b = c.
const THREE_WAY: [(u64, &str); 3] = [
    (6, "(k % 2 == 0) && (k % 3 == 0) || (k % 2 != 0) && (k % 3 != 0)"),
    (10, "(k % 2 == 0) && (k % 5 != 0) || (k % 2 != 0) && (k % 5 == 0)"),
    (15, "(k % 3 == 0) && (k % 5 == 0) || (k % 3 != 0) && (k % 5 != 0)"),
];

/// Returns threads in lockstep, each of which leaves the event `go` unblocked in about half of its steps.
/// Without `more`, the last thread has twice the period of the first thread, and blocks `go` exactly when the
/// first thread does not.
fn loops(periods: &[u64], more: &[(u64, &str)]) -> String {
    let mut text = "rwb 1\nevent go, tick\nthread Ask { state z { request go, tick } }\n".to_owned();
    let mut clock = |name: String, period: u64, open: &str| {
        text += &format!(
            "thread {name} {{ for k in 0..{period} {{ state s[k] {{ when !({open}) {{ block go }} on * -> \
             s[(k+1)%{period}] }} }} }}\n"
        );
    };
    for &period in periods {
        clock(format!("Half[{period}]"), period, &format!("k * k % {period} < {period} / 2"));
    }
    match more {
        [] => {
            let (first, twice) = (periods[0], 2 * periods[0]);
            clock("Other".to_owned(), twice, &format!("!((k % {first}) * (k % {first}) % {first} < {first} / 2)"));
        }
        more => more.iter().for_each(|&(period, open)| clock(format!("Way[{period}]"), period, open)),
    }
    text + "thread Marker { state a { on go -> v } state v { bad } }\n"
}

/// Periods of tasks that take one slot each, in the order of their priorities. Their least common multiple is
/// 1.07 * 10^9. All jobs that are released at once are done within 13 steps.
const TASKS: [u32; 10] = [7, 9, 11, 13, 14, 16, 17, 19, 23, 24];

/// Markers for events that do not happen. Missed deadlines are bad states of the tasks themselves. The first
/// marker (`row`) waits for two slots in a row for a task that needs one slot. The second (`idle`) waits until
/// the processor is idle for a whole period of the first task. The third (`after`) waits for a slot of the task
/// of period 14 directly before a slot of the task of period 7. This cannot happen, because the task of period
/// 14 has done its work long before.
const TASK_MARKERS: [(&str, &str); 4] = [
    ("none", ""),
    (
        "row",
        "thread Marker { state a { on run[9] -> b on * -> a } state b { on run[9] -> v on * -> a } state v { bad } }",
    ),
    ("idle", "thread Marker { for k in 0..7 { state c[k] { on idle -> c[k+1] on * -> c[0] } } state c[7] { bad } }"),
    (
        "after",
        "thread Marker { state a { on run[4] -> b on * -> a } state b { on run[0] -> v on run[4] -> b on * -> a } \
         state v { bad } }",
    ),
];

fn tasks(periods: &[u32], marker: &str) -> String {
    let count = periods.len();
    let mut text = format!("rwb 1\nevent run[{count}], idle\n");
    for (i, period) in periods.iter().enumerate() {
        let below = if i + 1 < count { format!("run[{}..{count}], idle", i + 1) } else { "idle".to_owned() };
        text += &format!(
            "thread Task[{i}] {{ init s[0][0] for t in 0..{period} {{
  state s[t][0] {{ request run[{i}] block {below}
    when t + 1 < {period} {{ on run[{i}] -> s[t+1][1] on * -> s[t+1][0] }} else {{ on run[{i}] -> s[0][0] on * -> \
    miss }} }}
  when t > 0 {{ state s[t][1] {{ when t + 1 < {period} {{ on * -> s[t+1][1] }} else {{ on * -> s[0][0] }} }} }}
}} state miss {{ bad }} }}\n"
        );
    }
    text + "thread Idle { state z { request idle } }\n" + marker + "\n"
}

/// Returns an array of bits, writers that write either value to `each` cells one after the other, and an
/// auditor that waits for them and then looks for ones everywhere. One of the writers finally writes a zero.
fn array(cells: usize, each: usize) -> String {
    let (writers, zero) = (cells / each, cells * 7 / 9);
    format!(
        "rwb 1
event w[{cells}][2], r[{cells}][2], tick, audit
for i in 0..{cells} {{ thread Cell[i] {{ for k in 0..2 {{ state v[k] {{ block r[i][1-k] on w[i][1-k] -> v[1-k] }} }} \
}} }}
for i in 0..{writers} {{ thread Writer[i] {{ body {{
  for j in 0..{each} {{ choose {{ request w[{each}*i+j][0] block audit }} or {{ request w[{each}*i+j][1] block audit \
  }} }}
  when i == {zero} / {each} {{ request w[{zero}][0] block audit }}
  end }} }} }}
thread Auditor {{ body {{ request audit }} }}
thread Audit {{
  state idle {{ on audit -> c[0] }}
  for i in 0..{cells} {{ state c[i] {{ request r[i][*] block * - r[i][*] on r[i][1] -> c[i+1] on r[i][*] -> idle }} }}
  state c[{cells}] {{ bad }}
}}
thread Tick {{ state z {{ request tick }} }}\n"
    )
}

/// Returns clients of a semaphore, and a marker that counts the clients that hold it.
fn semaphore(clients: usize, limit: usize) -> String {
    format!(
        "rwb 1
event p[{clients}], v[{clients}]
for i in 0..{clients} {{ thread Client[i] {{ body {{ loop {{ request p[i] request v[i] }} }} }} }}
thread Sem {{ for k in 0..{limit}+1 {{ state u[k] {{
  when k == {limit} {{ block p[*] }} else {{ on p[*] -> u[k+1] }} when k > 0 {{ on v[*] -> u[k-1] }} }} }} }}
thread Marker {{ for k in 0..{limit}+1 {{ state held[k] {{
  when k == {limit} {{ on p[*] -> over }} else {{ on p[*] -> held[k+1] }} when k > 0 {{ on v[*] -> held[k-1] }} }} }} \
  state over {{ bad }} }}\n"
    )
}

/// Returns equally many producers and consumers, and a buffer between them that must not overflow.
fn buffer(each: usize, room: usize) -> String {
    format!(
        "rwb 1
event put[{each}], get[{each}]
for i in 0..{each} {{ thread Prod[i] {{ body {{ loop {{ request put[i] }} }} }} thread Cons[i] {{ body {{ loop {{ \
request get[i] }} }} }} }}
thread Buffer {{ for k in 0..{room}+1 {{ state n[k] {{
  when k == {room} {{ block put[*] }} else {{ on put[*] -> n[k+1] }} when k == 0 {{ block get[*] }} else {{ on get[*] \
  -> n[k-1] }} }} }} }}
thread Marker {{ for k in 0..{room}+1 {{ state m[k] {{
  when k == {room} {{ on put[*] -> over }} else {{ on put[*] -> m[k+1] }} when k > 0 {{ on get[*] -> m[k-1] }} }} }} \
  state over {{ bad }} }}\n"
    )
}

/// Returns stations that pass a token on and use it one at a time.
fn ring(stations: usize) -> String {
    let n = stations;
    format!(
        "rwb 1
event pass[{n}], use[{n}], done[{n}]
for i in 0..{n} {{ thread Station[i] {{ when i == 0 {{ init has }} else {{ init no }}
  state no {{ block pass[i], use[i], done[i] on pass[(i+{n}-1)%{n}] -> has }}
  state has {{ request pass[i], use[i] block pass[(i+{n}-1)%{n}], done[i] on pass[i] -> no on use[i] -> busy }}
  state busy {{ request done[i] block pass[i], pass[(i+{n}-1)%{n}], use[i] on done[i] -> has }} }} }}
thread Marker {{ state a {{ on use[*] -> b }} state b {{ on use[*] -> v on done[*] -> a }} state v {{ bad }} }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use formats::{Limits, Source};
    use model::{Budget, Claim, Engine, Program, ProgramTask, Turn};
    use std::collections::BTreeSet;
    use std::sync::Arc;

    fn read(name: &str, text: &str) -> Program {
        let source = Source { name: format!("{name}.rwb"), bytes: text.as_bytes().to_vec() };
        let read = readers::read(source, None, &Limits::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        Program::clone(read.problem.system().as_program().expect("a program"))
    }

    /// Explores a program, which must be safe, and returns the number of its states.
    fn states_if_safe(text: &str) -> u64 {
        let program = Arc::new(read("small", text));
        let mut engine = programs::explore(&ProgramTask::of_program(program), search::explicit::Options::default());
        let mut budget = Budget::unlimited(Arc::default());
        match engine.run(&mut budget) {
            Turn::Claims(Claim::Safe { goals, .. }) => assert_eq!(goals.len(), 2, "{text}"),
            other => panic!("{other:?} of {text}"),
        }
        engine.stats().states
    }

    /// Plain search proves small members of each family safe, and visits more than a few states for the proof.
    #[test]
    fn small_ones_are_safe() {
        let mut small = vec![loops(&[5, 7], &[]), loops(&[7], &THREE_WAY), array(4, 2), array(3, 1)];
        small.extend([semaphore(5, 2), buffer(3, 4), ring(5)]);
        small.extend(TASK_MARKERS.iter().map(|(_, marker)| {
            // The first and the fifth task keep their periods. All other tasks get long periods, so that the
            // product stays small.
            tasks(&[7, 14, 28, 28, 14, 28, 28, 28, 28, 28], marker)
        }));
        for text in small {
            assert!(states_if_safe(&text) > 4, "{text}");
        }
    }

    /// Each program is safe for the stated reason. If a change removes the reason, the program is unsafe.
    #[test]
    fn near_misses_are_unsafe() {
        let broken = |text: String, from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            let program = Arc::new(read("broken", &text.replace(from, to)));
            let mut engine = programs::explore(&ProgramTask::of_program(program), search::explicit::Options::default());
            match engine.run(&mut Budget::unlimited(Arc::default())) {
                Turn::Claims(Claim::Unsafe { .. }) => {}
                other => panic!("{other:?} of {text}"),
            }
        };
        for way in THREE_WAY {
            broken(loops(&[7], &THREE_WAY), &format!("when !({})", way.1), "when 0 == 1");
        }
        broken(array(4, 2), "request w[3][0] block audit", "request tick");
        broken(semaphore(5, 2), "block p[*]", "on p[*] -> u[k]");
        broken(buffer(3, 4), "block put[*]", "on put[*] -> n[k]");
        broken(ring(5), "when i == 0", "when i <= 1");
        let markers: Vec<&str> = TASK_MARKERS.iter().map(|(_, marker)| *marker).collect();
        let periods = [7, 14, 28, 28, 14, 28, 28, 28, 28, 28];
        broken(tasks(&periods, markers[1]), "request run[9] block idle", "request run[9] block run[0]");
        broken(tasks(&periods, markers[2]), "block idle", "block run[9]");
        broken(tasks(&periods, markers[3]), "on run[0] -> v", "on run[5] -> v");
    }

    #[test]
    fn every_program_is_one() {
        let programs = all();
        let names: BTreeSet<&String> = programs.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), programs.len());
        for (name, text) in &programs {
            assert!(!read(name, text).threads().is_empty());
        }
    }
}

//! Translation of behavioral programs into Promela models, for the comparison with Spin.
//!
//! A model has one process, one global variable per thread, and one `do` loop. Each event is an option of the
//! loop. Its guard requires that some thread requests the event and no thread blocks it. Its body moves every
//! thread, all in one `d_step`. So Spin stores one state per composite state and no intermediate states. If
//! threads choose among targets, there is an option for each combination. Local moves become arithmetic on
//! ranges (`s <= 8 -> s + 1 : 0`), for which the C compiler produces straight-line code. A bad state fails an
//! assertion, and a deadlock is an invalid end state of Spin. So the number of errors is the number of terminal
//! states.

use model::{EventId, LocalId, Program, Thread};
use std::fmt::Write;

/// A model, and a correction of its counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Model {
    pub(crate) text: String,
    /// Number of additional states that Spin stores. If there are several initial states, Spin also stores the
    /// state before the choice among them.
    pub(crate) extra_states: u64,
}

/// Limit on the combinations of nondeterministic choices, because each needs an option.
const MAX_COMBINATIONS: usize = 4096;

/// Writes `program` as a Promela model.
///
/// # Errors
///
/// If the program exceeds the limits of this translation.
pub(crate) fn write(program: &Program) -> Result<Model, String> {
    let threads = program.threads();
    let several = threads.iter().any(|t| t.initial.len() > 1);
    let mut text = String::new();
    for (i, thread) in threads.iter().enumerate() {
        let kind = variable_type(thread)?;
        let _ = writeln!(text, "{kind} s{i} = {};", thread.initial[0].0);
    }
    text.push_str("active proctype program() {\n");
    if several {
        write_initial(&mut text, threads)?;
    }
    text.push_str("do\n");
    let bad = or_false(any_of(threads, |thread| set_test(thread, |s| thread.states[s].bad)));
    let _ = writeln!(text, ":: d_step {{ ({bad}) -> assert(false) }}");
    for e in 0..program.events().len() {
        write_event(&mut text, program, EventId::new(e))?;
    }
    text.push_str("od\n}\n");
    Ok(Model { text, extra_states: u64::from(several) })
}

fn variable_type(thread: &Thread) -> Result<&'static str, String> {
    match thread.states.len() {
        0..=256 => Ok("byte"),
        257..=32_768 => Ok("short"),
        n => Err(format!("thread {} has {n} states", thread.name)),
    }
}

/// Writes the choice among initial states.
fn write_initial(text: &mut String, threads: &[Thread]) -> Result<(), String> {
    let sizes: Vec<usize> = threads.iter().map(|t| t.initial.len()).collect();
    text.push_str("if\n");
    for pick in combinations(&sizes)? {
        let sets = threads.iter().zip(&pick).enumerate().map(|(i, (t, &p))| format!("s{i} = {}", t.initial[p].0));
        let _ = writeln!(text, ":: d_step {{ {} }}", sets.collect::<Vec<_>>().join("; "));
    }
    text.push_str("fi;\n");
    Ok(())
}

/// Writes the options of one event: one for each combination of the threads' choices.
fn write_event(text: &mut String, program: &Program, e: EventId) -> Result<(), String> {
    let threads = program.threads();
    let Some(requested) = any_of(threads, |t| set_test(t, |s| t.states[s].request.contains(e) && moves(t, s, e) > 0))
    else {
        return Ok(());
    };
    let most = |t: &Thread| (0..t.states.len()).map(|s| moves(t, s, e)).max().unwrap_or(0);
    let sizes: Vec<usize> = threads.iter().map(most).collect();
    if sizes.contains(&0) {
        return Ok(()); // some thread blocks it in every state
    }
    for pick in combinations(&sizes)? {
        let mut guard = vec![format!("({requested})")];
        let mut updates = Vec::new();
        for (i, (thread, &choice)) in threads.iter().zip(&pick).enumerate() {
            let possible = |s: usize| moves(thread, s, e) > choice;
            match set_test(thread, possible) {
                Test::Always => {}
                Test::Never => return Err("a combination without states".to_owned()),
                Test::If(test) => guard.push(format!("({})", test.replace(VARIABLE, &format!("s{i}")))),
            }
            let next: Vec<Option<u32>> =
                (0..thread.states.len()).map(|s| possible(s).then(|| target(thread, s, e, choice))).collect();
            updates.extend(update(&next).map(|u| format!("s{i} = {}", u.replace(VARIABLE, &format!("s{i}")))));
        }
        let _ = write!(text, ":: d_step {{ {}", guard.join(" && "));
        text.push_str(if updates.is_empty() { " -> skip" } else { " -> " });
        let _ = writeln!(text, "{} }}", updates.join("; "));
    }
    Ok(())
}

/// Returns the number of targets of `thread` on `e` in state `s`. 0 if it blocks the event.
fn moves(thread: &Thread, s: usize, e: EventId) -> usize {
    let state = LocalId::new(s);
    if thread.state(state).block.contains(e) { 0 } else { thread.targets(state, e).count() }
}

fn target(thread: &Thread, s: usize, e: EventId, choice: usize) -> u32 {
    thread.targets(LocalId::new(s), e).nth(choice).map_or(0, |t| t.0)
}

/// Returns all ways to pick a number below each size.
fn combinations(sizes: &[usize]) -> Result<Vec<Vec<usize>>, String> {
    let count = sizes.iter().try_fold(1usize, |product, &n| product.checked_mul(n).filter(|&p| p <= MAX_COMBINATIONS));
    let count = count.ok_or_else(|| "too many combinations of choices".to_owned())?;
    let pick = |mut index: usize| {
        let digit = |&size: &usize| {
            let digit = index % size;
            index /= size;
            digit
        };
        sizes.iter().map(digit).collect()
    };
    Ok((0..count).map(pick).collect())
}

/// Placeholder for the thread's variable in expressions under construction. No other text contains it.
const VARIABLE: &str = "@";

/// A test of a thread's state.
enum Test {
    Always,
    Never,
    If(String),
}

/// Returns the test for a set of a thread's states, as ranges.
fn set_test(thread: &Thread, member: impl Fn(usize) -> bool) -> Test {
    let n = thread.states.len();
    let count = (0..n).filter(|&s| member(s)).count();
    if count == 0 {
        return Test::Never;
    }
    if count == n {
        return Test::Always;
    }
    let mut tests = Vec::new();
    let mut s = 0;
    while s < n {
        if !member(s) {
            s += 1;
            continue;
        }
        let end = (s..n).find(|&i| !member(i)).unwrap_or(n);
        tests.push(range_test(s, end - 1, n - 1));
        s = end;
    }
    Test::If(tests.join(" || "))
}

fn range_test(low: usize, high: usize, last: usize) -> String {
    match (low, high) {
        _ if low == high => format!("{VARIABLE} == {low}"),
        (0, _) => format!("{VARIABLE} <= {high}"),
        _ if high == last => format!("{VARIABLE} >= {low}"),
        _ => format!("({VARIABLE} >= {low} && {VARIABLE} <= {high})"),
    }
}

/// Returns the disjunction over all threads. `None` if it cannot hold.
fn any_of(threads: &[Thread], test: impl Fn(&Thread) -> Test) -> Option<String> {
    let mut tests = Vec::new();
    for (i, thread) in threads.iter().enumerate() {
        match test(thread) {
            Test::Always => return Some("true".to_owned()),
            Test::Never => {}
            Test::If(test) => tests.push(test.replace(VARIABLE, &format!("s{i}"))),
        }
    }
    (!tests.is_empty()).then(|| tests.join(" || "))
}

fn or_false(test: Option<String>) -> String {
    test.unwrap_or_else(|| "false".to_owned())
}

/// The common move of a range of states: to the same state, or by the same distance.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    To(u32),
    By(i64),
}

/// Returns the new state as an expression in the old one, or `None` if no state changes. `next[s]` is `None` if
/// the guard excludes state `s`.
fn update(next: &[Option<u32>]) -> Option<String> {
    let mut pieces: Vec<(usize, Piece)> = Vec::new(); // (last state of the range, its move)
    let mut s = 0;
    while s < next.len() {
        let Some(first) = next[s..].iter().position(Option::is_some).map(|i| s + i) else { break };
        let to = next[first].unwrap_or(0);
        let by = |s: usize, t: u32| i64::from(t) - s as i64;
        let run = |piece: Piece| {
            let holds = |&(s, t): &(usize, &Option<u32>)| match (piece, t) {
                (_, None) => true,
                (Piece::To(to), Some(t)) => *t == to,
                (Piece::By(d), Some(t)) => by(s, *t) == d,
            };
            next.iter().enumerate().skip(first).take_while(holds).last().map_or(first, |(s, _)| s)
        };
        let (constant, shift) = (Piece::To(to), Piece::By(by(first, to)));
        let shifted = run(shift) > run(constant) || run(shift) == run(constant) && shift == Piece::By(0);
        let piece = if shifted { shift } else { constant };
        let last = run(piece);
        pieces.push((last, piece));
        s = last + 1;
    }
    if pieces.iter().all(|(_, piece)| *piece == Piece::By(0)) {
        return None;
    }
    let (_, last) = pieces.pop()?;
    let otherwise = expression(last);
    Some(
        pieces.iter().rev().fold(otherwise, |rest, (high, piece)| {
            format!("({VARIABLE} <= {high} -> {} : {rest})", expression(*piece))
        }),
    )
}

fn expression(piece: Piece) -> String {
    match piece {
        Piece::To(to) => to.to_string(),
        Piece::By(0) => VARIABLE.to_owned(),
        Piece::By(d) if d > 0 => format!("{VARIABLE} + {d}"),
        Piece::By(d) => format!("{VARIABLE} - {}", -d),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The program of numbers from docs/rwb.md, with clocks of the given periods. It writes a one only when all
    /// clocks agree. It is built by the reader, so that the example stays readable.
    pub(crate) fn numbers(periods: &[usize]) -> Program {
        let clock = |(i, p): (usize, &usize)| {
            format!(
                "thread T{i} {{ for k in 0..{p} {{ state s[k] {{ request e[0] when k == {p} - 1 {{ request e[1] }} \
                 else {{ block e[1] }} on * -> s[(k + 1) % {p}] }} }} }} "
            )
        };
        let clocks: String = periods.iter().enumerate().map(clock).collect();
        read(&format!("rwb 1 event e[2] {clocks} thread Marker {{ body {{ wait e[1] bad }} }}"))
    }

    pub(crate) fn read(text: &str) -> Program {
        let source = formats::Source { name: "test.rwb".to_owned(), bytes: text.as_bytes().to_vec() };
        let read = readers::read(source, Some("rwb"), &formats::Limits::default()).expect("well-formed");
        (**read.problem.system().as_program().expect("a program")).clone()
    }

    #[test]
    fn a_clock_is_arithmetic() {
        let model = write(&numbers(&[2, 3])).expect("small");
        assert!(model.text.contains("s1 = (@ <= 1 -> @ + 1 : 0)".replace('@', "s1").as_str()), "{}", model.text);
        assert!(model.text.contains(":: d_step { (s2 == 1) -> assert(false) }"), "{}", model.text);
        assert_eq!(model.extra_states, 0);
    }

    #[test]
    fn every_combination_of_choices_is_an_option() {
        let program = read(
            "rwb 1 event a thread P { state x { request a on a -> x | y } state y { on a -> y } } \
             thread Q { init u | v state u { on a -> u | v } state v { block a } }",
        );
        let model = write(&program).expect("small");
        assert_eq!(model.extra_states, 1);
        assert_eq!(model.text.matches("&& (s0 == 0)").count(), 2, "{}", model.text); // x's second target, twice
        assert_eq!(model.text.matches(":: d_step").count(), 1 + 2 + 4, "{}", model.text);
    }

    #[test]
    fn updates_are_what_the_table_says() {
        assert_eq!(update(&[Some(0), Some(1), None]), None);
        assert_eq!(update(&[Some(2), None, Some(2)]).as_deref(), Some("2"));
        assert_eq!(update(&[Some(1), Some(2), Some(0)]).as_deref(), Some("(@ <= 1 -> @ + 1 : 0)"));
        assert_eq!(update(&[None, Some(0), Some(2), Some(0)]).as_deref(), Some("(@ <= 1 -> 0 : (@ <= 2 -> @ : 0))"));
    }

    #[test]
    fn too_many_choices_are_refused() {
        assert!(combinations(&[64, 64, 2]).is_err());
        assert_eq!(combinations(&[2, 1, 2]).map(|c| c.len()), Ok(4));
    }
}

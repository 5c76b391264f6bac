//! Describes a behavioral program, and the results of the patterns for it.

use crate::cli::info::NAMES;
use crate::cli::input::Model;
use impasse::model::{Goal, LocalId, Problem, Program, Thread, ThreadId};
use impasse::positions;
use num_bigint::BigUint;
use view::text::{names, plural};

/// Maximum number of threads listed without `-v`.
const THREADS: usize = 20;

pub(super) fn describe(model: &Model, program: &Program, all: bool) {
    let states: usize = program.threads().iter().map(|t| t.states.len()).sum();
    say!("{}: behavioral program", model.name);
    say!("  {}", plural(program.events().len() as u64, "event"));
    say!("  {} with {} together", plural(program.threads().len() as u64, "thread"), plural(states as u64, "state"));
    say!("  at most {}", product(program));
    say!("  asks for {}", model.problem.properties().iter().map(|p| p.id.as_str()).collect::<Vec<_>>().join(", "));
    let most = if all { usize::MAX } else { NAMES };
    feature(program, "bad states in", most, |t| t.states.iter().any(|s| s.bad));
    if program.has_finals() {
        let ends = |(t, thread): &(usize, &Thread)| {
            (0..thread.states.len()).any(|s| program.is_final(ThreadId::new(*t), LocalId::new(s)))
        };
        let which = program.threads().iter().enumerate().filter(ends).map(|(_, thread)| thread.name.as_str());
        say!("  final states in: {}", names(which, most));
    }
    feature(program, "several initial states in", most, |t| t.initial.len() > 1);
    feature(program, "nondeterministic", most, |t| t.states.iter().any(|s| s.on.values().any(|to| to.len() > 1)));
    threads(program, all);
    patterns(&model.problem, most);
}

fn product(program: &Program) -> String {
    let product = program.threads().iter().fold(BigUint::from(1u32), |p, t| p * BigUint::from(t.states.len()));
    match u64::try_from(&product) {
        Ok(small) => plural(small, "composite state"),
        // The smallest power of two that is not less than the product.
        Err(_) => format!("2^{} composite states", (product - 1u32).bits()),
    }
}

fn feature(program: &Program, what: &str, most: usize, has: impl Fn(&Thread) -> bool) {
    let which: Vec<&str> = program.threads().iter().filter(|t| has(t)).map(|t| t.name.as_str()).collect();
    if !which.is_empty() {
        say!("  {what}: {}", names(which, most));
    }
}

fn threads(program: &Program, all: bool) {
    say!("  threads:");
    let most = if all { usize::MAX } else { THREADS };
    let width = program.threads().iter().take(most).map(|t| t.name.chars().count()).max().unwrap_or(0);
    for (t, thread) in program.threads().iter().enumerate().take(most) {
        let reachable = thread.locally_reachable().iter().filter(|r| **r).count();
        let dead = thread.states.len() - reachable;
        let note = if dead > 0 { format!(", {dead} of them never reached") } else { String::new() };
        let id = ThreadId::new(t);
        say!(
            "    {:<width$}  {}{note}{}",
            thread.name,
            plural(thread.states.len() as u64, "state"),
            lines(program, id)
        );
        if all {
            positions(program, id);
        }
    }
    if program.threads().len() > most {
        say!("    ({} more; -v shows all)", program.threads().len() - most);
    }
}

/// Returns the lines of the file that define a thread. Those of several files are not listed.
fn lines(program: &Program, t: ThreadId) -> String {
    let states = (0..program.thread(t).states.len()).map(LocalId::new);
    let places = || states.clone().filter_map(|s| program.position(t, s));
    let Some(file) = places().next().map(|p| p.file).filter(|file| places().all(|p| p.file == *file)) else {
        return String::new();
    };
    let file = file.map_or_else(String::new, |file| format!("{file}, "));
    match (places().map(|p| p.line).min(), places().map(|p| p.line).max()) {
        (Some(first), Some(last)) if first == last => format!(" ({file}line {first})"),
        (Some(first), Some(last)) => format!(" ({file}lines {first} to {last})"),
        _ => String::new(),
    }
}

/// Prints the positions of the states of a thread body, because the user does not know the names of these
/// states.
fn positions(program: &Program, t: ThreadId) {
    for s in (0..program.thread(t).states.len()).map(LocalId::new) {
        if program.position(t, s).is_some_and(|p| p.is_body) {
            say!("      {:<5} {}", program.thread(t).state(s).name, positions::whereabouts(program, t, s));
        }
    }
}

fn patterns(problem: &Problem, most: usize) {
    let plain: Vec<Goal> = problem.goals().filter(|goal| matches!(goal, Goal::Bad | Goal::Deadlock)).collect();
    let Some(observed) = impasse::model::observed(problem, &plain) else { return };
    let program = &observed.program;
    let name = |t: &ThreadId| program.thread(*t).name.as_str();
    say!("  patterns:");
    let (task, restrictions) = programs::restrict(&observed.task(), impasse::patterns::ALL);
    for restriction in restrictions.as_slice() {
        let states = plural(restriction.excluded.len() as u64, "local state");
        say!("    {}: {states} never visited", restriction.kind.0);
    }
    let program = task.program();
    for pattern in impasse::patterns::ALL {
        for &goal in task.goals() {
            match pattern.recognize(program.threads(), goal) {
                Ok(found) => {
                    let covered = found.coverage().threads;
                    let covered = if covered.is_empty() {
                        "; its lemmas are about no particular thread".to_owned()
                    } else {
                        format!(" {}", names(covered.iter().map(name), most))
                    };
                    say!("    {} for {goal}: matches{covered}", pattern.name());
                }
                Err(why) => {
                    let why = why.describe(|e| program.event_name(e));
                    say!("    {} for {goal}: does not match: {why}", pattern.name());
                }
            }
        }
    }
}

//! Plain exploration compared with its peers: states per second, bytes per state, seconds. Times are CPU times.
//! The times of impasse and SPIN are those of the whole process. The time of the plain C search excludes start
//! and compilation. Memory is that of the whole process.

use super::alone::{self, Found as Ours};
use super::corpus::Problem;
use super::pan;
use super::plain;
use super::text::Text;
use super::{Context, Report};
use crate::table::Table;
use crate::units;
use std::io::{self, Write};

/// Problems of these shapes: wide, a chain, and two with many variables.
const PROBLEMS: [&str; 4] = ["2012/10", "2012/14", "2014/1403", "2017/3"];

/// Limit on the states of infinite or very large problems.
const MOST_STATES: u64 = 4_000_000;

const HEAD: [&str; 9] =
    ["problem", "tool", "states", "complete", "CPU s", "wall s", "states/s", "bytes/state", "calls/s"];

/// Measures those of `problems` that belong to the table.
pub(super) fn measure(problems: &[&Problem], context: &Context<'_>, report: &mut Report) -> io::Result<()> {
    let mut table = Table::new(&HEAD);
    for problem in problems.iter().filter(|p| PROBLEMS.contains(&p.name().as_str())) {
        for _ in 0..context.repeat {
            one(problem, context, &mut table, report)?;
        }
    }
    report.table("Speed of plain exploration", "speed", &table, context)
}

fn one(problem: &Problem, context: &Context<'_>, table: &mut Table, report: &mut Report) -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let (path, _) = problem.unpack(folder.path())?;
    let name = problem.name();
    let _ = writeln!(io::stderr(), "speed: {name}");
    let limits = context.bench.limits();
    let text = Text::read(&path)?;
    let plain = plain::run(&text, folder.path(), MOST_STATES, limits)?;
    let calls = Calls::of(&plain, &text);
    for jobs in [1, 2] {
        let ours = alone::measure(&path, MOST_STATES, jobs, limits)?;
        if let (Ok(ours), Ok(plain)) = (&ours, &plain) {
            compare(&name, ours, plain, report);
        }
        let tool = format!("impasse, {jobs} job{}", if jobs == 1 { "" } else { "s" });
        table.push(line(&name, &tool, ours.map(|found| of_ours(&found, jobs, calls))));
    }
    let expected = plain.as_ref().map_or(MOST_STATES, |p| p.states);
    table.push(line(&name, "plain C, gcc -O2", plain.map(|found| of_plain(&found, calls))));
    for (is_broad, tool) in [(false, "SPIN, depth first"), (true, "SPIN, breadth first")] {
        let options = pan::Options { is_broad, optimize: "-O2", most: MOST_STATES, expected };
        let found = pan::run(&text, folder.path(), options, limits)?;
        table.push(line(&name, tool, found.map(|found| of_spin(&found))));
    }
    Ok(())
}

/// Number of calls that a search made until it had found `states` states. Another search that finds the same
/// number of states in the same order makes the same number of calls.
#[derive(Clone, Copy)]
struct Calls {
    states: u64,
    calls: f64,
}

impl Calls {
    fn of(plain: &Result<plain::Found, String>, text: &Text) -> Option<Self> {
        let found = plain.as_ref().ok()?;
        Some(Self { states: found.states, calls: found.expanded as f64 * text.inputs.len() as f64 })
    }
}

/// Returns calls per second, if the number of states differs by at most 5 % from that of the plain search.
fn call_rate(calls: Option<Calls>, states: u64, seconds: f64) -> String {
    match calls {
        Some(known) if known.states.abs_diff(states) * 20 <= known.states => rate(known.calls, seconds),
        _ => String::new(),
    }
}

fn rate(count: f64, seconds: f64) -> String {
    units::short(count / seconds.max(1e-6))
}

/// Returns the cells of our run. Rates of one job are per CPU second, rates of several jobs per wall-clock
/// second.
fn of_ours(found: &Ours, jobs: usize, calls: Option<Calls>) -> Vec<String> {
    let Ours { counted, cpu, wall, peak } = *found;
    let seconds = if jobs == 1 { cpu } else { wall };
    let states = counted.states;
    vec![
        states.to_string(),
        yes(counted.is_complete),
        units::seconds(cpu),
        units::seconds(wall),
        rate(states as f64, seconds),
        each(peak, states),
        call_rate(calls, states, seconds),
    ]
}

fn of_plain(found: &plain::Found, calls: Option<Calls>) -> Vec<String> {
    let plain::Found { states, is_complete, seconds, tight, peak, .. } = *found;
    vec![
        states.to_string(),
        yes(is_complete),
        units::seconds(seconds),
        String::new(),
        rate(states as f64, seconds),
        each(peak, states),
        format!("{}, tight loop {}", call_rate(calls, states, seconds), units::short(tight)),
    ]
}

fn of_spin(found: &pan::Found) -> Vec<String> {
    let pan::Found { states, is_complete, seconds, peak, .. } = *found;
    vec![
        states.to_string(),
        yes(is_complete),
        units::seconds(seconds),
        String::new(),
        rate(states as f64, seconds),
        each(peak, states),
        String::new(),
    ]
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

/// Compares two complete explorations. Both must have the same number of states, and ours must find at least as
/// many labels.
fn compare(name: &str, ours: &Ours, plain: &plain::Found, report: &mut Report) {
    let both = ours.counted.is_complete && plain.is_complete;
    if both && (ours.counted.states != plain.states || ours.counted.labels < plain.labels.len()) {
        let Ours { counted, .. } = ours;
        report.wrong.push(format!(
            "{name}: {} states and {} labels, plain C has {} and {}",
            counted.states,
            counted.labels,
            plain.states,
            plain.labels.len()
        ));
    }
}

fn line(name: &str, tool: &str, cells: Result<Vec<String>, String>) -> Vec<String> {
    let cells = cells.unwrap_or_else(|why| {
        let mut cells = vec![String::new(); HEAD.len() - 2];
        cells[0] = why;
        cells
    });
    [name.to_owned(), tool.to_owned()].into_iter().chain(cells).collect()
}

fn each(bytes: u64, states: u64) -> String {
    format!("{:.1}", bytes as f64 / states.max(1) as f64)
}

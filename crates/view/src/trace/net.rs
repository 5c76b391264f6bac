//! Renders traces of nets and thread-transition systems: what each transition changes, or the state it leads
//! to in BFC's notation.

use crate::reasons::{Changes, Marking, Stepper, obstacle, reasons, show};
use crate::steps::MarkedRun;
use crate::text::{number, plural};
use crate::trace::table::Table;
use crate::trace::{Detail, NAMES, Rendered, TraceLine, hidden, long_list, numbers, parts, word};
use crate::why::{Why, siphon};
use model::{Goal, Move, Net, PlaceId, Problem, Trace};
use num_traits::Zero;
use std::fmt::Write;

/// Maximum number of places shown of a marking.
pub const CHANGED: usize = 8;

/// Renders a replayed trace, indented.
pub fn render(problem: &Problem, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
    let Some(stepper) = Stepper::new(problem.system()) else {
        unreachable!("nets and thread-transition systems have markings")
    };
    let (run, walker) = table(stepper, trace, detail);
    let why = match (walker.is_lost, trace.repeats_from) {
        (true, _) => String::new(),
        (_, Some(from)) => match goal {
            Goal::Bound(_) => repeats(from, walker.step, "the sum is greater after each time"),
            _ => repeats(from, walker.step, &format!("the run {} the formula", does(problem, goal))),
        },
        _ => why(problem, stepper, walker.run.at(), goal, walker.step, detail),
    };
    Rendered { run, why }
}

/// Renders the run as a table. Returns the walker at its end, too.
fn table<'p>(stepper: Stepper<'p>, trace: &'p Trace, detail: Detail) -> (String, Walker<'p>) {
    let threads = matches!(stepper, Stepper::Threads(_));
    let most = if detail.all { usize::MAX } else { CHANGED };
    let mut walker = Walker { run: MarkedRun::new(stepper, trace), step: 0, is_lost: false, detail };
    let mut out =
        format!("    starts {} {}\n", if threads { "in" } else { "with" }, show(stepper, walker.run.at(), most));
    let hidden = hidden(trace, detail);
    let last = if threads { "leads to" } else { "what changes" };
    let mut table = Table { titles: ["step", "transition", last], lines: Vec::new() };
    let (mut hidden_steps, mut index) = (0, 0);
    for part in trace.runs().iter().flat_map(parts) {
        let before = walker.step;
        let (name, changes) = walker.advance(&part);
        let changes = changes.filter(|_| !walker.is_lost);
        walker.is_lost = changes.is_none();
        if hidden.contains(&index) {
            hidden_steps += walker.step - before;
        } else {
            let after = match &changes {
                None => "(too many steps to show here)".to_owned(),
                Some(_) if threads => show(stepper, walker.run.at(), most),
                Some(changes) => changed(stepper, changes, walker.run.at(), detail),
            };
            table.lines.push([numbers(before + 1, walker.step), name, after]);
        }
        index += 1;
    }
    table.write(&mut out, &hidden, hidden_steps, detail);
    (out, walker)
}

/// Renders the run and the sentences of a reason.
pub fn explained(problem: &Problem, why: &Why, detail: Detail) -> Rendered {
    let run = match Stepper::new(problem.system()) {
        Some(stepper) if why.trace.len() != Some(0) => table(stepper, &why.trace, detail).0,
        _ => String::new(),
    };
    Rendered { run, why: why.sentences.iter().map(|sentence| format!("    {sentence}\n")).collect() }
}

/// Returns what a run to the goal does to the formula that the property asks.
fn does(problem: &Problem, goal: Goal) -> &'static str {
    let is_wanted = problem.properties().iter().any(|p| p.goal == goal && p.asked.is_exists());
    if is_wanted { "satisfies" } else { "violates" }
}

/// Returns which steps of an infinite run repeat for ever.
fn repeats(from: u64, steps: u64, what: &str) -> String {
    let which = match (from + 1, steps) {
        (first, last) if first == last => format!("Step {first} repeats"),
        (first, last) => format!("The steps {first} to {last} repeat"),
    };
    format!("    {which} for ever, and {what}.\n")
}

/// Returns `place: old -> new` for each place that changed. `old` contains the old numbers of tokens.
pub fn changed(stepper: Stepper<'_>, old: &Changes, now: &Marking, detail: Detail) -> String {
    let moved = old.iter().filter(|(p, before)| now[p.index()] != *before);
    let line =
        |p: PlaceId, before| format!("{}: {} -> {}", stepper.place_name(p), number(before), number(&now[p.index()]));
    let moved: Vec<String> = moved.map(|(p, before)| line(*p, before)).collect();
    if moved.is_empty() { "(nothing)".to_owned() } else { long_list(&moved, detail) }
}

/// Returns why the marking `at`, which is reached after `steps` steps, violates the property.
pub fn why(problem: &Problem, stepper: Stepper<'_>, at: &Marking, goal: Goal, steps: u64, detail: Detail) -> String {
    let when = if steps == 0 { "At the start".to_owned() } else { format!("After {}", plural(steps, "event")) };
    let is_deadlock = problem.properties().iter().any(|p| p.goal == goal && p.is_deadlock());
    match problem.formula(goal).filter(|_| !is_deadlock) {
        Some(formula) => match reasons(stepper, formula, at, if detail.all { usize::MAX } else { CHANGED })[..] {
            [] if does(problem, goal) == "satisfies" => format!("    {when}: every marking satisfies the formula.\n"),
            [] => format!("    {when}: every marking is a violation.\n"),
            ref reasons => format!("    {when}, {}.\n", long_list(reasons, detail)),
        },
        None if goal.is_temporal() => {
            let does = does(problem, goal);
            let stuck = deadlock(stepper, at, &when, detail);
            format!("{stuck}    The run stays there for ever, and {does} the formula.\n")
        }
        None => {
            let is_asked = problem.properties().iter().any(|p| p.goal == goal && p.id == Goal::Deadlock.id());
            let sinks = problem.system().as_net().filter(|_| is_asked).and_then(|net| sinks(net, at));
            deadlock(stepper, at, &when, detail) + &sinks.unwrap_or_default()
        }
    }
}

/// If all tokens are on places from which no transition takes any, as at the end of a workflow, returns how to say that
/// the net may end there. `None` if the net has proper ends.
fn sinks(net: &Net, at: &Marking) -> Option<String> {
    let marked: Vec<PlaceId> = (0..at.len()).map(PlaceId::new).filter(|p| !at[p.index()].is_zero()).collect();
    let needs = |p: &PlaceId| {
        let mut guards = net.transitions().iter().flat_map(|t| &t.guards);
        guards.any(|guard| guard.place == *p && !guard.range.at_least.is_zero())
    };
    if marked.is_empty() || marked.len() > NAMES || net.ends().is_some() || marked.iter().any(needs) {
        return None;
    }
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let name = |p: &PlaceId| match net.place(*p).name.as_str() {
        name if is_plain(name) => format!("{name} >= 1"),
        name => format!("\"{name}\" >= 1"),
    };
    let names: Vec<String> = marked.iter().map(name).collect();
    Some(format!("    If the net may end there, `--final '{}'` says so.\n", names.join(" AND ")))
}

/// Returns for each transition why it is disabled.
fn deadlock(stepper: Stepper<'_>, at: &Marking, when: &str, detail: Detail) -> String {
    let all = stepper.transitions().count();
    if all == 0 {
        return format!("    {when}, nothing can happen: there is no transition.\n");
    }
    let mut out = format!("    {when}, no transition is enabled:\n");
    let most = if detail.all { usize::MAX } else { 2 * NAMES };
    for t in stepper.transitions().take(most) {
        let obstacle = obstacle(stepper, at, t).unwrap_or_default();
        let _ = writeln!(out, "      {}: {obstacle}", stepper.transition_name(t));
    }
    if all > most {
        let _ = writeln!(out, "      ({} more; -v shows all)", plural((all - most) as u64, "transition"));
    }
    if let Stepper::Net(net) = stepper
        && let Some(places) = siphon::empty(net, at)
    {
        let all: Vec<String> = places.iter().map(|place| stepper.place_name(*place)).collect();
        let what = match all.len() {
            1 => "whatever puts a token there needs one there first",
            _ => "whatever puts a token on one of them needs a token on one of them first",
        };
        let verb = if all.len() == 1 { "stays" } else { "stay" };
        let _ = writeln!(out, "    {} {verb} empty: {what}.", all.join(", "));
    }
    out
}

/// Follows a trace that the checker has accepted.
struct Walker<'p> {
    run: MarkedRun<'p>,
    /// Number of events so far.
    step: u64,
    /// True if the marking is no longer known.
    is_lost: bool,
    detail: Detail,
}

impl Walker<'_> {
    /// Takes the steps of `part`. Returns the name of `part`, and the old numbers of tokens on the places that
    /// it changed. The numbers are `None` if the marking is no longer known.
    fn advance(&mut self, part: &TraceLine<'_>) -> (String, Option<Changes>) {
        match part {
            TraceLine::Step(step) => {
                self.step = self.step.saturating_add(1);
                (self.run.name(step), Some(self.run.take(step)))
            }
            TraceLine::Repeat(run) => {
                // Names of transitions in thread-transition systems contain spaces.
                let threads = matches!(self.run.stepper(), Stepper::Threads(_));
                let name = |m: &Move| if threads { format!("({})", self.run.name(m)) } else { self.run.name(m) };
                let name = word(run, name, self.detail);
                self.step = self.step.saturating_add(run.times.saturating_mul(run.word.len() as u64));
                (name, self.run.repeat(run))
            }
        }
    }
}

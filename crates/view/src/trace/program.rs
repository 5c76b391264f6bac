//! Renders traces of behavioral programs: which threads requested each event, which threads moved, and for a
//! deadlock which threads block which events.

use crate::steps::ProgramRun;
use crate::text::plural;
use crate::trace::table::Table;
use crate::trace::{Detail, NAMES, Rendered, TraceLine, hidden, list, long_list, numbers, parts, word};
use crate::waits::Waits;
use crate::{positions, walk};
use model::{EventId, Formula, Goal, LocalId, Move, Node, PlaceId, Program, ThreadId, Trace};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// Renders a replayed trace, indented.
pub fn render(
    program: &Program,
    formula: Option<&Arc<Formula>>,
    trace: &Trace,
    goal: Goal,
    detail: Detail,
) -> Rendered {
    let mut out = String::new();
    let hidden = hidden(trace, detail);
    let mut walker = Walker { program, run: ProgramRun::new(program, trace), step: 0, detail };
    out.push_str(&walker.start());
    let mut table = Table { titles: ["step", "event", "requested by", "what changes"], lines: Vec::new() };
    let mut hidden_steps = 0;
    let mut index = 0;
    for run in trace.runs() {
        for part in parts(run) {
            let show = !hidden.contains(&index);
            let before = walker.step;
            let line = walker.advance(&part, show);
            match line {
                Some(line) => table.lines.push(line),
                None => hidden_steps += walker.step - before,
            }
            index += 1;
        }
    }
    table.write(&mut out, &hidden, hidden_steps, detail);
    let at = walker.run.at();
    let why = match formula {
        Some(formula) => satisfied(program, formula, at, walker.step, detail),
        None => match (goal, trace.repeats_from) {
            (_, Some(from)) => repeats(program, at, goal, from, walker.step),
            _ => why(program, at, goal, walker.step, detail),
        },
    };
    Rendered { run: out, why }
}

/// Follows a trace that the checker has accepted.
struct Walker<'p> {
    program: &'p Program,
    run: ProgramRun<'p>,
    /// Number of events so far.
    step: u64,
    detail: Detail,
}

impl Walker<'_> {
    /// Returns the initial states of threads that have several.
    fn start(&self) -> String {
        let threads = self.program.threads().iter().zip(self.run.at()).enumerate();
        let chosen = threads.filter(|(_, (thread, _))| thread.initial.len() > 1);
        let chosen: Vec<String> =
            chosen.map(|(t, (thread, &s))| format!("{}: {}", thread.name, self.state(t, s))).collect();
        if chosen.is_empty() { String::new() } else { format!("    starts with {}\n", long_list(&chosen, self.detail)) }
    }

    fn state(&self, thread: usize, state: u32) -> String {
        positions::short(self.program, ThreadId::new(thread), LocalId(state))
    }

    /// Takes the steps of `part`. Returns their description if `show` is true.
    fn advance(&mut self, part: &TraceLine<'_>, show: bool) -> Option<[String; 4]> {
        let first = self.step + 1;
        let (event, times) = match part {
            TraceLine::Step(step) => (self.program.event_name(step.event).to_owned(), 1),
            TraceLine::Repeat(run) => {
                let name = |m: &Move| self.program.event_name(m.event).to_owned();
                (word(run, name, self.detail), run.times)
            }
        };
        let length = if let TraceLine::Repeat(run) = part { run.word.len() as u64 } else { 1 };
        self.step = self.step.saturating_add(times.saturating_mul(length));
        let before = show.then(|| self.run.at().to_vec());
        match part {
            TraceLine::Step(step) => self.run.pass(step),
            TraceLine::Repeat(run) => self.run.pass_all(run),
        }
        before.map(|before| {
            let asked = match part {
                TraceLine::Step(step) => step.event,
                TraceLine::Repeat(run) => run.word[0].event,
            };
            [
                numbers(first, self.step),
                event,
                requested_by(self.program, &before, asked, self.detail),
                changes(self.program, &before, self.run.at(), self.detail),
            ]
        })
    }
}

/// Returns the threads that request `event` in the state `at`, and the positions of the requests in the text.
pub fn requested_by(program: &Program, at: &[u32], event: EventId, detail: Detail) -> String {
    let named = walk::requesters(program, at, event).into_iter().map(|t| {
        let place = positions::requests_at(program, t, LocalId(at[t.index()]), event);
        [program.thread(t).name.as_str(), place.as_str()].join(" ").trim_end().to_owned()
    });
    list(named.collect::<Vec<_>>().iter().map(String::as_str), detail)
}

/// Returns the changes from one composite state to the next: `thread: from -> to`.
pub fn changes(program: &Program, before: &[u32], after: &[u32], detail: Detail) -> String {
    let threads = program.threads().iter().zip(before.iter().zip(after)).enumerate();
    let changed = threads.filter(|(_, (_, (from, to)))| from != to);
    let changed: Vec<String> = changed
        .map(|(i, (thread, (&from, &to)))| {
            let t = ThreadId::new(i);
            let (from, to) = (positions::short(program, t, LocalId(from)), positions::target(program, t, LocalId(to)));
            format!("{}: {from} -> {to}", thread.name)
        })
        .collect();
    if changed.is_empty() { "(no thread moves)".to_owned() } else { long_list(&changed, detail) }
}

fn when(steps: u64) -> String {
    if steps == 0 { "In the initial state".to_owned() } else { format!("After {}", plural(steps, "event")) }
}

/// Returns the states of the threads that the formula mentions.
pub fn satisfied(program: &Program, formula: &Formula, at: &[u32], steps: u64, detail: Detail) -> String {
    let (first, _) = program.places();
    let sums = formula.nodes().iter().filter_map(|n| if let Node::AtLeast(sum) = n { Some(sum) } else { None });
    let thread = |p: PlaceId| first.partition_point(|first| *first <= p.index()) - 1;
    let named: BTreeSet<usize> = sums.flat_map(|sum| sum.terms.iter().map(|(p, _)| thread(*p))).collect();
    let states = named.into_iter().map(|t| {
        let thread = program.thread(ThreadId::new(t));
        let (id, state) = (ThreadId::new(t), LocalId(at[t]));
        // The name of the state is shown, because the formula of the question contains this name.
        let place = match program.position(id, state) {
            Some(place) if place.is_body => format!(" ({})", positions::whereabouts(program, id, state)),
            _ => String::new(),
        };
        format!("{} is in {}{place}", thread.name, thread.state(state).name)
    });
    let states: Vec<String> = states.collect();
    let when = when(steps);
    if states.is_empty() {
        return format!("    {when}, as in every state.\n");
    }
    format!("    {when}, {}.\n", long_list(&states, detail))
}

/// Returns why the state `at`, which is reached after `steps` steps, violates the property.
pub fn why(program: &Program, at: &[u32], goal: Goal, steps: u64, detail: Detail) -> String {
    let when = when(steps);
    match goal {
        Goal::Bad => {
            let bad = walk::locals(program, at).filter(|(_, s)| s.bad).map(|(t, s)| {
                let name = &program.thread(t).name;
                match program.position(t, LocalId(at[t.index()])) {
                    Some(place) if place.is_body => {
                        // After an event, the message stands beside the last step.
                        let message = Some(place.values).filter(|values| steps == 0 && !values.is_empty());
                        let message = message.map(|values| format!(" [{values}]")).unwrap_or_default();
                        format!("thread {name} is at `bad` in {}{message}", positions::place(place))
                    }
                    Some(place) => {
                        // A note, such as the message of a failed assertion. Values of variables are part of the name.
                        let is_note = !place.values.is_empty() && !s.name.ends_with(&format!("[{}]", place.values));
                        let note = if is_note { format!(": {}", place.values) } else { String::new() };
                        format!("thread {name} is in its bad state {} ({}){note}", s.name, positions::place(place))
                    }
                    None => format!("thread {name} is in its bad state {}", s.name),
                }
            });
            let bad: Vec<String> = bad.collect();
            format!("    {when}, {}.\n", list(bad.iter().map(String::as_str), detail))
        }
        Goal::Deadlock => deadlock(program, at, &when, detail),
        Goal::SomeHot => format!("    {when}, no event is enabled, and {}.\n", hot_threads(program, at, detail)),
        Goal::Temporal(_) => {
            format!("    {when}, no event is enabled. The run ends there, and violates the formula.\n")
        }
        Goal::Hot(thread) => {
            let (name, state) = (&program.thread(thread).name, LocalId(at[thread.index()]));
            let place = positions::whereabouts(program, thread, state);
            let statement = positions::statement(program, program.thread(thread).state(state));
            let waits = if statement.is_empty() { statement } else { format!("{statement}, ") };
            format!(
                "    {when}, no event is enabled, and thread {name} is hot, so it must not stay where it is \
                 ({waits}{place}).\n"
            )
        }
        _ => unreachable!("formulas are explained by what they speak of"),
    }
}

/// Returns the threads that are hot.
fn hot_threads(program: &Program, at: &[u32], detail: Detail) -> String {
    let hot = program.hot_threads().filter(|t| program.is_hot(*t, LocalId(at[t.index()])));
    let names: Vec<&str> = hot.map(|t| program.thread(t).name.as_str()).collect();
    format!("hot: {}", list(names.into_iter(), detail))
}

/// Returns which steps of an infinite run repeat for ever, and what this violates.
fn repeats(program: &Program, at: &[u32], goal: Goal, from: u64, steps: u64) -> String {
    let what = match goal {
        Goal::Hot(thread) => {
            let place = positions::whereabouts(program, thread, LocalId(at[thread.index()]));
            format!("thread {} stays hot ({place})", program.thread(thread).name)
        }
        Goal::SomeHot => "some thread is hot all the time".to_owned(),
        _ => "the run violates the formula".to_owned(),
    };
    let which = match (from + 1, steps) {
        (first, last) if first == last => format!("Step {first} repeats"),
        (first, last) => format!("The steps {first} to {last} repeat"),
    };
    format!("    {which} for ever, and {what}.\n")
}

/// Returns for every requested event which threads request it and which threads block it.
fn deadlock(program: &Program, at: &[u32], when: &str, detail: Detail) -> String {
    let requested: Vec<EventId> = walk::requested(program, at).iter().collect();
    if requested.is_empty() {
        let others = not_final(program, at, detail);
        return format!(
            "    {when}, no thread requests anything.\n{others}    If this end is proper, mark it `final` in every \
             thread, or use --ends proper.\n"
        );
    }
    let mut out = format!("    {when}, every requested event is blocked:\n");
    let most = if detail.all { usize::MAX } else { 2 * NAMES };
    for &event in requested.iter().take(most) {
        let thread_names = |threads: Vec<ThreadId>| {
            let named = threads.iter().map(|&t| {
                let place = positions::whereabouts(program, t, LocalId(at[t.index()]));
                format!("{} ({place})", program.thread(t).name)
            });
            list(named.collect::<Vec<_>>().iter().map(String::as_str), detail)
        };
        let (by, against) = (walk::requesters(program, at, event), walk::blockers(program, at, event));
        let name = program.event_name(event);
        let _ = writeln!(out, "      {name}: requested by {}, blocked by {}", thread_names(by), thread_names(against));
    }
    if requested.len() > most {
        let _ = writeln!(out, "      ({} more; -v shows all)", plural((requested.len() - most) as u64, "event"));
    }
    let waits = Waits::of(program, at);
    let lines = waits.lines(program, at);
    if !lines.is_empty() {
        out.push_str(if waits.cycle.is_empty() {
            "    The waiting ends at:\n"
        } else {
            "    They wait in a circle:\n"
        });
        lines.iter().take(most).for_each(|line| out.push_str(&format!("      {line}\n")));
        if lines.len() > most {
            let _ = writeln!(out, "      ({} more; -v shows all)", lines.len() - most);
        }
    }
    out.push_str(&not_final(program, at, detail));
    if let Some((t, _)) = walk::locals(program, at).find(|(t, _)| program.may_stop(*t, LocalId(at[t.index()]))) {
        let name = &program.thread(t).name;
        let _ = writeln!(out, "    {name} blocks all events. If this end is proper, use --ends stopped.");
    }
    out
}

/// Returns the threads that are not in a final state, if the program declares final states.
fn not_final(program: &Program, at: &[u32], detail: Detail) -> String {
    if !program.has_finals() {
        return String::new();
    }
    let others = walk::locals(program, at).zip(at).filter(|((t, _), s)| !program.is_final(*t, LocalId(**s)));
    let place = |t: ThreadId, s: u32| positions::whereabouts(program, t, LocalId(s));
    let others: Vec<String> =
        others.map(|((t, _), s)| format!("{} ({})", program.thread(t).name, place(t, *s))).collect();
    format!("    Not in a final state: {}.\n", list(others.iter().map(String::as_str), detail))
}

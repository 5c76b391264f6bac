//! Traces of behavioral programs: who requested each event, which threads moved, and for a deadlock who blocks whom.

use super::table::Table;
use super::{Detail, NAMES, Part, hidden, list, long_list, numbers, parts, word};
use crate::cli::text::plural;
use impasse::model::{EventId, Goal, LocalId, Move, Program, Run, ThreadId, Trace};
use impasse::walk;
use std::fmt::Write;

/// Renders a replayed trace, indented.
pub(super) fn render(program: &Program, trace: &Trace, goal: Goal, detail: Detail) -> String {
    let mut out = String::new();
    let hidden = hidden(trace, detail);
    let movers = walk::Movers::of(program);
    let mut walker = Walker { program, movers, trace, at: trace.start.to_vec(), step: 0, detail };
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
    out.push_str(&why(program, &walker.at, goal, walker.step, detail));
    out
}

/// Follows a trace that the checker has accepted.
struct Walker<'p> {
    program: &'p Program,
    movers: walk::Movers,
    trace: &'p Trace,
    at: Vec<u32>,
    /// Events so far.
    step: u64,
    detail: Detail,
}

impl Walker<'_> {
    /// The initial states of threads that have several.
    fn start(&self) -> String {
        let chosen = self.program.threads().iter().zip(&self.at).filter(|(thread, _)| thread.initial.len() > 1);
        let chosen: Vec<String> =
            chosen.map(|(thread, &s)| format!("{}: {}", thread.name, thread.state(LocalId(s)).name)).collect();
        if chosen.is_empty() { String::new() } else { format!("    starts with {}\n", long_list(&chosen, self.detail)) }
    }

    /// Takes the steps of `part`; describes them if `show`.
    fn advance(&mut self, part: &Part<'_>, show: bool) -> Option<[String; 4]> {
        let first = self.step + 1;
        let (event, times) = match part {
            Part::Step(step) => (self.program.event_name(step.event).to_owned(), 1),
            Part::Repeat(run) => {
                let name = |m: &Move| self.program.event_name(m.event).to_owned();
                (word(run, name, self.detail), run.times)
            }
        };
        let length = if let Part::Repeat(run) = part { run.word.len() as u64 } else { 1 };
        self.step = self.step.saturating_add(times.saturating_mul(length));
        let before = show.then(|| self.at.clone());
        match part {
            Part::Step(step) => self.take(step),
            Part::Repeat(run) => self.repeat(run),
        }
        before.map(|before| {
            let asked = match part {
                Part::Step(step) => step.event,
                Part::Repeat(run) => run.word[0].event,
            };
            [
                numbers(first, self.step),
                event,
                requested_by(self.program, &before, asked, self.detail),
                changes(self.program, &before, &self.at, self.detail),
            ]
        })
    }

    fn take(&mut self, step: &Move) {
        if let Some(choice) = step.choice {
            self.at.copy_from_slice(self.trace.choice(choice));
            return;
        }
        for t in self.movers.on(step.event) {
            let s = &mut self.at[t.index()];
            *s = self.program.thread(t).targets(LocalId(*s), step.event).next().map_or(*s, |t| t.0);
        }
    }

    /// Every thread goes through the word on its own (the events are known, and none has a choice), so the end comes from
    /// the cycle that its states run into, however often the word is repeated.
    fn repeat(&mut self, run: &Run) {
        let word: Vec<EventId> = run.word.iter().map(|m| m.event).collect();
        let mut threads: Vec<ThreadId> = word.iter().flat_map(|&event| self.movers.on(event)).collect();
        threads.sort_unstable();
        threads.dedup();
        for t in threads {
            self.at[t.index()] = after_many(self.program, t, self.at[t.index()], &word, run.times);
        }
    }
}

/// The threads that request `event` at `at`.
pub(crate) fn requested_by(program: &Program, at: &[u32], event: EventId, detail: Detail) -> String {
    let threads = walk::requesters(program, at, event);
    list(threads.iter().map(|t| program.thread(*t).name.as_str()), detail)
}

/// What is different from one composite state to the next: `thread: from -> to`.
pub(crate) fn changes(program: &Program, before: &[u32], after: &[u32], detail: Detail) -> String {
    let threads = program.threads().iter().zip(before.iter().zip(after));
    let changed = threads.filter(|(_, (from, to))| from != to);
    let changed: Vec<String> = changed
        .map(|(thread, (&from, &to))| {
            format!("{}: {} -> {}", thread.name, thread.state(LocalId(from)).name, thread.state(LocalId(to)).name)
        })
        .collect();
    if changed.is_empty() { "(no thread moves)".to_owned() } else { long_list(&changed, detail) }
}

/// Where a thread is after `word`, `times` times over, from state `from`.
fn after_many(program: &Program, thread: ThreadId, from: u32, word: &[EventId], times: u64) -> u32 {
    let thread = program.thread(thread);
    let once = |s: u32| word.iter().fold(s, |s, &e| thread.targets(LocalId(s), e).next().map_or(s, |t| t.0));
    let mut seen_at = vec![None; thread.states.len()];
    let mut path: Vec<u32> = Vec::new();
    let mut s = from;
    while (path.len() as u64) < times {
        if let Some(start) = seen_at[s as usize] {
            let cycle = &path[start..];
            let left = (times - start as u64) % cycle.len() as u64;
            return cycle[usize::try_from(left).unwrap_or(0)];
        }
        seen_at[s as usize] = Some(path.len());
        path.push(s);
        s = once(s);
    }
    s
}

/// Why the state `at`, reached in so many `steps`, violates the property.
pub(crate) fn why(program: &Program, at: &[u32], goal: Goal, steps: u64, detail: Detail) -> String {
    let when = if steps == 0 { "In the initial state".to_owned() } else { format!("After {}", plural(steps, "event")) };
    match goal {
        Goal::Bad => {
            let bad = walk::locals(program, at).filter(|(_, s)| s.bad);
            let bad: Vec<String> =
                bad.map(|(t, s)| format!("thread {} is in its bad state {}", program.thread(t).name, s.name)).collect();
            format!("    {when}, {}.\n", list(bad.iter().map(String::as_str), detail))
        }
        Goal::Deadlock => deadlock(program, at, &when, detail),
        _ => unreachable!("programs have neither"),
    }
}

/// For every requested event, who asks for it and who forbids it.
fn deadlock(program: &Program, at: &[u32], when: &str, detail: Detail) -> String {
    let requested: Vec<EventId> = walk::requested(program, at).iter().collect();
    if requested.is_empty() {
        return format!("    {when}, no thread requests anything.\n");
    }
    let mut out = format!("    {when}, every requested event is blocked:\n");
    let most = if detail.all { usize::MAX } else { 2 * NAMES };
    for &event in requested.iter().take(most) {
        let who = |threads: Vec<ThreadId>| {
            let named = threads.iter().map(|&t| {
                let thread = program.thread(t);
                format!("{} (in {})", thread.name, thread.state(LocalId(at[t.index()])).name)
            });
            list(named.collect::<Vec<_>>().iter().map(String::as_str), detail)
        };
        let (by, against) = (walk::requesters(program, at, event), walk::blockers(program, at, event));
        let name = program.event_name(event);
        let _ = writeln!(out, "      {name}: requested by {}, blocked by {}", who(by), who(against));
    }
    if requested.len() > most {
        let _ = writeln!(out, "      ({} more; -v shows all)", plural((requested.len() - most) as u64, "event"));
    }
    out
}

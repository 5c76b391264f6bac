//! Traces of nets and thread systems: what each transition changes, or the state it leads to as BFC writes it.

use super::table::Table;
use super::{Detail, NAMES, Part, hidden, long_list, numbers, parts, word};
use crate::cli::marking::{Changes, Marking, Stepper, reasons};
use crate::cli::text::{number, plural};
use impasse::model::{Goal, Move, PlaceId, Problem, Run, Trace, TransitionId};
use num_bigint::{BigInt, BigUint};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Places shown of a marking.
pub(crate) const CHANGED: usize = 8;

/// Steps of repetitions that are taken one by one. (Where all changes are constant ones no step is needed.)
const PATIENCE: u64 = 2_000_000;

/// Renders a replayed trace, indented.
pub(super) fn render(problem: &Problem, trace: &Trace, goal: Goal, detail: Detail) -> String {
    let Some(stepper) = Stepper::new(&problem.system) else { return String::new() };
    let threads = matches!(stepper, Stepper::Threads(_));
    let most = if detail.all { usize::MAX } else { CHANGED };
    let mut walker = Walker { stepper, trace, at: stepper.start(&trace.start), step: 0, patience: PATIENCE, detail };
    let mut out = format!("    starts {} {}\n", if threads { "in" } else { "with" }, stepper.show(&walker.at, most));
    let hidden = hidden(trace, detail);
    let last = if threads { "leads to" } else { "what changes" };
    let mut table = Table { titles: ["step", "transition", last], lines: Vec::new() };
    let (mut hidden_steps, mut index, mut lost) = (0, 0, false);
    for part in trace.runs().iter().flat_map(parts) {
        let before = walker.step;
        let (name, changes) = walker.advance(&part);
        let changes = if lost { None } else { changes };
        lost = changes.is_none();
        if hidden.contains(&index) {
            hidden_steps += walker.step - before;
        } else {
            let after = match &changes {
                None => "(too many steps to follow here)".to_owned(),
                Some(_) if threads => stepper.show(&walker.at, most),
                Some(changes) => changed(stepper, changes, &walker.at, detail),
            };
            table.lines.push([numbers(before + 1, walker.step), name, after]);
        }
        index += 1;
    }
    table.write(&mut out, &hidden, hidden_steps, detail);
    if !lost {
        out.push_str(&why(problem, stepper, &walker.at, goal, walker.step, detail));
    }
    out
}

/// `place: old -> new` of places with these old contents.
pub(crate) fn changed(stepper: Stepper<'_>, old: &Changes, now: &Marking, detail: Detail) -> String {
    let moved = old.iter().filter(|(p, before)| now[p.index()] != *before);
    let line =
        |p: PlaceId, before| format!("{}: {} -> {}", stepper.place_name(p), number(before), number(&now[p.index()]));
    let moved: Vec<String> = moved.map(|(p, before)| line(*p, before)).collect();
    if moved.is_empty() { "(nothing)".to_owned() } else { long_list(&moved, detail) }
}

/// Why the marking `at`, reached in so many `steps`, violates the property.
pub(crate) fn why(
    problem: &Problem,
    stepper: Stepper<'_>,
    at: &Marking,
    goal: Goal,
    steps: u64,
    detail: Detail,
) -> String {
    let when = if steps == 0 { "At the start".to_owned() } else { format!("After {}", plural(steps, "event")) };
    match problem.formula(goal) {
        Some(formula) => match reasons(stepper, formula, at)[..] {
            [] => format!("    {when}: every marking is a violation.\n"),
            ref reasons => format!("    {when}, {}.\n", long_list(reasons, detail)),
        },
        None => deadlock(stepper, at, &when, detail),
    }
}

/// For each transition what it lacks.
fn deadlock(stepper: Stepper<'_>, at: &Marking, when: &str, detail: Detail) -> String {
    let all = stepper.transitions().count();
    if all == 0 {
        return format!("    {when}, nothing can happen: there is no transition.\n");
    }
    let mut out = format!("    {when}, no transition is enabled:\n");
    let most = if detail.all { usize::MAX } else { 2 * NAMES };
    for t in stepper.transitions().take(most) {
        let obstacle = stepper.obstacle(at, t).unwrap_or_default();
        let _ = writeln!(out, "      {}: {obstacle}", stepper.transition_name(t));
    }
    if all > most {
        let _ = writeln!(out, "      ({} more; -v shows all)", plural((all - most) as u64, "transition"));
    }
    out
}

/// Follows a trace that the checker has accepted.
struct Walker<'p> {
    stepper: Stepper<'p>,
    trace: &'p Trace,
    at: Marking,
    /// Events so far.
    step: u64,
    /// Steps of repetitions that may still be taken.
    patience: u64,
    detail: Detail,
}

impl Walker<'_> {
    /// Takes the steps of `part`: its name, and the old contents of the places it touched; `None` if the marking is lost.
    fn advance(&mut self, part: &Part<'_>) -> (String, Option<Changes>) {
        let name = |m: &Move| self.stepper.transition_name(transition(m));
        match part {
            Part::Step(step) => {
                let name = name(step);
                self.step = self.step.saturating_add(1);
                let mut old = BTreeMap::new();
                self.take(step, &mut old);
                (name, Some(old.into_iter().collect()))
            }
            Part::Repeat(run) => {
                // Transitions of thread systems are written in several words.
                let threads = matches!(self.stepper, Stepper::Threads(_));
                let name = word(run, |m| if threads { format!("({})", name(m)) } else { name(m) }, self.detail);
                let steps = run.times.saturating_mul(run.word.len() as u64);
                self.step = self.step.saturating_add(steps);
                let old = match self.total(run) {
                    Some(total) => Some(self.jump(&total, run.times)),
                    None => self.repeat(run, steps),
                };
                (name, old)
            }
        }
    }

    fn take(&mut self, step: &Move, old: &mut BTreeMap<PlaceId, BigUint>) {
        let changes = after(self.stepper, self.trace, &self.at, step);
        for (place, count) in changes {
            let before = std::mem::replace(&mut self.at[place.index()], count);
            old.entry(place).or_insert(before);
        }
    }

    /// What the word of `run` changes in all, if that does not depend on the marking.
    fn total(&self, run: &Run) -> Option<BTreeMap<PlaceId, BigInt>> {
        let mut total: BTreeMap<PlaceId, BigInt> = BTreeMap::new();
        for step in &run.word {
            for (place, delta) in self.stepper.deltas(transition(step))? {
                *total.entry(place).or_default() += delta;
            }
        }
        Some(total)
    }

    fn jump(&mut self, total: &BTreeMap<PlaceId, BigInt>, times: u64) -> Changes {
        let mut old = Vec::with_capacity(total.len());
        for (place, delta) in total {
            let before = self.at[place.index()].clone();
            let after = BigInt::from(before.clone()) + delta * times;
            self.at[place.index()] = BigUint::try_from(after).unwrap_or_default();
            old.push((*place, before));
        }
        old
    }

    /// Steps through a repetition, until it changes nothing any more.
    fn repeat(&mut self, run: &Run, steps: u64) -> Option<Changes> {
        let mut old = BTreeMap::new();
        let mut left = steps;
        for _ in 0..run.times {
            let mut round = BTreeMap::new();
            for step in &run.word {
                self.take(step, &mut round);
            }
            let still = round.iter().all(|(p, before)| self.at[p.index()] == *before);
            for (place, before) in round {
                old.entry(place).or_insert(before);
            }
            let taken = run.word.len() as u64;
            left = left.saturating_sub(taken);
            self.patience = self.patience.saturating_sub(taken);
            if still {
                break;
            }
            if self.patience == 0 && left > 0 {
                return None;
            }
        }
        Some(old.into_iter().collect())
    }
}

/// What a step of a replayed run changes at `at`.
pub(crate) fn after(stepper: Stepper<'_>, trace: &Trace, at: &Marking, step: &Move) -> Changes {
    match step.choice {
        Some(choice) => stepper.towards(at, trace.choice(choice)),
        // Without a recorded choice there is only one outcome: whatever may choose takes the first.
        None => stepper.fire(at, transition(step), &mut |_, n, targets| {
            (0..targets.len()).map(|i| if i == 0 { n.clone() } else { BigUint::ZERO }).collect()
        }),
    }
}

fn transition(step: &Move) -> TransitionId {
    TransitionId(step.event.0)
}

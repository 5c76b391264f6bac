//! Traces, replayed step by step on the system as read.
//!
//! Each event must be enabled, each recorded target one of the event's successors, each unrecorded one the only
//! successor, and the last state of the claimed goal. States of `bad` and `deadlock` have no enabled event, so a run into them that
//! replays is in its first goal state when it ends; a state that satisfies a formula may have some. Of a repetition `(word)^k` the first passes are replayed; the rest is skipped only where
//! that is exact: over a verified table ([`crate::jump`]), or because the composite state has come back.
//!
//! An event is looked at in the threads that mention it in some state; the others neither request nor block it, and stay. So a
//! run costs what its events concern, not its length times the threads.

use crate::by_event::ByEvent;
use crate::jump;
use crate::stepper::{Stepper, describe};
use crate::work::Work;
use crate::{Check, Refusal, reject};
use model::trace::{Move, Run};
use model::{EventId, Formula, Goal, Node, Program, Trace};
use num_bigint::BigInt;

/// What replaying found out.
pub(crate) struct Replayed {
    /// Events of the run.
    pub(crate) events: u64,
    /// Steps that were really taken.
    pub(crate) stepped: u64,
}

/// What the last state has to be.
pub(crate) enum End<'a> {
    /// Of `bad` or `deadlock`.
    Goal(Goal),
    /// One that satisfies this formula over the program's places.
    Formula(&'a Formula),
}

/// Replays `trace`, and says where it ends.
pub(crate) fn replay(
    program: &Program,
    stepper: &Stepper,
    trace: &Trace,
    end: End<'_>,
    work: &mut Work<'_>,
) -> Check<(Replayed, Vec<u32>)> {
    let events = trace.len().ok_or(Refusal::TooDear)?;
    if !stepper.knows(&trace.start) {
        return reject(format!("the trace starts in {}, which is no state", describe(program, &trace.start)));
    }
    if let Some(thread) = (0..stepper.width()).find(|&t| !stepper.initial(t).contains(&trace.start[t])) {
        let name = &program.threads()[thread].name;
        return reject(format!("the trace starts in {}: not initial in `{name}`", describe(program, &trace.start)));
    }
    let bad = (0..stepper.width()).filter(|&t| stepper.is_bad(t, trace.start[t])).count();
    let parties = parties(stepper, work)?;
    let mut replay = Replay { program, stepper, trace, parties, state: trace.start.to_vec(), bad, done: 0, stepped: 0 };
    for run in trace.runs() {
        replay.run(run, work)?;
    }
    let last = describe(program, &replay.state);
    let goal = match end {
        End::Goal(goal) => goal,
        End::Formula(formula) if satisfies(program, formula, &replay.state)? => {
            return Ok((Replayed { events, stepped: replay.stepped }, replay.state));
        }
        End::Formula(_) => return reject(format!("the trace ends in {last}, which does not satisfy the formula")),
    };
    match stepper.goal(&replay.state) {
        Some(Goal::Deadlock) if program.all_final(&replay.state) => {
            reject(format!("the trace ends in {last}, where every thread is in a final state"))
        }
        Some(found) if found == goal => Ok((Replayed { events, stepped: replay.stepped }, replay.state)),
        Some(found) => reject(format!("the trace ends in {last}, a state of goal `{found}`, not `{goal}`")),
        None => reject(format!("the trace ends in {last}, which is no `{goal}` state: an event is enabled")),
    }
}

/// The threads that mention an event in some state that is not bad.
fn parties(stepper: &Stepper, work: &mut Work<'_>) -> Check<ByEvent> {
    let mut mentioned = Vec::with_capacity(stepper.width());
    for thread in 0..stepper.width() {
        let mut events = stepper.none();
        for local in (0..stepper.size(thread) as u32).filter(|&local| !stepper.is_bad(thread, local)) {
            events.union_with(stepper.request(thread, local));
            events.union_with(stepper.block(thread, local));
            stepper.mentioned(thread, local).for_each(|(event, _)| events.insert(EventId(event)));
            work.spend(1 + events.size() as u64)?;
        }
        mentioned.push(events);
    }
    ByEvent::new(stepper.events(), mentioned.iter(), work)
}

/// Does the composite state satisfy the formula: of each thread one place is marked, the one of its local state?
fn satisfies(program: &Program, formula: &Formula, state: &[u32]) -> Check<bool> {
    let (first, count) = program.places();
    let mut marked = vec![false; count];
    first.iter().zip(state).for_each(|(first, &local)| marked[first + local as usize] = true);
    let mut holds: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for node in formula.nodes() {
        holds.push(match node {
            Node::All(parts) => parts.iter().all(|p| holds[p.index()]),
            Node::Any(parts) => parts.iter().any(|p| holds[p.index()]),
            Node::AtLeast(sum) => {
                let mut total = BigInt::from(0);
                for (place, weight) in &sum.terms {
                    match marked.get(place.index()) {
                        Some(true) => total += weight,
                        Some(false) => {}
                        None => return reject("the formula names a place that the program does not have"),
                    }
                }
                total >= sum.at_least
            }
        });
    }
    Ok(holds.last().copied().unwrap_or(false))
}

struct Replay<'a> {
    program: &'a Program,
    stepper: &'a Stepper,
    trace: &'a Trace,
    parties: ByEvent,
    state: Vec<u32>,
    /// How many threads are in a bad state.
    bad: usize,
    /// Events before the next one.
    done: u64,
    stepped: u64,
}

impl Replay<'_> {
    fn run(&mut self, run: &Run, work: &mut Work<'_>) -> Check<()> {
        if run.times == 1 {
            return self.pass(&run.word, work);
        }
        if run.word.iter().any(|m| m.choice.is_some()) {
            return reject(format!("a repetition after {} events records a choice", self.done));
        }
        if run.word.iter().any(|m| m.event.index() >= self.stepper.events()) {
            return reject(format!("a repetition after {} events has an unknown event", self.done));
        }
        let word: Vec<u32> = run.word.iter().map(|m| m.event.0).collect();
        // Tables cost up to a step per local state: not worth it for fewer passes than that.
        if run.times > self.stepper.sizes().iter().map(|&size| size as u64).sum()
            && let Some(state) = jump::repeat(self.stepper, &self.state, &word, run.times, work)?
        {
            self.bad = (0..state.len()).filter(|&t| self.stepper.is_bad(t, state[t])).count();
            self.state = state;
            self.done += run.times * word.len() as u64;
            return Ok(());
        }
        self.repeat(run, work)
    }

    /// Replays a repetition. If the state after a pass is one seen after an earlier pass, the passes between go round for
    /// ever, and full rounds are skipped. (Brent's cycle search: compare with a mark that moves at powers of two.)
    fn repeat(&mut self, run: &Run, work: &mut Work<'_>) -> Check<()> {
        let mut left = run.times;
        let mut mark = Some(self.state.clone());
        let (mut since_mark, mut next_mark) = (0u64, 1u64);
        while left > 0 {
            self.pass(&run.word, work)?;
            left -= 1;
            since_mark += 1;
            let Some(marked) = &mut mark else { continue };
            if *marked == self.state {
                self.done += (left - left % since_mark) * run.word.len() as u64;
                left %= since_mark;
                mark = None;
            } else if since_mark == next_mark {
                marked.clone_from(&self.state);
                since_mark = 0;
                next_mark = next_mark.saturating_mul(2);
            }
        }
        Ok(())
    }

    fn pass(&mut self, word: &[Move], work: &mut Work<'_>) -> Check<()> {
        for step in word {
            work.spend(1)?;
            self.step(*step, work)?;
            self.done += 1;
            self.stepped += 1;
        }
        Ok(())
    }

    fn step(&mut self, step: Move, work: &mut Work<'_>) -> Check<()> {
        let event = step.event.0;
        if step.event.index() >= self.stepper.events() {
            return reject(format!("event number {} is unknown", self.done + 1));
        }
        let parties: Vec<usize> = self.parties.of(event, |_| true).collect();
        work.spend(parties.len() as u64)?;
        self.must_be_enabled(event, &parties)?;
        match step.choice {
            Some(choice) => {
                work.spend(self.state.len() as u64)?;
                self.go_to(event, self.trace.choice(choice))
            }
            None => self.go_on(event, &parties),
        }
    }

    fn must_be_enabled(&self, event: u32, parties: &[usize]) -> Check<()> {
        let blocked = parties.iter().filter(|&&t| self.stepper.blocks(t, self.state[t], event)).min();
        let requested = parties.iter().any(|&t| self.stepper.requests(t, self.state[t], event));
        if requested && blocked.is_none() && self.bad == 0 {
            return Ok(());
        }
        let name = &self.program.events()[event as usize];
        let place = format!("event number {} (`{name}`) in {}", self.done + 1, describe(self.program, &self.state));
        if let Some(goal) = self.stepper.goal(&self.state) {
            return reject(format!("{place}: the run has ended already, this is a `{goal}` state"));
        }
        match blocked {
            Some(&t) => reject(format!("{place} is blocked by `{}`", self.program.threads()[t].name)),
            None => reject(format!("{place} is requested by nobody")),
        }
    }

    /// Takes `event` to the recorded state.
    fn go_to(&mut self, event: u32, to: &[u32]) -> Check<()> {
        let place = |done| format!("the target recorded for event number {}", done + 1);
        if !self.stepper.knows(to) {
            return reject(format!("{} is no state", place(self.done)));
        }
        let wrong = (0..to.len()).find(|&t| !self.stepper.targets(t, self.state[t], event).contains(&to[t]));
        if let Some(t) = wrong {
            let name = &self.program.threads()[t].name;
            return reject(format!("{}: `{name}` cannot go there", place(self.done)));
        }
        for (t, &local) in to.iter().enumerate() {
            self.put(t, local);
        }
        Ok(())
    }

    fn put(&mut self, thread: usize, to: u32) {
        let from = std::mem::replace(&mut self.state[thread], to);
        self.bad =
            self.bad + usize::from(self.stepper.is_bad(thread, to)) - usize::from(self.stepper.is_bad(thread, from));
    }

    /// Takes `event` to its only successor.
    fn go_on(&mut self, event: u32, parties: &[usize]) -> Check<()> {
        for &t in parties {
            let &[to] = self.stepper.targets(t, self.state[t], event) else {
                let name = &self.program.threads()[t].name;
                let number = self.done + 1;
                return reject(format!(
                    "event number {number} leaves `{name}` a choice that the trace does not record"
                ));
            };
            self.put(t, to);
        }
        Ok(())
    }
}

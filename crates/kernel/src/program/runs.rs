//! Replays runs of behavioral programs.
//!
//! A state of the goal `bad` or `deadlock` has no enabled event. So if a run to such a state can be replayed,
//! only its last state is a goal state. A state that satisfies a formula may have enabled events.
//!
//! For each event of the run, the replay examines only the threads that mention this event in some state. All
//! other threads neither request nor block the event, and do not move. So the cost of a step depends on the
//! number of threads that mention its event, and not on the number of all threads. In programs with priorities, a step
//! examines all threads, and repetitions are replayed step by step.

use super::by_event::ByEvent;
use super::jump;
use super::stepper::{Stepper, bit, describe};
use crate::net::formula;
use crate::trace::Semantics;
use crate::work::Work;
use crate::{Check, reject};
use model::{EventId, Goal, Problem, Program};
use num_bigint::BigUint;

/// The semantics of a program for runs.
#[derive(Debug)]
pub struct Runs<'a> {
    problem: &'a Problem,
    program: &'a Program,
    stepper: &'a Stepper,
    /// For each event: the threads that mention it in some state that is not bad.
    parties: ByEvent,
}

/// A composite state.
#[derive(Clone, PartialEq, Debug)]
pub struct RunState {
    /// The local state of each thread.
    pub locals: Vec<u32>,
    /// Number of threads in a bad state.
    bad: usize,
}

impl<'a> Runs<'a> {
    /// Creates the semantics of the problem's program. The stepper must have been created from this program.
    ///
    /// # Errors
    /// If a resource limit is exceeded.
    pub fn new(problem: &'a Problem, program: &'a Program, stepper: &'a Stepper, work: &mut Work<'_>) -> Check<Self> {
        assert_eq!(program.threads().len(), stepper.width(), "the stepper is that of the program");
        assert_eq!(program.has_priorities(), stepper.has_priorities(), "runs respect priorities");
        Ok(Self { problem, program, stepper, parties: parties(stepper, work)? })
    }

    /// Returns the program and its stepper.
    pub(super) fn program(&self) -> (&'a Program, &'a Stepper) {
        (self.program, self.stepper)
    }

    fn state(&self, locals: Vec<u32>) -> RunState {
        debug_assert!(self.stepper.knows(&locals), "it is a state of the program");
        let bad = (0..locals.len()).filter(|&t| self.stepper.is_bad(t, locals[t])).count();
        RunState { locals, bad }
    }

    fn thread(&self, thread: usize) -> &str {
        &self.program.threads()[thread].name
    }

    fn must_be_enabled(&self, state: &RunState, event: u32, parties: &[usize]) -> Check<()> {
        let blocked = parties.iter().filter(|&&t| self.stepper.blocks(t, state.locals[t], event)).min();
        let requested = parties.iter().any(|&t| self.stepper.requests(t, state.locals[t], event));
        let is_open = requested && blocked.is_none() && state.bad == 0;
        if is_open && (!self.stepper.has_priorities() || self.has_priority(state, event)) {
            return Ok(());
        }
        let place = format!("`{}` in {}", self.program.events()[event as usize], describe(self.program, &state.locals));
        if let Some(goal) = self.stepper.goal(&state.locals) {
            return reject(format!("{place}: the run ended before, in a `{goal}` state"));
        }
        match blocked {
            _ if is_open => reject(format!("{place}: an event with a request of higher priority is enabled")),
            Some(&t) => reject(format!("{place} is blocked by `{}`", self.thread(t))),
            None => reject(format!("no thread requests {place}")),
        }
    }

    /// Returns true if no event with a request of higher priority is enabled. The event must be requested, and not
    /// blocked.
    fn has_priority(&self, state: &RunState, event: u32) -> bool {
        let mut enabled = Vec::new();
        self.stepper.enabled(&state.locals, &mut enabled);
        bit(&enabled, event)
    }

    /// Moves to the recorded state on `event`.
    fn go_to(&self, state: &mut RunState, event: u32, to: &[u32]) -> Check<()> {
        if !self.stepper.knows(to) {
            return reject("the recorded target is not a state");
        }
        let wrong = (0..to.len()).find(|&t| !self.stepper.targets(t, state.locals[t], event).contains(&to[t]));
        match wrong {
            Some(t) => reject(format!("the recorded target: `{}` cannot go there", self.thread(t))),
            None => {
                *state = self.state(to.to_vec());
                Ok(())
            }
        }
    }

    /// Moves to the only successor on `event`.
    fn go_on(&self, state: &mut RunState, event: u32, parties: &[usize]) -> Check<()> {
        for &t in parties {
            let from = state.locals[t];
            let &[to] = self.stepper.targets(t, from, event) else {
                return reject(format!("the trace does not record the target of `{}`", self.thread(t)));
            };
            state.locals[t] = to;
            state.bad += usize::from(self.stepper.is_bad(t, to));
            state.bad -= usize::from(self.stepper.is_bad(t, from));
        }
        debug_assert_eq!(*state, self.state(state.locals.clone()), "bad states are counted");
        Ok(())
    }

    /// Returns true if the composite state satisfies the formula. The formula is about places, one for each
    /// local state of each thread. The place of a local state is marked iff the thread is in this state.
    fn satisfies(&self, goal: Goal, state: &RunState, work: &mut Work<'_>) -> Check<bool> {
        let (first, count) = self.program.places();
        let formula = formula::asked(self.problem, goal, count)?;
        work.spend(formula::size(formula) + count as u64)?;
        let mut marked = vec![BigUint::ZERO; count];
        first.iter().zip(&state.locals).for_each(|(first, &local)| marked[first + local as usize] = 1u8.into());
        Ok(formula::holds(formula, &marked))
    }
}

impl Semantics for Runs<'_> {
    type State = RunState;

    fn start(&mut self, start: &[u32], work: &mut Work<'_>) -> Check<RunState> {
        work.spend(start.len() as u64)?;
        if !self.stepper.knows(start) {
            return reject(format!("the trace starts in {}, which is not a state", describe(self.program, start)));
        }
        match (0..start.len()).find(|&t| !self.stepper.initial(t).contains(&start[t])) {
            Some(t) => reject(format!(
                "the trace starts in {}: not initial in `{}`",
                describe(self.program, start),
                self.thread(t)
            )),
            None => Ok(self.state(start.to_vec())),
        }
    }

    fn step(&mut self, state: &mut RunState, label: u32, choice: Option<&[u32]>, work: &mut Work<'_>) -> Check<()> {
        if label as usize >= self.stepper.events() {
            return reject(format!("unknown event {label}"));
        }
        let parties: Vec<usize> = self.parties.of(label, |_| true).collect();
        work.spend(parties.len() as u64)?;
        if self.stepper.has_priorities() {
            work.spend((state.locals.len() * self.stepper.words()) as u64)?;
        }
        self.must_be_enabled(state, label, &parties)?;
        match choice {
            Some(to) => {
                work.spend(state.locals.len() as u64)?;
                self.go_to(state, label, to)
            }
            None => self.go_on(state, label, &parties),
        }
    }

    fn reached(&mut self, state: &RunState, goal: Goal, work: &mut Work<'_>) -> Check<()> {
        work.spend(state.locals.len() as u64)?;
        let last = describe(self.program, &state.locals);
        if matches!(goal, Goal::Formula(_)) {
            return match self.satisfies(goal, state, work)? {
                true => Ok(()),
                false => reject(format!("the trace ends in {last}, which does not satisfy the formula")),
            };
        }
        match self.stepper.goal(&state.locals) {
            Some(Goal::Deadlock) if self.program.may_end(&state.locals) => {
                reject(format!("the trace ends in {last}, where the program may end"))
            }
            Some(found) if found == goal => Ok(()),
            Some(found) => reject(format!("the trace ends in {last}, a state of goal `{found}`, not `{goal}`")),
            None => reject(format!("the trace ends in {last}, which is not a `{goal}` state: an event is enabled")),
        }
    }

    /// Uses the tables of the threads (`jump.rs`). The tables cost up to one step per local state, so they are
    /// used only if there are more passes than local states.
    fn repeat(
        &mut self,
        state: &RunState,
        word: &[u32],
        times: u64,
        work: &mut Work<'_>,
    ) -> Check<Option<(RunState, u64)>> {
        if let Some(event) = word.iter().find(|&&event| event as usize >= self.stepper.events()) {
            return reject(format!("unknown event {event}"));
        }
        if self.stepper.has_priorities() || times <= self.stepper.sizes().iter().map(|&size| size as u64).sum() {
            return Ok(None);
        }
        let jumped = jump::repeat(self.stepper, &state.locals, word, times, work)?;
        Ok(jumped.map(|locals| (self.state(locals), 0)))
    }
}

/// Returns the index of the threads that mention an event in some state that is not bad.
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

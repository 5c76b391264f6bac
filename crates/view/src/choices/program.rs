//! Behavioral programs as choices: a label is an event, and the fields are the threads that may go to several states.

use super::{Choices, Field, Refusal, Taken, digits, holds, number, small_digits};
use crate::positions;
use crate::steps::Value;
use crate::text::names;
use crate::trace::{self, Detail};
use crate::waits::Waits;
use crate::walk::{self, Movers};
use model::{EventId, Formula, Goal, LocalId, PlaceId, Problem, Program, ThreadId};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

/// A program as choices. A state is the local state of each thread.
#[derive(Clone, Debug)]
pub struct ProgramChoices {
    program: Arc<Program>,
    movers: Movers,
    /// For each thread, the number of its first place in formulas.
    first: Vec<usize>,
}

impl ProgramChoices {
    /// Creates the choices. The cost is linear in the number of moves.
    #[must_use]
    pub fn new(program: &Arc<Program>) -> Self {
        let (movers, (first, _)) = (Movers::of(program), program.places());
        Self { program: Arc::clone(program), movers, first }
    }

    fn name_of(&self, thread: ThreadId) -> String {
        self.program.thread(thread).name.clone()
    }

    fn has_bad(&self, at: &[u32]) -> bool {
        walk::locals(&self.program, at).any(|(_, state)| state.bad)
    }

    /// Returns the threads that `event` may move to several states, each with these states.
    fn open(&self, at: &[u32], event: EventId) -> Vec<(ThreadId, Vec<LocalId>)> {
        let targets = |t: ThreadId| self.program.thread(t).targets(LocalId(at[t.index()]), event).collect::<Vec<_>>();
        self.movers.on(event).into_iter().map(|t| (t, targets(t))).filter(|(_, targets)| targets.len() > 1).collect()
    }

    fn field(&self, thread: ThreadId, states: &[LocalId]) -> Field {
        let options = states.iter().map(|s| positions::short(&self.program, thread, *s)).collect();
        Field::named(self.name_of(thread), options)
    }

    /// The threads with several initial states.
    fn open_starts(&self) -> impl Iterator<Item = (ThreadId, &[LocalId])> {
        let threads = self.program.threads().iter().enumerate();
        threads.filter(|(_, t)| t.initial.len() > 1).map(|(i, t)| (ThreadId::new(i), &t.initial[..]))
    }

    fn why_not(&self, at: &[u32], event: EventId) -> Option<Refusal> {
        if event.index() >= self.program.events().len() {
            return Some(Refusal::Unknown);
        }
        if self.has_bad(at) {
            return Some(Refusal::Other("a thread is in a bad state, so the run has ended".to_owned()));
        }
        if !walk::locals(&self.program, at).any(|(_, state)| state.request.contains(event)) {
            return Some(Refusal::NotRequested);
        }
        let blockers = walk::blockers(&self.program, at, event);
        if !blockers.is_empty() {
            let place = |t: ThreadId| positions::whereabouts(&self.program, t, LocalId(at[t.index()]));
            return Some(Refusal::Blocked(blockers.into_iter().map(|t| (self.name_of(t), place(t))).collect()));
        }
        if !self.program.has_priorities() {
            return None;
        }
        let enabled = walk::enabled(&self.program, at);
        let first = enabled.iter().next()?;
        (!enabled.contains(event)).then(|| Refusal::Priority(walk::priority(&self.program, at, first)))
    }
}

impl Choices for ProgramChoices {
    type State = Vec<u32>;

    const NOTE: &'static str = "State 0 lists all threads, the others list those that are elsewhere than in state 0.";

    fn start_fields(&self) -> Vec<Field> {
        self.open_starts().map(|(t, states)| self.field(t, states)).collect()
    }

    fn start(&self, outcome: &BigUint) -> Option<Vec<u32>> {
        let chosen = small_digits(&self.start_fields(), outcome)?;
        let mut at: Vec<u32> = self.program.threads().iter().map(|t| t.initial[0].0).collect();
        for ((t, states), way) in self.open_starts().zip(chosen) {
            at[t.index()] = states[way].0;
        }
        Some(at)
    }

    fn start_of(&self, recorded: &[u32]) -> Option<BigUint> {
        let way = |(t, states): (ThreadId, &[LocalId])| {
            states.iter().position(|s| Some(&s.0) == recorded.get(t.index())).map(BigUint::from)
        };
        let ways: Option<Vec<BigUint>> = self.open_starts().map(way).collect();
        Some(number(&self.start_fields(), &ways?))
    }

    fn recorded_start(&self, outcome: &BigUint) -> Option<Box<[u32]>> {
        self.start(outcome).map(Vec::into_boxed_slice)
    }

    fn labels(&self) -> usize {
        self.program.events().len()
    }

    fn name(&self, label: u32) -> String {
        self.program.event_name(EventId(label)).to_owned()
    }

    fn enabled(&self, at: &Vec<u32>) -> Vec<u32> {
        if self.is_bad(at) {
            return Vec::new();
        }
        walk::enabled(&self.program, at).iter().map(|event| event.0).collect()
    }

    fn fields(&self, at: &Vec<u32>, label: u32) -> Vec<Field> {
        self.open(at, EventId(label)).iter().map(|(t, states)| self.field(*t, states)).collect()
    }

    fn refusal(&self, at: &Vec<u32>, label: u32) -> Refusal {
        self.why_not(at, EventId(label)).unwrap_or(Refusal::Unknown)
    }

    fn take(&self, at: &Vec<u32>, label: u32, outcome: &BigUint) -> Result<Taken<Vec<u32>>, Refusal> {
        let event = EventId(label);
        if let Some(refusal) = self.why_not(at, event) {
            return Err(refusal);
        }
        let mut to = at.clone();
        for t in self.movers.on(event) {
            if let Some(state) = self.program.thread(t).targets(LocalId(at[t.index()]), event).next() {
                to[t.index()] = state.0;
            }
        }
        let open = self.open(at, event);
        let fields: Vec<Field> = open.iter().map(|(t, states)| self.field(*t, states)).collect();
        let ways = small_digits(&fields, outcome).ok_or(Refusal::Unknown)?;
        for ((t, states), way) in open.iter().zip(ways) {
            to[t.index()] = states[way].0;
        }
        let requesters = walk::requesters(&self.program, at, event);
        let requested_by = requesters.into_iter().map(|t| self.name_of(t)).collect();
        Ok(Taken {
            to,
            event: self.name(label),
            requested_by,
            shows: Vec::new(),
            goals: Vec::new(),
            is_rejected: false,
        })
    }

    fn recorded(&self, at: &Vec<u32>, label: u32, _: &BigUint, to: &Vec<u32>) -> Result<Option<Box<[u32]>>, Refusal> {
        Ok((!self.open(at, EventId(label)).is_empty()).then(|| to.clone().into_boxed_slice()))
    }

    fn outcome_of(&self, at: &Vec<u32>, label: u32, recorded: Option<&[u32]>) -> Option<BigUint> {
        let Some(recorded) = recorded else { return Some(BigUint::ZERO) };
        let open = self.open(at, EventId(label));
        let fields: Vec<Field> = open.iter().map(|(t, states)| self.field(*t, states)).collect();
        let way = |(t, states): &(ThreadId, Vec<LocalId>)| {
            states.iter().position(|s| Some(&s.0) == recorded.get(t.index())).map(BigUint::from)
        };
        let ways: Option<Vec<BigUint>> = open.iter().map(way).collect();
        let outcome = number(&fields, &ways?);
        digits(&fields, &outcome).map(|_| outcome)
    }

    fn parts(&self) -> usize {
        self.program.threads().len()
    }

    fn part(&self, part: usize) -> String {
        self.name_of(ThreadId::new(part))
    }

    fn value(&self, at: &Vec<u32>, part: usize) -> Value {
        Value::State(self.program.thread(ThreadId::new(part)).state(LocalId(at[part])).name.clone())
    }

    fn differ(&self, at: &Vec<u32>, other: &Vec<u32>) -> Vec<usize> {
        super::positions(at, other)
    }

    fn text(&self, at: &Vec<u32>, part: usize) -> Option<String> {
        let (thread, state) = (ThreadId::new(part), LocalId(*at.get(part)?));
        let is_body = self.program.position(thread, state).is_some_and(|position| position.is_body);
        is_body.then(|| positions::act(&self.program, thread, state))
    }

    fn place(&self, at: &Vec<u32>, part: usize) -> Option<String> {
        let thread = ThreadId::new(part);
        at.get(part).map(|s| positions::whereabouts(&self.program, thread, LocalId(*s)))
    }

    fn line(&self, at: &Vec<u32>, part: usize) -> Option<u32> {
        let position = self.program.position(ThreadId::new(part), LocalId(*at.get(part)?))?;
        position.file.is_none().then_some(position.line)
    }

    fn numbers(&self, at: &Vec<u32>) -> Vec<u32> {
        at.clone()
    }

    fn holds(&self, at: &Vec<u32>, formula: &Formula) -> Option<bool> {
        let tokens = |place: PlaceId| {
            let thread = self.first.partition_point(|first| *first <= place.index()) - 1;
            BigInt::from(u32::from(self.first[thread] + at[thread] as usize == place.index()))
        };
        Some(holds(formula, tokens))
    }

    fn reaches(&self, at: &Vec<u32>, goal: Goal) -> bool {
        match goal {
            Goal::Bad => self.is_bad(at),
            Goal::Deadlock => walk::goal(&self.program, at) == Some(Goal::Deadlock),
            _ => false,
        }
    }

    fn size(&self, at: &Vec<u32>) -> usize {
        size_of::<Vec<u32>>() + at.len() * size_of::<u32>()
    }

    fn is_bad(&self, at: &Vec<u32>) -> bool {
        self.has_bad(at)
    }

    fn may_end(&self, at: &Vec<u32>) -> bool {
        self.program.may_end(at)
    }

    /// The difference from the start says most, because lists are cut.
    fn lines(&self, first: &Vec<u32>, at: &Vec<u32>) -> Vec<String> {
        let differs = |part: &usize| at == first || at[*part] != first[*part];
        let shown = (0..at.len()).filter(differs);
        shown.map(|part| format!("{}: {}", self.part(part), super::said(self, at, part))).collect()
    }

    fn offer(&self, at: &Vec<u32>, label: u32, detail: Detail) -> String {
        let by = trace::program::requested_by(&self.program, at, EventId(label), detail);
        format!("{}  (requested by {by})", self.name(label))
    }

    fn line_of(&self, from: &Vec<u32>, label: u32, taken: &Taken<Vec<u32>>, detail: Detail) -> String {
        let changes = trace::program::changes(&self.program, from, &taken.to, detail);
        format!("{}  {changes}", self.offer(from, label, detail))
    }

    fn stuck(&self, at: &Vec<u32>) -> Vec<String> {
        let waits = Waits::of(&self.program, at);
        let title = if waits.cycle.is_empty() { "The waiting ends at:" } else { "They wait in a circle:" };
        let lines = waits.lines(&self.program, at);
        if lines.is_empty() { lines } else { std::iter::once(title.to_owned()).chain(lines).collect() }
    }

    fn why(&self, problem: &Problem, at: &Vec<u32>, goal: Goal, steps: u64, detail: Detail) -> String {
        match problem.formula(goal) {
            Some(formula) => trace::program::satisfied(&self.program, formula, at, steps, detail),
            None => trace::program::why(&self.program, at, goal, steps, detail),
        }
    }

    /// Names the events that are not enabled because of their priority.
    fn remark(&self, at: &Vec<u32>, detail: Detail) -> Option<String> {
        let enabled = walk::enabled(&self.program, at);
        let first = enabled.iter().next().filter(|_| self.program.has_priorities())?;
        let open = walk::open(&self.program, at);
        let lower = open.iter().filter(|event| !enabled.contains(*event)).map(|event| self.program.event_name(event));
        let lower: Vec<&str> = lower.collect();
        let named = names(lower.iter().copied(), if detail.all { usize::MAX } else { 12 });
        let priority = walk::priority(&self.program, at, first);
        let why = format!("not enabled: {named} (a request of higher priority, {priority}, is enabled)");
        (!lower.is_empty()).then_some(why)
    }
}

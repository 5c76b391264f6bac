//! Violations with known values: states are explored one by one, with few values for what is free.
//!
//! The values of an argument are the bounds of all tests about it, their neighbours, and 0
//! ([`crate::symbolic::witness`]); a thread draws one of the constants of the program, or a neighbour. So states are
//! left out, and only runs are claimed. The states are explored in order of their distance, up to a limit. Between two
//! parts of this search there are random runs, which are longer.
//!
//! The bounded search of [`crate::symbolic::Symbolic`] knows all values, but unrolls runs step by step. This search
//! finds what is deep, or lies behind more combinations of locations than can be listed.

use crate::symbolic::outcomes::Known;
use crate::symbolic::rules::slots;
use crate::symbolic::witness::{Candidate, candidates};
use model::data::{Constraint, DataProgram, Decision, LocationKind, Symbol};
use model::{
    Budget, Claim, DataTask, DecisionId, Engine, EventId, Goal, Grown, LocationId, Stats, Trace, Turn, VariableId,
};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The largest number of states of the search, and of steps of all random runs.
const MOST_STATES: usize = 1 << 16;
const MOST_STEPS: usize = 1 << 17;

/// The length of a random run, and the number of states that are explored between two of them.
const LONG: usize = 1 << 10;
const BETWEEN: usize = 1 << 9;

/// The largest numbers of events with arguments at a state, of outcomes of an event, and of values that are drawn.
const MOST_EVENTS: usize = 1 << 9;
const MOST_OUTCOMES: usize = 64;
const MOST_DRAWN: usize = 8;

/// Units of work for the decision of a thread about an event.
const COST: u64 = 2;

/// A location for each thread, and a value for each variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    locations: Box<[LocationId]>,
    values: Box<[i64]>,
}

/// A step: the event and what it leaves open, as runs record it.
#[derive(Clone, Debug)]
struct Step {
    event: EventId,
    slots: Box<[u32]>,
}

/// The search.
#[derive(Debug)]
pub struct Concrete {
    program: Arc<DataProgram>,
    open: Vec<Goal>,
    drawn: Vec<BigInt>,
    numbers: HashMap<State, usize>,
    /// Each state, with the step and the state before it.
    states: Vec<(State, Step, usize)>,
    next: usize,
    /// Events that may be possible, by the locations of a state.
    candidates: HashMap<Box<[LocationId]>, Arc<Vec<Candidate>>>,
    /// Steps of random runs.
    steps: usize,
    random: u64,
    is_started: bool,
    /// Work that is not yet taken from a budget.
    work: u64,
    /// The variable that took the most values, when it was last looked for.
    grown: Option<Grown>,
}

impl Concrete {
    /// Creates the search.
    #[must_use]
    pub fn new(task: &DataTask, seed: u64) -> Self {
        let program = Arc::clone(task.program());
        Self {
            drawn: constants(&program),
            open: task.goals().to_vec(),
            program,
            numbers: HashMap::new(),
            states: Vec::new(),
            next: 0,
            candidates: HashMap::new(),
            steps: 0,
            random: seed,
            is_started: false,
            work: 0,
            grown: None,
        }
    }

    /// Returns the next states by one decision of each thread. Blocked and unrequested combinations are left out, and
    /// states with a value beyond 64 bits.
    fn combine(
        &self,
        from: &State,
        decisions: &[Option<DecisionId>],
        arguments: &[BigInt],
        is_start: bool,
    ) -> Vec<(State, Vec<BigInt>)> {
        let variable = |symbol: Symbol| match symbol {
            Symbol::Variable(id) => from.values[id.index()].into(),
            _ => BigInt::ZERO,
        };
        let known = Known { variable: &variable, arguments, drawn: &self.drawn };
        let mut partial = vec![(from.clone(), arguments.to_vec(), is_start)];
        for (number, decision) in decisions.iter().enumerate() {
            let Some(decision) = decision else { continue };
            let Some(outcomes) = known.outcomes(&self.program.threads()[number], *decision) else {
                return Vec::new();
            };
            let mut longer = Vec::new();
            for (state, draws, is_requested) in &partial {
                for ended in outcomes.iter().filter(|ended| !ended.outcome.blocks) {
                    let mut state = state.clone();
                    if let Some((to, updates)) = &ended.outcome.go {
                        state.locations[number] = *to;
                        let values: Option<Vec<i64>> =
                            updates.iter().map(|(_, term)| known.value_at(term, ended).to_i64()).collect();
                        let Some(values) = values else { continue };
                        updates.iter().zip(values).for_each(|((id, _), value)| state.values[id.index()] = value);
                    }
                    let draws = draws.iter().chain(&ended.draws).cloned().collect();
                    longer.push((state, draws, is_requested | ended.outcome.requests));
                }
            }
            longer.truncate(MOST_OUTCOMES);
            partial = longer;
        }
        partial.into_iter().filter(|(.., is_requested)| *is_requested).map(|(state, draws, _)| (state, draws)).collect()
    }

    fn start(&self) -> Vec<(State, Step)> {
        let threads = self.program.threads();
        let none = State {
            locations: vec![LocationId(0); threads.len()].into(),
            values: vec![0; self.program.variables().len()].into(),
        };
        let decisions: Vec<Option<DecisionId>> = threads.iter().map(|thread| Some(thread.initial)).collect();
        let all = self.combine(&none, &decisions, &[], true);
        all.into_iter().filter_map(|(state, draws)| Some((state, step(EventId(0), &draws)?))).collect()
    }

    /// Returns the successors of a state, without bad locations in it.
    fn successors(&mut self, from: &State) -> Vec<(State, Step)> {
        let possible = self.candidates.entry(from.locations.clone()).or_insert_with(|| {
            let mut all = candidates(&self.program, &from.locations);
            all.truncate(MOST_EVENTS);
            Arc::new(all)
        });
        let (possible, program) = (Arc::clone(possible), Arc::clone(&self.program));
        let variable = |symbol: Symbol| match symbol {
            Symbol::Variable(id) => from.values[id.index()].into(),
            _ => BigInt::ZERO,
        };
        let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
        for (event, arguments) in possible.iter() {
            let arguments: Vec<BigInt> = arguments.iter().map(|argument| argument.value(&variable)).collect();
            if !seen.insert((*event, arguments.clone())) {
                continue;
            }
            let threads = program.threads().iter().zip(&from.locations);
            let decisions: Vec<Option<DecisionId>> =
                threads.map(|(thread, at)| thread.locations[at.index()].on.get(event).copied()).collect();
            self.work += COST * decisions.iter().flatten().count() as u64;
            for (state, draws) in self.combine(from, &decisions, &arguments, false) {
                all.extend(step(*event, &draws).map(|step| (state, step)));
            }
        }
        all
    }

    /// Returns the open goal that a state violates, if its successors are these.
    fn violated(&self, state: &State, successors: Option<&[(State, Step)]>) -> Option<Goal> {
        let threads = self.program.threads().iter().zip(&state.locations);
        let kinds: Vec<LocationKind> = threads.map(|(thread, at)| thread.locations[at.index()].kind).collect();
        let goal = if kinds.contains(&LocationKind::Bad) {
            Goal::Bad
        } else if successors.is_some_and(<[_]>::is_empty) && kinds.iter().any(|kind| *kind != LocationKind::Final) {
            Goal::Deadlock
        } else {
            return None;
        };
        self.open.contains(&goal).then_some(goal)
    }

    /// Adds a state, if it is new.
    fn add(&mut self, state: State, step: Step, from: usize) -> Option<usize> {
        let number = self.states.len();
        if self.numbers.contains_key(&state) || number >= MOST_STATES {
            return None;
        }
        self.numbers.insert(state.clone(), number);
        self.states.push((state, step, from));
        if Grown::is_due(self.states.len()) {
            self.grown = self.most_values();
        }
        Some(number)
    }

    /// Returns the variable that takes the most values in the states.
    fn most_values(&mut self) -> Option<Grown> {
        let count = |at: usize| self.states.iter().map(|(state, ..)| state.values[at]).collect::<HashSet<i64>>().len();
        let variables = self.program.variables();
        let most = (0..variables.len()).map(|at| (count(at), at)).max_by_key(|(count, at)| (*count, Reverse(*at)));
        self.work += (self.states.len() * variables.len()) as u64 / 8;
        let (count, at) = most.filter(|(count, _)| *count > 1)?;
        let of = &variables[at];
        Some(Grown::Variable {
            thread: self.program.threads()[of.thread.index()].name.clone(),
            variable: of.name.clone(),
            range: self.program.range(VariableId::new(at)),
            values: count as u64,
        })
    }

    fn claim(&mut self, goal: Goal, steps: Vec<Step>) -> Turn {
        self.open.retain(|open| *open != goal);
        let mut steps = steps.into_iter();
        let mut trace = Trace::new(steps.next().map(|step| step.slots).unwrap_or_default());
        steps.for_each(|step| trace.push(step.event, (!step.slots.is_empty()).then_some(step.slots)));
        Turn::Claims(Claim::Unsafe { goal, trace, candidate: true })
    }

    /// Returns the steps that lead to a state of the search.
    fn steps_to(&self, mut number: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        loop {
            let (_, step, from) = &self.states[number];
            steps.push(step.clone());
            if *from == number {
                break;
            }
            number = *from;
        }
        steps.reverse();
        steps
    }

    /// Explores the next state of the search.
    fn expand(&mut self) -> Option<Turn> {
        let number = self.next;
        self.next += 1;
        let state = self.states[number].0.clone();
        if let Some(goal) = self.violated(&state, None) {
            return Some(self.claim(goal, self.steps_to(number)));
        }
        if self.is_bad(&state) {
            return None;
        }
        let successors = self.successors(&state);
        if let Some(goal) = self.violated(&state, Some(&successors)) {
            return Some(self.claim(goal, self.steps_to(number)));
        }
        for (next, step) in successors {
            self.add(next, step, number);
        }
        None
    }

    /// Takes the work since the last call from the budget. Returns false if the turn is over.
    fn pay(&mut self, budget: &mut Budget) -> bool {
        budget.spend(1 + std::mem::take(&mut self.work))
    }

    fn is_bad(&self, state: &State) -> bool {
        let mut threads = self.program.threads().iter().zip(&state.locations);
        threads.any(|(thread, at)| thread.locations[at.index()].kind == LocationKind::Bad)
    }

    /// Takes a random run.
    fn walk(&mut self, budget: &mut Budget) -> Option<Turn> {
        let mut choices = self.start();
        let mut steps = Vec::new();
        while !choices.is_empty() && steps.len() < LONG {
            let (state, step) = choices.swap_remove(self.random_below(choices.len()));
            steps.push(step);
            choices = if self.is_bad(&state) { Vec::new() } else { self.successors(&state) };
            if let Some(goal) = self.violated(&state, Some(&choices)) {
                return Some(self.claim(goal, steps));
            }
            if !self.pay(budget) {
                break;
            }
        }
        self.steps += steps.len();
        None
    }

    /// A number below `limit`, by the generator xorshift64* (Vigna 2016).
    fn random_below(&mut self, limit: usize) -> usize {
        let mut x = self.random.max(1);
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.random = x;
        usize::try_from((x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit as u64).unwrap_or(0)
    }
}

/// Returns the numbers that a thread may draw: constants of tests, their neighbours, 0 and 1.
fn constants(program: &DataProgram) -> Vec<BigInt> {
    let mut all: Vec<BigInt> = vec![0.into(), 1.into()];
    let tests = program.threads().iter().flat_map(|thread| &thread.decisions);
    let constraint = |decision: &Decision| match decision {
        Decision::Test { constraint, .. } => Some(Constraint::term(constraint).constant().clone()),
        _ => None,
    };
    for constant in tests.filter_map(constraint) {
        for value in [-constant.clone(), 1 - &constant, constant] {
            if all.len() < MOST_DRAWN && value.to_i64().is_some() && !all.contains(&value) {
                all.push(value);
            }
        }
    }
    all
}

fn step(event: EventId, numbers: &[BigInt]) -> Option<Step> {
    Some(Step { event, slots: slots(numbers)?.into() })
}

impl Engine for Concrete {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if !std::mem::replace(&mut self.is_started, true) {
            for (state, step) in self.start() {
                let number = self.states.len();
                self.add(state, step, number);
            }
        }
        while !self.open.is_empty() && (self.next < self.states.len() || self.steps < MOST_STEPS) {
            for _ in 0..BETWEEN {
                if self.next == self.states.len() {
                    break;
                }
                if let Some(turn) = self.expand() {
                    return turn;
                }
                if !self.pay(budget) {
                    return Turn::More;
                }
            }
            if self.steps < MOST_STEPS
                && let Some(turn) = self.walk(budget)
            {
                return turn;
            }
            if !self.pay(budget) {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn refused(&mut self, _: Goal) {}

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|open| !goals.contains(open));
    }

    fn claims_shortest(&self, _: Goal) -> bool {
        false
    }

    fn stats(&self) -> Stats {
        Stats { states: self.states.len() as u64, grown: self.grown.clone(), ..Stats::default() }
    }
}

//! The engine for all temporal formulas of a problem, in one run.

use crate::automaton::Automaton;
use crate::graph::{Call, Calls, Expanded, Graph};
use crate::quotient::View;
use crate::search::{ComponentSearch, Given, LassoResult, Reader};
use crate::translate;
use hashbrown::HashMap;
use model::{
    Budget, Certificate, Claim, Engine, EventId, Goal, Holds, ReactiveTask, Reason, Stats, Trace, Turn, Valuations,
    VarId,
};
use std::collections::VecDeque;
use std::sync::Mutex;

/// Number of states of the first part of the graph on which formulas are tried, and the factor by which each
/// part is larger than the part before.
const FIRST_PART: usize = 1 << 8;
const GROWTH: usize = 4;
/// Products with fewer nodes take less time to search than a thread takes to start.
const WORTH_A_THREAD: usize = 1 << 14;

/// The status of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Open,
    /// No violation has been found in the current part of the graph.
    Kept,
    /// The formula is settled.
    Closed,
    /// This engine cannot decide the formula.
    GivenUp(Reason),
}

#[derive(Debug)]
struct Asked {
    goal: Goal,
    violations: Automaton,
    state: State,
}

/// A formula, and the search for its violations in a view.
#[derive(Debug)]
struct Task {
    formula: usize,
    reader: Reader,
    search: Option<ComponentSearch>,
}

#[derive(Debug)]
enum Phase {
    Expand,
    Decide(View, VecDeque<Task>),
    /// Only claims are left to make.
    Over,
}

/// Decides temporal formulas of reactive programs.
#[derive(Debug)]
pub struct LtlEngine<C: Calls> {
    asked: Vec<Asked>,
    /// The numbers of the input letters.
    inputs: Vec<i32>,
    /// The variables in the slots of valuations, and the meaning of the numbers there.
    slots: Vec<(VarId, Holds)>,
    /// `None` after its states were moved to the evidence.
    graph: Option<Graph<C>>,
    /// Number of states of the next part.
    limit: usize,
    /// True if the graph is incomplete and cannot grow any more.
    full: bool,
    phase: Phase,
    claims: VecDeque<Claim>,
    jobs: usize,
    stats: Stats,
}

impl<C: Calls> LtlEngine<C> {
    /// Returns an engine for the temporal goals of `task`, which explores `calls`. `inputs` are the numbers of the
    /// input letters, and `slots` the variables in the slots. Violations of up to `jobs` formulas are searched for at
    /// once.
    ///
    /// Cost: the automata of all formulas, milliseconds each.
    #[must_use]
    pub fn new(task: &ReactiveTask, calls: C, inputs: Vec<i32>, slots: Vec<(VarId, Holds)>, jobs: usize) -> Self {
        let (mut asked, mut too_large) = (Vec::new(), Vec::new());
        for (id, formula) in task.temporal() {
            let goal = Goal::Temporal(*id);
            match translate::violations(formula) {
                Some(violations) => asked.push(Asked { goal, violations, state: State::Open }),
                None => too_large.push(goal),
            }
        }
        let mut claims = VecDeque::new();
        if !too_large.is_empty() {
            claims.push_back(Claim::Unknown { goals: too_large, reason: Reason::GaveUp });
        }
        let mut stats = Stats::default();
        stats.more.insert("automaton_states", asked.iter().map(|a| a.violations.len() as u64).sum());
        Self {
            asked,
            inputs,
            slots,
            graph: Some(Graph::new(calls)),
            limit: FIRST_PART,
            full: false,
            phase: Phase::Expand,
            claims,
            jobs,
            stats,
        }
    }

    fn is_open(&self) -> bool {
        self.asked.iter().any(|a| matches!(a.state, State::Open | State::Kept))
    }

    fn expand(&mut self, budget: &mut Budget) -> Option<Turn> {
        let Some(graph) = &mut self.graph else {
            self.phase = Phase::Over;
            return None;
        };
        match graph.expand(self.limit, budget) {
            Expanded::Turn => return Some(Turn::More),
            Expanded::Full => self.full = true,
            Expanded::Enough => {}
        }
        (self.stats.states, self.stats.transitions) = (graph.len() as u64, graph.call_count() as u64);
        let guess = if graph.has_one_way() { View::guess(graph, budget) } else { None };
        self.look_at(guess, budget)
    }

    /// Begins to search for violations of all open formulas in the view, or without one, in the explored part
    /// as it is. A view that is a guess ([`View::is_guess`]) is searched first. Then the exact part is searched
    /// for the formulas that are left, because runs of the guess need not be runs of the program, and may hide
    /// runs that are.
    fn look_at(&mut self, view: Option<View>, budget: &mut Budget) -> Option<Turn> {
        let Some(graph) = &self.graph else { return None };
        let Some(view) = view.or_else(|| View::exact(graph, budget)) else {
            self.finish(Some(Reason::Memory));
            return None;
        };
        self.stats.more.insert("classes", view.len() as u64);
        let mut tasks = VecDeque::new();
        for (formula, asked) in self.asked.iter_mut().enumerate() {
            if asked.state == State::Kept {
                asked.state = State::Open;
            }
            if asked.state == State::Open {
                let reader = Reader::new(&asked.violations, graph.labels(), |s| self.inputs[s.input.index()]);
                tasks.push_back(Task { formula, reader, search: None });
            }
        }
        self.phase = Phase::Decide(view, tasks);
        None
    }

    /// Searches for violations in the view, until all formulas have been searched or the turn ends.
    fn decide(&mut self, budget: &mut Budget) -> Option<Turn> {
        let Phase::Decide(view, tasks) = &mut self.phase else { return None };
        tasks.retain(|task| self.asked[task.formula].state == State::Open);
        let largest = tasks.iter().map(|task| task.reader.states() * view.len()).max().unwrap_or(0);
        let workers = if largest < WORTH_A_THREAD { 1 } else { budget.stop.threads(self.jobs.min(tasks.len())) };
        let pool = Pool {
            view,
            tasks: Mutex::new(std::mem::take(tasks)),
            left: Mutex::new(Vec::new()),
            results: Mutex::new(Vec::new()),
        };
        if workers == 1 {
            pool.work(budget);
        } else {
            let share = budget.work / workers as u64 * workers as u64;
            std::thread::scope(|scope| {
                for _ in 0..workers {
                    let mut part = Budget::new(share, budget.stop.clone());
                    let pool = &pool;
                    scope.spawn(move || pool.work(&mut part));
                }
            });
            budget.spend(share);
        }
        let mut left = inner(pool.left);
        let mut waiting: Vec<Task> = inner(pool.tasks).into();
        left.append(&mut waiting);
        left.sort_by_key(|task| task.formula);
        let mut results = inner(pool.results);
        results.sort_by_key(|(formula, ..)| *formula);
        *tasks = left.into();
        let is_through = tasks.is_empty();
        let is_guess = view.is_guess;
        for (formula, found, visited) in results {
            *self.stats.more.entry("product_states").or_default() += visited;
            match found {
                LassoResult::Lasso(stem, round) => {
                    let labels =
                        |calls: Vec<(u32, Call)>| calls.iter().map(|(_, call)| call.label).collect::<Vec<u32>>();
                    self.violated(formula, &labels(stem), &labels(round), is_guess);
                }
                LassoResult::Nothing | LassoResult::Turn => self.asked[formula].state = State::Kept,
                LassoResult::Full => self.asked[formula].state = State::GivenUp(Reason::Memory),
            }
        }
        if !is_through {
            return self.claims.is_empty().then_some(Turn::More);
        }
        if is_guess && self.is_open() {
            return self.look_at(None, budget);
        }
        let is_complete = self.graph.as_ref().is_some_and(Graph::is_complete);
        if is_complete || self.full || !self.is_open() {
            self.finish(self.full.then_some(Reason::Memory));
        } else {
            self.limit = self.limit.saturating_mul(GROWTH);
            self.phase = Phase::Expand;
        }
        None
    }

    /// Claims a violation. A run of the view is also a run of the program: the program can make the same calls,
    /// and after some rounds of the loop a state repeats. For a guess, this has to be checked on the graph.
    fn violated(&mut self, formula: usize, stem: &[u32], round: &[u32], is_guess: bool) {
        if self.graph.as_ref().is_some_and(|graph| !graph.has_one_way()) {
            self.asked[formula].state = State::GivenUp(Reason::GaveUp);
            return;
        }
        let trace = self.graph.as_ref().and_then(|graph| lasso(graph, stem, round));
        debug_assert!(trace.is_some() || is_guess, "bisimilar states make the same calls");
        let Some(trace) = trace.and_then(|trace| self.graph.as_mut()?.close(trace)) else {
            self.asked[formula].state = if is_guess { State::Kept } else { State::GivenUp(Reason::GaveUp) };
            return;
        };
        let asked = &mut self.asked[formula];
        asked.state = State::Closed;
        self.claims.push_back(Claim::Unsafe { goal: asked.goal, trace, candidate: false });
    }

    /// Makes the last claims: the remaining formulas hold, or are unknown for `reason`.
    fn finish(&mut self, reason: Option<Reason>) {
        self.phase = Phase::Over;
        let reason = reason.or(self.graph.as_ref().and_then(Graph::gap));
        let mut holds = Vec::new();
        for asked in &mut self.asked {
            let reason = match (asked.state, reason) {
                (State::Closed, _) => continue,
                (State::GivenUp(reason), _) | (_, Some(reason)) => reason,
                (State::Open | State::Kept, None) => {
                    holds.push(asked.goal);
                    continue;
                }
            };
            self.claims.push_back(Claim::Unknown { goals: vec![asked.goal], reason });
        }
        let Some(graph) = self.graph.take() else { return };
        if !holds.is_empty() {
            let slots = std::mem::take(&mut self.slots);
            let rows = Box::new(graph.into_states());
            let certificate = Certificate::Valuations(Box::new(Valuations { slots, rows }));
            self.claims.push_back(Claim::Safe { goals: holds, certificate });
        }
    }
}

/// Tasks that several workers share.
struct Pool<'a> {
    view: &'a View,
    tasks: Mutex<VecDeque<Task>>,
    /// Tasks not finished in this turn.
    left: Mutex<Vec<Task>>,
    results: Mutex<Vec<(usize, LassoResult, u64)>>,
}

impl Pool<'_> {
    fn work(&self, budget: &mut Budget) {
        while budget.work > 0 && budget.stop.raised().is_none() {
            let Some(mut task) = lock(&self.tasks).pop_front() else { return };
            if task.search.is_none() {
                task.search = ComponentSearch::new(self.view, &task.reader, budget);
            }
            let Some(search) = &mut task.search else {
                lock(&self.results).push((task.formula, LassoResult::Full, 0));
                continue;
            };
            match search.run(&mut Given { view: self.view, reader: &task.reader }, budget) {
                LassoResult::Turn => lock(&self.left).push(task),
                found => {
                    let visited = search.visited();
                    lock(&self.results).push((task.formula, found, visited));
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Returns the run of the program that spells the labels of `stem`, and then those of `round` for ever.
fn lasso<C>(graph: &Graph<C>, stem: &[u32], round: &[u32]) -> Option<Trace> {
    let walk = |state: usize, labels: &[u32]| labels.iter().try_fold(state, |at, &label| graph.after(at, label));
    let mut state = walk(0, stem)?;
    let mut seen: HashMap<usize, u64> = HashMap::new();
    let mut rounds = 0;
    let back = loop {
        if let Some(&back) = seen.get(&state) {
            break back;
        }
        seen.insert(state, rounds);
        state = walk(state, round)?;
        rounds += 1;
    };
    let event = |label: &u32| EventId(graph.labels()[*label as usize].input.0);
    let mut trace = Trace::new(Box::from([]));
    stem.iter().for_each(|label| trace.push(event(label), None));
    let word: Vec<EventId> = round.iter().map(event).collect();
    trace.push_repeat(word.clone(), back);
    trace.push_repeat(word, rounds - back);
    trace.repeats_from = Some(stem.len() as u64 + back * round.len() as u64);
    Some(trace)
}

impl<C: Calls> Engine for LtlEngine<C> {
    fn name(&self) -> &'static str {
        "ltl"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(claim) = self.claims.pop_front() {
                return Turn::Claims(claim);
            }
            if !self.is_open() && !matches!(self.phase, Phase::Over) {
                self.finish(None);
                continue;
            }
            let turn = match self.phase {
                Phase::Expand => self.expand(budget),
                Phase::Decide(..) => self.decide(budget),
                Phase::Over => return Turn::Done,
            };
            if let Some(turn) = turn {
                return turn;
            }
            if budget.work == 0 && self.claims.is_empty() && !matches!(self.phase, Phase::Over) {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        // The run was replayed and does not violate the formula, so no result of this engine about the formula
        // can be trusted.
        self.settled(&[goal]);
    }

    fn settled(&mut self, goals: &[Goal]) {
        for asked in &mut self.asked {
            if goals.contains(&asked.goal) {
                asked.state = State::Closed;
            }
        }
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}

//! Search for runs of a program in which a thread stays hot ([`Goal::Hot`]).
//!
//! All states are visited, breadth first. A run that ends while the thread is hot is found on the way. Cycles of hot
//! states are searched for in the states visited so far, depth first, each time that their number has grown fourfold,
//! so that a short run is found before a large space is exhausted. Without a cycle in the whole space, the set of all
//! states is the evidence: the checker searches it for cycles again.

use crate::search::Space;
use model::{
    Budget, Certificate, Claim, Engine, EventId, ExpansionKind, Goal, LocalId, Program, ProgramTask, Reason, Stats,
    ThreadId, Trace, Turn,
};
use std::collections::VecDeque;
use std::sync::Arc;
use store::{Exploration, RwbStepper, StateId};

/// Number of states of the first part in which cycles are searched for, and the factor by which each part is larger
/// than the part before.
const FIRST_PART: usize = 1 << 10;
const GROWTH: usize = 4;
/// Expansions between two looks at the budget.
const BATCH: usize = 256;

/// The engine for the goals about hot threads of a program.
#[derive(Debug)]
pub struct Hot {
    program: Arc<Program>,
    /// The threads without an answer.
    open: Vec<ThreadId>,
    /// `None` after the states were moved to the evidence.
    space: Option<Exploration<RwbStepper>>,
    expanded: usize,
    /// Cycles are searched for when this many states are expanded.
    part: usize,
    claims: VecDeque<Claim>,
    stats: Stats,
}

/// A successor: the event, and the number of the state.
type Next = (u32, StateId);

/// What is known of a state in a search for cycles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Closed,
}

impl Hot {
    /// Returns an engine for these threads of the program. `task` has no assumptions.
    #[must_use]
    pub fn new(task: &ProgramTask, threads: Vec<ThreadId>) -> Self {
        debug_assert!(task.assumptions().is_empty(), "goals about hot threads have no assumptions");
        Self {
            program: Arc::clone(task.program()),
            open: threads,
            space: Some(Exploration::new(RwbStepper::new(task.program()))),
            expanded: 0,
            part: FIRST_PART,
            claims: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    fn give_up(&mut self, reason: Reason) {
        self.space = None;
        let goals: Vec<Goal> = std::mem::take(&mut self.open).into_iter().map(Goal::Hot).collect();
        if !goals.is_empty() {
            self.claims.push_back(Claim::Unknown { goals, reason });
        }
    }

    /// Expands states up to the next part, or until the budget is used up.
    fn expand(&mut self, budget: &mut Budget) -> Turn {
        let Some(space) = &mut self.space else { return Turn::Done };
        if space.is_empty() {
            space.add_initial();
        }
        while self.expanded < space.len().min(self.part) {
            for _ in 0..BATCH.min(space.len().min(self.part) - self.expanded) {
                let growth = space.growth_bytes();
                if growth > 0 && !budget.stop.has_room(growth) {
                    self.give_up(Reason::Memory);
                    return Turn::More;
                }
                let id = StateId::new(self.expanded);
                self.expanded += 1;
                let kind = space.expand(id, |_, _, _| {});
                if kind == ExpansionKind::Goal(Goal::Deadlock) {
                    end(&self.program, space, id, &mut self.open, &mut self.claims);
                }
            }
            self.stats.states = space.len() as u64;
            self.stats.transitions = space.transitions();
            budget.stop.report_states(self.stats.states);
            if !budget.spend(BATCH as u64) {
                return Turn::More;
            }
        }
        self.search(budget)
    }

    /// Searches the expanded states for cycles.
    fn search(&mut self, budget: &mut Budget) -> Turn {
        let Some(space) = &mut self.space else { return Turn::Done };
        if !budget.stop.has_room(self.expanded) {
            self.give_up(Reason::Memory);
            return Turn::More;
        }
        for thread in self.open.clone() {
            let mut cycles = Cycles {
                program: &self.program,
                space,
                thread,
                marks: vec![Mark::New; self.expanded],
                steps: 0,
                budget: &mut *budget,
            };
            match cycles.search() {
                Ok(None) => {}
                Ok(Some(trace)) => {
                    self.open.retain(|other| *other != thread);
                    self.claims.push_back(Claim::Unsafe { goal: Goal::Hot(thread), trace, candidate: false });
                }
                Err(reason) => {
                    self.give_up(reason);
                    return Turn::More;
                }
            }
        }
        let is_complete = self.expanded == space.len();
        self.part = self.part.saturating_mul(GROWTH);
        if is_complete && let Some(space) = self.space.take() {
            let goals: Vec<Goal> = std::mem::take(&mut self.open).into_iter().map(Goal::Hot).collect();
            if !goals.is_empty() {
                let certificate = Certificate::StateSet(Box::new(space.into_states()));
                self.claims.push_back(Claim::Safe { goals, certificate });
            }
        }
        Turn::More
    }
}

/// Claims the goals of the threads that are hot in a state without an enabled event.
fn end(
    program: &Program,
    space: &mut Exploration<RwbStepper>,
    id: StateId,
    open: &mut Vec<ThreadId>,
    claims: &mut VecDeque<Claim>,
) {
    let mut state = Vec::new();
    space.state(id, &mut state);
    let (hot, cool) = open.iter().partition(|t| program.is_hot(**t, LocalId(state[t.index()])));
    let hot: Vec<ThreadId> = hot;
    *open = cool;
    for thread in hot {
        let trace = space.trace_to(id).expect("every state has a run from an initial state");
        claims.push_back(Claim::Unsafe { goal: Goal::Hot(thread), trace, candidate: false });
    }
}

/// A depth-first search for a cycle of states in which a thread is hot.
struct Cycles<'a> {
    program: &'a Program,
    space: &'a mut Exploration<RwbStepper>,
    thread: ThreadId,
    /// For each expanded state.
    marks: Vec<Mark>,
    steps: usize,
    budget: &'a mut Budget,
}

impl Cycles<'_> {
    /// Returns an infinite run in which the thread stays hot, if the expanded states have one.
    fn search(&mut self) -> Result<Option<Trace>, Reason> {
        for root in 0..self.marks.len() {
            if self.marks[root] == Mark::New
                && let Some(next) = self.open(StateId::new(root))?
                && let Some(trace) = self.from(StateId::new(root), next)?
            {
                return Ok(Some(trace));
            }
        }
        Ok(None)
    }

    fn from(&mut self, root: StateId, next: Vec<Next>) -> Result<Option<Trace>, Reason> {
        // The path, and the successors of its states that have yet to be visited.
        let mut path: Vec<(StateId, Vec<Next>)> = vec![(root, next)];
        while let Some((id, next)) = path.last_mut() {
            let Some((_, to)) = next.pop() else {
                self.marks[id.index()] = Mark::Closed;
                path.pop();
                continue;
            };
            match self.marks.get(to.index()) {
                Some(Mark::Open) => return Ok(Some(self.run(&path, to))),
                Some(Mark::New) => {
                    if let Some(next) = self.open(to)? {
                        path.push((to, next));
                    }
                }
                // States that are not expanded yet are left to the next search.
                Some(Mark::Closed) | None => {}
            }
        }
        Ok(None)
    }

    /// Marks a state, and returns its successors. `None` if the thread is not hot there.
    fn open(&mut self, id: StateId) -> Result<Option<Vec<Next>>, Reason> {
        self.steps += 1;
        if self.steps.is_multiple_of(BATCH) {
            self.budget.spend(BATCH as u64);
            if let Some(reason) = self.budget.stop.raised() {
                return Err(reason);
            }
        }
        let mut state = Vec::new();
        self.space.state(id, &mut state);
        if !self.program.is_hot(self.thread, LocalId(state[self.thread.index()])) {
            self.marks[id.index()] = Mark::Closed;
            return Ok(None);
        }
        self.marks[id.index()] = Mark::Open;
        Ok(Some(self.successors(id)))
    }

    fn successors(&mut self, id: StateId) -> Vec<Next> {
        let mut next = Vec::new();
        self.space.expand(id, |event, to, _| next.push((event, to)));
        next
    }

    /// Returns the run to `first`, and along the path from there back to it.
    fn run(&mut self, path: &[(StateId, Vec<Next>)], first: StateId) -> Trace {
        let begin = path.iter().position(|(id, _)| *id == first).expect("an open state is on the path");
        let mut trace = self.space.trace_to(first).expect("every state has a run from an initial state");
        let stem = trace.len().expect("a run has as many events as states");
        let ids: Vec<StateId> = path[begin..].iter().map(|(id, _)| *id).chain([first]).collect();
        for step in ids.windows(2) {
            let next = self.successors(step[0]);
            let (event, _) = next.iter().find(|(_, to)| *to == step[1]).expect("it is a step of the path");
            let mut choice = None;
            if next.iter().filter(|(other, _)| other == event).count() > 1 {
                let mut state = Vec::new();
                self.space.state(step[1], &mut state);
                choice = Some(state.into());
            }
            trace.push(EventId(*event), choice);
        }
        trace.repeats_from = Some(stem);
        trace
    }
}

impl Engine for Hot {
    fn name(&self) -> &'static str {
        RwbStepper::NAME
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        if let Some(claim) = self.claims.pop_front() {
            return Turn::Claims(claim);
        }
        if self.open.is_empty() {
            self.space = None;
            return Turn::Done;
        }
        let turn = self.expand(budget);
        match self.claims.pop_front() {
            Some(claim) => Turn::Claims(claim),
            None => turn,
        }
    }

    fn refused(&mut self, goal: Goal) {
        if let Goal::Hot(thread) = goal
            && !self.open.contains(&thread)
        {
            self.open.push(thread);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|thread| !goals.contains(&Goal::Hot(*thread)));
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}

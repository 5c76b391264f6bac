//! Search for runs of a program that violate temporal formulas and satisfy fairness assumptions ([`model::fairness`]).
//! Questions about hot threads are formulas as well.
//!
//! All states are visited, breadth first. Violating runs are searched for in the states visited so far, each time that
//! their number has grown fourfold, so that a short run is found before a large space is exhausted. The search is that
//! of `temporal`: for a fair cycle of the product with an automaton of the formula's negation. A state without an
//! enabled event has a step to itself. Without a violating run in the whole space, the set of all states is the
//! evidence: the checker searches its own product.

use crate::RwbStepper;
use model::{
    Budget, Certificate, Claim, Engine, EventId, Fairness, Goal, Letter, LocalId, Ltl, LtlId, LtlNode, Observed,
    Program, Reason, Stats, ThreadId, Trace, Turn,
};
use search::explicit::search::Space;
use search::{Exploration, StateId};
use std::collections::VecDeque;
use std::sync::Arc;
use temporal::program::{Act, Graph, Status, Violation, watched};

/// Number of states of the first part in which runs are searched for, and the factor by which each part is larger than
/// the part before.
const FIRST_PART: usize = 1 << 10;
const GROWTH: usize = 4;
/// Expansions between two looks at the budget.
const BATCH: usize = 256;

/// A step: the event, and the number of the next state.
type Edge = (u32, u32);

/// A goal with the formula that runs must not violate.
#[derive(Debug)]
struct Asked {
    goal: Goal,
    formula: Ltl,
    /// True if no run of the current part violates the formula.
    is_through: bool,
}

/// The engine for the goals about whole runs of a program.
#[derive(Debug)]
pub struct Temporal {
    program: Arc<Program>,
    fairness: Vec<Fairness>,
    /// The goals without an answer.
    open: Vec<Asked>,
    /// The search that goes on, and its goal.
    search: Option<(Goal, Violation)>,
    /// `None` after the states were moved to the evidence.
    space: Option<Exploration<RwbStepper>>,
    /// For each expanded state: where its steps end in `edges`.
    ends: Vec<usize>,
    edges: Vec<Edge>,
    initial: Vec<u32>,
    /// Violating runs are searched for when this many states are expanded.
    part: usize,
    claims: VecDeque<Claim>,
    stats: Stats,
}

impl Temporal {
    /// Returns an engine for the goals of a problem about whole runs ([`Goal::is_temporal`]).
    ///
    /// # Panics
    /// Panics if the problem has other goals.
    #[must_use]
    pub fn new(asked: &Observed) -> Self {
        let formula = |goal| asked.problem.ltl(goal).expect("the goals are about whole runs");
        let open = asked.problem.goals().map(|goal| Asked { goal, formula: formula(goal), is_through: false });
        Self {
            program: Arc::clone(&asked.program),
            fairness: asked.problem.fairness().to_vec(),
            open: open.collect(),
            search: None,
            space: Some(Exploration::new(RwbStepper::new(&asked.program))),
            ends: Vec::new(),
            edges: Vec::new(),
            initial: Vec::new(),
            part: FIRST_PART,
            claims: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    fn give_up(&mut self, reason: Reason) {
        self.space = None;
        let goals: Vec<Goal> = std::mem::take(&mut self.open).into_iter().map(|asked| asked.goal).collect();
        if !goals.is_empty() {
            self.claims.push_back(Claim::Unknown { goals, reason });
        }
    }

    /// Expands states up to the next part. Returns true if this is done, and false if the budget is used up.
    fn expand(&mut self, budget: &mut Budget) -> bool {
        let Some(space) = &mut self.space else { return false };
        if space.is_empty() {
            self.initial = space.add_initial().into_iter().map(|id| id.index() as u32).collect();
        }
        while self.ends.len() < space.len().min(self.part) {
            for _ in 0..BATCH.min(space.len().min(self.part) - self.ends.len()) {
                let growth = space.growth_bytes() + growth(&self.edges);
                if growth > 0 && !budget.stop.has_room(growth) {
                    self.give_up(Reason::Memory);
                    return false;
                }
                space.expand(StateId::new(self.ends.len()), |event, to, _| self.edges.push((event, to.index() as u32)));
                self.ends.push(self.edges.len());
            }
            self.stats.states = space.len() as u64;
            self.stats.transitions = space.transitions();
            budget.stop.report_states(self.stats.states);
            if !budget.spend(BATCH as u64) {
                return false;
            }
        }
        true
    }

    /// Begins the search for the next goal. If there is none, goes on to the next part, or claims that the rest holds.
    fn next_search(&mut self, budget: &mut Budget) {
        let Some(space) = &self.space else { return };
        let Some(asked) = self.open.iter().find(|asked| !asked.is_through) else {
            self.part = self.part.saturating_mul(GROWTH);
            self.open.iter_mut().for_each(|asked| asked.is_through = false);
            if self.ends.len() == space.len() {
                self.hold();
            }
            return;
        };
        let (goal, part) = (asked.goal, Part { space, ends: &self.ends, edges: &self.edges });
        let mut reader = Reader::new(&self.program, &asked.formula, &self.fairness);
        let strong = self.fairness.iter().map(|assumption| assumption.is_strong).collect();
        let started = part
            .graph(self.initial.clone(), &mut reader, budget)
            .and_then(|graph| Violation::new(graph, &asked.formula, strong, budget).ok_or(Reason::GaveUp));
        match started {
            Ok(search) => self.search = Some((goal, search)),
            Err(Reason::GaveUp) => {
                self.open.retain(|asked| asked.goal != goal);
                self.claims.push_back(Claim::Unknown { goals: vec![goal], reason: Reason::GaveUp });
            }
            Err(reason) => self.give_up(reason),
        }
    }

    /// Continues the current search.
    fn search(&mut self, goal: Goal, mut search: Violation, budget: &mut Budget) {
        let Some(at) = self.open.iter().position(|asked| asked.goal == goal) else { return };
        match search.run(budget) {
            Status::More => self.search = Some((goal, search)),
            Status::Nothing => self.open[at].is_through = true,
            Status::Full => self.give_up(Reason::Memory),
            Status::Run(mut steps, back) => {
                let back = shorten(&mut steps, back);
                let asked = self.open.remove(at);
                let Some(space) = &self.space else { return };
                let part = Part { space, ends: &self.ends, edges: &self.edges };
                let mut reader = Reader::new(&self.program, &asked.formula, &self.fairness);
                let trace = part.trace(&search, &mut reader, &steps, back);
                self.claims.push_back(Claim::Unsafe { goal, trace, candidate: false });
            }
        }
    }

    /// Claims that all open goals hold.
    fn hold(&mut self) {
        let goals: Vec<Goal> = std::mem::take(&mut self.open).into_iter().map(|asked| asked.goal).collect();
        if let Some(space) = self.space.take()
            && !goals.is_empty()
        {
            let certificate = Certificate::StateSet(Box::new(space.into_states()));
            self.claims.push_back(Claim::Safe { goals, certificate });
        }
    }
}

/// Writes the same infinite run with a shorter loop and a shorter finite part, if there is one. The steps from `back`
/// on repeat. Returns where they begin.
fn shorten(steps: &mut Vec<(u32, u32)>, mut back: usize) -> usize {
    let length = steps.len() - back;
    let is_period = |p: &usize| length.is_multiple_of(*p) && (p + back..steps.len()).all(|i| steps[i] == steps[i - p]);
    let period = (1..length).filter(|p| length.is_multiple_of(*p)).find(is_period).unwrap_or(length);
    steps.truncate(back + period);
    while back > 0 && steps[back - 1] == steps[steps.len() - 1] {
        steps.pop();
        back -= 1;
    }
    back
}

/// Bytes by which a list is about to grow.
fn growth(list: &Vec<Edge>) -> usize {
    const SPARE: usize = 1 << 12;
    if list.capacity() - list.len() < SPARE { (list.capacity() + SPARE) * size_of::<Edge>() } else { 0 }
}

/// The states that were expanded.
struct Part<'a> {
    space: &'a Exploration<RwbStepper>,
    ends: &'a [usize],
    edges: &'a [Edge],
}

impl Part<'_> {
    fn steps(&self, state: usize) -> &[Edge] {
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.edges[begin..self.ends[state]]
    }

    fn state(&self, state: u32) -> Vec<u32> {
        let mut out = Vec::new();
        self.space.state(StateId::new(state as usize), &mut out);
        out
    }

    /// Returns the steps between expanded states, as a formula sees them.
    fn graph(&self, initial: Vec<u32>, reader: &mut Reader<'_>, budget: &mut Budget) -> Result<Graph, Reason> {
        const BYTES: usize = 16;
        if !budget.stop.has_room(self.edges.len() * BYTES) {
            return Err(Reason::Memory);
        }
        let expanded = self.ends.len();
        let mut graph = Graph::new(initial.into_iter().filter(|state| (*state as usize) < expanded).collect());
        let (mut state, mut list) = (Vec::new(), Vec::new());
        for number in 0..expanded {
            if number % BATCH == 0 {
                budget.spend(BATCH as u64 / 4);
                if let Some(reason) = budget.stop.raised() {
                    return Err(reason);
                }
            }
            self.space.state(StateId::new(number), &mut state);
            let steps = self.steps(number);
            reader.look_at(&state, steps);
            list.clear();
            for &(event, to) in steps.iter().filter(|(_, to)| (*to as usize) < expanded) {
                let (values, acts) = reader.read(&state, steps, Some(event));
                list.push((graph.label(values, acts), to));
            }
            if steps.is_empty() {
                let (values, acts) = reader.read(&state, steps, None);
                list.push((graph.label(values, acts), number as u32));
            }
            list.sort_unstable();
            list.dedup();
            graph.push(&list);
        }
        Ok(graph)
    }

    /// Returns the run with these steps, each a state and a label. The step to repeat from is number `back`.
    fn trace(&self, search: &Violation, reader: &mut Reader<'_>, run: &[(u32, u32)], back: usize) -> Trace {
        let mut trace = Trace::new(self.state(run[0].0).into());
        let ends_in = run[back].0;
        let is_end = self.steps(ends_in as usize).is_empty();
        for (at, &(from, label)) in run.iter().enumerate() {
            if is_end && from == ends_in {
                return trace;
            }
            let (state, steps) = (self.state(from), self.steps(from as usize));
            reader.look_at(&state, steps);
            let to = run.get(at + 1).map_or(ends_in, |(next, _)| *next);
            let is_taken = |&&(event, next): &&Edge| {
                let (values, acts) = reader.read(&state, steps, Some(event));
                next == to && search.label(values, acts) == Some(label)
            };
            let (event, _) = steps.iter().find(is_taken).expect("it is a step of the graph");
            let is_choice = steps.iter().filter(|(other, _)| other == event).count() > 1;
            trace.push(EventId(*event), is_choice.then(|| self.state(to).into()));
        }
        trace.repeats_from = Some(back as u64);
        trace
    }
}

/// Computes the truth of the watched subformulas of a formula, and what a step says about fairness assumptions.
struct Reader<'a> {
    program: &'a Program,
    formula: &'a Ltl,
    fairness: &'a [Fairness],
    /// The subformulas without temporal operators.
    plain: Vec<usize>,
    watched: Vec<LtlId>,
    truth: Vec<bool>,
    values: Vec<bool>,
    acts: Vec<Act>,
    /// For each assumption: true if its subject can go on in the current state.
    can: Vec<bool>,
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program, formula: &'a Ltl, fairness: &'a [Fairness]) -> Self {
        let is_plain = formula.propositional();
        let plain = (0..is_plain.len()).filter(|i| is_plain[*i]).collect();
        let truth = vec![false; is_plain.len()];
        let (watched, values, acts, can) = (watched(formula), Vec::new(), Vec::new(), Vec::new());
        Self { program, formula, fairness, plain, watched, truth, values, acts, can }
    }

    /// Makes a state with its steps the current one.
    fn look_at(&mut self, state: &[u32], steps: &[Edge]) {
        let can = |a: &Fairness| satisfies(self.program, a.letters()[0], state, steps, None);
        self.can.clear();
        self.can.extend(self.fairness.iter().map(can));
    }

    /// Returns the values at a position: the current state with its steps, and the event that happens.
    fn read(&mut self, state: &[u32], steps: &[Edge], event: Option<u32>) -> (&[bool], &[Act]) {
        for &id in &self.plain {
            let of = |a: LtlId| self.truth[a.index()];
            self.truth[id] = match self.formula.node(LtlId::new(id)) {
                LtlNode::Constant(value) => value,
                LtlNode::Letter(letter) => satisfies(self.program, letter, state, steps, event),
                LtlNode::Not(a) => !of(a),
                LtlNode::And(a, b) => of(a) && of(b),
                LtlNode::Or(a, b) => of(a) || of(b),
                _ => unreachable!("it has no temporal operator"),
            };
        }
        self.values.clear();
        self.values.extend(self.watched.iter().map(|id| self.truth[id.index()]));
        let does = |a: &Fairness| satisfies(self.program, a.letters()[1], state, steps, event);
        self.acts.clear();
        self.acts.extend(self.fairness.iter().zip(&self.can).map(|(a, can)| [*can, does(a)]));
        (&self.values, &self.acts)
    }
}

/// Returns true if the letter holds at a position: a state with its steps, and the event that happens.
fn satisfies(program: &Program, letter: Letter, state: &[u32], steps: &[Edge], event: Option<u32>) -> bool {
    let local = |t: ThreadId| program.thread(t).state(LocalId(state[t.index()]));
    let is_hot = |t: ThreadId| program.is_hot(t, LocalId(state[t.index()]));
    let is_bad = || (0..state.len()).any(|t| local(ThreadId::new(t)).bad);
    match letter {
        Letter::Input(_) | Letter::Output(_) | Letter::Marking(_) => false,
        Letter::Event(e) => event == Some(e.0),
        Letter::State(t, s) => state[t.index()] == s.0,
        Letter::Enabled(e) => steps.iter().any(|(other, _)| *other == e.0),
        Letter::Ready(t) => steps.iter().any(|(e, _)| local(t).request.contains(EventId(*e))),
        Letter::Served(t) => event.is_some_and(|e| local(t).request.contains(EventId(e))),
        Letter::Hot(t) => is_hot(t),
        Letter::SomeHot => program.hot_threads().any(is_hot),
        Letter::Bad => is_bad(),
        Letter::End => steps.is_empty(),
        Letter::Deadlock => steps.is_empty() && !is_bad() && !program.may_end(state),
    }
}

impl Engine for Temporal {
    fn name(&self) -> &'static str {
        RwbStepper::NAME
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(claim) = self.claims.pop_front() {
                return Turn::Claims(claim);
            }
            if self.open.is_empty() {
                self.space = None;
                return Turn::Done;
            }
            if let Some((goal, search)) = self.search.take() {
                self.search(goal, search, budget);
            } else if self.expand(budget) {
                self.next_search(budget);
            }
            if self.claims.is_empty() && (budget.work == 0 || budget.stop.raised().is_some()) {
                return Turn::More;
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        // The run was replayed and does not violate the formula, so no result of this engine about it can be trusted.
        self.settled(&[goal]);
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.open.retain(|asked| !goals.contains(&asked.goal));
    }

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}

//! The engine `dpllt`: an SMT-style search in which a CDCL solver hosts the theory of transition systems, and lemmas of
//! patterns prune the search.
//!
//! ```
//! use impasse_programs::dpllt::{Dpllt, Options};
//! use model::{Budget, Claim, Engine, Goal, LocalState, Program, ProgramTask, Turn};
//! use testkit::program::{goal, replay};
//! # use model::{EventId, EventSet, LocalId, Thread};
//!
//! # let events = |list: &[u32]| EventSet::from_events(6, list.iter().map(|e| EventId(*e)));
//! # let state = |&(name, request, block, to): &(&str, u32, &[u32], u32)| LocalState {
//! #     name: name.to_owned(),
//! #     request: events(&[request]),
//! #     block: events(block),
//! #     bad: false,
//! #     on: [(EventId(request), vec![LocalId(to)])].into(),
//! # };
//! # let thread = |name: &str, states: [(&str, u32, &[u32], u32); 3]| Thread {
//! #     name: name.to_owned(),
//! #     states: states.iter().map(state).collect(),
//! #     initial: vec![LocalId(0)],
//! # };
//! // Two threads take two locks in different orders. A thread with a lock blocks the events that take this lock. A
//! // state is given as its name, the requested event, the blocked events, and the next state.
//! let names = ["a takes 1", "a takes 2", "a returns both", "b takes 2", "b takes 1", "b returns both"];
//! let a = thread("a", [("none", 0, &[], 1), ("one", 1, &[4], 2), ("both", 2, &[3, 4], 0)]);
//! let b = thread("b", [("none", 3, &[], 1), ("one", 4, &[1], 2), ("both", 5, &[0, 1], 0)]);
//! let program = Program::new(names.map(str::to_owned).to_vec(), vec![a, b], vec![Goal::Deadlock]).unwrap();
//!
//! let task = ProgramTask::of_program(program.clone().into());
//! let turn = Dpllt::new(&task, &[], Options::default()).run(&mut Budget::unlimited(Default::default()));
//! let Turn::Claims(Claim::Unsafe { trace, .. }) = turn else { panic!("{turn:?}") };
//! let last = replay(&program, &trace).expect("it is a run");
//! assert_eq!(goal(&program, &last), Some(Goal::Deadlock));
//! assert_eq!(last, [1, 1], "each thread has one lock");
//! ```
//!
//! After Katz, Barrett, Harel, "Theory-Aided Model Checking of Concurrent Transition Systems" (FMCAD 2015). The crate
//! `sat` searches. The crate `ts` expands states on demand. Patterns, passed in by the caller, recognise shapes of
//! single threads and emit lemmas. The crate `side` decides the arithmetic of lemmas. This crate only connects them
//! ([`search`]), records the refutation ([`proof`]) and turns answers into claims.
//!
//! If no thread can reach a bad state, for example because patterns restricted the threads, the engine itself claims
//! that no run ends in one. So a pattern that only restricts proves something.
//!
//! Each goal is first tried with lemmas alone; no state is expanded while a lemma is unsatisfied. Then states are split
//! depth first. A split expands a batch of states and adds clauses about their successors (see the crate `ts`). Batches
//! grow while patterns emit nothing. States that a lemma names before the search reaches them are expanded one by one
//! until a run is known to lead to them. A goal literal may be true without a chain of states from an initial one. Then
//! it guides the search but is not an answer.
//!
//! [`Dpllt`] is the engine for behavioral programs, and [`NetDpllt`] is the engine for nets. [`Rising`] repeats the
//! search for programs while the effort of the recognisers rises.

mod net;
mod proof;
mod props;
mod rising;
mod search;
#[cfg(test)]
mod tests;

pub use net::NetDpllt;
pub use rising::Rising;

use crate::RwbStepper;
use model::{
    Assumption, Budget, Certificate, Claim, Coverage, Effort, Engine, Goal, Match, Pattern, ProgramTask, Reason, Stats,
    Stop, Thread, Turn, WhyNot,
};
use proof::ProofLog;
use sat::{Limits, SolveResult, Solver};
use search::{Exploration, LemmaSearch};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Ticks of the SAT solver that take about as long as one work unit of explicit search.
const TICKS_PER_UNIT: u64 = 16;

/// Options of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// States expanded per split. `None` adapts the number; 1 is the unmodified calculus.
    pub batch: Option<usize>,
    /// If true, the engine only finds refutations by lemmas alone and explores no states.
    pub lemmas_only: bool,
}

/// The result of recognising one pattern for one goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recognised {
    /// Name of the pattern.
    pub pattern: &'static str,
    /// The goal for which the pattern was tried.
    pub goal: Goal,
    /// The threads that the lemmas are about, or the side condition that failed.
    pub outcome: Result<Coverage, WhyNot>,
}

/// The engine for one behavioral program.
pub struct Dpllt {
    stepper: Option<RwbStepper>,
    asked: Vec<Goal>,
    options: Options,
    recognised: Vec<Recognised>,
    matches: Vec<Box<dyn Match>>,
    assumptions: Vec<Assumption>,
    /// True if bad states are asked about and no thread can reach one, and this has not been claimed yet.
    no_bad_state: bool,
    /// An initial state, in which candidate runs start.
    start: Box<[u32]>,
    /// True if there are too many initial states to create them. Then only lemmas can settle a goal.
    no_initial: bool,
    running: Option<Running>,
    /// Goals to try with lemmas alone before any state is explored. Without this, a goal that lemmas settle
    /// would wait for the search for another goal.
    probes: VecDeque<Goal>,
    /// True if a recogniser stopped because its effort was spent.
    cut_off: bool,
    /// Work done by the recognisers, in looks (see [`Effort`]).
    looks: u64,
    /// The goal of the last claimed candidate run. It is settled unless the candidate is refused.
    pending: Option<Goal>,
    finished: bool,
    stats: Stats,
}

/// A search in progress.
struct Running {
    solver: Solver,
    search: LemmaSearch,
    log: Option<Arc<Mutex<ProofLog>>>,
}

impl Dpllt {
    /// Recognises patterns. The search starts with the first turn. The cost is that of the recognisers, which
    /// is polynomial in the size of the threads.
    #[must_use]
    pub fn new(task: &ProgramTask, patterns: &[&dyn Pattern], options: Options) -> Self {
        Self::within(task, patterns, options, u64::MAX)
    }

    /// Like [`Dpllt::new`], with at most `effort` looks for each recogniser and goal. If a recogniser is cut
    /// off, the engine only finds refutations by lemmas alone. The cost is at most `effort` times the number of
    /// patterns and goals.
    #[must_use]
    pub fn within(task: &ProgramTask, patterns: &[&dyn Pattern], options: Options, effort: u64) -> Self {
        let program = task.program();
        let mut asked = task.goals().to_vec();
        let no_bad_state = asked.contains(&Goal::Bad) && !program.threads().iter().any(reaches_bad);
        asked.retain(|goal| !no_bad_state || *goal != Goal::Bad);
        let mut recognised = Vec::new();
        let mut matches = Vec::new();
        let (mut cut_off, mut looks) = (false, 0);
        for pattern in patterns {
            for &goal in &asked {
                let mut own = Effort::new(effort);
                let outcome = pattern.recognize_within(program.threads(), goal, &mut own);
                cut_off |= own.is_spent();
                looks += effort - own.left();
                let outcome = outcome.map(|found| {
                    let coverage = found.coverage();
                    matches.push(found);
                    coverage
                });
                recognised.push(Recognised { pattern: pattern.name(), goal, outcome });
            }
        }
        let plain = matches.is_empty() && task.assumptions().is_empty();
        // More effort may lead to more lemmas, so the search waits for it.
        let options = Options { lemmas_only: options.lemmas_only || cut_off, ..options };
        Self {
            stepper: Some(RwbStepper::new(program)),
            assumptions: task.assumptions().to_vec(),
            no_bad_state,
            start: program.threads().iter().map(|t| t.initial[0].0).collect(),
            no_initial: false,
            probes: if plain { VecDeque::new() } else { asked.iter().copied().collect() },
            asked,
            options,
            recognised,
            matches,
            running: None,
            cut_off,
            looks,
            pending: None,
            finished: false,
            stats: Stats::default(),
        }
    }

    /// Returns which patterns apply to which goal, and why the other patterns do not apply.
    #[must_use]
    pub fn recognised(&self) -> &[Recognised] {
        &self.recognised
    }

    /// Returns true if recognisers were cut off, so that more effort may lead to more lemmas.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    /// Returns the work done by the recognisers, in looks (see [`Effort`]).
    #[must_use]
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// Returns true if a pattern applies.
    #[must_use]
    pub fn has_match(&self) -> bool {
        self.recognised.iter().any(|r| r.outcome.is_ok())
    }

    /// Returns true if it is to claim that no run ends in a bad state, because no thread can reach one.
    #[must_use]
    pub fn has_no_bad_state(&self) -> bool {
        self.no_bad_state
    }

    /// Lets the engine only find refutations by lemmas alone ([`Options::lemmas_only`]).
    pub fn only_lemmas(&mut self) {
        self.options.lemmas_only = true;
    }

    /// Sets up the search. Returns false if the initial states do not fit the memory limit.
    fn start(&mut self, stop: &Stop) -> bool {
        let Some(stepper) = self.stepper.take() else { return false };
        let exploration = Exploration::new(stepper);
        let bytes = exploration.growth_bytes_initial();
        if bytes == usize::MAX && !self.probes.is_empty() {
            self.options.lemmas_only = true;
            self.no_initial = true;
        } else if bytes == usize::MAX || !stop.may_allocate(bytes) {
            stop.raise(Reason::Memory);
            return false;
        }
        let mut solver = Solver::new(sat::Options::default());
        let matches = std::mem::take(&mut self.matches);
        // Without lemmas, a closed set of states is sufficient evidence. So only searches with lemmas or
        // assumptions are logged.
        let assumptions = std::mem::take(&mut self.assumptions);
        let log = (!matches.is_empty() || !assumptions.is_empty()).then(|| {
            let log = Arc::new(Mutex::new(ProofLog::default()));
            solver.set_proof(Box::new(proof::Shared(Arc::clone(&log))));
            log
        });
        let batch = self.options.batch;
        let options = ts::Options { batch, no_initial: self.no_initial, ..ts::Options::default() };
        let start = self.start.clone();
        let search = LemmaSearch::new(exploration, &self.asked, options, matches, assumptions, start, &mut solver);
        self.running = Some(Running { solver, search, log });
        true
    }

    fn answer(&mut self, answer: SolveResult) -> Option<Turn> {
        let running = self.running.as_mut()?;
        if let Some((goal, state)) = running.search.ts.take_found() {
            let trace = running.search.ts.exploration().trace_to(state);
            let trace = trace.expect("a found state has a run from an initial state");
            running.search.ts.settle(goal, &mut running.solver);
            return Some(Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }));
        }
        match answer {
            SolveResult::Stopped => self.claim_candidate(),
            SolveResult::Unsat if running.solver.core().is_empty() => Some(self.claim_safe()),
            SolveResult::Unsat => Some(self.give_up(Reason::Bound)),
            SolveResult::Sat | SolveResult::Unknown => Some(self.give_up(Reason::GaveUp)),
        }
    }

    /// Checks whether lemmas alone refute the next goal to try. Returns `None` if they do not, or if no goal is
    /// left.
    fn probe(&mut self, budget: &mut Budget) -> Option<Turn> {
        let goal = self.probes.pop_front()?;
        let ticks = self.ticks();
        let running = self.running.as_mut()?;
        if !running.search.ts.wanted().any(|g| g == goal) {
            return None;
        }
        running.search.ts.begin_turn(budget.work, Arc::clone(&budget.stop));
        running.search.lemmas_only = true;
        let assume = [running.search.ts.ends(goal), !running.search.ts.cut()];
        // If initial states were not created, a proof must not assume that runs start in them.
        let assume = if self.no_initial { &assume[..1] } else { &assume };
        let answer = running.solver.solve_with(&mut running.search, assume, &Limits::default());
        running.search.lemmas_only = false;
        self.charge(ticks, budget);
        let running = self.running.as_mut()?;
        match answer {
            SolveResult::Unsat if running.solver.core().is_empty() => Some(self.claim_safe()),
            SolveResult::Unsat if running.solver.core() == [running.search.ts.ends(goal)] => {
                let log = running.log.as_ref()?.lock().expect("no thread panicked while logging");
                let certificate = Certificate::Refutation(Box::new(proof::refutation(&log, &[goal], &running.search)));
                drop(log);
                running.search.ts.settle(goal, &mut running.solver);
                Some(Turn::Claims(Claim::Safe { goals: vec![goal], certificate }))
            }
            _ if !budget.spend(0) => {
                self.probes.push_front(goal);
                Some(Turn::More)
            }
            _ => self.claim_candidate(),
        }
    }

    fn claim_candidate(&mut self) -> Option<Turn> {
        let (goal, trace) = self.running.as_mut()?.search.take_candidate()?;
        self.pending = Some(goal);
        Some(Turn::Claims(Claim::Unsafe { goal, trace, candidate: true }))
    }

    fn claim_safe(&mut self) -> Turn {
        self.stats = self.stats();
        self.finished = true;
        let running = self.running.take().expect("only a running search answers");
        let goals: Vec<Goal> = running.search.ts.wanted().collect();
        let certificate = match running.log {
            _ if !self.no_initial && running.search.ts.is_closed() => {
                Certificate::StateSet(Box::new(running.search.ts.into_exploration().into_states()))
            }
            Some(log) => {
                let log = std::mem::take(&mut *log.lock().expect("no thread panicked while logging"));
                Certificate::Refutation(Box::new(proof::refutation(&log, &goals, &running.search)))
            }
            None => unreachable!("without lemmas a refutation expands every state"),
        };
        Turn::Claims(Claim::Safe { goals, certificate })
    }

    fn give_up(&mut self, reason: Reason) -> Turn {
        self.stats = self.stats();
        self.finished = true;
        let goals = self.running.as_ref().map(|r| r.search.ts.wanted().collect()).unwrap_or_default();
        Turn::Claims(Claim::Unknown { goals, reason })
    }

    /// Charges the work done since the solver had counted `ticks`.
    fn charge(&mut self, ticks: u64, budget: &mut Budget) {
        let Some(running) = self.running.as_mut() else { return };
        let solving = (running.solver.stats().ticks - ticks) / TICKS_PER_UNIT;
        budget.work = running.search.ts.work_left();
        budget.spend(solving);
    }

    fn ticks(&self) -> u64 {
        self.running.as_ref().map_or(0, |running| running.solver.stats().ticks)
    }

    fn settle_pending(&mut self) {
        if let (Some(goal), Some(running)) = (self.pending.take(), self.running.as_mut()) {
            running.search.ts.settle(goal, &mut running.solver);
        }
    }
}

impl Engine for Dpllt {
    fn name(&self) -> &'static str {
        "dpllt"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        self.settle_pending();
        if std::mem::take(&mut self.no_bad_state) {
            self.stats.lemmas.insert(proof::NO_BAD_STATE.0.to_owned(), 1);
            let certificate = Certificate::Refutation(Box::new(proof::no_bad_state(self.start.len())));
            return Turn::Claims(Claim::Safe { goals: vec![Goal::Bad], certificate });
        }
        let has_nothing_to_do = self.asked.is_empty() || self.options.lemmas_only && self.probes.is_empty();
        self.finished |= self.running.is_none() && has_nothing_to_do;
        if self.running.is_none() && !self.finished && !self.start(&budget.stop) {
            return Turn::More;
        }
        loop {
            let Some(running) = self.running.as_mut().filter(|_| !self.finished) else { return Turn::Done };
            if running.search.ts.wanted().next().is_none() {
                self.stats = self.stats();
                self.finished = true;
                return Turn::Done;
            }
            if !budget.spend(0) {
                return Turn::More;
            }
            if !self.probes.is_empty() {
                match self.probe(budget) {
                    Some(turn) => return turn,
                    None => continue,
                }
            }
            if self.options.lemmas_only {
                self.stats = self.stats();
                self.finished = true;
                return Turn::Done;
            }
            running.search.ts.begin_turn(budget.work, Arc::clone(&budget.stop));
            let assume = [!running.search.ts.cut()];
            let ticks = running.solver.stats().ticks;
            let answer = running.solver.solve_with(&mut running.search, &assume, &Limits::default());
            budget.stop.report_states(running.search.ts.explored().len() as u64);
            self.charge(ticks, budget);
            if let Some(turn) = self.answer(answer) {
                return turn;
            }
        }
    }

    fn refused(&mut self, goal: Goal) {
        if self.pending == Some(goal) {
            self.pending = None;
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        self.no_bad_state &= !goals.contains(&Goal::Bad);
        self.asked.retain(|goal| !goals.contains(goal));
        self.probes.retain(|goal| !goals.contains(goal));
        if let Some(running) = &mut self.running {
            let wanted: Vec<Goal> = running.search.ts.wanted().filter(|goal| goals.contains(goal)).collect();
            wanted.into_iter().for_each(|goal| running.search.ts.settle(goal, &mut running.solver));
        }
        if self.asked.is_empty() && !self.no_bad_state {
            self.stats = self.stats();
            self.finished = true;
        }
    }

    fn stats(&self) -> Stats {
        let Some(running) = self.running.as_ref().filter(|_| !self.finished) else { return self.stats.clone() };
        let ts = &running.search.ts;
        let counts = ts.counts();
        let solver = running.solver.stats();
        let mut lemmas = self.stats.lemmas.clone();
        lemmas.extend(running.search.lemma_counts());
        let mut stats = Stats {
            states: ts.explored().len() as u64,
            transitions: ts.explored().transitions(),
            lemmas,
            ..Stats::default()
        };
        stats.more.insert("splits", counts.splits);
        stats.more.insert("components", counts.components);
        stats.more.insert("literals", counts.literals);
        let asked = running.search.side_counts();
        if asked.checks > 0 {
            stats.more.insert("side_checks", asked.checks);
            stats.more.insert("z3_queries", asked.z3);
        }
        if running.search.unasked() > 0 {
            stats.more.insert("unasked", running.search.unasked());
        }
        stats.more.insert("decisions", solver.decisions);
        stats.more.insert("conflicts", solver.conflicts);
        stats
    }
}

/// Returns true if the thread alone can reach a bad state.
fn reaches_bad(thread: &Thread) -> bool {
    thread.states.iter().any(|state| state.bad)
        && thread.locally_reachable().iter().zip(&thread.states).any(|(reachable, state)| *reachable && state.bad)
}

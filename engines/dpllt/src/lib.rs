//! The SMT-style search: the CDCL core hosts the theory of transition systems, patterns cut into it by lemmas.
//!
//! After Katz, Barrett, Harel, "Theory-Aided Model Checking of Concurrent Transition Systems" (FMCAD 2015). The
//! parts: `sat` searches, `ts` expands states on demand, `patterns` (handed in by the caller) recognise shapes of
//! single threads and emit lemmas, `side` decides their arithmetic. This crate only wires them together ([`search`]),
//! writes down the refutation ([`proof`]) and turns answers into claims.
//!
//! Each goal is first tried with lemmas alone; nothing is expanded while a lemma is unsatisfied. Then states are
//! split depth first, in batches that grow while patterns are silent. States that a lemma names ahead of the search
//! are expanded one by one until a run is known to lead to them. A goal literal that is true without a chain of
//! states from an initial one is guidance, not an answer.

mod net;
mod proof;
mod props;
mod rising;
mod search;
#[cfg(test)]
mod tests;

pub use net::NetDpllt;
pub use rising::Rising;

use model::{
    Assumption, Budget, Certificate, Claim, Coverage, Effort, Engine, Goal, Match, Pattern, ProgramTask, Reason, Stats,
    Stop, Trace, Turn, WhyNot,
};
use proof::ProofLog;
use sat::{Answer, Limits, Solver};
use search::Search;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use store::{Exploration, RwbStepper};

/// Ticks of the SAT solver that take about as long as a unit of plain search.
const TICKS_PER_UNIT: u64 = 16;

/// How the engine searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// States expanded per split; `None` adapts, 1 is the pure calculus.
    pub batch: Option<usize>,
    /// Only see what lemmas alone refute, and explore nothing.
    pub lemmas_only: bool,
}

/// What became of one pattern on one goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recognised {
    /// The pattern's name.
    pub pattern: &'static str,
    /// The goal it was asked about.
    pub goal: Goal,
    /// The threads its lemmas speak of, or the side condition that failed.
    pub outcome: Result<Coverage, WhyNot>,
}

/// The engine over one behavioral program.
pub struct Dpllt {
    stepper: Option<RwbStepper>,
    asked: Vec<Goal>,
    options: Options,
    recognised: Vec<Recognised>,
    matches: Vec<Box<dyn Match>>,
    assumptions: Vec<Assumption>,
    /// An initial state: candidate runs begin there.
    start: Box<[u32]>,
    /// There are too many initial states to name them: only lemmas can settle anything.
    no_initial: bool,
    running: Option<Running>,
    /// Goals to try with lemmas alone before anything is explored, so that one that they settle does not wait for
    /// another.
    probes: VecDeque<Goal>,
    /// A recogniser stopped because its effort was spent.
    cut_off: bool,
    /// What recognisers spent, in looks.
    looks: u64,
    /// A candidate was claimed; unless it is refused, its goal is settled.
    pending: Option<Goal>,
    finished: bool,
    stats: Stats,
}

/// A search under way.
struct Running {
    solver: Solver,
    search: Search,
    log: Option<Arc<Mutex<ProofLog>>>,
}

impl Dpllt {
    /// Recognises patterns; the search begins with the first turn. Cost: the recognisers, polynomial in the threads.
    #[must_use]
    pub fn new(task: &ProgramTask, patterns: &[&dyn Pattern], options: Options) -> Self {
        Self::within(task, patterns, options, u64::MAX)
    }

    /// The same with at most `effort` looks for each recogniser and goal. Where that cuts one off, the engine only sees
    /// what lemmas alone refute. Cost: as many looks, times patterns and goals.
    #[must_use]
    pub fn within(task: &ProgramTask, patterns: &[&dyn Pattern], options: Options, effort: u64) -> Self {
        let program = task.program();
        let asked = task.goals().to_vec();
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
        // More effort may say more: what search there is to do waits for that.
        let options = Options { lemmas_only: options.lemmas_only || cut_off, ..options };
        Self {
            stepper: Some(RwbStepper::new(program)),
            assumptions: task.assumptions().to_vec(),
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

    /// Which patterns apply to which goal, and why the others do not.
    #[must_use]
    pub fn recognised(&self) -> &[Recognised] {
        &self.recognised
    }

    /// Might recognisers say more with more effort?
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.cut_off
    }

    /// Looks that the recognisers took.
    #[must_use]
    pub fn looks(&self) -> u64 {
        self.looks
    }

    /// Does any pattern apply?
    #[must_use]
    pub fn has_match(&self) -> bool {
        self.recognised.iter().any(|r| r.outcome.is_ok())
    }

    /// Sets the search up; false if the initial states do not fit the memory limit.
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
        // A closed state set is evidence enough where no lemma cuts anything off, so only pattern searches are logged.
        let assumptions = std::mem::take(&mut self.assumptions);
        let log = (!matches.is_empty() || !assumptions.is_empty()).then(|| {
            let log = Arc::new(Mutex::new(ProofLog::default()));
            solver.set_proof(Box::new(proof::Shared(Arc::clone(&log))));
            log
        });
        let batch = self.options.batch;
        let options = ts::Options { batch, no_initial: self.no_initial, ..ts::Options::default() };
        let start = self.start.clone();
        let search = Search::new(exploration, &self.asked, options, matches, assumptions, start, &mut solver);
        self.running = Some(Running { solver, search, log });
        true
    }

    fn answer(&mut self, answer: Answer) -> Option<Turn> {
        let running = self.running.as_mut()?;
        if let Some((goal, state)) = running.search.ts.take_found() {
            let trace = running.search.ts.exploration().trace_to(state);
            let trace = trace.expect("a found state has a run from an initial state");
            running.search.ts.settle(goal, &mut running.solver);
            return Some(Turn::Claims(Claim::Unsafe { goal, trace, candidate: false }));
        }
        match answer {
            Answer::Stopped => self.claim_candidate(),
            Answer::Unsat if running.solver.core().is_empty() => Some(self.claim_safe()),
            Answer::Unsat => Some(self.give_up(Reason::Bound)),
            Answer::Sat | Answer::Unknown => Some(self.give_up(Reason::GaveUp)),
        }
    }

    /// Asks whether lemmas alone refute the next goal to be tried. `None`: they do not, or none is left.
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
        // Where all initial states are beyond the bound, a proof may not begin with them.
        let assume = if self.no_initial { &assume[..1] } else { &assume };
        let answer = running.solver.solve_with(&mut running.search, assume, &Limits::default());
        running.search.lemmas_only = false;
        self.charge(ticks, budget);
        let running = self.running.as_mut()?;
        match answer {
            Answer::Unsat if running.solver.core().is_empty() => Some(self.claim_safe()),
            Answer::Unsat if running.solver.core() == [running.search.ts.ends(goal)] => {
                let log = running.log.as_ref()?.lock().expect("nobody panicked while logging");
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
                let log = std::mem::take(&mut *log.lock().expect("nobody panicked while logging"));
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

    /// Enters in the books what has been done since the solver had counted `ticks`.
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
        self.asked.retain(|goal| !goals.contains(goal));
        self.probes.retain(|goal| !goals.contains(goal));
        if let Some(running) = &mut self.running {
            let wanted: Vec<Goal> = running.search.ts.wanted().filter(|goal| goals.contains(goal)).collect();
            wanted.into_iter().for_each(|goal| running.search.ts.settle(goal, &mut running.solver));
        }
        if self.asked.is_empty() {
            self.stats = self.stats();
            self.finished = true;
        }
    }

    fn stats(&self) -> Stats {
        let Some(running) = self.running.as_ref().filter(|_| !self.finished) else { return self.stats.clone() };
        let ts = &running.search.ts;
        let counts = ts.counts();
        let solver = running.solver.stats();
        let mut stats = Stats {
            states: ts.explored().len() as u64,
            transitions: ts.explored().transitions(),
            lemmas: running.search.lemma_counts(),
            ..Stats::default()
        };
        stats.more.insert("splits", counts.splits);
        stats.more.insert("components", counts.components);
        stats.more.insert("literals", counts.literals);
        stats.more.insert("decisions", solver.decisions);
        stats.more.insert("conflicts", solver.conflicts);
        stats
    }
}

/// A candidate for the caller to have replayed.
type Candidate = (Goal, Trace);

//! The search: frame by frame, resumable wherever a query ends.

use super::activity::Activity;
use super::cone::{Cone, Justifier};
use super::cube::Cube;
use super::frames::Frames;
use super::generalize::limits;
use super::obligations::Obligations;
use super::solvers::FrameSolver;
use super::source::Source;
use super::table::Table;
use super::{BitsStats, Options, Step};
use model::{Budget, LatchId, Reason, Signal};
use sat::{Answer, Limits, Lit};

/// Conflicts of a query between two looks at the budget.
const CONFLICTS: u64 = 5_000;
/// Steps between two looks at the memory limit.
const STRIDE: u64 = 256;
/// Bytes that so many steps may take, generously.
const STRIDE_BYTES: usize = 4 << 20;

/// What the search is doing.
#[derive(Debug)]
enum Phase {
    /// Puts lemmas of an earlier run back that still hold after one step.
    Restore(Vec<Cube>),
    /// Can the bad signal be true in the top frame?
    Ask,
    /// There are obligations.
    Block,
    /// Moves lemmas of a level up; those still to be tried.
    Push(usize, Vec<Cube>),
    Over(Step),
}

/// The search for a run that makes one signal true.
pub struct Bits<S: Source> {
    pub(super) table: Table<S>,
    pub(super) bad_signal: Signal,
    pub(super) bad: Lit,
    pub(super) options: Options,
    pub(super) constraints: Vec<Lit>,
    /// The source's clauses, as far as heard.
    pub(super) clauses: Vec<Vec<Lit>>,
    /// Those over latches alone.
    pub(super) meanings: Vec<Vec<Lit>>,
    /// Those that every query must look at.
    pub(super) demands: Vec<Vec<Lit>>,
    pub(super) frames: Frames,
    pub(super) solvers: Vec<FrameSolver>,
    /// Knows what initial states are, and nothing of steps.
    pub(super) start: FrameSolver,
    pub(super) obligations: Obligations,
    pub(super) activity: Activity,
    pub(super) stats: BitsStats,
    pub(super) cone: Cone,
    pub(super) justifier: Justifier,
    /// The cube of the last query, in the order of its assumptions.
    pub(super) asked: Vec<Lit>,
    /// What the last query assumed.
    pub(super) roots: Vec<Lit>,
    /// Units of work not yet taken from a budget.
    pub(super) work: u64,
    /// All work must end.
    pub(super) is_stopped: bool,
    phase: Phase,
}

impl<S: Source> Bits<S> {
    /// Is `bad` ever true? It may depend on inputs.
    pub fn new(source: S, bad: Signal, options: Options) -> Self {
        let mut table = Table::new(source);
        let bad_signal = bad;
        let bad = table.lit(bad);
        Self {
            table,
            bad_signal,
            bad,
            options,
            constraints: Vec::new(),
            clauses: Vec::new(),
            meanings: Vec::new(),
            demands: Vec::new(),
            frames: Frames::default(),
            solvers: Vec::new(),
            start: FrameSolver::new(true),
            obligations: Obligations::default(),
            activity: Activity::default(),
            stats: BitsStats::default(),
            cone: Cone::default(),
            justifier: Justifier::default(),
            asked: Vec::new(),
            roots: Vec::new(),
            work: 0,
            is_stopped: false,
            phase: Phase::Restore(Vec::new()),
        }
    }

    /// Where the circuit comes from. After changes that are not mere growth call [`Bits::restart`].
    pub fn source(&mut self) -> &mut S {
        &mut self.table.source
    }

    /// Resets of latches were changed, or clauses or latches added: keeps the lemmas that still hold where they stand.
    /// The next run finds out which; until it has, it costs a query for each lemma and frame.
    pub fn restart(&mut self) {
        let mut lemmas = self.frames.drain();
        if let Phase::Restore(rest) = &mut self.phase {
            lemmas.append(rest);
        }
        self.solvers.clear();
        self.start = FrameSolver::new(true);
        self.obligations.clear();
        lemmas.reverse();
        self.phase = Phase::Restore(lemmas);
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> BitsStats {
        self.stats
    }

    /// Works until it has an answer or the budget ends. An answer is given again if asked again.
    pub fn run(&mut self, budget: &mut Budget) -> Step {
        if self.frames.is_empty() {
            self.open_first();
        }
        let mut steps = 0u64;
        loop {
            if let Phase::Over(step) = &self.phase {
                return step.clone();
            }
            self.is_stopped = budget.stop.raised().is_some();
            match std::mem::replace(&mut self.phase, Phase::Ask) {
                Phase::Restore(lemmas) => self.restore(lemmas),
                Phase::Ask => self.ask(),
                Phase::Block => self.block_one(),
                Phase::Push(level, lemmas) => self.push_one(level, lemmas),
                Phase::Over(step) => self.phase = Phase::Over(step),
            }
            steps += 1;
            let memory = !steps.is_multiple_of(STRIDE) || budget.stop.may_allocate(STRIDE_BYTES);
            let more = budget.spend(std::mem::take(&mut self.work) + 1);
            let goes_on = more && memory || matches!(self.phase, Phase::Over(_));
            if !goes_on {
                return Step::More;
            }
        }
    }

    fn open_first(&mut self) {
        let constraints = self.table.source.circuit().constraints().to_vec();
        self.constraints = constraints.into_iter().map(|signal| self.table.lit(signal)).collect();
        self.open();
    }

    /// Opens a frame above all others.
    fn open(&mut self) {
        debug_assert!(self.solvers.is_empty() || self.solvers.len() == self.frames.top() + 1, "a solver per frame");
        self.frames.open();
        let solver = self.solver_for(self.solvers.len());
        self.solvers.push(solver);
        self.stats.frames = self.stats.frames.max(self.solvers.len() as u64);
    }

    /// A solver that knows what holds in frame `level`.
    pub(super) fn solver_for(&mut self, level: usize) -> FrameSolver {
        let mut solver = FrameSolver::new(level == 0);
        solver.grow(&self.table, &self.clauses, sat::DecidedBy::Theory);
        for &constraint in &self.constraints {
            solver.add(&[constraint]);
        }
        if level > 0 {
            self.frames.rename(level, |lemma| solver.exclude(lemma));
        }
        solver
    }

    /// One lemma of an earlier run: does it hold after one step?
    fn restore(&mut self, mut lemmas: Vec<Cube>) {
        let Some(lemma) = lemmas.pop() else {
            self.phase = Phase::Ask;
            return;
        };
        if self.frames.top() == 0 {
            self.open();
        }
        let holds = self.frames.blocked(&lemma, 1).is_none()
            && self.excludes_start(&lemma)
            && self.step_into(0, &lemma, false, &limits()) == Answer::Unsat;
        if holds {
            self.add_lemma(lemma, 1);
        }
        self.phase = Phase::Restore(lemmas);
    }

    fn ask(&mut self) {
        self.check();
        let top = self.frames.top();
        match self.reaches_bad(top, &Limits { conflicts: Some(CONFLICTS), stop: None }) {
            Answer::Sat => {
                let (cube, inputs) = self.predecessor(top);
                let id = self.obligations.add(cube, inputs, None);
                self.phase = Phase::Block;
                self.oblige(id, top);
            }
            Answer::Unsat => {
                self.obligations.clear();
                self.open();
                self.phase = self.pushing(1);
            }
            Answer::Unknown | Answer::Stopped => self.phase = Phase::Ask,
        }
    }

    /// A new obligation, to be blocked at `level`; or a run is found.
    fn oblige(&mut self, id: u32, level: usize) {
        let cube = self.obligations.get(id).cube.clone();
        if !self.excludes_start(&cube) {
            let run = self.run_from(id);
            self.phase = Phase::Over(run.map_or(Step::GaveUp(Reason::GaveUp), Step::Unsafe));
        } else if level == 0 {
            // The first frame's query overlooked a clause of the source about latches outside its cone.
            self.solvers[0].exclude(&cube);
        } else {
            self.obligations.queue(id, level);
        }
    }

    fn block_one(&mut self) {
        let Some((id, level)) = self.obligations.pop() else {
            self.phase = Phase::Ask;
            return;
        };
        debug_assert!((1..=self.frames.top()).contains(&level));
        self.phase = Phase::Block;
        self.stats.obligations += 1;
        let cube = self.obligations.get(id).cube.clone();
        if let Some(at) = self.frames.blocked(&cube, level) {
            self.again(id, at + 1);
            return;
        }
        match self.step_into(level - 1, &cube, true, &Limits { conflicts: Some(CONFLICTS), stop: None }) {
            Answer::Sat => {
                let (before, inputs) = self.predecessor(level - 1);
                let before = self.obligations.add(before, inputs, Some(id));
                self.obligations.queue(id, level);
                self.oblige(before, level - 1);
            }
            Answer::Unsat => {
                let blocked = self.core(level - 1);
                let lemma = self.generalize(level, blocked, 0);
                debug_assert!(super::cube::is_subset(&lemma, &cube), "a lemma excludes the obligation it comes from");
                let at = self.learn(lemma, level);
                debug_assert!(at >= level);
                self.again(id, at + 1);
            }
            Answer::Unknown | Answer::Stopped => self.obligations.queue(id, level),
        }
    }

    fn again(&mut self, id: u32, level: usize) {
        if level <= self.frames.top() {
            self.obligations.queue(id, level);
        }
    }

    fn pushing(&self, level: usize) -> Phase {
        if level == self.frames.top() {
            return Phase::Ask;
        }
        let mut lemmas: Vec<Cube> = self.frames.level(level).cloned().collect();
        lemmas.sort_by_key(|lemma| std::cmp::Reverse(lemma.len()));
        Phase::Push(level, lemmas)
    }

    fn push_one(&mut self, level: usize, mut lemmas: Vec<Cube>) {
        let Some(lemma) = lemmas.pop() else {
            self.phase =
                if self.frames.is_clear(level) { Phase::Over(self.safe(level)) } else { self.pushing(level + 1) };
            return;
        };
        if self.frames.holds(&lemma, level) && self.step_into(level, &lemma, false, &limits()) == Answer::Unsat {
            let pushed = self.core(level);
            debug_assert!(super::cube::is_subset(&pushed, &lemma), "a lemma gets no weaker on its way up");
            self.add_lemma(pushed, level + 1);
        }
        self.phase = Phase::Push(level, lemmas);
    }

    /// Panics if frames and obligations are not what they should be: lemmas are about latches and hold at the start,
    /// each in all frames up to its own.
    fn check(&mut self) {
        if !crate::CHECKS {
            return;
        }
        self.frames.check();
        self.obligations.check(self.frames.top());
        assert_eq!(self.solvers.len(), self.frames.top() + 1, "each frame has a solver");
        for level in 1..=self.frames.top() {
            let lemmas: Vec<Cube> = self.frames.level(level).cloned().collect();
            lemmas.iter().for_each(|lemma| self.check_lemma(lemma, level));
        }
    }

    fn check_lemma(&mut self, lemma: &Cube, level: usize) {
        assert!(lemma.iter().all(|&lit| self.table.value_of(lit).is_some()), "{lemma:?} is not about latches");
        assert!(self.excludes_start(lemma), "{lemma:?} excludes an initial state");
        let is_known = self.solvers[1..=level].iter_mut().all(|solver| solver.excludes(lemma));
        assert!(is_known, "{lemma:?} does not hold in some frame up to {level}");
    }

    /// Nothing stands at `level`, so that the lemmas above are kept by every step.
    fn safe(&mut self, level: usize) -> Step {
        self.check();
        debug_assert!(self.frames.is_clear(level));
        let clause = |cube: &Cube| -> Vec<(LatchId, bool)> {
            cube.iter().filter_map(|&lit| self.table.value_of(!lit)).collect()
        };
        Step::Safe(self.frames.from(level + 1).map(clause).collect())
    }
}

#[cfg(test)]
impl<S: Source> Bits<S> {
    /// By level, the clauses that stand there: each holds in all states reached within so many steps.
    pub(crate) fn levels(&self) -> Vec<Vec<Vec<(LatchId, bool)>>> {
        let clause = |cube: &Cube| cube.iter().filter_map(|&lit| self.table.value_of(!lit)).collect();
        let level = |level| self.frames.level(level).map(clause).collect();
        if self.frames.is_empty() { Vec::new() } else { (0..=self.frames.top()).map(level).collect() }
    }
}

//! The search, frame by frame. It can be interrupted after every query and resumed.

use super::activity::Activity;
use super::cone::{Cone, Justifier};
use super::cube::Cube;
use super::frames::Frames;
use super::marks::Marks;
use super::obligations::Obligations;
use super::solvers::{FrameSolver, Origin, limits};
use super::source::Source;
use super::table::Table;
use super::{BitsStats, Options, Progress};
use hashbrown::HashMap;
use model::{Budget, LatchId, Reason, Signal};
use sat::{DecidedBy, Limits, Lit, SolveResult, Var};

/// Conflict limit of a query. The budget is checked between queries.
const CONFLICTS: u64 = 5_000;
/// Steps between two checks of the memory limit.
const STRIDE: u64 = 256;
/// Generous upper bound on the bytes that [`STRIDE`] steps allocate.
const STRIDE_BYTES: usize = 4 << 20;

/// The current phase of the search.
#[derive(Debug)]
pub(super) enum Phase {
    /// Restores the lemmas from before a restart that still hold after one step. The list contains the lemmas
    /// still to be tried.
    Restore(Vec<Cube>),
    /// Checks whether the bad signal can be true in the top frame.
    Ask,
    /// Blocks obligations.
    Block,
    /// Moves lemmas of this level one level up. The list contains the lemmas still to be tried.
    Push(usize, Vec<Cube>),
    Over(Progress),
}

/// The name of a gate ([`signals`](super::signals)).
pub(super) struct Name {
    /// Its variable, which is a latch.
    pub(super) name: Var,
    /// The gate.
    pub(super) gate: Lit,
    /// The cone of the gate, in topological order.
    pub(super) cone: Box<[Var]>,
    /// The latches of the cone.
    pub(super) latches: Box<[Var]>,
}

/// The search for a run that makes one signal true.
pub struct Bits<S: Source> {
    pub(super) table: Table<S>,
    pub(super) bad_signal: Signal,
    pub(super) bad: Lit,
    pub(super) options: Options,
    pub(super) constraints: Vec<Lit>,
    /// The source's clauses, as far as they have been read.
    pub(super) clauses: Vec<Vec<Lit>>,
    /// The clauses over latches alone.
    pub(super) meanings: Vec<Vec<Lit>>,
    /// The names of gates. The source's clauses begin after two for each of them.
    pub(super) names: Vec<Name>,
    /// For each variable: true if it is a name.
    is_name: Vec<bool>,
    /// How queries decide variables: in the order of their cone, but by activity if there are names. A static order
    /// takes many conflicts to compare three words with each other.
    pub(super) by: DecidedBy,
    /// The clauses that must be in the cone of every query.
    pub(super) demands: Vec<Vec<Lit>>,
    pub(super) frames: Frames,
    /// Cubes that are excluded in every frame, by the proofs of other outputs; see [`shared`](super::shared).
    pub(super) known: Vec<Cube>,
    pub(super) solvers: Vec<FrameSolver>,
    /// Contains the constraints on initial states, but no steps.
    pub(super) start: FrameSolver,
    /// True if `start` has the named gates.
    pub(super) start_has_names: bool,
    /// Contains the gates alone.
    pub(super) lifter: FrameSolver,
    /// The variables of the last core of `lifter`.
    pub(super) in_core: Marks,
    pub(super) obligations: Obligations,
    pub(super) activity: Activity,
    pub(super) stats: BitsStats,
    pub(super) cone: Cone,
    pub(super) justifier: Justifier,
    /// Values of variables that a cube implies.
    pub(super) implied: HashMap<Var, bool>,
    /// The cube of the last query, in the order of its assumptions.
    pub(super) asked: Vec<Lit>,
    /// The assumptions of the last query.
    pub(super) roots: Vec<Lit>,
    /// Work units not yet taken from a budget.
    pub(super) work: u64,
    /// True if the whole check has been told to stop.
    pub(super) is_stopped: bool,
    pub(super) phase: Phase,
}

impl<S: Source> Bits<S> {
    /// Makes a search for a run that makes `bad` true. The signal may depend on inputs.
    pub fn new(source: S, bad: Signal, options: Options) -> Self {
        let mut table = Table::new(source);
        let bad_signal = bad;
        let bad = table.lit(bad);
        let named = table.source.names().to_vec();
        let signal = |table: &Table<S>, latch: LatchId| table.source.circuit().latches()[latch.index()].signal;
        let mut names: Vec<Name> = Vec::with_capacity(named.len());
        for (name, gate) in named {
            let gate = table.lit(gate);
            let name = signal(&table, name);
            let name = table.lit(name).var();
            let mut cone = Cone::default();
            cone.clear(table.len());
            cone.add(&table, gate.var());
            let latches = cone.vars().iter().copied().filter(|var| table.value_of(var.positive()).is_some()).collect();
            names.push(Name { name, gate, latches, cone: cone.vars().into() });
        }
        let equal = |of: &Name| [vec![of.name.positive(), !of.gate], vec![of.name.negative(), of.gate]];
        let clauses: Vec<Vec<Lit>> = names.iter().flat_map(equal).collect();
        let mut is_name = vec![false; table.len()];
        names.iter().for_each(|of| is_name[of.name.index()] = true);
        Self {
            table,
            bad_signal,
            bad,
            options,
            constraints: Vec::new(),
            meanings: clauses.clone(),
            clauses,
            by: if names.is_empty() { DecidedBy::Theory } else { DecidedBy::Host },
            names,
            is_name,
            demands: Vec::new(),
            frames: Frames::default(),
            known: Vec::new(),
            solvers: Vec::new(),
            start: FrameSolver::new(true),
            start_has_names: false,
            lifter: FrameSolver::new(false),
            in_core: Marks::default(),
            obligations: Obligations::default(),
            activity: Activity::default(),
            stats: BitsStats::default(),
            cone: Cone::default(),
            justifier: Justifier::default(),
            implied: HashMap::new(),
            asked: Vec::new(),
            roots: Vec::new(),
            work: 0,
            is_stopped: false,
            phase: Phase::Restore(Vec::new()),
        }
    }

    /// The source of the circuit. Call [`Bits::restart`] after any change that does more than add to the
    /// circuit.
    pub fn source(&mut self) -> &mut S {
        &mut self.table.source
    }

    /// Prepares the search for changed resets of latches, or for added clauses or latches. Lemmas that still
    /// hold are kept. The next run finds out which do, at the cost of a query for each lemma and frame.
    pub fn restart(&mut self) {
        let mut lemmas = self.frames.drain();
        if let Phase::Restore(rest) = &mut self.phase {
            lemmas.append(rest);
        }
        self.solvers.clear();
        self.known.clear();
        self.start = FrameSolver::new(true);
        self.start_has_names = false;
        self.lifter = FrameSolver::new(false);
        self.obligations.clear();
        lemmas.reverse();
        self.phase = Phase::Restore(lemmas);
    }

    /// True if the variable is the name of a gate.
    pub(super) fn is_name(&self, var: Var) -> bool {
        self.is_name.get(var.index()) == Some(&true)
    }

    /// The statistics so far.
    #[must_use]
    pub fn stats(&self) -> BitsStats {
        self.stats
    }

    /// Runs the search until it has an answer or the budget is used up. Further calls return the same answer.
    pub fn run(&mut self, budget: &mut Budget) -> Progress {
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
                return Progress::More;
            }
        }
    }

    pub(super) fn open_first(&mut self) {
        let constraints = self.table.source.circuit().constraints().to_vec();
        self.constraints = constraints.into_iter().map(|signal| self.table.lit(signal)).collect();
        self.open();
    }

    /// Opens a new top frame.
    pub(super) fn open(&mut self) {
        debug_assert!(self.solvers.is_empty() || self.solvers.len() == self.frames.top() + 1, "a solver per frame");
        self.frames.open();
        let solver = self.solver_for(self.solvers.len());
        self.solvers.push(solver);
        self.stats.frames = self.stats.frames.max(self.solvers.len() as u64);
    }

    /// Makes a solver with everything that holds in frame `level`.
    pub(super) fn solver_for(&mut self, level: usize) -> FrameSolver {
        let mut solver = FrameSolver::new(level == 0);
        solver.grow(&self.table, &self.clauses, self.by);
        for &constraint in &self.constraints {
            solver.add(&[constraint]);
        }
        if level > 0 {
            self.frames.rename(level, |lemma| solver.exclude(lemma));
            for cube in &self.known {
                solver.exclude(cube);
            }
        }
        solver
    }

    /// Adds one lemma from before a restart to frame 1, if it still holds after one step.
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
            && self.step_into(0, &lemma, Origin::Frame, &limits()) == SolveResult::Unsat;
        if holds {
            self.add_lemma(lemma, 1);
        }
        self.phase = Phase::Restore(lemmas);
    }

    fn ask(&mut self) {
        self.check();
        let top = self.frames.top();
        match self.reaches_bad(top, &Limits { conflicts: Some(CONFLICTS), stop: None }) {
            SolveResult::Sat => {
                let (cube, inputs) = self.predecessor(top);
                let id = self.obligations.add(cube, inputs, None);
                self.phase = Phase::Block;
                self.oblige(id, top);
            }
            SolveResult::Unsat => {
                self.obligations.begin_frame(self.options.keep_obligations);
                self.open();
                self.phase = self.pushing(1);
            }
            SolveResult::Unknown | SolveResult::Stopped => self.phase = Phase::Ask,
        }
    }

    /// Queues a new obligation at `level`. Ends the search if its cube contains an initial state.
    fn oblige(&mut self, id: u32, level: usize) {
        let cube = self.obligations.get(id).cube.clone();
        if !self.excludes_start(&cube) {
            let run = self.run_from(id);
            self.phase = Phase::Over(run.map_or(Progress::GaveUp(Reason::GaveUp), Progress::Unsafe));
        } else if level == 0 {
            // The query of the first frame overlooked a clause of the source about latches outside its cone.
            self.solvers[0].exclude(&cube);
        } else {
            self.obligations.queue(id, level);
        }
    }

    fn block_one(&mut self) {
        let Some((id, level)) = self.obligations.pop(self.frames.top()) else {
            self.phase = Phase::Ask;
            return;
        };
        debug_assert!((1..=self.frames.top()).contains(&level));
        self.phase = Phase::Block;
        self.stats.obligations += 1;
        let cube = self.obligations.get(id).cube.clone();
        if let Some(at) = self.frames.blocked(&cube, level) {
            self.obligations.queue(id, at + 1);
            return;
        }
        match self.step_into(level - 1, &cube, Origin::Outside, &Limits { conflicts: Some(CONFLICTS), stop: None }) {
            SolveResult::Sat => {
                let (before, inputs) = self.predecessor(level - 1);
                let before = self.obligations.add(before, inputs, Some(id));
                self.obligations.queue(id, level);
                self.oblige(before, level - 1);
            }
            SolveResult::Unsat => {
                let blocked = self.core(level - 1);
                let lemma = self.generalize(level, blocked, 0);
                debug_assert!(super::cube::is_subset(&lemma, &cube), "a lemma excludes the obligation it comes from");
                let at = self.learn(lemma, level);
                debug_assert!(at >= level);
                self.obligations.queue(id, at + 1);
            }
            SolveResult::Unknown | SolveResult::Stopped => self.obligations.queue(id, level),
        }
    }

    fn pushing(&self, level: usize) -> Phase {
        if level == self.frames.top() {
            return Phase::Block;
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
        let is_there = self.frames.holds(&lemma, level);
        let from = if self.options.push_from_frame { Origin::Frame } else { Origin::Outside };
        if is_there && self.step_into(level, &lemma, from, &limits()) == SolveResult::Unsat {
            let pushed = self.core(level);
            debug_assert!(super::cube::is_subset(&pushed, &lemma), "a lemma gets no weaker on its way up");
            self.add_lemma(pushed, level + 1);
        }
        self.phase = Phase::Push(level, lemmas);
    }

    /// Checks the frames and obligations.
    ///
    /// # Panics
    ///
    /// Panics unless all lemmas are about latches, hold in the initial states, and hold in every frame up to
    /// their own.
    fn check(&mut self) {
        if !cfg!(any(test, feature = "invariants")) {
            return;
        }
        self.frames.check();
        self.obligations.check(self.frames.top() + 1);
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

    /// Makes the answer `Safe`. No lemma is stored at `level`, so every step keeps the lemmas above it.
    fn safe(&mut self, level: usize) -> Progress {
        self.check();
        debug_assert!(self.frames.is_clear(level));
        let clause = |cube: &Cube| -> Vec<(LatchId, bool)> {
            cube.iter().filter_map(|&lit| self.table.value_of(!lit)).collect()
        };
        Progress::Safe(self.known.iter().chain(self.frames.from(level + 1)).map(clause).collect())
    }
}

impl<S: Source> Bits<S> {
    /// For each level, the clauses stored there. Those of level k hold in all states reached within k steps.
    #[must_use]
    pub fn levels(&self) -> Vec<Vec<Vec<(LatchId, bool)>>> {
        let clause = |cube: &Cube| cube.iter().filter_map(|&lit| self.table.value_of(!lit)).collect();
        let level = |level| self.frames.level(level).map(clause).collect();
        if self.frames.is_empty() { Vec::new() } else { (0..=self.frames.top()).map(level).collect() }
    }
}

//! The search: one goal after the other, level by level.
//!
//! Frames are kept when the goal changes. With several goals, the goals take turns, and the turns grow from
//! round to round, so a hard goal does not delay the other goals. Claims about safe goals are delayed to the
//! end of the engine's turn, so that one certificate covers many goals.

use super::state::{Blocked, Candidates, Pushing, is_blocked};
use crate::coverability::frames::{FOREVER, Frames};
use crate::coverability::goals::{CoverGoal, goals};
use crate::coverability::invariants::Bounds;
use crate::coverability::obligations::Obligations;
use crate::coverability::predecessors::{Net, Predecessors};
use crate::coverability::trace;
use crate::coverability::vector::Dense;
use crate::invariants::Invariants;
use model::{Budget, Certificate, Claim, Exclusion, Goal, InvariantCertificate, NetTask, Stats, Turn};

/// Effort per work unit.
const EFFORT_PER_UNIT: u64 = 32;
/// Scanned list entries per unit of effort.
const SCANS_PER_EFFORT: u64 = 4;
/// Work units of a goal's first turn.
const SLICE: u64 = 4_000;
/// Steps between two checks of the memory limit.
const STRIDE: u64 = 512;
/// Generous upper bound on the bytes that [`STRIDE`] steps allocate.
const STRIDE_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Restore,
    Choose,
    Block,
    Push,
}

/// The frames, and the state of the work on one goal.
pub(crate) struct FrameSearch {
    pub(crate) frames: Frames,
    pub(crate) bounds: Bounds,
    pub(crate) obligations: Obligations,
    pub(crate) pushing: Pushing,
    pub(crate) predecessors: Predecessors,
    /// Buffer for the vector of the current query.
    pub(crate) asked: Dense,
    pub(crate) candidates: Candidates,
    /// Number of lemmas learnt so far.
    pub(crate) learnt: u64,
    goals: Vec<CoverGoal>,
    pub(super) phase: Phase,
    /// Index of the current goal.
    current: usize,
    round: u32,
    /// Goals that are safe but not yet claimed.
    safe: Vec<usize>,
    /// Work units left of the current goal's turn.
    slice: u64,
    /// Work units spent so far.
    spent: u64,
    handled: u64,
    /// Obligations handled in the current goal's turn.
    of_goal: u64,
    linear: Linear,
    /// The level up to which targets are to be blocked.
    top: u32,
    /// The number of lemmas learnt and the top level when pushing last finished.
    pushed: (u64, u32),
}

/// Schedule of queries for linear bounds.
#[derive(Debug)]
struct Linear {
    /// Obligations until the next query.
    wait: u64,
    /// Obligations between two queries.
    interval: u64,
}

/// Obligations before the first query for a linear bound.
const FIRST_QUESTION: u64 = 48;
/// Work units for a query, in addition to a share of all work so far.
const ALLOWANCE: u64 = 20_000;
/// Maximal number of bounds.
const BOUNDS: usize = 48;

pub(super) enum Progress {
    Working,
    Claim(Claim),
    Done,
}

impl FrameSearch {
    pub(crate) fn new(net: Net<'_>, task: &NetTask) -> Self {
        let places = net.rules.places();
        Self {
            frames: Frames::new(places),
            bounds: Bounds::default(),
            obligations: Obligations::default(),
            pushing: Pushing::default(),
            predecessors: Predecessors::new(net.rules),
            asked: Dense::new(places),
            learnt: 0,
            goals: goals(task, &net.shape.start),
            candidates: Candidates::default(),
            phase: Phase::Choose,
            current: 0,
            round: 0,
            safe: Vec::new(),
            slice: 0,
            spent: 0,
            handled: 0,
            of_goal: 0,
            linear: Linear { wait: FIRST_QUESTION, interval: FIRST_QUESTION },
            top: 0,
            pushed: (0, 0),
        }
    }

    pub(crate) fn run(&mut self, net: Net<'_>, task: &NetTask, invariants: &Invariants, budget: &mut Budget) -> Turn {
        let mut steps = 0u64;
        loop {
            let step = match self.phase {
                Phase::Restore => self.try_candidate(net),
                Phase::Choose => self.choose(net, invariants),
                Phase::Block => self.block_one(net, task, invariants, budget),
                Phase::Push => self.push(net),
            };
            steps += 1;
            let more = budget.spend(self.spend()) && !budget.stop.is_paused();
            let memory = !steps.is_multiple_of(STRIDE) || budget.stop.may_allocate(STRIDE_BYTES);
            match step {
                Progress::Claim(claim) => return Turn::Claims(claim),
                Progress::Done => return Turn::Done,
                Progress::Working if more && memory => {}
                Progress::Working => return self.claim_safe(net, invariants).map_or(Turn::More, Turn::Claims),
            }
        }
    }

    /// Returns the work units spent since the last call.
    fn spend(&mut self) -> u64 {
        let effort = self.predecessors.effort + self.frames.scanned() / SCANS_PER_EFFORT;
        let units = (effort / EFFORT_PER_UNIT).saturating_sub(self.spent);
        self.spent += units;
        self.slice = self.slice.saturating_sub(units);
        units + 1
    }

    /// Turns to the next open goal.
    fn choose(&mut self, net: Net<'_>, invariants: &Invariants) -> Progress {
        let Some(next) = (self.current..self.goals.len()).find(|&g| self.goals[g].is_open) else {
            if self.goals.iter().any(|g| g.is_open) {
                self.current = 0;
                self.round += 1;
                return Progress::Working;
            }
            return self.claim_safe(net, invariants).map_or(Progress::Done, Progress::Claim);
        };
        self.current = next;
        if self.is_safe(net, next) {
            self.settle();
            return Progress::Working;
        }
        self.skip_levels();
        let alone = self.goals.iter().filter(|g| g.is_open).count() == 1;
        self.slice = if alone { u64::MAX } else { SLICE << self.round.min(40) };
        self.of_goal = 0;
        self.begin_level();
        Progress::Working
    }

    /// Marks the current goal as safe.
    fn settle(&mut self) {
        debug_assert!(self.goals[self.current].is_open && !self.safe.contains(&self.current));
        self.safe.push(self.current);
        self.close(self.current);
    }

    /// Raises the level of the current goal to the first level at which some target is not blocked. Lemmas
    /// learnt for other goals may have blocked the targets at lower levels.
    fn skip_levels(&mut self) {
        let Self { asked, frames, goals, current, .. } = self;
        let goal = &mut goals[*current];
        let blocked = goal.targets.iter().map(|target| {
            asked.load(target);
            frames.highest(asked)
        });
        let blocked = blocked.min().unwrap_or(0);
        if blocked < FOREVER {
            goal.level = goal.level.max(blocked + 1);
        }
    }

    /// Drops goals that need no claim any more.
    pub(crate) fn settled(&mut self, settled: &[Goal]) {
        let is_settled = |g: &usize| settled.binary_search(&self.goals[*g].goal).is_ok();
        let known: Vec<usize> = (0..self.goals.len()).filter(is_settled).collect();
        self.safe.retain(|safe| known.binary_search(safe).is_err());
        for goal in known {
            let under_way =
                self.goals[goal].is_open && goal == self.current && matches!(self.phase, Phase::Block | Phase::Push);
            self.goals[goal].is_open = false;
            if under_way {
                self.close(goal);
            }
        }
    }

    fn close(&mut self, goal: usize) {
        self.goals[goal].is_open = false;
        self.current = goal + 1;
        self.phase = Phase::Choose;
        self.obligations.clear();
    }

    fn begin_level(&mut self) {
        let goal = &self.goals[self.current];
        debug_assert!(goal.is_open && (1..FOREVER).contains(&goal.level));
        self.top = goal.level;
        self.obligations.clear();
        for (number, target) in (0u32..).zip(&goal.targets) {
            self.obligations.target(target.clone(), number, goal.level);
        }
        self.phase = Phase::Block;
    }

    /// True if every target of the goal is blocked forever.
    fn is_safe(&mut self, net: Net<'_>, goal: usize) -> bool {
        let Self { asked, frames, bounds, goals, .. } = self;
        goals[goal].targets.iter().all(|target| {
            asked.load(target);
            is_blocked(net, bounds, frames, asked, FOREVER)
        })
    }

    fn block_one(&mut self, net: Net<'_>, task: &NetTask, invariants: &Invariants, budget: &mut Budget) -> Progress {
        let Some((node, level)) = self.obligations.pop() else {
            if self.pushed.0 == self.learnt && self.top <= self.pushed.1 {
                self.next_level();
            } else {
                self.start_pushing(net);
                self.phase = Phase::Push;
            }
            return Progress::Working;
        };
        if self.slice == 0 {
            self.leave();
            return Progress::Working;
        }
        self.handled += 1;
        self.of_goal += 1;
        if self.ask_for_bound(net, invariants, node, budget) {
            self.settle();
            return Progress::Working;
        }
        match self.block(net, node, level, self.top) {
            Ok(Blocked::Working) => Progress::Working,
            Ok(Blocked::Reached(node)) => self.reached(net, task, node, budget),
            Err(_) => {
                self.close(self.current);
                Progress::Working
            }
        }
    }

    /// Ends the goal's turn, because its work units are used up.
    fn leave(&mut self) {
        self.obligations.clear();
        self.current += 1;
        self.phase = Phase::Choose;
    }

    /// Occasionally queries for a linear bound: first one that excludes a target, later one that excludes the
    /// obligation. Returns true if the bound settles the goal.
    fn ask_for_bound(&mut self, net: Net<'_>, invariants: &Invariants, node: u32, budget: &mut Budget) -> bool {
        if self.of_goal < FIRST_QUESTION || self.bounds.len() >= BOUNDS {
            return false;
        }
        let vector = if self.of_goal == FIRST_QUESTION {
            let (_, target) = self.obligations.path(node);
            &self.goals[self.current].targets[target as usize]
        } else {
            self.linear.wait = self.linear.wait.saturating_sub(1);
            if self.linear.wait > 0 {
                return false;
            }
            self.linear.wait = self.linear.interval;
            &self.obligations.node(node).vector
        };
        self.asked.load(vector);
        if is_blocked(net, &self.bounds, &self.frames, &self.asked, FOREVER) {
            return false;
        }
        let vector: Vec<(u32, u64)> = vector.iter().map(|&(p, n)| (p, u64::from(n))).collect();
        // The query may cost more than what is left of this turn, but no more than a share of all work so far.
        let work = ALLOWANCE + self.spent / 4;
        let mut own = Budget::new(work, std::sync::Arc::clone(&budget.stop));
        let found =
            invariants.refute(&vector, &mut own).is_some_and(|bound| self.bounds.add(net.rules.places(), bound));
        budget.spend(own.spent_of(work));
        if !found {
            self.linear.interval = self.linear.interval.saturating_mul(2);
        }
        found && self.is_safe(net, self.current)
    }

    fn reached(&mut self, net: Net<'_>, task: &NetTask, node: u32, budget: &mut Budget) -> Progress {
        let (steps, target) = self.obligations.path(node);
        let asked = &self.goals[self.current];
        let formula = task.formula(asked.goal).expect("covering goals have formulas");
        let first = &self.obligations.node(node).vector;
        let (trace, firings) = trace::run(net, formula, first, &steps, &asked.cubes[target as usize]);
        debug_assert!(trace.is_some() || !net.rules.monotone || steps.len() > 1000, "chains of monotone nets are runs");
        budget.spend(firings);
        let goal = asked.goal;
        self.close(self.current);
        trace.map_or(Progress::Working, |trace| Progress::Claim(Claim::Unsafe { goal, trace, candidate: false }))
    }

    fn push(&mut self, net: Net<'_>) -> Progress {
        if self.push_one(net, self.top) {
            return Progress::Working;
        }
        self.pushed = (self.learnt, self.top);
        if self.is_safe(net, self.current) {
            self.settle();
            return Progress::Working;
        }
        self.next_level();
        Progress::Working
    }

    fn next_level(&mut self) {
        self.goals[self.current].level = self.top + 1;
        if self.slice == 0 {
            self.leave();
        } else {
            self.begin_level();
        }
    }

    /// Claims all goals that are known to be safe.
    fn claim_safe(&mut self, net: Net<'_>, invariants: &Invariants) -> Option<Claim> {
        let safe = std::mem::take(&mut self.safe);
        if safe.is_empty() {
            return None;
        }
        let asked = std::mem::take(&mut self.goals);
        let targets = safe.iter().flat_map(|&g| asked[g].targets.iter().map(|t| &**t));
        let found = self.certify(net, targets);
        let goals: Vec<Goal> = safe.iter().map(|&g| asked[g].goal).collect();
        self.goals = asked;
        let invariants = std::iter::once(invariants.potentially_marked()).chain(found?).collect();
        let exclusions = goals.iter().map(|goal| (*goal, Exclusion::Minimal)).collect();
        let certificate = Certificate::Invariant(Box::new(InvariantCertificate { invariants, exclusions }));
        Some(Claim::Safe { goals, certificate })
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = Stats { states: self.handled, ..Stats::default() };
        stats.more.insert("vectors", self.learnt);
        stats.more.insert("frames", u64::from(self.goals.iter().map(|g| g.level).max().unwrap_or(0)));
        stats.more.insert("queries", self.frames.queries());
        stats
    }

    /// Checks lemmas and obligations.
    ///
    /// # Panics
    ///
    /// Panics if a lemma is listed twice or excludes an initial marking, or if an obligation does not lead to a
    /// target.
    pub(crate) fn check(&self, net: Net<'_>) {
        if !cfg!(any(test, feature = "invariants")) {
            return;
        }
        self.frames.check_invariants();
        self.obligations.check(self.top);
        for (id, _) in self.frames.ids() {
            let vector = &self.frames.lemma(id).vector;
            assert!(!net.shape.start.meets(vector), "{vector:?} is covered at the start");
        }
        let are_closed = self.safe.iter().all(|&goal| !self.goals[goal].is_open);
        assert!(are_closed, "what is safe is not worked on");
    }
}

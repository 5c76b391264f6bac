//! The theory of transition systems: it explores states by splitting on demand, inside a CDCL search.
//!
//! ```
//! use impasse_ts::{Options, TsTheory};
//! use model::{Goal, QuestionForm, System};
//! use sat::{Limits, SolveResult, Solver};
//! use search::{Exploration, Generic};
//! use std::sync::Arc;
//!
//! /// A sale takes two of five items. In the end one item is left.
//! #[derive(Debug)]
//! struct Sales;
//!
//! impl System for Sales {
//!     fn sizes(&self) -> Vec<u64> {
//!         vec![6]
//!     }
//!     fn initial(&self, sink: &mut dyn FnMut(&[u32])) {
//!         sink(&[5]);
//!     }
//!     fn successors(&self, state: &[u32], sink: &mut dyn FnMut(u32, &[u32])) {
//!         if state[0] >= 2 {
//!             sink(0, &[state[0] - 2]);
//!         }
//!     }
//!     fn predicates(&self) -> Vec<(String, QuestionForm)> {
//!         Vec::new()
//!     }
//!     fn holds(&self, _: usize, _: &[u32]) -> bool {
//!         false
//!     }
//!     fn asks_deadlock(&self) -> bool {
//!         true
//!     }
//! }
//!
//! let exploration = Exploration::new(Generic::new(Arc::new(Sales)));
//! let mut solver = Solver::new(sat::Options::default());
//! let mut theory = TsTheory::new(exploration, &[Goal::Deadlock], Options::default(), &mut solver);
//! theory.begin_turn(u64::MAX, Default::default());
//! let within = !theory.cut();
//! let answer = solver.solve_with(&mut theory, &[within], &Limits::default());
//! assert_eq!(answer, SolveResult::Stopped, "the theory stops the solver when it finds a goal state");
//! let (goal, state) = theory.take_found().unwrap();
//! assert_eq!(goal, Goal::Deadlock);
//! assert_eq!(theory.exploration().trace_to(state).unwrap().len(), Some(2));
//! ```
//!
//! The theory follows Katz, Barrett and Harel 2015 (section III). The literal V(q) says that *the violating run
//! that is searched for visits the state q*. Take any violating run, and read the literals as statements about
//! it: then every clause emitted here is true. So a refutation proves that there is no violating run. There are
//! five kinds of statements ([`ClauseForm`]):
//!
//! * root: the run visits an initial state (or a state beyond the bound), and it ends in exactly one goal;
//! * goal: if the run visits a state of a goal, it ends in this goal;
//! * exit: a run that visits an expanded set of states leaves it through one of the set's exits;
//! * member: a run that visits a state or a smaller set visits every set that contains it;
//! * settled: the run does not end in a goal that is already answered.
//!
//! A set is a single state, a *region* or a *component*. A region is a batch of states expanded at once,
//! because a split for each state is slow. A component is a set of states with true literals in which the
//! search would run in a cycle. Its exit clause corresponds to a loop formula for an unfounded set in
//! answer-set programming. States, regions and components use the same mechanism: a literal for the set, an
//! exit clause, and member clauses.
//!
//! Runs end in goal states, so the caller must provide a system in which goal states have no successors. In
//! behavioral programs, goal states have none. A search for one goal of a net removes the successors of the
//! goal states. This is correct because a shortest violating run ends in its first goal state. Several goals
//! may share a search only if no state of any of them has a successor.
//!
//! If the exploration reaches a goal state from an initial state, the search ends at once, whatever the
//! assignment is. The run to this state is a run of the system, and the caller replays it.
//!
//! [`TsTheory`] is the theory. [`ClauseForm`] lists its clauses, and [`Named`] is the meaning of a variable.

mod expand;
mod loops;
mod open;
mod sets;
#[cfg(test)]
mod tests;

use model::{Goal, Stop};
use open::Open;
use sat::{Ctx, DecidedBy, Lit, Solver, Tag, Theory};
use search::{Exploration, StateId, Stepper};
use sets::{Meaning, Place, SetKind, Sets};
use std::collections::VecDeque;
use std::sync::Arc;

/// The kinds of clauses of this theory. The host (the CDCL solver) writes [`ClauseForm::tag`] as the lemma tag
/// into the proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClauseForm {
    /// The run visits one of the initial states q0: `V(q0) or V(q0') ..`.
    Initial,
    /// The run ends in at least one of the goals of this search.
    SomeGoal,
    /// The run does not end in both of two given goals.
    OneGoal,
    /// The run does not end in this goal: the goal is not part of the search, or it is settled.
    NotClaimed,
    /// `not V(q) or Ends(g)` for a state q of goal g.
    GoalState,
    /// `not V(q) or Set` for a state q in the set; `not Set or Larger` for a set that is part of a larger set.
    Member,
    /// `not Set or exits`.
    Exit,
}

impl ClauseForm {
    /// All kinds of clauses, in the order of their tags.
    pub const ALL: [ClauseForm; 7] = [
        ClauseForm::Initial,
        ClauseForm::SomeGoal,
        ClauseForm::OneGoal,
        ClauseForm::NotClaimed,
        ClauseForm::GoalState,
        ClauseForm::Member,
        ClauseForm::Exit,
    ];

    /// The tag of this kind of clause. Tags from [`ClauseForm::ALL`]`.len()` on are free for other uses.
    #[must_use]
    pub fn tag(self) -> Tag {
        Tag(self as u32)
    }
}

/// Options of the exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// States expanded in one split. `None`: adaptive, doubling as long as patterns emit no lemmas. 1 is the
    /// pure calculus.
    pub batch: Option<usize>,
    /// True if the theory stops the host as soon as a number exceeds its representation. Set by callers that
    /// can restart with a wider representation.
    pub stop_at_overflow: bool,
    /// True if the initial states are left out because there are too many of them. All of them then count as
    /// beyond the bound: the theory explores no state, but lemmas can still contradict each other.
    pub no_initial: bool,
}

/// The largest adaptive batch: large enough that the cost of splits is negligible, small enough that turns end
/// on time.
const BATCH_MAX: usize = 1 << 16;
/// Upper bound on state numbers and exit numbers. They have 31 bits, because the 32nd bit is a tag. A search
/// that needs more numbers counts as out of memory.
const IDS_MAX: usize = 1 << 31;
/// Number of expansions after which a running batch checks the stop flag.
const POLL: usize = 1 << 10;

/// The theory for one system. Create it with [`TsTheory::new`], pass it to the host (or to a wrapping theory),
/// and call [`TsTheory::take_found`] when the host stops.
pub struct TsTheory<S: Stepper> {
    exploration: Exploration<S>,
    sets: Sets,
    open: Open,
    options: Options,
    batch: usize,
    work: u64,
    /// Minimum cost of an expansion, in work units.
    each: u64,
    stop: Arc<Stop>,
    goals: Vec<AskedGoal>,
    /// The literal that the run visits a state beyond the bound. It is an exit of every set that had a
    /// successor cut off.
    cut: Lit,
    /// True if a successor was cut off because a number exceeded its representation.
    overflowed: bool,
    /// Goal states to which a run from an initial state leads, and that `take_found` has not returned yet.
    found: VecDeque<(Goal, StateId)>,
    /// True if a lemma has named a state that the exploration had not met.
    any_unreached: bool,
    /// Goal states to which no run was known when the exploration met them, each with its goal. A lemma named
    /// each of them, or a state that leads to it, before the exploration met that state. The goals were
    /// unsettled when the states were met.
    unreached: Vec<(Goal, StateId)>,
    /// States with a literal that has become true. The states before index `entered` are processed. `levels`
    /// stores the length of `true_states` and the value of `entered` at the beginning of each decision level.
    true_states: Vec<StateId>,
    entered: usize,
    levels: Vec<(usize, usize)>,
    /// States expanded since the last call of [`TsTheory::drain_visited`]; `None` if they are not recorded.
    visited: Option<Vec<StateId>>,
    counts: Counts,
    scratch: Vec<Lit>,
}

/// Counters of the exploration, for statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Number of splits, that is, of expanded sets (states or regions).
    pub splits: u64,
    /// Number of components closed in the final check.
    pub components: u64,
    /// Number of literals in all emitted clauses.
    pub literals: u64,
}

/// A goal of this search.
#[derive(Clone, Copy)]
struct AskedGoal {
    goal: Goal,
    /// The literal `Ends(goal)`.
    ends: Lit,
    /// True if the goal is not settled yet.
    wanted: bool,
}

impl<S: Stepper> TsTheory<S> {
    /// Sets up the search in `solver`: literals for the goals in `asked` (distinct goals) and for the initial
    /// states, and the root clauses. States of other goals are treated like ordinary states.
    ///
    /// # Panics
    /// If `exploration` is not empty.
    pub fn new(mut exploration: Exploration<S>, asked: &[Goal], options: Options, solver: &mut Solver) -> Self {
        assert!(exploration.is_empty(), "the theory adds the initial states itself");
        let initial = if options.no_initial { Vec::new() } else { exploration.add_initial() };
        let initial_is_cut = options.no_initial || exploration.initial_is_cut();
        let mut new_lit = || solver.new_var(DecidedBy::Theory).positive();
        let goals: Vec<AskedGoal> =
            asked.iter().map(|&goal| AskedGoal { goal, ends: new_lit(), wanted: true }).collect();
        let cut = new_lit();
        let mut sets = Sets::default();
        let mut root = Vec::with_capacity(initial.len());
        for q in initial {
            let lit = new_lit();
            sets.name_state(q, lit);
            root.push(lit);
        }
        let before = sets.add_set(SetKind::Root, new_lit(), &root, initial_is_cut);
        let mut open = Open::default();
        open.enter(before, &sets);
        if initial_is_cut {
            root.push(cut);
        }
        let mut counts = Counts::default();
        let mut add = |shape: ClauseForm, clause: &[Lit]| {
            counts.literals += clause.len() as u64;
            solver.add_clause(shape.tag(), clause);
        };
        add(ClauseForm::Initial, &root);
        add(ClauseForm::SomeGoal, &goals.iter().map(|g| g.ends).collect::<Vec<_>>());
        for (i, later) in goals.iter().enumerate() {
            goals[..i].iter().for_each(|earlier| add(ClauseForm::OneGoal, &[!earlier.ends, !later.ends]));
        }
        let batch = options.batch.unwrap_or(1).max(1);
        let each = exploration.looking().saturating_add(1);
        Self {
            exploration,
            sets,
            open,
            options,
            batch,
            work: 0,
            each,
            stop: Arc::new(Stop::default()),
            goals,
            cut,
            overflowed: false,
            found: VecDeque::new(),
            any_unreached: false,
            unreached: Vec::new(),
            true_states: Vec::new(),
            entered: 0,
            levels: Vec::new(),
            visited: None,
            counts,
            scratch: Vec::new(),
        }
    }

    /// Allows about `work` more units before the theory stops the host. A unit is about the cost of one
    /// expansion. `stop` can end the turn earlier.
    pub fn begin_turn(&mut self, work: u64, stop: Arc<Stop>) {
        self.work = work;
        self.stop = stop;
    }

    /// Work units left in this turn.
    #[must_use]
    pub fn work_left(&self) -> u64 {
        self.work
    }

    /// Takes a goal state that stopped the host, if its goal is not settled.
    pub fn take_found(&mut self) -> Option<(Goal, StateId)> {
        loop {
            let found = self.found.pop_front()?;
            if self.is_wanted(found.0) {
                return Some(found);
            }
        }
    }

    /// Settles `goal`, which is answered. The search continues for runs that end in other goals.
    pub fn settle(&mut self, goal: Goal, solver: &mut Solver) {
        let asked = self.goals.iter_mut().find(|g| g.goal == goal && g.wanted);
        if let Some(asked) = asked {
            asked.wanted = false;
            solver.add_clause(ClauseForm::NotClaimed.tag(), &[!asked.ends]);
        }
    }

    /// The goals that are not settled.
    pub fn wanted(&self) -> impl Iterator<Item = Goal> + '_ {
        self.goals.iter().filter(|g| g.wanted).map(|g| g.goal)
    }

    fn is_wanted(&self, goal: Goal) -> bool {
        self.goals.iter().any(|g| g.goal == goal && g.wanted)
    }

    /// The literal `Ends(goal)`.
    ///
    /// # Panics
    /// If `goal` is not a goal of this search.
    #[must_use]
    pub fn ends(&self, goal: Goal) -> Lit {
        self.goals.iter().find(|g| g.goal == goal).expect("only asked goals have literals").ends
    }

    /// The literal that the run visits a state beyond the bound. Searches assume its negation.
    #[must_use]
    pub fn cut(&self) -> Lit {
        self.cut
    }

    /// True if a successor was cut off because a number exceeded its representation
    /// ([`model::ExpansionKind::Overflow`]).
    #[must_use]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// True if a number exceeded its representation and the caller has a wider one.
    fn is_outgrown(&self) -> bool {
        self.overflowed && self.options.stop_at_overflow
    }

    /// The explored system.
    pub fn exploration(&mut self) -> &mut Exploration<S> {
        &mut self.exploration
    }

    /// The explored system, for counts.
    #[must_use]
    pub fn explored(&self) -> &Exploration<S> {
        &self.exploration
    }

    /// Returns the explored system, as evidence. Consumes the theory.
    #[must_use]
    pub fn into_exploration(self) -> Exploration<S> {
        self.exploration
    }

    /// True if every state met so far was expanded and none of them is a state of an unsettled goal. Then the
    /// states are closed under successors and are evidence for `safe`.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        debug_assert!(self.sets.placed() <= self.exploration.len(), "a state is placed once");
        let met_a_goal = self.unreached.iter().any(|&(goal, _)| self.is_wanted(goal));
        self.sets.placed() == self.exploration.len() && !met_a_goal
    }

    /// The counters so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Number of slots in a state.
    #[must_use]
    pub fn width(&self) -> usize {
        self.exploration.width()
    }

    /// Subtracts `units` from the turn's allowance, for work done by the caller.
    pub fn spend(&mut self, units: u64) {
        self.work = self.work.saturating_sub(units);
    }

    /// Starts recording the states that are expanded.
    pub fn record_visited(&mut self) {
        self.visited.get_or_insert_with(Vec::new);
    }

    /// Takes the states expanded since the last call.
    pub fn drain_visited(&mut self) -> Vec<StateId> {
        self.visited.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Resets the batch to its first size (one state if adaptive). Called when a pattern has emitted a lemma,
    /// because patterns must then see the next states one by one.
    pub fn patterns_spoke(&mut self) {
        self.batch = self.options.batch.unwrap_or(1).max(1);
    }

    /// The literal V(q) of a state q that a lemma names.
    pub fn visits(&mut self, state: &[u32], ctx: &mut Ctx<'_>) -> Lit {
        debug_assert_eq!(state.len(), self.exploration.width(), "a state has a number in each slot");
        let (q, new) = self.exploration.intern(state);
        if new {
            self.sets.set_unreached(q, true);
            self.any_unreached = true;
        }
        self.literal(q, ctx)
    }

    /// The meaning of a variable of this theory, for proofs; `None` for other variables and for `cut`.
    pub fn meaning(&self, lit: Lit) -> Option<Named> {
        if let Some(asked) = self.goals.iter().find(|g| g.ends.var() == lit.var()) {
            return Some(Named::Ends(asked.goal));
        }
        match self.sets.meaning(lit.var())? {
            Meaning::State(q) => Some(Named::Visits(q)),
            Meaning::Set(set) => Some(Named::Set(set.index())),
        }
    }

    /// Returns one entry for each set, at the set's number in [`Named::Set`]: the set's listed states, and the
    /// numbers of its parts, which are always smaller than its own number. The literal of a set with a single
    /// state is that state's V(q). Such a set has an empty entry, and larger sets list its state instead of its
    /// number. Cost: `O(states)`.
    #[must_use]
    pub fn set_contents(&self) -> Vec<(Vec<StateId>, Vec<usize>)> {
        self.sets.contents()
    }

    /// The literal V(q), created on first use. If q is in a region, also emits the member clause that a run
    /// that visits q visits the region.
    fn literal(&mut self, q: StateId, ctx: &mut Ctx<'_>) -> Lit {
        if let Some(lit) = self.sets.state_literal(q) {
            return lit;
        }
        let lit = ctx.new_lit(DecidedBy::Theory);
        self.sets.name_state(q, lit);
        if let Place::In(set) = self.sets.place(q) {
            let set_lit = self.sets.literal(set);
            self.emit(ClauseForm::Member, &[!lit, set_lit], ctx);
        }
        lit
    }

    /// Checks the goal states in `unreached` again: those to which a run is known now move to `found`. Returns
    /// true if `found` then has a state of an unsettled goal.
    fn find_unreached(&mut self) -> bool {
        let exploration = &self.exploration;
        let found = self.unreached.extract_if(.., |&mut (_, b)| exploration.is_reached(b));
        self.found.extend(found);
        self.found.iter().any(|&(goal, _)| self.is_wanted(goal))
    }

    fn emit(&mut self, shape: ClauseForm, clause: &[Lit], ctx: &mut Ctx<'_>) {
        self.counts.literals += clause.len() as u64;
        ctx.lemma(shape.tag(), clause);
    }
}

/// The meaning of a variable: a statement about the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// The run visits this state.
    Visits(StateId),
    /// The run visits a state of this set.
    Set(usize),
    /// The run ends in this goal.
    Ends(Goal),
}

impl<S: Stepper> Theory for TsTheory<S> {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        self.note(new);
        self.advance(ctx);
    }

    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        if self.entered < self.true_states.len() {
            // The last turn had too little work for these states, so they are still unexpanded.
            return self.advance(ctx);
        }
        if self.find_unreached() {
            return ctx.stop();
        }
        if self.close_components(ctx) {
            return;
        }
        // No set is unfounded, so the true literals lead to a goal state. A run from an initial state may lead
        // there although no such run is recorded, so the recorded runs are computed again. If there is no such
        // run, the assignment must not count as a model.
        if !self.unreached.is_empty() {
            self.exploration.reparent();
        }
        if self.find_unreached() { ctx.stop() } else { ctx.incomplete() }
    }

    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        self.open.next_exit(&self.sets, ctx)
    }

    fn explain(&mut self, lit: Lit, _why: &mut Vec<Lit>) -> Tag {
        unreachable!("this theory deduces through clauses only and never implied {lit:?}")
    }

    fn push_level(&mut self) {
        self.open.push_level();
        self.levels.push((self.true_states.len(), self.entered));
    }

    fn pop_levels(&mut self, n: usize) {
        self.open.pop_levels(n);
        let level = self.levels.len() - n;
        let (length, entered) = self.levels[level];
        debug_assert!(entered <= length && length <= self.true_states.len(), "a level ends after it began");
        self.levels.truncate(level);
        self.true_states.truncate(length);
        self.entered = entered;
    }
}

/// The two parts of `propagate`, for a wrapping theory that must act between them.
impl<S: Stepper> TsTheory<S> {
    /// Records literals that became true. Expands no state.
    pub fn note(&mut self, new: &[Lit]) {
        for &lit in new.iter().filter(|lit| lit.is_positive()) {
            match self.sets.meaning(lit.var()) {
                Some(Meaning::State(q)) => self.true_states.push(q),
                Some(Meaning::Set(set)) if self.sets.kind(set) == SetKind::Region => self.open.enter(set, &self.sets),
                Some(Meaning::Set(_)) | None => {}
            }
        }
    }

    /// Expands the states recorded so far. Stops the host when a goal state is found or the turn is over.
    /// States that the turn had no work for stay recorded.
    pub fn advance(&mut self, ctx: &mut Ctx<'_>) {
        while let Some(&q) = self.true_states.get(self.entered).filter(|_| self.work > 0) {
            self.entered += 1;
            match self.sets.place(q) {
                Place::Unexpanded => self.expand_from(q, ctx),
                Place::In(set) if self.sets.kind(set) == SetKind::State => self.open.enter(set, &self.sets),
                Place::In(_) | Place::Goal => {}
            }
        }
        self.stop_if_due(ctx);
    }

    /// Stops the host if a goal state is found, the turn is over, or a number exceeded a representation that
    /// the caller can widen.
    pub fn stop_if_due(&self, ctx: &mut Ctx<'_>) {
        if !self.found.is_empty() || self.is_outgrown() || self.work == 0 || self.stop.raised().is_some() {
            ctx.stop();
        }
    }
}

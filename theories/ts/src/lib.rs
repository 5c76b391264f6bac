//! The theory of transition systems: states explored by splitting on demand, inside a CDCL search.
//!
//! After Katz, Barrett, Harel 2015 (section III), where V(q) says that *the violating run we look for passes through
//! q*. Fix any violating run; then every clause emitted here is true of it, so a refutation proves that there is
//! none. Five clause shapes ([`Shape`]) are all there is:
//!
//! * root: some initial state is on the run (or one beyond the bound), and the run ends in one goal;
//! * goal: a goal state on the run means that the run ends in that goal;
//! * exit: a run that visits an expanded set of states leaves it over one of the set's exits;
//! * member: visiting a state (a smaller set) is visiting the set;
//! * settled: runs that end in a goal already answered are not looked for any more.
//!
//! A set is a single state, a *region* (a batch expanded at once, because a split per state is slow) or a *component*
//! (states in whose true literals the search would run round for ever; as loop formulas for unfounded sets in
//! answer-set programming). One mechanism serves all three: a literal for the set, an exit clause, member clauses.
//!
//! Goal states end runs: the host hands in a system in which they have no successors. Behavioral programs are so; a
//! search for one goal of a net makes its own net so, since a shortest run ends in its first goal state. Several
//! goals may share a search only if all of them are terminal.
//!
//! A goal state that the exploration reaches from an initial state ends the search at once, whatever the assignment:
//! its run is real, and the caller has it replayed.

mod expand;
mod loops;
mod open;
mod sets;
#[cfg(test)]
mod tests;

use model::{Goal, Stop};
use open::Open;
use sat::{Ctx, DecidedBy, Lit, Solver, Tag, Theory};
use sets::{Meaning, Place, SetKind, Sets};
use std::collections::VecDeque;
use std::sync::Arc;
use store::{Exploration, StateId, Step};

/// The shapes of this theory's clauses; [`Shape::tag`] is the lemma tag the host hands to the proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// V(q0) or a set with q0, over all initial states q0.
    Initial,
    /// The run ends in one of the asked goals.
    SomeGoal,
    /// The run does not end in two goals.
    OneGoal,
    /// The run does not end in this goal: it is not asked for, or settled.
    NotClaimed,
    /// `not V(q) or Ends(g)` for a state q of goal g.
    GoalState,
    /// `not V(q) or Set` for q in the set, `not Set or Larger` for a part of a larger one.
    Member,
    /// `not Set or exits`.
    Exit,
}

impl Shape {
    /// All shapes, in the order of their tags.
    pub const ALL: [Shape; 7] = [
        Shape::Initial,
        Shape::SomeGoal,
        Shape::OneGoal,
        Shape::NotClaimed,
        Shape::GoalState,
        Shape::Member,
        Shape::Exit,
    ];

    /// The tag of this shape. Tags from [`Shape::ALL`]`.len()` on are free for others.
    #[must_use]
    pub fn tag(self) -> Tag {
        Tag(self as u32)
    }
}

/// How the theory explores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// States expanded per split; `None`: adapts, doubling while patterns are silent. 1 is the pure calculus.
    pub batch: Option<usize>,
    /// Stop the host as soon as a number has outgrown its representation: the caller has a wider one.
    pub stop_at_overflow: bool,
    /// Leave the initial states out, because there are too many: all of them are beyond the bound. Then nothing can be
    /// explored, but lemmas can still contradict each other.
    pub no_initial: bool,
}

/// The largest adaptive batch. Large enough that splits cost nothing, small enough that turns end when they should.
const BATCH_MAX: usize = 1 << 16;
/// States and exits are numbered within 31 bits (a tag bit says which); a larger search is out of memory.
const IDS_MAX: usize = 1 << 31;
/// How often a running batch looks at the stop flag, in expansions.
const POLL: usize = 1 << 10;

/// The theory over one system. Create it with [`TsTheory::new`], hand it to the host (or to a wrapping theory), read
/// [`TsTheory::take_found`] when the host stopped.
pub struct TsTheory<S: Step> {
    exploration: Exploration<S>,
    sets: Sets,
    open: Open,
    options: Options,
    batch: usize,
    work: u64,
    /// What an expansion takes at least, in work units.
    each: u64,
    stop: Arc<Stop>,
    goals: Vec<AskedGoal>,
    /// "Something beyond the bound": an exit of every set that had a successor cut off.
    cut: Lit,
    /// Was anything cut off because a number outgrew its representation?
    overflowed: bool,
    /// Goal states that a run from an initial state leads to, not yet taken.
    found: VecDeque<(Goal, StateId)>,
    /// Did a lemma ever name a state that was not known?
    any_unreached: bool,
    /// Goal states that were looked for when they were met, and that no run was known to lead to: below a state that a
    /// lemma named.
    unreached: Vec<(Goal, StateId)>,
    /// States whose literals have become true, those before `entered` already dealt with; a pair of lengths per level.
    true_states: Vec<StateId>,
    entered: usize,
    levels: Vec<(usize, usize)>,
    /// States expanded since the last call of [`TsTheory::drain_visited`], if anybody listens.
    visited: Option<Vec<StateId>>,
    counts: Counts,
    scratch: Vec<Lit>,
}

/// What the exploration did, for statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Sets expanded (states or regions), that is, splits.
    pub splits: u64,
    /// Components closed in the final check.
    pub components: u64,
    /// Literals of all clauses emitted.
    pub literals: u64,
}

/// A goal that runs may end in, as far as this search is concerned.
#[derive(Clone, Copy)]
struct AskedGoal {
    goal: Goal,
    /// `Ends(goal)`.
    ends: Lit,
    /// Is it still looked for?
    wanted: bool,
}

impl<S: Step> TsTheory<S> {
    /// Sets the search up in `solver`: literals for the asked goals (each once) and initial states, and the root
    /// clauses. States of goals that are not asked are like any other.
    ///
    /// # Panics
    /// If `exploration` has begun already.
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
        let mut add = |shape: Shape, clause: &[Lit]| {
            counts.literals += clause.len() as u64;
            solver.add_clause(shape.tag(), clause);
        };
        add(Shape::Initial, &root);
        add(Shape::SomeGoal, &goals.iter().map(|g| g.ends).collect::<Vec<_>>());
        for (i, later) in goals.iter().enumerate() {
            goals[..i].iter().for_each(|earlier| add(Shape::OneGoal, &[!earlier.ends, !later.ends]));
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

    /// Allows about `work` more units, an expansion or what takes as long, before the theory stops the host; `stop`
    /// ends them earlier.
    pub fn begin_turn(&mut self, work: u64, stop: Arc<Stop>) {
        self.work = work;
        self.stop = stop;
    }

    /// What is left of the turn's allowance.
    #[must_use]
    pub fn work_left(&self) -> u64 {
        self.work
    }

    /// A goal state that stopped the host, if one did and its goal is still looked for.
    pub fn take_found(&mut self) -> Option<(Goal, StateId)> {
        loop {
            let found = self.found.pop_front()?;
            if self.is_wanted(found.0) {
                return Some(found);
            }
        }
    }

    /// `goal` is answered: look for runs that end otherwise.
    pub fn settle(&mut self, goal: Goal, solver: &mut Solver) {
        let asked = self.goals.iter_mut().find(|g| g.goal == goal && g.wanted);
        if let Some(asked) = asked {
            asked.wanted = false;
            solver.add_clause(Shape::NotClaimed.tag(), &[!asked.ends]);
        }
    }

    /// Goals still looked for.
    pub fn wanted(&self) -> impl Iterator<Item = Goal> + '_ {
        self.goals.iter().filter(|g| g.wanted).map(|g| g.goal)
    }

    fn is_wanted(&self, goal: Goal) -> bool {
        self.goals.iter().any(|g| g.goal == goal && g.wanted)
    }

    /// The literal `Ends(goal)`.
    ///
    /// # Panics
    /// If the search was not asked about `goal`.
    #[must_use]
    pub fn ends(&self, goal: Goal) -> Lit {
        self.goals.iter().find(|g| g.goal == goal).expect("only asked goals have literals").ends
    }

    /// The literal that something beyond the bound is used; searches assume its negation.
    #[must_use]
    pub fn cut(&self) -> Lit {
        self.cut
    }

    /// Was anything cut off because a number outgrew its representation ([`model::Kind::Overflow`])?
    #[must_use]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Has a number outgrown what the caller is going to widen?
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

    /// Gives the explored system away (as evidence); the theory is of no further use.
    #[must_use]
    pub fn into_exploration(self) -> Exploration<S> {
        self.exploration
    }

    /// Was every state met so far expanded, and is none of them a goal that is looked for? Then together they are
    /// closed under successors and evidence for `safe`.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        let met_a_goal = self.unreached.iter().any(|&(goal, _)| self.is_wanted(goal));
        self.sets.placed() == self.exploration.len() && !met_a_goal
    }

    /// The counts so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Slots per state.
    #[must_use]
    pub fn width(&self) -> usize {
        self.exploration.width()
    }

    /// Takes `units` from the turn's allowance for work that others did.
    pub fn spend(&mut self, units: u64) {
        self.work = self.work.saturating_sub(units);
    }

    /// Starts to record the states that are expanded.
    pub fn record_visited(&mut self) {
        self.visited.get_or_insert_with(Vec::new);
    }

    /// Takes the states expanded since the last call.
    pub fn drain_visited(&mut self) -> Vec<StateId> {
        self.visited.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// A pattern had something to say: look at it state by state again.
    pub fn patterns_spoke(&mut self) {
        self.batch = self.options.batch.unwrap_or(1).max(1);
    }

    /// The literal V(q) of a state that a lemma names.
    pub fn visits(&mut self, state: &[u32], ctx: &mut Ctx<'_>) -> Lit {
        let (q, new) = self.exploration.intern(state);
        if new {
            self.sets.set_unreached(q, true);
            self.any_unreached = true;
        }
        self.literal(q, ctx)
    }

    /// What the theory's variables and sets mean, for proofs.
    pub fn meaning(&self, lit: Lit) -> Option<Named> {
        if let Some(asked) = self.goals.iter().find(|g| g.ends.var() == lit.var()) {
            return Some(Named::Ends(asked.goal));
        }
        match self.sets.meaning(lit.var())? {
            Meaning::State(q) => Some(Named::Visits(q)),
            Meaning::Set(set) => Some(Named::Set(set.index())),
        }
    }

    /// The sets that have a literal of their own, by [`Named::Set`] number: listed states, and numbers of parts (always
    /// smaller). Sets that are one state (named by V) are left empty and are nobody's part. `O(states)`.
    #[must_use]
    pub fn set_contents(&self) -> Vec<(Vec<StateId>, Vec<usize>)> {
        self.sets.contents()
    }

    /// V(q), created on first use. If q lies in a region, being in q is being in the region.
    fn literal(&mut self, q: StateId, ctx: &mut Ctx<'_>) -> Lit {
        if let Some(lit) = self.sets.state_literal(q) {
            return lit;
        }
        let lit = ctx.new_lit(DecidedBy::Theory);
        self.sets.name_state(q, lit);
        if let Place::In(set) = self.sets.place(q) {
            let set_lit = self.sets.literal(set);
            self.emit(Shape::Member, &[!lit, set_lit], ctx);
        }
        lit
    }

    /// Looks again at goal states that nothing led to when they were met; true if now a run leads to one of them.
    fn find_unreached(&mut self) -> bool {
        let exploration = &self.exploration;
        let found = self.unreached.extract_if(.., |&mut (_, b)| exploration.is_reached(b));
        self.found.extend(found);
        self.found.iter().any(|&(goal, _)| self.is_wanted(goal))
    }

    fn emit(&mut self, shape: Shape, clause: &[Lit], ctx: &mut Ctx<'_>) {
        self.counts.literals += clause.len() as u64;
        ctx.lemma(shape.tag(), clause);
    }
}

/// What a variable of this theory says about the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// It visits this state.
    Visits(StateId),
    /// It visits a state of this set.
    Set(usize),
    /// It ends in this goal.
    Ends(Goal),
}

impl<S: Step> Theory for TsTheory<S> {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        self.note(new);
        self.advance(ctx);
    }

    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        if self.entered < self.true_states.len() {
            // A turn did not suffice for them: they are open still.
            return self.advance(ctx);
        }
        if self.find_unreached() {
            return ctx.stop();
        }
        if self.close_components(ctx) {
            return;
        }
        // Nothing is unfounded: what is true leads to a goal. Recorded runs may miss that one leads there from an
        // initial state; if none does, nobody may take this for an answer.
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
        self.levels.truncate(level);
        self.true_states.truncate(length);
        self.entered = entered;
    }
}

/// The two halves of `propagate`, for a wrapping theory that has something to do first.
impl<S: Step> TsTheory<S> {
    /// Takes notice of literals that became true. Expands nothing.
    pub fn note(&mut self, new: &[Lit]) {
        for &lit in new.iter().filter(|lit| lit.is_positive()) {
            match self.sets.meaning(lit.var()) {
                Some(Meaning::State(q)) => self.true_states.push(q),
                Some(Meaning::Set(set)) if self.sets.kind(set) == SetKind::Region => self.open.enter(set, &self.sets),
                Some(Meaning::Set(_)) | None => {}
            }
        }
    }

    /// Expands the states noticed so far, and stops the host when a goal is found or the turn is over. What the turn
    /// does not suffice for stays noticed.
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

    /// Stops the host when a goal is found, the turn is over, or a number has outgrown what the caller wants to widen.
    pub fn stop_if_due(&self, ctx: &mut Ctx<'_>) {
        if !self.found.is_empty() || self.is_outgrown() || self.work == 0 || self.stop.raised().is_some() {
            ctx.stop();
        }
    }
}

//! The solver: its state, its public face, and the host loop that ties propagation, theory, analysis and decisions together.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use crate::analyze::Mark;
use crate::bump::ReasonSide;
use crate::clauses::{ClauseRef, Clauses};
use crate::decide::Next;
use crate::domain::Domain;
use crate::flip::Flips;
use crate::heap::{Activity, Heap};
use crate::hints::Hints;
use crate::inprocess::Inprocessing;
use crate::lit::{Lit, Var};
use crate::minimize::Frame;
use crate::mode::Alternation;
use crate::options::{Limits, Options};
use crate::phase::Phases;
use crate::proof::{ClauseId, Log, Proof};
use crate::propagate::{Missed, Watch};
use crate::queue::Queue as Order;
use crate::reduce::Reduction;
use crate::restart::Restart;
use crate::shrink::Block;
use crate::stamps::Stamps;
use crate::stats::Stats;
use crate::temporary::{Removable, Temporaries};
use crate::theory::{Ctx, DecidedBy, Queue, Tag, Theory, View};
use crate::trail::Trail;

/// How a `solve` ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; `value` tells it.
    Sat,
    /// There is none under the assumptions; `core` tells which of them are to blame.
    Unsat,
    /// There would be a model if the theory could vouch for it; `value` tells it.
    Unknown,
    /// A limit was reached, or the theory called `Ctx::stop`. `value` tells the trail as it stands.
    Stopped,
}

/// An incremental CDCL solver. All calls of `solve_with` on one solver must come with the same theory.
pub struct Solver {
    pub(crate) options: Options,
    pub(crate) stats: Stats,
    pub(crate) log: Log,
    pub(crate) trail: Trail,
    pub(crate) clauses: Clauses,
    /// By literal: what to look at when it becomes false.
    pub(crate) watches: Vec<Vec<Watch>>,
    /// True literals that some clause implies at a lower level than they have.
    pub(crate) missed: BTreeMap<Var, Missed>,
    /// The host's orders of decision; only that of the current mode is complete.
    pub(crate) activity: Activity,
    pub(crate) heap: Heap,
    pub(crate) queue_order: Order,
    pub(crate) domain: Domain,
    pub(crate) alternation: Alternation,
    pub(crate) phases: Phases,
    /// Literals the theory prefers, the last first.
    pub(crate) preferred: Vec<Lit>,
    pub(crate) host_decided_last: bool,
    pub(crate) restart: Restart,
    pub(crate) reduction: Reduction,
    pub(crate) inprocessing: Inprocessing,
    pub(crate) temporaries: Temporaries,
    pub(crate) removable: Removable,
    pub(crate) flips: Flips,
    /// Assumed by the last query, in order: level i + 1 belongs to number i.
    pub(crate) assumptions: Vec<Lit>,
    pub(crate) core: Vec<Lit>,
    pub(crate) core_hints: Vec<ClauseId>,
    /// The clauses contradict each other without assumptions.
    pub(crate) refuted: bool,
    /// How many kept literals the theory is told again because of the last step back, if that was of one level.
    pub(crate) retold: usize,
    /// Clauses added while a trail was kept that were false in it.
    pub(crate) pending: Vec<ClauseRef>,
    /// Of the last query with a theory; queries without one keep the trail.
    model: Vec<Option<bool>>,
    last: Option<Answer>,
    /// Levels that were ended while the theory was not there to hear it.
    owed: usize,
    /// The theory cannot vouch for what it was told.
    incomplete: bool,
    /// What the theory said of `undoes_by_level`.
    pub(crate) remembers: bool,
    // Scratch space, empty or at rest between uses.
    pub(crate) queue: Queue,
    pub(crate) learnt: Vec<Lit>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) marked: Vec<Var>,
    pub(crate) bumped: Vec<(u64, Var)>,
    pub(crate) reason_side: ReasonSide,
    /// By variable: signs seen by `distinct`, else 0.
    pub(crate) signs: Vec<u8>,
    pub(crate) stamps: Stamps,
    pub(crate) frames: Vec<Frame>,
    pub(crate) block: Block,
    pub(crate) implied: Vec<Var>,
    pub(crate) hints: Hints,
    pub(crate) scratch: Vec<Lit>,
    pub(crate) undone: Vec<Lit>,
    pub(crate) taken: Vec<Missed>,
    effective: Vec<Lit>,
    news: Vec<Lit>,
}

/// The theory of nothing.
pub(crate) struct Silent;

impl Theory for Silent {
    fn propagate(&mut self, _: &[Lit], _: &mut Ctx<'_>) {}
    fn final_check(&mut self, _: &mut Ctx<'_>) {}
    fn decide(&mut self, _: &Ctx<'_>) -> Option<Lit> {
        None
    }
    fn explain(&mut self, _: Lit, _: &mut Vec<Lit>) -> Tag {
        unreachable!("it implied nothing")
    }
    fn push_level(&mut self) {}
    fn pop_levels(&mut self, _: usize) {}
}

impl Solver {
    /// A solver without variables.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let alternation = Alternation::new(&options);
        Self {
            stats: Stats::default(),
            log: Log::default(),
            trail: Trail::new(),
            clauses: Clauses::default(),
            watches: Vec::new(),
            missed: BTreeMap::new(),
            activity: Activity::new(),
            heap: Heap::new(),
            queue_order: Order::new(),
            domain: Domain::new(),
            phases: Phases::new(&options),
            preferred: Vec::new(),
            host_decided_last: false,
            restart: Restart::new(&options, alternation.mode),
            reduction: Reduction::new(&options),
            inprocessing: Inprocessing::new(&options),
            alternation,
            temporaries: Temporaries::default(),
            removable: Removable::new(),
            flips: Flips::default(),
            assumptions: Vec::new(),
            core: Vec::new(),
            core_hints: Vec::new(),
            refuted: false,
            retold: 0,
            pending: Vec::new(),
            model: Vec::new(),
            last: None,
            owed: 0,
            incomplete: false,
            remembers: false,
            queue: Queue::default(),
            learnt: Vec::new(),
            marks: Vec::new(),
            marked: Vec::new(),
            bumped: Vec::new(),
            reason_side: ReasonSide::default(),
            signs: Vec::new(),
            stamps: Stamps::default(),
            frames: Vec::new(),
            block: Block::new(),
            implied: Vec::new(),
            hints: Hints::default(),
            scratch: Vec::new(),
            undone: Vec::new(),
            taken: Vec::new(),
            effective: Vec::new(),
            news: Vec::new(),
            options,
        }
    }

    /// Who hears of every clause. To be set before the first one.
    pub fn set_proof(&mut self, proof: Box<dyn Proof>) {
        self.log.set_listener(proof);
    }

    /// A new variable, outside `solve`; a theory makes its own with [`Ctx::new_lit`].
    pub fn new_var(&mut self, by: DecidedBy) -> Var {
        let is_hosts = by == DecidedBy::Host;
        let var = self.trail.new_var();
        self.watches.extend([Vec::new(), Vec::new()]);
        self.activity.new_var();
        self.heap.new_var(is_hosts);
        self.heap.insert(var, &self.activity);
        if is_hosts {
            self.queue_order.new_var(var);
        }
        self.domain.new_var();
        self.phases.new_var();
        self.marks.push(Mark::default());
        self.signs.push(0);
        var
    }

    /// Adds a clause, at any time outside `solve`. Duplicate literals and tautologies are fine.
    ///
    /// # Panics
    /// If a literal's variable does not exist.
    pub fn add_clause(&mut self, tag: Tag, clause: &[Lit]) {
        self.changed();
        let conflict = self.add_axiom(tag, clause);
        self.pending.extend(conflict);
    }

    /// The formula is about to change: the last answer was about another one.
    pub(crate) fn changed(&mut self) {
        self.unflip();
        self.end_confinement();
        self.last = None;
    }

    /// Propagation may have left clauses alone that it must not leave alone from now on.
    fn end_confinement(&mut self) {
        if self.options.is_confined() && self.domain.is_set() {
            self.step_back(0);
        }
    }

    /// Acts upon a clause that was just stored, between queries.
    pub(crate) fn settle_later(&mut self, clause: ClauseRef) {
        let conflict = self.evaluate(clause);
        self.pending.extend(conflict);
    }

    /// Is there a model in which the assumptions hold?
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        self.solve_within(assumptions, &Limits::default())
    }

    /// The same, within limits. What the query has in common with the last one (its first assumptions) is not done again;
    /// after `Stopped`, the same assumptions go on where the search stood.
    pub fn solve_within(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        self.end_confinement();
        self.domain.clear();
        self.solve_again(assumptions, limits)
    }

    /// In the domain of the last query.
    pub(crate) fn solve_again(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        if self.trail.listens() {
            self.step_back(0);
            self.trail.listen(false);
        }
        self.incomplete = false;
        self.assume(assumptions, &mut Silent);
        let answer = self.search(&mut Silent, limits);
        self.last = Some(answer);
        if answer == Answer::Unsat && !self.refuted {
            self.derive_core();
        }
        answer
    }

    /// Is there a model in which the assumptions hold, and that the theory vouches for? After `Stopped`, the same
    /// assumptions go on where the search stood.
    pub fn solve_with<T: Theory>(&mut self, theory: &mut T, assumptions: &[Lit], limits: &Limits) -> Answer {
        self.end_confinement();
        self.domain.clear();
        self.remembers = theory.undoes_by_level();
        if !self.trail.listens() {
            self.unflip();
            self.backtrack(0, &mut Silent);
            self.trail.listen(true);
        }
        if self.owed > 0 {
            theory.pop_levels(std::mem::take(&mut self.owed));
        }
        // Going on where the last query stopped, the theory is not asked again about what it was told.
        self.incomplete &= self.assumes(assumptions);
        if !self.assumes(assumptions) {
            self.backtrack(0, theory);
        }
        self.assume(assumptions, theory);
        let answer = self.search(theory, limits);
        self.finish(answer, theory);
        answer
    }

    /// Are these what the last query assumed?
    fn assumes(&self, assumptions: &[Lit]) -> bool {
        self.assumptions.iter().eq(assumptions.iter().chain(&self.temporaries.assumption()))
    }

    /// Steps back to where these assumptions and those of the last query part.
    fn assume(&mut self, assumptions: &[Lit], theory: &mut dyn Theory) {
        self.unflip();
        let mut effective = std::mem::take(&mut self.effective);
        effective.clear();
        effective.extend_from_slice(assumptions);
        effective.extend(self.temporaries.assumption());
        if effective != self.assumptions {
            let shared = effective.iter().zip(&self.assumptions).take_while(|(a, b)| a == b).count();
            self.backtrack(shared as u32, theory);
        }
        self.effective = std::mem::replace(&mut self.assumptions, effective);
    }

    /// Ends levels between queries; a theory that knows of them hears of it when it is next there.
    pub(crate) fn step_back(&mut self, level: u32) {
        self.unflip();
        if self.trail.listens() {
            self.owed += self.trail.depth().saturating_sub(level) as usize;
        }
        self.backtrack(level, &mut Silent);
    }

    /// After `Sat` or `Unknown`: in the model, until something is added or asked. Otherwise: on the trail, if it is assigned
    /// there.
    #[must_use]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        if let Some(Answer::Sat | Answer::Unknown) = self.last.filter(|_| !self.is_model_kept()) {
            return self.model.get(lit.var().index()).copied().flatten().map(|value| value == lit.is_positive());
        }
        self.trail.value(lit)
    }

    /// Is the model the trail, not a copy?
    pub(crate) fn is_model_kept(&self) -> bool {
        !self.trail.listens()
    }

    pub(crate) fn last_answer(&self) -> Option<Answer> {
        self.last
    }

    pub(crate) fn set_core(&mut self, core: Vec<Lit>) {
        self.core = core;
        self.last = Some(Answer::Unsat);
    }

    /// Is `lit` true at level 0, for good?
    #[must_use]
    pub fn is_fixed(&self, lit: Lit) -> bool {
        self.trail.is_fixed(lit)
    }

    /// After `Unsat`: assumptions that cannot hold together; empty if the clauses contradict each other by themselves.
    #[must_use]
    pub fn core(&self) -> &[Lit] {
        &self.core
    }

    /// What the solver did so far.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// The host loop.
    fn search(&mut self, theory: &mut dyn Theory, limits: &Limits) -> Answer {
        self.last = None;
        self.core.clear();
        let conflicts_allowed = limits.conflicts.map(|allowed| self.stats.conflicts.saturating_add(allowed));
        self.settle_pending(theory);
        loop {
            if self.refuted {
                return Answer::Unsat;
            }
            let is_stopped = limits.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
            if is_stopped || conflicts_allowed.is_some_and(|allowed| self.stats.conflicts >= allowed) {
                return Answer::Stopped;
            }
            if let Some(conflict) = self.propagate() {
                self.resolve(conflict, theory);
                continue;
            }
            self.check_if_small();
            if self.trail.has_news() {
                let effect = self.tell(theory);
                self.incomplete |= effect.incomplete;
                if effect.stop && !self.refuted {
                    return Answer::Stopped;
                }
                continue;
            }
            if self.restart_if_due(theory) {
                continue;
            }
            self.reduce_if_due();
            match self.decide(theory) {
                Next::Decided => {}
                Next::Failed(lit) => {
                    self.find_core(lit, theory);
                    return Answer::Unsat;
                }
                Next::Complete => {
                    let effect = self.consult(theory, |theory, ctx| theory.final_check(ctx));
                    if effect.stop && !self.refuted {
                        return Answer::Stopped;
                    }
                    if !effect.changed {
                        return if self.incomplete || effect.incomplete { Answer::Unknown } else { Answer::Sat };
                    }
                }
            }
        }
    }

    /// Tells the theory what became true.
    fn tell(&mut self, theory: &mut dyn Theory) -> crate::apply::Effect {
        let mut news = std::mem::take(&mut self.news);
        self.trail.take_news(&mut news);
        let effect = self.consult(theory, |theory, ctx| theory.propagate(&news, ctx));
        self.news = news;
        effect
    }

    /// Clauses that were false when they were added may no longer be, or still.
    fn settle_pending(&mut self, theory: &mut dyn Theory) {
        for clause in std::mem::take(&mut self.pending) {
            if self.clauses.is_garbage(clause) {
                continue;
            }
            self.watch_anew(clause);
            if let Some(conflict) = self.evaluate(clause)
                && !self.refuted
            {
                self.resolve(conflict, theory);
            }
        }
    }

    fn finish(&mut self, answer: Answer, theory: &mut dyn Theory) {
        self.last = Some(answer);
        if let Answer::Sat | Answer::Unknown = answer {
            self.model.clear();
            let trail = &self.trail;
            self.model.extend((0..trail.variables()).map(|index| trail.value(Var::new(index).positive())));
        }
        if answer != Answer::Stopped {
            self.incomplete = false;
            self.backtrack(0, theory);
        }
        if answer == Answer::Unsat && !self.refuted {
            self.derive_core();
        }
    }
}

//! The solver: its state, its public face, and the host loop that ties propagation, theory, analysis and decisions together.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use crate::analyze::{Mark, Stamps};
use crate::clauses::{ClauseRef, Clauses};
use crate::decide::Next;
use crate::heap::Heap;
use crate::lit::{Lit, Var};
use crate::options::{Limits, Options};
use crate::phase::Phases;
use crate::proof::{Log, Proof};
use crate::propagate::{Missed, Watch};
use crate::reduce::Reduction;
use crate::restart::Restart;
use crate::stats::Stats;
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
    pub(crate) heap: Heap,
    pub(crate) phases: Phases,
    /// Literals the theory prefers, the last first.
    pub(crate) preferred: Vec<Lit>,
    pub(crate) heap_decided_last: bool,
    pub(crate) restart: Restart,
    pub(crate) reduction: Reduction,
    pub(crate) assumptions: Vec<Lit>,
    pub(crate) core: Vec<Lit>,
    /// The clauses contradict each other without assumptions.
    pub(crate) refuted: bool,
    /// How many kept literals the theory is told again because of the last step back, if that was of one level.
    pub(crate) retold: usize,
    /// Clauses added while a trail was kept that were false in it.
    pending: Vec<ClauseRef>,
    model: Vec<Option<bool>>,
    last: Option<Answer>,
    /// Levels that were ended while the theory was not there to hear it.
    owed: usize,
    /// What the theory said of `undoes_by_level`.
    pub(crate) remembers: bool,
    // Scratch space, empty or at rest between uses.
    pub(crate) queue: Queue,
    pub(crate) learnt: Vec<Lit>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) marked: Vec<Var>,
    /// By variable: signs seen by `distinct`, else 0.
    pub(crate) signs: Vec<u8>,
    pub(crate) stamps: Stamps,
    pub(crate) scratch: Vec<Lit>,
    pub(crate) undone: Vec<Lit>,
    news: Vec<Lit>,
}

/// The theory of nothing.
struct Silent;

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
        Self {
            stats: Stats::default(),
            log: Log::default(),
            trail: Trail::new(),
            clauses: Clauses::default(),
            watches: Vec::new(),
            missed: BTreeMap::new(),
            heap: Heap::new(),
            phases: Phases::new(&options),
            preferred: Vec::new(),
            heap_decided_last: false,
            restart: Restart::new(&options),
            reduction: Reduction::new(&options),
            assumptions: Vec::new(),
            core: Vec::new(),
            refuted: false,
            retold: 0,
            pending: Vec::new(),
            model: Vec::new(),
            last: None,
            owed: 0,
            remembers: false,
            queue: Queue::default(),
            learnt: Vec::new(),
            marks: Vec::new(),
            marked: Vec::new(),
            signs: Vec::new(),
            stamps: Stamps::default(),
            scratch: Vec::new(),
            undone: Vec::new(),
            news: Vec::new(),
            options,
        }
    }

    /// Who hears of every clause. To be set before the first one.
    pub fn set_proof(&mut self, proof: Box<dyn Proof>) {
        self.log.listener = Some(proof);
    }

    /// A new variable, outside `solve`; a theory makes its own with [`Ctx::new_lit`].
    pub fn new_var(&mut self, by: DecidedBy) -> Var {
        self.watches.extend([Vec::new(), Vec::new()]);
        self.heap.new_var(by == DecidedBy::Host);
        self.phases.new_var();
        self.marks.push(Mark::default());
        self.signs.push(0);
        self.trail.new_var()
    }

    /// Adds a clause, at any time outside `solve`. Duplicate literals and tautologies are fine.
    ///
    /// # Panics
    /// If a literal's variable does not exist.
    pub fn add_clause(&mut self, tag: Tag, clause: &[Lit]) {
        let conflict = self.add_axiom(tag, clause);
        self.pending.extend(conflict);
    }

    /// Is there a model in which the assumptions hold?
    pub fn solve(&mut self, assumptions: &[Lit]) -> Answer {
        let depth = self.trail.depth() as usize;
        self.owed += depth;
        self.backtrack(0, &mut Silent);
        let untold_from = self.trail.fixed() - self.trail.untold_fixed();
        self.assumptions = assumptions.to_vec();
        let answer = self.search(&mut Silent, false, &Limits::default());
        self.finish(answer, &mut Silent);
        self.trail.drop_news();
        self.trail.tell_fixed(untold_from);
        answer
    }

    /// Is there a model in which the assumptions hold, and that the theory vouches for? After `Stopped`, the same
    /// assumptions go on where the search stood.
    pub fn solve_with<T: Theory>(&mut self, theory: &mut T, assumptions: &[Lit], limits: &Limits) -> Answer {
        self.remembers = theory.undoes_by_level();
        if self.owed > 0 {
            theory.pop_levels(std::mem::take(&mut self.owed));
        }
        if self.assumptions != assumptions {
            self.backtrack(0, theory);
            self.assumptions = assumptions.to_vec();
        }
        let answer = self.search(theory, true, limits);
        self.finish(answer, theory);
        answer
    }

    /// After `Sat` or `Unknown`: in the model. Otherwise: on the trail, if it is assigned there.
    #[must_use]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        if let Some(Answer::Sat | Answer::Unknown) = self.last {
            return self.model.get(lit.var().index()).copied().flatten().map(|value| value == lit.is_positive());
        }
        self.trail.value(lit)
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
    fn search(&mut self, theory: &mut dyn Theory, listens: bool, limits: &Limits) -> Answer {
        self.last = None;
        self.core.clear();
        let mut incomplete = false;
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
            if !listens {
                self.trail.drop_news();
            } else if self.trail.has_news() {
                let effect = self.tell(theory);
                incomplete |= effect.incomplete;
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
                        return if incomplete || effect.incomplete { Answer::Unknown } else { Answer::Sat };
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
            self.backtrack(0, theory);
        }
        if answer == Answer::Unsat && !self.refuted {
            self.derive_core();
        }
    }
}

//! The hook for decision procedures: the trait [`Theory`], and [`Ctx`] with all operations allowed during a
//! callback.
//!
//! The design follows batsat's `Theory` trait and sidekick's delayed actions. The *host* is the solver that
//! calls the theory. A theory never stores a reference to the host. Requests made through [`Ctx`] are queued,
//! and the host applies them after the callback, at the decision level the search has then reached. So theories
//! can split on demand. A conflict needs no special call: it is a lemma with only false literals.

use crate::lit::Lit;

/// A theory's identifier for the reason of a lemma. The host passes it to the proof and never interprets it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag(pub u32);

/// The side (host or theory) that may choose the value of a new variable if no clause implies a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// The host decides the variable: it is assigned before `final_check`.
    Host,
    /// Only [`Theory::decide`], or a clause that implies the variable, assigns it. The variable may be
    /// unassigned in `final_check`, and the theory guarantees that this does not matter. Meant for searches
    /// that create a million literals but use few of them.
    Theory,
}

/// A decision procedure attached to the CDCL core. The core calls the theory, and the theory answers through
/// `ctx`.
pub trait Theory {
    /// Receives the literals that became true since the last call, in trail order. Called after every round of
    /// unit propagation that assigned a literal, until neither host nor theory has anything to add. The
    /// theory's requests must be *sound*, but it may leave consequences out.
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>);

    /// Called when every variable decided by the host is assigned and [`Theory::decide`] returns no literal.
    /// The check must be *complete*: the theory queues a lemma or a new literal, or calls [`Ctx::incomplete`].
    /// If it does nothing, it confirms the model.
    fn final_check(&mut self, ctx: &mut Ctx<'_>);

    /// Returns the literal to make true next, or `None` to leave the choice to the host. Assigned literals are
    /// ignored.
    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit>;

    /// Explains a literal passed to [`Ctx::imply`]: appends to `why` literals that were true before `lit`. The
    /// clause `lit or not why_1 or not why_2 ..` must be valid in the theory. Returns the tag of this clause.
    fn explain(&mut self, lit: Lit, why: &mut Vec<Lit>) -> Tag;

    /// Begins a decision level. The theory must forget the literals that `propagate` tells it from now on when
    /// the level ends.
    fn push_level(&mut self);

    /// Ends the last `n` levels. Literals told during these levels count as unassigned. The host keeps some of
    /// these literals true, because it backtracks chronologically where that is cheaper. It tells each kept
    /// literal again. There is no `ctx`, because undoing deduces nothing.
    fn pop_levels(&mut self, n: usize);

    /// Returns true if the theory stores, for each literal told, the level that [`Ctx::level_of`] returned at
    /// that time, and forgets the literal when *that* level ends. This level may be below the current level.
    /// For such a theory, kept literals are not told again. This matters if a deep search collects many
    /// literals of low levels, because telling them again at each step back costs quadratic time.
    fn undoes_by_level(&self) -> bool {
        false
    }
}

/// The access to the host during a callback: values that the theory may read, and requests that it may make.
pub struct Ctx<'a> {
    pub(crate) view: &'a dyn View,
    pub(crate) queue: &'a mut Queue,
}

/// The part of the host that callbacks may read.
pub(crate) trait View {
    fn value(&self, lit: Lit) -> Option<bool>;
    fn is_fixed(&self, lit: Lit) -> bool;
    fn level(&self) -> usize;
    fn level_of(&self, lit: Lit) -> Option<usize>;
    fn variables(&self) -> usize;
}

/// The requests of a callback, in order.
#[derive(Default)]
pub(crate) struct Queue {
    /// The `DecidedBy` of each variable created during the callback; the first one has index
    /// `View::variables()`.
    pub(crate) new_vars: Vec<DecidedBy>,
    /// Lemmas: the tag, and the range in `literals`.
    pub(crate) lemmas: Vec<(Tag, std::ops::Range<usize>)>,
    pub(crate) literals: Vec<Lit>,
    pub(crate) implied: Vec<Lit>,
    pub(crate) preferred: Vec<Lit>,
    pub(crate) incomplete: bool,
    pub(crate) stop: bool,
}

impl Queue {
    pub(crate) fn is_empty(&self) -> bool {
        self.new_vars.is_empty()
            && self.lemmas.is_empty()
            && self.literals.is_empty()
            && self.implied.is_empty()
            && self.preferred.is_empty()
            && !self.incomplete
            && !self.stop
    }
}

impl Ctx<'_> {
    /// The current value of `lit`; `None` while it is unassigned. Literals created in this callback are
    /// unassigned.
    #[must_use]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        if lit.var().index() < self.view.variables() { self.view.value(lit) } else { None }
    }

    /// True if `lit` is true at level 0, and so in every model.
    #[must_use]
    pub fn is_fixed(&self, lit: Lit) -> bool {
        lit.var().index() < self.view.variables() && self.view.is_fixed(lit)
    }

    /// The current decision level.
    #[must_use]
    pub fn level(&self) -> usize {
        self.view.level()
    }

    /// The level at which the variable of `lit` was assigned; `None` while it is unassigned. The level may be
    /// lower than the level of a literal that was assigned earlier, because a consequence gets the highest
    /// level among its reasons.
    #[must_use]
    pub fn level_of(&self, lit: Lit) -> Option<usize> {
        if lit.var().index() < self.view.variables() { self.view.level_of(lit) } else { None }
    }

    /// Creates a variable and returns its positive literal, which lemmas of this callback may use at once.
    pub fn new_lit(&mut self, by: DecidedBy) -> Lit {
        let index = self.view.variables() + self.queue.new_vars.len();
        self.queue.new_vars.push(by);
        crate::lit::Var::new(index).positive()
    }

    /// Makes `lit` true because it follows from literals that are true now. [`Theory::explain`] is called only
    /// if a conflict or a proof needs the reason.
    pub fn imply(&mut self, lit: Lit) {
        self.queue.implied.push(lit);
    }

    /// Adds a clause that is valid in the theory and holds permanently. It may be false, unit or satisfied now.
    pub fn lemma(&mut self, tag: Tag, clause: &[Lit]) {
        let start = self.queue.literals.len();
        self.queue.literals.extend_from_slice(clause);
        self.queue.lemmas.push((tag, start..self.queue.literals.len()));
    }

    /// Asks the host to decide `lit` before other literals while it is unassigned. If several literals are
    /// preferred, the last one is decided first.
    pub fn prefer(&mut self, lit: Lit) {
        self.queue.preferred.push(lit);
    }

    /// Declares that the theory cannot decide whether this assignment is a model. `solve` returns `Unknown`
    /// unless it finds a refutation.
    pub fn incomplete(&mut self) {
        self.queue.incomplete = true;
    }

    /// Ends `solve` as soon as possible with `SolveResult::Stopped`. The trail is kept, and the next `solve`
    /// with the same assumptions continues from it. Theories use this when a budget is spent, or when they have
    /// found what they searched for.
    pub fn stop(&mut self) {
        self.queue.stop = true;
    }
}

/// A theory that never requests anything.
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

//! The hook for decision procedures: six methods, and the only things a theory may do while the host calls it.
//!
//! After batsat's `Theory` and sidekick's delayed actions. The theory never stores the host; what it asks for through
//! [`Ctx`] is queued and applied by the host after the callback, at whatever decision level the search then is: that is
//! splitting on demand. A conflict is nothing special: a lemma whose literals are all false.

use crate::lit::Lit;

/// A theory's own name for the reason of a lemma. The host hands it to the proof and never looks inside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tag(pub u32);

/// Who may decide a new variable when nothing implies it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecidedBy {
    /// The host: it is assigned before `final_check`.
    Host,
    /// Only [`Theory::decide`], or a clause that implies it: it may be unassigned in `final_check`, and the theory
    /// vouches that this does not matter. For searches with a million literals of which few are ever looked at.
    Theory,
}

/// A decision procedure plugged into the CDCL core. The core calls; the theory answers through `ctx`.
pub trait Theory {
    /// Literals that became true since the last call, in trail order. Must be *correct*, need not be complete; called
    /// after every round of unit propagation that assigned something, until nobody has anything to add.
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>);

    /// Every variable decided by the host is assigned and [`Theory::decide`] has no wish. Must be *complete*: queue a
    /// lemma or a new literal, call [`Ctx::incomplete`], or do nothing and so vouch for the model.
    fn final_check(&mut self, ctx: &mut Ctx<'_>);

    /// Which literal to make true next, if there is an opinion. Assigned literals are ignored.
    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit>;

    /// Why was `lit` (passed to [`Ctx::imply`]) true? Append literals that were true before it. The clause
    /// `lit or not why_1 or not why_2 ..` must be valid in the theory; the answer is its tag.
    fn explain(&mut self, lit: Lit, why: &mut Vec<Lit>) -> Tag;

    /// A decision level begins: what `propagate` tells from now on is forgotten when the level ends.
    fn push_level(&mut self);

    /// The last `n` levels end. Literals told since then are no longer known to hold; those that the host keeps (it
    /// backtracks chronologically where that is cheaper) are told again. Undoing deduces nothing, so there is no `ctx`.
    fn pop_levels(&mut self, n: usize);

    /// `true` is a promise of a theory that keeps, for each literal told, the level [`Ctx::level_of`] gave it when told
    /// (which may be lower than the current one), and forgets it when *that* level ends. Kept literals are then not
    /// told again. Matters where a deep search collects many low literals: telling them again at each step back is
    /// quadratic.
    fn undoes_by_level(&self) -> bool {
        false
    }
}

/// What a theory may see and ask for during a callback.
pub struct Ctx<'a> {
    pub(crate) view: &'a dyn View,
    pub(crate) queue: &'a mut Queue,
}

/// The part of the host that callbacks may look at.
pub(crate) trait View {
    fn value(&self, lit: Lit) -> Option<bool>;
    fn is_fixed(&self, lit: Lit) -> bool;
    fn level(&self) -> usize;
    fn level_of(&self, lit: Lit) -> Option<usize>;
    fn variables(&self) -> usize;
}

/// What callbacks asked for, in order.
#[derive(Default)]
pub(crate) struct Queue {
    /// `DecidedBy` of each variable created during the callback; the first has index `View::variables()`.
    pub(crate) new_vars: Vec<DecidedBy>,
    /// Lemmas: tag and range in `literals`.
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
    /// The value of `lit` now; `None` while unassigned (literals created in this callback are).
    #[must_use]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        if lit.var().index() < self.view.variables() { self.view.value(lit) } else { None }
    }

    /// Is `lit` true at level 0, for good?
    #[must_use]
    pub fn is_fixed(&self, lit: Lit) -> bool {
        lit.var().index() < self.view.variables() && self.view.is_fixed(lit)
    }

    /// The current decision level.
    #[must_use]
    pub fn level(&self) -> usize {
        self.view.level()
    }

    /// The level that `lit` was assigned at, true or false; `None` while unassigned. May be lower than that of literals
    /// assigned before it: a consequence gets the highest level among its reasons.
    #[must_use]
    pub fn level_of(&self, lit: Lit) -> Option<usize> {
        if lit.var().index() < self.view.variables() { self.view.level_of(lit) } else { None }
    }

    /// A new variable's positive literal, usable at once in lemmas of this callback.
    pub fn new_lit(&mut self, by: DecidedBy) -> Lit {
        let index = self.view.variables() + self.queue.new_vars.len();
        self.queue.new_vars.push(by);
        crate::lit::Var::new(index).positive()
    }

    /// `lit` follows from literals that are true now; [`Theory::explain`] is asked only if a conflict needs the reason.
    pub fn imply(&mut self, lit: Lit) {
        self.queue.implied.push(lit);
    }

    /// A clause that holds in the theory, for good; it may be false, unit or satisfied now.
    pub fn lemma(&mut self, tag: Tag, clause: &[Lit]) {
        let start = self.queue.literals.len();
        self.queue.literals.extend_from_slice(clause);
        self.queue.lemmas.push((tag, start..self.queue.literals.len()));
    }

    /// Try `lit` before other decisions (last preferred first), while it is unassigned.
    pub fn prefer(&mut self, lit: Lit) {
        self.queue.preferred.push(lit);
    }

    /// The theory cannot decide whether this assignment is a model: `solve` answers `Unknown` unless it refutes
    /// otherwise.
    pub fn incomplete(&mut self) {
        self.queue.incomplete = true;
    }

    /// End `solve` as soon as possible with `Answer::Stopped`; the trail is kept, and a next `solve` with the same
    /// assumptions goes on from there. For budgets, and for a theory that has found what it looked for.
    pub fn stop(&mut self) {
        self.queue.stop = true;
    }
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

//! A test theory that contains a hidden formula and reveals it step by step. It also checks that the host calls
//! it correctly.
//!
//! The theory reveals clauses as lemmas at arbitrary moments (the lemma is true, unit or false at this moment;
//! it is whole, or split in two by a new literal). It also reveals clauses as implied literals, with
//! explanations that it gives later. Its habits (`Habit`) set how often it does each of these things.

use std::collections::BTreeSet;

use super::listener::Listener;
use crate::lit::{Lit, Var};
use crate::rng::Rng;
use crate::theory::{Ctx, DecidedBy, Tag, Theory};

/// Tag of the axioms of this theory.
pub(super) const TAG: Tag = Tag(77);

/// A habit of the theory. Each habit has a number. Except for `Seed` and `ByLevel`, the habit is an action, and
/// the number n means that the theory does it one time in n (0: never).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Habit {
    /// Seed of the theory's random choices.
    Seed,
    /// Reveals a clause during `propagate`.
    Lemma,
    /// Reveals a clause in two parts, which a new literal connects.
    Split,
    /// Implies a literal that follows from the literals told.
    Imply,
    /// Returns a literal in `decide`.
    Decide,
    /// Prefers a literal after `propagate`.
    Prefer,
    /// Stops the search.
    Stop,
    /// Calls `incomplete` in `final_check`.
    Incomplete,
    /// Calls `incomplete` in `propagate`.
    Unsure,
    /// The theory undoes by level if the number is 1. The number is not a frequency.
    ByLevel,
}

impl Habit {
    /// All habits, each with its name and the numbers to be tested. The first number is the default if a trace
    /// does not set the habit.
    pub(super) const ALL: [(Self, &'static str, &'static [u64]); 10] = [
        (Self::Seed, "seed", &[1, 2, 3, 5, 8, 13, 21, 34]),
        (Self::Lemma, "lemma", &[0, 1, 2, 5, 20]),
        (Self::Split, "split", &[0, 1, 3]),
        (Self::Imply, "imply", &[0, 1, 2, 5]),
        (Self::Decide, "decide", &[0, 1, 5]),
        (Self::Prefer, "prefer", &[0, 2, 8]),
        (Self::Stop, "stop", &[0, 5, 40]),
        (Self::Incomplete, "incomplete", &[0, 0, 0, 0, 3]),
        (Self::Unsure, "unsure", &[0, 0, 0, 0, 0, 0, 100]),
        (Self::ByLevel, "by_level", &[0, 1]),
    ];
}

/// The number of each [`Habit`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TheoryHabits(pub(super) [u64; Habit::ALL.len()]);

impl Default for TheoryHabits {
    fn default() -> Self {
        Self(Habit::ALL.map(|(_, _, numbers)| numbers[0]))
    }
}

/// The test theory with a hidden formula.
pub struct Lazy {
    temper: TheoryHabits,
    rng: Rng,
    listener: Listener,
    pub(super) hidden: Vec<Vec<Lit>>,
    revealed: Vec<bool>,
    /// All lemmas so far; the solver keeps them permanently.
    pub(super) said: Vec<Vec<Lit>>,
    /// Literals that `decide` may return: the literals that only the theory decides, and the literals that the
    /// theory created.
    pub(super) wishes: Vec<Lit>,
    /// For each variable of the host and of the theory: which side decides it.
    pub(super) decided_by: Vec<DecidedBy>,
    /// Variables that the solver created for itself. Neither the trace nor the theory may use them.
    pub(super) internal: BTreeSet<Var>,
    /// For each level: the literals told. The level of a literal is the level at which the theory was told, or
    /// the literal's own level if the theory undoes by level.
    told: Vec<Vec<Lit>>,
    /// For each literal: its position in `told`.
    places: Vec<Option<(usize, usize)>>,
    pub(super) was_incomplete: bool,
    pub(super) has_stopped: bool,
    /// A description of the first mistake of the host.
    pub(super) wrong: Option<String>,
}

impl Lazy {
    pub(super) fn new(temper: TheoryHabits, listener: Listener) -> Self {
        let rng = Rng(temper.0[Habit::Seed as usize]);
        Self {
            temper,
            rng,
            listener,
            hidden: Vec::new(),
            revealed: Vec::new(),
            said: Vec::new(),
            wishes: Vec::new(),
            decided_by: Vec::new(),
            internal: BTreeSet::new(),
            told: vec![Vec::new()],
            places: Vec::new(),
            was_incomplete: false,
            has_stopped: false,
            wrong: None,
        }
    }

    pub(super) fn hide(&mut self, clause: Vec<Lit>) {
        self.hidden.push(clause);
        self.revealed.push(false);
    }

    /// Registers a new variable. Indices that were skipped belong to variables that the solver created for
    /// itself.
    pub(super) fn meet(&mut self, var: Var, by: DecidedBy) {
        if var.index() < self.decided_by.len() {
            self.complain(format!("{var:?} is new, but there are {} variables", self.decided_by.len()));
        }
        while self.decided_by.len() < var.index() {
            self.internal.insert(Var::new(self.decided_by.len()));
            self.decided_by.push(DecidedBy::Theory);
        }
        self.decided_by.push(by);
        if by == DecidedBy::Theory {
            self.wishes.push(var.positive());
        }
    }

    fn does(&mut self, habit: Habit) -> bool {
        let one_in = self.temper.0[habit as usize];
        one_in > 0 && self.rng.next().is_multiple_of(one_in)
    }

    fn complain(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    fn place(&self, lit: Lit) -> Option<(usize, usize)> {
        self.places.get(lit.0 as usize).copied().flatten()
    }

    fn hear(&mut self, lit: Lit, ctx: &Ctx<'_>) {
        if ctx.value(lit) != Some(true) {
            self.complain(format!("{lit:?} is told but not true"));
        }
        if self.place(lit).is_some() || self.place(!lit).is_some() {
            self.complain(format!("{lit:?} is told once more, or its negation was"));
        }
        let by_level = self.undoes_by_level();
        let level = if by_level { ctx.level_of(lit).unwrap_or(0) } else { ctx.level() };
        let Some(told) = self.told.get_mut(level) else {
            return self.complain(format!("level {level} never began"));
        };
        told.push(lit);
        let index = lit.0 as usize | 1;
        self.places.resize(self.places.len().max(index + 1), None);
        self.places[lit.0 as usize] = Some((level, told.len() - 1));
    }

    fn lemma(&mut self, clause: Vec<Lit>, ctx: &mut Ctx<'_>) {
        self.listener.give(TAG, &clause);
        ctx.lemma(TAG, &clause);
        self.said.push(clause);
    }

    fn reveal(&mut self, index: usize, ctx: &mut Ctx<'_>) {
        self.revealed[index] = true;
        let clause = self.hidden[index].clone();
        if clause.len() < 3 || !self.does(Habit::Split) {
            return self.lemma(clause, ctx);
        }
        let by = if self.rng.chance(2) { DecidedBy::Host } else { DecidedBy::Theory };
        let bridge = ctx.new_lit(by);
        self.meet(bridge.var(), by);
        let (left, right) = clause.split_at(2);
        self.lemma([left, &[bridge]].concat(), ctx);
        self.lemma([right, &[!bridge]].concat(), ctx);
        if self.rng.chance(3) {
            ctx.prefer(!bridge);
        }
    }

    /// If the literals told make all literals of the hidden clause false except one: this one. Otherwise
    /// `None`.
    fn unit(&self, index: usize) -> Option<Lit> {
        let mut open = self.hidden[index].iter().copied().filter(|&lit| self.place(!lit).is_none());
        let unit = open.next()?;
        (open.all(|lit| lit == unit)).then_some(unit)
    }

    fn check_levels(&mut self, ctx: &Ctx<'_>) {
        if self.told.len() != ctx.level() + 1 {
            self.complain(format!("{} levels began, and the host is at level {}", self.told.len() - 1, ctx.level()));
        }
    }

    /// Checks the state before a final check: the host's variables are assigned, all assigned literals were
    /// told, and no lemma is false.
    fn check_end(&mut self, ctx: &Ctx<'_>) {
        self.check_levels(ctx);
        for (index, &by) in self.decided_by.iter().enumerate() {
            let lit = Var::new(index).positive();
            let told = self.place(lit).map(|_| true).or(self.place(!lit).map(|_| false));
            if ctx.value(lit) != told || (by == DecidedBy::Host && told.is_none()) {
                let what = format!("at the end {lit:?} is {:?}, told {told:?}, decided by {by:?}", ctx.value(lit));
                return self.complain(what);
            }
        }
        let is_false = |clause: &&Vec<Lit>| clause.iter().all(|&lit| ctx.value(lit) == Some(false));
        if let Some(lemma) = self.said.iter().find(is_false) {
            let what = format!("at the end the lemma {lemma:?} is false");
            self.complain(what);
        }
    }
}

impl Theory for Lazy {
    fn propagate(&mut self, new: &[Lit], ctx: &mut Ctx<'_>) {
        if new.is_empty() {
            self.complain("nothing is told".to_owned());
        }
        for &lit in new {
            self.hear(lit, ctx);
        }
        self.check_levels(ctx);
        for index in 0..self.hidden.len() {
            if self.does(Habit::Lemma) && !self.revealed[index] {
                self.reveal(index, ctx);
            } else if self.does(Habit::Imply)
                && let Some(unit) = self.unit(index)
            {
                ctx.imply(unit);
            }
        }
        if self.does(Habit::Prefer) && !self.decided_by.is_empty() {
            let var = Var::new(self.rng.below(self.decided_by.len()));
            if !self.internal.contains(&var) {
                ctx.prefer(if self.rng.chance(2) { var.positive() } else { var.negative() });
            }
        }
        if self.does(Habit::Unsure) {
            self.was_incomplete = true;
            ctx.incomplete();
        }
        if self.does(Habit::Stop) {
            self.has_stopped = true;
            ctx.stop();
        }
    }

    fn final_check(&mut self, ctx: &mut Ctx<'_>) {
        self.check_end(ctx);
        let mut has_spoken = false;
        for index in 0..self.hidden.len() {
            if self.hidden[index].iter().any(|&lit| self.place(lit).is_some()) {
                continue;
            }
            has_spoken = true;
            match self.hidden[index].iter().find(|&&lit| ctx.value(lit).is_none()) {
                Some(&open) if self.revealed[index] => ctx.prefer(open),
                _ => self.reveal(index, ctx),
            }
        }
        if !has_spoken && self.does(Habit::Incomplete) {
            self.was_incomplete = true;
            ctx.incomplete();
        }
        if self.does(Habit::Stop) {
            self.has_stopped = true;
            ctx.stop();
        }
    }

    fn decide(&mut self, ctx: &Ctx<'_>) -> Option<Lit> {
        self.check_levels(ctx);
        if !self.does(Habit::Decide) {
            return None;
        }
        let open = self.wishes.iter().copied().find(|&lit| ctx.value(lit).is_none());
        open.or_else(|| self.hidden.first().and_then(|clause| clause.first()).copied())
    }

    fn explain(&mut self, lit: Lit, why: &mut Vec<Lit>) -> Tag {
        // A hidden clause with `lit` is an explanation if the theory was told that its other literals are false
        // before it was told `lit`.
        let before = self.place(lit).unwrap_or((usize::MAX, 0));
        let is_false = |other: Lit| self.place(!other).is_some_and(|place| place < before);
        let is_reason =
            |clause: &&Vec<Lit>| clause.contains(&lit) && clause.iter().all(|&other| other == lit || is_false(other));
        let Some(clause) = self.hidden.iter().find(is_reason) else {
            self.complain(format!("asked why {lit:?}, which it did not imply"));
            return TAG;
        };
        why.extend(clause.iter().filter(|&&other| other != lit).map(|&other| !other));
        self.listener.give(TAG, clause);
        TAG
    }

    fn push_level(&mut self) {
        self.told.push(Vec::new());
    }

    fn pop_levels(&mut self, n: usize) {
        if n == 0 || n >= self.told.len() {
            return self.complain(format!("{n} of {} levels end", self.told.len() - 1));
        }
        for lit in self.told.drain(self.told.len() - n..).flatten() {
            self.places[lit.0 as usize] = None;
        }
    }

    fn undoes_by_level(&self) -> bool {
        self.temper.0[Habit::ByLevel as usize] == 1
    }
}

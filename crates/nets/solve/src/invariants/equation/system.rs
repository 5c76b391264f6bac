//! The state equation of a net as a linear program. Its solutions are the markings that equal the initial
//! marking plus a sum of changes.
//!
//! A transition without transfers, resets and assignments changes the marking by a constant times the number of
//! its firings, so it has one column (T. Murata, 1977). The number of tokens that a transfer, reset or
//! assignment moves depends on the marking. Each place that it moves tokens from therefore gets a further
//! column: the tokens that were on the place, summed over all firings, beyond those that the guard requires. If
//! the guard has an upper bound, a row limits this column. Places that may start with different numbers of
//! tokens have columns of their own, and so have places from which transitions outside the net take tokens. The
//! dual solutions of this program are exactly the weights of [`super::inductive`].
//!
//! Rows that demand a nonnegative count of a place are added only when a solution violates them. Few of them
//! are ever needed.

use super::inductive::{Weights, greatest_at_start, is_inductive};
use crate::rules::Rules;
use linear::rational::{Rational, common_denominator, common_divisor};
use linear::simplex::{Blame, Check, Simplex, Var};
use model::{AtMost, PlaceId};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed, Zero};
use search::rows::Rows;
use std::collections::BTreeMap;
use std::mem;

/// Limits on the numbers of places and of matrix entries. There is no program for larger nets.
const MOST_PLACES: usize = 20_000;
const MOST_NUMBERS: usize = 2_000_000;

/// Maximum number of rows for places with negative counts that are added at a time.
const ROWS_AT_A_TIME: usize = 64;

/// Identifier of an inequality that may be asserted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AtomId(u32);

/// Identifier of a trap that was added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TrapId(pub u32);

/// The result of asserting inequalities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feasibility {
    /// There is a solution. [`System::marking`] returns it.
    Feasible,
    /// There is no solution.
    Refuted(Refutation),
    /// The limit on work was reached. Another call continues.
    More,
}

/// The reason why inequalities contradict each other. Add up the inequalities and the traps with these
/// multipliers (a trap says that the sum of its places is at least 1), and subtract the bound with its
/// multiplier. The result has no positive weight, but demands a positive sum.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refutation {
    /// Inequalities with their multipliers, which are positive.
    pub atoms: Vec<(AtomId, BigUint)>,
    /// Traps with their multipliers, which are positive.
    pub traps: Vec<(TrapId, BigUint)>,
    /// A bound of the net with its multiplier. `None` if the inequalities and the traps contradict each other
    /// in every net.
    pub bound: Option<(AtMost, BigUint)>,
}

/// A weighted sum of places, as a row of the program.
#[derive(Debug)]
struct Form {
    terms: Vec<(u32, BigInt)>,
    var: Var,
    /// Value of the sum at the least initial marking.
    start: BigInt,
    /// Lower bound of the sum that always holds: 0 for a place, 1 for a trap.
    base: Option<BigInt>,
    /// The trap that implies `base`.
    trap: Option<TrapId>,
    /// The atoms that assert the bounds of the row: the lower one, then the upper one.
    reasons: [Option<AtomId>; 2],
}

#[derive(Debug)]
struct Atom {
    form: u32,
    /// True if the inequality is `-form >= at_least`, false if it is `form >= at_least`.
    negated: bool,
    at_least: BigInt,
}

/// The linear program. Variables of columns come first.
#[derive(Debug)]
pub struct System {
    simplex: Simplex,
    /// For each column: the change of each place per unit of the column.
    columns: Vec<Vec<(u32, i64)>>,
    /// For each place: the columns that change it, with their coefficients.
    changes: Rows<(u32, i64)>,
    start: Vec<u64>,
    forms: Vec<Form>,
    form_of: BTreeMap<Vec<(u32, BigInt)>, u32>,
    form_of_var: BTreeMap<Var, u32>,
    atoms: Vec<Atom>,
    traps: u32,
    asserted: Vec<AtomId>,
}

impl System {
    /// Builds the program of a net with [`Rules::small`] numbers. Returns `None` if it would be too large.
    #[must_use]
    pub fn new(rules: &Rules, whole: &[bool]) -> Option<Self> {
        debug_assert!(rules.small);
        if rules.places() > MOST_PLACES {
            return None;
        }
        let Columns { columns, bounds, limits, numbers, .. } = Columns::new(rules, whole)?;
        let mut simplex = Simplex::default();
        for most in &bounds {
            simplex.column(Rational::ZERO, most.map(Rational::from));
        }
        let mut entries = Vec::with_capacity(numbers);
        for (column, terms) in (0u32..).zip(&columns) {
            entries.extend(terms.iter().map(|(p, c)| (*p, (column, *c))));
        }
        for (firings, moved, most) in limits {
            let mut terms = vec![(moved, Rational::from(-1))];
            if most > 0 {
                terms.push((firings, Rational::from(most)));
            }
            terms.sort_by_key(|t| t.0);
            let row = simplex.row(&terms);
            simplex.set_lower(row, Some(Rational::ZERO));
        }
        Some(Self {
            simplex,
            changes: Rows::sorted(rules.places(), entries),
            columns,
            start: rules.initial.clone(),
            forms: Vec::new(),
            form_of: BTreeMap::new(),
            form_of_var: BTreeMap::new(),
            atoms: Vec::new(),
            traps: 0,
            asserted: Vec::new(),
        })
    }

    /// Adds the inequality `sum of terms >= at_least`, which may be asserted later. `terms` are ascending,
    /// without zeros and not empty.
    pub fn atom(&mut self, terms: &[(u32, BigInt)], at_least: &BigInt) -> AtomId {
        let negated = terms.first().is_some_and(|t| t.1.is_negative());
        let terms = terms.iter().map(|(p, c)| (*p, if negated { -c } else { c.clone() })).collect();
        let form = self.form(terms);
        self.atoms.push(Atom { form, negated, at_least: at_least.clone() });
        AtomId(self.atoms.len() as u32 - 1)
    }

    /// Adds a trap: one of these places (ascending) is always marked.
    pub fn add_trap(&mut self, places: &[u32]) -> TrapId {
        let number = self.form(places.iter().map(|p| (*p, BigInt::one())).collect());
        let form = &mut self.forms[number as usize];
        if let Some(known) = form.trap {
            return known;
        }
        let trap = TrapId(self.traps);
        self.traps += 1;
        (form.base, form.trap) = (Some(BigInt::one()), Some(trap));
        self.refresh(number);
        trap
    }

    /// Returns the work units done so far.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.simplex.work()
    }

    /// Returns the number of rows of the tableau and the number of terms in them.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        self.simplex.size()
    }

    /// Looks for a solution that satisfies these inequalities, with at most about `limit` units of work per
    /// call.
    pub fn solve(&mut self, atoms: &[AtomId], limit: u64) -> Feasibility {
        self.assert(atoms);
        let end = self.work().saturating_add(limit);
        loop {
            let left = end.saturating_sub(self.work());
            if left == 0 {
                return Feasibility::More;
            }
            match self.simplex.check(left) {
                Check::More => return Feasibility::More,
                Check::Conflict(blames) => return Feasibility::Refuted(self.refutation(&blames)),
                Check::Feasible => {
                    if !self.add_rows() {
                        return Feasibility::Feasible;
                    }
                }
            }
        }
    }

    /// Returns the marking of the last solution, indexed by place.
    #[must_use]
    pub fn marking(&self) -> Vec<Rational> {
        let mut marking: Vec<Rational> = self.start.iter().map(|n| Rational::from(n.cast_signed())).collect();
        for (column, terms) in self.columns.iter().enumerate() {
            let value = self.simplex.value(column as Var);
            if !value.is_zero() {
                for (p, c) in terms {
                    let tokens = &mut marking[*p as usize];
                    *tokens = tokens.plus(&value.times(&Rational::from(*c)));
                }
            }
        }
        marking
    }

    /// Adds rows for places with a negative count in the solution. Returns true if there are such places.
    fn add_rows(&mut self) -> bool {
        let mut below: Vec<(Rational, u32)> =
            (0..).zip(self.marking()).filter(|(_, n)| n.is_negative()).map(|(p, n)| (n, p)).collect();
        below.sort();
        for (_, place) in below.iter().take(ROWS_AT_A_TIME) {
            self.form(vec![(*place, BigInt::one())]);
        }
        !below.is_empty()
    }

    /// Returns the row of a sum of places, which is added if it is new.
    fn form(&mut self, terms: Vec<(u32, BigInt)>) -> u32 {
        if let Some(form) = self.form_of.get(&terms) {
            return *form;
        }
        let mut sum: BTreeMap<Var, Rational> = BTreeMap::new();
        for (place, weight) in &terms {
            let weight = Rational::from(weight);
            for (column, c) in self.changes.row(*place as usize) {
                let total = sum.entry(*column).or_insert(Rational::ZERO);
                *total = total.plus(&weight.times(&Rational::from(*c)));
            }
        }
        let sum: Vec<(Var, Rational)> = sum.into_iter().filter(|(_, c)| !c.is_zero()).collect();
        let var = self.simplex.row(&sum);
        let start = terms.iter().map(|(p, c)| c * self.start[*p as usize]).sum();
        let is_place = matches!(terms.as_slice(), [(_, c)] if c.is_one());
        let base = is_place.then(BigInt::zero);
        let number = self.forms.len() as u32;
        self.form_of.insert(terms.clone(), number);
        self.form_of_var.insert(var, number);
        self.forms.push(Form { terms, var, start, base, trap: None, reasons: [None, None] });
        self.refresh(number);
        number
    }

    /// Sets the bounds of a row to the strongest ones that are asserted or always hold.
    fn refresh(&mut self, form: u32) {
        let form = &mut self.forms[form as usize];
        let atom = |reason: Option<AtomId>| reason.map(|a| &self.atoms[a.0 as usize].at_least);
        let [lower, upper] = form.reasons;
        if let (Some(base), Some(asked)) = (&form.base, atom(lower))
            && asked <= base
        {
            form.reasons[0] = None;
        }
        let lower = atom(form.reasons[0]).or(form.base.as_ref()).map(|b| Rational::from(&(b - &form.start)));
        let upper = atom(upper).map(|b| Rational::from(&(-b - &form.start)));
        self.simplex.set_lower(form.var, lower);
        self.simplex.set_upper(form.var, upper);
    }

    /// Asserts these inequalities and retracts all others.
    fn assert(&mut self, atoms: &[AtomId]) {
        if self.asserted == atoms {
            return;
        }
        let mut reasons: BTreeMap<u32, [Option<AtomId>; 2]> = BTreeMap::new();
        for old in mem::replace(&mut self.asserted, atoms.to_vec()) {
            reasons.insert(self.atoms[old.0 as usize].form, [None, None]);
        }
        for id in atoms {
            let atom = &self.atoms[id.0 as usize];
            let reason = &mut reasons.entry(atom.form).or_default()[usize::from(atom.negated)];
            if reason.is_none_or(|r| self.atoms[r.0 as usize].at_least < atom.at_least) {
                *reason = Some(*id);
            }
        }
        for (form, reasons) in reasons {
            self.forms[form as usize].reasons = reasons;
            self.refresh(form);
        }
    }

    /// Turns a conflict into integer multipliers and weights. The bound of the refutation still lacks its
    /// right-hand side.
    fn refutation(&self, blames: &[Blame]) -> Refutation {
        let scale = common_denominator(blames.iter().map(|b| &b.multiplier));
        let mut refutation = Refutation::default();
        let mut weights = Weights::new();
        for blame in blames {
            let Some(form) = self.form_of_var.get(&blame.var) else { continue };
            let form = &self.forms[*form as usize];
            let multiplier = blame.multiplier.numerator() * (&scale / blame.multiplier.denominator());
            let times = multiplier.magnitude().clone();
            match (form.reasons[usize::from(blame.upper)], form.trap) {
                (Some(atom), _) => refutation.atoms.push((atom, times)),
                (None, Some(trap)) => refutation.traps.push((trap, times)),
                (None, None) => {}
            }
            let multiplier = if blame.upper { -multiplier } else { multiplier };
            for (place, c) in &form.terms {
                *weights.entry(*place).or_default() += c * &multiplier;
            }
        }
        weights.retain(|_, w| !w.is_zero());
        if !weights.is_empty() {
            let content = common_divisor(weights.values());
            let terms = weights.into_iter().map(|(p, w)| (PlaceId(p), w / &content)).collect();
            refutation.bound = Some((AtMost { terms, at_most: BigInt::zero() }, content.magnitude().clone()));
        }
        refutation
    }

    /// Computes the right-hand side of the bound of a refutation, and checks the whole refutation in integers.
    /// Returns `None` if the check fails.
    #[must_use]
    pub fn checked(&self, mut refutation: Refutation, rules: &Rules, whole: &[bool]) -> Option<Refutation> {
        let int = |n: &BigUint| BigInt::from(n.clone());
        let mut surplus = BigInt::zero();
        let mut left = Weights::new();
        for (id, times) in &refutation.atoms {
            let atom = &self.atoms[id.0 as usize];
            surplus += &atom.at_least * int(times);
            let times = if atom.negated { -int(times) } else { int(times) };
            for (place, c) in &self.forms[atom.form as usize].terms {
                *left.entry(*place).or_default() += c * &times;
            }
        }
        for (trap, times) in &refutation.traps {
            let form = self.forms.iter().find(|f| f.trap == Some(*trap))?;
            surplus += int(times);
            form.terms.iter().for_each(|(place, c)| *left.entry(*place).or_default() += c * int(times));
        }
        if let Some((bound, times)) = &mut refutation.bound {
            let weights: Weights = bound.terms.iter().map(|(p, w)| (p.0, w.clone())).collect();
            bound.at_most = greatest_at_start(rules, &weights)?;
            surplus -= &bound.at_most * int(times);
            weights.iter().for_each(|(place, w)| *left.entry(*place).or_default() -= w * int(times));
            if !is_inductive(rules, whole, &weights) {
                return None;
            }
        }
        (surplus.is_positive() && left.values().all(|w| !w.is_positive())).then_some(refutation)
    }
}

/// The columns while they are collected.
#[derive(Default)]
struct Columns {
    columns: Vec<Vec<(u32, i64)>>,
    /// For each column: its upper bound.
    bounds: Vec<Option<i64>>,
    /// Triples (firings, moved, most): the column `moved` is at most `most` times the column `firings`.
    limits: Vec<(Var, Var, i64)>,
    /// Columns without upper bound, so that equal columns are added once.
    known: BTreeMap<Vec<(u32, i64)>, Var>,
    numbers: usize,
}

impl Columns {
    fn new(rules: &Rules, whole: &[bool]) -> Option<Self> {
        let mut columns = Self::default();
        for t in 0..rules.transitions() {
            columns.transition(rules, t);
            if columns.numbers > MOST_NUMBERS {
                return None;
            }
        }
        for (p, _) in (0u32..).zip(whole).filter(|(_, whole)| !**whole) {
            columns.free(vec![(p, -1)]);
        }
        for (p, (least, most)) in (0u32..).zip(rules.initial.iter().zip(&rules.initial_most)) {
            if most > least {
                let most = (*most < u64::MAX).then(|| (most - least).cast_signed());
                columns.push(vec![(p, 1)], most);
            }
        }
        Some(columns)
    }

    fn transition(&mut self, rules: &Rules, t: usize) {
        let mut constant: BTreeMap<u32, i64> = BTreeMap::new();
        // For each place that tokens are moved from: the change of each place per moved token.
        let mut moves: BTreeMap<u32, BTreeMap<u32, i64>> = BTreeMap::new();
        for change in rules.changes.row(t) {
            *constant.entry(change.place).or_default() += change.add;
            if let Some((from, to)) = change.sources {
                *moves.entry(change.place).or_default().entry(change.place).or_default() -= 1;
                for source in &rules.sources[from as usize..to as usize] {
                    *moves.entry(*source).or_default().entry(change.place).or_default() += 1;
                }
            }
        }
        let mut limited = Vec::new();
        for (source, becomes) in moves {
            let becomes: Vec<(u32, i64)> = becomes.into_iter().filter(|(_, c)| *c != 0).collect();
            if becomes.is_empty() {
                continue;
            }
            let guard = rules.guards.row(t).iter().find(|g| g.place == source);
            let (least, most) = guard.map_or((0, u64::MAX), |g| (g.least, g.most));
            for (place, c) in &becomes {
                *constant.entry(*place).or_default() += c * least.cast_signed();
            }
            match most {
                u64::MAX => {
                    self.free(becomes);
                }
                most if most > least => limited.push((becomes, (most - least).cast_signed())),
                _ => {}
            }
        }
        let constant: Vec<(u32, i64)> = constant.into_iter().filter(|(_, c)| *c != 0).collect();
        if limited.is_empty() {
            if !constant.is_empty() {
                self.free(constant);
            }
            return;
        }
        let firings = self.push(constant, None);
        for (becomes, most) in limited {
            let moved = self.push(becomes, None);
            self.limits.push((firings, moved, most));
        }
    }

    fn free(&mut self, terms: Vec<(u32, i64)>) -> Var {
        match self.known.get(&terms) {
            Some(column) => *column,
            None => {
                let column = self.push(terms.clone(), None);
                self.known.insert(terms, column);
                column
            }
        }
    }

    fn push(&mut self, terms: Vec<(u32, i64)>, most: Option<i64>) -> Var {
        self.numbers += terms.len() + 1;
        self.columns.push(terms);
        self.bounds.push(most);
        self.columns.len() as Var - 1
    }
}

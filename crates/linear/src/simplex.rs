//! The simplex method for solvers that change bounds often: a tableau of exact fractions and bounds on every
//! variable. A conflict lists the bounds that contradict each other, with their multipliers.
//!
//! The algorithm is from B. Dutertre and L. de Moura, "A fast linear-arithmetic solver for DPLL(T)", CAV 2006.
//! It was chosen over a floating-point library for these reasons: its answers need no rounding, a solve starts
//! where the last one ended, rows can be added at any time, a solve can be interrupted between two pivots, and
//! infeasibility comes with a proof.

use super::rational::Rational;

/// A variable: a column (independent at first) or a row (a sum of columns).
pub type Var = u32;

/// A bound that takes part in a conflict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blame {
    /// The variable of the bound.
    pub var: Var,
    /// True for the upper bound of the variable, false for the lower one.
    pub upper: bool,
    /// The multiplier of the bound, which is positive.
    pub multiplier: Rational,
}

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    /// The values returned by [`Simplex::value`] satisfy all bounds.
    Feasible,
    /// The listed bounds contradict each other. Take the sum of multiplier times variable, negated for upper
    /// bounds. By the tableau it is 0; by the bounds it is greater than 0.
    Conflict(Vec<Blame>),
    /// The limit on work was reached before there was an answer.
    More,
}

/// The tableau of the simplex method.
#[derive(Debug, Default)]
pub struct Simplex {
    lower: Vec<Option<Rational>>,
    upper: Vec<Option<Rational>>,
    value: Vec<Rational>,
    /// For each variable: its row if the variable is basic.
    row_of: Vec<Option<u32>>,
    rows: Vec<Row>,
    /// For each variable: the number of rows in which it occurs.
    uses: Vec<u32>,
    /// Pivots since the last feasible state or change of bounds.
    pivots: u64,
    /// Numbers handled so far.
    work: u64,
    scratch: Vec<(Var, Rational)>,
}

/// A basic variable as a sum of others. The terms are ascending by variable, without zeros.
#[derive(Debug)]
struct Row {
    basic: Var,
    terms: Vec<(Var, Rational)>,
}

impl Row {
    fn coefficient(&self, var: Var) -> Option<&Rational> {
        self.terms.binary_search_by_key(&var, |t| t.0).ok().map(|i| &self.terms[i].1)
    }
}

/// Numbers handled per unit of work.
const PER_UNIT: u64 = 64;

impl Simplex {
    /// Adds an independent variable. Its value starts at its lower bound, which it must have.
    pub fn column(&mut self, lower: Rational, upper: Option<Rational>) -> Var {
        self.variable(lower.clone(), Some(lower), upper, None)
    }

    fn variable(&mut self, value: Rational, lower: Option<Rational>, upper: Option<Rational>, row: Option<u32>) -> Var {
        let var = self.value.len() as Var;
        self.value.push(value);
        self.lower.push(lower);
        self.upper.push(upper);
        self.row_of.push(row);
        self.uses.push(0);
        var
    }

    /// Adds an independent variable without bounds. Its value starts at 0.
    pub fn free_column(&mut self) -> Var {
        self.variable(Rational::ZERO, None, None, None)
    }

    /// Adds a variable that is a sum of others (ascending, no zeros), without bounds.
    pub fn row(&mut self, sum: &[(Var, Rational)]) -> Var {
        let mut terms: Vec<(Var, Rational)> = Vec::with_capacity(sum.len());
        let mut basics: Vec<(u32, Rational)> = Vec::new();
        for (var, c) in sum {
            match self.row_of[*var as usize] {
                Some(row) => basics.push((row, c.clone())),
                None => terms.push((*var, c.clone())),
            }
        }
        let mut next = Vec::new();
        for (row, c) in basics {
            self.work += (terms.len() + self.rows[row as usize].terms.len()) as u64;
            add_multiple(&terms, &c, &self.rows[row as usize].terms, &mut next);
            std::mem::swap(&mut terms, &mut next);
        }
        let value = terms.iter().fold(Rational::ZERO, |sum, (v, c)| sum.plus(&c.times(&self.value[*v as usize])));
        terms.iter().for_each(|(v, _)| self.uses[*v as usize] += 1);
        let row = self.rows.len() as u32;
        let basic = self.variable(value, None, None, Some(row));
        self.rows.push(Row { basic, terms });
        basic
    }

    /// Returns the current value of a variable.
    #[must_use]
    pub fn value(&self, var: Var) -> &Rational {
        &self.value[var as usize]
    }

    /// Returns the number of rows and the number of terms in them.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.rows.len(), self.rows.iter().map(|r| r.terms.len()).sum())
    }

    /// Returns the work units done so far. A unit takes about a microsecond.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.work / PER_UNIT
    }

    /// Changes the lower bound of a variable.
    pub fn set_lower(&mut self, var: Var, bound: Option<Rational>) {
        if self.lower[var as usize] != bound {
            self.lower[var as usize] = bound;
            self.settle(var);
        }
    }

    /// Changes the upper bound of a variable.
    pub fn set_upper(&mut self, var: Var, bound: Option<Rational>) {
        if self.upper[var as usize] != bound {
            self.upper[var as usize] = bound;
            self.settle(var);
        }
    }

    /// Moves the value of a nonbasic variable within its new bounds. If the bounds cross, no value is possible
    /// until one of them changes again.
    fn settle(&mut self, var: Var) {
        self.pivots = 0;
        let v = var as usize;
        if self.row_of[v].is_some() {
            return;
        }
        let value = &self.value[v];
        let next = match (&self.lower[v], &self.upper[v]) {
            (Some(least), _) if value < least => least.clone(),
            (_, Some(most)) if value > most => most.clone(),
            _ => return,
        };
        self.shift(var, next);
    }

    /// Gives a nonbasic variable another value.
    fn shift(&mut self, var: Var, value: Rational) {
        let change = value.minus(&self.value[var as usize]);
        for row in &self.rows {
            if let Some(c) = row.coefficient(var) {
                let basic = &mut self.value[row.basic as usize];
                *basic = basic.plus(&c.times(&change));
            }
        }
        self.work += self.rows.len() as u64;
        self.value[var as usize] = value;
    }

    /// Looks for values within all bounds, with at most about `limit` units of work.
    pub fn check(&mut self, limit: u64) -> Check {
        let end = self.work.saturating_add(limit.saturating_mul(PER_UNIT));
        if let Some(conflict) = self.crossed() {
            return Check::Conflict(conflict);
        }
        loop {
            // The row with the largest violation comes first. After many pivots, Bland's rule replaces this
            // choice, since it terminates.
            let bland = self.pivots > 200 + 4 * self.rows.len() as u64;
            let Some((row, up)) = self.violated(bland) else {
                self.pivots = 0;
                return Check::Feasible;
            };
            let Some(entering) = self.entering(row, up, bland) else { return Check::Conflict(self.blame(row, up)) };
            let basic = self.rows[row as usize].basic as usize;
            let bound = if up { self.lower[basic].clone() } else { self.upper[basic].clone() };
            self.pivot(row, entering, bound.expect("it is violated"));
            self.pivots += 1;
            if self.work >= end {
                return Check::More;
            }
        }
    }

    /// Finds a variable with a lower bound above its upper bound.
    fn crossed(&self) -> Option<Vec<Blame>> {
        let crossed = |v: &usize| matches!((&self.lower[*v], &self.upper[*v]), (Some(l), Some(u)) if l > u);
        let var = (0..self.value.len()).find(crossed)? as Var;
        let blame = |upper| Blame { var, upper, multiplier: Rational::ONE };
        Some(vec![blame(false), blame(true)])
    }

    /// Finds a row with a basic variable out of bounds. The flag is true if the value must grow.
    fn violated(&mut self, bland: bool) -> Option<(u32, bool)> {
        let mut worst: Option<(u32, bool, Rational)> = None;
        self.work += self.rows.len() as u64;
        for (number, row) in (0u32..).zip(&self.rows) {
            let (v, value) = (row.basic as usize, &self.value[row.basic as usize]);
            let (up, by) = match (&self.lower[v], &self.upper[v]) {
                (Some(least), _) if value < least => (true, least.minus(value)),
                (_, Some(most)) if value > most => (false, value.minus(most)),
                _ => continue,
            };
            let better =
                worst.as_ref().is_none_or(
                    |(best, _, most)| {
                        if bland { row.basic < self.rows[*best as usize].basic } else { by > *most }
                    },
                );
            if better {
                worst = Some((number, up, by));
            }
        }
        worst.map(|(row, up, _)| (row, up))
    }

    /// Finds a variable of the row that can move the value of the row in the needed direction.
    fn entering(&mut self, row: u32, up: bool, bland: bool) -> Option<Var> {
        let row = &self.rows[row as usize];
        self.work += row.terms.len() as u64;
        let free = |(var, c): &&(Var, Rational)| {
            let v = *var as usize;
            if c.is_positive() == up {
                self.upper[v].as_ref().is_none_or(|most| self.value[v] < *most)
            } else {
                self.lower[v].as_ref().is_none_or(|least| self.value[v] > *least)
            }
        };
        let mut candidates = row.terms.iter().filter(free).map(|t| t.0);
        if bland { candidates.next() } else { candidates.min_by_key(|v| (self.uses[*v as usize], *v)) }
    }

    /// Explains why the variable of the row cannot get within its bounds.
    fn blame(&self, row: u32, up: bool) -> Vec<Blame> {
        let row = &self.rows[row as usize];
        let own = Blame { var: row.basic, upper: !up, multiplier: Rational::ONE };
        let others = row.terms.iter().map(|(var, c)| Blame {
            var: *var,
            upper: c.is_positive() == up,
            multiplier: c.magnitude(),
        });
        std::iter::once(own).chain(others).collect()
    }

    /// Performs a pivot: the variable of the row takes the value `bound` and leaves the basis, and `entering`
    /// joins it.
    fn pivot(&mut self, row: u32, entering: Var, bound: Rational) {
        let r = row as usize;
        let leaving = self.rows[r].basic;
        let pivot = self.rows[r].coefficient(entering).expect("it was chosen from the row").clone();
        let by = bound.minus(&self.value[leaving as usize]).over(&pivot);
        // entering = (leaving - others) / pivot.
        let inverse = pivot.inverse();
        let minus = inverse.negated();
        let mut terms = std::mem::take(&mut self.rows[r].terms);
        terms.iter().for_each(|(v, _)| self.uses[*v as usize] -= 1);
        terms.retain(|(v, _)| *v != entering);
        terms.iter_mut().for_each(|(_, c)| *c = c.times(&minus));
        let at = terms.partition_point(|(v, _)| *v < leaving);
        terms.insert(at, (leaving, inverse));
        terms.iter().for_each(|(v, _)| self.uses[*v as usize] += 1);
        self.value[leaving as usize] = bound;
        self.value[entering as usize] = self.value[entering as usize].plus(&by);
        self.row_of[leaving as usize] = None;
        self.row_of[entering as usize] = Some(row);
        let mut next = std::mem::take(&mut self.scratch);
        self.work += self.rows.len() as u64;
        for (number, other) in self.rows.iter_mut().enumerate() {
            if number == r {
                continue;
            }
            let Ok(at) = other.terms.binary_search_by_key(&entering, |t| t.0) else { continue };
            let (_, c) = other.terms.remove(at);
            self.uses[entering as usize] -= 1;
            let value = &mut self.value[other.basic as usize];
            *value = value.plus(&c.times(&by));
            self.work += (other.terms.len() + terms.len()) as u64;
            other.terms.iter().for_each(|(v, _)| self.uses[*v as usize] -= 1);
            add_multiple(&other.terms, &c, &terms, &mut next);
            std::mem::swap(&mut other.terms, &mut next);
            other.terms.iter().for_each(|(v, _)| self.uses[*v as usize] += 1);
        }
        self.scratch = next;
        self.rows[r] = Row { basic: entering, terms };
    }

    #[cfg(test)]
    fn check_invariants(&self) {
        for row in &self.rows {
            let sum = row.terms.iter().fold(Rational::ZERO, |s, (v, c)| s.plus(&c.times(&self.value[*v as usize])));
            assert_eq!(sum, self.value[row.basic as usize]);
            assert!(row.terms.iter().all(|(v, c)| self.row_of[*v as usize].is_none() && !c.is_zero()));
        }
        for v in (0..self.value.len()).filter(|v| self.row_of[*v].is_none() && self.crossed().is_none()) {
            assert!(self.lower[v].as_ref().is_none_or(|l| *l <= self.value[v]));
            assert!(self.upper[v].as_ref().is_none_or(|u| *u >= self.value[v]));
        }
        for v in 0..self.value.len() {
            let uses = self.rows.iter().filter(|r| r.coefficient(v as Var).is_some()).count();
            assert_eq!(self.uses[v] as usize, uses);
        }
    }
}

/// Computes `sum = a + c * b`. All three are ascending by variable and without zeros.
fn add_multiple(a: &[(Var, Rational)], c: &Rational, b: &[(Var, Rational)], sum: &mut Vec<(Var, Rational)>) {
    sum.clear();
    sum.reserve(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].0.cmp(&b[j].0) {
            std::cmp::Ordering::Less => {
                sum.push(a[i].clone());
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                sum.push((b[j].0, c.times(&b[j].1)));
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                let total = a[i].1.plus(&c.times(&b[j].1));
                if !total.is_zero() {
                    sum.push((a[i].0, total));
                }
                i += 1;
                j += 1;
            }
        }
    }
    sum.extend_from_slice(&a[i..]);
    sum.extend(b[j..].iter().map(|(v, x)| (*v, c.times(x))));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(simplex: &Simplex, sums: &[Vec<(Var, i64)>], rows: &[Var], var: Var) -> Vec<Rational> {
        // The variable as a sum of columns.
        let columns = rows[0] as usize;
        let mut dense = vec![Rational::ZERO; columns];
        match rows.iter().position(|r| *r == var) {
            Some(i) => sums[i].iter().for_each(|(v, c)| dense[*v as usize] = Rational::from(*c)),
            None => dense[var as usize] = Rational::ONE,
        }
        assert!(simplex.value.len() >= columns);
        dense
    }

    proptest! {
        /// Feasible values are within all bounds. A conflict is a sum of bounds that is 0 by the tableau and
        /// positive by the bounds.
        #[test]
        fn answers_explain_themselves(
            sums in prop::collection::vec(prop::collection::vec(-3i64..=3, 4), 1..6),
            bounds in prop::collection::vec((0usize..6, prop::bool::ANY, -6i64..=6), 1..14),
        ) {
            let mut simplex = Simplex::default();
            (0..4).for_each(|_| { simplex.column(Rational::ZERO, None); });
            let sums: Vec<Vec<(Var, i64)>> = sums.iter()
                .map(|s| (0..).zip(s).filter(|(_, c)| **c != 0).map(|(v, c)| (v, *c)).collect()).collect();
            let mut rows = Vec::new();
            for (i, (row, upper, bound)) in bounds.into_iter().enumerate() {
                // Rows are added one by one, between checks.
                if rows.len() < sums.len() && (i % 2 == 0) {
                    let terms: Vec<_> = sums[rows.len()].iter().map(|(v, c)| (*v, Rational::from(*c))).collect();
                    rows.push(simplex.row(&terms));
                }
                let var = rows[row % rows.len()];
                let bound = Some(Rational::from(bound));
                if upper { simplex.set_upper(var, bound) } else { simplex.set_lower(var, bound) }
                let answer = simplex.check(1_000_000);
                simplex.check_invariants();
                match answer {
                    Check::Feasible => {
                        for v in 0..simplex.value.len() {
                            prop_assert!(simplex.lower[v].as_ref().is_none_or(|l| *l <= simplex.value[v]));
                            prop_assert!(simplex.upper[v].as_ref().is_none_or(|u| *u >= simplex.value[v]));
                        }
                        for (s, var) in sums.iter().zip(&rows) {
                            let total = s.iter().fold(Rational::ZERO, |t, (v, c)|
                                t.plus(&Rational::from(*c).times(simplex.value(*v))));
                            prop_assert_eq!(&total, simplex.value(*var));
                        }
                    }
                    Check::Conflict(blames) => {
                        let mut nothing = vec![Rational::ZERO; 4];
                        let mut much = Rational::ZERO;
                        for b in &blames {
                            prop_assert!(b.multiplier.is_positive());
                            let m = if b.upper { b.multiplier.negated() } else { b.multiplier.clone() };
                            let bound = if b.upper { &simplex.upper } else { &simplex.lower };
                            much = much.plus(&m.times(bound[b.var as usize].as_ref().unwrap()));
                            for (n, c) in nothing.iter_mut().zip(sum(&simplex, &sums, &rows, b.var)) {
                                *n = n.plus(&m.times(&c));
                            }
                        }
                        prop_assert!(nothing.iter().all(Rational::is_zero));
                        prop_assert!(much.is_positive());
                        // The bounds of the conflict are removed, so that later checks can succeed.
                        for b in &blames {
                            if rows.contains(&b.var) {
                                if b.upper { simplex.set_upper(b.var, None) } else { simplex.set_lower(b.var, None) }
                            }
                        }
                    }
                    Check::More => prop_assert!(false, "no work for so small a tableau"),
                }
            }
        }
    }
}

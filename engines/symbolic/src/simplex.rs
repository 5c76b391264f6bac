//! Contradictions of linear constraints over the rationals, with Farkas multipliers.
//!
//! The simplex method for satisfiability (B. Dutertre, L. de Moura: A fast linear-arithmetic solver for DPLL(T), CAV
//! 2006) with Bland's rule, so it ends. Numbers are exact.

use model::data::{Constraint, Symbol};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

type BigRational = Ratio<BigInt>;

/// What is known about constraints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rational {
    /// The constraints with these positions, multiplied by these positive numbers, add up to a positive constant.
    Contradiction(Vec<(u32, BigInt)>),
    /// Rational values that satisfy all constraints.
    Model(BTreeMap<Symbol, Ratio<BigInt>>),
}

/// Each column is a symbol, or the slack of a constraint; the slack is the sum of the symbols, and at most its bound.
struct Simplex {
    symbols: Vec<Symbol>,
    /// For each slack: its bound.
    bounds: Vec<BigRational>,
    values: Vec<BigRational>,
    /// For each basic column: its definition by columns that are not basic.
    rows: BTreeMap<usize, BTreeMap<usize, BigRational>>,
}

/// Decides whether rational numbers satisfy all constraints.
#[must_use]
pub fn solve(facts: &[Constraint]) -> Rational {
    for (number, fact) in facts.iter().enumerate() {
        if fact.as_truth() == Some(false) {
            return Rational::Contradiction(vec![(position(number), BigInt::one())]);
        }
    }
    let tightest = tightest(facts);
    for (terms, number) in &tightest {
        let opposite: Vec<(Symbol, BigInt)> = terms.iter().map(|(symbol, factor)| (*symbol, -factor)).collect();
        if let Some(other) = tightest.get(opposite.as_slice())
            && (facts[*number].term().constant() + facts[*other].term().constant()).is_positive()
        {
            return Rational::Contradiction(vec![
                (position(*number), BigInt::one()),
                (position(*other), BigInt::one()),
            ]);
        }
    }
    let numbers: Vec<usize> = tightest.into_values().collect();
    let kept: Vec<&Constraint> = numbers.iter().map(|number| &facts[*number]).collect();
    if kept.iter().all(|fact| fact.term().terms().len() == 1) {
        return Rational::Model(within_bounds(&kept));
    }
    let mut simplex = Simplex::new(&kept);
    loop {
        let Some(low) = simplex.violated() else { return Rational::Model(simplex.model()) };
        match simplex.entering(low) {
            Some(column) => simplex.pivot(low, column),
            None => {
                let multipliers = simplex.multipliers(low).into_iter();
                let named = multipliers.map(|(row, factor)| (position(numbers[row as usize]), factor));
                return Rational::Contradiction(named.collect());
            }
        }
    }
}

/// Returns for each sum of symbols the number of the constraint with the largest constant, which implies the others.
fn tightest(facts: &[Constraint]) -> BTreeMap<&[(Symbol, BigInt)], usize> {
    let mut tightest: BTreeMap<&[(Symbol, BigInt)], usize> = BTreeMap::new();
    for (number, fact) in facts.iter().enumerate().filter(|(_, fact)| fact.as_truth().is_none()) {
        let best = tightest.entry(fact.term().terms()).or_insert(number);
        if fact.term().constant() > facts[*best].term().constant() {
            *best = number;
        }
    }
    tightest
}

/// Returns values that satisfy bounds of single symbols, which do not contradict each other.
fn within_bounds(bounds: &[&Constraint]) -> BTreeMap<Symbol, BigRational> {
    let mut values: BTreeMap<Symbol, BigRational> = BTreeMap::new();
    for bound in bounds {
        let (symbol, factor) = &bound.term().terms()[0];
        let limit = Ratio::new(-bound.term().constant(), factor.clone());
        let value = values.entry(*symbol).or_insert_with(BigRational::zero);
        let is_met = if factor.is_positive() { *value <= limit } else { *value >= limit };
        if !is_met {
            *value = limit;
        }
    }
    values
}

fn position(number: usize) -> u32 {
    u32::try_from(number).expect("facts are few")
}

impl Simplex {
    fn new(facts: &[&Constraint]) -> Self {
        let mut columns: BTreeMap<Symbol, usize> = BTreeMap::new();
        for (symbol, _) in facts.iter().flat_map(|fact| fact.term().terms()) {
            columns.insert(*symbol, 0);
        }
        let symbols: Vec<Symbol> = columns.keys().copied().collect();
        columns.values_mut().enumerate().for_each(|(number, column)| *column = number);
        let count = symbols.len();
        let mut rows = BTreeMap::new();
        for (number, fact) in facts.iter().enumerate() {
            let term = fact.term().terms().iter();
            let row = term.map(|(symbol, factor)| (columns[symbol], BigRational::from_integer(factor.clone())));
            rows.insert(count + number, row.collect());
        }
        let bounds = facts.iter().map(|fact| BigRational::from_integer(-fact.term().constant())).collect();
        Self { symbols, bounds, values: vec![BigRational::zero(); count + facts.len()], rows }
    }

    fn bound(&self, column: usize) -> Option<&BigRational> {
        column.checked_sub(self.symbols.len()).map(|slack| &self.bounds[slack])
    }

    /// Returns the first basic slack above its bound.
    fn violated(&self) -> Option<usize> {
        self.rows.keys().copied().find(|column| self.bound(*column).is_some_and(|bound| self.values[*column] > *bound))
    }

    /// Returns the first column that can change so that the basic column falls.
    fn entering(&self, basic: usize) -> Option<usize> {
        let can_rise = |column: usize| self.bound(column).is_none_or(|bound| self.values[column] < *bound);
        let fits =
            |(column, factor): (&usize, &BigRational)| (factor.is_positive() || can_rise(*column)).then_some(*column);
        self.rows[&basic].iter().find_map(fits)
    }

    /// Sets the basic column to its bound, by changing the other column, and swaps them.
    fn pivot(&mut self, basic: usize, column: usize) {
        let mut row = self.rows.remove(&basic).expect("the column is basic");
        let factor = row.remove(&column).expect("the column is in the row");
        let bound = self.bound(basic).expect("slacks have bounds").clone();
        let change = (&bound - &self.values[basic]) / &factor;
        self.values[basic] = bound;
        self.values[column] += &change;
        // column = (basic - rest) / factor
        let mut solved: BTreeMap<usize, BigRational> = row.into_iter().map(|(c, f)| (c, -f / &factor)).collect();
        solved.insert(basic, factor.recip());
        for (other, definition) in &mut self.rows {
            let Some(times) = definition.remove(&column) else { continue };
            self.values[*other] += &change * &times;
            for (c, f) in &solved {
                let entry = definition.entry(*c).or_insert_with(BigRational::zero);
                *entry += f * &times;
                if entry.is_zero() {
                    definition.remove(c);
                }
            }
        }
        self.rows.insert(column, solved);
    }

    /// Returns the multipliers of a contradiction: the basic slack is too large, and every slack in its row is at its
    /// bound and has a negative factor.
    fn multipliers(&self, basic: usize) -> Vec<(u32, BigInt)> {
        let count = self.symbols.len();
        let one = BigRational::one();
        let others = self.rows[&basic].iter().map(|(column, factor)| (*column, -factor));
        let all: Vec<(usize, BigRational)> = [(basic, one)].into_iter().chain(others).collect();
        debug_assert!(all.iter().all(|(column, factor)| *column >= count && factor.is_positive()));
        let scale = all.iter().fold(BigInt::one(), |scale, (_, factor)| scale.lcm(factor.denom()));
        let whole = |(column, factor): (usize, BigRational)| {
            (position(column - count), (factor * BigRational::from_integer(scale.clone())).to_integer())
        };
        all.into_iter().map(whole).collect()
    }

    fn model(&self) -> BTreeMap<Symbol, BigRational> {
        self.symbols.iter().copied().zip(self.values.iter().cloned()).collect()
    }
}

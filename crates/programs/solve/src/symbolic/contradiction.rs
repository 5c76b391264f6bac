//! Contradictions of linear constraints over the rationals, with Farkas multipliers, and values that satisfy them.
//!
//! What is easy is found without a tableau: two bounds of one sum that contradict each other, and bounds of single
//! symbols. The rest is left to the simplex method ([`linear::simplex`]).

use linear::Rational;
use linear::rational::common_denominator;
use linear::simplex::{Check, Simplex, Var};
use model::data::{Constraint, Symbol};
use num_bigint::BigInt;
use num_traits::{One, Signed};
use std::collections::BTreeMap;

/// What is known about constraints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The constraints with these positions, multiplied by these positive numbers, add up to a positive constant.
    Contradiction(Vec<(u32, BigInt)>),
    /// Rational values that satisfy all constraints.
    Model(BTreeMap<Symbol, Rational>),
}

/// Decides whether rational numbers satisfy all constraints.
#[must_use]
pub fn solve(facts: &[Constraint]) -> Answer {
    if let Some(number) = facts.iter().position(|fact| fact.as_truth() == Some(false)) {
        return Answer::Contradiction(vec![(position(number), BigInt::one())]);
    }
    let tightest = tightest(facts);
    for (terms, number) in &tightest {
        let opposite: Vec<(Symbol, BigInt)> = terms.iter().map(|(symbol, factor)| (*symbol, -factor)).collect();
        if let Some(other) = tightest.get(opposite.as_slice())
            && (facts[*number].term().constant() + facts[*other].term().constant()).is_positive()
        {
            return Answer::Contradiction([number, other].map(|n| (position(*n), BigInt::one())).into());
        }
    }
    let numbers: Vec<usize> = tightest.into_values().collect();
    if numbers.iter().all(|number| facts[*number].term().terms().len() == 1) {
        return Answer::Model(within_bounds(numbers.iter().map(|number| &facts[*number])));
    }
    by_simplex(facts, &numbers)
}

/// Decides the facts with these numbers by the simplex method. Each fact is a row with an upper bound.
fn by_simplex(facts: &[Constraint], numbers: &[usize]) -> Answer {
    let mut simplex = Simplex::default();
    let mut columns: BTreeMap<Symbol, Var> = BTreeMap::new();
    for (symbol, _) in numbers.iter().flat_map(|number| facts[*number].term().terms()) {
        columns.entry(*symbol).or_insert_with(|| simplex.free_column());
    }
    let mut rows: BTreeMap<Var, usize> = BTreeMap::new();
    for number in numbers {
        let term = facts[*number].term();
        let mut sum: Vec<(Var, Rational)> =
            term.terms().iter().map(|(symbol, factor)| (columns[symbol], Rational::from(factor))).collect();
        sum.sort_by_key(|(column, _)| *column);
        let row = simplex.row(&sum);
        simplex.set_upper(row, Some(Rational::from(term.constant()).negated()));
        rows.insert(row, *number);
    }
    match simplex.check(u64::MAX) {
        Check::Conflict(blames) => {
            let scale = Rational::from(&common_denominator(blames.iter().map(|blame| &blame.multiplier)));
            let whole = |multiplier: &Rational| multiplier.times(&scale).numerator();
            Answer::Contradiction(blames.iter().map(|b| (position(rows[&b.var]), whole(&b.multiplier))).collect())
        }
        Check::More => unreachable!("the work has no limit"),
        Check::Feasible => {
            Answer::Model(columns.into_iter().map(|(symbol, column)| (symbol, simplex.value(column).clone())).collect())
        }
    }
}

fn position(number: usize) -> u32 {
    u32::try_from(number).expect("facts are few")
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
fn within_bounds<'c>(bounds: impl Iterator<Item = &'c Constraint>) -> BTreeMap<Symbol, Rational> {
    let mut values: BTreeMap<Symbol, Rational> = BTreeMap::new();
    for bound in bounds {
        let (symbol, factor) = &bound.term().terms()[0];
        let limit = Rational::from(bound.term().constant()).negated().over(&Rational::from(factor));
        let value = values.entry(*symbol).or_insert(Rational::ZERO);
        let is_met = if factor.is_positive() { *value <= limit } else { *value >= limit };
        if !is_met {
            *value = limit;
        }
    }
    values
}

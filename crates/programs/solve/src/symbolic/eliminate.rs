//! Elimination of arguments and inputs from conjunctions (Fourier-Motzkin).

use model::data::{Constraint, Linear, Symbol};
use num_bigint::BigInt;
use num_traits::{One, Signed};

/// The largest number of constraints of an elimination.
const MOST_CONSTRAINTS: usize = 1 << 8;

/// Eliminates all symbols but variables: the result holds for some values of the variables iff these can be extended to
/// the other symbols. `None` if this is not exact for integers (both factors of a pair differ from 1), or too large.
pub(crate) fn eliminate(mut constraints: Vec<Constraint>) -> Option<Vec<Constraint>> {
    while let Some((symbol, value)) = constraints.iter().find_map(|c| determined(c, &constraints)) {
        let of = |other: Symbol| (other == symbol).then(|| value.clone());
        constraints = constraints.iter().map(|c| c.substitute(&of)).filter(|c| c.as_truth() != Some(true)).collect();
    }
    let local = |constraint: &Constraint| {
        let mut terms = constraint.term().terms().iter();
        terms.find(|(symbol, _)| !matches!(symbol, Symbol::Variable(_))).map(|(symbol, _)| *symbol)
    };
    while let Some(symbol) = constraints.iter().find_map(local) {
        let (mut least, mut most, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for constraint in constraints {
            match factor(&constraint, symbol) {
                None => rest.push(constraint),
                Some(factor) if factor.is_positive() => most.push((factor, constraint)),
                Some(factor) => least.push((-factor, constraint)),
            }
        }
        for (low, a) in &least {
            for (high, b) in &most {
                if !low.is_one() && !high.is_one() {
                    return None;
                }
                let sum = Constraint::at_most_zero(&a.term().scaled(high).plus(low, b.term()));
                if sum.as_truth() != Some(true) && !rest.contains(&sum) {
                    rest.push(sum);
                }
            }
        }
        if rest.len() > MOST_CONSTRAINTS {
            return None;
        }
        constraints = rest;
    }
    Some(constraints)
}

fn factor(constraint: &Constraint, symbol: Symbol) -> Option<BigInt> {
    constraint.term().terms().iter().find(|(other, _)| *other == symbol).map(|(_, factor)| factor.clone())
}

/// Returns a local symbol with its value if the constraint and its mirror determine it.
pub(crate) fn determined(constraint: &Constraint, all: &[Constraint]) -> Option<(Symbol, Linear)> {
    let term = constraint.term();
    let mirror = Constraint::at_most_zero(&term.scaled(&BigInt::from(-1)));
    if !all.contains(&mirror) {
        return None;
    }
    let is_local = |symbol: &Symbol| !matches!(symbol, Symbol::Variable(_));
    let (symbol, factor) = term.terms().iter().find(|(symbol, f)| is_local(symbol) && f.abs().is_one())?;
    let rest = term.plus(&-factor, &Linear::of(*symbol));
    Some((*symbol, rest.scaled(&-factor)))
}

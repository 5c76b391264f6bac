//! Arithmetic with numbers of any size. It spends work in proportion to the size of the numbers, and asks for memory
//! before they grow.

use crate::Check;
use crate::work::Work;
use model::data::{Constraint, Linear, Symbol};
use num_bigint::BigInt;

/// Bytes of memory that a term takes for each symbol, besides the digits of the factor.
const TERM: usize = size_of::<(Symbol, BigInt)>();

/// Number of words of the longest term that messages show.
const LONG: u64 = 256;

/// The number of words of a number, at least 1.
pub(super) fn words(number: &BigInt) -> u64 {
    1 + number.bits() / 64
}

/// The number of words of a term.
pub(super) fn size(linear: &Linear) -> u64 {
    words(linear.constant()) + linear.terms().iter().map(|(_, factor)| 1 + words(factor)).sum::<u64>()
}

/// The term as text. Long numbers are left out: it takes time quadratic in their length to write them.
pub(super) fn shown(linear: &Linear) -> String {
    if size(linear) <= LONG { linear.to_string() } else { "a long term".to_owned() }
}

/// Returns the product of two numbers.
fn product(a: &BigInt, b: &BigInt, work: &mut Work<'_>) -> Check<BigInt> {
    let (m, n) = (words(a), words(b));
    work.spend(m.saturating_mul(n))?;
    work.grow(usize::try_from(8 * (m + n)).unwrap_or(usize::MAX))?;
    Ok(a * b)
}

/// Returns floor of `number / by` and the remainder. The divisor must be positive.
pub(super) fn divide(number: &BigInt, by: &BigInt, work: &mut Work<'_>) -> Check<(BigInt, BigInt)> {
    use num_traits::Euclid;
    work.spend(words(number).saturating_mul(words(by)))?;
    Ok(number.div_rem_euclid(by))
}

/// Returns the value of a term for these values of its symbols.
pub(super) fn value<'v>(
    linear: &Linear,
    of: impl Fn(Symbol) -> Check<&'v BigInt>,
    work: &mut Work<'_>,
) -> Check<BigInt> {
    let mut sum = linear.constant().clone();
    work.spend(words(&sum))?;
    for (symbol, factor) in linear.terms() {
        sum += product(factor, of(*symbol)?, work)?;
        work.spend(words(&sum))?;
    }
    Ok(sum)
}

/// Returns the sum of multiples of terms.
pub(super) fn sum<'l>(
    multiples: impl IntoIterator<Item = (&'l BigInt, &'l Linear)>,
    work: &mut Work<'_>,
) -> Check<Linear> {
    let (mut terms, mut constant) = (Vec::new(), BigInt::ZERO);
    for (multiplier, linear) in multiples {
        work.grow(linear.terms().len().saturating_mul(TERM))?;
        for (symbol, factor) in linear.terms() {
            terms.push((*symbol, product(multiplier, factor, work)?));
        }
        constant += product(multiplier, linear.constant(), work)?;
        work.spend(words(&constant))?;
    }
    let result = Linear::new(terms, constant);
    work.spend(size(&result))?;
    Ok(result)
}

/// Returns the term with symbols replaced by terms, all at once, where `of` gives one.
pub(super) fn substitute(
    linear: &Linear,
    of: impl Fn(Symbol) -> Check<Option<Linear>>,
    work: &mut Work<'_>,
) -> Check<Linear> {
    let mut parts = Vec::with_capacity(linear.terms().len());
    for (symbol, factor) in linear.terms() {
        let part = of(*symbol)?.unwrap_or_else(|| Linear::of(*symbol));
        work.spend(size(&part))?;
        work.grow(part.terms().len().saturating_mul(TERM))?;
        parts.push((factor, part));
    }
    let (one, constant) = (BigInt::from(1), Linear::number(linear.constant().clone()));
    sum(parts.iter().map(|(factor, part)| (*factor, part)).chain([(&one, &constant)]), work)
}

/// Returns the constraint `term <= 0`. Divisors of long numbers take time quadratic in their length.
pub(super) fn at_most_zero(term: &Linear, work: &mut Work<'_>) -> Check<Constraint> {
    let squares = term.terms().iter().map(|(_, factor)| words(factor).saturating_mul(words(factor)));
    work.spend(squares.fold(size(term), u64::saturating_add))?;
    Ok(Constraint::at_most_zero(term))
}

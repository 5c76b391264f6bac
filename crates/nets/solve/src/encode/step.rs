//! The next functions of numbers.
//!
//! Let fire(d) mean that a rule fires that changes the number by d. Let D be the number of different changes d.
//! Let touch mean that fire(d) holds for some d. Then bit k of the next frame is OR over d of (fire(d) and bit
//! k-d) OR (not touch and bit k). This takes 2D + 1 gates per bit.

use super::number::Number;
use super::rules::{Change, Rules, Sum, Var};
use super::unary;
use circuits::encode::CannotEncode;
use model::circuit::{CircuitBuilder, Signal};
use std::collections::BTreeMap;

/// The bits of sums, each with the signal that the sum is within the bound of its number. Equal sums are
/// computed once.
pub(crate) struct Sums<'n> {
    numbers: &'n [Number],
    limit: usize,
    known: BTreeMap<(Var, Sum), (Vec<Signal>, Signal)>,
}

impl<'n> Sums<'n> {
    pub(crate) fn new(numbers: &'n [Number], limit: usize) -> Self {
        Self { numbers, limit, known: BTreeMap::new() }
    }

    /// Returns the bits of `sum` in the encoding of `var`, and the signal that the sum is from 0 to the bound
    /// of `var`.
    pub(crate) fn of(
        &mut self,
        b: &mut CircuitBuilder,
        var: Var,
        sum: &Sum,
    ) -> Result<(Vec<Signal>, Signal), CannotEncode> {
        if let Some(known) = self.known.get(&(var, sum.clone())) {
            return Ok(known.clone());
        }
        let made = self.make(b, var, sum)?;
        self.known.insert((var, sum.clone()), made.clone());
        Ok(made)
    }

    fn make(&self, b: &mut CircuitBuilder, var: Var, sum: &Sum) -> Result<(Vec<Signal>, Signal), CannotEncode> {
        let number = &self.numbers[var];
        let less = self.total(b, &sum.minus, usize::MAX)?;
        // The sum is cut off only above `most`. This limit includes the amount subtracted afterwards, so that
        // the cut-off does not change the result.
        let taken = less.len() as u64 + sum.add.min(0).unsigned_abs();
        let most = number.bound.saturating_add(taken).saturating_add(1);
        let plus = self.total(b, &sum.plus, usize::try_from(most).unwrap_or(usize::MAX))?;
        if sum.add > 0 && sum.add.unsigned_abs() > self.limit as u64 {
            return Err(CannotEncode::TooLarge);
        }
        let (rest, mut fits) = (plus, Signal::TRUE);
        let rest = if sum.add > 0 { unary::shift(rest, sum.add).0 } else { rest };
        let (rest, covers) = unary::subtract(b, &rest, &less, self.limit)?;
        fits = b.and(fits, covers);
        let rest = if sum.add < 0 {
            let (rest, enough) = unary::shift(rest, sum.add);
            fits = b.and(fits, enough);
            rest
        } else {
            rest
        };
        let above = usize::try_from(number.bound).ok().and_then(|bound| rest.get(bound)).copied();
        fits = b.and(fits, !above.unwrap_or(Signal::FALSE));
        Ok((number.written(b, &rest), fits))
    }

    fn total(&self, b: &mut CircuitBuilder, vars: &[Var], most: usize) -> Result<Vec<Signal>, CannotEncode> {
        let mut total = Vec::new();
        for &var in vars {
            if self.numbers[var].bound > self.limit as u64 {
                return Err(CannotEncode::TooLarge);
            }
            let next = self.numbers[var].thermometer(b);
            total = unary::add(b, (&total, &next), most, self.limit)?;
        }
        Ok(total)
    }
}

/// Returns the bits of each number in the next frame, if rule `r` fires where `fires[r]` is true and at most
/// one rule fires.
pub(crate) fn next(
    b: &mut CircuitBuilder,
    rules: &Rules,
    fires: &[Signal],
    sums: &mut Sums<'_>,
) -> Result<Vec<Vec<Signal>>, CannotEncode> {
    let mut changes: Vec<BTreeMap<&Change, Vec<Signal>>> = vec![BTreeMap::new(); rules.bounds.len()];
    for (rule, &fire) in rules.rules.iter().zip(fires) {
        for (&var, change) in &rule.changes {
            changes[var].entry(change).or_default().push(fire);
        }
    }
    let mut next = Vec::with_capacity(changes.len());
    for (var, changes) in changes.iter().enumerate() {
        let number = &sums.numbers[var];
        let mut cases: Vec<(Signal, Vec<Signal>)> = Vec::with_capacity(changes.len() + 1);
        for (change, fires) in changes {
            let bits = match change {
                Change::By(by) => number.plus(b, *by),
                Change::To(sum) => sums.of(b, var, sum)?.0,
            };
            cases.push((b.any(fires), bits));
        }
        let touches: Vec<Signal> = cases.iter().map(|case| case.0).collect();
        cases.push((!b.any(&touches), number.bits.clone()));
        let mut bits = Vec::with_capacity(number.bits.len());
        for k in 0..number.bits.len() {
            let parts: Vec<Signal> = cases.iter().map(|(when, bits)| b.and(*when, bits[k])).collect();
            bits.push(b.any(&parts));
            unary::within(b, sums.limit)?;
        }
        next.push(bits);
    }
    Ok(next)
}

//! Initial markings that are not fixed: latches without reset, and constraints on them.
//!
//! A thermometer stays one, so its order is a constraint of every frame (and tells the engine something). All else is asked of the first
//! frame only, which a latch tells apart.

use super::number::{self, Encoding, Number};
use super::{goal, unary};
use crate::CannotEncode;
use model::circuit::{CircuitBuilder, Reset, Signal};

/// The counts a number may have at the start: the first to the second.
pub(crate) type Open = (u64, u64);

/// The latch that tells the first frame apart, made when it is needed.
#[derive(Default)]
pub(crate) struct First(Option<Signal>);

impl First {
    /// Asks for `signal` in the first frame.
    fn constrain(&mut self, b: &mut CircuitBuilder, signal: Signal) {
        if signal == Signal::TRUE {
            return;
        }
        let first = *self.0.get_or_insert_with(|| {
            let latch = b.circuit_mut().latch(Reset::One, Some("first".to_owned()));
            b.circuit_mut().set_next(latch, Signal::FALSE);
            b.circuit().latches()[latch.index()].signal
        });
        let broken = b.and(first, !signal);
        b.circuit_mut().constrain(!broken);
    }
}

/// Sees to it that in the first frame the number is one of `open`.
pub(crate) fn count(b: &mut CircuitBuilder, first: &mut First, number: &Number, open: Open) {
    let (least, most) = open;
    if least == most {
        return;
    }
    let index = |k: u64| usize::try_from(k).expect("numbers have been made");
    match number.encoding {
        Encoding::Thermometer => {
            for k in index(least) + 1..index(most) {
                let order = b.and(number.bits[k], !number.bits[k - 1]);
                b.circuit_mut().constrain(!order);
            }
        }
        Encoding::OneHot => {
            let mut before = Signal::FALSE;
            let mut ones = Signal::TRUE;
            for &bit in &number.bits[index(least)..=index(most)] {
                let two = b.and(before, bit);
                ones = b.and(ones, !two);
                before = b.or(before, bit);
            }
            let one = b.and(ones, before);
            first.constrain(b, one);
        }
        Encoding::Binary => {
            // Digits say more than the bound, which is no threshold of the number.
            let (from, above) = (number.at_least(b, least), number::at_least(b, &number.bits, most + 1));
            let within = b.and(from, !above);
            first.constrain(b, within);
        }
    }
}

/// Sees to it that in the first frame these numbers, whose counts are open, sum up to `total` at most, and that the budget is what they leave.
pub(crate) fn total(
    b: &mut CircuitBuilder,
    first: &mut First,
    (numbers, summed): (&[Number], &[usize]),
    (total, budget): (u64, Option<(&Number, Open)>),
    limit: usize,
) -> Result<(), CannotEncode> {
    let terms: Vec<(usize, i64)> = summed.iter().map(|&var| (var, -1)).collect();
    let at_most = |b: &mut CircuitBuilder, most: u64| {
        let most = i64::try_from(most).map_err(|_| CannotEncode::TooLarge)?;
        goal::linear(b, numbers, &terms, -most, limit)
    };
    let fits = at_most(b, total)?;
    first.constrain(b, fits);
    let Some((budget, (least, most))) = budget else { return Ok(()) };
    for left in least + 1..=most {
        let (has, leave) = (budget.at_least(b, left), at_most(b, total - left)?);
        let differ = b.xor(has, leave);
        first.constrain(b, !differ);
        unary::within(b, limit)?;
    }
    Ok(())
}

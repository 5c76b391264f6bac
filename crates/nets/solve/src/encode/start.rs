//! Initial markings that are not fixed: latches without reset, and constraints on them.
//!
//! The bits of a thermometer are ordered in every frame. So their order is a constraint of every frame, which
//! also helps the engine. All other constraints apply only to the first frame, which a latch marks.

use super::number::{self, Encoding, Number};
use super::{goal, unary};
use circuits::encode::CannotEncode;
use model::circuit::{CircuitBuilder, Reset, Signal};

/// The least and the greatest initial count of a number.
pub(crate) type Open = (u64, u64);

/// The latch that marks the first frame, created on first use.
#[derive(Default)]
pub(crate) struct First(Option<Signal>);

impl First {
    /// Adds the constraint that `signal` is true in the first frame.
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

/// Adds constraints so that the number is in the range `open` in the first frame.
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
            // The digits can represent counts above the bound, and `Number::at_least` has no threshold above
            // the bound.
            let (from, above) = (number.at_least(b, least), number::at_least(b, &number.bits, most + 1));
            let within = b.and(from, !above);
            first.constrain(b, within);
        }
    }
}

/// Adds constraints for the first frame: the sum of the numbers `summed` is at most `total`, and the budget is
/// `total` minus this sum. The initial counts of `summed` are not fixed.
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

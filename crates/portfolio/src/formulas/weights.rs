//! Weights of places such that no transition increases the weighted number of tokens, not even one that begins again
//! ([`certify::with_restart`]). They are a solution of linear inequalities, found by the simplex method with exact
//! fractions. (A net with such weights is structurally bounded; Murata, "Petri nets: Properties, analysis and
//! applications", Proceedings of the IEEE 1989, section VIII.)

use certify::Ordinary;
use linear::Rational;
use linear::rational::common_denominator;
use linear::simplex::{Check, Simplex};
use model::{Budget, PlaceId};
use num_bigint::{BigInt, BigUint};

/// Work between two looks at the budget.
const STRIDE: u64 = 1000;

/// Returns the only place that no transition consumes from.
pub(super) fn end(net: &Ordinary) -> Option<PlaceId> {
    let mut ends = (0..net.consumers.len()).filter(|place| net.consumers[*place].is_empty());
    let end = ends.next()?;
    ends.next().is_none().then_some(PlaceId::new(end))
}

/// Returns a weight of at least 1 for each place that is not left out. `None` if there are none, or the stop flag is
/// raised.
pub(super) fn of(net: &Ordinary, budget: &mut Budget) -> Option<Vec<(PlaceId, BigUint)>> {
    let mut simplex = Simplex::default();
    let places: Vec<u32> = net.consumers.iter().map(|_| simplex.column(Rational::ONE, None)).collect();
    for [from, to] in &net.arcs {
        let factor = |p: &&PlaceId| Rational::from(i64::from(to.contains(p)) - i64::from(from.contains(p)));
        let mut touched: Vec<&PlaceId> = from.iter().chain(to).collect();
        touched.sort_unstable();
        touched.dedup();
        let terms = touched.iter().map(|p| (places[p.index()], factor(p))).filter(|(_, factor)| !factor.is_zero());
        let terms: Vec<_> = terms.collect();
        if !terms.is_empty() {
            let row = simplex.row(&terms);
            simplex.set_upper(row, Some(Rational::ZERO));
        }
    }
    loop {
        let before = simplex.work();
        let answer = simplex.check(STRIDE);
        budget.spend(1 + simplex.work() - before);
        match answer {
            Check::Feasible => break,
            Check::More if budget.stop.raised().is_none() => {}
            Check::More | Check::Conflict(_) => return None,
        }
    }
    let scale = common_denominator(places.iter().map(|place| simplex.value(*place)));
    let whole = |place: usize| {
        let value = simplex.value(places[place]);
        let value: BigInt = value.numerator() * (&scale / value.denominator());
        Some((PlaceId::new(place), value.to_biguint()?))
    };
    (0..places.len()).filter(|place| !net.is_left_out[*place]).map(whole).collect()
}

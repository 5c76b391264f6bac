//! Encodes a net within a bound as a circuit.
//!
//! At most one transition fires per frame, selected by inputs. A transition that is not enabled, or would leave
//! the bound, changes nothing. So a run of the circuit, without the frames in which nothing fires, is a run of
//! the net. Every run of the net that stays within the bound is a run of the circuit.
//!
//! Sizes, for a place with bound B on which transitions make D distinct constant changes: a thermometer has B
//! latches and (2D + 1) B gates. One-hot has B + 1 latches and (2D + 1)(B + 1) gates. Binary has k =
//! ceil(log2(B + 1)) latches and about 4kD + (2D + 1) k gates. Each encoding needs one or two more gates for
//! every transition that touches the place. A transfer or another sum of two places costs about 2 B^2 gates.
//! `gates.rs` of the tests has the exact numbers.
//!
//! ```
//! use circuits::encode::Simulation;
//! use impasse_nets::encode::{Encoding, MOST_NODES, Within, encode};
//! use model::{Formula, Net, PlaceId, Range, TransitionId};
//! use testkit::net::{arcs, place};
//!
//! // A buffer starts empty. `put` adds an item, and `take` removes one.
//! let items = place("items", Range::exactly(0u8));
//! let net = Net::new(vec![items], vec![arcs("put", &[], &[(0, 1)]), arcs("take", &[(0, 1)], &[])]).unwrap();
//! let full = ("full".to_owned(), &Formula::cover(&[(PlaceId(0), 2u8.into())]));
//! let within = Within { each: Some(2), ..Within::default() };
//! let encoded = encode(&net, &within, Encoding::Thermometer, &[full], MOST_NODES).unwrap();
//! assert_eq!(encoded.circuit.latches().len(), 2, "at least one item, and at least two items");
//!
//! // The input selects the transition: false for `put`.
//! let mut frames = Simulation::new(&encoded.circuit, []);
//! for items in 0..2 {
//!     assert!(frames.frame(&[false]));
//!     assert_eq!(encoded.lift.marking(frames.latches()), [items]);
//!     assert_eq!(encoded.lift.fired(&frames), Some(TransitionId(0)));
//!     frames.step();
//! }
//! assert!(frames.frame(&[true]) && frames.value(encoded.circuit.outputs()[0].signal), "the goal is reached");
//! ```

mod goal;
mod lift;
mod number;
mod rules;
mod start;
mod step;
mod unary;

#[cfg(test)]
mod tests;

pub use lift::CircuitLift;
pub use number::Encoding;

use circuits::encode::{CannotEncode, select};
use model::circuit::{Circuit, CircuitBuilder, Signal};
use model::{Bound, Formula, Net};
use num_traits::ToPrimitive;
use number::Number;
pub use rules::Within;
use rules::{Change, Rules};
use start::{First, Open};

/// A limit on the number of nodes of a circuit, for callers of [`encode`] that need no smaller limit.
pub const MOST_NODES: usize = 1 << 25;

/// A circuit, and what its parts mean.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The encoded net within the bound. Its outputs are the goals, in the order given.
    pub circuit: Circuit,
    /// Lifts runs and clauses of the circuit to the net.
    pub lift: CircuitLift,
}

/// Encodes the net within a bound, with an output for each goal (its name and its formula). For a deadlock the
/// formula is [`model::deadlock_of`]. The cost is `O(size of the circuit)`.
///
/// # Errors
/// Fails if a place has no bound, if no initial marking is within the bounds, or if the circuit would have more
/// than `limit` nodes.
pub fn encode(
    net: &Net,
    within: &Within,
    encoding: Encoding,
    goals: &[(String, &Formula)],
    limit: usize,
) -> Result<Encoded, CannotEncode> {
    let rules = rules::rules(net, within)?;
    let open = initial(net, within, &rules)?;
    let mut b = CircuitBuilder::default();
    let numbers = numbers(&mut b, net, &rules, encoding, &open, limit)?;
    constrain_start(&mut b, within, &rules, &numbers, &open, limit)?;
    let mut sums = step::Sums::new(&numbers, limit);
    let fires = fires(&mut b, &rules, &numbers, &mut sums)?;
    let next = step::next(&mut b, &rules, &fires, &mut sums)?;
    for (bit, next) in numbers.iter().flat_map(|n| &n.bits).zip(next.iter().flatten()) {
        let model::circuit::Gate::Latch(latch) = b.circuit().gates()[bit.node()] else {
            unreachable!("numbers are made of latches")
        };
        b.circuit_mut().set_next(latch, *next);
    }
    for (name, formula) in goals {
        let signal = goal::formula(&mut b, &numbers, formula, limit)?;
        b.circuit_mut().output(signal, Some(name.clone()));
    }
    let circuit = b.finish();
    let lift = CircuitLift::new(net, &circuit, encoding, &numbers, rules.rules.iter().map(|r| r.transition).zip(fires));
    Ok(Encoded { circuit, lift })
}

/// Returns the range of initial counts of each number (a place or the budget, see the module `rules`), within
/// the bounds.
fn initial(net: &Net, within: &Within, rules: &Rules) -> Result<Vec<Open>, CannotEncode> {
    let mut open = Vec::with_capacity(rules.bounds.len());
    for (place, &bound) in net.places().iter().zip(&rules.bounds) {
        let least = place.initial.at_least.to_u64().ok_or(CannotEncode::TooLarge)?;
        let most = place.initial.at_most.as_ref().and_then(ToPrimitive::to_u64).map_or(bound, |most| most.min(bound));
        open.push((least, most));
    }
    let Some(total) = &within.total else { return Ok(open) };
    let sum = |end: fn(&Open) -> u64| {
        counted(total).iter().try_fold(0u64, |sum, &p| sum.checked_add(end(&open[p]))).ok_or(CannotEncode::TooLarge)
    };
    let left = total.most.checked_sub(sum(|o| o.0)?);
    let left = left.ok_or_else(|| CannotEncode::StartsOutside("the places counted together".to_owned()))?;
    let certain = total.most.saturating_sub(sum(|o| o.1)?);
    open.extend(rules.budget.map(|_| (certain, left)));
    Ok(open)
}

fn counted(total: &Bound) -> Vec<usize> {
    (0..total.counted.len()).filter(|&p| total.counted[p]).collect()
}

fn numbers(
    b: &mut CircuitBuilder,
    net: &Net,
    rules: &Rules,
    encoding: Encoding,
    open: &[Open],
    limit: usize,
) -> Result<Vec<Number>, CannotEncode> {
    let bits = rules.bounds.iter().fold(0u64, |sum, &bound| sum.saturating_add(encoding.width(bound)));
    if bits > limit as u64 {
        return Err(CannotEncode::TooLarge);
    }
    let mut numbers = Vec::with_capacity(rules.bounds.len());
    for (var, (&bound, &(least, most))) in rules.bounds.iter().zip(open).enumerate() {
        let place = net.places().get(var).map_or("budget", |place| place.name.as_str());
        let mut bits = Vec::new();
        for (k, reset) in (0u64..).zip(encoding.resets(bound, least, most)) {
            let latch = b.circuit_mut().latch(reset, Some(encoding.name(place, k)));
            bits.push(b.circuit().latches()[latch.index()].signal);
        }
        numbers.push(Number { encoding, bound, bits });
    }
    Ok(numbers)
}

fn constrain_start(
    b: &mut CircuitBuilder,
    within: &Within,
    rules: &Rules,
    numbers: &[Number],
    open: &[Open],
    limit: usize,
) -> Result<(), CannotEncode> {
    let mut first = First::default();
    for (number, &open) in numbers.iter().zip(open) {
        start::count(b, &mut first, number, open);
    }
    let Some(total) = &within.total else { return Ok(()) };
    let (summed, fixed): (Vec<usize>, Vec<usize>) = counted(total).into_iter().partition(|&p| open[p].0 < open[p].1);
    if summed.is_empty() {
        return Ok(());
    }
    let rest = fixed.iter().fold(total.most, |rest, &p| rest.saturating_sub(open[p].0));
    let budget = rules.budget.map(|budget| (&numbers[budget], open[budget]));
    start::total(b, &mut first, (numbers, &summed), (rest, budget), limit)
}

/// Returns for each rule the signal that it fires in this frame: it is selected, it is enabled, and it stays
/// within the bounds.
fn fires(
    b: &mut CircuitBuilder,
    rules: &Rules,
    numbers: &[Number],
    sums: &mut step::Sums<'_>,
) -> Result<Vec<Signal>, CannotEncode> {
    let chosen = select::one_of(b, rules.rules.len(), "transition");
    let mut fires = Vec::with_capacity(rules.rules.len());
    for (rule, chosen) in rules.rules.iter().zip(chosen) {
        let mut asked = vec![chosen];
        for (&var, &(least, most)) in &rule.guards {
            asked.push(numbers[var].within(b, least, most));
        }
        for (&var, change) in &rule.changes {
            if let Change::To(sum) = change {
                asked.push(sums.of(b, var, sum)?.1);
            }
        }
        fires.push(b.all(&asked));
    }
    Ok(fires)
}

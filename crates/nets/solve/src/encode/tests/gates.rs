//! Tests the exact sizes of circuits.
//!
//! The formulas in the literature omit what does not grow with the bound B. The complete sizes are listed here,
//! for a net in which each place is changed by r rules with D distinct constant changes d:
//!
//! * Next values: D + 1 conjunctions and D disjunctions per bit, which are 2D + 1 gates. Gates with a constant
//!   input are folded:
//!   * thermometer: for each d > 0 the d lowest bits save their conjunction (true is shifted in); for each d <
//!     0 the |d| highest bits save a conjunction and a disjunction (false is shifted in);
//!   * one-hot: for each d the |d| bits at one end save both;
//!   * binary: nothing is saved, and adding a constant takes a half adder per digit.
//! * Touch (the signal that some rule changes the place): r - D disjunctions to collect the rules of each
//!   change, and D - 1 to collect the changes.
//! * Selection: the decoder of T rules, and for each rule one conjunction per literal that its guards need.
//! * Guards: no gates for a thermometer.

use crate::encode::rules::Within;
use crate::encode::{Encoding, encode};
use model::{Net, Place, PlaceId, Range, Transition};
use num_bigint::BigUint;

/// Returns a ring of places with a token on the first. Each rule moves one token to the next place, so D = 2
/// and r = 2 for every place.
fn ring(places: u32) -> Net {
    let initial = |p: u32| Range::exactly(u8::from(p == 0));
    let one = || BigUint::from(1u8);
    let transitions = (0..places)
        .map(|p| Transition::from_arcs(format!("t{p}"), &[(PlaceId(p), one())], &[(PlaceId((p + 1) % places), one())]));
    let places = (0..places).map(|p| Place { name: format!("p{p}"), initial: initial(p) }).collect();
    Net::new(places, transitions.collect()).unwrap()
}

fn size(net: &Net, bound: u64, encoding: Encoding) -> (usize, usize) {
    let within = Within { each: Some(bound), ..Within::default() };
    let circuit = encode(net, &within, encoding, &[], 1 << 20).unwrap().circuit;
    (circuit.latches().len(), circuit.ands())
}

/// The decoder of four rules builds the four conjunctions of two digits. Each rule also needs `[p >= 1]` and
/// `[q < B]`, which takes two conjunctions.
const SELECTION: usize = 4 + 4 * 2;
/// D - 1 disjunctions for each place, because each change has one rule.
const TOUCH: usize = 4;

#[test]
fn a_thermometer_has_2d_plus_1_gates_per_bit() {
    for bound in [3usize, 6, 12, 40] {
        // The change +1 saves a conjunction at the low end, and -1 saves a conjunction and a disjunction at the
        // high end.
        let next = 4 * (5 * bound - 3);
        assert_eq!(size(&ring(4), bound as u64, Encoding::Thermometer), (4 * bound, next + TOUCH + SELECTION));
    }
}

/// In the one-hot encoding of a ring, `[p >= 1]` is the negation of `[p = 0]`, and `[q < B]` is the negation of
/// `[q = B]`, so both guards cost no gates.
#[test]
fn one_hot_has_2d_plus_1_gates_per_count() {
    for bound in [3usize, 6, 12, 40] {
        // Each change saves a conjunction and a disjunction at its end.
        let next = 4 * (5 * (bound + 1) - 4);
        assert_eq!(size(&ring(4), bound as u64, Encoding::OneHot), (4 * (bound + 1), next + TOUCH + SELECTION));
    }
}

/// In binary with B = 2^k - 1, adding 1 or -1 takes a half adder (four gates) for each digit except the lowest,
/// which is just inverted. The carry into digit 1 is digit 0 in both cases, so both additions share an
/// exclusive or there, which saves three gates. `[p >= 1]` is a disjunction of digits and `[q >= B]` is a
/// conjunction, and both are carries that exist already.
#[test]
fn binary_has_4kd_and_2d_plus_1_gates_per_digit() {
    for digits in [2usize, 3, 6] {
        let bound = (1u64 << digits) - 1;
        let (add, next) = (4 * 2 * (digits - 1) - 3, 5 * digits);
        assert_eq!(size(&ring(4), bound, Encoding::Binary), (4 * digits, 4 * (add + next) + TOUCH + SELECTION));
    }
}

/// With D distinct changes every further bit costs 2D + 1 gates, whatever the changes are.
#[test]
fn every_distinct_change_costs_two_gates_per_bit() {
    let amounts = [1u64, 2, 5];
    for distinct in [2, 4, 6] {
        let transitions = amounts[..distinct / 2].iter().flat_map(|&n| {
            let p = [(PlaceId(0), BigUint::from(n))];
            let take = Transition::from_arcs(format!("take{n}"), &p, &[]);
            [take, Transition::from_arcs(format!("put{n}"), &[], &p)]
        });
        let places = vec![Place { name: "p".into(), initial: Range::exactly(0u8) }];
        let net = Net::new(places, transitions.collect()).unwrap();
        let gates = |bound| size(&net, bound, Encoding::Thermometer).1;
        assert_eq!(gates(30) - gates(20), (2 * distinct + 1) * 10);
    }
}

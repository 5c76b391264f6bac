//! Tests the circuits of single nets.

use crate::encode::rules::Within;
use crate::encode::{Encoding, encode};
use circuits::encode::CannotEncode;
use model::{Bit, Bound, Clausal, EventId, LatchId, Net, Place, PlaceId, Range, Trace, Transition};
use num_bigint::BigUint;

fn place(name: &str, initial: Range) -> Place {
    Place { name: name.into(), initial }
}

fn arcs(name: &str, pre: &[(u32, u64)], post: &[(u32, u64)]) -> Transition {
    let of = |arcs: &[(u32, u64)]| -> Vec<(PlaceId, BigUint)> {
        arcs.iter().map(|&(p, w)| (PlaceId(p), w.into())).collect()
    };
    Transition::from_arcs(name.into(), &of(pre), &of(post))
}

fn each(bound: u64) -> Within {
    Within { each: Some(bound), ..Within::default() }
}

/// Returns a net that moves tokens from p to q and back. Initially p holds one token or more, without a bound.
fn there_and_back() -> Net {
    let places = vec![place("p", Range::from(1u8)), place("q", Range::exactly(0u8))];
    Net::new(places, vec![arcs("go", &[(0, 1)], &[(1, 1)]), arcs("back", &[(1, 1)], &[(0, 1)])]).unwrap()
}

#[test]
fn a_run_comes_home_without_the_frames_in_which_nothing_fires() {
    let net = there_and_back();
    let encoded = encode(&net, &each(3), Encoding::Thermometer, &[], 1000).unwrap();
    let mut run = Trace::new(Box::from([0b01]));
    // The frames are: back, which is not enabled; go; back; and go, which the marking of the last frame does
    // not show.
    for chosen in [1, 0, 1, 0] {
        run.push(EventId(0), Some(Box::from([chosen])));
    }
    let trace = encoded.lift.trace(&encoded.circuit, &run).unwrap();
    let mut expected = Trace::new(Box::from([1]));
    expected.push(EventId(0), None);
    expected.push(EventId(1), None);
    assert_eq!(trace, expected);
}

#[test]
fn a_start_that_is_no_count_is_no_run() {
    let encoded = encode(&there_and_back(), &each(3), Encoding::Thermometer, &[], 1000).unwrap();
    let mut run = Trace::new(Box::from([0b10]));
    run.push(EventId(0), Some(Box::from([0])));
    assert_eq!(encoded.lift.trace(&encoded.circuit, &run), None);
}

#[test]
fn clauses_come_home_from_a_thermometer_only() {
    let net = there_and_back();
    let clausal = Clausal {
        bits: vec![Bit::Latch(LatchId(1)), Bit::Latch(LatchId(3))],
        clauses: vec![vec![-1, 2]],
        initial: None,
        step: None,
    };
    let encoded = encode(&net, &each(3), Encoding::Thermometer, &[], 1000).unwrap();
    let lift = encoded.lift.clauses(&clausal).unwrap();
    let at_least = |p: u32, n: u8| Bit::AtLeast(PlaceId(p), n.into());
    assert_eq!(lift.bits, [at_least(0, 2), at_least(1, 1)]);
    assert_eq!(lift.clauses, clausal.clauses);
    for encoding in [Encoding::OneHot, Encoding::Binary] {
        let encoded = encode(&net, &each(3), encoding, &[], 1000).unwrap();
        assert_eq!(encoded.lift.clauses(&clausal), None);
    }
}

#[test]
fn what_has_no_bound_or_starts_outside_is_no_circuit() {
    let net = there_and_back();
    let fails = |within: &Within, limit| encode(&net, within, Encoding::Binary, &[], limit).unwrap_err();
    let bounds = vec![Some(1), None];
    assert_eq!(fails(&Within { bounds, ..Within::default() }, 1000), CannotEncode::Unbounded("q".into()));
    assert_eq!(fails(&each(0), 1000), CannotEncode::StartsOutside("p".into()));
    let total = Some(Bound { most: 0, counted: vec![false, true] });
    assert_eq!(fails(&Within { total, ..Within::default() }, 1000), CannotEncode::Unbounded("p".into()));
    assert_eq!(fails(&each(1 << 62), 1000), CannotEncode::TooLarge);
    assert_eq!(fails(&each(1 << 20), 10), CannotEncode::TooLarge);
}

#[test]
fn nets_that_keep_the_number_of_tokens_need_no_budget() {
    let total = Some(Bound { most: 5, counted: vec![true, true] });
    let within = Within { total, ..Within::default() };
    let encoded = encode(&there_and_back(), &within, Encoding::Thermometer, &[], 1000).unwrap();
    assert_eq!(encoded.circuit.latches().len(), 5 + 5);
}

#[test]
fn a_weight_beyond_the_bound_never_fires() {
    let places = vec![place("p", Range::exactly(1u8))];
    let net = Net::new(places, vec![arcs("huge", &[], &[(0, u64::MAX)]), arcs("asks", &[(0, 9)], &[])]).unwrap();
    let encoded = encode(&net, &each(3), Encoding::Thermometer, &[], 1000).unwrap();
    assert_eq!(encoded.circuit.inputs().len(), 0);
    assert_eq!(encoded.circuit.ands(), 0);
}

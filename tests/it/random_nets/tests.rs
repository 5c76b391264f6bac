//! Thousands of random nets and thread-transition systems. `cargo run --release -p impasse-differential --
//! --kind nets` checks millions.

use crate::random_nets::compare::{Tally, compare, text};
use crate::random_nets::round_trip::{Trips, round_trip};
use crate::random_nets::{bounded, bounds, unbounded};
use testkit::marked::{Sample, larger_net, net, thread_system};

/// Numbers of problems. They suffice for some dozens of problems with every feature, and take seconds.
const NETS: u64 = 6_000;
const THREAD_SYSTEMS: u64 = 4_000;

fn all(count: u64, make: fn(u64) -> Sample) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..testkit::count(count) {
        let sample = make(seed);
        if let Err(wrong) = compare(&sample, seed, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&sample));
        }
    }
    tally
}

/// The generator must make all kinds of problems.
fn is_varied(tally: &Tally) {
    if !testkit::are_full() {
        return;
    }
    assert!(tally.skipped * 10 < tally.problems, "{tally:?}");
    let kinds = [
        ("safe", tally.safe),
        ("settled by slicing", tally.by_slicing),
        ("unsafe", tally.violated),
        ("deadlocks", tally.deadlocks),
        ("unknown (bound)", tally.bounded),
        ("finite", tally.finite),
        ("found by walks", tally.walked),
    ];
    for (what, count) in kinds {
        assert!(count * 20 > tally.problems, "too few: {what}: {tally:?}");
    }
}

#[test]
fn nets_agree_with_brute_force() {
    is_varied(&all(NETS, net));
}

#[test]
fn thread_systems_agree_with_brute_force() {
    let tally = all(THREAD_SYSTEMS, thread_system);
    is_varied(&tally);
    assert_eq!(tally.unsupported, 0, "every finite one is decided: {tally:?}");
}

#[test]
fn formats_give_back_what_they_took() {
    for make in [net, thread_system] {
        let mut trips = Trips::default();
        for seed in 0..testkit::count(1_000) {
            let sample = make(seed);
            if let Err(wrong) = round_trip(&sample, &mut trips) {
                panic!("seed {seed}: {wrong}\n{}", text(&sample));
            }
        }
        assert!(!testkit::are_full() || trips.written > 300 && trips.refused > 300, "{trips:?}");
    }
}

/// Runs engines without a bound. Their claims are checked and compared, and certificates are mutated.
fn without_bound(count: u64, make: fn(u64) -> Sample) -> unbounded::Tally {
    let mut tally = unbounded::Tally::default();
    for seed in 0..testkit::count(count) {
        let sample = make(seed);
        if let Err(wrong) = unbounded::compare(&sample, seed, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&sample));
        }
    }
    if !testkit::are_full() {
        return tally;
    }
    assert!(tally.skipped * 5 < tally.problems, "{tally:?}");
    let auto = tally.scores.get("auto").expect("it runs");
    assert!(auto.safe > count / 4 && auto.violated > count / 4, "{tally:?}");
    tally
}

#[test]
fn nets_without_a_bound_agree_with_brute_force() {
    let tally = without_bound(1_000, larger_net);
    assert!(!testkit::are_full() || tally.oracle > 300, "{tally:?}");
}

#[test]
fn thread_systems_without_a_bound_agree_with_brute_force() {
    without_bound(1_000, thread_system);
}

#[test]
fn ic3_on_bits_agrees_with_brute_force() {
    for make in [larger_net, thread_system] {
        let mut tally = unbounded::Tally::default();
        for seed in 0..testkit::count(600) {
            let sample = make(seed);
            if let Err(wrong) = unbounded::bits(&sample, seed, &mut tally) {
                panic!("seed {seed}: {wrong}\n{}", text(&sample));
            }
        }
        let bits = tally.scores.get("ic3.bits").expect("it runs");
        assert!(!testkit::are_full() || bits.safe > 150 && bits.violated > 150, "{tally:?}");
    }
}

#[test]
fn bounds_one_after_the_other_agree_with_brute_force() {
    for make in [net, thread_system] {
        let mut tally = bounds::Tally::default();
        for seed in 0..testkit::count(600) {
            let sample = make(seed);
            if let Err(wrong) = bounds::compare(&sample, seed, &mut tally) {
                panic!("seed {seed}: {wrong}\n{}", text(&sample));
            }
        }
        if !testkit::are_full() {
            continue;
        }
        assert!(tally.skipped * 3 < tally.problems, "{tally:?}");
        for (engine, [safe, violated, within, none]) in &tally.answers {
            assert!(safe + violated + within > 4 * none && *violated > 100 && *within > 50, "{engine}: {tally:?}");
        }
    }
}

/// Checks circuits of nets within a bound, in every encoding.
fn as_circuits(count: u64, make: fn(u64) -> Sample) {
    let engine = crate::circuits::compare::is_supported();
    let mut tally = bounded::Tally::default();
    for seed in 0..testkit::count(count) {
        let sample = make(seed);
        if let Err(wrong) = bounded::compare(&sample, seed, engine, &mut tally) {
            panic!("seed {seed}: {wrong}\n{}", text(&sample));
        }
    }
    if !testkit::are_full() {
        return;
    }
    assert!(tally.skipped * 3 < tally.problems && tally.explored * 2 > tally.circuits, "{tally:?}");
    assert!(!engine || tally.safe > count / 4 && tally.violated > count / 4 && tally.clauses > count / 4, "{tally:?}");
}

#[test]
fn circuits_of_nets_agree_with_brute_force() {
    as_circuits(600, net);
}

#[test]
fn circuits_of_thread_systems_agree_with_brute_force() {
    as_circuits(400, thread_system);
}

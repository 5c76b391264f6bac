//! Nets that count. The largest reachable count needs thousands of firings. The next larger count is
//! unreachable. In some cases an invariant shows this, in others no linear argument does.

use super::{Case, Spec};
use crate::corpus::Verdict::{self, Safe, Unsafe};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (places, doublings, early) in
        [(10, 9, false), (100, 13, false), (100, 20, true), (500, 16, false), (1_000, 20, false), (1_000, 20, true)]
    {
        let shape = if early { "early" } else { "late" };
        both(&mut cases, &format!("chain {places} {shape} 2^{doublings}"), move |verdict| {
            chain(places, doublings, early, verdict)
        });
    }
    for (places, triplings) in [(50, 8), (500, 12)] {
        both(&mut cases, &format!("chain {places} 3^{triplings} by threes"), move |verdict| {
            fractions(places, triplings, verdict)
        });
    }
    for bits in [6, 10, 14, 18] {
        both(&mut cases, &format!("binary counter {bits}"), move |verdict| counter(bits, verdict));
    }
    for credits in [99, 9_999, 999_999] {
        both(&mut cases, &format!("producer/consumer {credits}"), move |verdict| producer(credits, verdict));
    }
    for items in [11, 110, 1_001] {
        both(&mut cases, &format!("rounding {items}"), move |verdict| rounding(items, verdict));
    }
    cases
}

fn both(cases: &mut Vec<Case>, name: &str, make: impl Fn(Verdict) -> Spec + Copy + 'static) {
    for verdict in [Unsafe, Safe] {
        cases.push(Case::net("counting", name, verdict, move || make(verdict)));
    }
}

/// Returns the greatest reachable number of tokens, or one more for a safe case.
fn asked(most: u64, verdict: Verdict) -> u64 {
    if verdict == Safe { most + 1 } else { most }
}

/// A token moves down a chain. Some steps produce two tokens from one: the first ones if `early`, else steps
/// spread over the chain with the last one among them.
fn chain(places: u64, doublings: u64, early: bool, verdict: Verdict) -> Spec {
    let mut spec = Spec::default();
    let steps = places - 1;
    for i in 0..places {
        spec.place(&format!("p{i}"), if i == 0 { "= 1" } else { "= 0" });
    }
    for i in 0..steps {
        let doubles = if early { i < doublings } else { i * doublings / steps != (i + 1) * doublings / steps };
        spec.arcs(&[(&format!("p{i}"), 1)], &[(&format!("p{}", i + 1), if doubles { 2 } else { 1 })]);
    }
    spec.target(&[(&format!("p{steps}"), asked(1 << doublings, verdict))]);
    spec
}

/// Two kinds of steps alternate: three tokens from one, then two from two. Pairing loses at most one odd token.
fn fractions(places: u64, triplings: u64, verdict: Verdict) -> Spec {
    let mut spec = Spec::default();
    let steps = places - 1;
    for i in 0..places {
        spec.place(&format!("p{i}"), if i == 0 { "= 2" } else { "= 0" });
    }
    // The count stays even, so pairing leaves no token over.
    let mut most = 2;
    for i in 0..steps {
        let (from, to) = (format!("p{i}"), format!("p{}", i + 1));
        if i % 2 == 0 && i / 2 < triplings {
            spec.arcs(&[(&from, 1)], &[(&to, 3)]);
            most *= 3;
        } else {
            spec.arcs(&[(&from, 2)], &[(&to, 2)]);
        }
    }
    spec.target(&[(&format!("p{steps}"), asked(most, verdict))]);
    spec
}

/// A binary counter that pays for each increment, until no money is left.
fn counter(bits: u64, verdict: Verdict) -> Spec {
    let mut spec = Spec::default();
    let money = (1 << bits) - 2; // all bits set but the lowest
    spec.place("money", &format!("= {money}"));
    for i in 0..bits {
        spec.place(&format!("zero{i}"), "= 1");
        spec.place(&format!("one{i}"), "= 0");
    }
    for i in 0..bits {
        // an increment that carries up to bit i
        let names = |what: &str, n: u64| (0..n).map(|j| format!("{what}{j}")).collect::<Vec<_>>();
        let (ones, zeros) = (names("one", i + 1), names("zero", i + 1));
        let (one, zero) = (ones[i as usize].as_str(), zeros[i as usize].as_str());
        let mut takes = vec![("money", 1), (zero, 1)];
        takes.extend(ones[..i as usize].iter().map(|p| (p.as_str(), 1)));
        let mut puts = vec![(one, 1)];
        puts.extend(zeros[..i as usize].iter().map(|p| (p.as_str(), 1)));
        spec.arcs(&takes, &puts);
    }
    let value = asked(money, verdict);
    let set: Vec<String> = (0..bits).filter(|i| value >> i & 1 == 1).map(|i| format!("one{i}")).collect();
    spec.target(&set.iter().map(|p| (p.as_str(), 1)).collect::<Vec<_>>());
    spec
}

/// A credit buys three items, and two items are packed into one. An odd item cannot be packed.
fn producer(credits: u64, verdict: Verdict) -> Spec {
    let mut spec = Spec::default();
    spec.place("credit", &format!("= {credits}"));
    spec.place("buffer", "= 0");
    spec.place("packed", "= 0");
    spec.arcs(&[("credit", 1)], &[("buffer", 3)]);
    spec.arcs(&[("buffer", 2)], &[("packed", 1)]);
    spec.target(&[("packed", asked(3 * credits / 2, verdict))]);
    spec
}

/// Three items produce two. With `3 k + 2` items the rationals allow one item more than the integers.
fn rounding(items: u64, verdict: Verdict) -> Spec {
    let mut spec = Spec::default();
    spec.place("raw", &format!("= {items}"));
    spec.place("done", "= 0");
    spec.place("audit", "= 0");
    spec.arcs(&[("raw", 3)], &[("done", 2)]);
    spec.arcs(&[("done", 2)], &[("raw", 3)]);
    spec.arcs(&[("done", 1)], &[("done", 1), ("audit", 1)]);
    spec.target(&[("done", asked(items / 3 * 2, verdict)), ("audit", 1)]);
    spec
}

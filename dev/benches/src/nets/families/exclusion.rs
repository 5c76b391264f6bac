//! Mutual exclusion of three or more processes. Pairs of places cannot prove it, because any two processes may
//! be inside, but never three.

use super::{Case, Spec};
use crate::corpus::Verdict::{Safe, Unsafe};

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for n in [3, 10, 40, 100] {
        for (permits, verdict) in [(2, Safe), (3, Unsafe)] {
            cases
                .push(Case::net("three-way", &format!("semaphore {n}"), verdict, move || semaphore(n, permits, false)));
        }
    }
    for n in [3, 5, 10, 20] {
        for (permits, verdict) in [(2, Safe), (3, Unsafe)] {
            cases.push(Case::net("three-way", &format!("refill {n}"), verdict, move || semaphore(n, permits, true)));
        }
    }
    for n in [3, 5, 8] {
        for (permits, verdict) in [(n - 1, Safe), (n, Unsafe)] {
            cases.push(Case::net("three-way", &format!("all of {n}"), verdict, move || all_in(n, permits)));
        }
    }
    cases
}

/// `n` processes, at most `permits` of them inside. With `refill`, processes do not return permits. When all
/// processes are outside, the number of permits is set to its initial value.
fn semaphore(n: u64, permits: u64, refill: bool) -> Spec {
    let mut spec = with_processes(n, permits, refill);
    if refill {
        let all_out: Vec<String> = (0..n).map(|i| format!("out{i} >= 1")).collect();
        spec.rule(&all_out.join(", "), &format!("permit' = {permits}"));
    }
    spec.target(&[("in0", 1), ("in1", 1), ("in2", 1)]);
    spec
}

/// Not all processes are inside at once.
fn all_in(n: u64, permits: u64) -> Spec {
    let mut spec = with_processes(n, permits, false);
    let all: Vec<String> = (0..n).map(|i| format!("in{i}")).collect();
    spec.target(&all.iter().map(|p| (p.as_str(), 1)).collect::<Vec<_>>());
    spec
}

fn with_processes(n: u64, permits: u64, refill: bool) -> Spec {
    let mut spec = Spec::default();
    spec.place("permit", &format!("= {permits}"));
    for i in 0..n {
        let (out, inside) = (format!("out{i}"), format!("in{i}"));
        spec.place(&out, "= 1");
        spec.place(&inside, "= 0");
        spec.arcs(&[(&out, 1), ("permit", 1)], &[(&inside, 1)]);
        if refill {
            spec.arcs(&[(&inside, 1)], &[(&out, 1)]);
        } else {
            spec.arcs(&[(&inside, 1)], &[(&out, 1), ("permit", 1)]);
        }
    }
    spec
}

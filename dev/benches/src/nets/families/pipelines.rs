//! Nets in which every place holds at most one token, with up to 10^5 places: pipelines and forks.

use super::{Case, Spec};
use crate::corpus::Verdict::{Safe, Unsafe};

const SIZES: [u64; 3] = [1_000, 10_000, 100_000];

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for places in SIZES {
        for verdict in [Unsafe, Safe] {
            cases.push(Case::net("1-safe", &format!("pipeline {places}"), verdict, move || {
                pipeline(places / 2, verdict == Safe)
            }));
            cases.push(Case::net("1-safe", &format!("fork {places}"), verdict, move || fork(places, verdict == Safe)));
        }
    }
    cases
}

/// Stages pass items on. A stage is full or empty, never both. An item must pass all stages to reach the last
/// one.
fn pipeline(stages: u64, safe: bool) -> Spec {
    let mut spec = Spec::default();
    for i in 0..stages {
        let (full, empty) = if i == 0 { ("= 1", "= 0") } else { ("= 0", "= 1") };
        spec.place(&format!("full{i}"), full);
        spec.place(&format!("empty{i}"), empty);
    }
    for i in 0..stages - 1 {
        let [full, empty, next, room] =
            [format!("full{i}"), format!("empty{i}"), format!("full{}", i + 1), format!("empty{}", i + 1)];
        spec.arcs(&[(&full, 1), (&room, 1)], &[(&empty, 1), (&next, 1)]);
    }
    spec.arcs(&[("empty0", 1)], &[("full0", 1)]);
    let (full, empty) = (format!("full{}", stages - 1), format!("empty{}", stages - 1));
    spec.arcs(&[(&full, 1)], &[(&empty, 1)]);
    if safe {
        spec.target(&[(&full, 1), (&empty, 1)]);
    } else {
        spec.target(&[(&full, 1)]);
    }
    spec
}

/// A binary tree. A node starts its two children and ends, and two siblings may turn back into their parent. A
/// leaf and its grandparent are never marked together, but two leaves are.
fn fork(nodes: u64, safe: bool) -> Spec {
    let mut spec = Spec::default();
    for i in 1..=nodes {
        spec.place(&format!("n{i}"), if i == 1 { "= 1" } else { "= 0" });
    }
    for i in (1..).take_while(|i| 2 * i < nodes) {
        let (parent, left, right) = (format!("n{i}"), format!("n{}", 2 * i), format!("n{}", 2 * i + 1));
        spec.arcs(&[(&parent, 1)], &[(&left, 1), (&right, 1)]);
        spec.arcs(&[(&left, 1), (&right, 1)], &[(&parent, 1)]);
    }
    let leaf = if nodes % 2 == 1 { nodes } else { nodes - 1 };
    let other = if safe { leaf / 4 } else { leaf / 2 + 1 };
    spec.target(&[(&format!("n{leaf}"), 1), (&format!("n{other}"), 1)]);
    spec
}

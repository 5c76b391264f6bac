//! Tests of the kernel, with its own oracle and generators, and with damaged evidence. `certify` has more tests
//! of both crates together.

mod clauses;
mod data;
mod invariants;
mod keys;
mod nets;
mod outcomes;
mod parts;
mod programs;
mod recurring;
mod spread;
mod work;

use crate::{Check, Checked, Refusal, Work, confirm};
use model::{Claim, EventId, Problem, Stop, Trace};

/// A random number generator, SplitMix64 (Steele, Lea, Flood 2014), reproducible from the seed that a failing
/// test prints.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Returns true once in `n` times on average.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Returns the result of the kernel, which must have a rule for the claim.
fn kernel(problem: &Problem, claim: &Claim) -> Check<Checked> {
    let stop = Stop::default();
    confirm(problem, claim, &mut Work::new(1 << 40, &stop)).map(|known| known.expect("the kernel has a rule for it"))
}

#[track_caller]
fn rejected(result: Check<Checked>, reason: &str) {
    match result {
        Err(Refusal::Rejected(why)) => assert!(why.contains(reason), "rejected for another reason: {why}"),
        other => panic!("expected a rejection ({reason}), got {other:?}"),
    }
}

fn trace(start: &[u32], runs: &[(&[u32], u64)]) -> Trace {
    let mut trace = Trace::new(start.into());
    for (word, times) in runs {
        trace.push_repeat(word.iter().map(|&e| EventId(e)).collect(), *times);
    }
    trace
}

//! Circuits: random small ones, checked by bit-level IC3 against brute force over all their states. Their
//! justice properties are checked by all engines. Circuits with memories are compared with circuits without.

pub(crate) mod abc;
pub(crate) mod abc_justice;
pub(crate) mod compare;
pub(crate) mod evidence;
pub(crate) mod justice;
pub(crate) mod memories;
#[cfg(test)]
mod tests;

use certify::Refusal;
use impasse::model::{Claim, Problem, Stop};
use std::collections::BTreeMap;

/// Returns true if the checker accepts the claim. Counts claims that were accepted and refused, by what they are.
fn is_accepted(
    problem: &Problem,
    what: &'static str,
    claim: &Claim,
    counts: &mut BTreeMap<&'static str, [u64; 2]>,
) -> Result<bool, String> {
    let result = certify::confirm(problem, claim, &certify::Options::default(), &Stop::default());
    counts.entry(what).or_default()[usize::from(result.is_err())] += 1;
    match result {
        Ok(_) => Ok(true),
        Err(Refusal::ResourceLimit) => Err(format!("too expensive: {claim:?}")),
        Err(_) => Ok(false),
    }
}

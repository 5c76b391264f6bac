//! Steps from a state: all of them, or a random one.

use super::{Choices, Field, MOST_OUTCOMES, Taken, number, outcomes};
use crate::machine::path::Pick;
use num_bigint::BigUint;
use search::rng::Rng;

/// The number of random outcomes that are tried until one is possible.
const TRIES: usize = 200;
/// The number of values of a field among which a random step chooses.
const SPREAD: usize = 6;

/// Takes all steps from a state. Returns false if some outcomes were left out.
pub(crate) fn successors<K: Choices>(
    kind: &K,
    state: &K::State,
    mut each: impl FnMut(Pick, Taken<K::State>) -> bool,
) -> bool {
    let mut complete = true;
    for label in kind.enabled(state) {
        let (tried, all) = outcomes(&kind.fields(state, label), MOST_OUTCOMES);
        complete &= all;
        for outcome in tried {
            if let Ok(taken) = kind.take(state, label, &outcome)
                && !taken.is_rejected
                && !each(Pick { label, outcome }, taken)
            {
                return false;
            }
        }
    }
    complete
}

/// Takes a random step. `None` if nothing can be taken.
pub(crate) fn random_step<K: Choices>(kind: &K, state: &K::State, random: &mut Rng) -> Option<(Pick, Taken<K::State>)> {
    let enabled = kind.enabled(state);
    for _ in 0..if enabled.is_empty() { 0 } else { TRIES } {
        let label = enabled[random.below(enabled.len())];
        let fields = kind.fields(state, label);
        let digit = |field: &Field| {
            let most = usize::try_from(&field.count).unwrap_or(SPREAD).min(SPREAD);
            BigUint::from(random.below(most.max(1)))
        };
        let values: Vec<BigUint> = fields.iter().map(digit).collect();
        let outcome = number(&fields, &values);
        if let Ok(taken) = kind.take(state, label, &outcome)
            && !taken.is_rejected
        {
            return Some((Pick { label, outcome }, taken));
        }
    }
    None
}

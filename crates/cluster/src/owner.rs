//! Which worker owns a state, and the states that need not be sent again.

/// Returns the number of the worker that owns a packed state. The result depends on the words of the state and the
/// number of workers only, so it is the same in all processes and in all runs.
///
/// The hash is none that tables use: the leading bits of theirs determine the slot of a state. If they also chose the
/// worker, the table of each worker would be full in some places and empty in others.
#[inline]
pub(crate) fn owner(state: &[u64], workers: usize) -> usize {
    let owner = ((u128::from(hash(state)) * workers as u128) >> 64) as usize;
    debug_assert!(owner < workers, "it is one of the workers");
    owner
}

#[inline]
fn hash(state: &[u64]) -> u64 {
    const SEED: u64 = 0x4528_21e6_38d0_1377;
    const FACTOR: u64 = 0xbe54_66cf_34e9_0c6d;
    state.iter().fold(SEED, |h, &word| {
        let product = u128::from(h ^ word.rotate_left(29)) * u128::from(FACTOR);
        ((product >> 64) as u64 ^ product as u64).rotate_left(23)
    })
}

/// States of other workers that this worker has sent lately. A state that was sent is known to its owner for ever.
#[derive(Debug)]
pub(crate) struct Sent {
    words: usize,
    slots: Vec<u64>,
}

impl Sent {
    const SLOTS: usize = 1 << 15;

    pub(crate) fn new(words: usize) -> Self {
        Self { words, slots: vec![0; Self::SLOTS * words] }
    }

    /// Adds a state. Returns true if it was there already. The state with all words 0 never is, because it looks like
    /// an empty slot.
    #[inline]
    pub(crate) fn has(&mut self, state: &[u64]) -> bool {
        debug_assert_eq!(state.len(), self.words, "all states have the same number of words");
        let at = (hash(state) as usize & (Self::SLOTS - 1)) * self.words;
        let slot = &mut self.slots[at..at + self.words];
        if slot == state {
            return state.iter().any(|&word| word != 0);
        }
        slot.copy_from_slice(state);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes of different versions or platforms would lose states if the hash changed.
    #[test]
    fn owners_never_change() {
        let owners: Vec<usize> = (0..12).map(|i| owner(&[i, 7 * i], 1000)).collect();
        assert_eq!(owners, OWNERS);
        assert!((0..100).all(|i| owner(&[i], 1) == 0));
    }

    const OWNERS: [usize; 12] = [781, 509, 423, 902, 755, 704, 467, 110, 919, 837, 244, 567];

    #[test]
    fn structured_states_are_spread_evenly() {
        for (workers, shift) in [(2, 0), (3, 7), (8, 13), (8, 40), (64, 20)] {
            let mut counts = vec![0usize; workers];
            (0..64_000u64).for_each(|i| counts[owner(&[i << shift], workers)] += 1);
            let even = 64_000 / workers;
            let is_fair = |count: &usize| count.abs_diff(even) < even / 6;
            assert!(counts.iter().all(is_fair), "{workers} workers, shift {shift}: {counts:?}");
        }
    }

    #[test]
    fn a_state_is_sent_until_it_is_known() {
        let mut sent = Sent::new(2);
        assert!(!sent.has(&[1, 2]) && sent.has(&[1, 2]) && !sent.has(&[2, 1]));
        assert!(!sent.has(&[0, 0]) && !sent.has(&[0, 0]));
    }
}

//! Operations on keys (packed states) that are stored one after the other.

use std::cmp::Ordering;

/// Keys of up to this many words are sorted as arrays.
macro_rules! sized {
    ($words:expr, $keys:expr, $call:ident, $other:expr) => {
        match $words {
            1 => $keys.$call(),
            2 => $keys.as_chunks_mut::<2>().0.$call(),
            3 => $keys.as_chunks_mut::<3>().0.$call(),
            4 => $keys.as_chunks_mut::<4>().0.$call(),
            5 => $keys.as_chunks_mut::<5>().0.$call(),
            6 => $keys.as_chunks_mut::<6>().0.$call(),
            7 => $keys.as_chunks_mut::<7>().0.$call(),
            8 => $keys.as_chunks_mut::<8>().0.$call(),
            _ => $other,
        }
    };
}

/// Sorts keys of `words` words. Keys of more than 8 words need 4 more bytes each.
pub(super) fn sort(keys: &mut [u64], words: usize) {
    sized!(words, keys, sort_unstable, permute(keys, words));
}

/// Sorts a sequence of few sorted parts.
pub(super) fn sort_parts(keys: &mut [u64], words: usize) {
    sized!(words, keys, sort, permute(keys, words));
}

/// Sorts the numbers of the keys, and then moves each key along its cycle of the permutation.
fn permute(keys: &mut [u64], words: usize) {
    let count = u32::try_from(keys.len() / words).expect("a table has fewer than 2^32 states");
    let mut from: Vec<u32> = (0..count).collect();
    let key = |number: u32| &keys[number as usize * words..][..words];
    from.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));
    let mut first = Vec::with_capacity(words);
    for start in 0..from.len() {
        let (mut hole, mut next) = (start, from[start] as usize);
        first.clear();
        first.extend_from_slice(&keys[start * words..][..words]);
        while next != start {
            keys.copy_within(next * words..(next + 1) * words, hole * words);
            from[hole] = hole as u32;
            (hole, next) = (next, from[next] as usize);
        }
        keys[hole * words..][..words].copy_from_slice(&first);
        from[hole] = hole as u32;
    }
}

/// Removes keys that are equal to the key before them.
pub(super) fn dedup(keys: &mut Vec<u64>, words: usize) {
    if words == 1 {
        return keys.dedup();
    }
    let mut kept = words.min(keys.len());
    for at in (words..keys.len()).step_by(words) {
        if keys[kept - words..kept] != keys[at..at + words] {
            keys.copy_within(at..at + words, kept);
            kept += words;
        }
    }
    keys.truncate(kept);
}

/// Returns the number of keys that are less than `key`, or, if `or_equal`, not greater. The keys are in ascending
/// order.
pub(super) fn count_below(keys: &[u64], key: &[u64], or_equal: bool) -> usize {
    let words = key.len();
    let (mut low, mut high) = (0, keys.len() / words);
    while low < high {
        let middle = low.midpoint(high);
        let is_below = match keys[middle * words..][..words].cmp(key) {
            Ordering::Less => true,
            Ordering::Equal => or_equal,
            Ordering::Greater => false,
        };
        if is_below { low = middle + 1 } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_sorted_as_vectors(
            words in 1..11usize,
            flat in proptest::collection::vec(prop_oneof![0..3u64, any::<u64>()], 0..400),
        ) {
            let mut keys = flat[..flat.len() / words * words].to_vec();
            let mut expected: Vec<Vec<u64>> = keys.chunks(words).map(<[u64]>::to_vec).collect();
            expected.sort();
            let mut stable = keys.clone();
            sort(&mut keys, words);
            sort_parts(&mut stable, words);
            prop_assert_eq!(&keys, &expected.concat());
            prop_assert_eq!(&keys, &stable);
            for key in &expected {
                prop_assert_eq!(count_below(&keys, key, false), expected.iter().filter(|k| *k < key).count());
                prop_assert_eq!(count_below(&keys, key, true), expected.iter().filter(|k| *k <= key).count());
            }
            expected.dedup();
            dedup(&mut keys, words);
            prop_assert_eq!(keys, expected.concat());
        }
    }
}

//! Packed states as values, for tables that are generic over the number of words of a key. For short keys this
//! number is a compile-time constant.

use kernel::keys::{Layout, mixed};
use std::hash::Hash;

/// The words of a packed state. The default value is the key of no state.
pub(crate) trait Key: Clone + Default + Eq + Hash + AsRef<[u64]> + AsMut<[u64]> {
    /// Returns a key with all bits clear, of at least `words` words.
    fn zeros(words: usize) -> Self;

    /// Returns well-mixed bits of the key, for tables and for hashes of whole sets.
    fn mixed(&self) -> u64 {
        mixed(self.as_ref())
    }
}

impl<const N: usize> Key for [u64; N]
where
    [u64; N]: Default,
{
    fn zeros(_words: usize) -> Self {
        [0; N]
    }
}

impl Key for Box<[u64]> {
    fn zeros(words: usize) -> Self {
        vec![0; words].into()
    }
}

/// Returns the key of `state`. `None` if `state` has the wrong width or contains a local state that its thread
/// does not have.
pub(crate) fn packed<K: Key>(layout: &Layout, state: &[u32]) -> Option<K> {
    let mut key = K::zeros(layout.words());
    let mut words = key.as_mut().iter_mut();
    let put = |word| *words.next().expect("a key has the words of its layout") = word;
    layout.pack(state, put).then_some(key)
}

//! A short text that stands for a model and a question.

use std::fmt::{self, Write};
use twox_hash::XxHash3_64;

/// Returns a text that differs for different values, up to collisions of hashes. It depends on how `value` is written
/// for debugging, so it is compared only between processes of the same version.
#[must_use]
pub fn identity(value: &impl fmt::Debug) -> String {
    let mut hasher = Hasher::default();
    // Hashing never fails.
    let _ = write!(hasher, "{value:?}");
    hasher.hash_block();
    format!("{:016x}-{}", hasher.hash, hasher.length)
}

/// Hashes blocks of equal size, each with the hash of those before it as seed.
#[derive(Default)]
struct Hasher {
    block: Vec<u8>,
    hash: u64,
    length: u64,
}

impl Hasher {
    const BLOCK: usize = 1 << 12;

    fn hash_block(&mut self) {
        self.hash = XxHash3_64::oneshot_with_seed(self.hash, &self.block);
        self.length += self.block.len() as u64;
        self.block.clear();
    }
}

impl Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(Self::BLOCK - self.block.len()));
            self.block.extend_from_slice(now);
            if self.block.len() == Self::BLOCK {
                self.hash_block();
            }
            rest = later;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::identity;

    #[test]
    fn values_differ() {
        assert_eq!(identity(&vec![1, 2, 3]), identity(&vec![1, 2, 3]));
        assert_ne!(identity(&vec![1, 2, 3]), identity(&vec![1, 2, 4]));
        let mut long: Vec<u32> = (0..10_000).collect();
        let before = identity(&long);
        long[5] = 6;
        assert_ne!(identity(&long), before);
    }
}

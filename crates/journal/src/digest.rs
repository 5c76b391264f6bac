//! Fingerprints of 128 bits, to find out whether something is still the same.
//!
//! A fingerprint is computed from text that is written piece by piece, for example by `{:?}`. It protects against
//! accidents and not against attackers.

use std::fmt;
use twox_hash::XxHash3_128;

/// A fingerprint that is being computed.
#[derive(Clone, Default)]
pub struct Digest(XxHash3_128);

impl Digest {
    /// Returns the fingerprint of the text written so far, as 32 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        format!("{:032x}", self.0.finish_128())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hex())
    }
}

impl fmt::Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    #[test]
    fn pieces_do_not_matter_and_every_letter_does() {
        let of = |pieces: &[&str]| {
            let mut digest = Digest::default();
            pieces.iter().for_each(|piece| digest.write_str(piece).unwrap());
            digest.hex()
        };
        assert_eq!(of(&["one piece"]), of(&["one", "", " pie", "ce"]));
        assert_ne!(of(&["one piece"]), of(&["one  piece"]));
        assert_eq!(of(&[]).len(), 32);
    }
}

//! Sorts: bit-vectors, and arrays from bit-vectors to bit-vectors.

use std::fmt;

/// A sort. Widths are at least 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// Bit-vectors of this width.
    Bits(u32),
    /// Arrays with these widths.
    Array { index: u32, element: u32 },
}

/// The sort of truth values.
pub(super) const BOOL: Sort = Sort::Bits(1);

impl Sort {
    /// Returns the number of bits of a value. `None` if it does not fit 64 bits.
    pub(super) fn bits(self) -> Option<u64> {
        match self {
            Self::Bits(width) => Some(u64::from(width)),
            Self::Array { index, element } => 1u64.checked_shl(index)?.checked_mul(u64::from(element)),
        }
    }

    /// Returns the width of a bit-vector, or of an element of an array.
    pub(super) fn width(self) -> u32 {
        match self {
            Self::Bits(width) | Self::Array { element: width, .. } => width,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(1) => f.write_str("1 bit"),
            Self::Bits(width) => write!(f, "{width} bits"),
            Self::Array { index, element } => write!(f, "an array (index {index}, element {element} wide)"),
        }
    }
}

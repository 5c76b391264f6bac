//! Lengths of runs: many short ones, few long ones (Luby, Sinclair and Zuckerman 1993).

/// Returns element `index` of the sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 .., an optimal mix of lengths when
/// nothing is known about the runs.
pub fn luby(index: u64) -> u64 {
    let (mut size, mut index) = (1u64, index);
    while size < index + 1 {
        size = 2 * size + 1;
    }
    while size - 1 != index {
        size = (size - 1) / 2;
        index %= size;
    }
    size.div_ceil(2)
}

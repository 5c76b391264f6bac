//! The order of nodes and points in each layer. Sweeps down and up sort each layer by the mean position of the
//! neighbours in the layer before (barycenters). The order with the fewest crossings of all sweeps remains.

use super::layers::Layers;

/// Maximum number of sweeps.
const SWEEPS: usize = 24;
/// Sweeps without an improvement after which no more are made.
const PATIENCE: usize = 6;

pub(super) fn order(layers: &mut Layers) {
    let mut best = layers.rows.clone();
    let mut least = crossings(layers);
    let mut in_vain = 0;
    for sweep in 0..SWEEPS {
        if least == 0 || in_vain == PATIENCE {
            break;
        }
        self::sweep(layers, sweep % 2 == 0, sweep % 4 >= 2);
        let now = crossings(layers);
        in_vain += 1;
        if now < least {
            (least, in_vain) = (now, 0);
            best.clone_from(&layers.rows);
        }
    }
    layers.rows = best;
}

/// Sorts each layer. If `turns` is true, those with equal means change their order.
fn sweep(layers: &mut Layers, is_down: bool, turns: bool) {
    let count = layers.rows.len();
    let mut position = vec![0.0; layers.rooms.len()];
    for step in 0..count {
        let row = if is_down { step } else { count - 1 - step };
        let neighbours = if is_down { &layers.above } else { &layers.below };
        let mut keyed: Vec<(f64, usize)> = Vec::with_capacity(layers.rows[row].len());
        for (at, &part) in layers.rows[row].iter().enumerate() {
            let all = &neighbours[part];
            let sum: f64 = all.iter().map(|n| position[*n]).sum();
            keyed.push((if all.is_empty() { at as f64 } else { sum / all.len() as f64 }, part));
        }
        if turns {
            keyed.reverse();
        }
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Positions are relative, because layers have different lengths.
        for (at, (_, part)) in keyed.iter().enumerate() {
            position[*part] = at as f64;
        }
        layers.rows[row] = keyed.into_iter().map(|(_, part)| part).collect();
    }
}

/// Returns the number of crossings (after Barth, Juenger and Mutzel 2002).
fn crossings(layers: &Layers) -> u64 {
    let mut position = vec![0; layers.rooms.len()];
    for row in &layers.rows {
        for (at, part) in row.iter().enumerate() {
            position[*part] = at;
        }
    }
    let between = |pair: &[Vec<usize>]| {
        let mut ends: Vec<usize> = Vec::new();
        for part in &pair[0] {
            let from = ends.len();
            ends.extend(layers.below[*part].iter().map(|to| position[*to]));
            ends[from..].sort_unstable();
        }
        inversions(&ends, pair[1].len())
    };
    layers.rows.windows(2).map(between).sum()
}

/// Returns the number of pairs in which the first number is greater. Numbers are below `most`.
fn inversions(numbers: &[usize], most: usize) -> u64 {
    let leaves = most.next_power_of_two();
    let mut tree = vec![0u64; 2 * leaves];
    let mut count = 0;
    for number in numbers {
        let mut at = leaves + number;
        tree[at] += 1;
        while at > 1 {
            if at.is_multiple_of(2) {
                count += tree[at + 1];
            }
            at /= 2;
            tree[at] += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::layout::{Extent, Link};

    #[test]
    fn crossings_are_removed() {
        assert_eq!(inversions(&[2, 1, 0, 1], 3), 4);
        let links: Vec<Link> =
            [(0, 4), (0, 5), (1, 3), (2, 3), (1, 4)].map(|(from, to)| Link { from, to, label: (0.0, 0.0) }).to_vec();
        let mut layers = Layers::new(&[Extent::default(); 6], &links, &[]);
        assert!(crossings(&layers) > 0);
        order(&mut layers);
        assert_eq!(crossings(&layers), 0);
    }
}

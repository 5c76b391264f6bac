//! Formulas that ask whether two circuits are equivalent.

use super::formula::{Formula, Lit};
use model::cnf::Cnf;

/// Returns a formula in which two queues, a shift register and a ring buffer, get the same pushes and pops and
/// show different data. It is unsatisfiable.
pub(super) fn queues(depth: usize, bits: usize, steps: usize) -> Cnf {
    let mut formula = Formula::default();
    let no = formula.constant(false);
    let one_hot = |formula: &mut Formula, n: usize| (0..n).map(|i| formula.constant(i == 0)).collect::<Vec<Lit>>();
    let mut shift = vec![vec![no; bits]; depth];
    let mut ring = vec![vec![no; bits]; depth];
    // The fill level, and the positions at which the ring is read and written. All are one-hot.
    let mut fill = one_hot(&mut formula, depth + 1);
    let (mut read, mut write) = (one_hot(&mut formula, depth), one_hot(&mut formula, depth));
    let mut differences = Vec::new();
    for _ in 0..steps {
        let (wish_push, wish_pop, data) = (formula.var(), formula.var(), formula.vars(bits));
        let push = formula.and(wish_push, -fill[depth]);
        let pop = formula.and(wish_pop, -fill[0]);
        for bit in 0..bits {
            let mut shown = no;
            for (cell, &here) in ring.iter().zip(&read) {
                let own = formula.and(cell[bit], here);
                shown = formula.or(shown, own);
            }
            let differs = formula.xor(shown, shift[0][bit]);
            differences.push(formula.and(differs, -fill[0]));
        }
        // The shift register moves down on pop. A new word is put after the last word in the register.
        let mut next_shift = Vec::new();
        for cell in 0..depth {
            let behind_kept = formula.and(push, fill[cell]);
            let behind_moved = formula.and(push, fill[cell + 1]);
            let here = formula.choose(pop, behind_moved, behind_kept);
            let word: Vec<Lit> = (0..bits)
                .map(|bit| {
                    let above = shift.get(cell + 1).map_or(no, |c| c[bit]);
                    let kept = formula.choose(pop, above, shift[cell][bit]);
                    formula.choose(here, data[bit], kept)
                })
                .collect();
            next_shift.push(word);
        }
        shift = next_shift;
        for (cell, &here) in ring.iter_mut().zip(&write) {
            let written = formula.and(push, here);
            for (old, &new) in cell.iter_mut().zip(&data) {
                *old = formula.choose(written, new, *old);
            }
        }
        read = turned(&mut formula, &read, pop);
        write = turned(&mut formula, &write, push);
        let (grows, shrinks) = (formula.and(push, -pop), formula.and(pop, -push));
        fill = (0..=depth)
            .map(|n| {
                let less = n.checked_sub(1).map_or(no, |n| fill[n]);
                let more = fill.get(n + 1).copied().unwrap_or(no);
                let down = formula.choose(shrinks, more, fill[n]);
                formula.choose(grows, less, down)
            })
            .collect();
    }
    formula.clause(&differences);
    formula.finish()
}

/// Returns the one-hot position, advanced by one if `condition`.
fn turned(formula: &mut Formula, hand: &[Lit], condition: Lit) -> Vec<Lit> {
    let n = hand.len();
    (0..n).map(|i| formula.choose(condition, hand[(i + n - 1) % n], hand[i])).collect()
}

/// Returns a formula in which the outputs of two sorting networks over bits differ: Batcher's odd-even merge
/// sort (1968) and a bubble sort. It is unsatisfiable.
pub(super) fn sorting_networks(wires: usize) -> Cnf {
    let mut formula = Formula::default();
    let inputs = formula.vars(wires);
    let (mut merged, mut bubbled) = (inputs.clone(), inputs);
    for (a, b) in batcher(wires) {
        exchange(&mut formula, &mut merged, a, b);
    }
    for end in (1..wires).rev() {
        (0..end).for_each(|i| exchange(&mut formula, &mut bubbled, i, i + 1));
    }
    let differences: Vec<Lit> = merged.iter().zip(&bubbled).map(|(&a, &b)| formula.xor(a, b)).collect();
    formula.clause(&differences);
    formula.finish()
}

fn exchange(formula: &mut Formula, wires: &mut [Lit], low: usize, high: usize) {
    let (a, b) = (wires[low], wires[high]);
    wires[low] = formula.and(a, b);
    wires[high] = formula.or(a, b);
}

/// Returns the comparators of Batcher's network, in order. Comparators beyond `wires` would compare with
/// infinity and are left out.
fn batcher(wires: usize) -> Vec<(usize, usize)> {
    let size = wires.next_power_of_two();
    let mut all = Vec::new();
    let mut block = 1;
    while block < size {
        let mut step = block;
        while step > 0 {
            for start in (step % block..size - step).step_by(2 * step) {
                for i in start..(start + step).min(size - step) {
                    if i / (2 * block) == (i + step) / (2 * block) && i + step < wires {
                        all.push((i, i + step));
                    }
                }
            }
            step /= 2;
        }
        block *= 2;
    }
    all
}

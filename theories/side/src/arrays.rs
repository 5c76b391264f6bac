//! The theory of arrays, by lemmas on demand (Brummayer and Biere, TACAS 2009).
//!
//! Arithmetic takes each read `a[i]` for a constant. Values that satisfy the atoms may therefore break the rules of
//! arrays, and each rule that they break is a lemma. The search adds it, decides which of its literals holds, and asks
//! again. This ends, because reads are added of smaller arrays only, at indexes that are read already.
//!
//! Values that break no rule give arrays that satisfy the atoms. Proof: let each array that is not written have, at the
//! value of each index where it is read, the value of that read. By [`ArrayRule::SameIndex`] this is one value. By
//! induction over the writes, each read of a written array then has its value: at the index that was written by
//! [`ArrayRule::Written`], and elsewhere by [`ArrayRule::Kept`].
//!
//! Z3 has this theory, too, but its refutations are no instances of rules that a checker could verify one by one.

#[cfg(test)]
mod tests;

use model::array::{ArrayRule, ArrayTerm, Write};
use model::{Constant, IntAtom, IntTerm, Values};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the rules that `values` break, for the reads in these atoms. All constants of the atoms have values.
pub(crate) fn broken<'a>(atoms: impl IntoIterator<Item = &'a IntAtom>, values: &Values) -> Vec<ArrayRule> {
    let mut reads: BTreeSet<(&ArrayTerm, &IntTerm)> = BTreeSet::new();
    for atom in atoms {
        atom.for_each_constant(&mut |constant| {
            if let Constant::Cell(array, index) = constant {
                reads.insert((array, index));
            }
        });
    }
    let mut first_reads: BTreeMap<(&ArrayTerm, BigInt), &IntTerm> = BTreeMap::new();
    let mut rules = BTreeSet::new();
    for (array, index) in reads {
        let at = index.eval(values).expect("all constants have values");
        match array {
            ArrayTerm::Store(before, written, value) => rules.extend(unlike(before, written, value, index, values)),
            _ => {
                let first = *first_reads.entry((array, at)).or_insert(index);
                if values.get(&cell(array, first)) != values.get(&cell(array, index)) {
                    let (first, second) = (first.clone(), index.clone());
                    rules.insert(ArrayRule::SameIndex { array: array.clone(), first, second });
                }
            }
        }
    }
    rules.into_iter().collect()
}

/// Returns the rule that a read of a written array breaks.
fn unlike(before: &ArrayTerm, at: &IntTerm, value: &IntTerm, read: &IntTerm, values: &Values) -> Option<ArrayRule> {
    let here = values.get(&cell(&before.store(at.clone(), value.clone()), read));
    debug_assert!(here.is_some(), "all constants have values");
    let write = || Write { array: before.clone(), at: at.clone(), value: value.clone(), read: read.clone() };
    if at.eval(values) == read.eval(values) {
        (here != value.eval(values).as_ref()).then(|| ArrayRule::Written(write()))
    } else {
        (here != values.get(&cell(before, read))).then(|| ArrayRule::Kept(write()))
    }
}

fn cell(array: &ArrayTerm, index: &IntTerm) -> Constant {
    Constant::Cell(Box::new(array.clone()), Box::new(index.clone()))
}

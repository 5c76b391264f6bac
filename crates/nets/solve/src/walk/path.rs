//! The truth of a formula of computation tree logic at the beginning of a run, as far as the markings of the run
//! determine it.
//!
//! Each position gets two bits for each subformula: *sure* if the subformula is true there, whatever other next
//! markings there are like, and *possible* unless it is false there, whatever they are like.

use model::{Ctl, CtlId, CtlNode, FormulaId};

/// What comes after the last position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// This position.
    Back(usize),
    /// Nothing: no transition is enabled.
    Dead,
    /// Unknown markings.
    Open,
}

/// A run, with the truth of letters at its positions.
pub(crate) struct Path<'a> {
    /// For each position: the truth of each letter.
    pub(crate) rows: &'a [bool],
    /// The letters, ascending.
    pub(crate) letters: &'a [FormulaId],
    pub(crate) end: End,
    /// For each position: true if it has other next markings than the one of the run.
    pub(crate) branches: &'a [bool],
}

/// The bits of a subformula, for each position.
struct Bits {
    sure: Vec<bool>,
    possible: Vec<bool>,
}

impl Path<'_> {
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / self.letters.len().max(1)
    }

    /// Returns the truth of a formula at position 0, if the run determines it. `lasting` is the truth of subformulas at
    /// the last position, where it is known otherwise. The cost is the number of positions times the number of
    /// subformulas.
    pub(crate) fn decide(&self, formula: &Ctl, lasting: &[Option<bool>]) -> Option<bool> {
        let mut known: Vec<Bits> = Vec::with_capacity(formula.nodes().len());
        for (number, node) in formula.nodes().iter().enumerate() {
            let mut bits = self.bits(node, &known, lasting.get(number).copied().flatten());
            debug_assert_eq!(
                (bits.sure.len(), bits.possible.len()),
                (self.len(), self.len()),
                "each position has bits"
            );
            if let (Some(truth), Some(last)) = (lasting.get(number).copied().flatten(), self.len().checked_sub(1)) {
                (bits.sure[last], bits.possible[last]) = (truth, truth);
            }
            known.push(bits);
        }
        let root = known.last()?;
        match (root.sure.first()?, root.possible.first()?) {
            (true, _) => Some(true),
            (_, false) => Some(false),
            _ => None,
        }
    }

    fn bits(&self, node: &CtlNode, known: &[Bits], lasting: Option<bool>) -> Bits {
        let length = self.len();
        let of = |a: &CtlId| &known[a.index()];
        let both = |bits: Vec<bool>| Bits { possible: bits.clone(), sure: bits };
        match node {
            CtlNode::Constant(value) => both(vec![*value; length]),
            CtlNode::Letter(letter) => {
                let at = self.letters.binary_search(letter).expect("all letters are watched");
                both((0..length).map(|i| self.rows[i * self.letters.len() + at]).collect())
            }
            CtlNode::Not(a) => {
                let not = |bits: &[bool]| bits.iter().map(|bit| !bit).collect();
                Bits { sure: not(&of(a).possible), possible: not(&of(a).sure) }
            }
            CtlNode::All(parts) | CtlNode::Any(parts) => {
                let all = matches!(node, CtlNode::All(_));
                let join = |bit: fn(&Bits) -> &[bool]| {
                    let mut joined = vec![all; length];
                    for part in parts {
                        let from = bit(of(part)).iter();
                        joined
                            .iter_mut()
                            .zip(from)
                            .for_each(|(to, from)| *to = if all { *to & from } else { *to | from });
                    }
                    joined
                };
                Bits { sure: join(|bits| &bits.sure), possible: join(|bits| &bits.possible) }
            }
            CtlNode::ExistsNext(a) => Bits {
                sure: (0..length).map(|i| self.next(i).is_some_and(|next| of(a).sure[next])).collect(),
                possible: (0..length).map(|i| self.next_is_possible(i, &of(a).possible)).collect(),
            },
            CtlNode::ExistsUntil(a, b) => {
                let (a, b) = (of(a), of(b));
                Bits {
                    sure: self.least(lasting, |i, row| b.sure[i] || a.sure[i] && self.next(i).is_some_and(|j| row[j])),
                    possible: self
                        .least(lasting, |i, row| b.possible[i] || a.possible[i] && self.next_is_possible(i, row)),
                }
            }
            CtlNode::AllUntil(a, b) => {
                let (a, b) = (of(a), of(b));
                let all_next = |i: usize, row: &[bool]| !self.branches[i] && self.next(i).is_some_and(|j| row[j]);
                let may_all = |i: usize, row: &[bool]| self.next(i).map_or(self.end == End::Open, |j| row[j]);
                Bits {
                    sure: self.least(lasting, |i, row| b.sure[i] || a.sure[i] && all_next(i, row)),
                    possible: self.least(lasting, |i, row| b.possible[i] || a.possible[i] && may_all(i, row)),
                }
            }
        }
    }

    /// Returns the next position.
    fn next(&self, at: usize) -> Option<usize> {
        match self.end {
            _ if at + 1 < self.len() => Some(at + 1),
            End::Back(to) => Some(to),
            End::Dead | End::Open => None,
        }
    }

    /// Returns true if some next marking may be in a set, of which the positions of the run are known.
    fn next_is_possible(&self, at: usize, row: &[bool]) -> bool {
        self.branches[at] || self.next(at).map_or(self.end == End::Open, |next| row[next])
    }

    /// Computes the least fixpoint of a step. The first pass over the positions that repeat finds the value where they
    /// begin, and the second pass the others. The last position has the value `last` if there is one.
    fn least(&self, last: Option<bool>, step: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        let length = self.len();
        let mut row = vec![false; length];
        let repeated = if let End::Back(to) = self.end { to..length } else { 0..0 };
        for i in repeated.rev().chain((0..length).rev()) {
            row[i] = match last {
                Some(value) if i + 1 == length => value,
                _ => step(i, &row),
            };
        }
        row
    }
}

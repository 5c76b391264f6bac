//! The truth of a temporal formula about an infinite run that repeats.

use model::{FormulaId, Letter, Ltl, LtlNode};

/// The truth of letters at the positions of a run. The position `back` follows the last one.
pub(crate) struct Word<'a> {
    /// For each position: the truth of each letter.
    pub(crate) rows: &'a [bool],
    /// The letters, ascending.
    pub(crate) letters: &'a [FormulaId],
    pub(crate) back: usize,
}

impl Word<'_> {
    pub(crate) fn len(&self) -> usize {
        self.rows.len() / self.letters.len().max(1)
    }

    /// Returns true if the run satisfies the formula. The cost is the number of positions times the number of
    /// subformulas.
    pub(crate) fn satisfies(&self, formula: &Ltl) -> bool {
        let mut truth: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes().len());
        for &node in formula.nodes() {
            let row = self.row(node, &truth);
            truth.push(row);
        }
        truth[formula.root().index()][0]
    }

    fn row(&self, node: LtlNode, truth: &[Vec<bool>]) -> Vec<bool> {
        let length = self.len();
        let of = |a: model::LtlId| &truth[a.index()][..];
        let both = |a, b, join: fn(bool, bool) -> bool| -> Vec<bool> {
            of(a).iter().zip(of(b)).map(|(a, b)| join(*a, *b)).collect()
        };
        match node {
            LtlNode::Constant(value) => vec![value; length],
            LtlNode::Letter(Letter::Marking(id)) => {
                let at = self.letters.binary_search(&id).expect("all letters are watched");
                (0..length).map(|i| self.rows[i * self.letters.len() + at]).collect()
            }
            LtlNode::Letter(_) => unreachable!("formulas about nets have other letters"),
            LtlNode::Not(a) => of(a).iter().map(|value| !value).collect(),
            LtlNode::And(a, b) => both(a, b, |a, b| a && b),
            LtlNode::Or(a, b) => both(a, b, |a, b| a || b),
            LtlNode::Next(a) => (0..length).map(|i| of(a)[self.next(i)]).collect(),
            LtlNode::Until(a, b) => self.fixpoint(false, |i, next| of(b)[i] || of(a)[i] && next),
            LtlNode::WeakUntil(a, b) => self.fixpoint(true, |i, next| of(b)[i] || of(a)[i] && next),
            LtlNode::Release(a, b) => self.fixpoint(true, |i, next| of(b)[i] && (of(a)[i] || next)),
            LtlNode::Globally(a) => self.fixpoint(true, |i, next| of(a)[i] && next),
            LtlNode::Finally(a) => self.fixpoint(false, |i, next| of(a)[i] || next),
        }
    }

    fn next(&self, at: usize) -> usize {
        if at + 1 < self.len() { at + 1 } else { self.back }
    }

    /// Computes the least fixpoint of a step if `start` is false, else the greatest one. The first pass over the
    /// positions that repeat finds the value at `back`, and the second pass the others.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut row = vec![start; self.len()];
        let repeated = (self.back..row.len()).rev();
        for i in repeated.chain((0..row.len()).rev()) {
            row[i] = step(i, row[self.next(i)]);
        }
        row
    }
}

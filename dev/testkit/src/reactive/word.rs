//! Infinite words that repeat, and the evaluation of temporal formulas on them.

use model::{Letter, Ltl, LtlNode};

/// An infinite word. The letter at `back` follows its last letter.
#[derive(Clone, Debug)]
pub struct Word {
    /// The inputs and outputs, in order.
    pub letters: Vec<Letter>,
    /// The position that follows the last letter.
    pub back: usize,
}

impl Word {
    /// Returns the position after `at`.
    #[must_use]
    pub fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }

    /// True if the word satisfies the formula. Computed from the definition of each operator, as a fixed point
    /// over the positions.
    #[must_use]
    pub fn satisfies(&self, formula: &Ltl) -> bool {
        let length = self.letters.len();
        let mut truth: Vec<Vec<bool>> = Vec::new();
        for &node in formula.nodes() {
            let row: Vec<bool> = match node {
                LtlNode::Constant(value) => vec![value; length],
                LtlNode::Letter(letter) => self.letters.iter().map(|&l| l == letter).collect(),
                LtlNode::Not(a) => truth[a.index()].iter().map(|t| !t).collect(),
                LtlNode::And(a, b) => (0..length).map(|i| truth[a.index()][i] && truth[b.index()][i]).collect(),
                LtlNode::Or(a, b) => (0..length).map(|i| truth[a.index()][i] || truth[b.index()][i]).collect(),
                LtlNode::Next(a) => (0..length).map(|i| truth[a.index()][self.next(i)]).collect(),
                LtlNode::Until(a, b) => self.fixed(false, |i, x| truth[b.index()][i] || (truth[a.index()][i] && x)),
                LtlNode::WeakUntil(a, b) => self.fixed(true, |i, x| truth[b.index()][i] || (truth[a.index()][i] && x)),
                LtlNode::Release(a, b) => self.fixed(true, |i, x| truth[b.index()][i] && (truth[a.index()][i] || x)),
                LtlNode::Globally(a) => self.fixed(true, |i, x| truth[a.index()][i] && x),
                LtlNode::Finally(a) => self.fixed(false, |i, x| truth[a.index()][i] || x),
            };
            truth.push(row);
        }
        truth[formula.root().index()][0]
    }

    fn fixed(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut row = vec![start; self.letters.len()];
        for _ in 0..=row.len() {
            for i in (0..row.len()).rev() {
                row[i] = step(i, row[self.next(i)]);
            }
        }
        row
    }
}

//! Infinite words that repeat, and what temporal formulas say of them.

use model::{Letter, Ltl, LtlNode};

/// An infinite word: after its last letter it goes on with the one at `back`.
#[derive(Clone, Debug)]
pub struct Word {
    /// What is read and written, in order.
    pub letters: Vec<Letter>,
    /// Where it goes on.
    pub back: usize,
}

impl Word {
    /// The position after this one.
    #[must_use]
    pub fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }

    /// By the definition of each operator, as a fixed point over the positions.
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

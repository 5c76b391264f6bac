//! Infinite words that repeat, and what formulas say of them.

use super::formulas::any_letter;
use model::{Letter, Ltl, LtlNode};
use proptest::prelude::*;

/// A word that goes on, after its last letter, with the one at `back`.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) letters: Vec<Letter>,
    pub(super) back: usize,
}

impl Word {
    pub(super) fn next(&self, at: usize) -> usize {
        if at + 1 < self.letters.len() { at + 1 } else { self.back }
    }

    /// By the definition of each operator, as a fixed point over the positions.
    pub(super) fn satisfies(&self, formula: &Ltl) -> bool {
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

/// A word that a run may spell: it starts with an input, and an input follows each output.
pub(super) fn any_word() -> impl Strategy<Value = Word> {
    (prop::collection::vec(any_letter(), 1..9), any::<prop::sample::Index>()).prop_map(|(letters, back)| {
        let mut word: Vec<Letter> = Vec::new();
        for letter in letters {
            let after_input = matches!(word.last(), Some(Letter::Input(_)));
            if matches!(letter, Letter::Output(_)) && !after_input {
                word.push(Letter::Input(1));
            }
            word.push(letter);
        }
        // Back to an input: whatever the last letter is, that may follow.
        let starts: Vec<usize> = (0..word.len()).filter(|&i| matches!(word[i], Letter::Input(_))).collect();
        let back = starts[back.index(starts.len())];
        Word { letters: word, back }
    })
}

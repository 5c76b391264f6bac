//! Does a formula hold on an infinite word that repeats its end for ever? Straight from the meaning of the operators: the truth of
//! every subformula at every position, where the position after the last one is the first of the loop.
//!
//! `a U b` is the least solution of x = b | (a & next x), `a WU b` the greatest; `a R b` is the greatest one of
//! x = b & (a | next x). On the loop a solution is found by going round backwards twice: the first time from the guess
//! (false for the least, true for the greatest) behind the last position, the second time from what came out at the loop's start.
//! Then nothing changes any more: if the guess was wrong, some position of the loop decides by itself, and with it all before
//! it, round the loop.

use crate::work::Work;
use crate::{Check, reject};
use model::{Letter, Ltl, LtlNode};

/// Is the formula true at position 0 of the word that goes on from its end with position `repeats_from`?
pub(crate) fn holds(formula: &Ltl, word: &[Letter], repeats_from: usize, work: &mut Work<'_>) -> Check<bool> {
    if repeats_from >= word.len() {
        return reject("the part that repeats has no letter");
    }
    work.grow(formula.nodes().len().saturating_mul(word.len()))?;
    let next = |i: usize| if i + 1 == word.len() { repeats_from } else { i + 1 };
    let mut truth: Vec<Vec<bool>> = Vec::with_capacity(formula.nodes().len());
    for &node in formula.nodes() {
        work.spend(word.len() as u64)?;
        let at = |f: &dyn Fn(usize) -> bool| (0..word.len()).map(f).collect::<Vec<bool>>();
        let of = |id: model::LtlId| &truth[id.index()];
        // x = now | (pass & next x), at each position.
        let solve = |guess: bool, now: &dyn Fn(usize) -> bool, pass: &dyn Fn(usize) -> bool| {
            let mut x = vec![guess; word.len()];
            let mut behind = guess;
            for from in [repeats_from, 0] {
                for i in (from..word.len()).rev() {
                    behind = now(i) || pass(i) && behind;
                    x[i] = behind;
                }
                behind = x[repeats_from];
            }
            x
        };
        let column = match node {
            LtlNode::Constant(value) => vec![value; word.len()],
            LtlNode::Letter(letter) => at(&|i| word[i] == letter),
            LtlNode::Not(a) => at(&|i| !of(a)[i]),
            LtlNode::And(a, b) => at(&|i| of(a)[i] && of(b)[i]),
            LtlNode::Or(a, b) => at(&|i| of(a)[i] || of(b)[i]),
            LtlNode::Next(a) => at(&|i| of(a)[next(i)]),
            LtlNode::Until(a, b) => solve(false, &|i| of(b)[i], &|i| of(a)[i]),
            LtlNode::WeakUntil(a, b) => solve(true, &|i| of(b)[i], &|i| of(a)[i]),
            LtlNode::Release(a, b) => solve(true, &|i| of(a)[i] && of(b)[i], &|i| of(b)[i]),
            LtlNode::Globally(a) => solve(true, &|_| false, &|i| of(a)[i]),
            LtlNode::Finally(a) => solve(false, &|i| of(a)[i], &|_| true),
        };
        truth.push(column);
    }
    Ok(truth.last().is_some_and(|column| column[0]))
}

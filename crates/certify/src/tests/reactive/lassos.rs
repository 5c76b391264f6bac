//! Tests of formulas on words that repeat, against the textbook definition on their unrolling.

use super::*;
use kernel::Work;
use kernel::trace::holds;
use proptest::prelude::*;

/// Random formulas, operands first.
pub(super) fn formula() -> impl Strategy<Value = Ltl> {
    prop::collection::vec((0..14u8, any::<u32>(), any::<u32>()), 1..9).prop_map(|codes| {
        let mut nodes: Vec<LtlNode> = Vec::new();
        for (i, (code, a, b)) in codes.into_iter().enumerate() {
            let letter = match a % 4 {
                0 => Letter::Input(1),
                1 => Letter::Input(2),
                2 => Letter::Output(20),
                _ => Letter::Output(21),
            };
            let pick = |n: u32| LtlId::new(n as usize % i.max(1));
            let (a, b) = (pick(a), pick(b));
            nodes.push(match code {
                _ if i == 0 => LtlNode::Letter(letter),
                0 => LtlNode::Constant(b.0 % 2 == 0),
                1..=4 => LtlNode::Letter(letter),
                5 => LtlNode::Not(a),
                6 => LtlNode::And(a, b),
                7 => LtlNode::Or(a, b),
                8 => LtlNode::Next(a),
                9 => LtlNode::Until(a, b),
                10 => LtlNode::WeakUntil(a, b),
                11 => LtlNode::Release(a, b),
                12 => LtlNode::Globally(a),
                _ => LtlNode::Finally(a),
            });
        }
        Ltl::new(nodes)
    })
}

/// The truth of node `id` at position `i`, by definition. One round of the loop suffices to see every later
/// event.
fn truth(formula: &Ltl, id: LtlId, word: &[Letter], from: usize, i: usize) -> bool {
    let next = |i: usize| if i + 1 == word.len() { from } else { i + 1 };
    let mut ahead = vec![i];
    while ahead.len() < 2 * word.len() {
        ahead.push(next(ahead[ahead.len() - 1]));
    }
    let at = |id: LtlId, i: usize| truth(formula, id, word, from, i);
    let until = |a: &dyn Fn(usize) -> bool, b: &dyn Fn(usize) -> bool| match ahead.iter().position(|&j| b(j)) {
        Some(there) => ahead[..there].iter().all(|&j| a(j)),
        None => false,
    };
    let all = |a: &dyn Fn(usize) -> bool| ahead.iter().all(|&j| a(j));
    match formula.node(id) {
        LtlNode::Constant(value) => value,
        LtlNode::Letter(letter) => word[i] == letter,
        LtlNode::Not(a) => !at(a, i),
        LtlNode::And(a, b) => at(a, i) && at(b, i),
        LtlNode::Or(a, b) => at(a, i) || at(b, i),
        LtlNode::Next(a) => at(a, next(i)),
        LtlNode::Until(a, b) => until(&|j| at(a, j), &|j| at(b, j)),
        LtlNode::WeakUntil(a, b) => until(&|j| at(a, j), &|j| at(b, j)) || all(&|j| at(a, j)),
        LtlNode::Release(a, b) => !until(&|j| !at(a, j), &|j| !at(b, j)),
        LtlNode::Globally(a) => all(&|j| at(a, j)),
        LtlNode::Finally(a) => !all(&|j| !at(a, j)),
    }
}

pub(super) fn word() -> impl Strategy<Value = (Vec<Letter>, usize)> {
    let letter = prop_oneof![
        Just(Letter::Input(1)),
        Just(Letter::Input(2)),
        Just(Letter::Input(3)),
        Just(Letter::Output(20)),
        Just(Letter::Output(21))
    ];
    prop::collection::vec(letter, 1..6).prop_flat_map(|word| {
        let len = word.len();
        (Just(word), 0..len)
    })
}

proptest! {
    #[test]
    fn fixpoints_are_the_definition(formula in formula(), (word, from) in word()) {
        let stop = Stop::default();
        let got = holds(&formula, &word, from, &mut Work::new(1_000_000, &stop));
        prop_assert_eq!(got, Ok(truth(&formula, formula.root(), &word, from, 0)));
    }
}

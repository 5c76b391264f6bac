//! Formulas for tests: parsed from a text, or random.

use model::{Letter, Ltl, LtlId, LtlNode};
use proptest::prelude::*;

/// Parses a formula in the notation of the RERS challenges. Panics on errors.
pub(super) fn parse(text: &str) -> Ltl {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('!', " ! ");
    let (mut nodes, mut operands, mut operators): (Vec<LtlNode>, Vec<LtlId>, Vec<&str>) = Default::default();
    let push = |nodes: &mut Vec<LtlNode>, node| {
        nodes.push(node);
        LtlId::new(nodes.len() - 1)
    };
    for word in spaced.split_whitespace() {
        match word {
            "(" | "!" | "X" | "G" | "F" | "&" | "|" | "U" | "WU" | "R" => {
                operators.push(word);
                continue;
            }
            ")" => {
                let operator = operators.pop().unwrap();
                if operator != "(" {
                    let (b, a) = (operands.pop().unwrap(), operands.pop().unwrap());
                    let node = match operator {
                        "&" => LtlNode::And(a, b),
                        "|" => LtlNode::Or(a, b),
                        "U" => LtlNode::Until(a, b),
                        "WU" => LtlNode::WeakUntil(a, b),
                        _ => LtlNode::Release(a, b),
                    };
                    operands.push(push(&mut nodes, node));
                    assert_eq!(operators.pop(), Some("("));
                }
            }
            "true" | "false" => operands.push(push(&mut nodes, LtlNode::Constant(word == "true"))),
            _ => {
                let number = i32::from(word.as_bytes()[1] - b'A') + 1;
                let letter = if word.starts_with('i') { Letter::Input(number) } else { Letter::Output(number) };
                operands.push(push(&mut nodes, LtlNode::Letter(letter)));
            }
        }
        while let Some(operator @ ("!" | "X" | "G" | "F")) = operators.last().copied() {
            operators.pop();
            let a = operands.pop().unwrap();
            let node = match operator {
                "!" => LtlNode::Not(a),
                "X" => LtlNode::Next(a),
                "G" => LtlNode::Globally(a),
                _ => LtlNode::Finally(a),
            };
            operands.push(push(&mut nodes, node));
        }
    }
    assert!(operands.len() == 1 && operators.is_empty());
    Ltl::new(nodes)
}

/// Returns a letter of a small alphabet.
pub(super) fn any_letter() -> impl Strategy<Value = Letter> {
    prop_oneof![(1..4).prop_map(Letter::Input), (21..24).prop_map(Letter::Output)]
}

/// Returns a formula with up to a dozen operators.
pub(super) fn any_formula() -> impl Strategy<Value = Ltl> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(|b| vec![LtlNode::Constant(b)]),
        8 => any_letter().prop_map(|l| vec![LtlNode::Letter(l)]),
    ];
    let tree = leaf.prop_recursive(5, 14, 2, |inner| {
        prop_oneof![
            3 => (inner.clone(), 0usize..4).prop_map(|(a, operator)| unary(a, operator)),
            4 => (inner.clone(), inner, 0usize..5).prop_map(|(a, b, operator)| binary(a, b, operator)),
        ]
    });
    tree.prop_map(Ltl::new)
}

fn unary(mut nodes: Vec<LtlNode>, operator: usize) -> Vec<LtlNode> {
    let a = LtlId::new(nodes.len() - 1);
    nodes.push([LtlNode::Not(a), LtlNode::Next(a), LtlNode::Globally(a), LtlNode::Finally(a)][operator]);
    nodes
}

fn binary(mut nodes: Vec<LtlNode>, other: Vec<LtlNode>, operator: usize) -> Vec<LtlNode> {
    let by = nodes.len();
    let up = |id: LtlId| LtlId::new(id.index() + by);
    nodes.extend(other.into_iter().map(|node| match node {
        LtlNode::Not(a) => LtlNode::Not(up(a)),
        LtlNode::Next(a) => LtlNode::Next(up(a)),
        LtlNode::Globally(a) => LtlNode::Globally(up(a)),
        LtlNode::Finally(a) => LtlNode::Finally(up(a)),
        LtlNode::And(a, b) => LtlNode::And(up(a), up(b)),
        LtlNode::Or(a, b) => LtlNode::Or(up(a), up(b)),
        LtlNode::Until(a, b) => LtlNode::Until(up(a), up(b)),
        LtlNode::WeakUntil(a, b) => LtlNode::WeakUntil(up(a), up(b)),
        LtlNode::Release(a, b) => LtlNode::Release(up(a), up(b)),
        leaf => leaf,
    }));
    let (a, b) = (LtlId::new(by - 1), LtlId::new(nodes.len() - 1));
    let all =
        [LtlNode::And(a, b), LtlNode::Or(a, b), LtlNode::Until(a, b), LtlNode::WeakUntil(a, b), LtlNode::Release(a, b)];
    nodes.push(all[operator]);
    nodes
}

//! Evaluates a formula of computation tree logic on a part of the markings of a net.
//!
//! Each marking gets two bits for each subformula: *sure* if the subformula is true there, whatever the markings
//! outside of the part are like, and *possible* unless it is false there, whatever they are like. A least fixpoint is
//! computed twice, with the sure bits of the operands and nothing beyond the part, and with their possible bits and
//! everything beyond it. Each takes time proportional to the number of steps.
//!
//! Markings in which a siphon is empty get the bits of what is true or false for ever there ([`super::siphons`]).

use super::graph::Graph;
use super::siphons::Empty;
use model::{Ctl, CtlId, CtlNode, FormulaId};
use std::borrow::Cow;
use std::collections::HashMap;

/// A part of the markings: those that are known. Some of them are expanded.
pub(super) struct Part<'g> {
    graph: &'g Graph,
    siphons: &'g [Empty],
    /// The previous markings of all markings, and where those of each begin.
    before: Vec<u32>,
    begin: Vec<u32>,
}

impl<'g> Part<'g> {
    pub(super) fn new(graph: &'g Graph, siphons: &'g [Empty]) -> Self {
        let known = graph.space.len();
        let expanded = || (0..known as u32).filter(|state| graph.is_expanded(*state));
        let mut begin = vec![0u32; known + 2];
        for from in expanded() {
            graph.steps_of(from).iter().for_each(|(_, to)| begin[*to as usize + 2] += 1);
        }
        (2..known + 2).for_each(|at| begin[at] += begin[at - 1]);
        let mut before = vec![0; begin[known + 1] as usize];
        for from in expanded() {
            for (_, to) in graph.steps_of(from) {
                let at = &mut begin[*to as usize + 1];
                before[*at as usize] = from;
                *at += 1;
            }
        }
        Self { graph, siphons, before, begin }
    }

    fn known(&self) -> usize {
        self.graph.space.len()
    }

    fn is_expanded(&self, state: usize) -> bool {
        self.graph.is_expanded(state as u32)
    }

    /// Returns the number of steps of a marking; 0 if it is not expanded.
    fn fan_out(&self, state: usize) -> u32 {
        if self.is_expanded(state) { self.graph.steps_of(state as u32).len() as u32 } else { 0 }
    }

    fn before(&self, state: u32) -> &[u32] {
        &self.before[self.begin[state as usize] as usize..self.begin[state as usize + 1] as usize]
    }

    /// Returns the bits of `EX a`: those of next markings with this bit of `a`, where everything beyond the part has
    /// the value `beyond`.
    fn next(&self, a: &[bool], beyond: bool) -> Vec<bool> {
        let mut result: Vec<bool> = (0..self.known()).map(|state| beyond && !self.is_expanded(state)).collect();
        for state in (0..self.known() as u32).filter(|state| a[*state as usize]) {
            self.before(state).iter().for_each(|from| result[*from as usize] = true);
        }
        result
    }

    /// Returns the bits of `E (a U b)`, or of `A (a U b)` if `all`.
    fn until(&self, a: &[bool], b: &[bool], all: bool, beyond: bool) -> Vec<bool> {
        let mut result = b.to_vec();
        if beyond {
            (0..self.known()).for_each(|state| result[state] |= a[state] && !self.is_expanded(state));
        }
        let mut open: Vec<u32> = (0..self.known() as u32).filter(|state| result[*state as usize]).collect();
        // For each marking: the number of steps to markings that do not have the bit.
        let mut missing: Vec<u32> = match all {
            true => (0..self.known()).map(|state| self.fan_out(state)).collect(),
            false => Vec::new(),
        };
        while let Some(state) = open.pop() {
            for &from in self.before(state) {
                let at = from as usize;
                if all {
                    missing[at] -= 1;
                }
                if !result[at] && a[at] && (!all || missing[at] == 0) {
                    result[at] = true;
                    open.push(from);
                }
            }
        }
        result
    }
}

/// The bits of a subformula, for each marking.
struct Bits {
    sure: Vec<bool>,
    possible: Vec<bool>,
}

/// The truth of letters in the markings that are known.
#[derive(Default)]
pub(super) struct Labels {
    letters: HashMap<FormulaId, Vec<bool>>,
}

impl Labels {
    /// Returns the truth of a formula in the initial markings (in all of them), if the part determines it.
    pub(super) fn decide(&mut self, formula: &Ctl, part: &Part<'_>) -> Option<bool> {
        if let CtlNode::Constant(value) = formula.node(formula.root()) {
            return Some(*value);
        }
        let mut users = vec![0usize; formula.nodes().len()];
        formula.nodes().iter().flat_map(CtlNode::operands).for_each(|id| users[id.index()] += 1);
        let mut known: Vec<Option<Bits>> = Vec::with_capacity(users.len());
        let lasting: Vec<_> =
            part.siphons.iter().map(|siphon| siphon.lasting(formula, part.graph.formulas())).collect();
        for (number, node) in formula.nodes().iter().enumerate() {
            let is_false = |(siphon, lasting): (&Empty, &Vec<Option<bool>>)| {
                (lasting[number] == Some(false)).then_some(siphon.state)
            };
            let never: Vec<u32> = part.siphons.iter().zip(&lasting).filter_map(is_false).collect();
            let mut bits = self.bits(node, &known, part, &never);
            for (siphon, lasting) in part.siphons.iter().zip(&lasting) {
                match lasting[number] {
                    Some(true) => bits.sure[siphon.state as usize] = true,
                    Some(false) => bits.possible[siphon.state as usize] = false,
                    None => {}
                }
            }
            for id in node.operands() {
                users[id.index()] -= 1;
                if users[id.index()] == 0 {
                    known[id.index()] = None;
                }
            }
            known.push(Some(bits));
        }
        let root = known.pop().flatten()?;
        let initial = &part.graph.initial;
        if initial.iter().all(|state| root.sure[*state as usize]) {
            Some(true)
        } else if initial.iter().any(|state| !root.possible[*state as usize]) {
            Some(false)
        } else {
            None
        }
    }

    /// Returns the bits of a subformula, which is false in the markings `never`.
    fn bits(&mut self, node: &CtlNode, known: &[Option<Bits>], part: &Part<'_>, never: &[u32]) -> Bits {
        let size = part.known();
        let of = |id: &CtlId| known[id.index()].as_ref().expect("operands are kept until they were used");
        let both = |bits: Vec<bool>| Bits { possible: bits.clone(), sure: bits };
        match node {
            CtlNode::Constant(value) => both(vec![*value; size]),
            CtlNode::Letter(letter) => {
                let truth = self.letters.entry(*letter).or_default();
                for state in truth.len()..size {
                    truth.push(part.graph.satisfies(state as u32, *letter));
                }
                both(truth.clone())
            }
            CtlNode::Not(a) => {
                let not = |bits: &[bool]| bits.iter().map(|bit| !bit).collect();
                Bits { sure: not(&of(a).possible), possible: not(&of(a).sure) }
            }
            CtlNode::All(parts) | CtlNode::Any(parts) => {
                let all = matches!(node, CtlNode::All(_));
                let mut bits = both(vec![all; size]);
                for part in parts {
                    let join = |to: &mut [bool], from: &[bool]| {
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = if all { *to & from } else { *to | from });
                    };
                    join(&mut bits.sure, &of(part).sure);
                    join(&mut bits.possible, &of(part).possible);
                }
                bits
            }
            CtlNode::ExistsNext(a) => {
                Bits { sure: part.next(&of(a).sure, false), possible: part.next(&of(a).possible, true) }
            }
            CtlNode::ExistsUntil(a, b) | CtlNode::AllUntil(a, b) => {
                let all = matches!(node, CtlNode::AllUntil(..));
                Bits {
                    sure: part.until(&of(a).sure, &of(b).sure, all, false),
                    // Nothing follows from markings in which the subformula is false.
                    possible: part.until(&without(&of(a).possible, never), &without(&of(b).possible, never), all, true),
                }
            }
        }
    }
}

/// Returns the bits without these markings.
fn without<'a>(bits: &'a [bool], markings: &[u32]) -> Cow<'a, [bool]> {
    let mut bits = Cow::Borrowed(bits);
    markings.iter().for_each(|marking| bits.to_mut()[*marking as usize] = false);
    bits
}

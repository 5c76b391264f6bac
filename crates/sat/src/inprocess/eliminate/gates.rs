//! Gates: clauses that define a variable by others. If gate clauses define the variable, resolvents of two other
//! clauses follow from the resolvents with gate clauses, and resolvents of two gate clauses are tautologies. So both
//! kinds can be left out (Een and Biere 2005).
//!
//! Recognised are conjunctions and disjunctions (with one input: equivalence), exclusive ors, and choices
//! (if-then-else).

use std::collections::BTreeMap;

use crate::clauses::{ClauseRef, Clauses};
use crate::lit::{Lit, Var};

/// The largest number of inputs of an exclusive or.
const MOST_INPUTS: usize = 4;

/// The clauses of a gate, sorted.
pub(super) struct Gate(Vec<ClauseRef>);

impl Gate {
    /// True if the resolvent of the two clauses is needed.
    pub(super) fn needs(&self, first: ClauseRef, second: ClauseRef) -> bool {
        let has = |clause| self.0.binary_search(&clause).is_ok();
        has(first) != has(second)
    }
}

/// Finds a gate with the output `var`. `sides` are the clauses with the variable, and those with its negation.
pub(super) fn find(clauses: &Clauses, var: Var, sides: &[Vec<ClauseRef>; 2]) -> Option<Gate> {
    let [positive, negative] = sides;
    let outputs = [(var.positive(), positive, negative), (var.negative(), negative, positive)];
    let mut found = outputs.iter().find_map(|&(output, own, others)| conjunction(clauses, output, own, others));
    if found.is_none() {
        found = table(clauses, var, sides);
    }
    found.map(|mut gate| {
        gate.sort_unstable();
        Gate(gate)
    })
}

/// The other literal of a binary clause.
fn partner(clauses: &Clauses, clause: ClauseRef, lit: Lit) -> Option<Lit> {
    let is_binary = clauses.len(clause) == 2;
    is_binary.then(|| clauses.lits(clause).find(|&other| other != lit)).flatten()
}

/// `output` = conjunction of literals: one long clause of `own`, and a binary clause of `others` for each input.
fn conjunction(clauses: &Clauses, output: Lit, own: &[ClauseRef], others: &[ClauseRef]) -> Option<Vec<ClauseRef>> {
    let implied: BTreeMap<Lit, ClauseRef> =
        others.iter().filter_map(|&clause| Some((partner(clauses, clause, !output)?, clause))).collect();
    if implied.is_empty() {
        return None;
    }
    own.iter().find_map(|&base| {
        let inputs = clauses.lits(base).filter(|&lit| lit != output);
        let binaries: Option<Vec<ClauseRef>> = inputs.map(|lit| implied.get(&!lit).copied()).collect();
        binaries.map(|mut gate| {
            gate.push(base);
            gate
        })
    })
}

/// A gate given by a table of clauses of equal length: an exclusive or, or a choice.
fn table(clauses: &Clauses, var: Var, sides: &[Vec<ClauseRef>; 2]) -> Option<Vec<ClauseRef>> {
    let by_literals: BTreeMap<Vec<Lit>, ClauseRef> = sides
        .iter()
        .flatten()
        .filter(|&&clause| (3..=MOST_INPUTS + 1).contains(&clauses.len(clause)))
        .map(|&clause| (sorted(clauses.lits(clause).collect()), clause))
        .collect();
    let smaller = if sides[0].len() <= sides[1].len() { &sides[0] } else { &sides[1] };
    let starts = smaller.iter().map(|&clause| clauses.lits(clause).collect::<Vec<Lit>>());
    starts
        .filter(|start| (3..=MOST_INPUTS + 1).contains(&start.len()))
        .find_map(|start| exclusive_or(&by_literals, &start).or_else(|| choice(&by_literals, var, &start)))
}

fn sorted(mut literals: Vec<Lit>) -> Vec<Lit> {
    literals.sort_unstable();
    literals
}

/// All clauses that differ from `start` by an even number of negations.
fn exclusive_or(by_literals: &BTreeMap<Vec<Lit>, ClauseRef>, start: &[Lit]) -> Option<Vec<ClauseRef>> {
    let flips = (0u32..1 << start.len()).filter(|flips| flips.count_ones().is_multiple_of(2));
    flips
        .map(|flips| {
            let flipped = start.iter().enumerate().map(|(at, &lit)| if flips >> at & 1 == 1 { !lit } else { lit });
            by_literals.get(&sorted(flipped.collect())).copied()
        })
        .collect()
}

/// Output = if c then t else e: the clauses (x, -c, -t), (-x, -c, t), (x, c, -e) and (-x, c, e). `start` is one of
/// them.
fn choice(by_literals: &BTreeMap<Vec<Lit>, ClauseRef>, var: Var, start: &[Lit]) -> Option<Vec<ClauseRef>> {
    let &output = start.iter().find(|lit| lit.var() == var).filter(|_| start.len() == 3)?;
    let inputs: Vec<Lit> = start.iter().copied().filter(|lit| lit.var() != var).collect();
    let get = |literals: [Lit; 3]| by_literals.get(&sorted(literals.to_vec())).copied();
    [(inputs[0], inputs[1]), (inputs[1], inputs[0])].into_iter().find_map(|(condition, value)| {
        let first = [get([output, condition, value])?, get([!output, condition, !value])?];
        let others = by_literals.keys().filter(|literals| literals.len() == 3);
        others.filter(|literals| literals.contains(&output) && literals.contains(&!condition)).find_map(|literals| {
            let &other = literals.iter().find(|&&lit| lit != output && lit != !condition)?;
            let second = [get([output, !condition, other])?, get([!output, !condition, !other])?];
            Some([first, second].concat())
        })
    })
}

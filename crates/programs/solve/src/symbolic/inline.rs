//! Fewer relations for Spacer: controls that a step only passes are replaced by longer steps.
//!
//! A relation with one rule into it, or one rule out of it, and none from itself to itself is removed: each rule into
//! it and each rule out of it become one rule (as Z3 does by itself; but then its answer has no formula for the removed
//! relations). The formula of a removed relation is recomputed from the relations after it ([`Inlined::complete`]): the
//! weakest condition under which each rule out of it leads to states that satisfy their formulas.

use crate::symbolic::eliminate::eliminate;
use model::VariableId;
use model::data::{Constraint, Linear, Symbol};
use side::horn::{Horn, Invariants, Rule};
use std::collections::BTreeMap;

/// The largest number of clauses of a formula that is recomputed.
const MOST_CLAUSES: usize = 1 << 9;

/// Rules with fewer relations.
#[derive(Debug)]
pub(crate) struct Inlined {
    pub(crate) horn: Horn,
    /// The removed relations, in the order of removal, with the rules out of them at that time.
    removed: Vec<(usize, Vec<Rule>)>,
}

impl Inlined {
    /// Removes relations.
    pub(crate) fn new(horn: &Horn) -> Self {
        let is_useful = |rule: &&Rule| rule.from.is_none() || rule.from != rule.to || !rule.updates.is_empty();
        let mut rules: Vec<Rule> = horn.rules.iter().filter(is_useful).cloned().collect();
        let mut removed = Vec::new();
        while let Some(relation) = (0..horn.relations).find(|relation| can_be_removed(&rules, *relation)) {
            let (into, rest): (Vec<Rule>, Vec<Rule>) = rules.into_iter().partition(|rule| rule.to == Some(relation));
            let (out, mut rest): (Vec<Rule>, Vec<Rule>) =
                rest.into_iter().partition(|rule| rule.from == Some(relation));
            rest.extend(into.iter().flat_map(|first| out.iter().map(|second| joined(first, second))));
            rules = rest;
            removed.push((relation, out));
        }
        Self { horn: Horn { rules, ..*horn }, removed }
    }

    /// Adds the formulas of removed relations. `None` if one is too large.
    pub(crate) fn complete(&self, mut found: Invariants) -> Option<Invariants> {
        // The rules out of a relation lead to relations that were removed later, or not at all.
        for (relation, out) in self.removed.iter().rev() {
            let mut clauses: Vec<Vec<Constraint>> = Vec::new();
            for rule in out {
                // A violation has to be impossible: it has the formula `false`, one clause without constraints.
                let target = rule.to.map_or_else(|| vec![Vec::new()], |to| found[to].clone());
                for clause in &target {
                    let clause = clause_before(rule, clause)?;
                    if !clauses.contains(&clause) && !clause.iter().any(|c| c.as_truth() == Some(true)) {
                        clauses.push(clause);
                    }
                }
            }
            if clauses.len() > MOST_CLAUSES {
                return None;
            }
            found[*relation] = clauses;
        }
        Some(found)
    }
}

/// True if the relation has a rule into it and a rule out of it, only one of one of these, and none to itself.
fn can_be_removed(rules: &[Rule], relation: usize) -> bool {
    let into = rules.iter().filter(|rule| rule.to == Some(relation)).count();
    let out = rules.iter().filter(|rule| rule.from == Some(relation)).count();
    let is_loop = rules.iter().any(|rule| rule.from == Some(relation) && rule.to == Some(relation));
    !is_loop && into > 0 && out > 0 && (into == 1 || out == 1)
}

/// Returns the value of a symbol after a rule.
fn after(rule: &Rule, symbol: Symbol) -> Option<Linear> {
    let Symbol::Variable(id) = symbol else { return None };
    let new = rule.updates.iter().find(|(variable, _)| *variable == id).map(|(_, value)| value.clone());
    new.or_else(|| rule.from.is_none().then(Linear::default))
}

/// Returns the rule for one step by `first` and then one by `second`.
fn joined(first: &Rule, second: &Rule) -> Rule {
    // The local symbols of the second rule get numbers that the first one does not use.
    let locals = |rule: &Rule| {
        let terms = rule.constraints.iter().map(Constraint::term).chain(rule.updates.iter().map(|update| &update.1));
        let number = |symbol: Symbol| match symbol {
            Symbol::Variable(_) => 0,
            Symbol::Argument(number) | Symbol::Input(_, number) => number + 1,
        };
        terms.flat_map(Linear::terms).map(|(symbol, _)| number(*symbol)).max().unwrap_or(0)
    };
    let shift = locals(first);
    let now = |symbol: Symbol| match symbol {
        Symbol::Variable(_) => after(first, symbol),
        Symbol::Argument(number) => Some(Linear::of(Symbol::Argument(number + shift))),
        Symbol::Input(thread, number) => Some(Linear::of(Symbol::Input(thread, number + shift))),
    };
    let mut constraints = first.constraints.clone();
    constraints.extend(second.constraints.iter().map(|c| c.substitute(&now)).filter(|c| c.as_truth() != Some(true)));
    let mut updates: BTreeMap<VariableId, Linear> = first.updates.iter().cloned().collect();
    updates.extend(second.updates.iter().map(|(variable, value)| (*variable, value.substitute(&now))));
    Rule { from: first.from, constraints, to: second.to, updates: updates.into_iter().collect() }
}

/// Returns a clause that holds before a rule only if the clause holds after it.
fn clause_before(rule: &Rule, clause: &[Constraint]) -> Option<Vec<Constraint>> {
    let fails = clause.iter().map(|c| c.substitute(&|symbol| after(rule, symbol)).negation());
    let rest = eliminate(rule.constraints.iter().cloned().chain(fails).collect())?;
    let mut before: Vec<Constraint> = rest.iter().map(Constraint::negation).collect();
    before.retain(|constraint| constraint.as_truth() != Some(false));
    Some(before)
}

//! Live variables of relations: those that a later rule may read.
//!
//! A value that is not live makes no difference, so rules set it to 0. Invariants then say nothing else about it, and
//! fewer of them are needed. A state satisfies an invariant of the changed rules if it does so with 0 in place of all
//! values that are not live.

use model::VariableId;
use model::data::{Constraint, Linear, Symbol};
use side::horn::{Horn, Invariants, Rule};

/// For each relation: whether each variable is live.
#[derive(Debug)]
pub(crate) struct Live(Vec<Vec<bool>>);

impl Live {
    pub(crate) fn new(horn: &Horn) -> Self {
        let mut live = Self(vec![vec![false; horn.variables]; horn.relations]);
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for rule in &horn.rules {
                let Some(from) = rule.from else { continue };
                for variable in live.read(rule, horn.variables) {
                    is_stable &= std::mem::replace(&mut live.0[from][variable], true);
                }
            }
        }
        live
    }

    /// Returns the variables that matter before a rule.
    fn read(&self, rule: &Rule, variables: usize) -> Vec<usize> {
        let is_live = |variable: &VariableId| rule.to.is_some_and(|to| self.0[to][variable.index()]);
        let updates = rule.updates.iter().filter(|(variable, _)| is_live(variable)).map(|(_, value)| value);
        let terms = rule.constraints.iter().map(Constraint::term).chain(updates);
        let number = |symbol: &Symbol| if let Symbol::Variable(id) = symbol { Some(id.index()) } else { None };
        let mut read: Vec<usize> = terms.flat_map(Linear::terms).filter_map(|(symbol, _)| number(symbol)).collect();
        let is_kept = |id: &VariableId| is_live(id) && !rule.updates.iter().any(|(variable, _)| variable == id);
        read.extend((0..variables).map(VariableId::new).filter(is_kept).map(VariableId::index));
        read
    }

    /// Returns the rules with 0 for all values that are not live.
    pub(crate) fn rules(&self, horn: &Horn) -> Horn {
        let mut horn = horn.clone();
        for rule in &mut horn.rules {
            let Some(to) = rule.to else { continue };
            for variable in (0..horn.variables).filter(|variable| !self.0[to][*variable]).map(VariableId::new) {
                let is_zero_before = rule.from.is_none_or(|from| !self.0[from][variable.index()]);
                rule.updates.retain(|(other, _)| *other != variable);
                if !is_zero_before {
                    rule.updates.push((variable, Linear::default()));
                }
            }
        }
        horn
    }

    /// Replaces values that are not live by 0.
    pub(crate) fn of_program(&self, invariants: Invariants) -> Invariants {
        let dead = |relation: usize, symbol: Symbol| match symbol {
            Symbol::Variable(id) if !self.0[relation][id.index()] => Some(Linear::default()),
            _ => None,
        };
        let mut all = Vec::with_capacity(invariants.len());
        for (relation, clauses) in invariants.into_iter().enumerate() {
            let mut kept = Vec::with_capacity(clauses.len());
            for clause in clauses {
                let clause: Vec<Constraint> = clause.iter().map(|c| c.substitute(&|s| dead(relation, s))).collect();
                if !clause.iter().any(|constraint| constraint.as_truth() == Some(true)) {
                    kept.push(clause.into_iter().filter(|constraint| constraint.as_truth().is_none()).collect());
                }
            }
            all.push(kept);
        }
        all
    }
}

//! The constrained Horn clauses of a question as SMT-LIB text, for other solvers: `sat` means that the goal is
//! unreachable, and `unsat` that it is reachable.
//!
//! The clauses are those of the graph of controls, without any help that Spacer gets in [`crate::symbolic::Symbolic`]
//! (values that are not read again, equations, fewer relations).

use crate::symbolic::graph::Graph;
use crate::symbolic::rules::Rules;
use model::data::{Constraint, DataProgram, Linear, Symbol};
use model::{Goal, Stop};
use num_bigint::BigInt;
use num_traits::Signed;
use side::horn::Rule;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Returns the clauses. `None` if there are too many controls, or if the goal cannot be expressed.
#[must_use]
pub fn horn_clauses(program: &DataProgram, goal: Goal, stop: &Stop) -> Option<String> {
    let graph = Graph::new(program, stop)?;
    let rules = Rules::new(program, &graph, goal)?;
    let horn = &rules.horn;
    let mut text = "(set-logic HORN)\n".to_owned();
    let sorts = vec!["Int"; horn.variables].join(" ");
    for relation in 0..horn.relations {
        let _ = writeln!(text, "(declare-fun r{relation} ({sorts}) Bool)");
    }
    for rule in &horn.rules {
        let _ = writeln!(text, "(assert {})", clause(rule, horn.variables));
    }
    text.push_str("(check-sat)\n");
    Some(text)
}

fn clause(rule: &Rule, variables: usize) -> String {
    let own = (0..variables).map(|v| Symbol::Variable(model::VariableId::new(v)));
    let mut symbols: BTreeSet<Symbol> = own.clone().collect();
    let terms = rule.constraints.iter().map(Constraint::term).chain(rule.updates.iter().map(|(_, value)| value));
    symbols.extend(terms.flat_map(Linear::terms).map(|(symbol, _)| *symbol));
    let names: Vec<String> = own.map(name).collect();
    let mut body: Vec<String> = rule.constraints.iter().map(|c| format!("(<= {} 0)", linear(c.term()))).collect();
    body.extend(rule.from.map(|from| holds(from, &names)));
    let head = match rule.to {
        None => "false".to_owned(),
        Some(to) => {
            let mut after = if rule.from.is_some() { names } else { vec!["0".to_owned(); variables] };
            rule.updates.iter().for_each(|(variable, value)| after[variable.index()] = linear(value));
            holds(to, &after)
        }
    };
    let bound: Vec<String> = symbols.into_iter().map(|symbol| format!("({} Int)", name(symbol))).collect();
    let implication = format!("(=> (and true {}) {head})", body.join(" "));
    if bound.is_empty() { implication } else { format!("(forall ({}) {implication})", bound.join(" ")) }
}

fn holds(relation: usize, values: &[String]) -> String {
    if values.is_empty() { format!("r{relation}") } else { format!("(r{relation} {})", values.join(" ")) }
}

fn name(symbol: Symbol) -> String {
    symbol.to_string().replace('.', "_")
}

fn number(n: &BigInt) -> String {
    if n.is_negative() { format!("(- {})", n.abs()) } else { n.to_string() }
}

fn linear(term: &Linear) -> String {
    let products = term.terms().iter().map(|(symbol, factor)| format!(" (* {} {})", number(factor), name(*symbol)));
    format!("(+ {} 0{})", number(term.constant()), products.collect::<String>())
}

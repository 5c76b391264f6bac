//! The rules of a goal, and runs of rules as runs of the program.

use crate::symbolic::graph::{Draw, Graph};
use crate::symbolic::inline::Inlined;
use crate::symbolic::live::Live;
use crate::symbolic::{affine, deadlock, intervals};
use model::data::{Constraint, DataProgram, Linear, Symbol};
use model::{EventId, Goal, Trace};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use side::horn::{Horn, Invariants, Rule, RunStep};
use std::collections::BTreeMap;

/// The rules of a goal. The first rules are the edges of the graph, in order.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) horn: Horn,
    /// The rules for Spacer: only with live values, and with equations and bounds. Violations that these exclude are
    /// left out.
    strong: Horn,
    /// The same with fewer relations.
    inlined: Inlined,
    live: Live,
    /// For each control: the equations and bounds that hold there.
    facts: Vec<Vec<Constraint>>,
    edges: usize,
}

impl Rules {
    /// Makes the rules. `None` if the goal cannot be expressed by rules.
    pub(crate) fn new(program: &DataProgram, graph: &Graph, goal: Goal) -> Option<Self> {
        let mut rules = Vec::new();
        for edge in &graph.edges {
            let (constraints, updates) = (edge.constraints.clone(), edge.updates.clone());
            rules.push(Rule { from: edge.from, constraints, to: Some(edge.to), updates });
        }
        for control in 0..graph.controls.len() {
            let is_bad = graph.is_bad(program, control);
            let ways = match goal {
                Goal::Bad if is_bad => vec![Vec::new()],
                Goal::Deadlock if !is_bad && !graph.is_final(program, control) => {
                    deadlock::of_control(program, graph, control)?
                }
                _ => Vec::new(),
            };
            for constraints in ways {
                rules.push(Rule { from: Some(control), constraints, to: None, updates: Vec::new() });
            }
        }
        let horn = Horn { variables: program.variables().len(), relations: graph.controls.len(), rules };
        let live = Live::new(&horn);
        let mut strong = live.rules(&horn);
        let mut facts = affine::equations(&strong);
        for (facts, bounds) in facts.iter_mut().zip(intervals::bounds(&strong)) {
            // No value reaches a control without bounds.
            facts.extend(bounds.unwrap_or_else(|| vec![Constraint::at_most_zero(&Linear::number(1))]));
        }
        for rule in &mut strong.rules {
            rule.constraints.extend(rule.from.iter().flat_map(|from| facts[*from].iter().cloned()));
        }
        strong.rules.retain(|rule| rule.to.is_some() || !intervals::is_excluded(rule));
        Some(Self { inlined: Inlined::new(&strong), strong, horn, live, facts, edges: graph.edges.len() })
    }

    /// Returns an invariant if the facts alone exclude all violations.
    pub(crate) fn by_facts(&self) -> Option<Invariants> {
        if self.strong.rules.iter().any(|rule| rule.to.is_none()) {
            return None;
        }
        self.complete(vec![Vec::new(); self.strong.relations], false)
    }

    /// Returns the rules for Spacer, with fewer relations if `is_inlined` is true.
    pub(crate) fn horn_for_invariants(&self, is_inlined: bool) -> &Horn {
        if is_inlined { &self.inlined.horn } else { &self.strong }
    }

    /// Completes an answer of Spacer: a formula for each control. `None` if one is too large.
    pub(crate) fn complete(&self, found: Invariants, is_inlined: bool) -> Option<Invariants> {
        let mut all = if is_inlined { self.inlined.complete(found)? } else { found };
        for (clauses, facts) in all.iter_mut().zip(&self.facts) {
            clauses.extend(facts.iter().map(|fact| vec![fact.clone()]));
        }
        Some(self.live.of_program(all))
    }

    /// Returns a run of the program. `None` if a number has more than 64 bits.
    pub(crate) fn trace(&self, program: &DataProgram, graph: &Graph, run: &[RunStep]) -> Option<Trace> {
        let mut trace: Option<Trace> = None;
        for (rule, values) in run.iter().filter(|(rule, _)| *rule < self.edges) {
            let edge = graph.edges.get(*rule)?;
            let mut numbers = Vec::new();
            if edge.from.is_some() {
                let arity = program.events()[edge.event.index()].arity();
                numbers.extend((0..arity).map(|a| value(values, Symbol::Argument(u32::try_from(a).unwrap_or(0)))));
            }
            numbers.extend(edge.draws.iter().map(|draw| match draw {
                Draw::Value(symbol) => value(values, *symbol),
                Draw::Way(way) => BigInt::from(*way),
            }));
            let slots = slots(&numbers)?;
            match &mut trace {
                None => trace = Some(Trace::new(slots.into())),
                Some(trace) => trace.push(EventId::new(edge.event.index()), (!slots.is_empty()).then(|| slots.into())),
            }
        }
        trace
    }
}

fn value(values: &BTreeMap<Symbol, BigInt>, symbol: Symbol) -> BigInt {
    values.get(&symbol).cloned().unwrap_or_default()
}

/// Writes numbers as two slots each, low bits first.
pub(crate) fn slots(numbers: &[BigInt]) -> Option<Vec<u32>> {
    let mut slots = Vec::with_capacity(2 * numbers.len());
    for number in numbers {
        let bits = number.to_i64()?.cast_unsigned();
        slots.push((bits & u64::from(u32::MAX)) as u32);
        slots.push((bits >> 32) as u32);
    }
    Some(slots)
}

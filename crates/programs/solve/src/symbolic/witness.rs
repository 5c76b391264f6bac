//! Events that may be possible in a state of a control, for proofs that it is no deadlock.
//!
//! The arguments of an event are tested by linear constraints. If some value of an argument makes the event possible,
//! then so does one at a bound of a test or next to it, unless tests divide arguments. So the candidates for an
//! argument are the bounds of all tests, their neighbours, and 0.

use model::data::{Constraint, DataProgram, Decision, Linear, Outcome, Symbol};
use model::{DecisionId, EventId, LocationId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed};
use std::collections::BTreeMap;

/// The largest number of candidates for one event.
const MOST: usize = 1 << 10;

/// An event with arguments, which are terms over variables.
pub type Candidate = (EventId, Vec<Linear>);

/// Returns candidates for the events of a control.
#[must_use]
pub fn candidates(program: &DataProgram, locations: &[LocationId]) -> Vec<Candidate> {
    let mut all = Vec::new();
    for event in (0..program.events().len()).map(EventId::new) {
        let decisions = decisions(program, locations, event);
        if decisions.is_empty() {
            continue;
        }
        let mut found: Vec<Vec<Linear>> = vec![Vec::new()];
        for argument in (0u32..).take(program.events()[event.index()].arity()) {
            let mut longer = Vec::new();
            for known in &found {
                let bounds = bounds(program, &decisions, Symbol::Argument(argument), known);
                longer.extend(bounds.into_iter().map(|bound| known.iter().cloned().chain([bound]).collect()));
            }
            longer.truncate(MOST);
            found = longer;
        }
        all.extend(found.into_iter().map(|arguments| (event, arguments)));
    }
    all
}

/// Returns the decisions of threads about an event, with the numbers of the threads.
fn decisions(program: &DataProgram, locations: &[LocationId], event: EventId) -> Vec<(usize, DecisionId)> {
    let threads = program.threads().iter().zip(locations).enumerate();
    let decision = |(number, (thread, location)): (usize, (&model::data::DataThread, &LocationId))| {
        Some((number, *thread.locations[location.index()].on.get(&event)?))
    };
    threads.filter_map(decision).collect()
}

/// Returns the bounds of an argument that are terms over variables, with their neighbours, and 0. `known` are the
/// arguments before it.
fn bounds(program: &DataProgram, decisions: &[(usize, DecisionId)], argument: Symbol, known: &[Linear]) -> Vec<Linear> {
    let earlier = |symbol: Symbol| match symbol {
        Symbol::Argument(number) => known.get(number as usize).cloned(),
        Symbol::Variable(_) | Symbol::Input(..) => None,
    };
    let mut bounds: Vec<Linear> = Vec::new();
    let mut add = |bound: Linear| {
        if !bounds.contains(&bound) {
            bounds.push(bound);
        }
    };
    for (thread, root) in decisions {
        let all = &program.threads()[*thread].decisions;
        let mut seen = vec![false; root.index() + 1];
        let mut work = vec![*root];
        while let Some(id) = work.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            if let Decision::Test { constraint, .. } = &all[id.index()]
                && let Some(bound) = bound(&constraint.substitute(&earlier), argument)
            {
                for shift in [0, 1, -1] {
                    add(bound.plus(&BigInt::one(), &Linear::number(shift)));
                }
            }
            work.extend(all[id.index()].parts());
        }
    }
    add(Linear::default());
    bounds
}

/// Returns the term that the argument is compared with, if it has only variables.
fn bound(constraint: &Constraint, argument: Symbol) -> Option<Linear> {
    let term = constraint.term();
    let (_, factor) = term.terms().iter().find(|(symbol, _)| *symbol == argument)?;
    let rest = term.plus(&-factor, &Linear::of(argument));
    let is_variable = |symbol: &Symbol| matches!(symbol, Symbol::Variable(_));
    if !rest.terms().iter().all(|(symbol, _)| is_variable(symbol)) {
        return None;
    }
    match factor {
        one if one.is_one() => Some(rest.scaled(&BigInt::from(-1))),
        one if (-one).is_one() => Some(rest),
        // A constant bound can be divided.
        factor => rest.as_number().map(|n| Linear::number((-n).div_floor(factor))),
    }
}

/// True if the event is possible with these values, with the first way of each choice and 0 as each free value.
#[must_use]
pub fn is_possible(
    program: &DataProgram,
    locations: &[LocationId],
    (event, arguments): &Candidate,
    values: &dyn Fn(Symbol) -> BigInt,
) -> bool {
    let arguments: Vec<BigInt> = arguments.iter().map(|argument| argument.value(values)).collect();
    let mut is_requested = false;
    for (thread, root) in decisions(program, locations, *event) {
        let outcome = decide(program, thread, root, &arguments, values);
        if outcome.blocks {
            return false;
        }
        is_requested |= outcome.requests;
    }
    is_requested
}

fn decide<'p>(
    program: &'p DataProgram,
    thread: usize,
    root: DecisionId,
    arguments: &[BigInt],
    values: &dyn Fn(Symbol) -> BigInt,
) -> &'p Outcome {
    let mut inputs: BTreeMap<Symbol, BigInt> = BTreeMap::new();
    let mut at = root;
    loop {
        let value = |symbol: Symbol| match symbol {
            Symbol::Variable(_) => values(symbol),
            Symbol::Argument(number) => arguments.get(number as usize).cloned().unwrap_or_default(),
            Symbol::Input(..) => inputs.get(&symbol).cloned().unwrap_or_default(),
        };
        at = match &program.threads()[thread].decisions[at.index()] {
            Decision::Test { constraint, yes, no } => {
                if constraint.holds(&value) {
                    *yes
                } else {
                    *no
                }
            }
            Decision::Divide { term, by, quotient, then } => {
                debug_assert!(by.is_positive(), "divisors are positive");
                let (whole, rest) = term.value(&value).div_mod_floor(by);
                let owner = model::ThreadId::new(thread);
                inputs.insert(Symbol::Input(owner, *quotient), whole);
                inputs.insert(Symbol::Input(owner, quotient + 1), rest);
                *then
            }
            Decision::Any { then, .. } => *then,
            Decision::Choose(ways) => ways[0],
            Decision::End(outcome) => return outcome,
        };
    }
}

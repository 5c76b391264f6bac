//! Random programs: two or three threads with a variable each, and small numbers.

use super::{Build, Go, arg, at_least, at_most, go, input, number, plus, program, var};
use crate::tests::Rng;
use model::data::{Constraint, DataProgram, Decision, Linear, LocationKind, Symbol};
use model::{DecisionId, EventId};

/// What decisions of a thread may use.
struct Scope {
    thread: u32,
    arity: usize,
    /// Inputs that are defined.
    inputs: Vec<u32>,
    locations: usize,
    is_initial: bool,
}

fn term(rng: &mut Rng, scope: &Scope) -> Linear {
    let mut symbols = vec![var(scope.thread)];
    symbols.extend((0..scope.arity as u32).map(arg));
    symbols.extend(scope.inputs.iter().map(|id| input(scope.thread, *id)));
    let chosen = &symbols[rng.below(symbols.len())];
    let factor = if rng.one_in(4) { -1 } else { 1 };
    plus(&chosen.scaled(&factor.into()), rng.below(5) as i64 - 2)
}

fn test(rng: &mut Rng, scope: &Scope) -> Constraint {
    let bound = rng.below(5) as i64 - 1;
    match rng.below(4) {
        0 => at_least(&term(rng, scope), bound),
        1 => Constraint::at_most(&term(rng, scope), &term(rng, scope)),
        _ => at_most(&term(rng, scope), bound),
    }
}

fn goes(rng: &mut Rng, scope: &Scope) -> Go {
    if !scope.is_initial && rng.one_in(4) {
        return None;
    }
    let updates = match rng.below(4) {
        0 => vec![],
        1 => vec![(scope.thread, number(rng.below(3) as i64))],
        _ => vec![(scope.thread, term(rng, scope))],
    };
    go(rng.below(scope.locations) as u32, &updates)
}

/// Builds a decision of at most this depth. `next` is the next free input.
fn decision(rng: &mut Rng, build: &mut Build, scope: &mut Scope, depth: usize, next: u32) -> DecisionId {
    let shape = if depth == 0 { 9 } else { rng.below(10) };
    let known = scope.inputs.len();
    let at = match shape {
        0..=4 => {
            let constraint = test(rng, scope);
            let yes = decision(rng, build, scope, depth - 1, next);
            let no = decision(rng, build, scope, depth - 1, next);
            build.test(constraint, yes, no)
        }
        5 => {
            let (term, by) = (term(rng, scope), 2 + rng.below(2));
            scope.inputs.extend([next, next + 1]);
            let then = decision(rng, build, scope, depth - 1, next + 2);
            build.add(Decision::Divide { term, by: by.into(), quotient: next, then })
        }
        6 => {
            scope.inputs.push(next);
            let then = decision(rng, build, scope, depth - 1, next + 1);
            build.add(Decision::Any { input: next, then })
        }
        7 => {
            let ways = (0..=rng.below(2)).map(|_| decision(rng, build, scope, depth - 1, next)).collect();
            build.add(Decision::Choose(ways))
        }
        _ => {
            let goes = goes(rng, scope);
            build.end(!rng.one_in(3), !scope.is_initial && rng.one_in(5), goes)
        }
    };
    scope.inputs.truncate(known);
    at
}

/// Returns a program of two events: one without and one with an argument.
pub(super) fn random(rng: &mut Rng) -> DataProgram {
    let arities = [0, 1];
    let count = 2 + rng.below(2) as u32;
    let threads = (0..count).map(|thread| {
        let mut build = Build::default();
        let locations = 1 + rng.below(3);
        let mut scope = Scope { thread, arity: 0, inputs: Vec::new(), locations, is_initial: true };
        let initial = decision(rng, &mut build, &mut scope, rng_depth(thread), 0);
        scope.is_initial = false;
        for location in 0..locations {
            let mut on = Vec::new();
            for (event, arity) in (0..).zip(arities) {
                scope.arity = arity;
                if rng.one_in(3) {
                    continue;
                }
                let depth = rng.below(4);
                on.push((event, decision(rng, &mut build, &mut scope, depth, 0)));
            }
            let kind = match rng.below(6) {
                0 if location > 0 => LocationKind::Bad,
                1 | 2 => LocationKind::Final,
                _ => LocationKind::Plain,
            };
            build.location(kind, &on);
        }
        build.thread(&format!("t{thread}"), initial)
    });
    let threads: Vec<_> = threads.collect();
    program(&(0..count).collect::<Vec<_>>(), &arities, threads)
}

/// Only the first thread has an initial decision with tests and draws.
fn rng_depth(thread: u32) -> usize {
    if thread == 0 { 2 } else { 0 }
}

/// Returns true if a decision about the event divides, or tests two symbols at once other than variables.
pub(super) fn is_hard(program: &DataProgram, event: EventId) -> bool {
    let at = |thread: &model::data::DataThread| {
        let mut open: Vec<DecisionId> =
            thread.locations.iter().filter_map(|location| location.on.get(&event)).copied().collect();
        let mut is_hard = false;
        while let Some(id) = open.pop() {
            let decision = &thread.decisions[id.index()];
            open.extend(decision.parts());
            is_hard |= match decision {
                Decision::Divide { .. } => true,
                Decision::Test { constraint, .. } => {
                    let free = |symbol: &Symbol| !matches!(symbol, Symbol::Variable(_));
                    constraint.term().terms().iter().filter(|term| free(&term.0)).count() > 1
                }
                _ => false,
            };
        }
        is_hard
    };
    program.threads().iter().any(at)
}

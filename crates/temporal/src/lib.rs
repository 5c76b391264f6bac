//! Checks temporal formulas over the letters of a reactive program, all formulas of a problem in one run.
//!
//! ```
//! use impasse_temporal::LtlEngine;
//! use model::reactive::{Builder, Convention, Expr, Stmt};
//! use model::{Budget, Claim, Engine, Goal, Letter, Ltl, LtlId, LtlNode, ReactiveTask, TemporalId, Turn};
//!
//! // Each call prints its input, which is 1 or 2.
//! let mut parts = Builder::new();
//! [1, 2].map(|letter| parts.input(letter));
//! let (main, input) = (parts.declare("main"), parts.expr(Expr::Input));
//! let body = parts.block(&[Stmt::Print(input)]);
//! parts.define(main, body);
//! let program = parts.finish(main, Convention::Printed).unwrap();
//!
//! // `F output 2` is violated by a run with no input 2. `G (input 1 -> X output 1)` holds.
//! let (input, output) = (|n| LtlNode::Letter(Letter::Input(n)), |n| LtlNode::Letter(Letter::Output(n)));
//! let some = Ltl::new(vec![output(2), LtlNode::Finally(LtlId(0))]);
//! let [no_input, next, either] = [LtlNode::Not(LtlId(0)), LtlNode::Next(LtlId(2)), LtlNode::Or(LtlId(1), LtlId(3))];
//! let echo = Ltl::new(vec![input(1), no_input, output(1), next, either, LtlNode::Globally(LtlId(4))]);
//! let goals = [0, 1].map(|number| Goal::Temporal(TemporalId(number)));
//! let mut engine = LtlEngine::new(&ReactiveTask::new(program.into(), goals, &[some.into(), echo.into()]), 1);
//! let mut budget = Budget::unlimited(Default::default());
//! assert!(matches!(engine.run(&mut budget), Turn::Claims(Claim::Unsafe { goal, .. }) if goal == goals[0]));
//! assert!(matches!(engine.run(&mut budget), Turn::Claims(Claim::Safe { goals: safe, .. }) if safe == goals[1..]));
//! ```
//!
//! A formula holds iff no infinite run of the program spells a word that the automaton of its negation accepts.
//! Each formula is translated to an automaton of a few states (`translate`, `reduce`). The calls of the program
//! are computed once for all formulas (`graph`), breadth first. The formulas are tried on parts of the graph,
//! each four times as large as the one before. Runs found in a part are runs of the program, and short ones.
//! That a formula holds is known only when the graph is complete. Each part is first reduced to what formulas
//! can distinguish (`quotient`), which makes lists of formulas cheap. Then the product of each automaton and
//! the reduced part is searched (`search`).
//!
//! The search works for anything that makes calls ([`Calls`]): the program itself, or an abstraction of it
//! (`crates/reactive/solve/src/intervals/`). Therefore the search is a crate below the engines, like explicit search.
//!
//! The states of nets are computed while the product is searched, and only as far as the formula needs them
//! ([`demand`]). Its automaton is computed on demand, too (`tableau`).
//!
//! With two jobs, each job searches for violations of a different formula. The jobs do not share a formula,
//! because a list has about a hundred formulas, and because a sequential search in a good order visits each
//! node once, which no parallel nested search does.
//!
//! [`LtlEngine`] is the engine. Its calls come from the program ([`LtlEngine::new`]) or from an implementation of
//! [`Calls`] ([`LtlEngine::with`]).

mod alphabet;
mod automaton;
pub mod demand;
mod engine;
mod fair;
mod graph;
mod normal;
pub mod program;
mod quotient;
mod reduce;
mod scc;
mod search;
mod tableau;
#[cfg(test)]
mod tests;
mod translate;

pub use engine::LtlEngine;
pub use graph::Calls;

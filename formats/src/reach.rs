//! Questions about reachable markings and about runs as formats write them, and their translation to goals.
//!
//! A question about all runs is a temporal formula (`A phi`). Its letters are its largest parts without temporal
//! operators. `A G phi` is the same as `AG phi`.
//!
//! A question about markings is `EF phi` or `AG phi`. The goal is the set of markings that decides the question: `phi`
//! for `EF phi`, its negation for `AG phi`. A [`Subject`] defines what formulas can refer to, and when one of its
//! events is enabled. `phi.rs` says how formulas are stored, and `translation.rs` makes formulas over places of them.

mod phi;
mod translation;

pub(crate) use phi::{Compare, Op, OperandId, Phi, Sum};

use crate::codes;
use crate::error::{Error, Text};
use crate::goals;
use crate::source::Limits;
use crate::subject::Subject;
use model::{
    Asked, Formula, FormulaId, Goal, Letter, Ltl, LtlBuilder, LtlId, LtlNode, Net, Node, Problem, Property, TemporalId,
};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use translation::Translation;

type Res<T> = Result<T, Box<Error>>;

/// Returns the net of the problem. `what` names the questions in the error about another kind of system.
pub(crate) fn net_of(problem: &Problem, source: &str, what: &str) -> Res<Arc<Net>> {
    problem.system().as_net().cloned().ok_or_else(|| {
        let message = format!("{what} are about nets, and the model is not a net");
        Error::whole(&codes::GOALS_SYSTEM, source, message)
    })
}

/// A question: about markings, or whether all maximal runs satisfy a formula.
pub(crate) enum Question {
    Markings(Asked, Phi),
    Runs(Phi),
}

/// The questions of a file, in its order, each with its id.
pub(crate) struct Questions<'a> {
    text: Text<'a>,
    subject: Subject<'a>,
    /// The number of formulas of the problem that are kept in front of these questions.
    kept: usize,
    /// The number of atoms and connectives that may still be built.
    left: usize,
    most: usize,
    formulas: Vec<Arc<Formula>>,
    properties: Vec<Property>,
    /// The number of temporal formulas of the problem that are kept in front of these.
    kept_temporal: usize,
    temporal: Vec<Arc<Ltl>>,
    /// The formulas of letters.
    letters: HashMap<Arc<Formula>, FormulaId>,
}

/// Formulas over places, temporal formulas and properties.
pub(crate) type Parts = (Vec<Arc<Formula>>, Vec<Arc<Ltl>>, Vec<Property>);

impl<'a> Questions<'a> {
    pub(crate) fn new(text: Text<'a>, subject: Subject<'a>, limits: &Limits) -> Self {
        let most = limits.formula_nodes;
        let (formulas, properties, temporal, letters) = (Vec::new(), Vec::new(), Vec::new(), HashMap::new());
        Self { text, subject, kept: 0, left: most, most, formulas, properties, kept_temporal: 0, temporal, letters }
    }

    /// Makes an empty list of questions. The formulas of the questions will be numbered after the formulas of
    /// `problem`.
    pub(crate) fn beside(text: Text<'a>, subject: Subject<'a>, problem: &Problem, limits: &Limits) -> Self {
        let (kept, kept_temporal) = (problem.formulas().len(), problem.temporal().len());
        Self { kept, kept_temporal, ..Self::new(text, subject, limits) }
    }

    /// Adds a question.
    pub(crate) fn ask(&mut self, id: String, question: &Question, span: Range<usize>) -> Res<()> {
        match question {
            Question::Markings(asked, phi) => self.add(id, phi, *asked, span),
            Question::Runs(phi) => self.add_runs(id, phi, span),
        }
    }

    /// Adds `EF phi` (`asked` is `Exists` or `Expected`) or `AG phi` (`asked` is `Always`).
    pub(crate) fn add(&mut self, id: String, phi: &Phi, asked: Asked, span: Range<usize>) -> Res<()> {
        let positive = asked != Asked::Always;
        let known = self.properties.iter().any(|p| p.goal == Goal::Deadlock);
        // Each goal may occur only once, so a second question about deadlocks gets an equivalent formula as its
        // goal.
        let goal = if !known && is_deadlock(phi, positive) {
            Goal::Deadlock
        } else {
            let formula = self.formula(phi, positive, span)?;
            self.formulas.push(Arc::new(formula));
            Goal::Formula(FormulaId::new(self.kept + self.formulas.len() - 1))
        };
        self.properties.push(Property { id, goal, asked });
        Ok(())
    }

    /// Adds the question whether all maximal runs satisfy a temporal formula.
    pub(crate) fn add_runs(&mut self, id: String, phi: &Phi, span: Range<usize>) -> Res<()> {
        if let Some(phi) = phi.invariant() {
            return self.add(id, &phi, Asked::Always, span);
        }
        let ltl = self.ltl(phi, span)?;
        self.temporal.push(Arc::new(ltl));
        let goal = Goal::Temporal(TemporalId::new(self.kept_temporal + self.temporal.len() - 1));
        self.properties.push(Property::never(id, goal));
        Ok(())
    }

    fn ltl(&mut self, phi: &Phi, span: Range<usize>) -> Res<Ltl> {
        let plain = phi.plain();
        let mut is_letter = vec![false; plain.len()];
        let root = plain.len() - 1;
        is_letter[root] = plain[root];
        for (op, _) in phi.ops.iter().zip(&plain).filter(|(_, plain)| !**plain) {
            let operands = op.operands().iter().copied().chain(op.pair().into_iter().flatten());
            operands.for_each(|a| is_letter[a.0 as usize] = plain[a.0 as usize]);
        }
        // The first part of each part: they stand one after the other.
        let mut firsts: Vec<usize> = Vec::with_capacity(plain.len());
        for (i, op) in phi.ops.iter().enumerate() {
            let operands = op.operands().iter().copied().chain(op.pair().into_iter().flatten());
            firsts.push(operands.map(|a| firsts[a.0 as usize]).min().unwrap_or(i));
        }
        let mut builder = LtlBuilder::default();
        let mut ids: Vec<LtlId> = vec![LtlId(0); plain.len()];
        for (i, op) in phi.ops.iter().enumerate().filter(|(i, _)| !plain[*i] || is_letter[*i]) {
            let of = |a: &OperandId| ids[a.0 as usize];
            ids[i] = match op {
                _ if is_letter[i] => {
                    let node = self.letter(&phi.ops[..=i], firsts[i], span.clone())?;
                    builder.node(node)
                }
                Op::Not(a) => builder.node(LtlNode::Not(of(a))),
                Op::Next(a) => builder.node(LtlNode::Next(of(a))),
                Op::Globally(a) => builder.node(LtlNode::Globally(of(a))),
                Op::Finally(a) => builder.node(LtlNode::Finally(of(a))),
                Op::Until(a, b) => builder.node(LtlNode::Until(of(a), of(b))),
                Op::WeakUntil(a, b) => builder.node(LtlNode::WeakUntil(of(a), of(b))),
                Op::Release(a, b) => builder.node(LtlNode::Release(of(a), of(b))),
                Op::All(parts) => builder.join(false, parts.iter().map(of).collect::<Vec<_>>()),
                Op::Any(parts) => builder.join(true, parts.iter().map(of).collect::<Vec<_>>()),
                Op::Same(a, b) => {
                    let pair = [of(a), of(b)];
                    let neither = pair.map(|id| builder.node(LtlNode::Not(id)));
                    let (both, neither) = (builder.join(false, pair), builder.join(false, neither));
                    builder.node(LtlNode::Or(both, neither))
                }
                Op::Constant(_) | Op::Compare(..) | Op::Fireable(_) | Op::Deadlock => unreachable!("it is plain"),
            };
        }
        Ok(builder.finish(ids[root]))
    }

    /// Returns the letter for a formula without temporal operators, or its truth if it is the same in all markings.
    fn letter(&mut self, ops: &[Op], first: usize, span: Range<usize>) -> Res<LtlNode> {
        let formula = Arc::new(self.formula_of(ops, first, true, span)?);
        match formula.root() {
            Node::All(parts) if parts.is_empty() => return Ok(LtlNode::Constant(true)),
            Node::Any(parts) if parts.is_empty() => return Ok(LtlNode::Constant(false)),
            _ => {}
        }
        let next = FormulaId::new(self.kept + self.formulas.len());
        let id = *self.letters.entry(Arc::clone(&formula)).or_insert(next);
        if id == next {
            self.formulas.push(formula);
        }
        Ok(LtlNode::Letter(Letter::Marking(id)))
    }

    /// Returns `phi`, or its negation unless `positive`.
    pub(crate) fn formula(&mut self, phi: &Phi, positive: bool, span: Range<usize>) -> Res<Formula> {
        self.formula_of(&phi.ops, 0, positive, span)
    }

    /// Returns the formula of the last part, or its negation unless `positive`. It has no part before number `first`.
    fn formula_of(&mut self, phi: &[Op], first: usize, positive: bool, span: Range<usize>) -> Res<Formula> {
        if matches!(self.subject, Subject::Program(_)) && phi[first..].iter().any(|op| matches!(op, Op::Deadlock)) {
            let message = "a deadlock of a program inside a formula";
            let error = self.text.error(&codes::ASK_PROGRAM, span, message).label("not allowed as a part of a formula");
            return Err(error.hint("in questions about programs, `DEADLOCK` stands alone: `AG NOT DEADLOCK`"));
        }
        let mut translation = Translation::new(self.subject, self.left, first);
        let formula = translation.formula(phi, positive).ok_or_else(|| self.too_large(span))?;
        self.left = translation.left;
        Ok(formula)
    }

    /// Adds a question of a kind that is not supported.
    pub(crate) fn add_unsupported(&mut self, id: String, asked: Asked) {
        let number = self.properties.iter().filter(|p| matches!(p.goal, Goal::Unsupported(_))).count();
        self.properties.push(Property { id, goal: Goal::Unsupported(number as u32), asked });
    }

    fn too_large(&self, span: Range<usize>) -> Box<Error> {
        let message = format!("the goals have more than {} atoms and connectives", self.most);
        self.text.error(&codes::LIMIT_FORMULA, span, message).label("the limit is reached here")
    }

    /// Returns the formulas, temporal formulas and properties. They are numbered after the kept ones of the problem.
    pub(crate) fn into_parts(self) -> Parts {
        (self.formulas, self.temporal, self.properties)
    }

    /// Replaces the formulas and properties of `problem` by these questions. Errors are about the source called
    /// `name`.
    pub(crate) fn put_into(self, problem: &mut Problem, name: &str) -> Res<()> {
        goals::change(problem, name, |asked| {
            (asked.formulas, asked.temporal, asked.properties) = self.into_parts();
        })
    }
}

/// True if the goal is the deadlock, after an even (`positive`) or odd number of negations.
fn is_deadlock(phi: &Phi, mut positive: bool) -> bool {
    let mut at = phi.ops.len().checked_sub(1);
    while let Some(i) = at {
        match &phi.ops[i] {
            Op::Deadlock => return positive,
            Op::Not(part) => {
                positive = !positive;
                at = Some(part.0 as usize);
            }
            Op::All(parts) | Op::Any(parts) if parts.len() == 1 => at = Some(parts[0].0 as usize),
            _ => return false,
        }
    }
    false
}

//! Questions about reachable markings as formats write them, and their translation to goals.
//!
//! A question is `EF phi` or `AG phi`. `phi` is stored as a list with operands before their operators, so that
//! no function recurses. The goal is the set of markings that decides the question: `phi` for `EF phi`, its
//! negation for `AG phi`. Negations are pushed down to the inequalities and constants are folded, so that the
//! form of a formula often shows that its goal is upward-closed. A [`Subject`] defines what formulas can refer
//! to, and when one of its events is enabled.

use crate::codes;
use crate::error::{Error, Text};
use crate::goals;
use crate::source::Limits;
use crate::subject::Subject;
use model::{
    Asked, Formula, FormulaBuilder, FormulaId, Goal, Linear, Net, NodeId, PlaceId, Problem, Property, TransitionId,
};
use num_bigint::BigInt;
use num_traits::Zero;
use std::ops::Range;
use std::sync::Arc;

type Res<T> = Result<T, Box<Error>>;

/// Returns the net of the problem. `what` names the questions in the error about another kind of system.
pub(crate) fn net_of(problem: &Problem, source: &str, what: &str) -> Res<Arc<Net>> {
    problem.system().as_net().cloned().ok_or_else(|| {
        let message = format!("{what} are about nets, and the model is not a net");
        Error::whole(&codes::GOALS_SYSTEM, source, message)
    })
}

/// The position of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OperandId(u32);

/// A comparison of a sum with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Less,
    AtMost,
    Equal,
    NotEqual,
    AtLeast,
    Greater,
}

/// A sum of token counts and a constant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) terms: Vec<(PlaceId, BigInt)>,
    pub(crate) constant: BigInt,
}

/// An operator with its operands, or a statement.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Constant(bool),
    /// The comparison of the sum with 0 holds.
    Compare(Box<Sum>, Compare),
    /// One of these transitions is enabled.
    Fireable(Vec<TransitionId>),
    /// No transition is enabled.
    Deadlock,
    Not(OperandId),
    All(Vec<OperandId>),
    Any(Vec<OperandId>),
    /// Both operands hold, or neither does.
    Same(OperandId, OperandId),
}

/// A Boolean combination of statements about a marking. The last element is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Phi {
    ops: Vec<Op>,
}

impl Phi {
    pub(crate) fn push(&mut self, op: Op) -> OperandId {
        self.ops.push(op);
        OperandId(u32::try_from(self.ops.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn len(&self) -> usize {
        self.ops.len()
    }

    /// Returns the operator `a and b` (if `all`) or `a or b`. If `a` is a list of the same kind, its operands
    /// are moved into the result, so nothing else may use `a`.
    pub(crate) fn chain(&mut self, a: OperandId, b: OperandId, all: bool) -> Op {
        let parts = match (&mut self.ops[a.0 as usize], all) {
            (Op::All(parts), true) | (Op::Any(parts), false) => {
                let mut parts = std::mem::take(parts);
                parts.push(b);
                parts
            }
            _ => vec![a, b],
        };
        if all { Op::All(parts) } else { Op::Any(parts) }
    }
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
}

impl<'a> Questions<'a> {
    pub(crate) fn new(text: Text<'a>, subject: Subject<'a>, limits: &Limits) -> Self {
        let most = limits.formula_nodes;
        let (formulas, properties) = (Vec::new(), Vec::new());
        Self { text, subject, kept: 0, left: most, most, formulas, properties }
    }

    /// Makes an empty list of questions. The formulas of the questions will be numbered after the formulas of
    /// `problem`.
    pub(crate) fn beside(text: Text<'a>, subject: Subject<'a>, problem: &Problem, limits: &Limits) -> Self {
        Self { kept: problem.formulas().len(), ..Self::new(text, subject, limits) }
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

    /// Returns `phi`, or its negation unless `positive`.
    pub(crate) fn formula(&mut self, phi: &Phi, positive: bool, span: Range<usize>) -> Res<Formula> {
        if matches!(self.subject, Subject::Program(_)) && phi.ops.iter().any(|op| matches!(op, Op::Deadlock)) {
            let message = "a deadlock of a program inside a formula";
            let error = self.text.error(&codes::ASK_PROGRAM, span, message).label("not allowed as a part of a formula");
            return Err(error.hint("in questions about programs, `DEADLOCK` stands alone: `AG NOT DEADLOCK`"));
        }
        let builder = FormulaBuilder::default();
        let mut translation = Translation { subject: self.subject, builder, left: self.left, stuck: [None; 2] };
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

    /// Returns the formulas and properties. The formulas are numbered after the kept formulas of the problem.
    pub(crate) fn into_parts(self) -> (Vec<Arc<Formula>>, Vec<Property>) {
        (self.formulas, self.properties)
    }

    /// Replaces the formulas and properties of `problem` by these questions. Errors are about the source called
    /// `name`.
    pub(crate) fn put_into(self, problem: &mut Problem, name: &str) -> Res<()> {
        goals::change(problem, name, |asked| (asked.formulas, asked.properties) = (self.formulas, self.properties))
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

/// A translated part of a formula: a constant or a node.
#[derive(Clone, Copy)]
enum Built {
    Constant(bool),
    Node(NodeId),
}

struct Translation<'a> {
    subject: Subject<'a>,
    builder: FormulaBuilder,
    left: usize,
    /// The translations of "no transition is enabled" and its negation, once they are built.
    stuck: [Option<Built>; 2],
}

impl Translation<'_> {
    /// Returns `phi`, or its negation unless `positive`. Returns `None` if the result is too large.
    fn formula(&mut self, phi: &Phi, positive: bool) -> Option<Formula> {
        let root = match self.translate(phi, positive)? {
            Built::Node(node) => node,
            Built::Constant(true) => self.builder.all(Vec::new()),
            Built::Constant(false) => self.builder.any(Vec::new()),
        };
        Some(std::mem::take(&mut self.builder).finish(root))
    }

    fn translate(&mut self, phi: &Phi, positive: bool) -> Option<Built> {
        let root = phi.ops.len().checked_sub(1)?;
        // For each part: true if it is needed as it is, and true if its negation is needed.
        let mut needed = vec![[false; 2]; phi.ops.len()];
        needed[root][usize::from(!positive)] = true;
        for (i, op) in phi.ops.iter().enumerate().rev() {
            let [plain, negated] = needed[i];
            match op {
                Op::Not(part) => or(&mut needed[part.0 as usize], [negated, plain]),
                Op::All(parts) | Op::Any(parts) => {
                    parts.iter().for_each(|p| or(&mut needed[p.0 as usize], [plain, negated]));
                }
                Op::Same(a, b) if plain || negated => {
                    or(&mut needed[a.0 as usize], [true; 2]);
                    or(&mut needed[b.0 as usize], [true; 2]);
                }
                Op::Same(..) | Op::Constant(_) | Op::Compare(..) | Op::Fireable(_) | Op::Deadlock => {}
            }
        }
        let mut built = vec![[Built::Constant(false); 2]; phi.ops.len()];
        for (i, op) in phi.ops.iter().enumerate() {
            for negated in [false, true] {
                if needed[i][usize::from(negated)] {
                    built[i][usize::from(negated)] = self.op(op, negated, &built)?;
                }
            }
        }
        Some(built[root][usize::from(!positive)])
    }

    fn op(&mut self, op: &Op, negated: bool, built: &[[Built; 2]]) -> Option<Built> {
        let get = |part: &OperandId, negated: bool| built[part.0 as usize][usize::from(negated)];
        match op {
            Op::Constant(value) => Some(Built::Constant(*value != negated)),
            Op::Compare(sum, compare) => self.compare(sum, if negated { opposite(*compare) } else { *compare }),
            Op::Fireable(transitions) => self.fireable(transitions, negated),
            Op::Deadlock => self.deadlock(negated),
            Op::Not(part) => Some(get(part, !negated)),
            Op::All(parts) => self.join(parts.iter().map(|p| get(p, negated)).collect(), !negated),
            Op::Any(parts) => self.join(parts.iter().map(|p| get(p, negated)).collect(), negated),
            Op::Same(a, b) => {
                // (a and b) or (not a and not b). Negated: (a and not b) or (not a and b).
                let first = self.join(vec![get(a, false), get(b, negated)], true)?;
                let second = self.join(vec![get(a, true), get(b, !negated)], true)?;
                self.join(vec![first, second], false)
            }
        }
    }

    fn take(&mut self, count: usize) -> Option<()> {
        self.left = self.left.checked_sub(count)?;
        Some(())
    }

    /// Returns the conjunction (if `all`) or the disjunction of the parts.
    fn join(&mut self, parts: Vec<Built>, all: bool) -> Option<Built> {
        let mut nodes = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                // A true part decides a disjunction, and a false part decides a conjunction.
                Built::Constant(value) if value != all => return Some(part),
                Built::Constant(_) => {}
                Built::Node(node) => nodes.push(node),
            }
        }
        if nodes.is_empty() {
            return Some(Built::Constant(all));
        }
        self.take(1 + nodes.len())?;
        Some(Built::Node(if all { self.builder.all(nodes) } else { self.builder.any(nodes) }))
    }

    fn compare(&mut self, sum: &Sum, compare: Compare) -> Option<Built> {
        let one = BigInt::from(1);
        match compare {
            Compare::AtLeast => self.at_least(sum, false, &BigInt::zero()),
            Compare::Greater => self.at_least(sum, false, &one),
            Compare::AtMost => self.at_least(sum, true, &BigInt::zero()),
            Compare::Less => self.at_least(sum, true, &one),
            Compare::Equal => {
                let both = [self.at_least(sum, false, &BigInt::zero())?, self.at_least(sum, true, &BigInt::zero())?];
                self.join(both.to_vec(), true)
            }
            Compare::NotEqual => {
                let either = [self.at_least(sum, false, &one)?, self.at_least(sum, true, &one)?];
                self.join(either.to_vec(), false)
            }
        }
    }

    /// Returns `sum >= bound`, or `-sum >= bound` if `minus`.
    fn at_least(&mut self, sum: &Sum, minus: bool, bound: &BigInt) -> Option<Built> {
        let sign = |n: &BigInt| if minus { -n } else { n.clone() };
        let terms = sum.terms.iter().map(|(p, c)| (*p, sign(c)));
        match Linear::new(terms, bound - sign(&sum.constant)) {
            Ok(sum) => {
                self.take(1 + sum.terms.len())?;
                Some(Built::Node(self.builder.linear(sum)))
            }
            Err(value) => Some(Built::Constant(value)),
        }
    }

    /// Returns "one of the transitions is enabled", or its negation.
    fn fireable(&mut self, transitions: &[TransitionId], negated: bool) -> Option<Built> {
        let mut parts = Vec::with_capacity(transitions.len());
        for &t in transitions {
            parts.push(self.enabled(t, negated)?);
        }
        self.join(parts, negated)
    }

    fn enabled(&mut self, t: TransitionId, negated: bool) -> Option<Built> {
        let conditions = self.subject.conditions(t);
        let mut parts = Vec::with_capacity(conditions.len());
        for (sum, compare) in conditions {
            parts.push(self.compare(&sum, if negated { opposite(compare) } else { compare })?);
        }
        self.join(parts, !negated)
    }

    /// Returns "no transition is enabled", or its negation. Each of the two is built at most once for a
    /// formula.
    fn deadlock(&mut self, negated: bool) -> Option<Built> {
        if let Some(built) = self.stuck[usize::from(negated)] {
            return Some(built);
        }
        let all: Vec<TransitionId> = (0..self.subject.transition_count()).map(TransitionId::new).collect();
        let built = self.fireable(&all, !negated)?;
        self.stuck[usize::from(negated)] = Some(built);
        Some(built)
    }
}

fn or(needed: &mut [bool; 2], more: [bool; 2]) {
    needed[0] |= more[0];
    needed[1] |= more[1];
}

fn opposite(compare: Compare) -> Compare {
    match compare {
        Compare::Less => Compare::AtLeast,
        Compare::AtMost => Compare::Greater,
        Compare::Equal => Compare::NotEqual,
        Compare::NotEqual => Compare::Equal,
        Compare::AtLeast => Compare::Less,
        Compare::Greater => Compare::AtMost,
    }
}

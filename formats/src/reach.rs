//! Questions about reachable markings and about runs as formats write them, and their translation to goals.
//!
//! A question about all runs is a temporal formula (`A phi`). Its letters are its largest parts without temporal
//! operators. `A G phi` is the same as `AG phi`.
//!
//! A question about markings is `EF phi` or `AG phi`. `phi` is stored as a list with operands before their operators,
//! so that no function recurses. The goal is the set of markings that decides the question: `phi` for `EF phi`, its
//! negation for `AG phi`. Negations are pushed down to the inequalities and constants are folded, so that the
//! form of a formula often shows that its goal is upward-closed. A [`Subject`] defines what formulas can refer
//! to, and when one of its events is enabled.

use crate::codes;
use crate::error::{Error, Text};
use crate::goals;
use crate::source::Limits;
use crate::subject::Subject;
use model::{
    Asked, Formula, FormulaBuilder, FormulaId, Goal, Letter, Linear, Ltl, LtlBuilder, LtlId, LtlNode, Net, Node,
    NodeId, PlaceId, Problem, Property, TemporalId, TransitionId,
};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::HashMap;
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
    Next(OperandId),
    Globally(OperandId),
    Finally(OperandId),
    Until(OperandId, OperandId),
    WeakUntil(OperandId, OperandId),
    Release(OperandId, OperandId),
}

impl Op {
    fn operands(&self) -> &[OperandId] {
        match self {
            Op::All(parts) | Op::Any(parts) => parts,
            Op::Not(a) | Op::Next(a) | Op::Globally(a) | Op::Finally(a) => std::slice::from_ref(a),
            Op::Constant(_) | Op::Compare(..) | Op::Fireable(_) | Op::Deadlock => &[],
            Op::Same(..) | Op::Until(..) | Op::WeakUntil(..) | Op::Release(..) => &[],
        }
    }

    /// Returns the operands of an operator that has exactly two.
    fn pair(&self) -> Option<[OperandId; 2]> {
        match self {
            Op::Same(a, b) | Op::Until(a, b) | Op::WeakUntil(a, b) | Op::Release(a, b) => Some([*a, *b]),
            _ => None,
        }
    }

    fn is_temporal(&self) -> bool {
        matches!(self, Op::Next(_) | Op::Globally(_) | Op::Finally(_) | Op::Until(..) | Op::WeakUntil(..))
            || matches!(self, Op::Release(..))
    }
}

/// A combination of statements about a marking, perhaps with temporal operators. The last element is the root.
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

    /// Returns for each part whether it has no temporal operator.
    fn plain(&self) -> Vec<bool> {
        let mut plain: Vec<bool> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let mut operands = op.operands().iter().copied().chain(op.pair().into_iter().flatten());
            let is_plain = !op.is_temporal() && operands.all(|a| plain[a.0 as usize]);
            plain.push(is_plain);
        }
        plain
    }

    /// If the formula is `F phi` (if `is_finally`) or `G phi`, without other temporal operators, returns phi.
    pub(crate) fn inside(&self, is_finally: bool) -> Option<Self> {
        let inner = match self.ops.last()? {
            Op::Finally(a) if is_finally => *a,
            Op::Globally(a) if !is_finally => *a,
            _ => return None,
        };
        let phi = Self { ops: self.ops[..=inner.0 as usize].to_vec() };
        (!phi.ops.iter().any(Op::is_temporal)).then_some(phi)
    }

    /// Negates the formula.
    pub(crate) fn negate(&mut self) {
        let root = OperandId(self.ops.len() as u32 - 1);
        self.push(Op::Not(root));
    }

    /// If the formula is `G phi` or `NOT F phi` without other temporal operators, returns what holds in all markings.
    fn invariant(&self) -> Option<Self> {
        let Op::Not(inner) = self.ops.last()? else { return self.inside(false) };
        let inner = Self { ops: self.ops[..=inner.0 as usize].to_vec() };
        let mut phi = inner.inside(true)?;
        phi.negate();
        Some(phi)
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
        let builder = FormulaBuilder::default();
        let mut translation = Translation { subject: self.subject, builder, left: self.left, stuck: [None; 2], first };
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
    /// The number of the first part.
    first: usize,
}

impl Translation<'_> {
    /// Returns `phi`, or its negation unless `positive`. Returns `None` if the result is too large.
    fn formula(&mut self, phi: &[Op], positive: bool) -> Option<Formula> {
        let root = match self.translate(phi, positive)? {
            Built::Node(node) => node,
            Built::Constant(true) => self.builder.all(Vec::new()),
            Built::Constant(false) => self.builder.any(Vec::new()),
        };
        Some(std::mem::take(&mut self.builder).finish(root))
    }

    fn translate(&mut self, phi: &[Op], positive: bool) -> Option<Built> {
        let first = self.first;
        let phi = phi.get(first..)?;
        let root = phi.len().checked_sub(1)?;
        let at = |part: &OperandId| part.0 as usize - first;
        // For each part: true if it is needed as it is, and true if its negation is needed.
        let mut needed = vec![[false; 2]; phi.len()];
        needed[root][usize::from(!positive)] = true;
        for (i, op) in phi.iter().enumerate().rev() {
            let [plain, negated] = needed[i];
            match op {
                Op::Not(part) => or(&mut needed[at(part)], [negated, plain]),
                Op::All(parts) | Op::Any(parts) => {
                    parts.iter().for_each(|p| or(&mut needed[at(p)], [plain, negated]));
                }
                Op::Same(a, b) if plain || negated => {
                    or(&mut needed[at(a)], [true; 2]);
                    or(&mut needed[at(b)], [true; 2]);
                }
                _ => {}
            }
        }
        let mut built = vec![[Built::Constant(false); 2]; phi.len()];
        for (i, op) in phi.iter().enumerate() {
            for negated in [false, true] {
                if needed[i][usize::from(negated)] {
                    built[i][usize::from(negated)] = self.op(op, negated, &built)?;
                }
            }
        }
        Some(built[root][usize::from(!positive)])
    }

    fn op(&mut self, op: &Op, negated: bool, built: &[[Built; 2]]) -> Option<Built> {
        let first = self.first;
        let get = |part: &OperandId, negated: bool| built[part.0 as usize - first][usize::from(negated)];
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
            Op::Next(_) | Op::Globally(_) | Op::Finally(_) | Op::Until(..) | Op::WeakUntil(..) | Op::Release(..) => {
                unreachable!("formulas about markings have no temporal operators")
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

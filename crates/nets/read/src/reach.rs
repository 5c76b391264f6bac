//! Questions about reachable markings and about runs as formats write them, and their translation to goals.
//!
//! A question about branching time is a formula of computation tree logic (CTL). Its letters are its largest parts
//! without temporal operators.
//!
//! A question about all runs is a temporal formula (`A phi`). Its letters are its largest parts without temporal
//! operators. `A G phi` is the same as `AG phi`.
//!
//! A question about markings is `EF phi` or `AG phi`. The goal is the set of markings that decides the question: `phi`
//! for `EF phi`, its negation for `AG phi`. A [`Subject`] defines what formulas can refer to, and when one of its
//! events is enabled. `phi.rs` says how formulas are stored, and `translation.rs` makes formulas over places of them.

mod compare;
mod phi;
mod sum;
mod translation;

pub(crate) use phi::{Compare, Op, OperandId, Phi};
pub(crate) use sum::{Sum, Unsupported};

use crate::subject::Subject;
use formats::error::{Error, Text};
use formats::source::Limits;
use formats::{codes, questions};
use model::{
    BoundId, BranchingId, Ctl, CtlBuilder, CtlId, Formula, FormulaId, Goal, Letter, Ltl, LtlBuilder, LtlId, LtlNode,
    Net, PlaceId, Problem, Property, QuestionForm, TemporalId,
};
use num_bigint::BigUint;
pub(crate) use phi::Question;
use std::collections::{BTreeMap, HashMap};
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

/// The questions of a file, in its order, each with its id.
pub struct Questions<'a> {
    text: Text<'a>,
    subject: Subject<'a>,
    /// The form of `EF phi`: files do not say whether the user expects it to hold.
    exists: QuestionForm,
    /// The numbers of formulas, temporal formulas, formulas of computation tree logic and sums of the problem that are
    /// kept in front of these questions.
    kept: [usize; 4],
    /// The number of atoms and connectives that may still be built.
    left: usize,
    most: usize,
    parts: Parts,
    /// The formulas of letters.
    letters: HashMap<Arc<Formula>, FormulaId>,
}

/// The questions, and the formulas that they refer to.
#[derive(Default)]
pub struct Parts {
    /// The formulas about markings.
    pub formulas: Vec<Arc<Formula>>,
    /// The formulas about runs.
    pub temporal: Vec<Arc<Ltl>>,
    /// The formulas of computation tree logic.
    pub branching: Vec<Arc<Ctl>>,
    /// The sums with a largest value.
    pub sums: Vec<model::Sum>,
    /// The properties.
    pub properties: Vec<Property>,
}

impl<'a> Questions<'a> {
    pub(crate) fn new(text: Text<'a>, subject: Subject<'a>, limits: &Limits) -> Self {
        let (most, exists, kept) = (limits.formula_nodes, QuestionForm::Exists, [0; 4]);
        Self { text, subject, exists, kept, left: most, most, parts: Parts::default(), letters: HashMap::new() }
    }

    /// Makes an empty list of questions of the command line. The formulas of the questions will be numbered after the
    /// formulas of `problem`.
    pub fn beside(text: Text<'a>, subject: Subject<'a>, problem: &Problem, limits: &Limits) -> Self {
        let temporal = [problem.temporal().len(), problem.branching().len()];
        let kept = [problem.formulas().len(), temporal[0], temporal[1], problem.sums().len()];
        Self { kept, exists: QuestionForm::Expected, ..Self::new(text, subject, limits) }
    }

    /// Adds a question.
    pub(crate) fn ask(&mut self, id: String, question: &Question, span: Range<usize>) -> Res<()> {
        match question {
            Question::Markings { exists, phi } => {
                self.add(id, phi, if *exists { self.exists } else { QuestionForm::Always }, span)
            }
            Question::Runs(phi) => self.add_runs(id, phi, QuestionForm::Never, span),
            // A run from one of several initial markings says nothing about the others.
            Question::SomeRun(phi) if self.subject.has_several_starts() => match phi.of_some_run() {
                Some(phi) => self.ask(id, &Question::Branching { is_universal: false, phi }, span),
                None => {
                    let message = "a run with this property from each of several initial markings";
                    let error = self.text.error(&codes::LOLA_REACHABILITY, span, message).label("not supported");
                    Err(error.hint("choose the initial marking with `--init`, or ask whether all runs are like this"))
                }
            },
            Question::SomeRun(phi) => {
                let mut phi = phi.clone();
                phi.negate();
                self.add_runs(id, &phi, QuestionForm::Expected, span)
            }
            Question::Branching { is_universal, phi } => {
                let formula = self.ctl(phi, span)?;
                self.add_branching(
                    id,
                    formula,
                    if *is_universal { QuestionForm::Never } else { QuestionForm::Formula },
                );
                Ok(())
            }
            Question::Bound(sum) => {
                self.add_bound(id, sum);
                Ok(())
            }
        }
    }

    /// Adds `EF phi` (`asked` is `Exists` or `Expected`) or `AG phi` (`asked` is `Always`).
    pub(crate) fn add(&mut self, id: String, phi: &Phi, asked: QuestionForm, span: Range<usize>) -> Res<()> {
        let positive = asked != QuestionForm::Always;
        let known = self.parts.properties.iter().any(|p| p.goal == Goal::Deadlock);
        // Each goal may occur only once, so a second question about deadlocks gets an equivalent formula as its
        // goal.
        if !known && is_deadlock(phi, positive) {
            self.parts.properties.push(Property { id, goal: Goal::Deadlock, asked });
        } else {
            let formula = self.formula(phi, positive, span)?;
            self.add_formula(id, formula, asked);
        }
        Ok(())
    }

    /// Adds the question whether a marking that satisfies this formula is reachable.
    pub(crate) fn add_formula(&mut self, id: String, formula: Formula, asked: QuestionForm) {
        self.parts.formulas.push(Arc::new(formula));
        let goal = Goal::Formula(FormulaId::new(self.kept[0] + self.parts.formulas.len() - 1));
        self.parts.properties.push(Property { id, goal, asked });
    }

    /// Adds the question whether all maximal runs satisfy a temporal formula. If `asked` is
    /// [`QuestionForm::Expected`], the question is whether some run does not.
    fn add_runs(&mut self, id: String, phi: &Phi, asked: QuestionForm, span: Range<usize>) -> Res<()> {
        if let Some(phi) = phi.invariant().filter(|_| !asked.is_exists()) {
            return self.add(id, &phi, QuestionForm::Always, span);
        }
        let ltl = self.ltl(phi, span)?;
        self.parts.temporal.push(Arc::new(ltl));
        let goal = Goal::Temporal(TemporalId::new(self.kept[1] + self.parts.temporal.len() - 1));
        self.parts.properties.push(Property { id, goal, asked });
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
        let firsts = phi.firsts();
        let mut builder = LtlBuilder::default();
        let mut ids: Vec<LtlId> = vec![LtlId(0); plain.len()];
        for (i, op) in phi.ops.iter().enumerate().filter(|(i, _)| !plain[*i] || is_letter[*i]) {
            let of = |a: &OperandId| ids[a.0 as usize];
            ids[i] = match op {
                _ if is_letter[i] => builder.node(match self.letter(&phi.ops[..=i], firsts[i], span.clone())? {
                    Ok(letter) => LtlNode::Letter(Letter::Marking(letter)),
                    Err(value) => LtlNode::Constant(value),
                }),
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
                Op::Path { .. } => unreachable!("it is about one path"),
                Op::Constant(_) | Op::Compare(..) | Op::Fireable(_) | Op::Deadlock => unreachable!("it is plain"),
            };
        }
        Ok(builder.finish(ids[root]))
    }

    /// Returns the letter for a formula without temporal operators, or its truth if it is the same in all markings.
    fn letter(&mut self, ops: &[Op], first: usize, span: Range<usize>) -> Res<Result<FormulaId, bool>> {
        let formula = self.formula_of(ops, first, true, span)?;
        Ok(self.letter_of(formula))
    }

    /// Returns the letter for a formula, or its truth if it is the same in all markings.
    pub(crate) fn letter_of(&mut self, formula: Formula) -> Result<FormulaId, bool> {
        if let Some(value) = model::ctl::constant(&formula) {
            return Err(value);
        }
        let formula = Arc::new(formula);
        let next = FormulaId::new(self.kept[0] + self.parts.formulas.len());
        let id = *self.letters.entry(Arc::clone(&formula)).or_insert(next);
        if id == next {
            self.parts.formulas.push(formula);
        }
        Ok(id)
    }

    /// Returns the formula of computation tree logic. Each operator without quantifier is the operand of one.
    fn ctl(&mut self, phi: &Phi, span: Range<usize>) -> Res<Ctl> {
        let (plain, firsts) = (phi.plain(), phi.firsts());
        let mut builder = CtlBuilder::default();
        let mut ids: Vec<CtlId> = vec![CtlId(0); plain.len()];
        let mut is_needed = vec![false; plain.len()];
        let root = plain.len() - 1;
        is_needed[root] = true;
        for (i, op) in phi.ops.iter().enumerate().filter(|(i, _)| !plain[*i]) {
            debug_assert!(i <= root, "operands come first");
            let operands = op.operands().iter().copied().chain(op.pair().into_iter().flatten());
            operands.for_each(|a| is_needed[a.0 as usize] = true);
        }
        for (i, op) in phi.ops.iter().enumerate().filter(|(i, _)| is_needed[*i]) {
            let of = |a: &OperandId| ids[a.0 as usize];
            ids[i] = match op {
                _ if plain[i] => match self.letter(&phi.ops[..=i], firsts[i], span.clone())? {
                    Ok(letter) => builder.letter(letter),
                    Err(value) => builder.constant(value),
                },
                Op::Not(a) => builder.not(of(a)),
                Op::All(parts) => builder.join(true, parts.iter().map(of).collect()),
                Op::Any(parts) => builder.join(false, parts.iter().map(of).collect()),
                Op::Same(a, b) => {
                    let pair = vec![of(a), of(b)];
                    let neither = pair.iter().map(|id| builder.not(*id)).collect();
                    let (both, neither) = (builder.join(true, pair), builder.join(true, neither));
                    builder.join(false, vec![both, neither])
                }
                Op::Path { of: a, .. } if plain[a.0 as usize] => of(a),
                Op::Path { exists, of: a } => path(&mut builder, *exists, &phi.ops[a.0 as usize], of),
                // The quantifier around it makes the subformula.
                _ => CtlId(0),
            };
        }
        let root = ids[root];
        Ok(builder.finish(root))
    }

    /// Adds the question whether the initial marking satisfies a formula of computation tree logic.
    pub(crate) fn add_branching(&mut self, id: String, formula: Ctl, asked: QuestionForm) {
        self.parts.branching.push(Arc::new(formula));
        let goal = Goal::Branching(BranchingId::new(self.kept[2] + self.parts.branching.len() - 1));
        self.parts.properties.push(Property { id, goal, asked });
    }

    /// Adds the question for the largest value of a sum.
    fn add_bound(&mut self, id: String, sum: &Sum) {
        let mut factors: BTreeMap<PlaceId, BigUint> = BTreeMap::new();
        for (place, factor) in &sum.terms {
            *factors.entry(*place).or_default() += factor.magnitude();
        }
        factors.retain(|_, factor| *factor != BigUint::ZERO);
        self.parts.sums.push(factors.into_iter().collect());
        let goal = Goal::Bound(BoundId::new(self.kept[3] + self.parts.sums.len() - 1));
        self.parts.properties.push(Property::never(id, goal));
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
    pub(crate) fn add_unsupported(&mut self, id: String, asked: QuestionForm) {
        let number = self.parts.properties.iter().filter(|p| matches!(p.goal, Goal::Unsupported(_))).count();
        self.parts.properties.push(Property { id, goal: Goal::Unsupported(number as u32), asked });
    }

    fn too_large(&self, span: Range<usize>) -> Box<Error> {
        let message = format!("the goals have more than {} atoms and connectives", self.most);
        self.text.error(&codes::LIMIT_FORMULA, span, message).label("the limit is reached here")
    }

    /// Returns the questions. Their formulas are numbered after the kept ones of the problem.
    pub fn into_parts(self) -> Parts {
        self.parts
    }

    /// Replaces the formulas and properties of `problem` by these questions. Errors are about the source called
    /// `name`.
    pub(crate) fn put_into(self, problem: &mut Problem, name: &str) -> Res<()> {
        questions::change(problem, name, |asked| {
            let Parts { formulas, temporal, branching, sums, properties } = self.into_parts();
            (asked.formulas, asked.temporal, asked.properties) = (formulas, temporal, properties);
            (asked.branching, asked.sums) = (branching, sums);
        })
    }
}

/// Adds a quantified operator with these operands.
fn path(builder: &mut CtlBuilder, exists: bool, op: &Op, of: impl Fn(&OperandId) -> CtlId) -> CtlId {
    match (op, exists) {
        (Op::Next(a), true) => builder.exists_next(of(a)),
        (Op::Next(a), false) => builder.all_next(of(a)),
        (Op::Finally(a), true) => builder.exists_finally(of(a)),
        (Op::Finally(a), false) => builder.all_finally(of(a)),
        (Op::Globally(a), true) => builder.exists_globally(of(a)),
        (Op::Globally(a), false) => builder.all_globally(of(a)),
        (Op::Until(a, b), true) => builder.exists_until(of(a), of(b)),
        (Op::Until(a, b), false) => builder.all_until(of(a), of(b)),
        (Op::WeakUntil(a, b), _) => builder.weak_until(exists, of(a), of(b)),
        (Op::Release(b, a), _) => builder.release(exists, of(b), of(a)),
        _ => unreachable!("the question was looked at"),
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

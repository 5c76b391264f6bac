//! Undefined behavior of C in expressions. The reference is the program that `gcc -fwrapv -O0` generates for
//! x86-64.
//!
//! Two things can go wrong while an expression is evaluated:
//!
//! 1. A *trap*: a division by 0, a division of the smallest number by -1, or a read through the null pointer. A
//!    trap ends the program if the compiler keeps the operation. Even without optimisation, gcc drops an
//!    operation where it sees that the value does not matter (`0 / x`, `x % x`, `(x / y) * 0`, `5 % x >= 0`).
//! 2. An index outside its array. It does not end the program.
//!
//! So each expression that may go wrong has a *hazard*: the condition under which its evaluation goes wrong. A
//! hazard is *sure* if the compiler certainly keeps its traps. Sure hazards need no check, because the
//! operators of the program crash at these traps. (Exception: if only idle bodies follow a condition, the
//! compiler drops the condition as a whole.) Before an expression with any other hazard, the parser emits a
//! check that stops the call at the label for undefined behavior ([`model::Reactive::undefined`]). The analysis
//! errs on the safe side: only a few shapes count as sure, and no simplification of the compiler applies to
//! them.

use super::operand::{Hazard, Operand};
use super::parse::Parser;
use super::pointers::NOWHERE;
use super::text::Res;
use formats::codes;
use formats::error::Span;
use model::reactive::{Arm, Arms, Binary, Block, Expr, Stmt, Unary};
use model::{ExprId, VarId};

/// The largest number of nodes that the conditions of hazards may take. Each condition is counted with the size
/// of its expression.
const MOST_NODES: usize = 50_000_000;

/// For constants of at least this absolute value, a compiler may know the result of a comparison from the range
/// of `int`.
const EXTREME: u32 = 1 << 30;

impl<'a> Parser<'a> {
    /// Returns the operand for `pointer[index]`.
    pub(super) fn behind(&mut self, pointer: VarId, index: u32, span: Span) -> Operand {
        let node = self.program.expr(Expr::Element { pointer, index });
        if self.pointers.read(pointer, index, span) {
            let pointer = self.program.expr(Expr::Var(pointer));
            self.note_pointer(node, pointer, NOWHERE);
        }
        Operand::Node(node)
    }

    pub(super) fn hazard(&self, operand: Operand) -> Option<Hazard> {
        match operand {
            Operand::Node(id) => self.hazards.get(&id).copied(),
            _ => None,
        }
    }

    fn check(&mut self, hazard: Hazard) -> Arm {
        let label = self.program.undefined();
        Arm { condition: hazard.when, body: self.program.block(&[Stmt::Error(label)]) }
    }

    /// Emits the check that the operand needs, if any, before the current statement.
    pub(super) fn check_before(&mut self, operand: Operand) {
        if let Some(hazard) = self.hazard(operand).filter(|hazard| !hazard.is_sure) {
            let arm = self.check(hazard);
            let arms = self.program.arms(&[arm]);
            self.idle.insert(arms);
            self.stmts.push(Stmt::If { arms, otherwise: Block::default() });
        }
    }

    /// True if the statements from index `from` on are idle: all of them are idle `if` chains.
    pub(super) fn is_idle(&self, from: usize) -> bool {
        self.stmts[from..].iter().all(|stmt| matches!(stmt, Stmt::If { arms, .. } if self.idle.contains(arms)))
    }

    /// Returns the arms of a chain, from index `from` on, each with the check of its condition before it, and
    /// true if the chain is idle. If only idle bodies follow a condition, the compiler leaves the condition out,
    /// so its traps need a check, too.
    pub(super) fn checked_arms(&mut self, from: usize, is_otherwise_idle: bool) -> (Arms, bool) {
        let arms = self.arms.split_off(from);
        let last = arms.iter().rposition(|(_, is_idle)| !is_idle);
        let kept = if is_otherwise_idle { last.map_or(0, |last| last + 1) } else { arms.len() };
        let mut checked = Vec::with_capacity(arms.len());
        for (number, (arm, _)) in arms.into_iter().enumerate() {
            if let Some(&hazard) = self.hazards.get(&arm.condition)
                && (!hazard.is_sure || number >= kept)
            {
                let check = self.check(hazard);
                checked.push(check);
            }
            checked.push(arm);
        }
        (self.program.arms(&checked), kept == 0)
    }

    fn two(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        self.program.expr(Expr::Binary(op, a, b))
    }

    fn is(&mut self, op: Binary, a: ExprId, number: i32) -> ExprId {
        let number = self.node(Operand::Constant(number));
        self.two(op, a, number)
    }

    /// Returns the disjunction of the conditions, or `None` if there is no condition.
    fn any(&mut self, conditions: [Option<ExprId>; 3]) -> Option<ExprId> {
        let mut any: Option<ExprId> = None;
        for condition in conditions.into_iter().flatten() {
            any = Some(any.map_or(condition, |any| self.two(Binary::Or, any, condition)));
        }
        any
    }

    /// Records the hazard of `node`, which is `a op b`.
    pub(super) fn note_binary(&mut self, node: ExprId, op: Binary, a: Operand, b: Operand) {
        let (left, right) = (self.hazard(a), self.hazard(b));
        let own = if matches!(op, Binary::Div | Binary::Rem) { self.trap_of_division(op, a, b) } else { None };
        if left.is_none() && right.is_none() && own.is_none() {
            return;
        }
        let hazard = if matches!(op, Binary::And | Binary::Or) {
            self.of_short_circuit(op, a, b, left, right)
        } else {
            let is_sure = match (left, right, own) {
                (None, None, Some(_)) => self.is_kept_division(a, b),
                (Some(hazard), None, None) => hazard.is_sure && self.keeps(op, hazard, b),
                (None, Some(hazard), None) => hazard.is_sure && self.keeps(op, hazard, a),
                _ => false,
            };
            let is_bare = own.is_some();
            let when = self.any([left.map(|h| h.when), right.map(|h| h.when), own]);
            when.map(|when| Hazard { when, is_sure, is_bare })
        };
        self.note(node, hazard);
    }

    fn of_short_circuit(
        &mut self,
        op: Binary,
        a: Operand,
        b: Operand,
        left: Option<Hazard>,
        right: Option<Hazard>,
    ) -> Option<Hazard> {
        // The compiler leaves out the right side only where C does not evaluate it.
        let is_sure = left.is_none_or(|h| h.is_sure && self.is_open(b)) && right.is_none_or(|h| h.is_sure);
        let later = right.map(|hazard| {
            let mut reached = self.node(a);
            if op == Binary::Or {
                reached = self.program.expr(Expr::Unary(Unary::Not, reached));
            }
            self.two(Binary::And, reached, hazard.when)
        });
        let when = self.any([left.map(|h| h.when), later, None])?;
        Some(Hazard { when, is_sure, is_bare: false })
    }

    /// Records the hazard of `node`, a unary operator on `a`.
    pub(super) fn note_unary(&mut self, node: ExprId, a: ExprId) {
        let hazard = self.hazards.get(&a).map(|hazard| Hazard { is_bare: false, ..*hazard });
        self.note(node, hazard);
    }

    /// Records the hazard of `node`, an element of an array at a computed index.
    pub(super) fn note_table(&mut self, node: ExprId, index: ExprId, len: u32) {
        let below = self.is(Binary::Lt, index, 0);
        let above = self.is(Binary::Ge, index, i32::try_from(len).unwrap_or(i32::MAX));
        let inner = self.hazards.get(&index).map(|h| h.when);
        let when = self.any([inner, Some(below), Some(above)]);
        self.note(node, when.map(|when| Hazard { when, is_sure: false, is_bare: false }));
    }

    /// Records the hazard of `node`, a read through `pointer`, which may be null.
    pub(super) fn note_pointer(&mut self, node: ExprId, pointer: ExprId, nowhere: i32) {
        let when = self.is(Binary::Eq, pointer, nowhere);
        self.note(node, Some(Hazard { when, is_sure: true, is_bare: true }));
    }

    /// Records that the compiler does not evaluate the operands of `node`, so their traps are not sure.
    pub(super) fn drops(&mut self, node: ExprId) {
        if let Some(hazard) = self.hazards.get_mut(&node) {
            hazard.is_sure = false;
        }
    }

    fn note(&mut self, node: ExprId, hazard: Option<Hazard>) {
        if let Some(hazard) = hazard {
            self.hazards.insert(node, hazard);
            self.hazard_nodes += self.expression_nodes();
        }
    }

    /// Refuses a program if its hazards would take too much memory.
    pub(super) fn limit_hazards(&self, span: Span) -> Res<()> {
        if self.hazard_nodes <= MOST_NODES {
            return Ok(());
        }
        let message = "the program has too many divisions by variables, or tables, in long expressions";
        Err(self.at.error(&codes::C_COMPUTED_INDEX, span, message).label("in this expression"))
    }

    /// Returns the condition under which `a / b` or `a % b` traps, or `None` if neither can. If x is any
    /// expression, gcc also replaces `x / -x` by -1. This is wrong for the smallest number, so the condition
    /// covers this case.
    fn trap_of_division(&mut self, op: Binary, a: Operand, b: Operand) -> Option<ExprId> {
        match b.number() {
            Some(0) => Some(self.node(Operand::Constant(1))),
            // Divisions by a literal -1 were replaced in `apply`. A named -1 is a real divisor without
            // optimisation.
            Some(-1) => match a.number() {
                Some(a) => (a == i32::MIN).then(|| self.node(Operand::Constant(1))),
                None => {
                    let a = self.node(a);
                    Some(self.is(Binary::Eq, a, i32::MIN))
                }
            },
            Some(_) => None,
            None => {
                let divisor = self.node(b);
                let zero = self.is(Binary::Eq, divisor, 0);
                if a.number().is_some_and(|a| a != i32::MIN) {
                    return Some(zero);
                }
                let may_be_negated = op == Binary::Div && a.number().is_none() && !self.is_kept_division(a, b);
                let a = self.node(a);
                let (lowest, mut other) = (self.is(Binary::Eq, a, i32::MIN), self.is(Binary::Eq, divisor, -1));
                if may_be_negated {
                    let same = self.is(Binary::Eq, divisor, i32::MIN);
                    other = self.two(Binary::Or, other, same);
                }
                let too_large = self.two(Binary::And, lowest, other);
                Some(self.two(Binary::Or, zero, too_large))
            }
        }
    }

    /// True for a variable or the input.
    fn is_leaf(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Node(id) if matches!(self.program.get(id), Expr::Var(_) | Expr::Input))
    }

    /// True for a value about which a compiler knows nothing, such as `x` or `x == 3`.
    fn is_open(&self, operand: Operand) -> bool {
        let Operand::Node(id) = operand else { return false };
        match self.program.get(id) {
            Expr::Binary(Binary::Eq | Binary::Ne, a, b) => {
                let is_plain = matches!(self.program.get(b), Expr::Const(c) if c.unsigned_abs() < EXTREME);
                is_plain && self.is_leaf(Operand::Node(a))
            }
            _ => self.is_leaf(operand),
        }
    }

    /// True for operands of a division that the compiler keeps: `x / y` or `x / 0`, where `x` and `y` are
    /// variables or the input, and different. (gcc replaces `0 / x` by 0, `x / x` by 1, and `1 / x` by
    /// comparisons.)
    fn is_kept_division(&self, a: Operand, b: Operand) -> bool {
        self.is_leaf(a) && a != b && (self.is_leaf(b) || b == Operand::Constant(0))
    }

    /// True if the compiler evaluates the operand with this hazard when the other operand is `other`.
    fn keeps(&self, op: Binary, hazard: Hazard, other: Operand) -> bool {
        let Operand::Constant(number) = other else { return self.is_leaf(other) };
        // If the operand is more than the trapping operation itself, a compiler may know the range of its value
        // and so the result (`-5 + (x / y > 3)` is never 0).
        let least = match op {
            Binary::Mul | Binary::Div => 1,
            Binary::Rem => 2,
            _ => 0,
        };
        hazard.is_bare && (least..EXTREME).contains(&number.unsigned_abs())
    }
}

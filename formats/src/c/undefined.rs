//! What the compiled program does where C leaves it open. The reference is `gcc -fwrapv -O0` on x86-64.
//!
//! Two things can go wrong while an expression is evaluated. A *trap* (a division by 0, the smallest number by -1, a read at
//! the null pointer) ends the program, if the compiler keeps the operation: gcc drops it, without optimisation, too, where it sees that
//! its value does not matter (`0 / x`, `x % x`, `(x / y) * 0`, `5 % x >= 0`). And an index outside its array ends nothing.
//!
//! So each expression that may go wrong has a *hazard*: a condition under which it does. Traps that the compiler surely keeps are left to the
//! program, whose operators crash there (but conditions behind which nothing is to be done are dropped as a whole). Before every other expression with a hazard stands a check that stops the call at the label of what is
//! not defined ([`model::Reactive::undefined`]). What is sure is judged from below: a few shapes that no simplification applies to.

use super::expr::Operand;
use super::parse::Parser;
use super::text::Res;
use crate::codes;
use crate::error::Span;
use model::ExprId;
use model::reactive::{Arm, Arms, Binary, Block, Expr, Stmt, Unary};

/// The most nodes that conditions of hazards may take; each is counted with the size of the expression it is in.
const MOST_NODES: usize = 50_000_000;

/// Constants beyond this compare with a number so that a compiler may know the result.
const EXTREME: u32 = 1 << 30;

/// How the evaluation of an expression may go wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hazard {
    /// True where it does. Its own evaluation does not go wrong.
    when: ExprId,
    /// Are these all traps that the compiler keeps?
    is_sure: bool,
    /// Is it the operation itself, of which a compiler knows no range?
    is_bare: bool,
}

impl<'a> Parser<'a> {
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

    /// Puts the check that the operand needs, if it needs one, before the statement that is read.
    pub(super) fn check_before(&mut self, operand: Operand) {
        if let Some(hazard) = self.hazard(operand).filter(|hazard| !hazard.is_sure) {
            let arm = self.check(hazard);
            let arms = self.program.arms(&[arm]);
            self.idle.insert(arms);
            self.stmts.push(Stmt::If { arms, otherwise: Block::default() });
        }
    }

    /// Is nothing to be done in the statements from `from` on?
    pub(super) fn is_idle(&self, from: usize) -> bool {
        self.stmts[from..].iter().all(|stmt| matches!(stmt, Stmt::If { arms, .. } if self.idle.contains(arms)))
    }

    /// The arms of a chain, from `from` on, with the checks that conditions need, each in its turn; and whether nothing is to be done in the
    /// chain. The compiler leaves out the conditions at its end behind which nothing is to be done in any case.
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

    /// Either, or one if there is but one.
    fn any(&mut self, conditions: [Option<ExprId>; 3]) -> Option<ExprId> {
        let mut any: Option<ExprId> = None;
        for condition in conditions.into_iter().flatten() {
            any = Some(any.map_or(condition, |any| self.two(Binary::Or, any, condition)));
        }
        any
    }

    /// Notes how `node`, which is `a op b`, may go wrong.
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
        // The right side is left out only where it is not evaluated either.
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

    /// Notes how `node`, a sign before `a`, may go wrong.
    pub(super) fn note_unary(&mut self, node: ExprId, a: ExprId) {
        let hazard = self.hazards.get(&a).map(|hazard| Hazard { is_bare: false, ..*hazard });
        self.note(node, hazard);
    }

    /// Notes that `node` is an element of a table, at a computed index.
    pub(super) fn note_table(&mut self, node: ExprId, index: ExprId, len: u32) {
        let below = self.is(Binary::Lt, index, 0);
        let above = self.is(Binary::Ge, index, i32::try_from(len).unwrap_or(i32::MAX));
        let inner = self.hazards.get(&index).map(|h| h.when);
        let when = self.any([inner, Some(below), Some(above)]);
        self.note(node, when.map(|when| Hazard { when, is_sure: false, is_bare: false }));
    }

    /// Notes that `node` is read where `pointer` points to, which may be nowhere.
    pub(super) fn note_pointer(&mut self, node: ExprId, pointer: ExprId, nowhere: i32) {
        let when = self.is(Binary::Eq, pointer, nowhere);
        self.note(node, Some(Hazard { when, is_sure: true, is_bare: true }));
    }

    /// The compiler leaves out what `node` is made of.
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

    /// Refuses expressions whose hazards would take too much room.
    pub(super) fn limit_hazards(&self, span: Span) -> Res<()> {
        if self.hazard_nodes <= MOST_NODES {
            return Ok(());
        }
        let message = "the program has too many divisions by variables, or tables, in long expressions";
        Err(self.at.error(&codes::C_COMPUTED_INDEX, span, message).label("in this expression"))
    }

    /// Where `a / b` and `a % b` trap; none if nowhere. Of terms gcc also takes `x / -x` for -1, which is wrong for the smallest number.
    fn trap_of_division(&mut self, op: Binary, a: Operand, b: Operand) -> Option<ExprId> {
        match b.number() {
            Some(0) => Some(self.node(Operand::Constant(1))),
            // A literal -1 is none of a division any more; a named one is, without optimisation.
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

    /// A variable or the input.
    fn is_leaf(&self, operand: Operand) -> bool {
        matches!(operand, Operand::Node(id) if matches!(self.program.get(id), Expr::Var(_) | Expr::Input))
    }

    /// Is it a value of which a compiler knows nothing? (`x`, `x == 3`.)
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

    /// Is it `x / y` or `x / 0`, of plain operands that are not the same? (For gcc `0 / x` is 0, `x / x` is 1, and `1 / x` compares.)
    fn is_kept_division(&self, a: Operand, b: Operand) -> bool {
        self.is_leaf(a) && a != b && (self.is_leaf(b) || b == Operand::Constant(0))
    }

    /// Does the compiler evaluate the side with this hazard, beside `other`?
    fn keeps(&self, op: Binary, hazard: Hazard, other: Operand) -> bool {
        let Operand::Constant(number) = other else { return self.is_leaf(other) };
        // Of anything but the operation itself a compiler may know a range, and with it the result (`-5 + (x / y > 3)` is never 0).
        let least = match op {
            Binary::Mul | Binary::Div => 1,
            Binary::Rem => 2,
            _ => 0,
        };
        hazard.is_bare && (least..EXTREME).contains(&number.unsigned_abs())
    }
}

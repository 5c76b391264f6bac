//! The operators of SMT-LIB terms. Each compiles its parts and then itself to postfix code with jumps.

use super::super::eval::Op;
use super::term::{Compiler, Here};
use crate::import::smt::Node;
use crate::rwb::ast::Binary;
use crate::rwb::data::domain::Ty;
use crate::rwb::parse::Res;
use formats::error::{Error, printable};
use formats::{codes, suggest};

/// The operators, for hints.
const OPERATORS: &[&str] = &[
    "and", "or", "not", "=>", "xor", "=", "distinct", "<", "<=", ">", ">=", "+", "-", "*", "div", "mod", "abs", "ite",
    "let",
];

impl Compiler<'_, '_, '_, '_, '_, '_> {
    /// Compiles a list with this operator.
    pub(super) fn operation(
        &mut self,
        operator: &str,
        head: usize,
        node: usize,
        parts: &[usize],
        here: Here,
        wanted: Option<Ty>,
    ) -> Res<Ty> {
        let (least, most) = match operator {
            "not" | "abs" => (1, 1),
            "div" | "mod" => (2, 2),
            "ite" => (3, 3),
            "let" => (2, 2),
            "and" | "or" | "-" => (1, usize::MAX),
            "=>" | "xor" | "=" | "distinct" | "<" | "<=" | ">" | ">=" | "+" | "*" => (2, usize::MAX),
            _ => return Err(self.unknown_operator(operator, head)),
        };
        if parts.len() < least || parts.len() > most {
            let more = if most == usize::MAX { " or more" } else { "" };
            let terms = if most == 1 { "term" } else { "terms" };
            let message = format!("`{operator}` takes {least}{more} {terms}, and not {}", parts.len());
            return Err(self.error(&codes::IMPORT_OPERATOR, node, message).label("another number of terms"));
        }
        match operator {
            "and" | "or" | "=>" => self.connective(operator, node, parts, here),
            "not" => {
                self.typed(parts[0], here, Ty::Bool)?;
                self.push(Op::Not, node);
                Ok(Ty::Bool)
            }
            "xor" => self.fold(Binary::Unequal, Ty::Bool, node, parts, here),
            "+" => self.fold(Binary::Plus, Ty::Int, node, parts, here),
            "*" => self.fold(Binary::Times, Ty::Int, node, parts, here),
            "-" if parts.len() == 1 => {
                self.typed(parts[0], here, Ty::Int)?;
                self.push(Op::Negate, node);
                Ok(Ty::Int)
            }
            "-" => self.fold(Binary::Minus, Ty::Int, node, parts, here),
            "=" => self.compared(Binary::Equal, None, node, parts, here),
            "distinct" => self.distinct(node, parts, here),
            "<" => self.compared(Binary::Less, Some(Ty::Int), node, parts, here),
            "<=" => self.compared(Binary::AtMost, Some(Ty::Int), node, parts, here),
            ">" => self.compared(Binary::Greater, Some(Ty::Int), node, parts, here),
            ">=" => self.compared(Binary::AtLeast, Some(Ty::Int), node, parts, here),
            "div" | "mod" => self.division(operator == "div", node, parts, here),
            "abs" => {
                self.typed(parts[0], here, Ty::Int)?;
                self.push(Op::Push(0), node);
                self.push(Op::Binary(Binary::AtLeast), node);
                self.either(
                    node,
                    |c| c.typed(parts[0], here, Ty::Int),
                    |c| {
                        c.typed(parts[0], here, Ty::Int)?;
                        c.push(Op::Negate, node);
                        Ok(())
                    },
                )?;
                Ok(Ty::Int)
            }
            "ite" => {
                self.typed(parts[0], here, Ty::Bool)?;
                let ty = match wanted.or_else(|| self.type_of(parts[1], here)).or_else(|| self.type_of(parts[2], here))
                {
                    Some(ty) => ty,
                    None => self.one_type(&parts[1..], here)?,
                };
                self.either(node, |c| c.typed(parts[1], here, ty), |c| c.typed(parts[2], here, ty))?;
                Ok(ty)
            }
            _ => self.bind(node, parts, here, wanted),
        }
    }

    fn unknown_operator(&self, operator: &str, head: usize) -> Box<Error> {
        let message = format!("the operator `{}` is not supported", printable(operator));
        let error = self.error(&codes::IMPORT_OPERATOR, head, message).label("not an operator of this language");
        let hint = match operator {
            "/" => "`div` divides integers and rounds down; fractions are written with common denominators",
            "forall" | "exists" => "a predicate is about one event: write it without quantifiers",
            "select" | "store" => "use a parameter or a variable for each element of an array",
            _ if operator.starts_with("bv") => "bit vectors are numbers with a range here: use `+`, `mod`, `div`",
            _ if operator.starts_with("str.") => "strings can only be compared by `=` and `distinct`",
            _ => {
                return suggest::hinted(
                    error,
                    operator,
                    OPERATORS.iter().copied(),
                    &format!("expected one of {}", OPERATORS.join(" ")),
                );
            }
        };
        error.hint(hint)
    }

    /// Compiles `and`, `or` and `=>`. The first part that decides ends the work: `(=> a b c)` is `not a or not b or c`.
    fn connective(&mut self, operator: &str, node: usize, parts: &[usize], here: Here) -> Res<Ty> {
        let mut skips = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            self.typed(*part, here, Ty::Bool)?;
            if at + 1 == parts.len() {
                break;
            }
            if operator == "=>" {
                self.push(Op::Not, *part);
            }
            skips.push(self.ops.len());
            self.push(Op::SkipIf(operator != "and", 0), node);
        }
        self.land(&skips);
        Ok(Ty::Bool)
    }

    /// Lets jumps lead to the end of the code.
    fn land(&mut self, jumps: &[usize]) {
        let end = self.ops.len();
        for jump in jumps {
            if let Op::SkipIf(_, target) | Op::Unless(target) | Op::Jump(target) = &mut self.ops[*jump].0 {
                *target = end;
            }
        }
    }

    /// Compiles both ways on from a truth value.
    fn either(
        &mut self,
        node: usize,
        yes: impl FnOnce(&mut Self) -> Res<()>,
        no: impl FnOnce(&mut Self) -> Res<()>,
    ) -> Res<()> {
        let unless = self.ops.len();
        self.push(Op::Unless(0), node);
        yes(self)?;
        let jump = self.ops.len();
        self.push(Op::Jump(0), node);
        self.land(&[unless]);
        no(self)?;
        self.land(&[jump]);
        Ok(())
    }

    /// Compiles an operator that is applied from the left.
    fn fold(&mut self, binary: Binary, ty: Ty, node: usize, parts: &[usize], here: Here) -> Res<Ty> {
        for (at, part) in parts.iter().enumerate() {
            self.typed(*part, here, ty)?;
            if at > 0 {
                self.push(Op::Binary(binary), node);
            }
        }
        Ok(ty)
    }

    /// Returns the type that all parts must have.
    fn one_type(&mut self, parts: &[usize], here: Here) -> Res<Ty> {
        let types: Vec<Ty> = parts.iter().filter_map(|part| self.type_of(*part, here)).collect();
        if let Some(ty) = types.first() {
            return Ok(*ty);
        }
        // Only strings: a type that has all of them, or the type of the first one.
        let length = self.ops.len();
        let ty = self.node(parts[0], here, None)?;
        self.ops.truncate(length);
        Ok(ty)
    }

    /// Compiles comparisons of neighbours.
    fn compared(&mut self, binary: Binary, ty: Option<Ty>, node: usize, parts: &[usize], here: Here) -> Res<Ty> {
        let ty = ty.map_or_else(|| self.one_type(parts, here), Ok)?;
        let mut skips = Vec::new();
        for (at, pair) in parts.windows(2).enumerate() {
            if at > 0 {
                skips.push(self.ops.len());
                self.push(Op::SkipIf(false, 0), node);
            }
            self.typed(pair[0], here, ty)?;
            self.typed(pair[1], here, ty)?;
            self.push(Op::Binary(binary), node);
        }
        self.land(&skips);
        Ok(Ty::Bool)
    }

    fn distinct(&mut self, node: usize, parts: &[usize], here: Here) -> Res<Ty> {
        let ty = self.one_type(parts, here)?;
        let mut skips = Vec::new();
        for (at, first) in parts.iter().enumerate() {
            for second in &parts[at + 1..] {
                self.typed(*first, here, ty)?;
                self.typed(*second, here, ty)?;
                self.push(Op::Binary(Binary::Unequal), node);
                skips.push(self.ops.len());
                self.push(Op::SkipIf(false, 0), node);
            }
        }
        // The last comparison decides by itself.
        skips.pop();
        self.ops.pop();
        self.land(&skips);
        Ok(Ty::Bool)
    }

    /// Compiles a division by a constant. The remainder is never negative, so `(div a (- b))` is `(- (div a b))`.
    fn division(&mut self, is_quotient: bool, node: usize, parts: &[usize], here: Here) -> Res<Ty> {
        self.typed(parts[0], here, Ty::Int)?;
        let by = self.numeral(parts[1]).filter(|by| *by != 0);
        let Some(by) = by else {
            let error = self.error(&codes::RWB_DIVISOR, parts[1], "the divisor is no number other than 0");
            return Err(error.label("expected a numeral, as in `(mod x 4)`"));
        };
        self.push(Op::Push(by.abs()), parts[1]);
        self.push(Op::Binary(if is_quotient { Binary::Over } else { Binary::Modulo }), node);
        if is_quotient && by < 0 {
            self.push(Op::Negate, node);
        }
        Ok(Ty::Int)
    }

    /// Returns the value of a numeral, or of `(- numeral)`.
    fn numeral(&self, node: usize) -> Option<i64> {
        match &self.tree[node].0 {
            Node::Number(digits) => digits.parse().ok(),
            Node::List(parts) => match parts[..] {
                [minus, number] if self.tree[minus].0 == Node::Symbol("-") => match &self.tree[number].0 {
                    Node::Number(digits) => digits.parse::<i64>().ok().map(|number| -number),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

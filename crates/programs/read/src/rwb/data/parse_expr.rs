//! Parser for expressions, by precedence climbing, which generates postfix code. Operators are as in version 1.

use super::ast::{Binary, Expr, Op};
use super::lex::Kind;
use super::parse::{Parser, Res};
use formats::codes;
use formats::error::{Span, printable};

/// Returns a binary operator and how tightly it binds.
fn operator(sign: &str) -> Option<(Binary, u8)> {
    Some(match sign {
        "||" => (Binary::Or, 1),
        "&&" => (Binary::And, 2),
        "==" => (Binary::Equal, 3),
        "!=" => (Binary::Unequal, 3),
        "<" => (Binary::Less, 4),
        "<=" => (Binary::AtMost, 4),
        ">" => (Binary::Greater, 4),
        ">=" => (Binary::AtLeast, 4),
        "+" => (Binary::Plus, 5),
        "-" => (Binary::Minus, 5),
        "*" => (Binary::Times, 6),
        "/" => (Binary::Over, 6),
        "%" => (Binary::Modulo, 6),
        _ => return None,
    })
}

type Code<'a> = Vec<(Op<'a>, Span)>;

impl<'a> Parser<'a> {
    pub(super) fn expr(&mut self) -> Res<Expr<'a>> {
        self.expr_from(1)
    }

    /// Parses an expression without comparisons and logic.
    pub(super) fn sum(&mut self) -> Res<Expr<'a>> {
        self.expr_from(5)
    }

    fn expr_from(&mut self, least: u8) -> Res<Expr<'a>> {
        let start = self.token().span;
        let mut code = Vec::new();
        self.level(least, &mut code)?;
        Ok(Expr { code, span: start.to(self.before()) })
    }

    /// Parses operators that bind at least as tightly as `least`. The recursion has at most six levels for each
    /// parenthesis.
    fn level(&mut self, least: u8, code: &mut Code<'a>) -> Res<()> {
        self.operand(code)?;
        let mut compared = None;
        while let Some((binary, level)) = operator(self.token().text).filter(|(_, level)| *level >= least) {
            if matches!(level, 3 | 4) && compared == Some(level) {
                let error = self.source.error(
                    &codes::RWB_CHAINED_COMPARISON,
                    self.token().span.range(),
                    "comparisons do not chain",
                );
                return Err(error.label("a second comparison").hint("write `a < b && b < c`, or set parentheses"));
            }
            compared = Some(level);
            let span = self.token().span;
            self.advance();
            let skip = code.len();
            let is_logical = matches!(binary, Binary::Or | Binary::And);
            if is_logical {
                code.push((Op::SkipIf(binary == Binary::Or, 0), span));
            }
            self.level(level + 1, code)?;
            if is_logical {
                code.push((Op::Binary(binary), span));
                let end = code.len();
                code[skip].0 = Op::SkipIf(binary == Binary::Or, end);
            } else {
                code.push((Op::Binary(binary), span));
            }
        }
        Ok(())
    }

    /// Parses a number, a name, an element of an array or a parenthesis, with the signs before it.
    fn operand(&mut self, code: &mut Code<'a>) -> Res<()> {
        let mut signs = Vec::new();
        while self.is("-") || self.is("!") {
            signs.push((if self.is("-") { Op::Negate } else { Op::Not }, self.token().span));
            self.advance();
        }
        let token = self.token();
        if token.kind == Kind::Number {
            code.push((Op::Number(self.number()?), token.span));
        } else if self.is("true") || self.is("false") {
            code.push((Op::Truth(self.is("true")), token.span));
        } else if token.is_name() {
            return self.variable_use(code, signs);
        } else if self.eat("(") {
            self.nested(|p| p.level(1, code))?;
            if !self.is(")") {
                return Err(self.unexpected("an operator or `)`"));
            }
        } else {
            return Err(self.unexpected("a number, a name, `true`, `false` or `(`"));
        }
        self.advance();
        code.extend(signs.into_iter().rev());
        Ok(())
    }

    /// Parses a name, or an element of an array.
    fn variable_use(&mut self, code: &mut Code<'a>, signs: Code<'a>) -> Res<()> {
        let token = self.token();
        self.advance();
        let mut count = 0;
        while self.eat("[") {
            self.nested(|p| p.level(1, code))?;
            self.expect("]", "an operator or `]`")?;
            count += 1;
        }
        let op = if count == 0 { Op::Name(token.text) } else { Op::Element(token.text, count) };
        code.push((op, token.span.to(self.before())));
        code.extend(signs.into_iter().rev());
        Ok(())
    }

    fn number(&self) -> Res<i64> {
        let token = self.token();
        token.text.parse().map_err(|_| {
            let message = format!("the number {} is too large for data", printable(token.text));
            let error = self.source.error(&codes::LIMIT_NUMBER, token.span.range(), message);
            error.label("expected a number below 2^63")
        })
    }
}

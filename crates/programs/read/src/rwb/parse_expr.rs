//! Parser for expressions, by precedence climbing, which generates postfix code. Operators are as in C, but
//! comparisons do not chain.

use super::ast::Span;
use super::expr::{Binary, Expr, Op};
use super::lex::Tok;
use super::parse::{Parser, Res};
use formats::codes;
use formats::error::{Error, printable};
use num_bigint::BigInt;

type Code<'a> = Vec<(Op<'a>, Span)>;

/// Returns a binary operator and how tightly it binds.
fn operator(tok: Tok) -> Option<(Binary, u8)> {
    Some(match tok {
        Tok::OrOr => (Binary::Or, 1),
        Tok::AndAnd => (Binary::And, 2),
        Tok::Equal => (Binary::Equal, 3),
        Tok::Unequal => (Binary::Unequal, 3),
        Tok::Less => (Binary::Less, 4),
        Tok::AtMost => (Binary::AtMost, 4),
        Tok::Greater => (Binary::Greater, 4),
        Tok::AtLeast => (Binary::AtLeast, 4),
        Tok::Plus => (Binary::Plus, 5),
        Tok::Minus => (Binary::Minus, 5),
        Tok::Star => (Binary::Times, 6),
        Tok::Slash => (Binary::Over, 6),
        Tok::Percent => (Binary::Modulo, 6),
        _ => return None,
    })
}

/// True for the levels of comparisons, which must not follow each other without parentheses.
fn is_comparison(level: u8) -> bool {
    level == 3 || level == 4
}

impl<'a> Parser<'a> {
    pub(super) fn expr(&mut self) -> Res<Expr<'a>> {
        self.expr_from(1)
    }

    /// Parses one side of a comparison: an expression without comparisons and logic.
    pub(super) fn sum(&mut self) -> Res<Expr<'a>> {
        self.expr_from(5)
    }

    /// Parses a number, a name or a parenthesis.
    pub(super) fn factor(&mut self) -> Res<Expr<'a>> {
        self.expr_from(7)
    }

    fn expr_from(&mut self, least: u8) -> Res<Expr<'a>> {
        let start = Span::new(self.span.clone());
        let mut code = Vec::new();
        self.level(least, &mut code)?;
        let span = start.to(Span::new(0..self.before));
        Ok(Expr { code: code.into_boxed_slice(), span })
    }

    /// Parses an expression of operators that bind at least as tightly as `least`. The recursion has at most six
    /// levels for each parenthesis.
    fn level(&mut self, least: u8, code: &mut Code<'a>) -> Res<()> {
        self.operand(code)?;
        let mut compared = None;
        while let Some((binary, level)) = operator(self.tok).filter(|(_, level)| *level >= least) {
            if is_comparison(level) && compared == Some(level) {
                return Err(self.chained());
            }
            compared = Some(level);
            let span = Span::new(self.span.clone());
            self.advance()?;
            let logical = matches!(binary, Binary::Or | Binary::And);
            let skip = code.len();
            if logical {
                code.push((Op::SkipIf(binary == Binary::Or, 0), span));
                // The right side may be any number, so the operator is applied to it and the neutral value,
                // which gives 0 or 1.
                code.push((Op::Small(i64::from(binary == Binary::And)), span));
            }
            self.level(level + 1, code)?;
            code.push((Op::Binary(binary), span));
            if logical {
                let end = u32::try_from(code.len()).unwrap_or(u32::MAX);
                code[skip].0 = Op::SkipIf(binary == Binary::Or, end);
            }
        }
        Ok(())
    }

    fn chained(&self) -> Box<Error> {
        self.source
            .error(&codes::RWB_CHAINED_COMPARISON, self.span.clone(), "comparisons do not chain")
            .label("a second comparison")
            .hint("write `a < b && b < c`, or set parentheses")
    }

    /// Parses a number, a name or a parenthesis, with the signs before it.
    fn operand(&mut self, code: &mut Code<'a>) -> Res<()> {
        let mut signs = Vec::new();
        while matches!(self.tok, Tok::Minus | Tok::Not) {
            let op = if self.tok == Tok::Minus { Op::Negate } else { Op::Not };
            signs.push((op, Span::new(self.span.clone())));
            self.advance()?;
        }
        let span = Span::new(self.span.clone());
        match self.tok {
            Tok::Number => {
                code.push((self.number()?, span));
                self.advance()?;
            }
            Tok::Name => {
                code.push((Op::Name(self.text()), span));
                self.advance()?;
            }
            Tok::OpenParen => {
                self.advance()?;
                self.nested(|p| p.level(1, code))?;
                self.expect(Tok::CloseParen, "an operator or `)`")?;
            }
            _ => return Err(self.unexpected("a number, a name or `(`")),
        }
        code.extend(signs.into_iter().rev());
        Ok(())
    }

    fn number(&self) -> Res<Op<'a>> {
        let text = self.text();
        let most = self.limits.number_digits;
        if text.len() > most {
            let message = format!("the number {} has {} digits", printable(text), text.len());
            let error = self.source.error(&codes::LIMIT_NUMBER, self.span.clone(), message);
            return Err(error.label(format!("expected at most {most} digits")));
        }
        Ok(match text.parse::<i64>() {
            Ok(n) => Op::Small(n),
            Err(_) => Op::Big(Box::new(BigInt::parse_bytes(text.as_bytes(), 10).unwrap_or_default())),
        })
    }
}

//! Parser for expressions, by precedence climbing, which generates postfix code. Operators are as in C, but
//! comparisons do not chain.

use super::ast::{Binary, Expr, Op, Range, Span};
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

    /// Parses a bound, a count or a priority. In version 1 it may be a comparison.
    pub(super) fn bound(&mut self) -> Res<Expr<'a>> {
        self.expr_from(if self.is_second() { 5 } else { 1 })
    }

    /// Parses `FROM..TO`.
    pub(super) fn range(&mut self) -> Res<Range<'a>> {
        let from = self.bound()?;
        self.range_to(from)
    }

    /// Parses the rest of a range after its lower end: `..` or `..=`, and the upper end.
    pub(super) fn range_to(&mut self, from: Expr<'a>) -> Res<Range<'a>> {
        let closed = self.is_second() && self.eat(Tok::DotsEqual)?;
        if !closed {
            self.expect(Tok::Dots, self.of("`..`", "`..` or `..=`"))?;
        }
        Ok(Range { from, to: self.bound()?, closed })
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
        Ok(Expr { code: code.into_boxed_slice(), span: start.to(self.end()) })
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

    /// Parses a number, a name, an element of an array or a parenthesis, with the signs before it.
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
            Tok::True | Tok::False => {
                code.push((Op::Truth(self.tok == Tok::True), span));
                self.advance()?;
            }
            Tok::Name => self.name_or_element(code)?,
            Tok::OpenParen => {
                self.advance()?;
                self.nested(|p| p.level(1, code))?;
                self.expect(Tok::CloseParen, "an operator or `)`")?;
            }
            _ => {
                let expected = self.of("a number, a name or `(`", "a number, a name, `true`, `false` or `(`");
                return Err(self.unexpected(expected));
            }
        }
        code.extend(signs.into_iter().rev());
        Ok(())
    }

    fn name_or_element(&mut self, code: &mut Code<'a>) -> Res<()> {
        let (name, start) = (self.text(), Span::new(self.span.clone()));
        self.advance()?;
        let mut count = 0;
        while self.is_second() && self.eat(Tok::OpenIndex)? {
            self.nested(|p| p.level(1, code))?;
            self.expect(Tok::CloseIndex, "an operator or `]`")?;
            count += 1;
        }
        let op = if count == 0 { Op::Name(name) } else { Op::Element(name, count) };
        code.push((op, start.to(self.end())));
        Ok(())
    }

    fn number(&self) -> Res<Op<'a>> {
        let text = self.text();
        let most = self.limits.number_digits;
        let (message, label) = match text.parse::<i64>() {
            Ok(n) if text.len() <= most => return Ok(Op::Number(n)),
            Err(_) if self.is_second() => {
                (format!("the number {} is too large for data", printable(text)), "expected a number below 2^63".into())
            }
            _ if text.len() > most => {
                let message = format!("the number {} has {} digits", printable(text), text.len());
                (message, format!("expected at most {most} digits"))
            }
            _ => {
                let big = BigInt::parse_bytes(text.as_bytes(), 10).unwrap_or_default();
                return Ok(Op::Big(Box::new(big)));
            }
        };
        Err(self.source.error(&codes::LIMIT_NUMBER, self.span.clone(), message).label(label))
    }
}

//! What names mean, and the compilation of expressions: names become slots or values, and types are checked.

use super::domain::{Domain, Ty};
use super::eval::{Code, Fault, Op, eval};
use super::machine::Variable;
use crate::rwb::ast::{self, Binary, Expr};
use crate::rwb::parse::Res;
use crate::rwb::visible::Visible;
use formats::error::{Error, Span, Text, printable};
use formats::{codes, suggest};

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A constant, a loop variable, or a value of an enum.
    Constant(Ty, i64),
    /// A declared variable, by its number.
    Variable(usize),
    /// A name that a pattern has bound, by the number of its variable.
    Bound(usize),
}

/// The names that are visible at a place.
pub(super) type Scope<'a> = Visible<'a, Meaning>;

/// Compiles expressions in a scope.
pub(super) struct Compiler<'c, 'a> {
    pub(super) source: Text<'a>,
    pub(super) scope: &'c Scope<'a>,
    pub(super) variables: &'c [Variable],
    /// The names of the enums, for errors.
    pub(super) enums: &'c [String],
}

impl<'a> Compiler<'_, 'a> {
    fn error(&self, span: Span, message: String) -> Box<Error> {
        self.source.error(&codes::RWB_TYPE, span.range(), message)
    }

    /// Returns the name of a type for errors.
    pub(super) fn type_name(&self, ty: Ty) -> String {
        match ty {
            Ty::Int => "a number".to_owned(),
            Ty::Bool => "a truth value".to_owned(),
            Ty::Enum(number) => format!("a value of {}", printable(&self.enums[number])),
        }
    }

    /// Compiles an expression of this type.
    pub(super) fn typed(&self, expr: &Expr<'a>, ty: Ty) -> Res<Code> {
        let (code, found) = self.code(expr)?;
        if found == ty {
            return Ok(code);
        }
        let message = format!("expected {}, found {}", self.type_name(ty), self.type_name(found));
        let error = self.error(expr.span, message).label("of another type");
        Err(error.hint(hint(ty, found)))
    }

    /// Returns the value of a constant expression of this type.
    pub(super) fn constant(&self, expr: &Expr<'a>, ty: Ty) -> Res<i64> {
        let code = self.typed(expr, ty)?;
        self.evaluated(&code, expr.span)
    }

    fn evaluated(&self, code: &Code, span: Span) -> Res<i64> {
        if code.ops.iter().any(|(op, _)| matches!(op, Op::Load(_) | Op::Element { .. })) {
            let error = self.source.error(&codes::RWB_NOT_CONSTANT, span.range(), "this depends on a variable");
            return Err(error
                .label("expected a constant")
                .hint("ranges, sizes, counts and priorities are constants; `while` and `if` may depend on variables"));
        }
        let value = eval(code, &[])
            .and_then(|value| i64::try_from(value).map_err(|_| Fault::beyond(code.span, "a number beyond 64 bits")));
        value.map_err(|fault| {
            let code = if fault.message.starts_with("division") { &codes::RWB_DIVISOR } else { &codes::LIMIT_NUMBER };
            self.source.error(code, fault.span.range(), fault.message.to_string()).label("computed here")
        })
    }

    /// Returns the value and the type of a constant expression.
    pub(super) fn any_constant(&self, expr: &Expr<'a>) -> Res<(i64, Ty)> {
        let (code, ty) = self.code(expr)?;
        Ok((self.evaluated(&code, expr.span)?, ty))
    }

    /// Compiles an expression, and returns its type.
    pub(super) fn code(&self, expr: &Expr<'a>) -> Res<(Code, Ty)> {
        let mut ops: Vec<(Op, Span)> = Vec::with_capacity(expr.code.len());
        let mut types: Vec<Ty> = Vec::new();
        // The operations `&&` and `||` give none, so targets of jumps are translated at the end.
        let mut starts = Vec::with_capacity(expr.code.len() + 1);
        for (op, span) in &expr.code {
            starts.push(ops.len());
            match op {
                ast::Op::Number(n) => {
                    types.push(Ty::Int);
                    ops.push((Op::Push(*n), *span));
                }
                ast::Op::Big(_) => {}
                ast::Op::Truth(truth) => {
                    types.push(Ty::Bool);
                    ops.push((Op::Push(i64::from(*truth)), *span));
                }
                ast::Op::Name(name) => {
                    let (op, ty) = self.name(name, *span)?;
                    types.push(ty);
                    ops.push((op, *span));
                }
                ast::Op::Element(name, count) => {
                    let indices = types.split_off(types.len() - *count as usize);
                    let (op, ty) = self.element(name, &indices, *span)?;
                    types.push(ty);
                    ops.push((op, *span));
                }
                ast::Op::Negate | ast::Op::Not => {
                    let (wanted, op) =
                        if matches!(op, ast::Op::Negate) { (Ty::Int, Op::Negate) } else { (Ty::Bool, Op::Not) };
                    self.operand(types.last().copied(), wanted, *span)?;
                    ops.push((op, *span));
                }
                ast::Op::SkipIf(when, target) => {
                    self.operand(types.pop(), Ty::Bool, *span)?;
                    ops.push((Op::SkipIf(*when, *target as usize), *span));
                }
                ast::Op::Binary(Binary::And | Binary::Or) => self.operand(types.last().copied(), Ty::Bool, *span)?,
                ast::Op::Binary(binary) => {
                    let (b, a) = (types.pop(), types.pop());
                    types.push(self.binary(*binary, a, b, *span)?);
                    ops.push((Op::Binary(*binary), *span));
                }
            }
        }
        starts.push(ops.len());
        for (op, _) in &mut ops {
            if let Op::SkipIf(_, target) = op {
                *target = starts[*target];
            }
        }
        Ok((Code { ops, span: expr.span }, types.pop().unwrap_or(Ty::Int)))
    }

    fn operand(&self, found: Option<Ty>, wanted: Ty, span: Span) -> Res<()> {
        match found {
            Some(found) if found != wanted => {
                let message = format!("this operator takes {}, not {}", self.type_name(wanted), self.type_name(found));
                Err(self.error(span, message).label("operand of another type").hint(hint(wanted, found)))
            }
            _ => Ok(()),
        }
    }

    fn binary(&self, binary: Binary, a: Option<Ty>, b: Option<Ty>, span: Span) -> Res<Ty> {
        if matches!(binary, Binary::Equal | Binary::Unequal) {
            let (Some(a), Some(b)) = (a, b) else { return Ok(Ty::Bool) };
            if a != b {
                let message = format!("{} is compared with {}", self.type_name(a), self.type_name(b));
                return Err(self.error(span, message).label("these are never equal"));
            }
            return Ok(Ty::Bool);
        }
        self.operand(a, Ty::Int, span)?;
        self.operand(b, Ty::Int, span)?;
        let is_number = matches!(binary, Binary::Plus | Binary::Minus | Binary::Times | Binary::Over | Binary::Modulo);
        Ok(if is_number { Ty::Int } else { Ty::Bool })
    }

    fn name(&self, name: &str, span: Span) -> Res<(Op, Ty)> {
        let Some(entry) = self.scope.get(name) else { return Err(self.unknown(name, span)) };
        match entry.meaning {
            Meaning::Constant(ty, value) => Ok((Op::Push(value), ty)),
            Meaning::Variable(number) | Meaning::Bound(number) => {
                let variable = &self.variables[number];
                if variable.sizes.is_empty() {
                    return Ok((Op::Load(variable.base), variable.domain.ty));
                }
                let message = format!("`{}` is an array", printable(name));
                Err(self.error(span, message).label("expected an element, as in `a[0]`"))
            }
        }
    }

    fn element(&self, name: &str, indices: &[Ty], span: Span) -> Res<(Op, Ty)> {
        let Some(entry) = self.scope.get(name) else { return Err(self.unknown(name, span)) };
        for index in indices {
            self.operand(Some(*index), Ty::Int, span)?;
        }
        let number = match entry.meaning {
            Meaning::Variable(number) | Meaning::Bound(number) => number,
            Meaning::Constant(..) => {
                return Err(self.error(span, format!("`{}` is no array", printable(name))).label("has no elements"));
            }
        };
        let variable = &self.variables[number];
        self.dimensions(variable, indices.len(), span)?;
        let op =
            Op::Element { name: variable.name.as_str().into(), base: variable.base, sizes: variable.sizes.clone() };
        Ok((op, variable.domain.ty))
    }

    /// Checks the number of indices of a variable.
    pub(super) fn dimensions(&self, variable: &Variable, count: usize, span: Span) -> Res<()> {
        if variable.sizes.len() == count {
            return Ok(());
        }
        let name = printable(&variable.name);
        let message = match variable.sizes.len() {
            0 => format!("`{name}` is no array"),
            1 => format!("`{name}` has 1 index, and not {count}"),
            many => format!("`{name}` has {many} indices, and not {count}"),
        };
        let error = self.source.error(&codes::RWB_INDEX_COUNT, span.range(), message);
        Err(error.label("another number of indices").hint("only single elements are read and assigned"))
    }

    pub(super) fn unknown(&self, name: &str, span: Span) -> Box<Error> {
        let message = format!("there is no variable, constant or value `{}` here", printable(name));
        let error = self.source.error(&codes::RWB_UNKNOWN_NAME, span.range(), message).label("not declared");
        // Another letter is no misspelling.
        let known = self.scope.names().filter(|_| name.len() > 1);
        let otherwise = "names are declared by `const`, by `var` in the thread, in an `enum`, or by all patterns of \
                         the sync before: `wait level(v)`";
        suggest::hinted(error, name, known, otherwise)
    }
}

/// What to do about a value of another type.
fn hint(wanted: Ty, found: Ty) -> &'static str {
    match (wanted, found) {
        (Ty::Bool, Ty::Int) => "compare it, as in `n != 0`",
        (Ty::Bool, _) | (_, Ty::Bool) => "truth values are `true`, `false` and comparisons",
        (Ty::Int, Ty::Enum(_)) => "values of an enum are only compared by `==` and `!=`, and with each other",
        (Ty::Enum(_), _) => "name one of the values that the enum lists",
        (Ty::Int, Ty::Int) => "use a number",
    }
}

/// Checks that a value belongs to the domain of what it is given to.
pub(super) fn fits(source: Text<'_>, domain: &Domain, value: i64, what: &str, span: Span) -> Res<()> {
    if domain.contains(i128::from(value)) {
        return Ok(());
    }
    let (least, most) = domain.range.unwrap_or_default();
    let error = source.error(&codes::RWB_INDEX_RANGE, span.range(), format!("{value} is no value of {what}"));
    Err(error.label(format!("expected {least}..={most}")).hint("its type says which values it has"))
}

//! `assume`: assumptions about violating runs, in the few forms that lemmas and certificates support.
//!
//! Each form is one kind of atom of [`model::IntAtom`]: a bound, an equality or a remainder of the length of the
//! run, or a choice among end states of one thread. `length` is a keyword in this item only; elsewhere it is a
//! name.

use super::ast::{Assume, Claim, Compare, Expr, LengthAtom, Op, Span};
use super::elaborate::{Draft, Elaborator, Pending};
use super::lex::Tok;
use super::parse::{Parser, Res};
pub(crate) use formats::error::{Error, WriteError, printable};
use formats::errors::Errors;
use formats::{codes, suggest};
use model::{Assumption, Constant, IntAtom, IntTerm, LocalId, Thread, ThreadId};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

/// The upper limit of numbers in assumptions (exclusive). It leaves room for additions without overflow.
pub(crate) const MOST: u64 = 1 << 62;

/// The number of name comparisons that count as one unit of work.
const LOOKS_PER_UNIT: usize = 16;

/// The constant for `length`.
const LENGTH: Constant = Constant::RunLength;

impl<'a> Parser<'a> {
    /// Parses an `assume` item after its first word.
    pub(super) fn assume(&mut self) -> Res<Assume<'a>> {
        let start = Span::new(self.span.clone());
        let claim = match (self.tok, self.text()) {
            (Tok::Name, "length") => Claim::Length(self.length_atoms()?),
            (Tok::End, _) => {
                self.advance()?;
                let thread = self.name("the name of a thread")?;
                self.expect(Tok::In, "`in`")?;
                Claim::End(thread, self.names(Tok::Bar, "the name of a state")?)
            }
            _ => {
                let error = self.unexpected("`length` or `end`");
                return Err(error.hint("as in `assume length >= 10`, `assume end Marker in v | w`"));
            }
        };
        if self.tok == Tok::AndAnd {
            let error =
                self.form(Span::new(self.span.clone()), "`&&` in an assumption", "expected `||` or the next item");
            return Err(error.hint("all assumptions hold together: write one `assume` for each part"));
        }
        Ok(Assume { claim, span: start.to(Span::new(0..self.before)) })
    }

    fn length_atoms(&mut self) -> Res<Vec<LengthAtom<'a>>> {
        let mut atoms = Vec::new();
        loop {
            if self.tok != Tok::Name || self.text() != "length" {
                return Err(self.unexpected("`length`"));
            }
            self.advance()?;
            let modulus = if self.eat(Tok::Percent)? { Some(self.factor()?) } else { None };
            let compare = self.compare()?;
            atoms.push(LengthAtom { modulus, compare, right: self.sum()? });
            if !self.eat(Tok::OrOr)? {
                return Ok(atoms);
            }
        }
    }

    fn compare(&mut self) -> Res<Compare> {
        let span = Span::new(self.span.clone());
        let compare = match self.tok {
            Tok::AtLeast => Compare::AtLeast,
            Tok::AtMost => Compare::AtMost,
            Tok::Greater => Compare::Above,
            Tok::Less => Compare::Below,
            Tok::Equal => Compare::Equal,
            Tok::Unequal => {
                let error = self.form(span, "`!=` in an assumption", "expected `>=`, `<=`, `>`, `<` or `==`");
                return Err(error.hint("write `length < n || length > n`; for remainders, list those that are meant"));
            }
            Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash | Tok::OpenIndex => {
                let message = "arithmetic on `length` in an assumption";
                let error = self.form(span, message, "expected `%`, `>=`, `<=`, `>`, `<` or `==`");
                return Err(
                    error.hint("only `length` and `length % number` can be compared: bring the rest to the right side")
                );
            }
            _ => return Err(self.unexpected("`>=`, `<=`, `>`, `<`, `==` or `%`")),
        };
        self.advance()?;
        Ok(compare)
    }

    fn form(&self, span: Span, message: &str, label: &str) -> Box<Error> {
        self.source.error(&codes::RWB_ASSUME_FORM, span.range(), message).label(label)
    }
}

impl<'a> Elaborator<'a> {
    pub(super) fn declare_assume(&mut self, assume: &Assume<'a>) -> Res<()> {
        self.meter.work(1, assume.span)?;
        let draft = match &assume.claim {
            Claim::Length(atoms) => {
                let atoms: Res<Vec<IntAtom>> = atoms.iter().map(|atom| self.length_atom(atom)).collect();
                Draft::Done(Assumption::Int(atoms?))
            }
            Claim::End(thread, states) => {
                let thread = (self.full_name(thread)?, thread.span);
                let states: Res<Vec<_>> = states.iter().map(|s| Ok((self.full_name(s)?, s.span))).collect();
                Draft::End(Pending { thread, states: states? })
            }
        };
        self.assumptions.push((draft, assume.span));
        Ok(())
    }

    fn length_atom(&mut self, atom: &LengthAtom<'a>) -> Res<IntAtom> {
        let right = self.assumed_number(&atom.right)?;
        let Some(modulus) = &atom.modulus else {
            let part: fn(u64) -> AtomForm = match atom.compare {
                Compare::Above | Compare::AtLeast => AtomForm::AtLeast,
                Compare::Below | Compare::AtMost => AtomForm::AtMost,
                Compare::Equal => AtomForm::Equal,
            };
            let shift = match atom.compare {
                Compare::Above => 1,
                Compare::Below => -1,
                _ => 0,
            };
            return Ok(part(self.in_range(&(right + shift), &atom.right)?).atom());
        };
        if atom.compare != Compare::Equal {
            let error = self.error(&codes::RWB_ASSUME_FORM, modulus.span, "a remainder that is not compared with `==`");
            return Err(error
                .label("expected `length % m == r`")
                .hint("list the remainders that are meant, with `||`"));
        }
        let modulus_value = self.assumed_number(modulus)?;
        if modulus_value < BigInt::one() {
            let message = format!("division by {}", printable(&modulus_value.to_string()));
            return Err(self.error(&codes::RWB_DIVISOR, modulus.span, message).label("expected a positive divisor"));
        }
        let modulus = self.in_range(&modulus_value, modulus)?;
        let residue = self.in_range(&right, &atom.right)?;
        if residue >= modulus {
            let message = format!("{residue} is not a remainder of a division by {modulus}");
            let error = self.error(&codes::RWB_ASSUME_NUMBER, atom.right.span, message);
            return Err(error.label(format!("expected 0 to {}", modulus - 1)));
        }
        Ok(AtomForm::Residue(modulus, residue).atom())
    }

    /// Evaluates an expression on the right side, which must not contain `length`.
    fn assumed_number(&mut self, expr: &Expr<'a>) -> Res<BigInt> {
        let length = expr.code.iter().find(|(op, _)| matches!(op, Op::Name("length")));
        if let Some((_, span)) = length.filter(|_| self.value_of("length").is_none()) {
            let error = self.error(&codes::RWB_ASSUME_FORM, *span, "`length` stands on the left side only");
            return Err(error.label("expected numbers and constants here"));
        }
        self.eval(expr)
    }

    fn in_range(&self, value: &BigInt, at: &Expr<'a>) -> Res<u64> {
        value.to_u64().filter(|n| *n < MOST).ok_or_else(|| {
            let value = printable(&value.to_string());
            let message = format!("the bound {value} is not a length");
            self.error(&codes::RWB_ASSUME_NUMBER, at.span, message).label("expected a number from 0 to 2^62 - 1")
        })
    }

    /// Returns the assumptions. All threads must be declared.
    pub(super) fn resolve_assumptions(&mut self, threads: &[Thread]) -> Res<Vec<Assumption>> {
        let drafts = std::mem::take(&mut self.assumptions);
        let mut assumptions = Vec::with_capacity(drafts.len());
        let mut errors = Errors::default();
        for (draft, _) in drafts {
            let assumption = match draft {
                Draft::Done(assumption) => Ok(assumption),
                Draft::End(pending) => self.end(&pending, threads),
            };
            match assumption {
                Ok(assumption) => assumptions.push(assumption),
                Err(error) => {
                    if let Err(last) = errors.note(error) {
                        return errors.finish(Err(last));
                    }
                }
            }
        }
        errors.finish(Ok(assumptions))
    }

    fn end(&mut self, pending: &Pending, threads: &[Thread]) -> Res<Assumption> {
        let (name, span) = &pending.thread;
        self.meter.work(1 + threads.len() / LOOKS_PER_UNIT, *span)?;
        let Some(found) = threads.iter().position(|t| t.name == *name) else {
            let message = format!("there is no thread `{}`", printable(name));
            let error = self.source.error(&codes::RWB_UNKNOWN_THREAD, span.range(), message).label("not declared");
            return Err(suggest::hinted(error, name, threads.iter().map(|t| t.name.as_str()), ""));
        };
        let known = &threads[found].states;
        let mut states = Vec::with_capacity(pending.states.len());
        for (state, span) in &pending.states {
            self.meter.work(1 + known.len() / LOOKS_PER_UNIT, *span)?;
            let Some(id) = known.iter().position(|s| s.name == *state) else {
                let message = format!("the thread `{}` has no state `{}`", printable(name), printable(state));
                let error = self.source.error(&codes::RWB_UNKNOWN_STATE, span.range(), message);
                let error = error.label("not a state of this thread");
                return Err(suggest::hinted(error, state, known.iter().map(|s| s.name.as_str()), ""));
            };
            states.push(LocalId::new(id));
        }
        states.sort_unstable();
        states.dedup();
        Ok(Assumption::Final { thread: ThreadId::new(found), states })
    }
}

/// Returns the parts of an assumption about the length, or `None` if no `assume` item can express it.
pub(crate) fn parts(assumption: &Assumption) -> Option<Vec<AtomForm>> {
    match assumption {
        Assumption::Int(atoms) if !atoms.is_empty() => atoms.iter().map(part).collect(),
        Assumption::Int(_) | Assumption::Final { .. } => None,
    }
}

/// Makes the error about an assumption that no `assume` item can express. Such assumptions come from the API.
pub(crate) fn unsaid(format: &str) -> WriteError {
    WriteError::feature(format, "an assumption")
        .hint("bounds, values and remainders of the length, and end states can be expressed")
}

/// Returns an atom as a comparison of a number with `length` or with its remainder. Returns `None` if no
/// `assume` item can express the atom.
fn part(atom: &IntAtom) -> Option<AtomForm> {
    let number = |term: &IntTerm| match term {
        IntTerm::Number(n) => n.to_u64().filter(|n| *n < MOST),
        _ => None,
    };
    let length = IntTerm::Constant(LENGTH);
    Some(match atom {
        IntAtom::Le(left, right) if *right == length => AtomForm::AtLeast(number(left)?),
        IntAtom::Le(left, right) if *left == length => AtomForm::AtMost(number(right)?),
        IntAtom::Eq(left, right) if *left == length => AtomForm::Equal(number(right)?),
        IntAtom::Eq(IntTerm::Mod(term, modulus), right) if **term == length && *modulus < MOST => {
            AtomForm::Residue(*modulus, number(right).filter(|r| r < modulus)?)
        }
        IntAtom::Le(..) | IntAtom::Eq(..) => return None,
    })
}

/// The atoms that text and JSON can express.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomForm {
    AtLeast(u64),
    AtMost(u64),
    Equal(u64),
    /// The modulus and the remainder.
    Residue(u64, u64),
}

impl AtomForm {
    pub(crate) fn atom(self) -> IntAtom {
        match self {
            Self::AtLeast(n) => IntAtom::at_least(LENGTH, n),
            Self::AtMost(n) => IntAtom::at_most(LENGTH, n),
            Self::Equal(n) => IntAtom::equals(LENGTH, n),
            Self::Residue(modulus, residue) => IntAtom::congruent(LENGTH, residue, modulus),
        }
    }
}

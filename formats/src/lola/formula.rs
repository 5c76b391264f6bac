//! From the text of a `.formula` file to a goal. Operators wait on a stack of their own (Dijkstra's shunting yard).

use super::lex::{Kind, Lexer, Token};
use crate::codes;
use crate::digits::natural;
use crate::error::{Error, Text, printable};
use crate::reach::{Compare, Op, Part, Phi, Questions, Sum, net_of};
use crate::source::{Limits, Source};
use crate::{input, suggest};
use model::{Asked, Net, PlaceId, Problem, TransitionId};
use num_bigint::BigInt;
use std::collections::HashMap;

type Res<T> = Result<T, Box<Error>>;

/// Words of temporal logic: a question about reachability has them at its beginning only.
const TEMPORAL: &[&str] = &[
    "EF",
    "AG",
    "EG",
    "AF",
    "EX",
    "AX",
    "EU",
    "AU",
    "EXPATH",
    "ALLPATH",
    "EVENTUALLY",
    "ALWAYS",
    "NEXTSTEP",
    "UNTIL",
    "REACHABLE",
    "INVARIANT",
    "IMPOSSIBLE",
    "MAX",
    "MIN",
    "INITIAL",
    "FORMULA",
];

/// Reads a question about the net of `problem`; it replaces its properties.
///
/// # Errors
/// Anything wrong with the input, and a problem that is not about a net. The problem is unchanged then.
pub(crate) fn read_formula(source: &Source, problem: &mut Problem, limits: &Limits) -> Res<Vec<Error>> {
    let net = net_of(problem, &source.name, "formulas of LoLA")?;
    let text = Text { name: &source.name, text: input::utf8(source)? };
    let mut lexer = Lexer::new(text, limits, true);
    if lexer.peek()?.kind == Kind::End {
        let error = text.error(&codes::INPUT_EMPTY, 0..0, "the file has no formula");
        return Err(error.label("expected `EF` or `AG`"));
    }
    lexer.accept("FORMULA")?;
    let (exists, negated) = path(&mut lexer)?;
    let (start, asked) = (lexer.peek()?.span.start, if exists { Asked::Exists } else { Asked::Always });
    let mut parser = Parser::new(lexer, &net);
    let mut phi = parser.formula()?;
    if negated {
        let root = parser.root;
        phi.push(Op::Not(root));
    }
    let mut questions = Questions::new(text, &net, limits);
    questions.add("target".to_owned(), &phi, asked, start..start + 1)?;
    questions.put_into()(problem);
    Ok(Vec::new())
}

/// The path operators in front: is there a marking, or is it so for all; and is what follows negated?
fn path(lexer: &mut Lexer<'_>) -> Res<(bool, bool)> {
    let mut outer = false;
    while lexer.accept("NOT")? || lexer.accept("!")? {
        outer = !outer;
    }
    let token = lexer.take()?;
    let next = |lexer: &mut Lexer<'_>, second: &str| -> Res<()> {
        let token = lexer.take()?;
        if token.is(second) { Ok(()) } else { Err(not_reachability(lexer.text, &token)) }
    };
    let (exists, inner) = match (token.kind, token.text) {
        (Kind::Word, "EF" | "REACHABLE") => (true, false),
        (Kind::Word, "AG" | "INVARIANT") => (false, false),
        (Kind::Word, "IMPOSSIBLE") => (false, true),
        (Kind::Word, word @ ("E" | "EXPATH")) => {
            next(lexer, if word == "E" { "F" } else { "EVENTUALLY" })?;
            (true, false)
        }
        (Kind::Word, word @ ("A" | "ALLPATH")) => {
            next(lexer, if word == "A" { "G" } else { "ALWAYS" })?;
            (false, false)
        }
        _ => return Err(not_reachability(lexer.text, &token)),
    };
    // not EF phi = AG not phi, and the other way round.
    Ok((exists != outer, inner != outer))
}

fn not_reachability(text: Text<'_>, token: &Token<'_>) -> Box<Error> {
    let message = "this is not a reachability formula";
    let error = text.error(&codes::LOLA_REACHABILITY, token.span.clone(), message).label("not in this place");
    error.hint("expected `EF phi` or `AG phi`, and no temporal operators in phi")
}

/// What stands between operators.
enum Value {
    Sum(Sum),
    Part(Part),
}

/// Operators, with how tightly they bind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Open,
    Equivalent,
    Implies,
    Xor,
    Or,
    And,
    Not,
    Compare(Compare),
    Plus,
    Minus,
    Times,
    Negative,
}

impl Operator {
    fn strength(self) -> u8 {
        match self {
            Operator::Open => 0,
            Operator::Equivalent => 1,
            Operator::Implies => 2,
            Operator::Xor => 3,
            Operator::Or => 4,
            Operator::And => 5,
            Operator::Not => 6,
            Operator::Compare(_) => 7,
            Operator::Plus | Operator::Minus => 8,
            Operator::Times => 9,
            Operator::Negative => 10,
        }
    }

    /// An operator between two operands.
    fn binary(token: &Token<'_>) -> Option<Self> {
        if token.kind == Kind::Quoted {
            return None;
        }
        Some(match token.text {
            "<->" => Self::Equivalent,
            "->" => Self::Implies,
            "XOR" => Self::Xor,
            "OR" | "|" | "||" => Self::Or,
            "AND" | "&" | "&&" => Self::And,
            "=" | "==" => Self::Compare(Compare::Equal),
            "!=" | "<>" | "#" => Self::Compare(Compare::NotEqual),
            "<" => Self::Compare(Compare::Less),
            "<=" => Self::Compare(Compare::AtMost),
            ">" => Self::Compare(Compare::Greater),
            ">=" => Self::Compare(Compare::AtLeast),
            "+" => Self::Plus,
            "-" => Self::Minus,
            "*" => Self::Times,
            _ => return None,
        })
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    places: HashMap<&'a str, PlaceId>,
    transitions: HashMap<&'a str, TransitionId>,
    phi: Phi,
    /// The whole formula, when it is read.
    root: Part,
    values: Vec<Value>,
    operators: Vec<(Operator, Token<'a>)>,
}

impl<'a> Parser<'a> {
    fn new(lexer: Lexer<'a>, net: &'a Net) -> Self {
        let (places, transitions) = (net.place_index(), net.transition_index());
        let (mut phi, values, operators) = (Phi::default(), Vec::new(), Vec::new());
        let root = phi.push(Op::Constant(true));
        Self { lexer, places, transitions, phi, root, values, operators }
    }

    /// The formula up to the end of the text.
    fn formula(&mut self) -> Res<Phi> {
        let mut depth = 0usize;
        loop {
            // An operand is next.
            let token = self.lexer.take()?;
            let parts = self.phi.len() + self.operators.len();
            if parts > self.lexer.limits.formula_nodes {
                let message = format!("the formula has more than {} parts", self.lexer.limits.formula_nodes);
                let error = self.lexer.text.error(&codes::LIMIT_FORMULA, token.span, message);
                return Err(error.label("the limit is reached here"));
            }
            if token.is("(") {
                depth += 1;
                if depth > self.lexer.limits.nesting {
                    let message = format!("brackets nest deeper than {} levels", self.lexer.limits.nesting);
                    let error = self.lexer.text.error(&codes::LIMIT_NESTING, token.span, message);
                    return Err(error.label("the limit is reached here"));
                }
                self.operators.push((Operator::Open, token));
                continue;
            }
            if token.is("NOT") || token.is("!") {
                self.operators.push((Operator::Not, token));
                continue;
            }
            if token.is("-") {
                self.operators.push((Operator::Negative, token));
                continue;
            }
            let value = self.operand(&token)?;
            self.values.push(value);
            // Closing brackets, then an operator or the end.
            loop {
                let token = self.lexer.take()?;
                if token.is(")") && depth > 0 {
                    depth -= 1;
                    self.reduce(1)?;
                    self.operators.pop();
                } else if let Some(operator) = Operator::binary(&token) {
                    // Implications group to the right.
                    let right = u8::from(operator == Operator::Implies);
                    self.reduce(operator.strength() + right)?;
                    self.operators.push((operator, token));
                    break;
                } else if depth == 0 && (token.kind == Kind::End || (token.is(";") && self.at_end()?)) {
                    return self.finish(&token);
                } else {
                    return Err(self
                        .lexer
                        .unexpected(&token, if depth > 0 { "an operator or `)`" } else { "an operator" }));
                }
            }
        }
    }

    fn at_end(&mut self) -> Res<bool> {
        Ok(self.lexer.peek()?.kind == Kind::End)
    }

    fn finish(&mut self, end: &Token<'a>) -> Res<Phi> {
        self.reduce(1)?;
        match self.values.pop() {
            Some(Value::Part(root)) => {
                self.root = root;
                // The last operator is the whole: a value without operators was pushed last, too.
                Ok(std::mem::take(&mut self.phi))
            }
            _ => {
                let error = self.lexer.text.error(&codes::LOLA_TYPE, end.span.clone(), "a number is no formula");
                Err(error.label("expected a comparison before this"))
            }
        }
    }

    /// Applies the waiting operators that bind at least so tightly.
    fn reduce(&mut self, strength: u8) -> Res<()> {
        while self.operators.last().is_some_and(|(op, _)| op.strength() >= strength) {
            if let Some((operator, token)) = self.operators.pop() {
                self.apply(operator, &token)?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, operator: Operator, token: &Token<'a>) -> Res<()> {
        let right = self.values.pop();
        if matches!(operator, Operator::Not | Operator::Negative) {
            let value = match (operator, right) {
                (Operator::Not, Some(Value::Part(part))) => Value::Part(self.phi.push(Op::Not(part))),
                (Operator::Negative, Some(Value::Sum(sum))) => Value::Sum(plus(Sum::default(), sum, true)),
                _ => return Err(self.wrong_type(token)),
            };
            self.values.push(value);
            return Ok(());
        }
        let left = self.values.pop();
        let value = match (left, right) {
            (Some(Value::Part(a)), Some(Value::Part(b))) => self.connect(operator, a, b),
            (Some(Value::Sum(a)), Some(Value::Sum(b))) => self.calculate(operator, a, b, token)?,
            _ => None,
        };
        self.values.push(value.ok_or_else(|| self.wrong_type(token))?);
        Ok(())
    }

    fn connect(&mut self, operator: Operator, a: Part, b: Part) -> Option<Value> {
        let op = match operator {
            Operator::And => self.phi.chain(a, b, true),
            Operator::Or => self.phi.chain(a, b, false),
            Operator::Implies => {
                let not = self.phi.push(Op::Not(a));
                Op::Any(vec![not, b])
            }
            Operator::Equivalent => Op::Same(a, b),
            Operator::Xor => {
                let same = self.phi.push(Op::Same(a, b));
                Op::Not(same)
            }
            _ => return None,
        };
        Some(Value::Part(self.phi.push(op)))
    }

    fn calculate(&mut self, operator: Operator, a: Sum, b: Sum, token: &Token<'a>) -> Res<Option<Value>> {
        Ok(match operator {
            Operator::Compare(compare) => {
                Some(Value::Part(self.phi.push(Op::Compare(Box::new(plus(a, b, true)), compare))))
            }
            Operator::Plus => Some(Value::Sum(plus(a, b, false))),
            Operator::Minus => Some(Value::Sum(plus(a, b, true))),
            Operator::Times => Some(Value::Sum(self.product(a, b, token)?)),
            _ => None,
        })
    }

    /// A number times a place: more would be nonlinear, or could outgrow the text by far.
    fn product(&self, a: Sum, b: Sum, token: &Token<'a>) -> Res<Sum> {
        let (number, place) = if a.terms.is_empty() { (a, b) } else { (b, a) };
        match place.terms.as_slice() {
            [(place_id, one)]
                if number.terms.is_empty() && place.constant == BigInt::ZERO && *one == BigInt::from(1) =>
            {
                Ok(Sum { terms: vec![(*place_id, number.constant)], constant: BigInt::ZERO })
            }
            _ => {
                let error = self.lexer.text.error(&codes::LOLA_TYPE, token.span.clone(), "a product of other things");
                Err(error.label("expected a number times a place"))
            }
        }
    }

    fn wrong_type(&self, token: &Token<'a>) -> Box<Error> {
        let message = format!("the operands of `{}` are of the wrong kind", printable(token.text));
        let error = self.lexer.text.error(&codes::LOLA_TYPE, token.span.clone(), message).label("this operator");
        error.hint("numbers are added and compared; comparisons are connected by AND, OR, NOT")
    }

    fn operand(&mut self, token: &Token<'a>) -> Res<Value> {
        if token.kind == Kind::Word {
            match token.text {
                "TRUE" | "FALSE" => return Ok(Value::Part(self.phi.push(Op::Constant(token.text == "TRUE")))),
                "DEADLOCK" => return Ok(Value::Part(self.phi.push(Op::Deadlock))),
                "FIREABLE" => {
                    self.lexer.expect("(")?;
                    let name = self.lexer.take()?;
                    let t = self.look_up(&self.transitions, "transition", &name)?;
                    self.lexer.expect(")")?;
                    return Ok(Value::Part(self.phi.push(Op::Fireable(vec![t]))));
                }
                word if word.bytes().all(|b| b.is_ascii_digit()) => {
                    let (text, limits) = (self.lexer.text, self.lexer.limits);
                    let number = natural(text, limits, &codes::LOLA_NUMBER, word, token.span.clone())?;
                    return Ok(Value::Sum(Sum { terms: Vec::new(), constant: number.into() }));
                }
                word if TEMPORAL.contains(&word) => return Err(not_reachability(self.lexer.text, token)),
                _ => {}
            }
        }
        if !matches!(token.kind, Kind::Word | Kind::Quoted) {
            return Err(self.lexer.unexpected(token, "a place, a number or `(`"));
        }
        let place = self.look_up(&self.places, "place", token)?;
        Ok(Value::Sum(Sum { terms: vec![(place, 1.into())], constant: BigInt::ZERO }))
    }

    fn look_up<T: Copy>(&self, known: &HashMap<&str, T>, what: &str, token: &Token<'a>) -> Res<T> {
        known.get(token.text).copied().ok_or_else(|| {
            let message = format!("the net has no {what} `{}`", printable(token.text));
            let error =
                self.lexer.text.error(&codes::LOLA_UNKNOWN, token.span.clone(), message).label("not in the net");
            let mut names: Vec<&str> = Vec::new();
            names.extend(known.keys().copied());
            names.sort_unstable();
            match suggest::nearest(token.text, names) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("in formulas `-` is part of a name unless there are blanks around it"),
            }
        })
    }
}

/// `a + b`, or `a - b`.
fn plus(mut a: Sum, b: Sum, minus: bool) -> Sum {
    if minus {
        a.terms.extend(b.terms.into_iter().map(|(p, c)| (p, -c)));
        a.constant -= b.constant;
    } else {
        a.terms.extend(b.terms);
        a.constant += b.constant;
    }
    a
}

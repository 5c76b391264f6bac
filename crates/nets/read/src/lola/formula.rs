//! Parser for statements about single markings. Operators wait on an explicit stack (Dijkstra's shunting yard).

use super::lex::{Lexer, Token, TokenKind, is_temporal_word, not_reachability};
use crate::global::Global;
use crate::reach::{Compare, Op, OperandId, Phi, Sum, Unsupported};
use crate::subject::Subject;
use formats::digits::natural;
use formats::error::{Error, printable};
use formats::{codes, suggest, variables};
use model::{Named, NodeNames, PlaceId, Program, ThreadId, TransitionId, Variable};
use num_bigint::BigInt;

type Res<T> = Result<T, Box<Error>>;

/// An operand.
enum Value {
    Sum(Sum),
    /// A sum with the values of variables. Unlike a thread state, it is no statement by itself.
    Number(Sum),
    Operand(OperandId),
}

/// The operators, in the order of how tightly they bind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Open,
    Equivalent,
    Implies,
    Until,
    WeakUntil,
    Release,
    Xor,
    Or,
    And,
    Not,
    Next,
    Globally,
    Finally,
    /// A quantifier over paths.
    Path {
        exists: bool,
    },
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
            Operator::Until | Operator::WeakUntil | Operator::Release => 3,
            Operator::Xor => 4,
            Operator::Or => 5,
            Operator::And => 6,
            Operator::Not | Operator::Next | Operator::Globally | Operator::Finally => 7,
            Operator::Path { .. } => 7,
            Operator::Compare(_) => 8,
            Operator::Plus | Operator::Minus => 9,
            Operator::Times => 10,
            Operator::Negative => 11,
        }
    }

    /// True if the operands of the operator are statements.
    fn connects(self) -> bool {
        (1..=7).contains(&self.strength())
    }

    /// Returns the operators that this token is before an operand. There are temporal operators and quantifiers over
    /// paths only if `is_temporal`.
    fn prefix(token: &Token<'_>, next: &Token<'_>, is_temporal: bool) -> Option<Vec<Self>> {
        if token.kind == TokenKind::Quoted {
            return None;
        }
        let one = match token.text {
            "NOT" | "!" => Self::Not,
            "-" => Self::Negative,
            _ if !is_temporal => return None,
            "X" | "NEXTSTEP" => Self::Next,
            "G" | "ALWAYS" => Self::Globally,
            "F" | "EVENTUALLY" => Self::Finally,
            _ => return quantifier(token, next),
        };
        Some(vec![one])
    }

    /// Returns the operator that this token is between two operands.
    fn binary(token: &Token<'_>, is_about_runs: bool) -> Option<Self> {
        if token.kind == TokenKind::Quoted {
            return None;
        }
        Some(match token.text {
            "U" | "UNTIL" if is_about_runs => Self::Until,
            "W" | "WU" if is_about_runs => Self::WeakUntil,
            "R" | "RELEASE" if is_about_runs => Self::Release,
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

/// Returns the operators of a word that begins with a quantifier over paths, as in `A`, `AG` or `AGEF`. A single letter
/// and a word of several quantifiers may be the name of a place: they are quantifiers if an operand follows.
pub(super) fn quantifier(token: &Token<'_>, next: &Token<'_>) -> Option<Vec<Operator>> {
    if token.kind != TokenKind::Word {
        return None;
    }
    let path = |exists| Operator::Path { exists };
    let is_before = match next.kind {
        TokenKind::Quoted => true,
        TokenKind::Word => Operator::binary(next, true).is_none(),
        TokenKind::Sign => next.is("(") || next.is("!"),
        TokenKind::End => false,
    };
    Some(match token.text {
        "A" | "E" if is_before => vec![path(token.text == "E")],
        "ALLPATH" | "EXPATH" => vec![path(token.text == "EXPATH")],
        "REACHABLE" => vec![path(true), Operator::Finally],
        "INVARIANT" => vec![path(false), Operator::Globally],
        "IMPOSSIBLE" => vec![path(false), Operator::Globally, Operator::Not],
        word if word.len() == 2 || is_before => {
            let (pairs, []) = word.as_bytes().as_chunks::<2>() else { return None };
            let mut operators = Vec::with_capacity(word.len());
            for [quantifier, letter] in pairs {
                operators.push(match quantifier {
                    b'A' | b'E' => path(*quantifier == b'E'),
                    _ => return None,
                });
                operators.push(match letter {
                    b'X' => Operator::Next,
                    b'G' => Operator::Globally,
                    b'F' => Operator::Finally,
                    _ => return None,
                });
            }
            operators
        }
        _ => return None,
    })
}

pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    subject: Subject<'a>,
    places: NodeNames<'a, PlaceId>,
    transitions: NodeNames<'a, TransitionId>,
    phi: Phi,
    /// True if temporal operators and quantifiers over paths are allowed.
    is_temporal: bool,
    /// The number of places and transitions that may still be named. The name of a family counts its members.
    left: usize,
    values: Vec<Value>,
    operators: Vec<(Operator, Token<'a>)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(lexer: Lexer<'a>, subject: Subject<'a>) -> Self {
        let (places, transitions) = (subject.places(), subject.transitions());
        let (phi, values, operators) = (Phi::default(), Vec::new(), Vec::new());
        let (left, is_temporal) = (lexer.limits.formula_nodes, false);
        Self { lexer, subject, places, transitions, phi, is_temporal, left, values, operators }
    }

    /// Allows temporal operators and quantifiers over paths.
    pub(super) fn temporal(self) -> Self {
        Self { is_temporal: true, ..self }
    }

    /// Parses a sum up to the end of the text.
    pub(super) fn sum(&mut self) -> Res<Sum> {
        let end = self.parse()?;
        match self.values.pop() {
            Some(Value::Sum(sum)) => Ok(sum),
            _ => {
                let error = self.lexer.text.error(&codes::LOLA_TYPE, end.span, "a statement is not a sum");
                Err(error.label("expected a sum of token counts before this"))
            }
        }
    }

    /// Parses the formula up to the end of the text.
    pub(super) fn formula(&mut self) -> Res<Phi> {
        let end = self.parse()?;
        self.finish(&end)
    }

    /// Parses up to the end of the text, and returns the token at the end.
    fn parse(&mut self) -> Res<Token<'a>> {
        let mut depth = 0usize;
        loop {
            // Before an operand.
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
            let next = self.lexer.peek()?;
            if let Some(operators) = Operator::prefix(&token, &next, self.is_temporal) {
                self.operators.extend(operators.into_iter().map(|operator| (operator, token.clone())));
                continue;
            }
            let value = self.operand(&token)?;
            self.values.push(value);
            // After an operand: closing brackets, then an operator or the end.
            loop {
                let token = self.lexer.take()?;
                if token.is(")") && depth > 0 {
                    depth -= 1;
                    self.reduce(1)?;
                    self.operators.pop();
                } else if let Some(operator) = Operator::binary(&token, self.is_temporal) {
                    // Implications and `U` associate to the right.
                    let right = u8::from((2..=3).contains(&operator.strength()));
                    self.reduce(operator.strength() + right)?;
                    self.operators.push((operator, token));
                    break;
                } else if depth == 0 && (token.kind == TokenKind::End || (token.is(";") && self.at_end()?)) {
                    self.reduce(1)?;
                    return Ok(token);
                } else {
                    return Err(self
                        .lexer
                        .unexpected(&token, if depth > 0 { "an operator or `)`" } else { "an operator" }));
                }
            }
        }
    }

    fn at_end(&mut self) -> Res<bool> {
        Ok(self.lexer.peek()?.kind == TokenKind::End)
    }

    fn finish(&mut self, end: &Token<'a>) -> Res<Phi> {
        let whole = self.values.pop().map(|value| self.holds(value));
        match whole {
            // The root is the last node: the outermost operator, or a value without operators, was pushed last.
            Some(Value::Operand(_)) => Ok(std::mem::take(&mut self.phi)),
            _ => {
                let error = self.lexer.text.error(&codes::LOLA_TYPE, end.span.clone(), "a number is not a formula");
                Err(error.label("expected a comparison before this"))
            }
        }
    }

    /// Applies the waiting operators that bind at least as tightly as `strength`.
    fn reduce(&mut self, strength: u8) -> Res<()> {
        while self.operators.last().is_some_and(|(op, _)| op.strength() >= strength) {
            if let Some((operator, token)) = self.operators.pop() {
                self.apply(operator, &token)?;
            }
        }
        Ok(())
    }

    fn apply(&mut self, operator: Operator, token: &Token<'a>) -> Res<()> {
        let mut right = self.values.pop();
        if operator.connects() {
            right = right.map(|value| self.holds(value));
        }
        if matches!(operator.strength(), 7 | 11) {
            let value = match (operator, right) {
                (Operator::Not, Some(Value::Operand(part))) => Value::Operand(self.phi.push(Op::Not(part))),
                (Operator::Next, Some(Value::Operand(part))) => Value::Operand(self.phi.push(Op::Next(part))),
                (Operator::Globally, Some(Value::Operand(part))) => Value::Operand(self.phi.push(Op::Globally(part))),
                (Operator::Finally, Some(Value::Operand(part))) => Value::Operand(self.phi.push(Op::Finally(part))),
                (Operator::Path { exists }, Some(Value::Operand(of))) => {
                    self.phi.is_apart |= matches!(token.text, "A" | "E" | "ALLPATH" | "EXPATH");
                    Value::Operand(self.phi.push(Op::Path { exists, of }))
                }
                (Operator::Negative, Some(Value::Sum(sum))) => Value::Sum(Sum::default().plus(sum, true)),
                (Operator::Negative, Some(Value::Number(sum))) => Value::Number(Sum::default().plus(sum, true)),
                _ => return Err(self.wrong_type(token)),
            };
            self.values.push(value);
            return Ok(());
        }
        let mut left = self.values.pop();
        if operator.connects() {
            left = left.map(|value| self.holds(value));
        }
        let has_variables = [&left, &right].into_iter().any(|value| matches!(value, Some(Value::Number(_))));
        let value = match (left, right) {
            (Some(Value::Operand(a)), Some(Value::Operand(b))) => self.connect(operator, a, b),
            (Some(Value::Sum(a) | Value::Number(a)), Some(Value::Sum(b) | Value::Number(b))) => {
                self.calculate(operator, a, b, token)?
            }
            _ => None,
        };
        let value = value.map(|value| match value {
            Value::Sum(sum) if has_variables => Value::Number(sum),
            value => value,
        });
        self.values.push(value.ok_or_else(|| self.wrong_type(token))?);
        Ok(())
    }

    /// In formulas about a program, a sum that is only a thread state is converted to the statement that the
    /// thread is in this state.
    fn holds(&mut self, value: Value) -> Value {
        match (value, self.subject) {
            (Value::Sum(mut sum), Subject::Program(_))
                if sum.constant == BigInt::ZERO
                    && sum.products.is_empty()
                    && matches!(&sum.terms[..], [(_, one)] if *one == BigInt::from(1)) =>
            {
                sum.constant = BigInt::from(-1);
                Value::Operand(self.phi.push(Op::Compare(Box::new(sum), Compare::AtLeast)))
            }
            (value, _) => value,
        }
    }

    fn connect(&mut self, operator: Operator, a: OperandId, b: OperandId) -> Option<Value> {
        let op = match operator {
            Operator::And => self.phi.chain(a, b, true),
            Operator::Or => self.phi.chain(a, b, false),
            Operator::Implies => {
                let not = self.phi.push(Op::Not(a));
                Op::Any(vec![not, b])
            }
            Operator::Equivalent => Op::Same(a, b),
            Operator::Until => Op::Until(a, b),
            Operator::WeakUntil => Op::WeakUntil(a, b),
            Operator::Release => Op::Release(a, b),
            Operator::Xor => {
                let same = self.phi.push(Op::Same(a, b));
                Op::Not(same)
            }
            _ => return None,
        };
        Some(Value::Operand(self.phi.push(op)))
    }

    fn calculate(&mut self, operator: Operator, a: Sum, b: Sum, token: &Token<'a>) -> Res<Option<Value>> {
        Ok(match operator {
            Operator::Compare(compare) => {
                let compared = self.phi.compare(a.plus(b, true), compare);
                Some(Value::Operand(compared.map_err(|why| self.unsupported(why, token))?))
            }
            Operator::Plus => Some(Value::Sum(a.plus(b, false))),
            Operator::Minus => Some(Value::Sum(a.plus(b, true))),
            Operator::Times => Some(Value::Sum(a.times(b).map_err(|why| self.unsupported(why, token))?)),
            _ => None,
        })
    }

    fn unsupported(&self, why: Unsupported, token: &Token<'a>) -> Box<Error> {
        let (message, hint) = why.words();
        self.lexer.text.error(&codes::LOLA_TYPE, token.span.clone(), message).label("not supported").hint(hint)
    }

    fn wrong_type(&self, token: &Token<'a>) -> Box<Error> {
        let message = format!("the operands of `{}` are of the wrong kind", printable(token.text));
        let error = self.lexer.text.error(&codes::LOLA_TYPE, token.span.clone(), message).label("this operator");
        error.hint("numbers are added and compared; comparisons are connected by AND, OR, NOT")
    }

    fn operand(&mut self, token: &Token<'a>) -> Res<Value> {
        if token.kind == TokenKind::Word {
            match token.text {
                "TRUE" | "FALSE" => return Ok(Value::Operand(self.phi.push(Op::Constant(token.text == "TRUE")))),
                "DEADLOCK" => return Ok(Value::Operand(self.phi.push(Op::Deadlock))),
                "FIREABLE" | "is-fireable" => {
                    let names = self.names()?;
                    let noun = self.subject.nouns()[2];
                    let mut of = Vec::new();
                    for name in &names {
                        let named = self.look_up(&self.transitions, noun, name)?;
                        self.left = self.lexer.spend(self.left, named.members().len(), name)?;
                        of.extend_from_slice(named.members());
                    }
                    return Ok(Value::Operand(self.phi.push(Op::Fireable(of))));
                }
                "tokens" | "tokens-count" if self.lexer.peek()?.is("(") => {
                    let names = self.names()?;
                    let mut sum = Sum::default();
                    for name in &names {
                        sum.terms.extend(self.tokens(name)?.terms);
                    }
                    return Ok(Value::Sum(sum));
                }
                word if word.bytes().all(|b| b.is_ascii_digit()) => {
                    let (text, limits) = (self.lexer.text, self.lexer.limits);
                    let number = natural(text, limits, &codes::LOLA_NUMBER, word, token.span.clone())?;
                    return Ok(Value::Sum(Sum::constant(number.into())));
                }
                word if is_temporal_word(word) => return Err(not_reachability(self.lexer.text, token)),
                _ => {}
            }
        }
        if !matches!(token.kind, TokenKind::Word | TokenKind::Quoted) {
            return Err(self.lexer.unexpected(token, "a place, a number or `(`"));
        }
        if let Subject::Program(program) = self.subject
            && token.kind == TokenKind::Word
            && let Some(variable) = program.variable(token.text)
        {
            return self.variable(program, variable, token);
        }
        Ok(Value::Sum(self.tokens(token)?))
    }

    /// Returns the value of a variable as a sum over the local states of its thread: exactly one of them has a token. A
    /// variable with names as values is compared with one of them, or is a statement by itself.
    fn variable(&mut self, program: &'a Program, variable: &'a Variable, name: &Token<'a>) -> Res<Value> {
        if variables::is_state(program, variable) {
            return Err(variables::ambiguous(self.lexer.text, name.span.clone(), name.text));
        }
        let Some(values) = &variable.at else {
            return Err(variables::not_kept(self.lexer.text, name.span.clone(), name.text));
        };
        self.left = self.lexer.spend(self.left, values.len(), name)?;
        let threads = &program.threads()[..variable.thread.index()];
        let first: usize = threads.iter().map(|thread| thread.states.len()).sum();
        if !variables::has_names(variable) {
            let terms = values.iter().enumerate().map(|(state, value)| (PlaceId::new(first + state), (*value).into()));
            return Ok(Value::Number(Sum { terms: terms.collect(), ..Sum::default() }));
        }
        let sign = self.lexer.peek()?;
        let wanted = match sign.text {
            "=" | "==" | "!=" | "<>" | "#" if sign.kind == TokenKind::Sign => {
                self.lexer.take()?;
                let value = self.lexer.take()?;
                let number = variables::named(self.lexer.text, variable, (value.text, value.span.clone()))?;
                (number, sign.text.starts_with('='))
            }
            _ => (variables::truth(self.lexer.text, variable, (name.text, name.span.clone()))?, true),
        };
        let states = variable.states(|value| (value == wanted.0) == wanted.1);
        let places: Vec<PlaceId> = states.map(|state| PlaceId::new(first + state.index())).collect();
        Ok(Value::Operand(self.phi.push(match places.is_empty() {
            true => Op::Constant(false),
            false => {
                let sum = Sum { constant: BigInt::from(-1), ..Sum::of_places(&places) };
                Op::Compare(Box::new(sum), Compare::AtLeast)
            }
        })))
    }

    /// Returns the number of tokens of the place with this name, or of all places of the family.
    fn tokens(&mut self, name: &Token<'a>) -> Res<Sum> {
        let named = self.look_up(&self.places, self.subject.nouns()[1], name)?;
        if let (Subject::Program(program), [place]) = (self.subject, named.members()) {
            self.check_state(program, *place, name)?;
        }
        self.left = self.lexer.spend(self.left, named.members().len(), name)?;
        Ok(Sum::of_places(named.members()))
    }

    /// Refuses the name of a state that stands for another one without the variables of the questions.
    fn check_state(&self, program: &Program, place: PlaceId, name: &Token<'a>) -> Res<()> {
        let mut first = 0;
        for (number, thread) in program.threads().iter().enumerate() {
            if let Some(state) = place.index().checked_sub(first).and_then(|at| thread.states.get(at))
                && variables::is_moved(program, ThreadId::new(number), &state.name)
            {
                let [why, hint] = variables::MOVED;
                let error =
                    self.lexer.text.error(&codes::ASK_VARIABLE, name.span.clone(), format!("`{}` {why}", name.text));
                return Err(error.label("a state").hint(hint));
            }
            first += thread.states.len();
        }
        Ok(())
    }

    /// Parses names in brackets: `(a, b)`.
    fn names(&mut self) -> Res<Vec<Token<'a>>> {
        self.lexer.expect("(")?;
        let mut names = vec![self.lexer.take()?];
        while self.lexer.accept(",")? {
            names.push(self.lexer.take()?);
        }
        self.lexer.expect(")")?;
        Ok(names)
    }

    fn look_up<T: Copy>(&self, known: &NodeNames<'a, T>, what: &str, token: &Token<'a>) -> Res<Named<'a, T>> {
        known.get(token.text).ok_or_else(|| {
            let whole = self.subject.nouns()[0];
            let message = format!("the {whole} has no {what} `{}`", printable(token.text));
            let error = self.lexer.text.error(&codes::LOLA_UNKNOWN, token.span.clone(), message);
            let error = error.label(format!("not in the {whole}"));
            let mut names: Vec<&str> = known.texts().collect();
            names.sort_unstable();
            let is_event = |program: &Program| program.events().iter().any(|event| event == token.text);
            match suggest::nearest(token.text, names) {
                _ if matches!(self.subject, Subject::Program(program) if is_event(program)) => error.hint(
                    "a formula about events has no quantifier over runs: `G a` instead of `AG a`, and `FIREABLE(a)` in \
                     a formula about states",
                ),
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None if matches!(self.subject, Subject::Program(_)) => {
                    error.hint("a thread and one of its states are written `Thread.state`, as in `Phil[0].L1`")
                }
                None if token.text.contains('-') => {
                    error.hint("in formulas `-` is part of a name unless there are blanks around it")
                }
                None => match suggest::nearest(token.text, Global::WORDS.map(|(word, _)| word)) {
                    Some(word) => {
                        error.hint(format!("did you mean `{word}`, a question about the {whole} as a whole?"))
                    }
                    None => error.hint("`impasse draw` shows all names"),
                },
            }
        })
    }
}

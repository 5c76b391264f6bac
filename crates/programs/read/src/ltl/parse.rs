//! Parser for one temporal formula: operator precedence with two stacks, so that nesting needs only memory on
//! the heap. The published files bracket every binary operator. Where brackets are missing, `&` binds tighter
//! than `|`, `|` binds tighter than `U`, `WU` and `R`, and these bind tighter than `->` and `<->`. All but `&` and `|`
//! associate to the right, as in Spin and LTSmin. Equal subformulas become one node.

use super::arguments::name_length;
use super::names::Names;
use formats::error::{Error, Text, printable};
use formats::{codes, variables};
use logos::Logos;
use model::{Letter, Ltl, LtlBuilder, LtlId, LtlNode, Variable};
use std::ops::Range;

#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(skip r"[ \t\r\n]+")]
enum Tok {
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("!")]
    Not,
    #[token("&")]
    #[token("&&")]
    And,
    #[token("|")]
    #[token("||")]
    Or,
    #[token("->")]
    Implies,
    #[token("<->")]
    Iff,
    #[token("X")]
    Next,
    #[token("G")]
    Globally,
    #[token("F")]
    Finally,
    #[token("U")]
    Until,
    #[token("WU")]
    #[token("W")]
    WeakUntil,
    #[token("R")]
    Release,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[regex("[A-Za-z_][A-Za-z_0-9]*", priority = 1)]
    Name,
    #[regex("\"[^\"]*\"")]
    Quoted,
}

/// Signs of other languages of formulas.
const SIGNS: &[(&str, &str)] = &[
    ("[]", "G"),
    ("<>", "F"),
    ("~", "!"),
    ("=>", "->"),
    ("/\\", "&"),
    ("\\/", "|"),
    ("¬", "!"),
    ("∧", "&"),
    ("∨", "|"),
];

#[derive(Clone, Copy, Debug)]
enum Waiting {
    Parenthesis(usize),
    Unary(Tok),
    Binary(Tok),
}

/// Returns how tightly a binary operator binds; larger numbers bind tighter.
fn tightness(tok: Tok) -> Option<u8> {
    match tok {
        Tok::Iff => Some(1),
        Tok::Implies => Some(2),
        Tok::Until | Tok::WeakUntil | Tok::Release => Some(3),
        Tok::Or => Some(4),
        Tok::And => Some(5),
        _ => None,
    }
}

/// Parses the formula in this range of the text. `names` has the letters of its propositions.
pub(super) fn formula(text: Text<'_>, range: Range<usize>, names: &Names<'_>) -> Result<Ltl, Box<Error>> {
    let parser = Parser {
        text,
        lexer: Tok::lexer(&text.text[range.clone()]),
        from: range.start,
        end: range.end,
        names,
        nodes: LtlBuilder::default(),
        operands: Vec::new(),
        waiting: Vec::new(),
    };
    parser.run()
}

struct Parser<'a> {
    text: Text<'a>,
    lexer: logos::Lexer<'a, Tok>,
    from: usize,
    end: usize,
    names: &'a Names<'a>,
    nodes: LtlBuilder,
    operands: Vec<LtlId>,
    waiting: Vec<Waiting>,
}

impl Parser<'_> {
    fn next(&mut self) -> Result<Option<Tok>, Box<Error>> {
        match self.lexer.next() {
            None => Ok(None),
            Some(Ok(tok)) => Ok(Some(tok)),
            Some(Err(())) => {
                let at = self.span().start;
                let rest = &self.text.text[at..self.end];
                let c = rest.chars().next().unwrap_or(' ');
                if c == '"' {
                    let error = self.text.error(&codes::LTL_SYNTAX, at..at + 1, "the quote is never closed");
                    return Err(error.label("opened here"));
                }
                let message = format!("`{}` means nothing in a formula", printable(&c.to_string()));
                let error = self.text.error(&codes::LTL_SYNTAX, at..at + c.len_utf8(), message);
                let error = error.label("unexpected character");
                let sign = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign));
                Err(match sign {
                    Some((sign, word)) => error.hint(format!("write `{word}` for `{sign}`")),
                    None => error,
                })
            }
        }
    }

    fn span(&self) -> Range<usize> {
        let span = self.lexer.span();
        self.from + span.start..self.from + span.end
    }

    fn run(mut self) -> Result<Ltl, Box<Error>> {
        let mut wants_operand = true;
        while let Some(tok) = self.next()? {
            if wants_operand {
                wants_operand = self.begin(tok)?;
                continue;
            }
            match tok {
                Tok::Close => {
                    self.reduce(0);
                    let Some(Waiting::Parenthesis(_)) = self.waiting.pop() else {
                        let error = self.text.error(&codes::LTL_SYNTAX, self.span(), "there is no bracket to close");
                        return Err(error.label("unexpected"));
                    };
                }
                _ => match tightness(tok) {
                    // Of operators that associate to the right, only waiting operators that bind tighter are applied.
                    Some(least) => {
                        let is_right = !matches!(tok, Tok::And | Tok::Or);
                        self.reduce(if is_right { least + 1 } else { least });
                        self.waiting.push(Waiting::Binary(tok));
                        wants_operand = true;
                    }
                    None => {
                        return Err(self.unexpected(match self.is_in_bracket() {
                            true => "`&`, `|`, `U`, `WU`, `R`, `->`, `<->` or `)`",
                            false => "`&`, `|`, `U`, `WU`, `R`, `->` or `<->`",
                        }));
                    }
                },
            }
        }
        if wants_operand {
            let error = self.text.error(&codes::LTL_SYNTAX, self.end..self.end, "the formula ends too early");
            return Err(error.label("expected an operand"));
        }
        self.reduce(0);
        if let Some(Waiting::Parenthesis(at)) = self.waiting.last() {
            let error = self.text.error(&codes::LTL_SYNTAX, *at..*at + 1, "the bracket is never closed");
            return Err(error.label("opened here"));
        }
        Ok(self.rooted())
    }

    /// Handles a token where an operand should begin. Returns true if an operand is still needed.
    fn begin(&mut self, tok: Tok) -> Result<bool, Box<Error>> {
        let id = match tok {
            Tok::Open => {
                self.waiting.push(Waiting::Parenthesis(self.span().start));
                return Ok(true);
            }
            Tok::Not | Tok::Next | Tok::Globally | Tok::Finally => {
                self.waiting.push(Waiting::Unary(tok));
                return Ok(true);
            }
            Tok::True | Tok::False => {
                if let Names::Program(program) = self.names {
                    let word = self.lexer.slice();
                    program.unambiguous(word).map_err(|why| why.at(self.text, self.span(), word))?;
                }
                self.nodes.node(LtlNode::Constant(tok == Tok::True))
            }
            Tok::Name | Tok::Quoted => self.proposition(tok)?,
            _ => return Err(self.unexpected("a proposition, `(`, `!`, `X`, `G` or `F`")),
        };
        self.operands.push(id);
        Ok(false)
    }

    fn is_in_bracket(&self) -> bool {
        self.waiting.iter().any(|waiting| matches!(waiting, Waiting::Parenthesis(_)))
    }

    fn unexpected(&self, expected: &str) -> Box<Error> {
        let found = printable(self.lexer.slice());
        let error = self.text.error(&codes::LTL_SYNTAX, self.span(), format!("expected {expected}, found `{found}`"));
        error.label("unexpected")
    }

    /// Parses the current name, and what belongs to it, as a proposition.
    fn proposition(&mut self, tok: Tok) -> Result<LtlId, Box<Error>> {
        let program = match self.names {
            Names::Program(program) => program,
            Names::Reactive if tok == Tok::Quoted => return Err(self.unexpected("a proposition")),
            Names::Reactive => {
                let letter = self.letter()?;
                return Ok(self.nodes.letter(letter));
            }
        };
        if tok == Tok::Name {
            self.lexer.bump(name_length(self.lexer.remainder()));
        }
        let name = self.lexer.slice();
        if tok == Tok::Name
            && let Some((variable, is_state)) = program.variable(name)
        {
            return self.variable(variable, is_state, name);
        }
        let letters = program.letters(name).map_err(|why| why.at(self.text, self.span(), name))?;
        let ids: Vec<LtlId> = letters.into_iter().map(|letter| self.nodes.letter(letter)).collect();
        Ok(self.nodes.join(true, ids))
    }

    /// Parses what is said about a variable: the thread is in one of the states in which it holds.
    fn variable(&mut self, variable: &Variable, is_state: bool, name: &str) -> Result<LtlId, Box<Error>> {
        let span = self.span();
        if is_state {
            return Err(variables::ambiguous(self.text, span, name));
        }
        let rest = self.lexer.remainder();
        let (states, length) = variables::states(self.text, variable, (name, span), rest)?;
        self.lexer.bump(length);
        let letter = |state| Letter::State(variable.thread, state);
        let ids: Vec<LtlId> = states.into_iter().map(|state| self.nodes.letter(letter(state))).collect();
        Ok(self.nodes.join(true, ids))
    }

    /// Parses the current name as a proposition: `iA`, `oZ`, or with numbers `i3`, `o26`.
    fn letter(&self) -> Result<Letter, Box<Error>> {
        let name = self.lexer.slice();
        let (kind, rest) = name.split_at(1);
        let value = match rest.as_bytes() {
            [c @ b'A'..=b'Z'] => Some(i32::from(c - b'A') + 1),
            [b'0'..=b'9', ..] => rest.parse().ok(),
            _ => None,
        };
        match (kind, value) {
            ("i", Some(value)) => Ok(Letter::Input(value)),
            ("o", Some(value)) => Ok(Letter::Output(value)),
            _ => {
                let message = format!("`{}` is not a proposition", printable(name));
                let error = self.text.error(&codes::LTL_PROPOSITION, self.span(), message);
                Err(error.label("expected `iA` for an input or `oZ` for an output"))
            }
        }
    }

    /// Applies the waiting operators that bind at least as tightly as `least`. Unary operators bind tightest.
    fn reduce(&mut self, least: u8) {
        while let Some(&waiting) = self.waiting.last() {
            let top = |p: &mut Self| p.operands.pop().unwrap_or(LtlId(0));
            let node = match waiting {
                Waiting::Parenthesis(_) => return,
                Waiting::Binary(tok) if tightness(tok).unwrap_or(0) < least => return,
                Waiting::Unary(tok) => {
                    let a = top(self);
                    match tok {
                        Tok::Not => LtlNode::Not(a),
                        Tok::Next => LtlNode::Next(a),
                        Tok::Globally => LtlNode::Globally(a),
                        _ => LtlNode::Finally(a),
                    }
                }
                Waiting::Binary(tok) => {
                    let b = top(self);
                    let a = top(self);
                    match tok {
                        Tok::And => LtlNode::And(a, b),
                        Tok::Or => LtlNode::Or(a, b),
                        Tok::Implies => LtlNode::Or(self.nodes.node(LtlNode::Not(a)), b),
                        Tok::Iff => {
                            let neither = [a, b].map(|id| self.nodes.node(LtlNode::Not(id)));
                            let both = self.nodes.join(false, [a, b]);
                            LtlNode::Or(both, self.nodes.join(false, neither))
                        }
                        Tok::Until => LtlNode::Until(a, b),
                        Tok::WeakUntil => LtlNode::WeakUntil(a, b),
                        _ => LtlNode::Release(a, b),
                    }
                }
            };
            self.waiting.pop();
            let id = self.nodes.node(node);
            self.operands.push(id);
        }
    }

    fn rooted(self) -> Ltl {
        debug_assert_eq!(self.operands.len(), 1, "each operator has its operands");
        self.nodes.finish(self.operands[0])
    }
}

//! Parser for one temporal formula: operator precedence with two stacks, so that nesting needs only memory on
//! the heap. The published files bracket every binary operator. Where brackets are missing, `&` binds tighter
//! than `|`, `|` binds tighter than `U`, `WU` and `R`, and these three associate to the right, as in Spin and
//! LTSmin. Equal subformulas become one node.

use crate::codes;
use crate::error::{Error, Text, printable};
use hashbrown::HashMap;
use logos::Logos;
use model::{Letter, Ltl, LtlId, LtlNode};
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
}

#[derive(Clone, Copy, Debug)]
enum Waiting {
    Parenthesis(usize),
    Unary(Tok),
    Binary(Tok),
}

/// Returns how tightly a binary operator binds; larger numbers bind tighter.
fn tightness(tok: Tok) -> Option<u8> {
    match tok {
        Tok::Until | Tok::WeakUntil | Tok::Release => Some(1),
        Tok::Or => Some(2),
        Tok::And => Some(3),
        _ => None,
    }
}

/// Parses the formula in this range of the text.
pub(super) fn formula(text: Text<'_>, range: Range<usize>) -> Result<Ltl, Box<Error>> {
    let parser = Parser {
        text,
        lexer: Tok::lexer(&text.text[range.clone()]),
        from: range.start,
        end: range.end,
        nodes: Vec::new(),
        known: HashMap::new(),
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
    nodes: Vec<LtlNode>,
    known: HashMap<LtlNode, LtlId>,
    operands: Vec<LtlId>,
    waiting: Vec<Waiting>,
}

impl Parser<'_> {
    fn next(&mut self) -> Result<Option<Tok>, Box<Error>> {
        match self.lexer.next() {
            None => Ok(None),
            Some(Ok(tok)) => Ok(Some(tok)),
            Some(Err(())) => {
                let c = self.text.text[self.span().start..].chars().next().unwrap_or(' ');
                let message = format!("`{}` means nothing in a formula", printable(&c.to_string()));
                Err(self.text.error(&codes::LTL_SYNTAX, self.span(), message).label("unexpected character"))
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
                    // Temporal operators associate to the right, so only waiting operators that bind tighter are
                    // applied.
                    Some(least) => {
                        self.reduce(if least == 1 { 2 } else { least });
                        self.waiting.push(Waiting::Binary(tok));
                        wants_operand = true;
                    }
                    None => return Err(self.unexpected("`&`, `|`, `U`, `WU`, `R` or `)`")),
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
        let node = match tok {
            Tok::Open => {
                self.waiting.push(Waiting::Parenthesis(self.span().start));
                return Ok(true);
            }
            Tok::Not | Tok::Next | Tok::Globally | Tok::Finally => {
                self.waiting.push(Waiting::Unary(tok));
                return Ok(true);
            }
            Tok::True => LtlNode::Constant(true),
            Tok::False => LtlNode::Constant(false),
            Tok::Name => LtlNode::Letter(self.letter()?),
            _ => return Err(self.unexpected("a proposition, `(`, `!`, `X`, `G` or `F`")),
        };
        let id = self.node(node);
        self.operands.push(id);
        Ok(false)
    }

    fn unexpected(&self, expected: &str) -> Box<Error> {
        let found = printable(self.lexer.slice());
        let error = self.text.error(&codes::LTL_SYNTAX, self.span(), format!("expected {expected}, found `{found}`"));
        error.label("unexpected")
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

    fn node(&mut self, node: LtlNode) -> LtlId {
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            LtlId::new(nodes.len() - 1)
        })
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
                        Tok::Until => LtlNode::Until(a, b),
                        Tok::WeakUntil => LtlNode::WeakUntil(a, b),
                        _ => LtlNode::Release(a, b),
                    }
                }
            };
            self.waiting.pop();
            let id = self.node(node);
            self.operands.push(id);
        }
    }

    /// Returns the formula. Its root is the last node, because every operand is made before its operator.
    fn rooted(self) -> Ltl {
        debug_assert_eq!(self.operands, [LtlId::new(self.nodes.len() - 1)]);
        Ltl::new(self.nodes)
    }
}

//! The syntax tree of `.rwb` text of both versions, before anything is unrolled. Names borrow from the source, and
//! every node has its place. What only one version has is never in a tree of the other.
//!
//! Expressions are postfix code, so that a sum of a million terms is a long list and not a deep tree.

pub(super) use super::visible::Word;
pub(super) use formats::error::Span;
use model::Goal;
use num_bigint::BigInt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

/// An operation of an expression. `a && b` is `a`, `SkipIf(false, ..)`, `b`, `Binary(And)`: if `b` is evaluated, it is
/// the only operand of the operator, which makes it a truth value.
#[derive(Debug)]
pub(super) enum Op<'a> {
    Number(i64),
    /// A larger number. Version 2 has none.
    Big(Box<BigInt>),
    Truth(bool),
    Name(&'a str),
    /// Pops this many indices and pushes an element of an array.
    Element(&'a str, u32),
    Negate,
    Not,
    Binary(Binary),
    /// Pops a value. If its truth value equals the flag, pushes the flag and continues at this index.
    SkipIf(bool, u32),
}

/// An expression: operations in postfix order, each with its place.
#[derive(Debug)]
pub(super) struct Expr<'a> {
    pub(super) code: Box<[(Op<'a>, Span)]>,
    pub(super) span: Span,
}

/// A range of numbers. `to` belongs to it if `closed` is true.
#[derive(Debug)]
pub(super) struct Range<'a> {
    pub(super) from: Expr<'a>,
    pub(super) to: Expr<'a>,
    pub(super) closed: bool,
}

impl Range<'_> {
    pub(super) fn span(&self) -> Span {
        self.from.span.to(self.to.span)
    }
}

/// `NAME[expr]..`: a thread, a state, or an event with the sizes of its array.
#[derive(Debug)]
pub(super) struct Name<'a> {
    pub(super) base: Word<'a>,
    pub(super) indices: Box<[Expr<'a>]>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Type<'a> {
    pub(super) kind: TypeKind<'a>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum TypeKind<'a> {
    Int,
    Bool,
    Range(Range<'a>),
    Named(Word<'a>),
    /// An enum without a name: its values.
    Values(Vec<Word<'a>>),
}

/// The declaration of an event.
#[derive(Debug)]
pub(super) struct EventDecl<'a> {
    pub(super) name: Name<'a>,
    /// `e(x: T, y: U)`.
    pub(super) parameters: Option<Vec<(Word<'a>, Type<'a>)>>,
    /// True if the environment requests the event at any time.
    pub(super) is_external: bool,
    /// The place without `event`.
    pub(super) span: Span,
}

/// One argument of an event: what stands in a bracket.
#[derive(Debug)]
pub(super) enum Argument<'a> {
    /// `*`.
    Any,
    Range(Range<'a>),
    /// An expression, or a name to bind.
    One(Expr<'a>),
}

#[derive(Debug)]
pub(super) enum Set<'a> {
    All,
    None,
    /// A union.
    Union(Box<[Set<'a>]>),
    /// The first set minus the other sets.
    Minus(Box<[Set<'a>]>),
    /// An event or a named set. `arguments` is `None` without brackets.
    Named {
        name: Word<'a>,
        arguments: Option<Box<[Argument<'a>]>>,
        filter: Option<Box<Expr<'a>>>,
        span: Span,
    },
}

/// The events of a clause.
#[derive(Debug)]
pub(super) struct Events<'a> {
    pub(super) set: Set<'a>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct For<'a, T> {
    pub(super) variable: Word<'a>,
    pub(super) range: Range<'a>,
    pub(super) body: List<'a, T>,
}

/// `when` of version 1, and `if` of version 2.
#[derive(Debug)]
pub(super) struct If<'a, T> {
    pub(super) condition: Expr<'a>,
    pub(super) then: List<'a, T>,
    pub(super) otherwise: List<'a, T>,
}

/// An element of a list that may also be a `for` or a condition over such elements.
#[derive(Debug)]
pub(super) enum Node<'a, T> {
    Plain(T),
    For(Box<For<'a, T>>),
    If(Box<If<'a, T>>),
    /// An element with an error, which has been recorded.
    Broken,
}

/// A list of items, members, clauses or acts.
pub(super) type List<'a, T> = Vec<Node<'a, T>>;

#[derive(Debug)]
pub(super) enum Item<'a> {
    Const(Word<'a>, Expr<'a>),
    Enum(Word<'a>, Vec<Word<'a>>),
    Events(Vec<EventDecl<'a>>),
    Set(Word<'a>, Events<'a>),
    Check(Vec<(Goal, Span)>),
    Thread(Name<'a>, List<'a, Member<'a>>),
    Assume(Assume<'a>),
    /// `const NAME = *`: a number that is left open.
    Any(Word<'a>),
    Class(Class<'a>),
}

/// `assume ..`: an assumption about violating runs.
#[derive(Debug)]
pub(super) struct Assume<'a> {
    pub(super) claim: Claim<'a>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum Claim<'a> {
    /// At least one of these comparisons holds for the length.
    Length(Vec<LengthAtom<'a>>),
    /// The thread ends in one of these states.
    End(Name<'a>, Vec<Name<'a>>),
}

/// A comparison of `length`, or of its remainder, with a number.
#[derive(Debug)]
pub(super) struct LengthAtom<'a> {
    pub(super) modulus: Option<Expr<'a>>,
    pub(super) compare: Compare,
    pub(super) right: Expr<'a>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compare {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
}

/// `class base[index] count { members }`: one thread for each index.
#[derive(Debug)]
pub(super) struct Class<'a> {
    pub(super) base: Word<'a>,
    pub(super) index: Word<'a>,
    pub(super) count: Expr<'a>,
    pub(super) members: List<'a, Member<'a>>,
}

#[derive(Debug)]
pub(super) enum Member<'a> {
    Var(Box<Var<'a>>),
    Init(Vec<Name<'a>>),
    State(Name<'a>, List<'a, Clause<'a>>),
    Body(Span, List<'a, Act<'a>>),
}

#[derive(Debug)]
pub(super) struct Var<'a> {
    pub(super) name: Name<'a>,
    pub(super) kind: Type<'a>,
    pub(super) initial: Option<Value<'a>>,
}

/// The right side of an assignment.
#[derive(Debug)]
pub(super) enum Value<'a> {
    One(Expr<'a>),
    /// `*`: any value of the type.
    Any(Span),
}

/// A clause of a state.
#[derive(Debug)]
pub(super) enum Clause<'a> {
    Request(Events<'a>),
    Block(Events<'a>),
    On(Events<'a>, Vec<Name<'a>>),
    /// The priority of the requests.
    Priority(Expr<'a>),
    Bad,
    /// The thread may end here.
    Final,
    Hot,
}

/// The clauses of a sync, without its branches.
#[derive(Default, Debug)]
pub(super) struct Sync<'a> {
    pub(super) request: Option<Events<'a>>,
    pub(super) wait: Option<Events<'a>>,
    pub(super) block: Option<Events<'a>>,
    pub(super) interrupt: Option<Events<'a>>,
    pub(super) priority: Option<Expr<'a>>,
    pub(super) is_final: bool,
    pub(super) is_hot: bool,
    pub(super) span: Span,
}

/// `on request events { acts }`.
#[derive(Debug)]
pub(super) struct Branch<'a> {
    pub(super) requests: bool,
    pub(super) events: Events<'a>,
    pub(super) acts: List<'a, Act<'a>>,
}

#[derive(Debug)]
pub(super) enum Act<'a> {
    Sync(Box<Sync<'a>>),
    Select(Box<Sync<'a>>, Vec<Branch<'a>>),
    Assign(Name<'a>, Value<'a>),
    While(Expr<'a>, List<'a, Act<'a>>),
    Loop(Span, List<'a, Act<'a>>),
    Repeat(Expr<'a>, List<'a, Act<'a>>),
    Choose(Vec<List<'a, Act<'a>>>),
    Assert(Expr<'a>),
    Bad(Span),
    End(Span),
    /// A proper end (`final`).
    Final(Span),
    Break(Span),
    Continue(Span),
}

impl Act<'_> {
    /// Returns the place of the act for errors and warnings.
    pub(super) fn place(&self) -> Span {
        match self {
            Act::Sync(sync) | Act::Select(sync, _) => sync.span,
            Act::Assign(name, value) => match value {
                Value::One(expr) => name.span.to(expr.span),
                Value::Any(span) => name.span.to(*span),
            },
            Act::While(expr, _) | Act::Repeat(expr, _) | Act::Assert(expr) => expr.span,
            Act::Bad(span) | Act::End(span) | Act::Final(span) => *span,
            Act::Break(span) | Act::Continue(span) | Act::Loop(span, _) => *span,
            Act::Choose(ways) => ways.iter().flatten().find_map(Node::place).unwrap_or_default(),
        }
    }
}

impl Node<'_, Act<'_>> {
    /// Returns the place of the act for errors and warnings.
    pub(super) fn place(&self) -> Option<Span> {
        match self {
            Node::Plain(act) => Some(act.place()),
            Node::For(inner) => Some(inner.variable.span),
            Node::If(inner) => Some(inner.condition.span),
            Node::Broken => None,
        }
    }
}

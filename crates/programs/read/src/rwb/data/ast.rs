//! The syntax tree of version 2, before anything is unrolled. Expressions are postfix code as in version 1, so that a
//! long sum is no deep tree.

pub(super) use crate::rwb::ast::Word;
pub(super) use crate::rwb::expr::Binary;
use formats::error::Span;
use model::Goal;

/// An operation of an expression in postfix order.
#[derive(Clone, Debug)]
pub(super) enum Op<'a> {
    Number(i64),
    Truth(bool),
    Name(&'a str),
    /// Pops this many indices and pushes an element of an array.
    Element(&'a str, usize),
    Negate,
    Not,
    Binary(Binary),
    /// Keeps the value on the stack and jumps to this index if its truth value equals the flag. Otherwise drops it.
    SkipIf(bool, usize),
}

#[derive(Clone, Debug)]
pub(super) struct Expr<'a> {
    pub(super) code: Vec<(Op<'a>, Span)>,
    pub(super) span: Span,
}

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Type<'a> {
    Int,
    Bool,
    /// From the first number up to the second one, which belongs to the range if the flag is set.
    Range(Expr<'a>, Expr<'a>, bool),
    Named(Word<'a>),
    /// An enum without a name: its values.
    Values(Vec<Word<'a>>),
}

/// The declaration of an event.
#[derive(Clone, Debug)]
pub(super) struct EventDecl<'a> {
    pub(super) name: Word<'a>,
    pub(super) parameters: Parameters<'a>,
    /// True if the environment requests the event at any time.
    pub(super) is_external: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Parameters<'a> {
    /// `e[3][2]`: the sizes.
    Sizes(Vec<Expr<'a>>),
    /// `e(x: T, y: U)`.
    Typed(Vec<(Word<'a>, Type<'a>)>),
}

/// One argument of an event.
#[derive(Clone, Debug)]
pub(super) enum Argument<'a> {
    /// `*`.
    Any,
    Range(Expr<'a>, Expr<'a>, bool),
    /// An expression, or a name to bind.
    One(Expr<'a>),
}

/// A set of events.
#[derive(Clone, Debug)]
pub(super) enum Set<'a> {
    All,
    None,
    /// A union.
    Union(Vec<Set<'a>>),
    /// The first set minus the other sets.
    Minus(Vec<Set<'a>>),
    /// An event or a named set. `None` without brackets.
    Named {
        name: Word<'a>,
        arguments: Option<Vec<Argument<'a>>>,
        filter: Option<Expr<'a>>,
        span: Span,
    },
}

/// The events of a clause.
pub(super) type Events<'a> = Set<'a>;

/// `NAME[expr]..`.
#[derive(Clone, Debug)]
pub(super) struct Name<'a> {
    pub(super) base: Word<'a>,
    pub(super) indices: Vec<Expr<'a>>,
    pub(super) span: Span,
}

/// An element of a list, or a `for` or `if` over constants.
#[derive(Clone, Debug)]
pub(super) enum Node<'a, T> {
    Plain(T),
    For { variable: Word<'a>, from: Expr<'a>, to: Expr<'a>, closed: bool, body: Vec<Node<'a, T>> },
    If { condition: Expr<'a>, then: Vec<Node<'a, T>>, otherwise: Vec<Node<'a, T>> },
}

pub(super) type List<'a, T> = Vec<Node<'a, T>>;

#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    Const(Word<'a>, Expr<'a>),
    Enum(Word<'a>, Vec<Word<'a>>),
    Events(Vec<EventDecl<'a>>),
    Set(Word<'a>, Events<'a>),
    Check(Vec<(Goal, Span)>),
    Thread(Name<'a>, List<'a, Member<'a>>),
}

#[derive(Clone, Debug)]
pub(super) enum Member<'a> {
    Var(Var<'a>),
    Init(Vec<Name<'a>>),
    State(Name<'a>, List<'a, Clause<'a>>),
    Body(Span, Vec<Act<'a>>),
}

#[derive(Clone, Debug)]
pub(super) struct Var<'a> {
    pub(super) name: Word<'a>,
    pub(super) sizes: Vec<Expr<'a>>,
    pub(super) kind: Type<'a>,
    pub(super) initial: Option<Value<'a>>,
}

/// The right side of an assignment.
#[derive(Clone, Debug)]
pub(super) enum Value<'a> {
    One(Expr<'a>),
    /// `*`: any value of the type.
    Any(Span),
}

/// A clause of a state.
#[derive(Clone, Debug)]
pub(super) enum Clause<'a> {
    Request(Events<'a>),
    Block(Events<'a>),
    On(Events<'a>, Vec<Name<'a>>),
    Priority(Expr<'a>),
    Bad,
    Final,
    Hot,
}

/// The clauses of a sync, without its branches.
#[derive(Clone, Default, Debug)]
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

#[derive(Clone, Debug)]
pub(super) struct Branch<'a> {
    pub(super) requests: bool,
    pub(super) events: Events<'a>,
    pub(super) acts: Vec<Act<'a>>,
}

#[derive(Clone, Debug)]
pub(super) enum Act<'a> {
    Sync(Sync<'a>),
    Select(Sync<'a>, Vec<Branch<'a>>),
    Assign { name: Word<'a>, indices: Vec<Expr<'a>>, value: Value<'a>, span: Span },
    If { condition: Expr<'a>, then: Vec<Act<'a>>, otherwise: Vec<Act<'a>> },
    While { condition: Expr<'a>, acts: Vec<Act<'a>> },
    Loop(Span, Vec<Act<'a>>),
    Repeat(Expr<'a>, Vec<Act<'a>>),
    For { variable: Word<'a>, from: Expr<'a>, to: Expr<'a>, closed: bool, acts: Vec<Act<'a>> },
    Choose(Vec<Vec<Act<'a>>>),
    Assert(Expr<'a>),
    Bad(Span),
    End(Span),
    Final(Span),
    Break(Span),
    Continue(Span),
}

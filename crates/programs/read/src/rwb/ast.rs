//! The syntax tree of `.rwb` text, before anything is unrolled. Names borrow from the source, and every node has
//! its place.

use super::expr::Expr;
pub(super) use super::visible::Word;
pub(super) use formats::error::Span;
use model::Goal;

/// `NAME[expr]..`: a thread, a state, or an event with the sizes of its array.
#[derive(Debug)]
pub(super) struct Name<'a> {
    pub(super) base: Word<'a>,
    pub(super) indices: Box<[Expr<'a>]>,
    pub(super) span: Span,
}

/// One bracket of an event atom.
#[derive(Debug)]
pub(super) enum Selector<'a> {
    One(Expr<'a>),
    All,
    Range(Expr<'a>, Expr<'a>),
}

#[derive(Debug)]
pub(super) enum EventAtom<'a> {
    All,
    None,
    Group(Events<'a>),
    Named { base: Word<'a>, selectors: Box<[Selector<'a>]>, span: Span },
}

/// A union of differences. Each part is the set of its first atom minus the sets of its other atoms.
#[derive(Debug)]
pub(super) struct Events<'a> {
    pub(super) parts: Box<[Box<[EventAtom<'a>]>]>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct For<'a, T> {
    pub(super) var: Word<'a>,
    pub(super) from: Expr<'a>,
    pub(super) to: Expr<'a>,
    pub(super) body: Vec<T>,
}

#[derive(Debug)]
pub(super) struct When<'a, T> {
    pub(super) condition: Expr<'a>,
    pub(super) then: Vec<T>,
    pub(super) otherwise: Vec<T>,
}

/// An element of a list that may also be a `for` or a `when` over such elements.
#[derive(Debug)]
pub(super) enum Node<'a, T> {
    Plain(T),
    For(Box<For<'a, Node<'a, T>>>),
    When(Box<When<'a, Node<'a, T>>>),
    /// An element with an error, which has been recorded.
    Broken,
}

/// A list of items, members, statements or acts.
pub(super) type List<'a, T> = Vec<Node<'a, T>>;

#[derive(Debug)]
pub(super) enum Item<'a> {
    Const(Word<'a>, Expr<'a>),
    Event(Vec<Name<'a>>),
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
    Init(Vec<Name<'a>>),
    State(Name<'a>, List<'a, Stmt<'a>>),
    Body(Span, List<'a, Act<'a>>),
}

#[derive(Debug)]
pub(super) enum Stmt<'a> {
    Request(Events<'a>),
    Block(Events<'a>),
    On(Events<'a>, Vec<Name<'a>>),
    /// The priority of the requests.
    Priority(Expr<'a>),
    Bad,
    /// The thread may end here.
    Final,
}

#[derive(Debug)]
pub(super) enum Act<'a> {
    /// One sync. `ends` is true if the thread may end here.
    Sync {
        request: Option<Events<'a>>,
        wait: Option<Events<'a>>,
        block: Option<Events<'a>>,
        ends: bool,
        span: Span,
    },
    Loop(Span, List<'a, Act<'a>>),
    Repeat(Expr<'a>, List<'a, Act<'a>>),
    Choose(Vec<List<'a, Act<'a>>>),
    Select {
        block: Option<Events<'a>>,
        branches: Vec<Branch<'a>>,
        ends: bool,
        span: Span,
    },
    Bad(Span),
    End(Span),
    /// A proper end (`final`).
    Final(Span),
}

/// `on request events { acts }`.
#[derive(Debug)]
pub(super) struct Branch<'a> {
    pub(super) requests: bool,
    pub(super) events: Events<'a>,
    pub(super) acts: List<'a, Act<'a>>,
}

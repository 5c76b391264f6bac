//! Syntax trees of random programs of version 2, and the values of their expressions.

/// A type. The end of a range is excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Range(i64, i64),
    Int,
    Bool,
    Enum(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// An expression. Truth values are 0 and 1, values of an enum are their places in its list.
#[derive(Clone, Debug)]
pub(super) enum Ex {
    Num(i64),
    Truth(bool),
    Member(usize, usize),
    Const(usize),
    /// The variable of a `for`, by its number in the program.
    Loop(usize),
    Var(usize),
    Elem(usize, Box<Ex>),
    /// A name that a pattern binds, by its number in the program.
    Bound(usize),
    Not(Box<Ex>),
    Neg(Box<Ex>),
    Bin(Op, Box<Ex>, Box<Ex>),
}

#[derive(Clone, Debug)]
pub(super) enum Arg {
    Any,
    Value(Ex),
    /// The end of the range is included if the third part is true.
    Range(Ex, Ex, bool),
    Bind(usize),
}

#[derive(Clone, Debug)]
pub(super) enum Atom {
    All,
    None,
    Group(Vec<Diff>),
    /// A named set, by its number.
    Set(usize),
    Pattern(Pattern),
}

#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) event: usize,
    pub(super) args: Option<Vec<Arg>>,
    pub(super) when: Option<Ex>,
}

/// An atom minus other atoms.
#[derive(Clone, Debug)]
pub(super) struct Diff {
    pub(super) from: Atom,
    pub(super) minus: Vec<Atom>,
}

pub(super) type Events = Vec<Diff>;

#[derive(Clone, Debug)]
pub(super) struct Arm {
    pub(super) requests: bool,
    pub(super) events: Events,
    /// The names that are visible after this arm.
    pub(super) binds: Vec<usize>,
    /// The acts of a branch of `select`. Empty for other syncs.
    pub(super) acts: Vec<Act>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Short,
    Full,
    Select,
}

#[derive(Clone, Debug)]
pub(super) struct Sync {
    pub(super) form: Form,
    pub(super) is_final: bool,
    pub(super) is_hot: bool,
    pub(super) arms: Vec<Arm>,
    pub(super) block: Option<Events>,
    pub(super) interrupt: Option<Events>,
}

#[derive(Clone, Debug)]
pub(super) enum Act {
    Sync(Sync),
    Final,
    Bad,
    End,
    Break,
    Continue,
    Assert(Ex),
    /// An assignment to a variable or to an element. Without value it is `= *`.
    Set(usize, Option<Ex>, Option<Ex>),
    If(Ex, Vec<Act>, Option<Vec<Act>>),
    While(Ex, Vec<Act>),
    Loop(Vec<Act>),
    Repeat(i64, Vec<Act>),
    For(usize, i64, i64, Vec<Act>),
    Choose(Vec<Vec<Act>>),
}

/// The first value of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum First {
    Default,
    Any,
    Value(i64),
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) kind: Type,
    /// The number of elements, for an array.
    pub(super) length: Option<i64>,
    pub(super) first: First,
    /// Another type, for a declaration under an `if` with a condition that does not hold.
    pub(super) decoy: Option<Type>,
}

/// A statement of a state.
#[derive(Clone, Debug)]
pub(super) enum Stmt {
    Request(Events),
    Block(Events),
    On(Events, Vec<Ex>),
    Bad,
    Final,
    Hot,
    If(Ex, Vec<Stmt>, Vec<Stmt>),
}

#[derive(Clone, Debug)]
pub(super) enum Shape {
    Body(Vec<Act>),
    /// Families of states `s[k]`, each under a `for` with this loop variable and bounds. The first states follow.
    States(Vec<(usize, i64, i64, Vec<Stmt>)>, Vec<i64>),
}

#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) name: usize,
    /// The loop variables around the thread, which index its name.
    pub(super) indices: Vec<usize>,
    pub(super) variables: Vec<Variable>,
    pub(super) form: Shape,
}

#[derive(Clone, Debug)]
pub(super) enum Item {
    Thread(Thread),
    For(usize, i64, i64, Vec<Item>),
    If(Ex, Vec<Item>, Vec<Item>),
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) params: Vec<Type>,
    pub(super) is_array: bool,
    pub(super) is_environment: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    /// The number of values of each enum.
    pub(super) enums: Vec<usize>,
    pub(super) consts: Vec<(Type, i64)>,
    pub(super) events: Vec<Event>,
    pub(super) sets: Vec<Events>,
    pub(super) items: Vec<Item>,
    /// For each name that a pattern binds: its text.
    pub(super) names: Vec<String>,
    pub(super) loops: usize,
    pub(super) check: Option<&'static str>,
    /// Random bits that choose between ways to write the same.
    pub(super) style: u64,
}

/// Visits all patterns of a set, except those of named sets.
pub(super) fn patterns<'a>(events: &'a [Diff], visit: &mut dyn FnMut(&'a Pattern)) {
    for atom in events.iter().flat_map(|diff| std::iter::once(&diff.from).chain(&diff.minus)) {
        match atom {
            Atom::Group(events) => patterns(events, visit),
            Atom::Pattern(pattern) => visit(pattern),
            Atom::All | Atom::None | Atom::Set(_) => {}
        }
    }
}

/// A value out of range, an index out of range, a division by zero, or a number beyond 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fault;

/// The values of names.
pub(super) struct Values<'a> {
    pub(super) consts: &'a [(Type, i64)],
    pub(super) loops: &'a [(usize, i64)],
    /// For each variable: its first slot and its length.
    pub(super) slots: &'a [(usize, i64)],
    pub(super) values: &'a [i64],
    /// The names that patterns bind. A later pair hides an earlier one.
    pub(super) bound: &'a [(usize, i64)],
}

impl Sync {
    /// All sets of the sync.
    pub(super) fn sets(&self) -> impl Iterator<Item = &Events> {
        self.arms.iter().map(|arm| &arm.events).chain(&self.block).chain(&self.interrupt)
    }
}

impl Ex {
    pub(super) fn bin(op: Op, a: Ex, b: Ex) -> Ex {
        Ex::Bin(op, Box::new(a), Box::new(b))
    }

    /// True if the evaluation may have no value.
    pub(super) fn may_fault(&self) -> bool {
        match self {
            Ex::Elem(_, index) => match &**index {
                Ex::Num(0..=1) => false,
                Ex::Bin(Op::Mod, a, b) if matches!(**b, Ex::Num(1..)) => a.may_fault(),
                _ => true,
            },
            Ex::Bin(Op::Div | Op::Mod, a, b) if matches!(**b, Ex::Num(1..)) => a.may_fault(),
            Ex::Bin(Op::Div | Op::Mod, ..) | Ex::Num(i64::MAX) => true,
            Ex::Not(a) | Ex::Neg(a) => a.may_fault(),
            Ex::Bin(_, a, b) => a.may_fault() || b.may_fault(),
            _ => false,
        }
    }

    /// The value. Numbers beyond 64 bits become the nearest one: no type of the generator but `int` contains either,
    /// and no event has such an argument.
    pub(super) fn value(&self, with: &Values) -> Result<i64, Fault> {
        let exact = self.exact(with)?;
        Ok(i64::try_from(exact).unwrap_or(if exact < 0 { i64::MIN } else { i64::MAX }))
    }

    fn exact(&self, with: &Values) -> Result<i128, Fault> {
        Ok(match self {
            Ex::Num(n) => i128::from(*n),
            Ex::Truth(b) => i128::from(*b),
            Ex::Member(_, i) => *i as i128,
            Ex::Const(c) => i128::from(with.consts[*c].1),
            Ex::Loop(l) => i128::from(with.loops.iter().rev().find(|(of, _)| of == l).expect("in its loop").1),
            Ex::Var(v) => i128::from(with.values[with.slots[*v].0]),
            Ex::Elem(v, index) => {
                let index = index.value(with)?;
                let (slot, length) = with.slots[*v];
                if !(0..length).contains(&index) {
                    return Err(Fault);
                }
                i128::from(with.values[slot + index as usize])
            }
            Ex::Bound(name) => i128::from(with.bound.iter().rev().find(|(of, _)| of == name).expect("in its scope").1),
            Ex::Not(a) => 1 - a.exact(with)?,
            Ex::Neg(a) => -a.exact(with)?,
            Ex::Bin(Op::And, a, b) => {
                if a.exact(with)? == 0 {
                    0
                } else {
                    b.exact(with)?
                }
            }
            Ex::Bin(Op::Or, a, b) => {
                if a.exact(with)? == 1 {
                    1
                } else {
                    b.exact(with)?
                }
            }
            Ex::Bin(op, a, b) => apply(*op, a.exact(with)?, b.exact(with)?)?,
        })
    }
}

fn apply(op: Op, a: i128, b: i128) -> Result<i128, Fault> {
    Ok(match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div | Op::Mod if b <= 0 => return Err(Fault),
        Op::Div => floor(a, b),
        Op::Mod => a - floor(a, b) * b,
        Op::Eq => i128::from(a == b),
        Op::Ne => i128::from(a != b),
        Op::Lt => i128::from(a < b),
        Op::Le => i128::from(a <= b),
        Op::Gt => i128::from(a > b),
        Op::Ge => i128::from(a >= b),
        Op::And | Op::Or => unreachable!("they do not always evaluate both sides"),
    })
}

/// The greatest number that, times the positive `b`, is at most `a`.
fn floor(a: i128, b: i128) -> i128 {
    let down = a / b;
    if down * b > a { down - 1 } else { down }
}

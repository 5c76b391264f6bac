//! The threads of a random program as lists of steps. Loops over constants are unrolled.

use super::tree::{Act, Case, Ex, Item, Shape, Stmt, Sync, Thread, Type, Values, Variable, patterns};

/// What a step of a body does. Numbers of steps are places in the list.
#[derive(Debug)]
pub(super) enum Step<'a> {
    /// The end of the thread, which is never left.
    Stop(End),
    Set(usize, Option<&'a Ex>, Option<&'a Ex>),
    Test(&'a Ex, usize, usize),
    Fork(Vec<usize>),
    /// For each arm, the step after it.
    Sync(&'a Sync, Vec<usize>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    Plain,
    Bad,
    Final,
}

pub(super) const PLAIN: usize = 0;
pub(super) const BAD: usize = 1;
const FINAL: usize = 2;

type Loops = Vec<(usize, i64)>;

/// A state with its number and the values of the loop variables around it.
#[derive(Debug)]
pub(super) struct State<'a> {
    pub(super) number: i64,
    pub(super) loops: Loops,
    /// The statements that hold, without `if`.
    pub(super) statements: Vec<&'a Stmt>,
}

#[derive(Debug)]
pub(super) enum Code<'a> {
    /// Steps with the values of the loop variables around them, and the first step.
    Body(Vec<(Step<'a>, Loops)>, usize),
    States(Vec<State<'a>>, &'a [i64]),
    /// Requests all events of the environment.
    Environment,
}

/// A thread after the loops around threads are unrolled.
#[derive(Debug)]
pub(super) struct Unrolled<'a> {
    pub(super) code: Code<'a>,
    pub(super) variables: &'a [Variable],
    /// For each variable: its first slot and its length.
    pub(super) slots: Vec<(usize, i64)>,
}

pub(super) fn threads(case: &Case) -> Vec<Unrolled<'_>> {
    let mut threads = Vec::new();
    items(case, &case.items, &mut Vec::new(), &mut threads);
    if case.events.iter().any(|e| e.is_environment) {
        threads.push(Unrolled { code: Code::Environment, variables: &[], slots: Vec::new() });
    }
    threads
}

fn constant(case: &Case, ex: &Ex, loops: &[(usize, i64)]) -> i64 {
    let with = Values { consts: &case.consts, loops, slots: &[], values: &[], bound: &[] };
    ex.value(&with).expect("constants of the generator have values")
}

fn items<'a>(case: &'a Case, list: &'a [Item], loops: &mut Loops, into: &mut Vec<Unrolled<'a>>) {
    for item in list {
        match item {
            Item::Thread(t) => into.push(thread(case, t, loops)),
            Item::For(l, low, high, inner) => {
                for n in *low..*high {
                    loops.push((*l, n));
                    items(case, inner, loops, into);
                    loops.pop();
                }
            }
            Item::If(condition, yes, no) => {
                items(case, if constant(case, condition, loops) == 1 { yes } else { no }, loops, into);
            }
        }
    }
}

fn thread<'a>(case: &'a Case, thread: &'a Thread, loops: &Loops) -> Unrolled<'a> {
    let mut slots = Vec::new();
    let mut next = 0;
    for variable in &thread.variables {
        let length = variable.length.unwrap_or(1);
        slots.push((next, length));
        next += length as usize;
    }
    let code = match &thread.form {
        Shape::Body(acts) => {
            let mut body = Body { steps: Vec::new(), loops: loops.clone(), exits: Vec::new() };
            for end in [End::Plain, End::Bad, End::Final] {
                body.steps.push((Step::Stop(end), Vec::new()));
            }
            let first = body.acts(acts, PLAIN);
            Code::Body(body.steps, first)
        }
        Shape::States(families, first) => {
            let mut states = Vec::new();
            for (l, low, high, list) in families {
                for number in *low..*high {
                    let mut loops = loops.clone();
                    loops.push((*l, number));
                    let mut holding = Vec::new();
                    statements(case, list, &loops, &mut holding);
                    states.push(State { number, loops, statements: holding });
                }
            }
            Code::States(states, first)
        }
    };
    Unrolled { code, variables: &thread.variables, slots }
}

fn statements<'a>(case: &Case, list: &'a [Stmt], loops: &Loops, into: &mut Vec<&'a Stmt>) {
    for statement in list {
        match statement {
            Stmt::If(condition, yes, no) => {
                statements(case, if constant(case, condition, loops) == 1 { yes } else { no }, loops, into);
            }
            other => into.push(other),
        }
    }
}

/// Builds the steps of acts from the last act to the first, so that each act knows the step after it.
struct Body<'a> {
    steps: Vec<(Step<'a>, Loops)>,
    loops: Loops,
    /// For each loop around the acts: the steps of `break` and `continue`.
    exits: Vec<(usize, usize)>,
}

impl<'a> Body<'a> {
    fn push(&mut self, step: Step<'a>) -> usize {
        self.steps.push((step, self.loops.clone()));
        self.steps.len() - 1
    }

    /// Returns the first step of the acts.
    fn acts(&mut self, acts: &'a [Act], after: usize) -> usize {
        acts.iter().rev().fold(after, |next, act| self.act(act, next))
    }

    fn inside(&mut self, acts: &'a [Act], exit: usize, next: usize) -> usize {
        self.exits.push((exit, next));
        let first = self.acts(acts, next);
        self.exits.pop();
        first
    }

    fn act(&mut self, act: &'a Act, next: usize) -> usize {
        match act {
            Act::Final => FINAL,
            Act::Bad => BAD,
            Act::End => PLAIN,
            Act::Break => self.exits.last().expect("in a loop").0,
            Act::Continue => self.exits.last().expect("in a loop").1,
            Act::Assert(condition) => self.push(Step::Test(condition, next, BAD)),
            Act::Set(v, index, value) => {
                self.push(Step::Set(*v, index.as_ref(), value.as_ref()));
                self.goto(next)
            }
            Act::If(condition, yes, no) => {
                let no = self.acts(no.as_deref().unwrap_or(&[]), next);
                let yes = self.acts(yes, next);
                self.push(Step::Test(condition, yes, no))
            }
            Act::While(condition, acts) => {
                let head = self.push(Step::Stop(End::Plain));
                let first = self.inside(acts, next, head);
                self.steps[head].0 = Step::Test(condition, first, next);
                head
            }
            Act::Loop(acts) => {
                let head = self.push(Step::Stop(End::Plain));
                let first = self.inside(acts, next, head);
                self.steps[head].0 = Step::Fork(vec![first]);
                head
            }
            Act::Repeat(count, acts) => (0..*count).fold(next, |after, _| self.inside(acts, next, after)),
            Act::For(l, low, high, acts) => (*low..*high).rev().fold(next, |after, n| {
                self.loops.push((*l, n));
                let first = self.inside(acts, next, after);
                self.loops.pop();
                first
            }),
            Act::Choose(ways) => {
                let ways = ways.iter().map(|way| self.acts(way, next)).collect();
                self.push(Step::Fork(ways))
            }
            Act::Sync(sync) => {
                let after = sync.arms.iter().map(|arm| self.acts(&arm.acts, next)).collect();
                self.push(Step::Sync(sync, after))
            }
        }
    }

    /// Returns the number of the last step after adding a jump behind it. An assignment continues at the next
    /// number.
    fn goto(&mut self, next: usize) -> usize {
        let loops = self.loops.clone();
        self.steps.push((Step::Fork(vec![next]), loops));
        self.steps.len() - 2
    }
}

impl Code<'_> {
    /// True if the condition of a pattern may have a fault, whatever the values are.
    pub(super) fn may_have_no_meaning(&self) -> bool {
        let Code::Body(steps, _) = self else { return false };
        let mut found = false;
        for step in steps {
            let Step::Sync(sync, _) = &step.0 else { continue };
            for events in sync.sets() {
                patterns(events, &mut |pattern| found |= pattern.when.as_ref().is_some_and(Ex::may_fault));
            }
        }
        found
    }

    /// True if the text has a way around a loop without a sync, whatever its conditions say.
    pub(super) fn may_run_forever(&self) -> bool {
        let Code::Body(steps, first) = self else { return false };
        let mut done = vec![false; steps.len()];
        let mut open = vec![*first];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut done[at], true) {
                continue;
            }
            open.extend(next_steps(steps, at, true));
            let mut seen = vec![false; steps.len()];
            let mut inner = next_steps(steps, at, false);
            while let Some(to) = inner.pop() {
                if to == at {
                    return true;
                }
                if !std::mem::replace(&mut seen[to], true) {
                    inner.extend(next_steps(steps, to, false));
                }
            }
        }
        false
    }
}

fn next_steps(steps: &[(Step, Loops)], at: usize, through_syncs: bool) -> Vec<usize> {
    match &steps[at].0 {
        Step::Stop(_) => Vec::new(),
        Step::Set(..) => vec![at + 1],
        Step::Test(_, yes, no) => vec![*yes, *no],
        Step::Fork(to) => to.clone(),
        Step::Sync(_, after) => {
            if through_syncs {
                after.clone()
            } else {
                Vec::new()
            }
        }
    }
}

/// The values of a type in order. `None` for `int`.
pub(super) fn values(case: &Case, kind: Type) -> Option<std::ops::Range<i64>> {
    match kind {
        Type::Range(low, high) => Some(low..high),
        Type::Int => None,
        Type::Bool => Some(0..2),
        Type::Enum(e) => Some(0..case.enums[e] as i64),
    }
}

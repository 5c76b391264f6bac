//! The layout of abstract states: the variables that are part of the state, each with its set of values or its
//! intervals, packed into words.
//!
//! An interval variable has two partitions of the numbers. The *classes* are the intervals between the numbers
//! that the program compares the variable with; conditions need only the class. The *intervals* of the second
//! partition subdivide the classes as refinement requires; the results of assignments depend on them. In the
//! code, an element of the second partition is called a cell.

use crate::intervals::values::{Values, is_comparison};
use crate::store::interval::Interval;
use hashbrown::HashSet;
use model::reactive::{Binary, Block, Expr, Stmt};
use model::{ExprId, FunctionId, Holds, Reactive, VarId};
use std::collections::BTreeSet;

/// The role of a variable in the abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Never assigned.
    Constant(i32),
    /// Part of the state.
    Slot(usize),
    /// Assigned in every call before it is read.
    Temporary,
}

/// The abstraction of a slot's variable.
#[derive(Clone, Debug)]
pub(crate) enum Domain {
    /// The values, ascending.
    Exact(Vec<i32>),
    /// Ascending cuts, as in [`Holds::Cell`], and for each class the code of its first interval. `classes` has
    /// one more entry, the number of intervals.
    Intervals { cuts: Vec<i32>, classes: Vec<u32> },
}

/// A variable of the state.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) var: VarId,
    pub(crate) domain: Domain,
    /// Number of reads in the program. The decision trees test variables with many reads first.
    pub(crate) weight: u32,
    word: usize,
    shift: u32,
    mask: u64,
}

/// The layout of abstract states.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) roles: Vec<Role>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) words: usize,
    /// For each slot, the cuts between classes.
    class_cuts: Vec<Vec<i32>>,
}

impl Slot {
    /// The number of codes.
    pub(crate) fn codes(&self) -> usize {
        match &self.domain {
            Domain::Exact(values) => values.len(),
            Domain::Intervals { cuts, .. } => cuts.len() + 1,
        }
    }

    /// The interval of a code.
    pub(crate) fn interval(&self, code: u32) -> Interval {
        match &self.domain {
            Domain::Exact(values) => Interval::point(values[code as usize]),
            Domain::Intervals { cuts, .. } => between(cuts, code as usize, code as usize),
        }
    }

    /// The class of a code. In an exact slot, every code is its own class.
    pub(crate) fn class(&self, code: u32) -> u32 {
        match &self.domain {
            Domain::Exact(_) => code,
            Domain::Intervals { classes, .. } => classes.partition_point(|&first| first <= code) as u32 - 1,
        }
    }

    pub(crate) fn class_count(&self) -> usize {
        match &self.domain {
            Domain::Exact(values) => values.len(),
            Domain::Intervals { classes, .. } => classes.len() - 1,
        }
    }

    /// The interval of a class.
    pub(crate) fn class_interval(&self, class: u32) -> Interval {
        match &self.domain {
            Domain::Exact(_) => self.interval(class),
            Domain::Intervals { cuts, classes } => {
                between(cuts, classes[class as usize] as usize, classes[class as usize + 1] as usize - 1)
            }
        }
    }

    /// True if the class consists of a single interval.
    pub(crate) fn is_single_cell(&self, class: u32) -> bool {
        match &self.domain {
            Domain::Exact(_) => true,
            Domain::Intervals { classes, .. } => classes[class as usize] + 1 == classes[class as usize + 1],
        }
    }

    /// The first and the last code with an interval that intersects `met`. In an exact slot, `None` if `met` is
    /// not one of the slot's values.
    pub(crate) fn codes_met(&self, met: Interval) -> Option<(u32, u32)> {
        match &self.domain {
            Domain::Exact(values) => {
                let code = values.binary_search(&met.single()?).ok()? as u32;
                Some((code, code))
            }
            Domain::Intervals { cuts, .. } => Some((cell(cuts, met.lo), cell(cuts, met.hi))),
        }
    }

    pub(crate) fn get(&self, state: &[u64]) -> u32 {
        ((state[self.word] >> self.shift) & self.mask) as u32
    }

    pub(crate) fn set(&self, state: &mut [u64], code: u32) {
        debug_assert!((code as usize) < self.codes());
        let word = &mut state[self.word];
        *word = (*word & !(self.mask << self.shift)) | (u64::from(code) << self.shift);
    }

    /// The number that represents a code in the certificate.
    pub(crate) fn told(&self, code: u32) -> u32 {
        match &self.domain {
            Domain::Exact(values) => values[code as usize] as u32,
            Domain::Intervals { .. } => code,
        }
    }

    /// The code of a number in the certificate.
    pub(crate) fn code(&self, told: i32) -> Option<u32> {
        match &self.domain {
            Domain::Exact(values) => values.binary_search(&told).ok().map(|code| code as u32),
            Domain::Intervals { .. } => Some(told as u32),
        }
    }

    /// The representation of the slot's values in the certificate.
    pub(crate) fn holds(&self) -> Holds {
        match &self.domain {
            Domain::Exact(_) => Holds::Exactly,
            Domain::Intervals { cuts, .. } => Holds::Cell(cuts.clone()),
        }
    }
}

fn cell(cuts: &[i32], value: i32) -> u32 {
    cuts.partition_point(|&cut| cut <= value) as u32
}

fn between(cuts: &[i32], first: usize, last: usize) -> Interval {
    let lo = if first == 0 { i32::MIN } else { cuts[first - 1] };
    let hi = cuts.get(last).map_or(i32::MAX, |&cut| cut - 1);
    Interval { lo, hi }
}

impl Layout {
    /// Makes the coarsest layout: every class is one interval.
    pub(crate) fn of(program: &Reactive) -> Self {
        let values = Values::of(program);
        let mut roles: Vec<Role> = program.initial().iter().map(|&v| Role::Constant(v)).collect();
        let temporaries = temporaries(program);
        let mut slots = Vec::new();
        let mut class_cuts = Vec::new();
        let weights = weights(program);
        let mut cuts = cuts(program, &values);
        let mut assigned: Vec<VarId> = assigned(program);
        assigned.sort_unstable();
        assigned.dedup();
        for var in assigned {
            if temporaries.contains(&var) {
                roles[var.index()] = Role::Temporary;
                continue;
            }
            roles[var.index()] = Role::Slot(slots.len());
            let (domain, cuts) = match &values.vars[var.index()] {
                Some(values) => (Domain::Exact(values.clone()), Vec::new()),
                None => {
                    let cuts = std::mem::take(&mut cuts[var.index()]);
                    let classes = (0..=cuts.len() as u32 + 1).collect();
                    (Domain::Intervals { cuts: cuts.clone(), classes }, cuts)
                }
            };
            class_cuts.push(cuts);
            slots.push(Slot { var, domain, weight: weights[var.index()], word: 0, shift: 0, mask: 0 });
        }
        let mut layout = Self { roles, slots, words: 1, class_cuts };
        layout.pack();
        layout
    }

    /// Writes the abstract state before the first call.
    pub(crate) fn initial(&self, program: &Reactive, state: &mut [u64]) {
        for slot in &self.slots {
            let value = Interval::point(program.initial()[slot.var.index()]);
            let (code, _) = slot.codes_met(value).expect("value sets have the initial values");
            slot.set(state, code);
        }
    }

    /// Adds cuts (slot, number). Returns true if some cut is new.
    pub(crate) fn cut_all(&mut self, cuts: &[(usize, i32)]) -> bool {
        let slots: BTreeSet<usize> = cuts.iter().map(|(slot, _)| *slot).collect();
        let mut is_finer = false;
        for slot in slots {
            let more: Vec<i32> = cuts.iter().filter(|(s, _)| *s == slot).map(|(_, cut)| *cut).collect();
            is_finer |= self.cut(slot, &more);
        }
        self.pack();
        is_finer
    }

    fn cut(&mut self, slot: usize, more: &[i32]) -> bool {
        let Domain::Intervals { cuts, classes } = &mut self.slots[slot].domain else { return false };
        let before = cuts.len();
        for &cut in more {
            // A cut at the least number would leave an empty interval below it.
            if let (Err(at), true) = (cuts.binary_search(&cut), cut > i32::MIN) {
                cuts.insert(at, cut);
            }
        }
        classes.clear();
        classes.push(0);
        classes.extend(self.class_cuts[slot].iter().map(|&cut| cell(cuts, cut)));
        classes.push(cuts.len() as u32 + 1);
        cuts.len() > before
    }

    /// Assigns bits to every slot.
    pub(crate) fn pack(&mut self) {
        let (mut word, mut shift) = (0, 0);
        for slot in &mut self.slots {
            let bits = (slot.codes() as u64 - 1).checked_ilog2().map_or(0, |b| b + 1);
            if shift + bits > 64 {
                word += 1;
                shift = 0;
            }
            (slot.word, slot.shift, slot.mask) = (word, shift.min(63), (1 << bits) - 1);
            shift += bits;
        }
        self.words = word + 1;
    }
}

fn assigned(program: &Reactive) -> Vec<VarId> {
    let stmts = program.all_stmts().iter();
    stmts.filter_map(|s| if let Stmt::Assign(v, _) = *s { Some(v) } else { None }).collect()
}

fn weights(program: &Reactive) -> Vec<u32> {
    let mut weights = vec![0; program.var_count()];
    for expr in program.exprs() {
        if let Expr::Var(v) | Expr::Element { pointer: v, .. } = *expr {
            weights[v.index()] += 1;
        }
    }
    weights
}

/// For each variable, the cuts that comparisons require, ascending.
fn cuts(program: &Reactive, values: &Values) -> Vec<Vec<i32>> {
    let mut cuts: Vec<Vec<i32>> = vec![Vec::new(); program.var_count()];
    let mut add = |var: VarId, op: Binary, others: &[i32], is_left: bool| {
        for &other in others {
            let above = other.checked_add(1);
            let (at, after) = match (op, is_left) {
                (Binary::Lt | Binary::Ge, true) | (Binary::Gt | Binary::Le, false) => (Some(other), None),
                (Binary::Le | Binary::Gt, true) | (Binary::Ge | Binary::Lt, false) => (None, above),
                _ => (Some(other), above),
            };
            cuts[var.index()].extend(at.into_iter().chain(after).filter(|&cut| cut > i32::MIN));
        }
    };
    for expr in program.exprs() {
        let Expr::Binary(op, a, b) = *expr else { continue };
        if !is_comparison(op) {
            continue;
        }
        for (side, other, is_left) in [(a, b, true), (b, a, false)] {
            let Expr::Var(var) = program.expr(side) else { continue };
            if let (None, Some(others)) = (&values.vars[var.index()], &values.exprs[other.index()]) {
                add(var, op, others, is_left);
            }
        }
    }
    for cuts in &mut cuts {
        cuts.sort_unstable();
        cuts.dedup();
    }
    cuts
}

/// Variables that the entry function assigns before they can be read. Only assignments among its top-level
/// statements count.
fn temporaries(program: &Reactive) -> HashSet<VarId> {
    let mut reads = Reads { program, seen: HashSet::new(), functions: HashSet::new() };
    let mut temporaries = HashSet::new();
    for stmt in program.stmts(program.body(program.entry())) {
        if let Stmt::Assign(var, expr) = *stmt {
            reads.expr(expr);
            if !reads.seen.contains(&var) {
                temporaries.insert(var);
            }
            continue;
        }
        reads.stmt(*stmt);
    }
    temporaries
}

/// The variables that may have been read so far, on any way.
struct Reads<'p> {
    program: &'p Reactive,
    seen: HashSet<VarId>,
    functions: HashSet<FunctionId>,
}

impl Reads<'_> {
    fn expr(&mut self, expr: ExprId) {
        let mut open = vec![expr];
        while let Some(id) = open.pop() {
            match self.program.expr(id) {
                Expr::Const(_) | Expr::Input => {}
                Expr::Var(v) => {
                    self.seen.insert(v);
                }
                Expr::Element { pointer, index } => {
                    self.seen.insert(pointer);
                    let elements =
                        (0..self.program.arrays().len() as i32).filter_map(|a| self.program.element(a, index));
                    self.seen.extend(elements);
                }
                Expr::Unary(_, a) => open.push(a),
                Expr::Binary(_, a, b) => open.extend([a, b]),
            }
        }
    }

    fn stmt(&mut self, stmt: Stmt) {
        let mut open: Vec<Block> = Vec::new();
        self.one(stmt, &mut open);
        while let Some(block) = open.pop() {
            for &stmt in self.program.stmts(block) {
                self.one(stmt, &mut open);
            }
        }
    }

    fn one(&mut self, stmt: Stmt, open: &mut Vec<Block>) {
        match stmt {
            Stmt::Assign(_, e) | Stmt::Return(e) | Stmt::Print(e) => self.expr(e),
            Stmt::If { arms, otherwise } => {
                for arm in self.program.arms(arms) {
                    self.expr(arm.condition);
                    open.push(arm.body);
                }
                open.push(otherwise);
            }
            Stmt::Call(f) | Stmt::ReturnCall(f) => {
                if self.functions.insert(f) {
                    open.push(self.program.body(f));
                }
            }
            Stmt::End | Stmt::Invalid | Stmt::Error(_) | Stmt::Crash => {}
        }
    }
}

//! Executes the calls of a reactive program by a decision tree. A call is a walk from the root to a leaf. The
//! tree grows while it is walked: lazy partial evaluation.
//!
//! A node contains assignments (with values that may depend on the state) and says what to examine next: a
//! variable, the input, or a condition. The *cuts* of a variable are the numbers at which the outcome of a test
//! may change. If a node examines a variable, its children stand for the intervals between cuts. If it examines
//! the input, its children stand for the inputs. If neither cuts nor the input can decide a condition, the node
//! evaluates the condition, and has a child for each truth value. A node contains no test that the path to it
//! has decided. To build a node, the program is executed on intervals instead of numbers ([`super::judge`]), up
//! to the first condition that the intervals leave open. The node then examines one of the variables on which
//! the condition depends: the variable that the program tests most often. The input is examined last, so that
//! the calls with all inputs from a state share the first part of the walk. A node is built when it is first
//! reached.
//!
//! The programs of the RERS challenges test a few variables again and again, so a call costs only a few table
//! look-ups. (This is partial evaluation, Jones, Gomard, Sestoft 1993. Compilers of pattern matching also use
//! such trees, in which a node selects among many children at once.)
//!
//! The tree stops growing at a maximal size. If a call then needs a node that does not exist, the rest of the
//! call is executed in the *flat code*: the program as a list of instructions ([`super::code`]).

use super::act::{Act, CallCells};
use super::instr::{Code, Instr, Point, Span};
use super::interval::Interval;
use super::judge::{IntervalState, Judge, Subject};
use super::values::{Tests, tests};
use model::{InputId, Outcome};
use std::collections::HashMap;

/// The largest size of a tree, in bytes.
const MAX_BYTES: usize = 192 << 20;
/// The largest number of entries of a table that maps values to children directly.
const MAX_TABLE: i64 = 512;

/// An assigned value that depends on one cell is looked up in a table if the cell has at most this many values.
const MAX_LOOKUP: i64 = 256;

type NodeId = u32;
/// Marks a child that has not been built.
const NONE: NodeId = NodeId::MAX;

/// What a node examines.
#[derive(Clone, Copy, Debug)]
enum Look {
    /// A table indexed by the values from `base` on. Its first entry also stands for all smaller values, and its
    /// last entry for all greater values.
    Table { cell: u32, base: i32, first: u32, last: u32 },
    /// A search for the number of cuts that are not above the value.
    Search { cell: u32, first_cut: u32, cuts: u32, first: u32 },
    /// A table indexed by [`InputId`].
    Inputs { first: u32 },
    /// A test whether an expression is not 0.
    Test { condition: Span, first: u32 },
    /// Nothing, because the call has ended.
    Done(Outcome),
    /// Nothing, because the rest of the call is executed in the flat code.
    Run,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first_act: u32,
    acts: u32,
    /// True if some action reads the input or may crash.
    is_private: bool,
    look: Look,
}

/// The state of the execution at the end of a node, from which its children are built.
#[derive(Clone, Debug)]
struct Snapshot {
    point: Point,
    /// Cells with an interval other than the one known at the start of a call.
    cells: Box<[(u32, Interval)]>,
    input: Option<i32>,
    /// Known values that have not been stored in their cells yet.
    pending: Box<[(u32, i32)]>,
}

/// The tree of a program.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    start: IntervalState,
    tests: Tests,
    nodes: Vec<Node>,
    snapshots: Vec<Option<Snapshot>>,
    children: Vec<NodeId>,
    cuts: Vec<i32>,
    acts: Vec<Act>,
    /// Tables for [`Act::Lookup`].
    tables: Vec<i32>,
    /// The position of each table in `tables`.
    known_tables: HashMap<Box<[i32]>, u32>,
    judge: Judge,
    bytes: usize,
    max_bytes: usize,
    /// Number of instructions examined while the tree grew, plus [`RUN_WORK`] for each call that continued in
    /// the flat code.
    work: u64,
    /// Position in the flat code for calls that leave the tree.
    point: Point,
    /// Nodes that end a call, indexed by their actions and outcome. Calls that end with the same actions and
    /// outcome share one node.
    ends: HashMap<(Box<[Act]>, Outcome), NodeId>,
}

/// Work of executing the rest of a call in the flat code.
const RUN_WORK: u64 = 100;

/// A node where a walk may continue, with a mark if its actions have not been performed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(NodeId);

impl Tree {
    pub(super) fn new(code: &Code, values: &[Option<Box<[i32]>>]) -> Self {
        let mut tree = Self {
            start: IntervalState::hulls(values),
            tests: tests(code, values),
            nodes: Vec::new(),
            snapshots: Vec::new(),
            children: Vec::new(),
            cuts: Vec::new(),
            acts: Vec::new(),
            tables: Vec::new(),
            known_tables: HashMap::new(),
            judge: Judge::default(),
            bytes: 0,
            max_bytes: MAX_BYTES,
            point: Point::default(),
            ends: HashMap::new(),
            work: 0,
        };
        let start = tree.start.clone();
        tree.build(code, start, code.entry(), Vec::new());
        tree
    }

    #[cfg(test)]
    pub(super) fn limit(&mut self, bytes: usize) {
        self.max_bytes = bytes;
    }

    pub(super) fn size(&self) -> (usize, usize) {
        (self.nodes.len(), self.bytes)
    }

    /// Returns the work so far: the instructions examined while the tree grew, plus [`RUN_WORK`] for each call
    /// that continued in the flat code.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    pub(super) fn root() -> Place {
        Place(UNPERFORMED)
    }

    /// Walks from the root until the input matters.
    pub(super) fn walk_shared(&mut self, code: &Code, desk: &mut CallCells) -> Place {
        let mut id = 0;
        loop {
            let node = self.nodes[id as usize];
            if node.is_private {
                return Place(id | UNPERFORMED);
            }
            if node.acts > 0 {
                let acts = &self.acts[node.first_act as usize..][..node.acts as usize];
                code.perform(acts, &self.tables, desk, 0);
            }
            let child = match node.look {
                Look::Table { .. } | Look::Search { .. } => self.child(node.look, &desk.cells),
                _ => return Place(id),
            };
            id = match self.children[child] {
                NONE => match self.grow(code, id, child) {
                    Some(id) => id,
                    None => return Place(id),
                },
                id => id,
            };
        }
    }

    /// Returns the outcome of the call at `place` if it does not depend on the input.
    pub(super) fn outcome(&self, Place(id): Place) -> Option<Outcome> {
        match self.nodes.get(id as usize)?.look {
            Look::Done(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Walks from a place to the end of the call.
    pub(super) fn walk(&mut self, code: &Code, Place(id): Place, desk: &mut CallCells, input: InputId) -> Outcome {
        let number = code.program.input(input);
        let mut is_performed = id & UNPERFORMED == 0;
        let mut id = id & !UNPERFORMED;
        loop {
            let node = self.nodes[id as usize];
            if !is_performed && node.acts > 0 {
                let acts = &self.acts[node.first_act as usize..][..node.acts as usize];
                if !code.perform(acts, &self.tables, desk, number) {
                    return Outcome::Crash;
                }
            }
            is_performed = false;
            let child = match node.look {
                Look::Table { .. } | Look::Search { .. } => self.child(node.look, &desk.cells),
                Look::Inputs { first } => first as usize + input.index(),
                Look::Test { condition, first } => match code.eval(condition, &desk.cells, number, &mut desk.stack) {
                    None => return Outcome::Crash,
                    Some(value) => first as usize + usize::from(value != 0),
                },
                Look::Done(outcome) => return outcome,
                Look::Run => return self.run(code, id, desk, input),
            };
            id = match self.children[child] {
                NONE => match self.grow(code, id, child) {
                    Some(id) => id,
                    None => return self.run(code, id, desk, input),
                },
                id => id,
            };
        }
    }

    /// Returns the index in `children` of the child that the cells select.
    #[inline]
    fn child(&self, look: Look, cells: &[i32]) -> usize {
        match look {
            Look::Table { cell, base, first, last } => {
                let offset = (i64::from(cells[cell as usize]) - i64::from(base)).clamp(0, i64::from(last));
                first as usize + usize::try_from(offset).unwrap_or(0)
            }
            Look::Search { cell, first_cut, cuts, first } => {
                let value = cells[cell as usize];
                let cuts = &self.cuts[first_cut as usize..][..cuts as usize];
                let number = if cuts.len() <= 8 {
                    cuts.iter().filter(|&&cut| cut <= value).count()
                } else {
                    cuts.partition_point(|&cut| cut <= value)
                };
                first as usize + number
            }
            _ => unreachable!("it looks at no cell"),
        }
    }

    /// Executes the rest of a call in the flat code, from the end of a node.
    fn run(&mut self, code: &Code, id: NodeId, desk: &mut CallCells, input: InputId) -> Outcome {
        desk.log_all();
        let snapshot = self.snapshots[id as usize].as_ref().expect("the call goes on");
        for &(cell, value) in &snapshot.pending {
            desk.cells[cell as usize] = value;
        }
        self.point.clone_from(&snapshot.point);
        self.work += RUN_WORK;
        code.run(&mut self.point, &mut desk.cells, input, &mut desk.stack)
    }

    /// Builds the child for `children[child]` of node `parent`. Returns `None` if the tree is too large.
    #[cold]
    fn grow(&mut self, code: &Code, parent: NodeId, child: usize) -> Option<NodeId> {
        if self.bytes >= self.max_bytes {
            return None;
        }
        let snapshot = self.snapshots[parent as usize].as_ref().expect("the call goes on");
        let mut known = self.start.clone();
        self.work += known.cells.len() as u64 / 8;
        for &(cell, interval) in &snapshot.cells {
            known.cells[cell as usize] = interval;
        }
        known.input = snapshot.input;
        let (mut point, pending) = (snapshot.point.clone(), snapshot.pending.to_vec());
        // The table entries of all values between the same two cuts as the value of `child`.
        let mut same = child..=child;
        match self.nodes[parent as usize].look {
            Look::Table { cell, base, first, last } => {
                let value = i64::from(base) + (child - first as usize) as i64;
                let cuts = &self.tests.cuts[cell as usize];
                let all = known.cells[cell as usize];
                let value = i32::try_from(value).expect("tables lie within 32 bits");
                let part = part(cuts, all, value.clamp(all.lo, all.hi));
                let entry = |value: i32| {
                    let offset = (i64::from(value) - i64::from(base)).clamp(0, i64::from(last));
                    first as usize + usize::try_from(offset).unwrap_or(0)
                };
                same = entry(part.lo)..=entry(part.hi);
                known.cells[cell as usize] = part;
            }
            Look::Search { cell, first_cut, first, .. } => {
                let number = child - first as usize;
                let all = known.cells[cell as usize];
                let value = if number == 0 { all.lo } else { self.cuts[first_cut as usize + number - 1] };
                known.cells[cell as usize] = part(&self.tests.cuts[cell as usize], all, value);
            }
            Look::Inputs { first } => known.input = Some(code.program.inputs()[child - first as usize]),
            Look::Test { first, .. } => {
                // The branch is decided, so the position moves past it.
                let Instr::Branch { otherwise, .. } = code.instrs[point.pc as usize] else { unreachable!("a branch") };
                point.pc = if child == first as usize { otherwise } else { point.pc + 1 };
            }
            Look::Done(_) | Look::Run => unreachable!("it has no children"),
        }
        let id = self.build(code, known, point, pending);
        for child in same {
            debug_assert_eq!(self.children[child], NONE, "each part of the numbers has one child");
            self.children[child] = id;
        }
        Some(id)
    }

    /// Builds the node for a position and the intervals known there.
    fn build(
        &mut self,
        code: &Code,
        mut known: IntervalState,
        mut point: Point,
        mut pending: Vec<(u32, i32)>,
    ) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).expect("bounded by the room");
        let first_act = position(self.acts.len());
        let look = loop {
            self.work += 1;
            let instr = code.instrs[point.pc as usize];
            match instr {
                Instr::Branch { condition, otherwise } => {
                    match self.judge.judge(code, condition, &known).and_then(Interval::truth) {
                        Some(true) => point.pc += 1,
                        Some(false) => point.pc = otherwise,
                        None => break self.look(code, condition, &known, &mut pending),
                    }
                }
                Instr::Assign(cell, span) => {
                    self.assign(code, (cell, span), &mut known, &mut pending);
                    point.pc += 1;
                }
                Instr::Print(span) => match self.judge.judge(code, span, &known).and_then(Interval::single) {
                    None => break Look::Run,
                    Some(value) => {
                        point.print(value);
                        point.pc += 1;
                    }
                },
                Instr::Return(span) => match self.judge.judge(code, span, &known).and_then(Interval::single) {
                    None => break Look::Run,
                    Some(value) => {
                        if let Some(outcome) = code.leave(&mut point, Some(value)) {
                            break Look::Done(outcome);
                        }
                    }
                },
                _ => {
                    point.pc += 1;
                    if let Some(outcome) = code.plain(instr, &mut point) {
                        break Look::Done(outcome);
                    }
                }
            }
        };
        let snapshot = match look {
            Look::Done(outcome) => {
                if !matches!(outcome, Outcome::Error(_) | Outcome::Crash) {
                    pending.retain(|&(cell, _)| (cell as usize) < code.slot_count);
                    pending.sort_unstable();
                    self.flush(&mut pending);
                }
                match self.known_end(first_act as usize, outcome, id) {
                    Some(id) => return id,
                    None => None,
                }
            }
            _ => Some(self.snapshot(point, &known, pending)),
        };
        self.bytes += size_of::<Node>() + size_of::<Option<Snapshot>>();
        self.bytes += (self.acts.len() - first_act as usize) * size_of::<Act>();
        let is_private =
            self.acts[first_act as usize..].iter().any(|act| matches!(act, Act::LoadInput | Act::Eval(..)));
        self.nodes.push(Node { first_act, acts: position(self.acts.len()) - first_act, is_private, look });
        self.snapshots.push(snapshot);
        id
    }

    /// Returns the existing node that ends calls with this outcome and the same acts as those from `first` on.
    /// If there is none, registers `id` for them and returns `None`.
    fn known_end(&mut self, first: usize, outcome: Outcome, id: NodeId) -> Option<NodeId> {
        let key = (Box::from(&self.acts[first..]), outcome);
        let bytes = 2 * size_of_val(&key) + size_of_val(&*key.0);
        let known = *self.ends.entry(key).or_insert(id);
        if known == id {
            self.bytes += bytes;
            return None;
        }
        self.acts.truncate(first);
        Some(known)
    }

    fn snapshot(&mut self, point: Point, known: &IntervalState, pending: Vec<(u32, i32)>) -> Snapshot {
        let differs = |&(cell, interval): &(usize, &Interval)| *interval != self.start.cells[cell];
        let cells = known.cells.iter().enumerate().filter(differs).map(|(cell, &interval)| (position(cell), interval));
        let snapshot = Snapshot { cells: cells.collect(), input: known.input, pending: pending.into(), point };
        self.bytes += size_of_val(&*snapshot.cells) + size_of_val(&*snapshot.pending) + 4 * snapshot.point.frames.len();
        snapshot
    }

    fn assign(
        &mut self,
        code: &Code,
        (cell, span): (u32, Span),
        known: &mut IntervalState,
        pending: &mut Vec<(u32, i32)>,
    ) {
        let interval = self.judge.judge(code, span, known);
        if let Some(value) = interval.and_then(Interval::single) {
            // If the cell is known to have this value, the value is stored already or is pending.
            if known.cells[cell as usize].single() != Some(value) {
                pending.retain(|&(other, _)| other != cell);
                pending.push((cell, value));
                known.cells[cell as usize] = Interval::point(value);
            }
            return;
        }
        if let Some((act, values)) = self.lookup(code, (cell, span), known) {
            self.acts.push(act);
            pending.retain(|&(other, _)| other != cell);
            known.cells[cell as usize] = values;
            return;
        }
        if !code.chain(cell, span, known, &mut self.acts) {
            self.flush(pending);
            self.acts.push(Act::Eval(cell, span));
        }
        pending.retain(|&(other, _)| other != cell);
        known.cells[cell as usize] = interval.unwrap_or(Interval::ALL);
    }

    /// Returns the assignment as a table look-up, and the interval of the values assigned. Returns `None` if the
    /// value does not depend on exactly one cell with few values, or if its computation may crash.
    fn lookup(&mut self, code: &Code, (to, span): (u32, Span), known: &mut IntervalState) -> Option<(Act, Interval)> {
        if span.len == 1 {
            return None;
        }
        let from = code.hangs_on(span, known)?;
        let all = known.cells[from as usize];
        let width = i64::from(all.hi) - i64::from(all.lo) + 1;
        if width > MAX_LOOKUP {
            return None;
        }
        self.work += u64::from(span.len) * width.unsigned_abs() / 8;
        let mut value = |at: i32| {
            known.cells[from as usize] = Interval::point(at);
            self.judge.judge(code, span, known).and_then(Interval::single)
        };
        let table: Option<Box<[i32]>> = (all.lo..=all.hi).map(&mut value).collect();
        known.cells[from as usize] = all;
        let table = table?;
        let values = Interval { lo: *table.iter().min()?, hi: *table.iter().max()? };
        let first = match self.known_tables.get(&table) {
            Some(&first) => first,
            None => {
                let first = position(self.tables.len());
                self.tables.extend_from_slice(&table);
                self.bytes += 2 * size_of_val(&*table) + size_of::<(Box<[i32]>, u32)>();
                self.known_tables.insert(table, first);
                first
            }
        };
        Some((Act::Lookup { from, to, base: all.lo, first }, values))
    }

    /// Appends actions that store the pending values in their cells.
    fn flush(&mut self, pending: &mut Vec<(u32, i32)>) {
        self.acts.extend(pending.drain(..).map(|(cell, value)| Act::Set(cell, value)));
    }

    /// Chooses what to examine for a condition that is open.
    fn look(&mut self, code: &Code, condition: Span, known: &IntervalState, pending: &mut Vec<(u32, i32)>) -> Look {
        let mut best: Option<(u32, u32)> = None;
        let mut has_input = false;
        for &subject in &self.judge.subjects {
            match subject {
                Subject::Input => has_input |= known.input.is_none(),
                Subject::Cell(cell) => {
                    let weight = self.tests.weights[cell as usize];
                    let is_better = best.is_none_or(|(w, c)| (weight, c) > (w, cell));
                    if is_better && !inner(&self.tests.cuts[cell as usize], known.cells[cell as usize]).is_empty() {
                        best = Some((weight, cell));
                    }
                }
            }
        }
        if let Some((_, cell)) = best {
            return self.split(cell, known.cells[cell as usize]);
        }
        if has_input {
            return Look::Inputs { first: self.room(code.program.inputs().len()) };
        }
        self.flush(pending);
        Look::Test { condition, first: self.room(2) }
    }

    /// Returns the [`Look`] that finds the cuts between which a cell's value lies.
    fn split(&mut self, cell: u32, all: Interval) -> Look {
        let cuts = inner(&self.tests.cuts[cell as usize], all);
        let (low, high) = (cuts[0], cuts[cuts.len() - 1]);
        // The table has one entry below the first cut. It stands for all values below this cut.
        let width = i64::from(high) - i64::from(low) + 1;
        if low > i32::MIN && width < MAX_TABLE {
            let last = u32::try_from(width).expect("it is small");
            return Look::Table { cell, base: low - 1, first: self.room(last as usize + 1), last };
        }
        let first_cut = position(self.cuts.len());
        let count = cuts.len();
        self.cuts.extend_from_slice(cuts);
        Look::Search { cell, first_cut, cuts: position(count), first: self.room(count + 1) }
    }

    fn room(&mut self, children: usize) -> u32 {
        let first = position(self.children.len());
        self.children.resize(self.children.len() + children, NONE);
        self.bytes += children * size_of::<NodeId>();
        first
    }
}

/// Marks a node if its actions have not been performed.
const UNPERFORMED: NodeId = 1 << 31;

fn position(n: usize) -> u32 {
    u32::try_from(n).expect("positions are 32 bits")
}

/// Returns the cuts inside an interval, which divide it.
fn inner(cuts: &[i32], all: Interval) -> &[i32] {
    let from = cuts.partition_point(|&cut| cut <= all.lo);
    let to = cuts.partition_point(|&cut| cut <= all.hi);
    &cuts[from..to.max(from)]
}

/// Returns the part of an interval that contains `value`, between the neighbouring cuts.
fn part(cuts: &[i32], all: Interval, value: i32) -> Interval {
    let above = cuts.partition_point(|&cut| cut <= value);
    let low = if above == 0 { all.lo } else { all.lo.max(cuts[above - 1]) };
    let high = cuts.get(above).map_or(all.hi, |&cut| all.hi.min(cut - 1));
    Interval { lo: low, hi: high }
}

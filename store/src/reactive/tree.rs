//! Calls as walks down a decision tree that grows as it is walked: lazy partial evaluation.
//!
//! A node says what to do (assignments whose values may depend on the state) and what to look at next: which of the
//! cuts of one variable its value lies between, which input it is, or a condition that cannot be split so. Everything
//! that the tests on the way have decided is gone: the builder runs the program on intervals instead of numbers
//! ([`super::judge`]) and stops at the first condition that these leave open. Of the variables that the condition
//! hangs on it takes the one that the program tests most often, and the input last, so that all inputs of a state
//! share a walk. A node is built when it is first met. The programs of the challenges test a few variables over and
//! over; a call then costs a handful of table look-ups and little else. (The idea is that of partial evaluation,
//! Jones, Gomard, Sestoft 1993, with the switch of a pattern-match compiler.)
//!
//! Beyond a size the tree stops growing: calls that leave it go on in the flat code from where the node would be.

use super::act::{Act, Desk};
use super::code::{Code, Instr, Point, Span};
use super::interval::Interval;
use super::judge::{Judge, Known, Subject};
use super::values::{Tests, tests};
use model::{InputId, Outcome};
use std::collections::HashMap;

/// Room for nodes, in bytes.
const MAX_BYTES: usize = 192 << 20;
/// Tables that map values to children directly have at most so many entries.
const MAX_TABLE: i64 = 512;

/// Assigned values that hang on one cell with at most so many are looked up.
const MAX_LOOKUP: i64 = 256;

type NodeId = u32;
/// No node yet.
const NONE: NodeId = NodeId::MAX;

/// What is looked at.
#[derive(Clone, Copy, Debug)]
enum Look {
    /// A table over the values from `base` on; its first and last entries stand for everything below and above.
    Table { cell: u32, base: i32, first: u32, last: u32 },
    /// The number of cuts not above the value.
    Search { cell: u32, first_cut: u32, cuts: u32, first: u32 },
    /// By [`InputId`].
    Inputs { first: u32 },
    /// Is the expression not 0?
    Test { condition: Span, first: u32 },
    /// Nothing: the call has ended.
    Done(Outcome),
    /// The rest is executed as it is.
    Run,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first_act: u32,
    acts: u32,
    /// Actions that look at the input, or may crash.
    is_private: bool,
    look: Look,
}

/// Where the program is at the end of a node, for its children.
#[derive(Clone, Debug)]
struct Snapshot {
    point: Point,
    /// What is known beyond what is known from the start.
    cells: Box<[(u32, Interval)]>,
    input: Option<i32>,
    /// Values that have not been put into their cells yet.
    pending: Box<[(u32, i32)]>,
}

/// The tree of a program.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    start: Known,
    tests: Tests,
    nodes: Vec<Node>,
    snapshots: Vec<Option<Snapshot>>,
    children: Vec<NodeId>,
    cuts: Vec<i32>,
    acts: Vec<Act>,
    /// For [`Act::Lookup`].
    tables: Vec<i32>,
    /// Where each table begins.
    known_tables: HashMap<Box<[i32]>, u32>,
    judge: Judge,
    bytes: usize,
    max_bytes: usize,
    /// Instructions looked at while the tree grew, and about as much where it does not.
    work: u64,
    /// For the flat code where the tree ends.
    point: Point,
    /// Ends of calls that do the same are one node.
    ends: HashMap<(Box<[Act]>, Outcome), NodeId>,
}

/// What executing the rest of a call counts as.
const RUN_WORK: u64 = 100;

/// A place in the tree where a walk may go on: a node whose actions have been performed, or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(NodeId);

impl Tree {
    pub(super) fn new(code: &Code, values: &[Option<Box<[i32]>>]) -> Self {
        let mut tree = Self {
            start: Known::hulls(values),
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

    /// A measure of what growing took: instructions looked at.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    pub(super) fn root() -> Place {
        Place(UNPERFORMED)
    }

    /// Walks from the root as far as the input does not matter.
    pub(super) fn walk_shared(&mut self, code: &Code, desk: &mut Desk) -> Place {
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

    /// How the call ends whatever the input, if that is so at a place.
    pub(super) fn outcome(&self, Place(id): Place) -> Option<Outcome> {
        match self.nodes.get(id as usize)?.look {
            Look::Done(outcome) => Some(outcome),
            _ => None,
        }
    }

    /// Walks from a place to the end of the call.
    pub(super) fn walk(&mut self, code: &Code, Place(id): Place, desk: &mut Desk, input: InputId) -> Outcome {
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

    /// The place of the child in the table.
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

    /// Executes the rest of a call as it is, from where a node ends.
    fn run(&mut self, code: &Code, id: NodeId, desk: &mut Desk, input: InputId) -> Outcome {
        desk.log_all();
        let snapshot = self.snapshots[id as usize].as_ref().expect("the call goes on");
        for &(cell, value) in &snapshot.pending {
            desk.cells[cell as usize] = value;
        }
        self.point.clone_from(&snapshot.point);
        self.work += RUN_WORK;
        code.run(&mut self.point, &mut desk.cells, input, &mut desk.stack)
    }

    /// Builds the child of a node that `children[child]` stands for, unless the tree is large enough.
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
        // Neighbours of a table that stand for the same part of the numbers.
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
                // The branch is decided: past it.
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

    /// Builds the node for a position with what is known there.
    fn build(&mut self, code: &Code, mut known: Known, mut point: Point, mut pending: Vec<(u32, i32)>) -> NodeId {
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

    /// The end of calls that does what the acts from `first` on do; from now on that is `id`, if there is none yet.
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

    fn snapshot(&mut self, point: Point, known: &Known, pending: Vec<(u32, i32)>) -> Snapshot {
        let differs = |&(cell, interval): &(usize, &Interval)| *interval != self.start.cells[cell];
        let cells = known.cells.iter().enumerate().filter(differs).map(|(cell, &interval)| (position(cell), interval));
        let snapshot = Snapshot { cells: cells.collect(), input: known.input, pending: pending.into(), point };
        self.bytes += size_of_val(&*snapshot.cells) + size_of_val(&*snapshot.pending) + 4 * snapshot.point.frames.len();
        snapshot
    }

    fn assign(&mut self, code: &Code, (cell, span): (u32, Span), known: &mut Known, pending: &mut Vec<(u32, i32)>) {
        let interval = self.judge.judge(code, span, known);
        if let Some(value) = interval.and_then(Interval::single) {
            // Where it is known to have the value, it has it, or will have it.
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

    /// The assignment as a look-up, if its value hangs on a cell that has few, and never crashes; and the values it
    /// may assign.
    fn lookup(&mut self, code: &Code, (to, span): (u32, Span), known: &mut Known) -> Option<(Act, Interval)> {
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

    /// Puts values into their cells.
    fn flush(&mut self, pending: &mut Vec<(u32, i32)>) {
        self.acts.extend(pending.drain(..).map(|(cell, value)| Act::Set(cell, value)));
    }

    /// What to look at for a condition that is open.
    fn look(&mut self, code: &Code, condition: Span, known: &Known, pending: &mut Vec<(u32, i32)>) -> Look {
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

    /// Looks between which cuts a cell's value lies.
    fn split(&mut self, cell: u32, all: Interval) -> Look {
        let cuts = inner(&self.tests.cuts[cell as usize], all);
        let (low, high) = (cuts[0], cuts[cuts.len() - 1]);
        // One value before the first cut stands for all that are.
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

/// Marks a place whose actions are still to be performed.
const UNPERFORMED: NodeId = 1 << 31;

fn position(n: usize) -> u32 {
    u32::try_from(n).expect("positions are 32 bits")
}

/// The cuts that cut an interval in two.
fn inner(cuts: &[i32], all: Interval) -> &[i32] {
    let from = cuts.partition_point(|&cut| cut <= all.lo);
    let to = cuts.partition_point(|&cut| cut <= all.hi);
    &cuts[from..to.max(from)]
}

/// The part of an interval between the cuts around a value in it.
fn part(cuts: &[i32], all: Interval, value: i32) -> Interval {
    let above = cuts.partition_point(|&cut| cut <= value);
    let low = if above == 0 { all.lo } else { all.lo.max(cuts[above - 1]) };
    let high = cuts.get(above).map_or(all.hi, |&cut| all.hi.min(cut - 1));
    Interval { lo: low, hi: high }
}

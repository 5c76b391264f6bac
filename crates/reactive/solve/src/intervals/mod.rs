//! Proves that error labels of reactive programs cannot be reached. It is meant for programs with too many
//! values to explore.
//!
//! ```
//! use impasse_reactive::intervals::Intervals;
//! use model::reactive::{Arm, Binary, Block, Builder, Convention, Expr, Stmt};
//! use model::{Budget, Certificate, Claim, Engine, Goal, ReactiveTask, Turn};
//!
//! // if (x < 1000000) x = x + 1; else if (x > 1000000) error 3;
//! let mut parts = Builder::new();
//! parts.input(1);
//! let (x, error, main) = (parts.var("x", 0), parts.error(3), parts.declare("main"));
//! let [value, one, most] = [Expr::Var(x), Expr::Const(1), Expr::Const(1_000_000)].map(|e| parts.expr(e));
//! let [below, next, beyond] = [(Binary::Lt, most), (Binary::Add, one), (Binary::Gt, most)]
//!     .map(|(operator, right)| parts.expr(Expr::Binary(operator, value, right)));
//! let count = Arm { condition: below, body: parts.block(&[Stmt::Assign(x, next)]) };
//! let fail = Arm { condition: beyond, body: parts.block(&[Stmt::Error(error)]) };
//! let arms = parts.arms(&[count, fail]);
//! let body = parts.block(&[Stmt::If { arms, otherwise: Block::default() }]);
//! parts.define(main, body);
//! let program = parts.finish(main, Convention::Printed).unwrap();
//!
//! let mut engine = Intervals::new(&ReactiveTask::new(program.into(), [Goal::Error(error)], &[]));
//! let turn = engine.run(&mut Budget::unlimited(Default::default()));
//! let Turn::Claims(Claim::Safe { certificate, .. }) = turn else { panic!() };
//! let Certificate::Valuations(found) = certificate else { panic!() };
//! assert!(found.rows.len() < 10, "a million values are in a few intervals");
//! ```
//!
//! Variables that are only assigned constants stay exact. The others are represented by intervals between cuts.
//! The first cuts are where the program's conditions distinguish numbers; the arithmetic of the RERS challenge
//! programs moves numbers between exactly these ranges. Abstract states, tuples of values and intervals, are
//! explored breadth first. Labels that no abstract call reaches are claimed unreachable, with the set of
//! abstract states as evidence ([`model::Valuations`]). For the other labels, cuts are added where abstract
//! traces turn out not to be real, and the exploration is repeated.
//!
//! [`Intervals`] is the engine for error labels. [`IntervalsLtl`] decides temporal formulas.

mod boxes;
mod calls;
mod eval;
mod layout;
mod refine;
mod run;
mod space;
mod temporal;
#[cfg(test)]
mod tests;
mod tree;
mod values;
mod words;

pub use temporal::IntervalsLtl;

use eval::Codes;
use layout::Layout;
use model::{
    Budget, Certificate, Claim, Engine, ErrorId, EventId, Goal, InputId, Reactive, ReactiveTask, Reason, StateSet,
    Stats, Trace, Turn, Valuations,
};
use refine::{Replay, Replayer};
use search::{StateId, StateTable};
use space::{Asks, Progress, Space};
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Maximal number of abstract states. Beyond it the engine gives up.
const MOST_STATES: usize = 1 << 23;

/// The status of a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Label {
    Open,
    /// Claimed, settled by another engine, or excluded from refinement.
    Closed,
    /// Reached by an abstract trace that no cut removes. A later round may find another trace.
    Stuck,
}

#[derive(Debug)]
enum Stage {
    Explore,
    /// Traces still to be replayed, and the cuts so far.
    Refine {
        traces: VecDeque<ErrorId>,
        cuts: Vec<(usize, i32)>,
    },
    Claim {
        cuts: Vec<(usize, i32)>,
    },
    Done,
}

/// The engine of interval abstraction with refinement.
pub struct Intervals {
    program: Arc<Reactive>,
    layout: Layout,
    space: Space,
    stage: Stage,
    labels: BTreeMap<ErrorId, Label>,
    /// True if a real run reaches undefined behaviour. Then no label can be claimed unreachable.
    is_undefined: bool,
    codes: Codes,
    exact: Codes,
    /// Labels that real traces reach, each with the inputs of the trace.
    real: VecDeque<(ErrorId, Vec<InputId>)>,
    rounds: u64,
    /// Number of abstract states in all rounds together.
    states: u64,
    transitions: u64,
}

impl Intervals {
    /// Makes the engine for the error goals of `task`.
    #[must_use]
    pub fn new(task: &ReactiveTask) -> Self {
        let program = Arc::clone(task.program());
        let layout = Layout::of(&program);
        let space = Space::new(&program, &layout, Asks::Labels);
        let labels = task.errors().iter().filter_map(|&goal| match goal {
            Goal::Error(error) => Some((error, Label::Open)),
            _ => None,
        });
        // Undefined behaviour must be unreachable, too.
        let undefined = program.undefined().map(|label| (label, Label::Open));
        Self {
            layout,
            space,
            stage: Stage::Explore,
            labels: labels.chain(undefined).collect(),
            is_undefined: false,
            codes: Codes::default(),
            exact: Codes::wrapping(),
            real: VecDeque::new(),
            rounds: 0,
            states: 0,
            transitions: 0,
            program,
        }
    }

    fn open(&self) -> impl Iterator<Item = ErrorId> + '_ {
        self.labels.iter().filter(|(_, label)| **label != Label::Closed).map(|(error, _)| *error)
    }

    fn asked(&self) -> impl Iterator<Item = ErrorId> + '_ {
        self.open().filter(|error| Some(*error) != self.program.undefined())
    }

    fn explore(&mut self, budget: &mut Budget) -> Option<Turn> {
        match self.space.explore(&self.program, &self.layout, &mut self.codes, MOST_STATES, budget) {
            Progress::More => return Some(Turn::More),
            Progress::Failed => {
                self.stage = Stage::Done;
                // Frees the memory for other engines.
                self.space = Space::new(&self.program, &self.layout, Asks::Labels);
            }
            Progress::Complete => {
                self.rounds += 1;
                self.states += self.space.table.len() as u64;
                self.transitions += self.space.transitions;
                let traces = self.open().filter(|e| self.space.met[e.index()].is_some()).collect();
                self.stage = Stage::Refine { traces, cuts: Vec::new() };
            }
        }
        None
    }

    /// Replays one trace.
    fn refine(&mut self, budget: &mut Budget) -> Option<Turn> {
        let Stage::Refine { traces, cuts } = &mut self.stage else { return None };
        let Some(error) = traces.pop_front() else {
            let cuts = std::mem::take(cuts);
            self.stage = Stage::Claim { cuts };
            return None;
        };
        let last = self.space.met[error.index()]?;
        let mut replayer = Replayer {
            program: &self.program,
            layout: &self.layout,
            space: &self.space,
            codes: &mut self.codes,
            exact: &mut self.exact,
            work: 0,
        };
        let replay = replayer.replay(Some(error), last);
        let work = replayer.work;
        let label = match replay {
            Replay::Real(_) if Some(error) == self.program.undefined() => {
                self.is_undefined = true;
                Label::Closed
            }
            Replay::Real(word) => {
                self.real.push_back((error, word));
                Label::Closed
            }
            Replay::Cuts(more) => {
                cuts.extend(more);
                Label::Open
            }
            Replay::Stuck => Label::Stuck,
        };
        self.labels.insert(error, label);
        (!budget.spend(1 + work / 8)).then_some(Turn::More)
    }

    /// Claims the results of this round, and starts the next one.
    fn claim(&mut self) -> Option<Turn> {
        let Stage::Claim { cuts } = &mut self.stage else { return None };
        let cuts = std::mem::take(cuts);
        if self.is_undefined {
            self.stage = Stage::Done;
            let goals = self.asked().map(Goal::Error).collect();
            return Some(Turn::Claims(Claim::Unknown { goals, reason: Reason::Undefined }));
        }
        let is_defined = self.program.undefined().is_none_or(|label| self.space.met[label.index()].is_none());
        let mut proved: Vec<ErrorId> = self.asked().filter(|e| self.space.met[e.index()].is_none()).collect();
        proved.retain(|_| is_defined);
        for error in &proved {
            self.labels.insert(*error, Label::Closed);
        }
        let rows = (!proved.is_empty()).then(|| Rows { layout: self.layout.clone(), table: self.space.table.clone() });
        let is_finer = self.layout.cut_all(&cuts);
        self.stage = Stage::Done;
        if is_finer && self.asked().next().is_some() {
            self.space = Space::new(&self.program, &self.layout, Asks::Labels);
            self.stage = Stage::Explore;
        }
        let rows = rows?;
        let slots = rows.layout.slots.iter().map(|slot| (slot.var, slot.holds())).collect();
        Some(Turn::Claims(Claim::Safe {
            goals: proved.into_iter().map(Goal::Error).collect(),
            certificate: Certificate::Valuations(Box::new(Valuations { slots, rows: Box::new(rows) })),
        }))
    }

    fn real(&mut self) -> Option<Turn> {
        let (error, word) = self.real.pop_front()?;
        let mut trace = Trace::new(Box::from([]));
        for letter in word {
            trace.push(EventId(letter.0), None);
        }
        Some(Turn::Claims(Claim::Unsafe { goal: Goal::Error(error), trace, candidate: false }))
    }
}

impl Engine for Intervals {
    fn name(&self) -> &'static str {
        "intervals"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(turn) = self.real() {
                return turn;
            }
            if budget.work == 0 || budget.stop.raised().is_some() {
                return Turn::More;
            }
            let turn = match self.stage {
                Stage::Explore => self.explore(budget),
                Stage::Refine { .. } => self.refine(budget),
                Stage::Claim { .. } => self.claim(),
                Stage::Done => return Turn::Done,
            };
            if let Some(turn) = turn {
                return turn;
            }
        }
    }

    fn refused(&mut self, _goal: Goal) {
        // Never called, because the claims of this engine are no candidates.
    }

    fn settled(&mut self, goals: &[Goal]) {
        for goal in goals {
            if let Goal::Error(error) = goal
                && let Some(label) = self.labels.get_mut(error)
            {
                *label = Label::Closed;
            }
        }
        self.real.retain(|(error, _)| !goals.contains(&Goal::Error(*error)));
        if self.asked().next().is_none() {
            self.stage = Stage::Done;
        }
    }

    fn stats(&self) -> Stats {
        let cuts: usize = self.layout.slots.iter().map(|s| s.codes()).sum();
        let more = BTreeMap::from([
            ("rounds", self.rounds),
            ("codes", cuts as u64),
            ("tree_nodes", self.space.nodes() as u64),
        ]);
        let running = if let Stage::Explore = self.stage { self.space.table.len() as u64 } else { 0 };
        Stats {
            states: self.states + running,
            transitions: self.transitions,
            lemmas: BTreeMap::new(),
            more,
            grown: None,
        }
    }
}

/// The abstract states as evidence.
#[derive(Debug)]
struct Rows {
    layout: Layout,
    table: StateTable,
}

impl StateSet for Rows {
    fn len(&self) -> u64 {
        self.table.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut row = vec![0; self.layout.slots.len()];
        for i in 0..self.table.len() {
            let state = self.table.get(StateId::new(i));
            for (at, slot) in row.iter_mut().zip(&self.layout.slots) {
                *at = slot.told(slot.get(state));
            }
            visit(&row)?;
        }
        ControlFlow::Continue(())
    }
}

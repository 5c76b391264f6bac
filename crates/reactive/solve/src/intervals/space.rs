//! The set of abstract states, explored breadth first. It stores how each state was reached and which labels
//! calls from it may reach.

use crate::intervals::eval::Codes;
use crate::intervals::layout::Layout;
use crate::intervals::run::{CallOutput, End};
use crate::intervals::tree::{Effect, Tree};
use model::{Budget, InputId, Reactive};
use search::{StateId, StateTable};

/// Maximal number of successors of one way. With more, the intervals are useless.
const MOST_SUCCESSORS: u64 = 1 << 16;

/// Bytes by which the decision trees may grow for one state. Each of their nodes stores the knowledge about all
/// slots.
const TREE_GROWTH: usize = 4 << 20;

/// The state of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// The budget is used up; the exploration can be continued.
    More,
    /// All abstract states have been expanded.
    Complete,
    /// The exploration has failed: there are too many states, or the abstraction cannot represent an assigned
    /// value.
    Failed,
}

/// The abstract states of a layout.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) table: StateTable,
    /// For each state, its predecessor and input. The entry of the first state is meaningless.
    parents: Vec<(u32, u32)>,
    next: usize,
    tree: Tree,
    /// For each error, the first call that may end there.
    pub(crate) met: Vec<Option<(StateId, InputId)>>,
    pub(crate) transitions: u64,
    asks: Asks,
    /// For [`Asks::Words`]: the first calls with more than one way, at most [`MOST_VAGUE`].
    pub(crate) vague: Vec<(StateId, InputId)>,
    /// For [`Asks::Words`]: true if some call may output one of several letters.
    pub(crate) is_unclear: bool,
}

/// The purpose of the exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Asks {
    /// Find the labels that may be reached. Runs continue after invalid calls.
    Labels,
    /// Find the infinite words. Invalid calls are ignored.
    Words,
}

/// Maximal number of calls that are refined at once.
const MOST_VAGUE: usize = 256;

impl Space {
    /// Makes the space with only the initial state.
    pub(crate) fn new(program: &Reactive, layout: &Layout, asks: Asks) -> Self {
        let mut table = StateTable::new(layout.words);
        let mut state = vec![0; layout.words];
        layout.initial(program, &mut state);
        table.intern(&state);
        Self {
            table,
            parents: vec![(0, 0)],
            next: 0,
            tree: Tree::new(program, layout),
            met: vec![None; program.errors().len()],
            transitions: 0,
            asks,
            vague: Vec::new(),
            is_unclear: false,
        }
    }

    /// Nodes of the decision trees.
    pub(crate) fn nodes(&self) -> usize {
        self.tree.len()
    }

    /// The calls that lead to a state, from the first to the last, each with its state and input.
    pub(crate) fn path(&self, mut state: StateId) -> Vec<(StateId, InputId)> {
        let mut path = Vec::new();
        while state.index() > 0 {
            let (parent, letter) = self.parents[state.index()];
            state = StateId::new(parent as usize);
            path.push((state, InputId(letter)));
        }
        path.reverse();
        path
    }

    /// Expands states until none is left, there are too many, or the budget is used up.
    pub(crate) fn explore(
        &mut self,
        program: &Reactive,
        layout: &Layout,
        codes: &mut Codes,
        most: usize,
        budget: &mut Budget,
    ) -> Progress {
        let mut state = vec![0; layout.words];
        let mut successor = vec![0; layout.words];
        while self.next < self.table.len() {
            if self.table.len() > most {
                return Progress::Failed;
            }
            let from = StateId::new(self.next);
            state.copy_from_slice(self.table.get(from));
            let (work, seen) = (self.tree.work, self.transitions);
            for letter in 0..program.inputs().len() {
                let input = InputId::new(letter);
                let (table, parents) = (&mut self.table, &mut self.parents);
                let (met, transitions) = (&mut self.met, &mut self.transitions);
                let (mut is_failed, mut only, mut is_vague, mut is_unclear) = (false, None, false, false);
                let asks = self.asks;
                self.tree.call(program, layout, codes, &state, input, &mut |end, effects| match end {
                    End::Stops => is_vague |= *only.get_or_insert((end, StateId::new(0))) != (end, StateId::new(0)),
                    End::TooCoarse => is_failed = true,
                    End::Error(error) => {
                        is_vague |= *only.get_or_insert((end, StateId::new(0))) != (end, StateId::new(0));
                        met[error.index()].get_or_insert((from, input));
                    }
                    End::Continues(CallOutput::Invalid) if asks == Asks::Words => {
                        is_vague |= *only.get_or_insert((end, StateId::new(0))) != (end, StateId::new(0));
                    }
                    End::Continues(said) => {
                        is_unclear |= said == CallOutput::Unclear;
                        successor.copy_from_slice(&state);
                        is_failed |= !products(layout, effects, &mut successor, &mut |successor| {
                            *transitions += 1;
                            let (to, is_new) = table.intern(successor);
                            if is_new {
                                parents.push((from.index() as u32, letter as u32));
                            }
                            is_vague |= *only.get_or_insert((end, to)) != (end, to);
                        });
                    }
                });
                self.is_unclear |= is_unclear;
                if (is_vague || is_unclear) && asks == Asks::Words && self.vague.len() < MOST_VAGUE {
                    self.vague.push((from, input));
                }
                if is_failed {
                    return Progress::Failed;
                }
            }
            self.next += 1;
            let spent = 1 + (self.tree.work - work) / 8 + (self.transitions - seen) / 8;
            if !budget.stop.has_room(self.table.growth_bytes() + TREE_GROWTH) {
                return Progress::Failed;
            }
            if !budget.spend(spent) {
                return Progress::More;
            }
        }
        Progress::Complete
    }
}

/// Passes every combination of codes that the effects allow to `sink`. Returns false if there are too many.
pub(crate) fn products(layout: &Layout, effects: &[Effect], state: &mut [u64], sink: &mut dyn FnMut(&[u64])) -> bool {
    let count = effects.iter().try_fold(1_u64, |n, e| n.checked_mul(u64::from(e.last - e.first) + 1));
    if count.is_none_or(|n| n > MOST_SUCCESSORS) {
        return false;
    }
    for effect in effects {
        layout.slots[effect.slot as usize].set(state, effect.first);
    }
    loop {
        sink(state);
        // Increments the codes like digits of a number.
        let next = effects.iter().find(|effect| {
            let slot = &layout.slots[effect.slot as usize];
            let code = slot.get(state);
            slot.set(state, if code < effect.last { code + 1 } else { effect.first });
            code < effect.last
        });
        if next.is_none() {
            return true;
        }
    }
}

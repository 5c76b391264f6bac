//! Refinement until every call from an abstract state has one way. Then the abstraction has the same infinite
//! words as the program.
//!
//! 1. If every call has one way, the abstract run over an input word has the outputs of the program's run.
//!    Proof: each call of the program follows some way of the abstract call, and there is only one. Temporal
//!    formulas can therefore be decided on the abstract states, even if the values are too many to explore.
//! 2. Before that, the abstraction has all words of the program and possibly more. A formula that all words of
//!    the abstraction satisfy holds in the program.
//!
//! Invalid calls are ignored here, together with their effects on variables.

use crate::intervals::MOST_STATES;
use crate::intervals::calls::CellCalls;
use crate::intervals::eval::Codes;
use crate::intervals::layout::Layout;
use crate::intervals::refine::{Replay, Replayer};
use crate::intervals::space::{Asks, Progress, Space};
use model::{Budget, InputId, Reactive, Stats};
use search::StateId;
use std::collections::VecDeque;
use std::sync::Arc;

/// The state of the refinement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refined {
    /// The budget is used up; the refinement can be continued.
    More,
    /// All states have been explored, but some calls have several ways. The refinement can be continued.
    Vague,
    /// Every call has one way.
    Exact,
    /// The refinement does not reach one way for each call.
    Failed,
}

/// Maximal number of rounds.
const MOST_ROUNDS: u64 = 200;

/// With more states, or more calls, formulas are not checked before every call has one way.
const MOST_VAGUE_STATES: usize = 1 << 18;
const MOST_VAGUE_CALLS: u64 = 1 << 24;

/// Calls with more than one way.
type Vague = VecDeque<(StateId, InputId)>;

/// The abstraction of a program that is refined until calls have one way.
pub(crate) struct Words {
    program: Arc<Reactive>,
    layout: Layout,
    space: Space,
    codes: Codes,
    exact: Codes,
    /// Calls to be refined, and the cuts so far. `None` while exploring.
    refining: Option<(Vague, Vec<(usize, i32)>)>,
    rounds: u64,
    refined: Refined,
    /// Number of abstract states at the last check of formulas.
    paused_at: usize,
}

impl Words {
    /// Makes the coarsest abstraction in a pass over the program. Nothing is explored yet.
    pub(crate) fn new(program: Arc<Reactive>) -> Self {
        let layout = Layout::of(&program);
        let space = Space::new(&program, &layout, Asks::Words);
        Self {
            paused_at: 0,
            layout,
            space,
            codes: Codes::default(),
            exact: Codes::wrapping(),
            refining: None,
            rounds: 0,
            refined: Refined::More,
            program,
        }
    }

    /// Explores and cuts until every call has one way, or the budget is used up.
    pub(crate) fn refine(&mut self, budget: &mut Budget) -> Refined {
        while self.refined == Refined::More && budget.work > 0 && budget.stop.raised().is_none() {
            match self.refining.take() {
                None => {
                    self.explore(budget);
                    if self.is_worth_a_look() {
                        return Refined::Vague;
                    }
                }
                Some((calls, cuts)) => self.replay(calls, cuts, budget),
            }
        }
        self.refined
    }

    /// True if it is worthwhile to check formulas now: some calls have several ways, but no call may output one
    /// of several letters, and the number of states has more than doubled since the last check.
    fn is_worth_a_look(&mut self) -> bool {
        let states = self.space.table.len();
        let is_vague = self.refined == Refined::More && self.refining.is_some();
        let is_small = states < MOST_VAGUE_STATES && self.space.transitions < MOST_VAGUE_CALLS;
        let is_worth = is_vague && !self.space.is_unclear && states > 2 * self.paused_at && is_small;
        if is_worth {
            self.paused_at = states;
        }
        is_worth
    }

    fn explore(&mut self, budget: &mut Budget) {
        match self.space.explore(&self.program, &self.layout, &mut self.codes, MOST_STATES, budget) {
            Progress::More => {}
            Progress::Failed => self.refined = Refined::Failed,
            Progress::Complete if self.space.vague.is_empty() => self.refined = Refined::Exact,
            Progress::Complete => {
                self.rounds += 1;
                let calls = self.space.vague.iter().copied().collect();
                self.refining = Some((calls, Vec::new()));
                if self.rounds > MOST_ROUNDS {
                    self.refined = Refined::Failed;
                }
            }
        }
    }

    fn replay(&mut self, mut calls: Vague, mut cuts: Vec<(usize, i32)>, budget: &mut Budget) {
        while let Some(call) = calls.pop_front() {
            let mut replayer = Replayer {
                program: &self.program,
                layout: &self.layout,
                space: &self.space,
                codes: &mut self.codes,
                exact: &mut self.exact,
                work: 0,
            };
            if let Replay::Cuts(more) = replayer.replay(None, call) {
                cuts.extend(more);
            }
            let work = replayer.work;
            if !budget.spend(1 + work / 8) {
                self.refining = Some((calls, cuts));
                return;
            }
        }
        if self.layout.cut_all(&cuts) {
            self.space = Space::new(&self.program, &self.layout, Asks::Words);
        } else {
            self.refined = Refined::Failed;
        }
    }

    /// The calls between the abstract states of the last exploration.
    pub(crate) fn calls(&self) -> CellCalls {
        CellCalls::new(Arc::clone(&self.program), self.layout.clone(), self.refined == Refined::Exact)
    }

    /// The statistics so far.
    pub(crate) fn stats(&self) -> Stats {
        let codes: usize = self.layout.slots.iter().map(|s| s.codes()).sum();
        let more = [("rounds", self.rounds), ("codes", codes as u64), ("vague", self.space.vague.len() as u64)];
        Stats {
            states: self.space.table.len() as u64,
            transitions: self.space.transitions,
            more: more.into(),
            ..Stats::default()
        }
    }
}

//! Cells so fine that every call from an abstract state has one way: then the abstraction spells the program's infinite words.
//!
//! With one way per call, the abstract run over an input word has the outputs of the program's run, whatever the values are:
//! temporal formulas can be decided on the abstract states, which are few where the values are many. Invalid calls count for
//! nothing here, and what they do to variables neither. On the way there the abstraction spells more words than the program: what
//! all of them satisfy is settled already.

use crate::MOST_STATES;
use crate::calls::CellCalls;
use crate::eval::Codes;
use crate::layout::Layout;
use crate::refine::{Replay, Replayer};
use crate::space::{Asks, Progress, Space};
use model::{Budget, InputId, Reactive, Stats};
use std::collections::VecDeque;
use std::sync::Arc;
use store::StateId;

/// How the refinement stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refined {
    /// Call again.
    More,
    /// All is explored, but calls have several ways. Call again to refine.
    Vague,
    /// Every call has one way.
    Exact,
    /// Cells do not get there.
    Failed,
}

/// After so many rounds without an end there is none.
const MOST_ROUNDS: u64 = 200;

/// Larger spaces are not looked at before they are exact.
const MOST_VAGUE_STATES: usize = 1 << 18;
const MOST_VAGUE_CALLS: u64 = 1 << 24;

/// Calls with more than one way.
type Vague = VecDeque<(StateId, InputId)>;

/// Cells of a program, to be refined until calls have one way.
pub(crate) struct Words {
    program: Arc<Reactive>,
    layout: Layout,
    space: Space,
    codes: Codes,
    exact: Codes,
    /// Calls to refine, and the cuts so far; none while exploring.
    refining: Option<(Vague, Vec<(usize, i32)>)>,
    rounds: u64,
    refined: Refined,
    /// Abstract states at the last pause.
    paused_at: usize,
}

impl Words {
    /// Nothing is explored yet. Cost: a pass over the program.
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

    /// Explores and cuts until every call has one way, or the budget ends.
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

    /// Are there calls with several ways, but not with several letters, and many more states than at the last pause?
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

    /// The calls between the abstract states explored last.
    pub(crate) fn calls(&self) -> CellCalls {
        CellCalls::new(Arc::clone(&self.program), self.layout.clone(), self.refined == Refined::Exact)
    }

    /// The counts so far.
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

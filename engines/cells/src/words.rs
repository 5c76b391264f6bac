//! Cells so fine that every call from an abstract state has one way: then the abstraction spells the program's infinite words.
//!
//! With one way per call, the abstract run over an input word has the outputs of the program's run, whatever the values are:
//! temporal formulas can be decided on the abstract states, which are few where the values are many. Invalid calls count for
//! nothing here, and what they do to variables neither.

use crate::MOST_STATES;
use crate::boxes;
use crate::eval::Codes;
use crate::interval::Interval;
use crate::layout::Layout;
use crate::refine::{Replay, Replayer};
use crate::run::{End, Said};
use crate::space::{Asks, Progress, Space};
use hashbrown::HashMap;
use model::{Budget, EventId, Holds, InputId, Outcome, Reactive, Stats, Trace, VarId};
use std::collections::VecDeque;
use std::sync::Arc;
use store::StateId;

/// How the refinement stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refined {
    /// Call again.
    More,
    /// Every call has one way.
    Exact,
    /// Cells do not get there.
    Failed,
}

/// After so many calls a run that has not come back to its values is given up.
const MOST_CALLS: u64 = 100_000;

/// After so many rounds without an end there is none.
const MOST_ROUNDS: u64 = 200;

/// Calls with more than one way.
type Vague = VecDeque<(StateId, InputId)>;

/// Cells of a program, to be refined until calls have one way.
pub struct Words {
    program: Arc<Reactive>,
    layout: Layout,
    space: Space,
    codes: Codes,
    exact: Codes,
    /// Calls to refine, and the cuts so far; none while exploring.
    refining: Option<(Vague, Vec<(usize, i32)>)>,
    rounds: u64,
    refined: Refined,
    state: Vec<u64>,
}

impl Words {
    /// Nothing is explored yet. Cost: a pass over the program.
    #[must_use]
    pub fn new(program: Arc<Reactive>) -> Self {
        let layout = Layout::of(&program);
        let space = Space::new(&program, &layout, Asks::Words);
        Self {
            state: vec![0; layout.words],
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
    pub fn refine(&mut self, budget: &mut Budget) -> Refined {
        while self.refined == Refined::More && budget.work > 0 && budget.stop.raised().is_none() {
            match self.refining.take() {
                None => self.explore(budget),
                Some((calls, cuts)) => self.replay(calls, cuts, budget),
            }
        }
        self.refined
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
            self.state = vec![0; self.layout.words];
        } else {
            self.refined = Refined::Failed;
        }
    }

    /// What states are made of, as in [`model::Valuations`].
    #[must_use]
    pub fn slots(&self) -> Vec<(VarId, Holds)> {
        self.layout.slots.iter().map(|slot| (slot.var, slot.holds())).collect()
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Arc<Reactive> {
        &self.program
    }

    /// The state before the first call: a value or the number of a cell for each slot.
    #[must_use]
    pub fn initial(&self) -> Vec<i32> {
        let state = self.space.table.get(StateId::new(0));
        self.layout.slots.iter().map(|slot| slot.told(slot.get(state)) as i32).collect()
    }

    /// A call; writes the state after it to `to`, if there is one. Only once all is [`Refined::Exact`].
    pub fn step(&mut self, from: &[i32], input: InputId, to: &mut [i32]) -> Outcome {
        debug_assert_eq!(self.refined, Refined::Exact);
        for (slot, &value) in self.layout.slots.iter().zip(from) {
            if let Some(code) = slot.code(value) {
                slot.set(&mut self.state, code);
            }
        }
        let mut outcome = Outcome::Crash;
        let layout = &self.layout;
        to.copy_from_slice(from);
        self.space.call(&self.program, layout, &mut self.codes, &self.state, input, &mut |end, effects| {
            outcome = match end {
                End::Continues(Said::Output(letter)) => Outcome::Output(letter),
                End::Continues(Said::Silent) => Outcome::Silent,
                End::Continues(Said::Invalid | Said::Unclear) => Outcome::Invalid,
                End::Error(error) => Outcome::Error(error),
                End::Stops | End::TooCoarse => Outcome::Crash,
            };
            for effect in effects {
                to[effect.slot as usize] = layout.slots[effect.slot as usize].told(effect.first) as i32;
            }
        });
        outcome
    }

    /// A run that comes back to the same cells, as one that comes back to the very same values; `None` if that takes too long.
    /// It makes the same calls, but perhaps goes round several times before and in the loop.
    pub(crate) fn close(&mut self, trace: &Trace) -> Option<Trace> {
        let from = usize::try_from(trace.repeats_from?).ok()?;
        let words =
            trace.runs().iter().flat_map(|run| run.word.iter().cycle().take(run.word.len() * run.times as usize));
        let inputs: Vec<InputId> = words.map(|step| InputId(step.event.0)).collect();
        let (stem, round) = inputs.split_at_checked(from)?;
        let slots = self.layout.slots.iter();
        let mut now: Vec<Interval> = slots.map(|s| Interval::point(self.program.initial()[s.var.index()])).collect();
        stem.iter().try_for_each(|&input| self.single(&mut now, input))?;
        let mut seen: HashMap<Vec<i32>, u64> = HashMap::new();
        for rounds in 0..MOST_CALLS / round.len().max(1) as u64 {
            let values = now.iter().map(|value| value.lo).collect();
            if let Some(&back) = seen.get(&values) {
                return Some(looped(stem, round, back, rounds));
            }
            seen.insert(values, rounds);
            round.iter().try_for_each(|&input| self.single(&mut now, input))?;
        }
        None
    }

    /// One call from single values that neither stops nor is invalid.
    fn single(&mut self, now: &mut Vec<Interval>, input: InputId) -> Option<()> {
        let letter = self.program.input(input);
        let ways = boxes::ways(&self.program, &self.layout, &mut self.exact, letter, now, &mut 0)?;
        let [way] = ways.as_slice() else { return None };
        let goes_on = matches!(way.end, End::Continues(Said::Output(_) | Said::Silent));
        now.clone_from(&way.after);
        (goes_on && now.iter().all(|value| value.single().is_some())).then_some(())
    }

    /// The counts so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
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

/// The stem, then `back` rounds, then the rounds from there to `rounds` for ever.
fn looped(stem: &[InputId], round: &[InputId], back: u64, rounds: u64) -> Trace {
    let event = |input: &InputId| EventId(input.0);
    let mut trace = Trace::new(Box::from([]));
    stem.iter().for_each(|input| trace.push(event(input), None));
    let word: Vec<EventId> = round.iter().map(event).collect();
    trace.push_repeat(word.clone(), back);
    trace.push_repeat(word, rounds - back);
    trace.repeats_from = Some(stem.len() as u64 + back * round.len() as u64);
    trace
}

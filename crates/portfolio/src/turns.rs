//! The scheduler: engines take turns. Turns are measured in work, not in seconds, so that the same input
//! always gives the same answer.
//!
//! Stride scheduling (Waldspurger and Weihl 1995): the next turn goes to the engine that has done the least
//! work relative to its share. A turn is a fixed fraction of the work that the engine has done before, so the
//! number of turns is logarithmic in the work. Work units of different engines have different costs. The
//! costs are known from measurements ([`crate::entrant::Terms`]), so that equal work takes about equal time.
//!
//! Shares apply only after a start phase, in which all engines are equal. Easy problems are then settled at
//! once, whichever engine can settle them. An engine that is done leaves its share to the others. Consequence:
//! if an engine e alone would settle a goal with work w, all engines together settle it with at most the sum of
//! three amounts: w times the sum of all shares divided by the share of e, the start phases of all engines, and
//! the last turn of each engine.
//!
//! With several jobs, engines work side by side: a round is one turn of each of the next few engines, on as many
//! threads. The results of a round are used in the order of the engines, whichever ends first. So the answers do not
//! depend on the speed of the threads, and neither do the runs.

mod side_by_side;
#[cfg(test)]
mod tests;

use crate::efforts::{Efforts, Pass, Standing};
use crate::entrant::{Entrant, Nanos, Role};
use crate::ready::ReadyClaims;
use crate::saving::{Checkpoint, Keeper};
use model::{Budget, Claim, Engine, Goal, Reason, Stop, Turn};
use side_by_side::side_by_side;
use std::sync::Arc;

/// The first turn of an engine. It is long enough for a proof that follows directly from lemmas of patterns,
/// and too short to be noticed.
const FIRST_TURN: Nanos = 2_000_000;

/// Work of all engines together in the start phase. Shares apply after it.
const EQUAL_START: Nanos = 60_000_000;

/// Each later turn is this fraction (1/`TURN_FRACTION`) of the work that the engine has done before. Turns
/// are then few, and the overshoot is small.
const TURN_FRACTION: u64 = 8;

/// Work of the other engines before a follower begins: about a tenth of a second. Small problems are decided
/// in this time.
const HEAD_START: Nanos = 100_000_000;

/// Work that a follower may do after the other engines are done, in addition to twice their work: about a
/// second.
const PATIENCE: Nanos = 1_000_000_000;

/// How a turn ended.
struct End {
    turn: Turn,
    /// True if the engine had to end because of the memory limit.
    short_of_memory: bool,
}

/// An entrant and its state in the schedule.
struct Runner<'a> {
    entrant: Entrant<'a>,
    /// Work done.
    spent: Nanos,
    /// Minimum work of the next turn. It differs from `FIRST_TURN` only before the first turn of an assistant
    /// with a positive `ahead` ([`Role::Assistant`]).
    first: Nanos,
    /// Work units that are left of a turn that was interrupted for a checkpoint.
    rest: Option<u64>,
    /// True if the engine has had a turn.
    begun: bool,
    done: bool,
}

impl<'a> Runner<'a> {
    fn new(entrant: Entrant<'a>) -> Self {
        debug_assert!(entrant.terms.share > 0 && entrant.terms.unit > 0);
        let first = match entrant.role {
            Role::Assistant { ahead } if ahead > 0 => {
                // At least a quarter of the usual first turn.
                (FIRST_TURN / 4).max(ahead.saturating_mul(entrant.terms.unit))
            }
            _ => FIRST_TURN,
        };
        Self { entrant, spent: 0, first, rest: None, begun: false, done: false }
    }

    /// Runs the engine for one turn of this length. `alone` says that no other engine is left. `own` is the stop flag
    /// of the turn.
    fn turn(&mut self, own: &Arc<Stop>, due: Nanos, alone: bool, stop: &Arc<Stop>) -> End {
        let unit = self.entrant.terms.unit;
        let allowance = self.rest.take().unwrap_or((due / unit).max(1));
        debug_assert!(allowance > 0, "a turn has work");
        let mut budget = Budget::new(allowance, Arc::clone(own));
        let turn = self.entrant.engine.run(&mut budget);
        let used = match &turn {
            // An engine that reports `More` ends its turn even if it used less than its budget. Otherwise it
            // could starve the others. A turn that is interrupted for a checkpoint goes on.
            Turn::More if !alone && !stop.is_paused() => allowance.saturating_add(budget.over),
            _ => budget.spent_of(allowance),
        };
        self.spent = self.spent.saturating_add(used.saturating_mul(unit));
        self.first = FIRST_TURN;
        if matches!(turn, Turn::More) && stop.raised().is_none() && own.raised() == Some(Reason::Memory) {
            return End { turn: Turn::Done, short_of_memory: true };
        }
        if matches!(turn, Turn::More) && stop.is_paused() && budget.work > 0 {
            self.rest = Some(budget.work);
        }
        self.done = matches!(turn, Turn::Done);
        End { turn, short_of_memory: false }
    }

    fn engine(&self) -> &(dyn Engine + 'a) {
        &*self.entrant.engine
    }

    fn is_assistant(&self) -> bool {
        matches!(self.entrant.role, Role::Assistant { .. })
    }

    fn is_follower(&self) -> bool {
        self.entrant.role == Role::Follower
    }

    /// Replaces the engine by its name and counts.
    fn retire(&mut self) {
        self.entrant.engine = Box::new(ReadyClaims::retired(self.engine()));
        self.done = true;
    }
}

/// Identifies a runner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RunnerId(usize);

/// All runners, in order of precedence.
#[derive(Default)]
pub(crate) struct Turns<'a> {
    runners: Vec<Runner<'a>>,
    /// True if an engine had to end because of the memory limit.
    short_of_memory: bool,
    keeper: Option<Keeper<'a>>,
    /// Where the work of the engines is recorded.
    told: Option<Pass<'a>>,
}

impl<'a> Turns<'a> {
    /// Creates the runners for the entrants of a plan. Among equals, earlier entrants go first.
    pub(crate) fn of(plan: Vec<Entrant<'a>>) -> Self {
        Self { runners: plan.into_iter().map(Runner::new).collect(), short_of_memory: false, keeper: None, told: None }
    }

    /// Saves the engines in this place, and restores each of them at its first turn. `stage` is a name of the plan.
    pub(crate) fn kept_by(self, place: Option<&'a dyn Checkpoint>, stage: String) -> Self {
        Self { keeper: place.map(|place| Keeper { place, stage }), ..self }
    }

    /// Records what the engines do in `efforts`.
    pub(crate) fn told_to(self, efforts: Option<&'a Efforts>) -> Self {
        Self { told: efforts.map(Efforts::pass), ..self }
    }

    /// Retires each engine that has no open goal, if it works for a list of goals.
    pub(crate) fn retire(&mut self, is_settled: impl Fn(&[Goal]) -> bool) {
        let settled = |r: &&mut Runner<'a>| !r.done && r.entrant.goals.as_ref().is_some_and(|goals| is_settled(goals));
        self.runners.iter_mut().filter(settled).for_each(Runner::retire);
    }

    /// Returns the work of all engines so far, in microseconds.
    pub(crate) fn spent(&self) -> u64 {
        self.runners.iter().map(|r| r.spent).fold(0, u64::saturating_add) / 1_000
    }

    /// Returns the engines that have the next turns, at most `most`. None if no engine has work left, apart from
    /// assistants. A round that was interrupted for a checkpoint goes on first.
    pub(crate) fn round(&self, most: usize) -> Vec<RunnerId> {
        let interrupted = self.runners.iter().enumerate().filter(|(_, r)| !r.done && r.rest.is_some());
        let mut round: Vec<RunnerId> = interrupted.map(|(i, _)| RunnerId(i)).collect();
        if !round.is_empty() {
            return round;
        }
        while let Some(next) = self.next(&round).filter(|_| round.len() < most) {
            round.push(next);
        }
        round
    }

    /// Returns the engine that has the next turn, after those of `chosen`.
    fn next(&self, chosen: &[RunnerId]) -> Option<RunnerId> {
        let lead = || self.runners.iter().filter(|r| !r.is_follower());
        let before = lead().map(|r| r.spent).fold(0, u64::saturating_add);
        let lead_goes_on = lead().any(|r| !r.done && !r.is_assistant());
        let patience = before.saturating_mul(2).saturating_add(PATIENCE);
        let has_turns = |r: &Runner<'a>| match r.is_follower() {
            true if lead_goes_on => before >= HEAD_START,
            true => r.spent < patience,
            false => true,
        };
        let open = || self.runners.iter().enumerate().filter(|(_, r)| !r.done && has_turns(r));
        if open().all(|(_, r)| r.is_assistant()) {
            return None;
        }
        let start = FIRST_TURN.max(EQUAL_START / self.runners.len() as u64);
        let open = open().filter(|(i, _)| !chosen.contains(&RunnerId(*i)));
        open.min_by_key(|(i, r)| (stride(r.spent, start, r.entrant.terms.share), *i)).map(|(i, _)| RunnerId(i))
    }

    /// Runs the engine that has the next turn. Returns `None` if there is none.
    pub(crate) fn one(&mut self, jobs: usize, stop: &Arc<Stop>) -> Option<(RunnerId, Turn)> {
        let next = self.next(&[])?;
        let end = self.run(&[next], jobs, stop).pop().expect("the end of a turn");
        Some((next, end))
    }

    /// Runs these engines for one turn each, on as many threads. Returns how their turns ended. All turns are as
    /// long as the longest that is due, so the threads end at about the same time. Turns are longer if only one
    /// engine is left. The engines share `jobs` threads.
    pub(crate) fn run(&mut self, round: &[RunnerId], jobs: usize, stop: &Arc<Stop>) -> Vec<Turn> {
        let alone = self.runners.iter().filter(|r| !r.done).count() == 1;
        let is_in = |id: usize| round.contains(&RunnerId(id));
        let due = |r: &Runner<'a>| r.first.max(if alone { r.spent } else { r.spent / TURN_FRACTION });
        let due = self.runners.iter().enumerate().filter(|(i, _)| is_in(*i)).map(|(_, r)| due(r)).max().unwrap_or(0);
        let threads = (jobs / round.len().max(1)).max(1);
        round.iter().for_each(|id| self.restore(*id, &Stop::part_of(stop)));
        let mut chosen: Vec<(usize, &mut Runner<'a>, Arc<Stop>)> = Vec::with_capacity(round.len());
        for (i, runner) in self.runners.iter_mut().enumerate().filter(|(i, _)| is_in(*i)) {
            chosen.push((i, runner, Arc::new(Stop::part_of(stop).with_threads(threads))));
        }
        chosen.sort_by_key(|(i, _, _)| round.iter().position(|id| id.0 == *i));
        debug_assert_eq!(chosen.len(), round.len(), "an engine has one turn in a round");
        if let Some(pass) = self.told {
            chosen.iter().for_each(|(i, runner, own)| pass.begin(*i, runner.engine().name(), own));
        }
        let ends = side_by_side(chosen, |(_, runner, own)| runner.turn(own, due, alone, stop));
        self.tell(round, &ends);
        for (id, end) in round.iter().zip(&ends) {
            if end.short_of_memory {
                self.end_for_memory(*id);
            }
        }
        ends.into_iter().map(|end| end.turn).collect()
    }

    /// Records the turns that have ended.
    fn tell(&self, round: &[RunnerId], ends: &[End]) {
        let Some(pass) = self.told else { return };
        for (id, end) in round.iter().zip(ends) {
            let runner = &self.runners[id.0];
            let standing = match end.short_of_memory {
                true => Standing::OutOfMemory,
                false if runner.done => Standing::Done,
                false => Standing::Waiting,
            };
            let reason = match &end.turn {
                Turn::Claims(Claim::Unknown { reason, .. }) => Some(*reason),
                _ => None,
            };
            pass.end(id.0, standing, runner.spent / 1_000, runner.engine().stats(), reason);
        }
    }

    /// Restores an engine that has not begun. If that is not possible, the engine ends.
    fn restore(&mut self, id: RunnerId, stop: &Stop) {
        let runner = &mut self.runners[id.0];
        let Some(keeper) = &self.keeper else { return };
        if !std::mem::replace(&mut runner.begun, true) && !keeper.restore(id.0, &mut *runner.entrant.engine, stop) {
            runner.retire();
            self.short_of_memory |= stop.raised() == Some(Reason::Memory);
        }
    }

    /// Ends an engine, which frees its memory for the other engines. Its work is saved before.
    fn end_for_memory(&mut self, id: RunnerId) {
        self.save(|other| other == id);
        self.runners[id.0].retire();
        self.short_of_memory = true;
    }

    /// Makes a checkpoint of all engines that have begun.
    pub(crate) fn save_all(&mut self) {
        self.save(|_| true);
    }

    fn save(&mut self, is_meant: impl Fn(RunnerId) -> bool) {
        let Some(keeper) = &self.keeper else { return };
        let begun = self.runners.iter_mut().enumerate().filter(|(i, r)| r.begun && !r.done && is_meant(RunnerId(*i)));
        keeper.save(begun.map(|(i, runner)| (i, &mut *runner.entrant.engine)));
    }

    /// Tells all engines except `by` that these goals are settled. `by` settled them, if it is an engine.
    pub(crate) fn settled(&mut self, by: Option<RunnerId>, goals: &[Goal]) {
        let mut goals = goals.to_vec();
        goals.sort_unstable();
        for (i, runner) in self.runners.iter_mut().enumerate() {
            if Some(RunnerId(i)) != by && !runner.done {
                runner.entrant.engine.settled(&goals);
            }
        }
    }

    /// Returns why engines ended although they had work left. `None` if no engine did.
    pub(crate) fn ended_early(&self) -> Option<Reason> {
        self.short_of_memory.then_some(Reason::Memory)
    }

    /// Tells the engine that its candidate traces could not be replayed.
    pub(crate) fn refused(&mut self, id: RunnerId, goals: &[Goal]) {
        goals.iter().for_each(|goal| self.runners[id.0].entrant.engine.refused(*goal));
    }

    pub(crate) fn engine(&self, id: RunnerId) -> &(dyn Engine + 'a) {
        self.runners[id.0].engine()
    }

    /// Returns the engine that provides the counts of the whole state space: the one that was entered for
    /// this purpose, or otherwise the one that has done most of the work.
    pub(crate) fn counting(&self) -> Option<RunnerId> {
        self.runners.iter().position(|r| r.entrant.counts).map(RunnerId).or_else(|| self.busiest())
    }

    /// Returns the engine that has done most of the work. Reports about unsettled goals name it.
    pub(crate) fn busiest(&self) -> Option<RunnerId> {
        let by_work = self.runners.iter().enumerate().max_by_key(|(i, r)| (r.spent, *i));
        by_work.map(|(i, _)| RunnerId(i))
    }
}

/// Returns the progress of an engine in the schedule; the engine with the least progress goes next. Up to
/// `start`, progress is the work done. Work beyond `start` is divided by the share.
fn stride(spent: Nanos, start: Nanos, share: u64) -> u64 {
    if spent <= start { spent } else { start + (spent - start) / share }
}

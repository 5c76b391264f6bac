//! Engines take turns, in work and not in seconds, so that the same input always gives the same answer.
//!
//! Stride scheduling (Waldspurger and Weihl 1995): the next turn goes to the engine that has worked the least for its
//! share. A turn is a fixed fraction of the work done so far, so there are only logarithmically many of them. Work
//! units of different engines differ; what a unit takes is known from measurements ([`Terms`]), so that equal work is
//! about equal time.
//!
//! Shares count after a start in which all engines are equal: what is found at once, is found at once by whichever
//! engine. An engine that is done leaves its share to the others. So what an engine would settle alone with work w is
//! settled by at most w times the sum of the shares over its own, the starts of all engines, and the last turn of
//! each.

#[cfg(test)]
mod tests;

use crate::entrant::{Entrant, Nanos, Role};
use model::{Budget, Engine, Goal, Reason, Stats, Stop, Turn};
use std::sync::Arc;

/// The first turn of an engine. Enough for a proof that pattern lemmas give away at once, too little to be felt.
const FIRST_TURN: Nanos = 2_000_000;

/// All engines together work so long before shares count.
const EQUAL_START: Nanos = 60_000_000;

/// Each later turn is this fraction of the work an engine has done before: turns are few, and overshoot is small.
const TURN_FRACTION: u64 = 8;

/// Work of the others before a follower begins: some tenth of a second, in which small problems are decided outright.
const HEAD_START: Nanos = 100_000_000;

/// Work a follower may do when nothing else is left to do, beside twice what the others did: about a second.
const PATIENCE: Nanos = 1_000_000_000;

/// An engine in the running.
struct Runner<'a> {
    entrant: Entrant<'a>,
    /// What it has worked.
    spent: Nanos,
    /// Its first turn, until it has had that.
    first: Nanos,
    done: bool,
}

impl<'a> Runner<'a> {
    fn new(entrant: Entrant<'a>) -> Self {
        debug_assert!(entrant.terms.share > 0 && entrant.terms.unit > 0);
        let first = match entrant.role {
            Role::Assistant { ahead } if ahead > 0 => {
                // At least a quarter of what others have.
                (FIRST_TURN / 4).max(ahead.saturating_mul(entrant.terms.unit))
            }
            _ => FIRST_TURN,
        };
        Self { entrant, spent: 0, first, done: false }
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

    /// Keeps of the engine what reports need.
    fn retire(&mut self) {
        let retired = Retired { name: self.engine().name(), stats: self.engine().stats() };
        self.entrant.engine = Box::new(retired);
        self.done = true;
    }
}

/// What is left of an engine that is not needed any more: its name and counts. Its memory goes to the others.
struct Retired {
    name: &'static str,
    stats: Stats,
}

impl Engine for Retired {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, _budget: &mut Budget) -> Turn {
        Turn::Done
    }

    fn refused(&mut self, _goal: Goal) {}

    fn stats(&self) -> Stats {
        self.stats.clone()
    }
}

/// Names a runner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RunnerId(usize);

/// The engines in the running, in order of precedence.
#[derive(Default)]
pub(crate) struct Turns<'a> {
    runners: Vec<Runner<'a>>,
    /// An engine had to end because of the memory limit.
    short_of_memory: bool,
}

impl<'a> Turns<'a> {
    /// The entrants of a plan; among equals, earlier ones go first.
    pub(crate) fn of(plan: Vec<Entrant<'a>>) -> Self {
        Self { runners: plan.into_iter().map(Runner::new).collect(), short_of_memory: false }
    }

    /// Enters one more, behind those that are there.
    pub(crate) fn enter(&mut self, entrant: Entrant<'a>) {
        self.runners.push(Runner::new(entrant));
    }

    /// Retires the engines all of whose goals are settled.
    pub(crate) fn retire(&mut self, is_settled: impl Fn(&[Goal]) -> bool) {
        let settled = |r: &&mut Runner<'a>| !r.done && r.entrant.goals.as_ref().is_some_and(|goals| is_settled(goals));
        self.runners.iter_mut().filter(settled).for_each(Runner::retire);
    }

    /// What all engines have worked so far, in microseconds.
    pub(crate) fn spent(&self) -> u64 {
        self.runners.iter().map(|r| r.spent).fold(0, u64::saturating_add) / 1_000
    }

    /// The engine whose turn it is. `None` when none has anything left to do.
    pub(crate) fn next(&self) -> Option<RunnerId> {
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
        open().min_by_key(|(i, r)| (stride(r.spent, start, r.entrant.terms.share), *i)).map(|(i, _)| RunnerId(i))
    }

    /// Lets it work for a turn: longer ones if it runs alone.
    pub(crate) fn run(&mut self, id: RunnerId, stop: &Arc<Stop>) -> Turn {
        let alone = self.runners.iter().filter(|r| !r.done).count() == 1;
        let runner = &mut self.runners[id.0];
        let allowance = runner.first.max(if alone { runner.spent } else { runner.spent / TURN_FRACTION });
        let allowance = (allowance / runner.entrant.terms.unit).max(1);
        let own = Arc::new(Stop::part_of(stop));
        let mut budget = Budget::new(allowance, Arc::clone(&own));
        let mut turn = runner.entrant.engine.run(&mut budget);
        let used = match &turn {
            // An engine that asks for more has had its turn, however little it says it used: no engine can hold up
            // the rest.
            Turn::More if !alone => allowance.saturating_add(budget.over),
            _ => budget.spent_of(allowance),
        };
        runner.spent = runner.spent.saturating_add(used.saturating_mul(runner.entrant.terms.unit));
        runner.first = FIRST_TURN;
        if matches!(turn, Turn::More) && stop.raised().is_none() && own.raised() == Some(Reason::Memory) {
            // Its memory goes to the others.
            runner.retire();
            self.short_of_memory = true;
            turn = Turn::Done;
        }
        self.runners[id.0].done = matches!(turn, Turn::Done);
        turn
    }

    /// Tells all but the one that settled them that these goals are asked no more.
    pub(crate) fn settled(&mut self, by: RunnerId, goals: &[Goal]) {
        let mut goals = goals.to_vec();
        goals.sort_unstable();
        for (i, runner) in self.runners.iter_mut().enumerate() {
            if RunnerId(i) != by && !runner.done {
                runner.entrant.engine.settled(&goals);
            }
        }
    }

    /// Why engines ended that had something left to do, if one did.
    pub(crate) fn ended_early(&self) -> Option<Reason> {
        self.short_of_memory.then_some(Reason::Memory)
    }

    /// The engine's candidate trace did not replay.
    pub(crate) fn refused(&mut self, id: RunnerId, goal: Goal) {
        self.runners[id.0].entrant.engine.refused(goal);
    }

    /// The name of the engine.
    pub(crate) fn name(&self, id: RunnerId) -> &'static str {
        self.runners[id.0].engine().name()
    }

    /// Has the engine's last claim a shortest run to `goal`?
    pub(crate) fn claims_shortest(&self, id: RunnerId, goal: Goal) -> bool {
        self.runners[id.0].engine().claims_shortest(goal)
    }

    /// The counts of the engine.
    pub(crate) fn stats(&self, id: RunnerId) -> Stats {
        self.runners[id.0].engine().stats()
    }

    /// The engine that counts the whole space: the one entered for that, or else the one that works most.
    pub(crate) fn counting(&self) -> Option<RunnerId> {
        self.runners.iter().position(|r| r.entrant.counts).map(RunnerId).or_else(|| self.busiest())
    }

    /// The engine that has done most of the work, for reports about what was not settled.
    pub(crate) fn busiest(&self) -> Option<RunnerId> {
        let by_work = self.runners.iter().enumerate().max_by_key(|(i, r)| (r.spent, *i));
        by_work.map(|(i, _)| RunnerId(i))
    }
}

/// How far an engine is, counted so that the one that is the least far goes next: work as it is at the start, then
/// work per share.
fn stride(spent: Nanos, start: Nanos, share: u64) -> u64 {
    if spent <= start { spent } else { start + (spent - start) / share }
}

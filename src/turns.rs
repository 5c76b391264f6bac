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

use model::{Budget, Engine, Goal, Reason, Stats, Stop, Turn};
use reduce::{Home, Mapped};
use std::sync::Arc;

/// Work is counted in the nanoseconds that it takes on the machine where it was measured: no clock is read.
type Nanos = u64;

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

/// On which terms an engine takes turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Terms {
    /// How much of the work should be its own, relative to the others; 1 at least.
    pub(crate) share: u64,
    /// What one of its work units takes; 1 at least.
    pub(crate) unit: Nanos,
}

impl Terms {
    /// For an engine that is alone, or has next to nothing to do.
    pub(crate) const PLAIN: Self = Self { share: 1, unit: 1_000 };
}

/// An engine in the running.
struct Runner<'a> {
    engine: Box<dyn Engine + 'a>,
    terms: Terms,
    /// What it has worked.
    spent: Nanos,
    /// Its first turn.
    first: Nanos,
    done: bool,
    /// Works only as long as another engine has work to do: it may never end by itself.
    assistant: bool,
    /// Says less than the others may: begins later, and goes on for some time when they are done.
    follower: bool,
    /// If it works for some goals only: those.
    goals: Option<Vec<Goal>>,
}

impl Runner<'_> {
    /// Keeps of the engine what reports need.
    fn retire(&mut self) {
        self.engine = Box::new(Retired { name: self.engine.name(), stats: self.engine.stats() });
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
    /// The engine that counts the states of the system as read, if that is not the one that works most.
    counting: Option<RunnerId>,
}

impl<'a> Turns<'a> {
    /// Enters an engine; among equals, earlier ones go first.
    pub(crate) fn enter(&mut self, engine: Box<dyn Engine + 'a>, terms: Terms) {
        self.add(engine, terms);
    }

    fn add(&mut self, engine: Box<dyn Engine + 'a>, terms: Terms) -> &mut Runner<'a> {
        debug_assert!(terms.share > 0 && terms.unit > 0);
        self.runners.push(Runner {
            engine,
            terms,
            spent: 0,
            first: FIRST_TURN,
            done: false,
            assistant: false,
            follower: false,
            goals: None,
        });
        self.runners.last_mut().expect("just entered")
    }

    /// Enters an engine that works for some of the goals only: it retires when they are settled.
    pub(crate) fn enter_for(&mut self, engine: Box<dyn Engine + 'a>, terms: Terms, goals: Vec<Goal>) {
        self.add(engine, terms).goals = Some(goals);
    }

    /// Enters the engines of `others`, which work on another system for these goals; `home` leads back from there.
    pub(crate) fn absorb(&mut self, others: Turns<'a>, home: &Arc<dyn Home>, goals: &[Goal]) {
        for runner in others.runners {
            let is_own = |goal: &&Goal| match &runner.goals {
                Some(own) => home.inner(**goal).is_some_and(|inner| own.contains(&inner)),
                None => true,
            };
            let goals = Some(goals.iter().filter(is_own).copied().collect());
            let engine = Box::new(Mapped::new(runner.engine, Arc::clone(home)));
            self.runners.push(Runner { engine, goals, ..runner });
        }
    }

    /// Enters an engine that has no goals: its counts are reported.
    pub(crate) fn enter_for_counts(&mut self, engine: Box<dyn Engine + 'a>) {
        self.add(engine, Terms::PLAIN);
        self.counting = Some(RunnerId(self.runners.len() - 1));
    }

    /// Retires the engines all of whose goals are settled.
    pub(crate) fn retire(&mut self, is_settled: impl Fn(&[Goal]) -> bool) {
        let settled = |r: &&mut Runner<'a>| !r.done && r.goals.as_ref().is_some_and(|goals| is_settled(goals));
        for runner in self.runners.iter_mut().filter(settled) {
            runner.done = true;
            runner.retire();
        }
    }

    /// Enters an engine that helps the others and never ends by itself: it stops when they are done.
    pub(crate) fn enter_assistant(&mut self, engine: Box<dyn Engine + 'a>, terms: Terms) {
        self.add(engine, terms).assistant = true;
    }

    /// Enters an assistant that has a first turn of so many work units, and at least a quarter of what others have.
    pub(crate) fn enter_ahead(&mut self, engine: Box<dyn Engine + 'a>, terms: Terms, first: u64) {
        let runner = self.add(engine, terms);
        runner.assistant = true;
        runner.first = (FIRST_TURN / 4).max(first.saturating_mul(terms.unit));
    }

    /// What all engines have worked so far, in microseconds.
    pub(crate) fn spent(&self) -> u64 {
        self.runners.iter().map(|r| r.spent).fold(0, u64::saturating_add) / 1_000
    }

    /// Enters an engine whose answers are worth less than those the others look for, but more than none. The others
    /// go first for a while; when they have ended without an answer, it has twice as long as they took, and about a
    /// second.
    pub(crate) fn enter_follower(&mut self, engine: Box<dyn Engine + 'a>, terms: Terms) {
        self.add(engine, terms).follower = true;
    }

    /// The engine whose turn it is. `None` when none has anything left to do.
    pub(crate) fn next(&self) -> Option<RunnerId> {
        let lead = || self.runners.iter().filter(|r| !r.follower);
        let before = lead().map(|r| r.spent).fold(0, u64::saturating_add);
        let lead_goes_on = lead().any(|r| !r.done && !r.assistant);
        let patience = before.saturating_mul(2).saturating_add(PATIENCE);
        let has_turns = |r: &Runner<'a>| match r.follower {
            true if lead_goes_on => before >= HEAD_START,
            true => r.spent < patience,
            false => true,
        };
        let open = || self.runners.iter().enumerate().filter(|(_, r)| !r.done && has_turns(r));
        if open().all(|(_, r)| r.assistant) {
            return None;
        }
        let start = FIRST_TURN.max(EQUAL_START / self.runners.len() as u64);
        open().min_by_key(|(i, r)| (stride(r.spent, start, r.terms.share), *i)).map(|(i, _)| RunnerId(i))
    }

    /// Lets it work for a turn: longer ones if it runs alone.
    pub(crate) fn run(&mut self, id: RunnerId, stop: &Arc<Stop>) -> Turn {
        let alone = self.runners.iter().filter(|r| !r.done).count() == 1;
        let runner = &mut self.runners[id.0];
        let allowance = runner.first.max(if alone { runner.spent } else { runner.spent / TURN_FRACTION });
        let allowance = (allowance / runner.terms.unit).max(1);
        let own = Arc::new(Stop::part_of(stop));
        let mut budget = Budget::new(allowance, Arc::clone(&own));
        let mut turn = runner.engine.run(&mut budget);
        let used = match &turn {
            // An engine that asks for more has had its turn, however little it says it used: no engine can hold up
            // the rest.
            Turn::More if !alone => allowance.saturating_add(budget.over),
            _ => budget.spent_of(allowance),
        };
        runner.spent = runner.spent.saturating_add(used.saturating_mul(runner.terms.unit));
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

    /// Tells all but the one who settled them that these goals are asked no more.
    pub(crate) fn settled(&mut self, by: RunnerId, goals: &[Goal]) {
        let mut goals = goals.to_vec();
        goals.sort_unstable();
        for (i, runner) in self.runners.iter_mut().enumerate() {
            if RunnerId(i) != by && !runner.done {
                runner.engine.settled(&goals);
            }
        }
    }

    /// Why engines ended that had something left to do, if one did.
    pub(crate) fn ended_early(&self) -> Option<Reason> {
        self.short_of_memory.then_some(Reason::Memory)
    }

    /// The engine's candidate trace did not replay.
    pub(crate) fn refused(&mut self, id: RunnerId, goal: Goal) {
        self.runners[id.0].engine.refused(goal);
    }

    /// The name of the engine.
    pub(crate) fn name(&self, id: RunnerId) -> &'static str {
        self.runners[id.0].engine.name()
    }

    /// Has the engine's last claim a shortest run to `goal`?
    pub(crate) fn claims_shortest(&self, id: RunnerId, goal: Goal) -> bool {
        self.runners[id.0].engine.claims_shortest(goal)
    }

    /// The counts of the engine.
    pub(crate) fn stats(&self, id: RunnerId) -> Stats {
        self.runners[id.0].engine.stats()
    }

    /// The engine that counts the whole space.
    pub(crate) fn counting(&self) -> Option<RunnerId> {
        self.counting.or_else(|| self.busiest())
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

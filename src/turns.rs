//! Engines take turns, in work units and not in seconds, so that the same input always gives the same answer.
//!
//! Stride scheduling (Waldspurger and Weihl 1995): the next turn goes to the engine that has done the least work for its
//! share. A turn is a fixed fraction of the work done so far, so there are only logarithmically many of them.

use model::{Budget, Engine, Goal, Reason, Stats, Stop, Turn};
use reduce::{Home, Mapped};
use std::sync::Arc;

/// The first turn of an engine. Enough for a proof that pattern lemmas give away at once, too little to be felt.
const FIRST_TURN: u64 = 2_000;

/// Each later turn is this fraction of the work an engine has done before: turns are few, and overshoot is small.
const TURN_FRACTION: u64 = 8;

/// Work of the others before a follower begins: some tenth of a second, in which small problems are decided outright.
const HEAD_START: u64 = 100_000;

/// Work a follower may do when nobody else has anything left to do, beside twice what they did: about a second.
const PATIENCE: u64 = 1_000_000;

/// An engine in the running.
struct Runner {
    engine: Box<dyn Engine>,
    /// How much of the work should be its own, relative to the others.
    share: u64,
    /// Work units it has used.
    spent: u64,
    /// Work units of its first turn.
    first: u64,
    done: bool,
    /// Works only as long as somebody else has work to do: it may never end by itself.
    assistant: bool,
    /// Says less than the others may: begins later, and goes on for some time when they are done.
    follower: bool,
    /// If it works for some goals only: those.
    goals: Option<Vec<Goal>>,
}

impl Runner {
    /// Keeps of the engine what reports need.
    fn retire(&mut self) {
        self.engine = Box::new(Retired { name: self.engine.name(), stats: self.engine.stats() });
    }
}

/// What is left of an engine that nobody needs any more: its name and counts. Its memory goes to the others.
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
pub(crate) struct Turns {
    runners: Vec<Runner>,
    /// An engine had to end because of the memory limit.
    short_of_memory: bool,
    /// Other engines are to be entered after the first turn: making them takes longer than that.
    expects_others: bool,
}

impl Turns {
    /// Enters an engine with its share of the work; among equals, earlier ones go first.
    pub(crate) fn enter(&mut self, engine: Box<dyn Engine>, share: u64) {
        let share = share.max(1);
        self.runners.push(Runner {
            engine,
            share,
            spent: 0,
            first: FIRST_TURN,
            done: false,
            assistant: false,
            follower: false,
            goals: None,
        });
    }

    /// Enters an engine that works for some of the goals only: it retires when they are settled.
    pub(crate) fn enter_for(&mut self, engine: Box<dyn Engine>, share: u64, goals: Vec<Goal>) {
        self.enter(engine, share);
        self.runners.last_mut().expect("just entered").goals = Some(goals);
    }

    /// Enters the engines of `others`, which work on another system for these goals; `home` leads back from there.
    pub(crate) fn absorb(&mut self, others: Turns, home: &Arc<dyn Home>, goals: &[Goal]) {
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

    /// Sends home the engines all of whose goals are settled.
    pub(crate) fn retire(&mut self, is_settled: impl Fn(&[Goal]) -> bool) {
        let settled = |r: &&mut Runner| !r.done && r.goals.as_ref().is_some_and(|goals| is_settled(goals));
        for runner in self.runners.iter_mut().filter(settled) {
            runner.done = true;
            runner.retire();
        }
    }

    /// Enters an engine that helps the others and never ends by itself: it stops when they are done.
    pub(crate) fn enter_assistant(&mut self, engine: Box<dyn Engine>, share: u64) {
        self.enter(engine, share);
        self.runners.last_mut().expect("just entered").assistant = true;
    }

    /// Enters an assistant that has a turn of `first` work units before the others are made; [`Turns::wants_others`] then says so.
    pub(crate) fn enter_ahead(&mut self, engine: Box<dyn Engine>, share: u64, first: u64) {
        self.enter_assistant(engine, share);
        self.runners.last_mut().expect("just entered").first = FIRST_TURN.max(first);
        self.expects_others = true;
    }

    /// Are other engines to be entered? Says so once.
    pub(crate) fn wants_others(&mut self) -> bool {
        std::mem::take(&mut self.expects_others)
    }

    /// Has the engine that is ahead of the others had its first turn?
    pub(crate) fn has_begun(&self) -> bool {
        self.runners.iter().any(|r| r.done || r.spent > 0)
    }

    /// Work units used so far by all engines.
    pub(crate) fn spent(&self) -> u64 {
        self.runners.iter().map(|r| r.spent).fold(0, u64::saturating_add)
    }

    /// Enters an engine whose answers are worth less than those the others look for, but more than none. The others go first for a while;
    /// when they have ended without an answer, it has twice as long as they took, and about a second.
    pub(crate) fn enter_follower(&mut self, engine: Box<dyn Engine>, share: u64) {
        self.enter(engine, share);
        self.runners.last_mut().expect("just entered").follower = true;
    }

    /// Whose turn it is: the least work per share. `None` when nobody has anything left to do.
    pub(crate) fn next(&self) -> Option<RunnerId> {
        let lead = || self.runners.iter().filter(|r| !r.follower);
        let before = lead().map(|r| r.spent).fold(0, u64::saturating_add);
        let lead_goes_on = lead().any(|r| !r.done && !r.assistant);
        let patience = before.saturating_mul(2).saturating_add(PATIENCE);
        let has_turns = |r: &Runner| match r.follower {
            true if lead_goes_on => before >= HEAD_START,
            true => r.spent < patience,
            false => true,
        };
        let open = || self.runners.iter().enumerate().filter(|(_, r)| !r.done && has_turns(r));
        if open().all(|(_, r)| r.assistant) && !self.expects_others {
            return None;
        }
        open().min_by_key(|(i, r)| (r.spent / r.share, *i)).map(|(i, _)| RunnerId(i))
    }

    /// Lets it work for a turn: longer ones if it runs alone.
    pub(crate) fn run(&mut self, id: RunnerId, stop: &Arc<Stop>) -> Turn {
        let alone = self.runners.iter().filter(|r| !r.done).count() == 1;
        let runner = &mut self.runners[id.0];
        let allowance = runner.first.max(if alone { runner.spent } else { runner.spent / TURN_FRACTION });
        let own = Arc::new(Stop::part_of(stop));
        let mut budget = Budget { work: allowance, stop: Arc::clone(&own) };
        let mut turn = runner.engine.run(&mut budget);
        let used = match &turn {
            // An engine that asks for more has had its turn, however little it says it used: nobody can hold up the rest.
            Turn::More if !alone => allowance,
            _ => allowance - budget.work.min(allowance),
        };
        runner.spent = runner.spent.saturating_add(used);
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

    /// Tells all but the one who settled them that nobody asks for these goals any more.
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

    /// The engine that has done most of the work, for reports about what nobody settled.
    pub(crate) fn busiest(&self) -> Option<RunnerId> {
        let by_work = self.runners.iter().enumerate().max_by_key(|(i, r)| (r.spent, *i));
        by_work.map(|(i, _)| RunnerId(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses its whole allowance and never ends.
    struct Endless(&'static str);

    impl Engine for Endless {
        fn name(&self) -> &'static str {
            self.0
        }
        fn run(&mut self, budget: &mut Budget) -> Turn {
            budget.work = 0;
            Turn::More
        }
        fn refused(&mut self, _goal: Goal) {}
        fn stats(&self) -> Stats {
            Stats::default()
        }
    }

    #[test]
    fn work_follows_the_shares() {
        let mut turns = Turns::default();
        turns.enter(Box::new(Endless("small")), 1);
        turns.enter(Box::new(Endless("large")), 6);
        let stop = Arc::default();
        let mut rounds = 0;
        while turns.runners[1].spent < 10_000_000 {
            let id = turns.next().expect("nobody is done");
            turns.run(id, &stop);
            rounds += 1;
        }
        let (small, large) = (turns.runners[0].spent, turns.runners[1].spent);
        assert!(small * 5 <= large + 5 * FIRST_TURN, "the small share took {small} beside {large}");
        assert!(small * 8 >= large, "the small share got only {small} beside {large}");
        assert!(rounds < 300, "{rounds} turns are too many");
    }

    /// Ends when it has done so much.
    struct Ending(u64);

    impl Engine for Ending {
        fn name(&self) -> &'static str {
            "ending"
        }
        fn run(&mut self, budget: &mut Budget) -> Turn {
            let work = self.0.min(budget.work);
            self.0 -= work;
            budget.work -= work;
            if self.0 == 0 { Turn::Done } else { Turn::More }
        }
        fn refused(&mut self, _goal: Goal) {}
        fn stats(&self) -> Stats {
            Stats::default()
        }
    }

    #[test]
    fn followers_begin_later_and_end_some_time_after_the_others() {
        let mut turns = Turns::default();
        turns.enter_follower(Box::new(Endless("follower")), 1);
        turns.enter(Box::new(Ending(10_000_000)), 3);
        let stop = Arc::default();
        let mut begun = None;
        while let Some(id) = turns.next() {
            if id == RunnerId(0) {
                begun.get_or_insert(turns.runners[1].spent);
            }
            turns.run(id, &stop);
        }
        let begun = begun.expect("it has turns");
        assert!((HEAD_START..2 * HEAD_START).contains(&begun), "{begun}");
        assert!(turns.runners[1].done);
        let spent = turns.runners[0].spent;
        assert!((PATIENCE + 20_000_000..2 * (PATIENCE + 20_000_000)).contains(&spent), "{spent}");
    }

    #[test]
    fn a_follower_begins_at_once_where_the_others_are_done() {
        let mut turns = Turns::default();
        turns.enter_follower(Box::new(Ending(500)), 1);
        turns.enter(Box::new(Ending(10)), 3);
        let stop = Arc::default();
        let mut order = Vec::new();
        while let Some(id) = turns.next() {
            order.push(id.0);
            turns.run(id, &stop);
        }
        assert_eq!(order, [1, 0]);
    }

    /// Wants more memory than there is.
    struct Hungry;

    impl Engine for Hungry {
        fn name(&self) -> &'static str {
            "hungry"
        }
        fn run(&mut self, budget: &mut Budget) -> Turn {
            assert!(!budget.stop.may_allocate(1_000));
            Turn::More
        }
        fn refused(&mut self, _goal: Goal) {}
        fn stats(&self) -> Stats {
            Stats::default()
        }
    }

    #[test]
    fn who_runs_out_of_memory_leaves_it_to_the_others() {
        let mut turns = Turns::default();
        turns.enter(Box::new(Hungry), 1);
        turns.enter(Box::new(Endless("modest")), 1);
        let stop = Arc::new(Stop::with_memory_limit(100, || 0));
        let hungry = turns.next().expect("nobody is done");
        assert!(matches!(turns.run(hungry, &stop), Turn::Done));
        assert_eq!((stop.raised(), turns.ended_early()), (None, Some(Reason::Memory)));
        let other = turns.next().expect("the other one");
        assert_eq!(turns.name(other), "modest");
        assert!(matches!(turns.run(other, &stop), Turn::More));
    }
}

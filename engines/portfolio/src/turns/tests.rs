use super::*;
use crate::entrant::Terms;
use proptest::prelude::*;

fn share(share: u64) -> Terms {
    Terms { share, ..Terms::PLAIN }
}

/// An engine that uses its whole budget and never ends.
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
    turns.enter(Entrant::ready(Box::new(Endless("small"))).on(share(1)));
    turns.enter(Entrant::ready(Box::new(Endless("large"))).on(share(6)));
    let stop = Arc::default();
    let mut rounds = 0;
    while turns.runners[1].spent < 10_000 * FIRST_TURN {
        let id = turns.next().expect("an engine is left");
        turns.run(id, &stop);
        rounds += 1;
    }
    let (small, large) = (turns.runners[0].spent, turns.runners[1].spent);
    assert!(small * 5 <= large + 5 * EQUAL_START, "the small share took {small} beside {large}");
    assert!(small * 8 >= large, "the small share got only {small} beside {large}");
    assert!(rounds < 300, "{rounds} turns are too many");
}

/// An engine that spends ten times its budget in each turn.
struct Greedy;

impl Engine for Greedy {
    fn name(&self) -> &'static str {
        "greedy"
    }
    fn run(&mut self, budget: &mut Budget) -> Turn {
        budget.spend(10 * budget.work);
        Turn::More
    }
    fn refused(&mut self, _goal: Goal) {}
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

/// Work beyond the budget is counted. An engine may exceed its budget by a step that it cannot interrupt; the
/// other engines then get their turns.
#[test]
fn work_beyond_the_allowance_counts() {
    let mut turns = Turns::default();
    turns.enter(Entrant::ready(Box::new(Greedy)).on(share(1)));
    turns.enter(Entrant::ready(Box::new(Endless("other"))).on(share(1)));
    let stop = Arc::default();
    let mut runs = [0; 2];
    for _ in 0..40 {
        let id = turns.next().expect("an engine is left");
        turns.run(id, &stop);
        runs[id.0] += 1;
    }
    assert!(runs[0] * 3 < runs[1], "{runs:?}: one that takes ten times its allowance has fewer turns");
    let (greedy, other) = (turns.runners[0].spent, turns.runners[1].spent);
    assert!(greedy < 4 * other, "{greedy} beside {other}");
}

/// An engine that ends when it has done this much work.
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
    turns.enter(Entrant::ready(Box::new(Endless("follower"))).in_role(Role::Follower));
    turns.enter(Entrant::ready(Box::new(Ending(10_000_000))).on(share(3)));
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
    let patience = PATIENCE + 2 * 10_000_000 * Terms::PLAIN.unit;
    assert!((patience..2 * patience).contains(&spent), "{spent}");
}

#[test]
fn a_follower_begins_at_once_where_the_others_are_done() {
    let mut turns = Turns::default();
    turns.enter(Entrant::ready(Box::new(Ending(500))).in_role(Role::Follower));
    turns.enter(Entrant::ready(Box::new(Ending(10))).on(share(3)));
    let stop = Arc::default();
    let mut order = Vec::new();
    while let Some(id) = turns.next() {
        order.push(id.0);
        turns.run(id, &stop);
    }
    assert_eq!(order, [1, 0]);
}

/// An engine that asks for more memory than the limit allows.
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
fn an_engine_that_runs_out_of_memory_leaves_it_to_the_others() {
    let mut turns = Turns::default();
    turns.enter(Entrant::ready(Box::new(Hungry)).on(share(1)));
    turns.enter(Entrant::ready(Box::new(Endless("modest"))).on(share(1)));
    let stop = Arc::new(Stop::with_memory_limit(100, || 0));
    let hungry = turns.next().expect("an engine is left");
    assert!(matches!(turns.run(hungry, &stop), Turn::Done));
    assert_eq!((stop.raised(), turns.ended_early()), (None, Some(Reason::Memory)));
    let other = turns.next().expect("the other one");
    assert_eq!(turns.name(other), "modest");
    assert!(matches!(turns.run(other, &stop), Turn::More));
}

/// Generates the terms of some engines, the index of the engine that ends, and the work after which it ends.
fn field() -> impl Strategy<Value = (Vec<Terms>, usize, u64)> {
    let terms = (1..8u64, 1..5_000u64).prop_map(|(share, unit)| Terms { share, unit });
    proptest::collection::vec(terms, 1..9).prop_flat_map(|all| {
        let winners = 0..all.len();
        // Up to ten seconds of work.
        (Just(all), winners, 0..10_000_000_000u64)
    })
}

/// Runs the engines until the winner ends. Returns the order of the turns, and the work of all engines.
fn race(all: &[Terms], winner: usize, work: Nanos) -> (Vec<usize>, Nanos) {
    let mut turns = Turns::default();
    for (i, &terms) in all.iter().enumerate() {
        let engine: Box<dyn Engine> =
            if i == winner { Box::new(Ending(work / terms.unit)) } else { Box::new(Endless("loser")) };
        turns.enter(Entrant::ready(engine).on(terms));
    }
    let stop = Arc::default();
    let mut order = Vec::new();
    while !turns.runners[winner].done {
        let id = turns.next().expect("an engine goes on");
        turns.run(id, &stop);
        order.push(id.0);
    }
    (order, turns.runners.iter().map(|r| r.spent).sum())
}

proptest! {
    /// If an engine e alone settles a goal with work w, all engines in turns settle it with w times the sum of
    /// all shares divided by the share of e, plus the start phases. So if the share of the best engine is a
    /// quarter, `auto` takes at most four times its work.
    #[test]
    fn no_engine_waits_longer_than_its_share_says((all, winner, work) in field()) {
        let (order, total) = race(&all, winner, work);
        let shares: u64 = all.iter().map(|t| t.share).sum();
        // Each engine is at most one turn ahead, which is an eighth of its work so far. A turn is a whole
        // number of units.
        let starts = EQUAL_START + all.len() as u64 * (FIRST_TURN + all[winner].unit) * shares;
        let bound = u128::from(work) * u128::from(shares) / u128::from(all[winner].share);
        let bound = bound + bound / u128::from(TURN_FRACTION) * 2 + 2 * u128::from(starts);
        prop_assert!(u128::from(total) <= bound, "{} beyond {}", total, bound);
        prop_assert!(order.len() < 200 * all.len(), "{} turns", order.len());
    }

    #[test]
    fn turns_come_in_the_same_order_every_time((all, winner, work) in field()) {
        prop_assert_eq!(race(&all, winner, work), race(&all, winner, work));
    }

    /// During the start phase, no engine is more than a turn ahead of another one, whatever the shares are.
    #[test]
    fn the_start_is_equal((all, winner, _) in field()) {
        let work = EQUAL_START / all.len() as u64 / 2;
        let (order, _) = race(&all, winner, work);
        let count = |i: usize| order.iter().filter(|j| **j == i).count();
        let counts: Vec<usize> = (0..all.len()).map(count).collect();
        let (least, most) = (counts.iter().min().expect("one"), counts.iter().max().expect("one"));
        prop_assert!(most - least <= 2, "{:?}", counts);
    }
}

use super::*;
use crate::entrant::Terms;
use model::Stats;
use proptest::prelude::*;

fn share(share: u64) -> Terms {
    Terms { share, ..Terms::PLAIN }
}

impl<'a> Turns<'a> {
    /// Adds an entrant behind the others.
    fn enter(&mut self, entrant: Entrant<'a>) {
        self.runners.push(Runner::new(entrant));
    }
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
        turns.one(1, &stop).expect("an engine is left");
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
        let (id, _) = turns.one(1, &stop).expect("an engine is left");
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
    while turns.one(1, &stop).is_some() {
        if turns.runners[0].spent > 0 {
            begun.get_or_insert(turns.runners[1].spent);
        }
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
    while let Some((id, _)) = turns.one(1, &stop) {
        order.push(id.0);
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
    assert!(matches!(turns.one(1, &stop), Some((_, Turn::Done))));
    assert_eq!((stop.raised(), turns.ended_early()), (None, Some(Reason::Memory)));
    let (other, end) = turns.one(1, &stop).expect("the other one");
    assert_eq!(turns.engine(other).name(), "modest");
    assert!(matches!(end, Turn::More));
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
        let (id, _) = turns.one(1, &stop).expect("an engine goes on");
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

/// An engine that meets another one in the middle of its turn, so both must work at the same time.
struct Meeting(Arc<std::sync::Barrier>);

impl Engine for Meeting {
    fn name(&self) -> &'static str {
        "meeting"
    }
    fn run(&mut self, budget: &mut Budget) -> Turn {
        assert_eq!(budget.stop.threads(8), 2, "each has its share of the threads");
        self.0.wait();
        budget.work = 0;
        Turn::More
    }
    fn refused(&mut self, _goal: Goal) {}
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

#[test]
fn engines_of_a_round_work_at_the_same_time_with_turns_of_one_length() {
    let barrier = Arc::new(std::sync::Barrier::new(2));
    let mut turns = Turns::default();
    for _ in 0..2 {
        turns.enter(Entrant::ready(Box::new(Meeting(Arc::clone(&barrier)))).on(share(1)));
    }
    turns.runners[1].spent = 100 * FIRST_TURN;
    let round = turns.round(2);
    assert_eq!(round, [RunnerId(0), RunnerId(1)], "the one that has done less comes first");
    assert_eq!(turns.run(&round, 4, &Arc::default()).len(), 2);
    assert_eq!(turns.runners[0].spent, 100 * FIRST_TURN / TURN_FRACTION);
    assert_eq!(turns.runners[1].spent, 100 * FIRST_TURN + 100 * FIRST_TURN / TURN_FRACTION);
}

#[test]
fn rounds_do_not_depend_on_the_speed_of_threads() {
    let run = |pause: u64| {
        let mut turns = Turns::default();
        for (work, share) in [(7_000, 1), (9_000, 5), (20_000, 2), (500_000, 3)] {
            turns.enter(Entrant::ready(Box::new(Slow { left: work, pause })).on(self::share(share)));
        }
        let (mut order, stop) = (Vec::new(), Arc::default());
        loop {
            let round = turns.round(3);
            if round.is_empty() {
                return order;
            }
            let ends = turns.run(&round, 3, &stop);
            order.extend(round.iter().zip(&ends).map(|(id, end)| (id.0, matches!(end, Turn::Done))));
        }
    };
    assert_eq!(run(0), run(300));
}

/// An engine that ends when it has done this much work, and pauses for some microseconds in each turn.
struct Slow {
    left: u64,
    pause: u64,
}

impl Engine for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }
    fn run(&mut self, budget: &mut Budget) -> Turn {
        std::thread::sleep(std::time::Duration::from_micros(self.pause * (self.left % 7)));
        let work = self.left.min(budget.work);
        self.left -= work;
        budget.spend(work);
        if self.left == 0 { Turn::Done } else { Turn::More }
    }
    fn refused(&mut self, _goal: Goal) {}
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_panic_of_an_engine_is_passed_on() {
    let mut turns = Turns::default();
    turns.enter(Entrant::ready(Box::new(Endless("other"))));
    turns.enter(Entrant::ready(Box::new(Broken)));
    let round = turns.round(2);
    turns.run(&round, 2, &Arc::default());
}

/// An engine with a bug.
struct Broken;

impl Engine for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn run(&mut self, _budget: &mut Budget) -> Turn {
        panic!("a bug")
    }
    fn refused(&mut self, _goal: Goal) {}
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

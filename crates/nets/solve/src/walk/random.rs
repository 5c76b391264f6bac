//! The engine for nets: walks in turns, and the data that they share.

use crate::reduce::shorten::{FiringRun, Shortener};
use crate::rules::Rules;
use crate::walk::choose::{Memory, TASTES, Taste};
use crate::walk::distance::directions;
use crate::walk::goals::Goals;
use crate::walk::state::{TooMany, WalkState};
use crate::walk::wish::Wish;
use model::{Budget, Claim, Engine, EventId, Goal, NetTask, Stats, Trace, Turn};
use search::luby::luby;
use search::rng::Rng;

/// This many guard updates cost about as much as expanding a state.
const UPDATES_PER_UNIT: u64 = 32;
/// Firings between two checks of the budget.
const STRIDE: u64 = 32;
/// Firings between two updates of the wishes.
const REFRESH: usize = 24;
/// Limit on the firings spent on shortening a run.
const SHORTENING: u64 = 1_000_000;
/// Length of the shortest walks. Large nets get longer ones.
const SHORTEST: u64 = 200;
/// Length of the longest walks.
const LONGEST: u64 = 1 << 18;

/// The engine of random walks on a net.
pub struct Walk {
    /// `None` if numbers of the net are too large for walks.
    search: Option<Box<Search>>,
}

impl Walk {
    /// Makes the engine for the goals of `task`.
    #[must_use]
    pub fn new(task: NetTask, seed: u64) -> Self {
        Self { search: Rules::new(&task.net).map(|net| Box::new(Search::new(task, net, seed))) }
    }
}

impl Engine for Walk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        self.search.as_mut().map_or(Turn::Done, |search| search.run(budget))
    }

    fn refused(&mut self, goal: Goal) {
        if let Some(search) = &mut self.search {
            search.open.push(goal);
        }
    }

    fn settled(&mut self, goals: &[Goal]) {
        if let Some(search) = &mut self.search {
            search.open.retain(|goal| goals.binary_search(goal).is_err());
        }
    }

    fn stats(&self) -> Stats {
        self.search.as_ref().map_or_else(Stats::default, |search| search.stats())
    }
}

struct Search {
    task: NetTask,
    /// Goals not found yet. Goals that cannot be watched are left out.
    open: Vec<Goal>,
    net: Rules,
    goals: Goals,
    state: WalkState,
    memory: Memory,
    wish: Wish,
    /// The goal of the directions in `memory`.
    aim: Option<Goal>,
    rng: Rng,
    walk: Current,
    /// True if the only run of the net is the empty one.
    stuck: bool,
    walks: u64,
    firings: u64,
}

/// The current walk.
struct Current {
    taste: Taste,
    extra: Vec<u32>,
    fired: Vec<u32>,
    /// Firings left.
    left: u64,
}

enum Progress {
    Fired,
    Hit(Goal),
    /// The walk has ended: it has reached its length, a dead end, or too many tokens.
    Over,
}

impl Search {
    fn new(task: NetTask, net: Rules, seed: u64) -> Self {
        let mut goals = Goals::new(&task);
        let mut open: Vec<Goal> = goals.watched().collect();
        open.extend(task.goals.iter().filter(|g| **g == Goal::Deadlock));
        let mut state = WalkState::new(&net);
        state.restart(&net, &mut goals, &vec![0; net.open.len()]);
        let stuck = net.open.is_empty() && state.enabled.is_empty();
        let walk = Current { taste: Taste::Uniform, extra: vec![0; net.open.len()], fired: Vec::new(), left: 0 };
        let (memory, wish, rng) = (Memory::new(net.transitions()), Wish::new(&net), Rng(seed));
        Self { task, open, net, goals, state, memory, wish, aim: None, rng, walk, stuck, walks: 0, firings: 0 }
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.open.is_empty() {
            let effort = self.state.effort;
            let mut step = Progress::Fired;
            let mut fired = 0;
            while fired < STRIDE && matches!(step, Progress::Fired) {
                step = self.step();
                fired += 1;
            }
            match step {
                Progress::Hit(goal) => return Turn::Claims(self.claim(goal, budget)),
                Progress::Over if self.stuck => return Turn::Done,
                Progress::Over => self.restart(),
                Progress::Fired => {}
            }
            let units = fired + (self.state.effort - effort) / UPDATES_PER_UNIT;
            if !budget.spend(units) {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn step(&mut self) -> Progress {
        if let Some(goal) = self.hit() {
            return Progress::Hit(goal);
        }
        if self.walk.left == 0 || self.state.enabled.is_empty() {
            return Progress::Over;
        }
        if self.walk.taste == Taste::Climbing && self.walk.fired.len().is_multiple_of(REFRESH) {
            let goal = self.aim.and_then(|aim| self.task.formula(aim)).map(|f| &**f);
            self.state.effort += self.wish.refresh(&self.net, goal, &self.state.tokens, &mut self.rng);
        }
        let (net, wish) = (&self.net, &self.wish);
        let t = self.memory.choose(self.walk.taste, &self.state.enabled, |t| wish.gain(net, t), &mut self.rng);
        if let Err(TooMany) = self.state.fire(&self.net, &mut self.goals, t) {
            return Progress::Over;
        }
        self.walk.fired.push(t);
        self.walk.left -= 1;
        self.firings += 1;
        self.memory.fired(t);
        Progress::Fired
    }

    fn hit(&mut self) -> Option<Goal> {
        if self.state.enabled.is_empty() && self.open.contains(&Goal::Deadlock) {
            return Some(Goal::Deadlock);
        }
        let open = &self.open;
        self.goals.hit(|goal| open.contains(&goal))
    }

    fn restart(&mut self) {
        let round = self.walks / TASTES.len() as u64;
        self.walk.taste = TASTES[(self.walks % TASTES.len() as u64) as usize];
        self.walks += 1;
        let shortest = (self.net.transitions() as u64 / 4).clamp(SHORTEST, SHORTEST * 32);
        self.walk.left = shortest.saturating_mul(luby(round)).min(LONGEST);
        self.walk.extra = extra(&self.net, &mut self.rng);
        self.memory.forget(&self.walk.fired);
        self.walk.fired.clear();
        self.state.effort += self.net.places() as u64;
        self.state.restart(&self.net, &mut self.goals, &self.walk.extra);
        let aim = self.open[(round % self.open.len() as u64) as usize];
        if self.aim.replace(aim) != Some(aim) {
            self.state.effort += (self.net.places() + 4 * self.net.transitions()) as u64;
            self.memory.directions = directions(&self.net, self.task.formula(aim).map(|f| &**f));
        }
    }

    fn claim(&mut self, goal: Goal, budget: &mut Budget) -> Claim {
        let found = FiringRun { extra: self.walk.extra.clone(), steps: self.walk.fired.clone() };
        let formula = self.task.formula(goal).map(|f| &**f);
        let mut shortener = Shortener { net: &self.net, goal: formula, work: SHORTENING };
        let short = shortener.shorten(found);
        budget.spend(SHORTENING - shortener.work);
        self.open.retain(|g| *g != goal);
        let mut trace = Trace::new(short.extra.into_boxed_slice());
        short.steps.into_iter().for_each(|t| trace.push(EventId(t), None));
        Claim::Unsafe { goal, trace, candidate: false }
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { transitions: self.firings, ..Stats::default() };
        stats.more.insert("walks", self.walks);
        stats
    }
}

/// Chooses additional tokens of open places: none, one, few or many. On monotone nets, the choice is usually many,
/// because additional tokens never disable a transition of such a net.
pub(crate) fn extra(net: &Rules, rng: &mut Rng) -> Vec<u32> {
    let many_from = if net.monotone { 3 } else { 6 };
    let kind = rng.below(8);
    let many = 1u64 << (4 + rng.below(9));
    let many = many.max(net.largest.saturating_mul(2));
    let amount = |(_, most): &(u32, u32)| {
        let n = match kind {
            k if k >= many_from => many,
            0 => 0,
            1 => 1,
            2 => rng.below(3) as u64,
            _ => rng.below(10) as u64,
        };
        u32::try_from(n).unwrap_or(u32::MAX).min(*most)
    };
    net.open.iter().map(amount).collect()
}

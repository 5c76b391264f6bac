//! The engine: walks in turns, and what they share.

use crate::choose::{Memory, TASTES, Taste};
use crate::distance::directions;
use crate::goals::Goals;
use crate::luby::luby;
use crate::rng::Rng;
use crate::state::{State, TooMany};
use crate::wish::Wish;
use analysis::rules::Rules;
use model::{Budget, Claim, Engine, EventId, Goal, NetTask, Stats, Trace, Turn};
use reduce::shorten::{Found, Shortener};

/// How to walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Another seed gives other walks.
    pub seed: u64,
}

/// Guard updates that cost about as much as a state expansion.
const UPDATES_PER_UNIT: u64 = 32;
/// Firings between two looks at the budget.
const STRIDE: u64 = 32;
/// Firings between two looks at what the goal wishes for.
const REFRESH: usize = 24;
/// Firings spent on shortening a run.
const SHORTENING: u64 = 1_000_000;
/// Length of the shortest walks; large nets get longer ones.
const SHORTEST: u64 = 200;
/// Length of the longest walks.
const LONGEST: u64 = 1 << 18;

/// Random walks on a net.
pub struct Walk {
    /// `None`: there is nothing that walks could find.
    search: Option<Box<Search>>,
}

impl Walk {
    /// Walks for the goals of `task`.
    #[must_use]
    pub fn new(task: NetTask, options: Options) -> Self {
        Self { search: Rules::new(&task.net).map(|net| Box::new(Search::new(task, net, options.seed))) }
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
    /// What is still to be found; goals that cannot be watched are not here.
    open: Vec<Goal>,
    net: Rules,
    goals: Goals,
    state: State,
    memory: Memory,
    wish: Wish,
    /// The goal that the memory's directions are about.
    aim: Option<Goal>,
    rng: Rng,
    walk: Current,
    /// The net has one run, the empty one.
    stuck: bool,
    walks: u64,
    firings: u64,
}

/// The walk under way.
struct Current {
    taste: Taste,
    extra: Vec<u32>,
    fired: Vec<u32>,
    /// Firings left.
    left: u64,
}

enum Step {
    Fired,
    Hit(Goal),
    /// The walk is over: its length, a dead end, or too many tokens.
    Over,
}

impl Search {
    fn new(task: NetTask, net: Rules, seed: u64) -> Self {
        let mut goals = Goals::new(&task);
        let mut open: Vec<Goal> = goals.watched().collect();
        open.extend(task.goals.iter().filter(|g| **g == Goal::Deadlock));
        let mut state = State::new(&net);
        state.restart(&net, &mut goals, &vec![0; net.open.len()]);
        let stuck = net.open.is_empty() && state.enabled.is_empty();
        let walk = Current { taste: Taste::Uniform, extra: vec![0; net.open.len()], fired: Vec::new(), left: 0 };
        let (memory, wish, rng) = (Memory::new(net.transitions()), Wish::new(&net), Rng(seed));
        Self { task, open, net, goals, state, memory, wish, aim: None, rng, walk, stuck, walks: 0, firings: 0 }
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        while !self.open.is_empty() {
            let effort = self.state.effort;
            let mut step = Step::Fired;
            let mut fired = 0;
            while fired < STRIDE && matches!(step, Step::Fired) {
                step = self.step();
                fired += 1;
            }
            match step {
                Step::Hit(goal) => return Turn::Claims(self.claim(goal, budget)),
                Step::Over if self.stuck => return Turn::Done,
                Step::Over => self.restart(),
                Step::Fired => {}
            }
            let units = fired + (self.state.effort - effort) / UPDATES_PER_UNIT;
            if !budget.spend(units) {
                return Turn::More;
            }
        }
        Turn::Done
    }

    fn step(&mut self) -> Step {
        if let Some(goal) = self.hit() {
            return Step::Hit(goal);
        }
        if self.walk.left == 0 || self.state.enabled.is_empty() {
            return Step::Over;
        }
        if self.walk.taste == Taste::Climbing && self.walk.fired.len().is_multiple_of(REFRESH) {
            let goal = self.aim.and_then(|aim| self.task.formula(aim)).map(|f| &**f);
            self.state.effort += self.wish.refresh(&self.net, goal, &self.state.tokens, &mut self.rng);
        }
        let (net, wish) = (&self.net, &self.wish);
        let t = self.memory.choose(self.walk.taste, &self.state.enabled, |t| wish.gain(net, t), &mut self.rng);
        if let Err(TooMany) = self.state.fire(&self.net, &mut self.goals, t) {
            return Step::Over;
        }
        self.walk.fired.push(t);
        self.walk.left -= 1;
        self.firings += 1;
        self.memory.fired(t);
        Step::Fired
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
        self.walk.extra = self.extra();
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

    /// Extra tokens of open places: none, one, few, or many. Where more never hurt, mostly many.
    fn extra(&mut self) -> Vec<u32> {
        let many_from = if self.net.monotone { 3 } else { 6 };
        let kind = self.rng.below(8);
        let many = 1u64 << (4 + self.rng.below(9));
        let many = many.max(self.net.largest.saturating_mul(2));
        let rng = &mut self.rng;
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
        self.net.open.iter().map(amount).collect()
    }

    fn claim(&mut self, goal: Goal, budget: &mut Budget) -> Claim {
        let found = Found { extra: self.walk.extra.clone(), steps: self.walk.fired.clone() };
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

//! Runs of a net that repeat or end, and what they say about formulas about runs and about branching time.
//!
//! A walk goes to markings in which some letters of a formula have a certain truth, in random order. Then it follows a
//! policy under which markings repeat soon ([`crate::walk::policy`]), until it comes to a marking that it has visited,
//! or to a dead one. All open formulas are evaluated on the run that repeats the steps from there on
//! ([`crate::walk::judge`]). (Random walks to lassos: Grosu and Smolka, "Monte Carlo model checking", TACAS 2005.)

use crate::rules::Rules;
use crate::walk::choose::{Memory, Taste};
use crate::walk::distance::{Direction, directions};
use crate::walk::goals::Goals;
use crate::walk::path::End;
use crate::walk::policy::{POLICIES, Scheduler};
use crate::walk::random::extra;
use crate::walk::state::WalkState;
use crate::walk::wish::Wish;
use model::{Budget, Claim, Ctl, Engine, Formula, FormulaBuilder, FormulaId, Goal, Letter, Ltl, NetTask, Stats, Turn};
use search::luby::luby;
use search::rng::{Rng, mix};
use std::collections::HashMap;
use std::sync::Arc;

/// Guards updated per work unit, and positions of a run on which a subformula is evaluated.
pub(crate) const UPDATES_PER_UNIT: u64 = 32;
pub(crate) const EVALUATED_PER_UNIT: u64 = 256;
/// Firings between two checks of the budget.
const STRIDE: u64 = 32;
/// Firings between two updates of the wishes.
const REFRESH: u64 = 24;
/// Length of the shortest walk to a letter, and of the shortest part with a policy.
const SHORTEST: u64 = 64;
/// The most letters that a walk goes to.
const AIMS: usize = 3;
/// Positions times letters of a run.
const LARGEST: usize = 1 << 24;

/// The engine of walks that repeat.
pub struct LassoWalk {
    /// `None` if numbers of the net or its formulas are too large for walks.
    search: Option<Box<LassoSearch>>,
}

/// A formula that is asked about.
#[derive(Clone, Debug)]
pub enum Question {
    /// A formula about runs.
    Runs(Arc<Ltl>),
    /// A formula of computation tree logic.
    Branching(Arc<Ctl>),
}

impl Question {
    /// Returns the letters that are formulas over places.
    fn letters(&self) -> Vec<FormulaId> {
        let id = |letter| if let Letter::Marking(id) = letter { Some(id) } else { None };
        match self {
            Question::Runs(formula) => formula.letters().filter_map(id).collect(),
            Question::Branching(formula) => formula.letters().collect(),
        }
    }

    pub(crate) fn nodes(&self) -> usize {
        match self {
            Question::Runs(formula) => formula.nodes().len(),
            Question::Branching(formula) => formula.nodes().len(),
        }
    }
}

/// Returns the truth of a letter, if it is known to be the same in all reachable markings.
pub type Constant = Box<dyn Fn(FormulaId) -> Option<bool> + Send>;

impl LassoWalk {
    /// Makes the engine for these formulas. Their letters are formulas of the task. The goals of the task are ignored.
    /// `constant` is asked when formulas of computation tree logic are evaluated.
    #[must_use]
    pub fn new(task: &NetTask, asked: Vec<(Goal, Question)>, constant: Constant, seed: u64) -> Self {
        let search =
            Rules::new(&task.net).and_then(|net| LassoSearch::new(task, (net, constant), asked, seed)).map(Box::new);
        Self { search }
    }
}

impl Engine for LassoWalk {
    fn name(&self) -> &'static str {
        "walk"
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        self.search.as_mut().map_or(Turn::Done, |search| search.run(budget))
    }

    fn refused(&mut self, _goal: Goal) {
        debug_assert!(false, "no run is a guess, unless two markings have the same 128-bit hash");
    }

    fn settled(&mut self, goals: &[Goal]) {
        if let Some(search) = &mut self.search {
            search.asked.retain(|(goal, _)| !goals.contains(goal));
        }
    }

    fn stats(&self) -> Stats {
        self.search.as_ref().map_or_else(Stats::default, |search| search.stats())
    }
}

/// What the walk does next.
enum Phase {
    /// Goes to a marking that satisfies this aim. The number of firings that are left for it.
    Aim(usize, u64),
    /// Follows the policy. The number of firings that are left for it.
    Repeat(u64),
}

pub(crate) struct LassoSearch {
    pub(crate) task: NetTask,
    pub(crate) net: Rules,
    pub(crate) constant: Constant,
    pub(crate) asked: Vec<(Goal, Question)>,
    /// The letters, ascending. The goals watch each of them.
    pub(crate) letters: Vec<FormulaId>,
    /// Each letter and its negation, with directions to it.
    aims: Vec<(Formula, Option<Vec<Direction>>)>,
    pub(crate) goals: Goals,
    pub(crate) state: WalkState,
    memory: Memory,
    scheduler: Scheduler,
    wish: Wish,
    rng: Rng,
    pub(crate) walk: Current,
    pub(crate) claims: Vec<Claim>,
    walks: u64,
    firings: u64,
}

/// The current walk.
#[derive(Default)]
pub(crate) struct Current {
    phases: Vec<Phase>,
    taste: Option<Taste>,
    pub(crate) extra: Vec<u32>,
    pub(crate) fired: Vec<u32>,
    /// The truth of letters at each position.
    pub(crate) rows: Vec<bool>,
    /// For each step: true if another transition was enabled.
    pub(crate) branches: Vec<bool>,
    /// The position of each marking since the policy began, by its hash.
    seen: HashMap<u128, usize>,
    hash: u128,
}

/// A factor for the tokens of a place in the hash of a marking.
fn factor(place: u32) -> u128 {
    let half = |salt: u64| u128::from(mix(u64::from(place) ^ salt));
    half(0x6c61_7373_6f00_0000) << 64 | half(0x7761_6c6b_0000_0000) | 1
}

impl LassoSearch {
    fn new(
        task: &NetTask,
        (net, constant): (Rules, Constant),
        asked: Vec<(Goal, Question)>,
        seed: u64,
    ) -> Option<Self> {
        let mut letters: Vec<FormulaId> = asked.iter().flat_map(|(_, question)| question.letters()).collect();
        letters.sort_unstable();
        letters.dedup();
        let watched: Vec<Goal> = letters.iter().map(|id| Goal::Formula(*id)).collect();
        let watching = NetTask::plain(Arc::clone(&task.net), task.formulas.clone(), watched);
        let goals = Goals::new(&watching);
        if goals.watched().count() < letters.len() || letters.is_empty() {
            return None;
        }
        let both = |id: &FormulaId| {
            let formula = &task.formulas[id.index()];
            let mut builder = FormulaBuilder::default();
            let copy = builder.copy(formula);
            let root = builder.negate(copy);
            [(Formula::clone(formula), None), (builder.finish(root), None)]
        };
        let aims = letters.iter().flat_map(both).collect();
        let state = WalkState::new(&net);
        let (memory, scheduler, wish) = (Memory::new(net.transitions()), Scheduler::new(&net), Wish::new(&net));
        let (rng, walk, claims) = (Rng(seed ^ 0x006c_6173_736f), Current::default(), Vec::new());
        let mut search = Self {
            task: watching,
            net,
            constant,
            asked,
            letters,
            aims,
            goals,
            state,
            memory,
            scheduler,
            wish,
            rng,
            walk,
            claims,
            walks: 0,
            firings: 0,
        };
        search.restart();
        Some(search)
    }

    fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            if let Some(claim) = self.claims.pop() {
                return Turn::Claims(claim);
            }
            if self.asked.is_empty() {
                return Turn::Done;
            }
            let effort = self.state.effort;
            let mut fired = 0;
            while fired < STRIDE && self.claims.is_empty() && self.step() {
                fired += 1;
            }
            if fired < STRIDE && self.claims.is_empty() {
                self.restart();
            }
            if !budget.spend(1 + fired + (self.state.effort - effort) / UPDATES_PER_UNIT) && self.claims.is_empty() {
                return Turn::More;
            }
        }
    }

    /// Fires a transition. Returns false if the walk is over.
    fn step(&mut self) -> bool {
        let chosen = loop {
            if self.walk.phases.is_empty() {
                return false;
            }
            if self.state.enabled.is_empty() {
                self.walk.phases.clear();
                self.judge(End::Dead);
                return false;
            }
            match self.walk.phases.last_mut() {
                Some(Phase::Aim(aim, left)) => {
                    let (aim, is_over) = (*aim, *left == 0);
                    *left = left.saturating_sub(1);
                    if is_over || self.goals.holds(aim / 2) == aim.is_multiple_of(2) {
                        self.next_phase();
                        continue;
                    }
                    break self.towards(aim);
                }
                Some(Phase::Repeat(left)) if *left > 0 => {
                    *left -= 1;
                    let at = self.walk.fired.len();
                    if let Some(back) = self.walk.seen.insert(self.walk.hash, at) {
                        self.walk.phases.clear();
                        self.judge(End::Back(back));
                        return false;
                    }
                    break self.scheduler.choose(&self.state.enabled).expect("a transition is enabled");
                }
                _ => {
                    self.walk.phases.clear();
                    self.judge(End::Open);
                    return false;
                }
            }
        };
        self.fire(chosen)
    }

    /// Chooses a transition on the way to an aim.
    fn towards(&mut self, aim: usize) -> u32 {
        let taste = self.walk.taste.unwrap_or(Taste::Climbing);
        if taste == Taste::Climbing && (self.walk.fired.len() as u64).is_multiple_of(REFRESH) {
            let goal = Some(&self.aims[aim].0);
            self.state.effort += self.wish.refresh(&self.net, goal, &self.state.tokens, &mut self.rng);
        }
        let (net, wish) = (&self.net, &self.wish);
        self.memory.choose(taste, &self.state.enabled, |t| wish.gain(net, t), &mut self.rng)
    }

    fn fire(&mut self, t: u32) -> bool {
        let before: u128 = self.part(t);
        let branches = self.state.enabled.len() > 1;
        if self.walk.rows.len() >= LARGEST || self.state.fire(&self.net, &mut self.goals, t).is_err() {
            return false;
        }
        self.walk.hash = self.walk.hash.wrapping_sub(before).wrapping_add(self.part(t));
        self.walk.fired.push(t);
        self.walk.branches.push(branches);
        self.memory.fired(t);
        self.firings += 1;
        self.note();
        true
    }

    /// Returns the part of the hash that the places have that a transition changes.
    fn part(&self, t: u32) -> u128 {
        let changes = self.net.changes.row(t as usize).iter();
        let value = |place: u32| factor(place).wrapping_mul(u128::from(self.state.tokens[place as usize]));
        changes.fold(0, |sum, change| sum.wrapping_add(value(change.place)))
    }

    /// Writes down the truth of letters in the current marking.
    fn note(&mut self) {
        let goals = &self.goals;
        self.walk.rows.extend((0..self.letters.len()).map(|letter| goals.holds(letter)));
    }

    /// The number of policies that take turns. Dead ends are of use for formulas about branching time.
    fn policies(&self) -> u64 {
        let is_branching = self.asked.iter().any(|(_, question)| matches!(question, Question::Branching(_)));
        POLICIES.len() as u64 - u64::from(!is_branching)
    }

    fn next_phase(&mut self) {
        self.walk.phases.pop();
        match self.walk.phases.last() {
            Some(Phase::Aim(aim, _)) => self.turn_to(*aim),
            Some(Phase::Repeat(_)) => {
                let policy = POLICIES[(self.walks % self.policies()) as usize];
                self.scheduler.begin(policy, self.rng.word());
            }
            None => {}
        }
    }

    /// Computes the directions to an aim.
    fn turn_to(&mut self, aim: usize) {
        let (formula, known) = &mut self.aims[aim];
        let net = &self.net;
        if known.is_none() {
            self.state.effort += (net.places() + 4 * net.transitions()) as u64;
        }
        let known = known.get_or_insert_with(|| directions(net, Some(formula)));
        self.memory.directions.clone_from(known);
    }

    /// Begins the next walk. Its aims are letters of one of the formulas.
    fn restart(&mut self) {
        let round = luby(self.walks / self.policies());
        let length = |base: usize| (base as u64 / 2).max(SHORTEST).saturating_mul(round);
        let Some((_, question)) = self.asked.get(self.rng.below(self.asked.len().max(1))) else { return };
        let letter = |id: FormulaId| self.letters.binary_search(&id).ok();
        let letters: Vec<usize> = question.letters().into_iter().filter_map(letter).collect();
        let count = if letters.is_empty() { 0 } else { self.rng.below(AIMS + 1) };
        let (to_aim, to_repeat) = (length(self.net.transitions()), length(8 * self.net.transitions()));
        let rng = &mut self.rng;
        let mut phases = vec![Phase::Repeat(to_repeat)];
        phases.extend((0..count).map(|_| Phase::Aim(2 * letters[rng.below(letters.len())] + rng.below(2), to_aim)));
        // `next_phase` removes the first one.
        phases.push(Phase::Repeat(0));
        let taste = [Taste::Climbing, Taste::Greedy, Taste::Uniform, Taste::Fresh][rng.below(4)];
        let extra = extra(&self.net, rng);
        self.memory.forget(&self.walk.fired);
        self.walk = Current { phases, taste: Some(taste), extra, ..Current::default() };
        self.walks += 1;
        self.state.effort += self.net.places() as u64;
        self.state.restart(&self.net, &mut self.goals, &self.walk.extra);
        self.next_phase();
        self.note();
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats { transitions: self.firings, ..Stats::default() };
        stats.more.insert("walks", self.walks);
        stats
    }
}

//! Shortens runs after an engine has claimed them and before they are checked.
//!
//! Runs from walks and lemmas are longer than people want to read. First, a small breadth-first search looks
//! for a shortest run. If this takes too long, unnecessary steps are removed from the run
//! ([`nets::reduce::shorten`]). Both the search and the removal are limited by the work that the engines have done.
//! The shorter run is a new claim, and it is checked like any other.
//!
//! A run counts as a shortest one because of the order of the breadth-first search that found it. The checker
//! replays the run. It does not check that there is no shorter run.

use crate::options::Options;
use crate::plan::plan;
use crate::turns::{RunnerId, Turns};
use crate::{engines, markings};
use model::trace::Move;
use model::{Claim, EventId, Goal, Marked, Problem, SystemModel, Trace, Turn};
use nets::reduce::shorten::{FiringRun, Shortener};
use nets::reduce::thread_net;
use nets::rules::Rules;
use programs::running::Compiled;
use programs::{ProgramShortener, Script};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Work units that a check may always spend on shortening: about a twentieth of a second.
const FREE: u64 = 40_000;

/// A check may also spend this fraction (1/`PART`) of the work done by engines before.
const PART: u64 = 16;

/// Number of steps of a shortener that cost as much as one work unit.
const STEPS_PER_UNIT: u64 = 100;

/// Minimum number of passes over the run that the budget must allow. With a smaller budget, no steps are
/// removed.
const PASSES: u64 = 16;

/// Maximum length of the runs that are shortened.
const LONGEST: u64 = 1 << 20;

/// Maximum size of a system (local states and events, or places and transitions) in which a shortest run is
/// searched for.
const LARGE: usize = 5_000;

/// Shortens runs of one problem.
pub(crate) struct RunShortener<'p> {
    problem: &'p Problem,
    /// The system in the form in which runs are replayed. `None` until it is first needed.
    rows: Option<Rows>,
    /// Work units spent.
    used: u64,
}

/// Returns the maximum number of states that a breadth-first search may list in one operation. No budget can
/// interrupt such an operation, which lists the initial states, or the successors by one event. The number
/// saturates. It is 1 for systems other than programs, because nets fire one transition at a time.
fn widest(system: &SystemModel) -> u64 {
    let Some(program) = system.as_program() else { return 1 };
    let mut initial = 1u64;
    let mut by_event = vec![1u64; program.events().len()];
    for thread in program.threads() {
        initial = initial.saturating_mul(thread.initial.len() as u64);
        let mut most: BTreeMap<EventId, usize> = BTreeMap::new();
        for (event, targets) in thread.states.iter().flat_map(|state| &state.on) {
            let most = most.entry(*event).or_insert(1);
            *most = targets.len().max(*most);
        }
        for (event, targets) in most {
            by_event[event.index()] = by_event[event.index()].saturating_mul(targets as u64);
        }
    }
    by_event.into_iter().fold(initial, u64::max)
}

/// Returns the size of the system. `None` if its runs are not shortened.
fn size(system: &SystemModel) -> Option<usize> {
    let of_program = |p: &model::Program| p.events().len() + p.threads().iter().map(|t| t.states.len()).sum::<usize>();
    system.as_program().map(|program| of_program(program)).or_else(|| {
        system.as_marked().map(|system| match system {
            Marked::Net(net) => net.places().len() + net.transitions().len(),
            Marked::Threads(threads) => threads.places() + threads.transitions().len(),
        })
    })
}

/// A system in the form in which shorteners replay its runs.
enum Rows {
    Program(Arc<Compiled>),
    Net(Box<Rules>),
    None,
}

impl<'p> RunShortener<'p> {
    pub(crate) fn new(problem: &'p Problem) -> Self {
        Self { problem, rows: None, used: 0 }
    }

    /// Returns a claim with a shorter run than the one in `claim`, which `runner` made. The boolean is true if
    /// the returned run is a shortest one. If the run in `claim` is itself a shortest one, it is returned.
    /// `None` if no such run was found.
    pub(crate) fn shorter(
        &mut self,
        claim: &Claim,
        options: &Options<'_>,
        turns: &Turns<'_>,
        runner: RunnerId,
    ) -> Option<(Claim, bool)> {
        let Claim::Unsafe { goal, trace, candidate } = claim else { return None };
        let length = trace.len().filter(|n| (1..=LONGEST).contains(n))?;
        if options.explore_all || goal.is_temporal() || turns.engine(runner).claims_shortest(*goal) {
            return None;
        }
        let allowance = (FREE + turns.spent() / PART).saturating_sub(self.used);
        if let Some(shortest) = self.search(*goal, length, options, allowance / 2) {
            // If the claimed run is as short, it is kept, because its order of steps may be simpler.
            let is_shorter = matches!(&shortest, Claim::Unsafe { trace, .. } if trace.len() < Some(length));
            let same = || Claim::Unsafe { goal: *goal, trace: trace.clone(), candidate: *candidate };
            return Some((if is_shorter { shortest } else { same() }, true));
        }
        let steps = (allowance / 2).saturating_mul(STEPS_PER_UNIT);
        if length > steps / PASSES {
            return None;
        }
        let shorter = self.without_detours(*goal, trace, steps)?;
        let claim = |trace| (Claim::Unsafe { goal: *goal, trace, candidate: false }, false);
        shorter.len().is_some_and(|n| n < length).then(|| claim(shorter))
    }

    /// Returns a shortest run, if breadth-first search finds one within `work` work units.
    fn search(&mut self, goal: Goal, length: u64, options: &Options<'_>, work: u64) -> Option<Claim> {
        if size(self.problem.system())? > LARGE || widest(self.problem.system()) >= work || options.bound.is_some() {
            return None;
        }
        let problem = asking(self.problem, &[goal]);
        let options = options.with_engine(Some(&engines::EXPLICIT), &|_| {});
        let mut turns = Turns::of(plan(&problem, &options));
        let mut found = None;
        while turns.spent() < work && options.stop.raised().is_none() {
            let Some((runner, end)) = turns.one(options.jobs, &options.stop) else { break };
            match end {
                Turn::Claims(claim @ Claim::Unsafe { .. }) if turns.engine(runner).claims_shortest(goal) => {
                    found = Some(claim);
                    break;
                }
                Turn::Claims(_) => break,
                Turn::More | Turn::Done => {}
            }
        }
        self.used += turns.spent().max(work.min(1_000));
        let is_no_longer =
            |c: &Claim| matches!(c, Claim::Unsafe { trace, .. } if trace.len().is_some_and(|n| n <= length));
        found.filter(is_no_longer)
    }

    /// Returns the run without unnecessary steps. Spends at most `steps` steps of a shortener.
    fn without_detours(&mut self, goal: Goal, trace: &Trace, steps: u64) -> Option<Trace> {
        if steps == 0 {
            return None;
        }
        let rows = self.rows.get_or_insert_with(|| rows(self.problem));
        match rows {
            Rows::Program(rows) => {
                let found = Script::of_trace(rows, trace, LONGEST)?;
                let mut shortener =
                    ProgramShortener { rows, goal, assumptions: self.problem.assumptions(), work: steps };
                let short = shortener.shorten(found);
                self.used += (steps - shortener.work) / STEPS_PER_UNIT;
                Some(short.trace(rows))
            }
            Rows::Net(rules) => {
                if trace.runs().iter().flat_map(|run| &run.word).any(|step: &Move| step.choice.is_some()) {
                    return None;
                }
                let fired = markings::steps(trace).map(|step| step.event.0).collect();
                let found = FiringRun { extra: trace.start.to_vec(), steps: fired };
                let formula = self.problem.formula(goal).map(|f| &**f);
                let mut shortener = Shortener { net: rules, goal: formula, work: steps };
                // If the replay shows no run to the goal, the decision is left to the checker.
                let replayed = shortener.run(&found.extra, &found.steps)?;
                let short = shortener.shorten(replayed);
                self.used += (steps - shortener.work) / STEPS_PER_UNIT;
                let mut trace = Trace::new(short.extra.into_boxed_slice());
                short.steps.into_iter().for_each(|t| trace.push(EventId(t), None));
                Some(trace)
            }
            Rows::None => None,
        }
    }
}

/// Returns the problem with these goals only.
pub(crate) fn asking(problem: &Problem, goals: &[Goal]) -> Problem {
    problem.clone().only(|property| goals.contains(&property.goal))
}

fn rows(problem: &Problem) -> Rows {
    let net = |net: &model::Net| Rules::new(net).map_or(Rows::None, |rules| Rows::Net(Box::new(rules)));
    if let Some(program) = problem.system().as_program() {
        return Rows::Program(Arc::new(Compiled::new(program)));
    }
    problem.system().as_marked().map_or(Rows::None, |system| match system {
        Marked::Net(system) => net(system),
        Marked::Threads(system) => thread_net(system).map_or(Rows::None, |system| net(&system)),
    })
}

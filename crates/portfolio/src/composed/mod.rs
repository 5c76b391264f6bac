//! Questions about a net or thread-transition system that are answered by the answers to several questions about
//! reachable markings: formulas of computation tree logic, temporal formulas, and largest values of sums.
//!
//! The problem gets more goals, the *parts* ([`branching`] and [`bounds`] say which). Engines decide parts like all
//! other goals. A [`Composer`] learns from each answer. When the answers to the parts decide a question, the composer
//! makes the claim about it, and the checker checks it. Parts that no open question needs any more are dropped.

mod bounds;
mod branching;
mod explain;
mod ranges;
mod visited;

use crate::options::Options;
use crate::outcome::SettledGoal;
use crate::parts::{CheckedClaim, Composition, Formulas, parts_of};
use bounds::Thresholds;
use branching::Question;
pub(crate) use explain::{explain, hopeless};
use model::{Claim, Formula, Goal, Problem, Property, Stop};
use nets::Constants;
use ranges::Range;
pub(crate) use ranges::Ranges;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use visited::Replay;

/// Returns true if the problem has questions that are composed.
pub(crate) fn is_asked(problem: &Problem) -> bool {
    let is_marked = problem.system().as_marked().is_some();
    problem.goals().any(|goal| matches!(goal, Goal::Branching(_) | Goal::Bound(_)) || is_marked && goal.is_temporal())
}

/// A question that is not settled.
enum Open {
    Branching(Question),
    Bound(Thresholds),
}

impl Open {
    /// The goals of all parts.
    fn parts(&self) -> BTreeSet<Goal> {
        match self {
            Open::Branching(question) => question.parts(),
            Open::Bound(thresholds) => thresholds.parts(),
        }
    }
}

/// Composes answers. See the module.
pub(crate) struct Composer<'p> {
    problem: &'p Problem,
    /// The formulas of parts, which come after those of the problem.
    formulas: Vec<Arc<Formula>>,
    open: BTreeMap<Goal, Open>,
    /// For each part: the open questions that need it.
    users: BTreeMap<Goal, BTreeSet<Goal>>,
    /// Claims that settled parts as unreachable.
    safe: BTreeMap<Goal, Arc<Claim>>,
    replay: Option<Replay>,
    constants: Arc<Constants>,
    how: certify::Options,
    stop: Arc<Stop>,
}

/// What follows from an answer.
#[derive(Default)]
pub(crate) struct Composed {
    pub(crate) answers: Vec<CheckedClaim>,
    /// Parts that no open question needs.
    pub(crate) idle: Vec<Goal>,
}

impl<'p> Composer<'p> {
    /// Splits the questions of a problem. The thresholds of sums are in these ranges.
    pub(crate) fn new(
        problem: &'p Problem,
        constants: &Arc<Constants>,
        ranges: &Ranges,
        options: &Options<'_>,
    ) -> Self {
        let replay = Replay::new(problem);
        let mut formulas = Formulas::beside(problem);
        let open = split(problem, replay.as_ref(), ranges, options, &mut formulas);
        let mut users: BTreeMap<Goal, BTreeSet<Goal>> = BTreeMap::new();
        for (goal, question) in &open {
            question.parts().into_iter().for_each(|part| {
                users.entry(part).or_default().insert(*goal);
            });
        }
        let (formulas, constants) = (formulas.into_added(), Arc::clone(constants));
        let (how, stop) = (options.checks(options.check_steps), Arc::clone(&options.stop));
        Self { problem, formulas, open, users, safe: BTreeMap::new(), replay, constants, how, stop }
    }

    /// Returns the problem with the goals of parts, which come last.
    pub(crate) fn extended(&self) -> Problem {
        let extended = self.problem.clone().changed(|asked| {
            asked.formulas.extend(self.formulas.iter().cloned());
            let known: BTreeSet<Goal> = asked.properties.iter().map(|p| p.goal).collect();
            let new = self.users.keys().filter(|goal| !known.contains(goal));
            asked.properties.extend(new.map(|goal| Property::never(format!("part:{goal}"), *goal)));
        });
        let extended = extended.expect("parts fit a system with markings");
        debug_assert!(
            extended.properties().starts_with(self.problem.properties()),
            "the properties asked for come first"
        );
        extended
    }

    /// The problem without the goals of parts.
    pub(crate) fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// Number of properties that the user has asked for. They come first in the problem with parts.
    pub(crate) fn asked(&self) -> usize {
        self.problem.properties().len()
    }

    /// Returns what is known about the largest values of sums that are not settled.
    pub(crate) fn ranges(&self) -> BTreeMap<Goal, Range> {
        let range = |(goal, open): (&Goal, &Open)| match open {
            Open::Bound(thresholds) => Some((*goal, thresholds.range())),
            Open::Branching(_) => None,
        };
        self.open.iter().filter_map(range).collect()
    }

    /// Returns what follows without any answer.
    pub(crate) fn begin(&mut self) -> Composed {
        let all: Vec<Goal> = self.open.keys().copied().collect();
        self.decide(all)
    }

    /// Learns from settled goals.
    pub(crate) fn learn(&mut self, news: &[SettledGoal]) -> Composed {
        let mut touched: BTreeSet<Goal> = BTreeSet::new();
        for settled in news {
            if self.open.contains_key(&settled.goal) {
                self.close(settled.goal);
            } else {
                touched.extend(self.learn_part(settled));
            }
        }
        self.decide(touched)
    }

    /// Learns from a settled part, and returns the open questions that need it.
    fn learn_part(&mut self, SettledGoal { goal, claim, is_safe }: &SettledGoal) -> BTreeSet<Goal> {
        let Some(users) = self.users.get(goal) else { return BTreeSet::new() };
        if *is_safe {
            self.safe.insert(*goal, Arc::clone(claim));
        }
        let visited = match (&**claim, &self.replay) {
            (Claim::Unsafe { trace, .. }, Some(replay)) if !*is_safe => replay.visited(trace),
            _ => None,
        };
        for user in users {
            match self.open.get_mut(user) {
                Some(Open::Branching(question)) if *is_safe => question.never(*goal, &self.constants),
                Some(Open::Branching(question)) => question.visited(*goal, visited.as_ref()),
                Some(Open::Bound(thresholds)) if *is_safe => thresholds.never(*goal),
                Some(Open::Bound(thresholds)) => thresholds.reached(*goal, claim, self.replay.as_ref()),
                None => debug_assert!(false, "{user} needs {goal}, and is settled"),
            }
        }
        users.clone()
    }

    /// Drops a question that is settled.
    fn close(&mut self, goal: Goal) {
        self.open.remove(&goal);
        self.users.values_mut().for_each(|users| {
            users.remove(&goal);
        });
    }

    /// Makes claims about these questions if they are decided.
    fn decide(&mut self, goals: impl IntoIterator<Item = Goal>) -> Composed {
        let mut composed = Composed::default();
        for goal in goals {
            let Self { problem, formulas, safe, open, how, stop, .. } = self;
            let composition = Composition { problem, formulas, safe, how, stop };
            let answer = match open.get_mut(&goal) {
                Some(Open::Branching(question)) => question.decide(goal, &composition),
                Some(Open::Bound(thresholds)) => thresholds.decide(goal, &composition),
                None => None,
            };
            if let Some(answer) = answer {
                composed.answers.push(answer);
                self.close(goal);
            }
        }
        let asked: BTreeSet<Goal> = self.problem.goals().collect();
        let is_idle = |part: &Goal, users: &BTreeSet<Goal>| users.is_empty() && !asked.contains(part);
        composed.idle = self.users.iter().filter(|(part, users)| is_idle(part, users)).map(|(part, _)| *part).collect();
        self.users.retain(|part, users| !is_idle(part, users));
        composed
    }

    /// Adds what is known about the letters of the formulas to the evidence for them.
    pub(crate) fn complete(&self, claim: &mut Claim) {
        let Claim::Branching { goals, evidence, .. } = claim else { return };
        let parts = goals.iter().filter_map(|goal| match self.open.get(goal) {
            Some(Open::Branching(question)) => Some(question.constant_parts()),
            _ => None,
        });
        let parts: BTreeSet<Goal> = parts.flatten().collect();
        evidence.never = parts_of(parts.iter().filter_map(|part| self.safe.get(part)), &self.formulas);
    }
}

/// Returns the questions of a problem. Their parts are added to `formulas`.
fn split(
    problem: &Problem,
    replay: Option<&Replay>,
    ranges: &Ranges,
    options: &Options<'_>,
    formulas: &mut Formulas,
) -> BTreeMap<Goal, Open> {
    let mut open = BTreeMap::new();
    let mut bounds = bounds::Equation::new(problem, options);
    // The kernel alone has no rule for claims with parts. So nothing is composed for it, and engines do not learn
    // constants that the kernel would have to believe.
    for goal in problem.goals().filter(|_| !options.kernel_only) {
        let question = match goal {
            Goal::Branching(_) => {
                let formula = problem.ctl(goal).expect("the problem was checked");
                Open::Branching(Question::new(problem, formula, replay, formulas))
            }
            Goal::Temporal(id) => {
                let formula = &problem.temporal()[id.index()];
                Open::Branching(Question::about_runs(problem, formula, replay, formulas))
            }
            Goal::Bound(id) if explain::endless(goal, problem).is_none() => {
                let sum = &problem.sums()[id.index()];
                let range = ranges.begun(goal).unwrap_or_else(|| bounds::first(sum, replay, &mut bounds));
                Open::Bound(Thresholds::new(sum, range, formulas))
            }
            _ => continue,
        };
        open.insert(goal, question);
    }
    open
}

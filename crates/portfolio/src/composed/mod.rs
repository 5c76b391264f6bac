//! Questions about a net or thread-transition system that are answered by the answers to several questions about
//! reachable markings: formulas of computation tree logic, temporal formulas, and largest values of sums.
//!
//! The problem gets more goals, the *parts* ([`branching`] and [`bounds`] say which). Engines decide parts like all
//! other goals. A [`Composer`] learns from each answer. When the answers to the parts decide a question, the composer
//! makes the claim about it, and the checker checks it. Parts that no open question needs any more are dropped.

mod bounds;
mod branching;
mod live;
mod losing;
mod recurrence;
mod smaller;
mod visited;
mod weights;

use crate::formulas;
use crate::options::Options;
use crate::outcome::{Answer, Finding, News, Outcome};
use crate::plan::{plan, unsupported};
use bounds::{Ladder, Range};
use branching::Question;
use certify::Confirmed;
pub(crate) use live::Siphons;
use model::{Claim, Formula, FormulaId, Goal, Parts, Problem, Property, Reason, Stop};
use nets::Constants;
pub(crate) use recurrence::Recurrence;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use visited::Replay;

/// With more goals of parts than this, a problem gets no parts for formulas with temporal operators inside others.
const MOST_PARTS: usize = 20_000;

/// Returns true if the problem has questions that are composed.
pub(crate) fn is_asked(problem: &Problem) -> bool {
    let is_marked = problem.system().as_marked().is_some();
    problem.goals().any(|goal| matches!(goal, Goal::Branching(_) | Goal::Bound(_)) || is_marked && goal.is_temporal())
}

/// Decides a problem with such questions.
///
/// A range of values that the first thresholds leave open is narrowed in further rounds.
pub(crate) fn check(problem: &Problem, options: &Options<'_>) -> Outcome {
    let (mut outcome, mut ranges) = round(problem, options, &Ranges::new(), 0);
    let mut known = Ranges::new();
    for number in 1.. {
        let is_narrower = |(goal, range): &(&Goal, &Range)| known.get(*goal) != Some(*range) && range.is_open();
        let again: Ranges = ranges.iter().filter(is_narrower).map(|(goal, range)| (*goal, *range)).collect();
        if again.is_empty() || options.stop.raised().is_some() {
            break;
        }
        let rest = problem.clone().only(|property| again.contains_key(&property.goal));
        let (more, next) = round(&rest, options, &again, number);
        known.extend(again.iter().map(|(goal, range)| (*goal, *range)));
        ranges = known.keys().filter_map(|goal| Some((*goal, *next.get(goal)?))).collect();
        for answer in more.answers {
            if let Some(own) = outcome.answers.iter_mut().find(|own| own.property == answer.property) {
                *own = answer;
            }
        }
    }
    let all: Ranges = known.into_iter().chain(ranges).collect();
    let mut told = Vec::new();
    for answer in &mut outcome.answers {
        if let Some(detail) = bounds::say_range(answer, &all).or_else(|| say_why(answer, problem, options))
            && let Finding::Unknown { detail: known, .. } = &mut answer.finding
        {
            *known = Some(detail);
            told.push(answer.clone());
        }
    }
    if !told.is_empty() {
        // They were reported without this, when a round ended.
        (options.on_answers)(&told);
    }
    outcome
}

/// What an answer says about a largest value if only the kernel may accept evidence.
const NO_VALUES: &str = "The kernel alone has no rule for largest values.";

/// True if nothing can answer the goal: a sum without a largest value, or any sum if only the kernel accepts evidence.
fn is_hopeless(goal: Goal, problem: &Problem, options: &Options<'_>) -> bool {
    matches!(goal, Goal::Bound(_)) && (options.kernel_only || endless(goal, problem).is_some())
}

/// Returns a place of the sum of a goal in which any number of tokens or threads may start.
fn endless(goal: Goal, problem: &Problem) -> Option<String> {
    let Goal::Bound(id) = goal else { return None };
    bounds::endless(&problem.sums()[id.index()], problem.system().as_marked()?)
}

/// Returns what an answer that is unknown has to do with the kernel alone, or with an open number of tokens or threads
/// at the start.
fn say_why(answer: &Answer, problem: &Problem, options: &Options<'_>) -> Option<String> {
    let system = problem.system().as_marked()?;
    let Finding::Unknown { reason, .. } = &answer.finding else { return None };
    let tokens = if problem.system().as_threads().is_some() { "threads" } else { "tokens" };
    match answer.property.goal {
        Goal::Bound(_) => {
            let Some(place) = endless(answer.property.goal, problem) else {
                return options.kernel_only.then(|| NO_VALUES.to_owned());
            };
            Some(format!("Any number of {tokens} may start in {place}, so there is no largest value."))
        }
        goal if goal.is_temporal() || matches!(goal, Goal::Branching(_)) => {
            let tried = nets::MOST_STARTING;
            let is_tried = *reason == Reason::GaveUp && system.is_endless();
            is_tried.then(|| {
                format!(
                    "Any number of {tokens} may start. With up to {tried} more than necessary where they may, no \
                     violation was found (not checked)."
                )
            })
        }
        _ => None,
    }
}

/// For each sum: what is known about its largest value.
type Ranges = BTreeMap<Goal, Range>;

/// Lets all engines work on the problem once. Thresholds of sums are in these ranges.
fn round(problem: &Problem, options: &Options<'_>, ranges: &Ranges, number: usize) -> (Outcome, Ranges) {
    let constants = Arc::new(Constants::default());
    let mut composer = Composer::new(problem, &constants, ranges, options);
    let extended = composer.extended.clone();
    let mut turns = plan(&extended, options);
    let branching = formulas::branching(problem, options, &constants);
    let searches = branching.into_iter().chain(formulas::temporal(problem, options, &constants));
    let hopeless: Vec<Goal> = problem.goals().filter(|goal| is_hopeless(*goal, problem, options)).collect();
    let unanswered = (!hopeless.is_empty()).then(|| unsupported(hopeless));
    searches.chain(unanswered).for_each(|entrant| turns.enter_first(entrant));
    let stage = if number == 0 { String::new() } else { format!("round-{number}") };
    let outcome =
        crate::decide::decide(&extended, options, turns.kept_by(options.checkpoint, stage), Some(&mut composer));
    let range = |(goal, open): (&Goal, &Open)| match open {
        Open::Bound(ladder) => Some((*goal, ladder.range())),
        Open::Branching(_) => None,
    };
    let ranges = composer.open.iter().filter_map(range).collect();
    (outcome, ranges)
}

/// The formulas of parts, each with its goal.
pub(crate) struct Formulas {
    /// Number of formulas of the problem.
    own: usize,
    added: Vec<Arc<Formula>>,
    goals: HashMap<Formula, Goal>,
}

impl Formulas {
    /// Returns the goal of a formula, which is added if it is new.
    fn goal(&mut self, formula: Formula) -> Goal {
        let next = Goal::Formula(FormulaId::new(self.own + self.added.len()));
        let goal = *self.goals.entry(formula.clone()).or_insert(next);
        if goal == next {
            self.added.push(Arc::new(formula));
        }
        goal
    }
}

/// A question that is not settled.
enum Open {
    Branching(Question),
    Bound(Ladder),
}

/// Composes answers. See the module.
pub(crate) struct Composer<'p> {
    problem: &'p Problem,
    /// The problem with the goals of all parts.
    extended: Problem,
    open: BTreeMap<Goal, Open>,
    /// For each part: the open questions that need it.
    users: BTreeMap<Goal, BTreeSet<Goal>>,
    /// Claims that settled parts: the goals that are unreachable, and the goals with a run.
    safe: BTreeMap<Goal, Arc<Claim>>,
    replay: Option<Replay>,
    constants: Arc<Constants>,
}

/// What follows from an answer.
#[derive(Default)]
pub(crate) struct Composed {
    pub(crate) answers: Vec<(Arc<Claim>, Confirmed)>,
    /// Parts that no open question needs.
    pub(crate) idle: Vec<Goal>,
}

impl<'p> Composer<'p> {
    fn new(problem: &'p Problem, constants: &Arc<Constants>, ranges: &Ranges, options: &Options<'_>) -> Self {
        let replay = Replay::new(problem);
        let own = problem.properties().iter().filter_map(|p| Some((Formula::clone(problem.formula(p.goal)?), p.goal)));
        let mut formulas = Formulas { own: problem.formulas().len(), added: Vec::new(), goals: own.collect() };
        let mut open = BTreeMap::new();
        let mut bounds = bounds::Equation::new(problem, options);
        // The kernel alone has no rule for claims with parts. So nothing is composed for it, and engines do not learn
        // constants that the kernel would have to believe.
        for goal in problem.goals().filter(|_| !options.kernel_only) {
            let question = match goal {
                Goal::Branching(_) => {
                    let formula = problem.ctl(goal).expect("the problem was checked");
                    Open::Branching(Question::new(problem, formula, replay.as_ref(), &mut formulas))
                }
                Goal::Temporal(id) => {
                    let formula = &problem.temporal()[id.index()];
                    Open::Branching(Question::about_runs(problem, formula, replay.as_ref(), &mut formulas))
                }
                Goal::Bound(id) => {
                    let (sum, range) = (&problem.sums()[id.index()], ranges.get(&goal));
                    if endless(goal, problem).is_some() {
                        continue;
                    }
                    let range = range.copied().unwrap_or_else(|| bounds::first(sum, replay.as_ref(), &mut bounds));
                    Open::Bound(Ladder::new(sum, range, &mut formulas))
                }
                _ => continue,
            };
            open.insert(goal, question);
        }
        let mut users: BTreeMap<Goal, BTreeSet<Goal>> = BTreeMap::new();
        for (goal, question) in &open {
            let parts = match question {
                Open::Branching(question) => question.parts(),
                Open::Bound(ladder) => ladder.parts(),
            };
            for part in parts {
                users.entry(part).or_default().insert(*goal);
            }
        }
        let extended = problem.clone().changed(|asked| {
            asked.formulas.extend(formulas.added.iter().cloned());
            let known: BTreeSet<Goal> = asked.properties.iter().map(|p| p.goal).collect();
            let new = users.keys().filter(|goal| !known.contains(goal));
            asked.properties.extend(new.map(|goal| Property::never(format!("part:{goal}"), *goal)));
        });
        let extended = extended.expect("parts fit a system with markings");
        let (safe, constants) = (BTreeMap::new(), Arc::clone(constants));
        Self { problem, extended, open, users, safe, replay, constants }
    }

    /// The problem without the goals of parts.
    pub(crate) fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// Number of properties that the user has asked for. They come first in the problem with parts.
    pub(crate) fn asked(&self) -> usize {
        self.problem.properties().len()
    }

    /// Returns what follows without any answer.
    pub(crate) fn begin(&mut self, how: &certify::Options, stop: &Stop) -> Composed {
        let all: Vec<Goal> = self.open.keys().copied().collect();
        self.decide(&all, how, stop)
    }

    /// Learns from settled goals.
    pub(crate) fn learn(&mut self, news: &[News], how: &certify::Options, stop: &Stop) -> Composed {
        let mut touched: BTreeSet<Goal> = BTreeSet::new();
        for News { goal, claim, is_safe } in news {
            if self.open.remove(goal).is_some() {
                self.users.values_mut().for_each(|users| {
                    users.remove(goal);
                });
                continue;
            }
            let Some(users) = self.users.get(goal) else { continue };
            if *is_safe {
                self.safe.insert(*goal, Arc::clone(claim));
            }
            let visited = match (&**claim, &self.replay) {
                (Claim::Unsafe { trace, .. }, Some(replay)) if !*is_safe => replay.visited(trace),
                _ => None,
            };
            for user in users {
                touched.insert(*user);
                match self.open.get_mut(user) {
                    Some(Open::Branching(question)) if *is_safe => question.never(*goal, &self.constants),
                    Some(Open::Branching(question)) => question.visited(*goal, visited.as_ref()),
                    Some(Open::Bound(ladder)) if *is_safe => ladder.never(*goal),
                    Some(Open::Bound(ladder)) => ladder.reached(*goal, claim, self.replay.as_ref()),
                    None => {}
                }
            }
        }
        let touched: Vec<Goal> = touched.into_iter().collect();
        self.decide(&touched, how, stop)
    }

    /// Makes claims about these questions if they are decided.
    fn decide(&mut self, goals: &[Goal], how: &certify::Options, stop: &Stop) -> Composed {
        let mut composed = Composed::default();
        for goal in goals {
            let answer = match self.open.get_mut(goal) {
                Some(Open::Branching(question)) => {
                    question.decide(*goal, &self.safe, (&self.extended, self.problem), how, stop)
                }
                Some(Open::Bound(ladder)) => {
                    ladder.decide(*goal, &self.safe, (&self.extended, self.problem), how, stop)
                }
                None => None,
            };
            if let Some(answer) = answer {
                composed.answers.push(answer);
                self.open.remove(goal);
                self.users.values_mut().for_each(|users| {
                    users.remove(goal);
                });
            }
        }
        let asked: BTreeSet<Goal> = self.problem.goals().collect();
        let idle =
            |(part, users): (&Goal, &BTreeSet<Goal>)| (users.is_empty() && !asked.contains(part)).then_some(*part);
        composed.idle = self.users.iter().filter_map(idle).collect();
        composed.idle.iter().for_each(|part| {
            self.users.remove(part);
        });
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
        evidence.never = parts_of(parts.iter().copied(), &self.safe, (&self.extended, self.problem));
    }
}

/// Returns the claims about these parts, with the formulas of all parts.
fn parts_of(
    parts: impl Iterator<Item = Goal>,
    safe: &BTreeMap<Goal, Arc<Claim>>,
    (extended, problem): (&Problem, &Problem),
) -> Parts {
    let mut claims: Vec<Arc<Claim>> = Vec::new();
    for claim in parts.filter_map(|part| safe.get(&part)) {
        if !claims.iter().any(|known| Arc::ptr_eq(known, claim)) {
            claims.push(Arc::clone(claim));
        }
    }
    let formulas =
        if claims.is_empty() { Vec::new() } else { extended.formulas()[problem.formulas().len()..].to_vec() };
    Parts { formulas, claims }
}

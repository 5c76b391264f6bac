//! From a claim to a [`Checked`]: finds the rule of the kernel that applies to the evidence, if there is one,
//! and applies it.

use crate::closed::{self, Set, Whole};
use crate::invariants::CheckedInvariants;
use crate::net::{self, Listing, Marked, Rules, SlotLayout, formula, potentially_marked};
use crate::own::Own;
use crate::parts;
use crate::program::{ProgramNet, States, Stepper};
use crate::rule::{self, Rule};
use crate::trace::{replay, violates};
use crate::work::Work;
use crate::{
    Check, Obligations, Refusal, branching, circuit, clauses, data, enumerated, invariants, program, reactive, reject,
    temporal,
};
use model::{
    Certificate, Claim, Ctl, ErrorId, Goal, LocalId, Markings, Observed, Problem, Program, SystemModel, ThreadId, Trace,
};
use std::borrow::Cow;

/// A verdict of the kernel. Only [`confirm`], [`enumerate`] and [`confirm_shared`](crate::confirm_shared) can build
/// one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    goals: Vec<Goal>,
    is_safe: bool,
    shown: Shown,
}

/// What a rule has found in evidence that it accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Shown {
    rule: Rule,
    length: u64,
    replayed: u64,
    hash: u64,
}

impl Shown {
    /// A run of `length` steps; `replayed` steps were taken to check it.
    fn run(rule: Rule, (length, replayed): (u64, u64)) -> Self {
        Self { rule, length, replayed, hash: 0 }
    }

    /// A closed set.
    fn set(rule: Rule, Whole { states, hash }: Whole) -> Self {
        Self { rule, length: states, replayed: states, hash }
    }

    /// Evidence of this many parts, without states.
    fn parts(rule: Rule, length: u64) -> Self {
        Self { rule, length, replayed: 0, hash: 0 }
    }
}

impl Checked {
    /// A closed set with these counts, which was checked, excludes these goals.
    pub(crate) fn safe(goals: &[Goal], rule: Rule, whole: Whole) -> Self {
        assert!(!goals.is_empty(), "a confirmed claim has a goal");
        Self { goals: goals.to_vec(), is_safe: true, shown: Shown::set(rule, whole) }
    }

    /// The goals that the verdict is about.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// True if no state of the goals is reachable; false if a run reaches the goal or violates it.
    #[must_use]
    pub fn is_safe(&self) -> bool {
        self.is_safe
    }

    /// The rule that accepted the evidence.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.shown.rule
    }

    /// Number of steps, states, places, invariants or clauses in the evidence.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.shown.length
    }

    /// Number of states or steps that were computed to check the evidence.
    #[must_use]
    pub fn replayed(&self) -> u64 {
        self.shown.replayed
    }

    /// For sets of states: a hash that does not depend on the order of the states. Otherwise 0.
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.shown.hash
    }
}

/// Checks the evidence of `claim` for `problem`, using nothing else. Returns `None` if the kernel has no rule
/// for this kind of evidence.
///
/// # Errors
/// If the evidence does not show what is claimed, or cannot be checked within the resource limits.
pub fn confirm(problem: &Problem, claim: &Claim, work: &mut Work<'_>) -> Check<Option<Checked>> {
    match claim {
        Claim::Branching { goals, holds, evidence }
            if evidence.never.claims.is_empty()
                && evidence.live.is_none()
                && evidence.recurring.is_none()
                && evidence.lost.is_empty()
                && goals.iter().all(|goal| problem.ctl(*goal).is_some()) =>
        {
            asked(problem, goals)?;
            no_assumptions(problem)?;
            whole_text(problem)?;
            let mut formulas = Vec::new();
            for goal in goals {
                match problem.ctl(*goal) {
                    Some(formula) => formulas.push(Ctl::clone(formula)),
                    None => return reject(format!("the goal `{goal}` is not a formula of computation tree logic")),
                }
            }
            let whole =
                branching::check(problem, &formulas, *holds, (evidence.markings.as_deref(), &evidence.siphons), work)?;
            let shown = Shown::set(rule::BRANCHING, whole);
            Ok(Some(Checked { goals: goals.clone(), is_safe: *holds, shown }))
        }
        Claim::Unknown { .. } | Claim::Within { .. } | Claim::Branching { .. } | Claim::Bound { .. } => Ok(None),
        Claim::Unsafe { goal, trace, .. } => {
            asked(problem, &[*goal])?;
            let shown = run(problem, trace, *goal, work)?;
            Ok(Some(Checked { goals: vec![*goal], is_safe: false, shown }))
        }
        Claim::Safe { goals, certificate } => {
            asked(problem, goals)?;
            whole_text(problem)?;
            let shown = safe(problem, goals, certificate, work)?;
            Ok(shown.map(|shown| {
                assert!(!goals.is_empty(), "a confirmed claim has a goal");
                Checked { goals: goals.clone(), is_safe: true, shown }
            }))
        }
    }
}

/// Shows from the problem alone that no run reaches a goal, by computing all reachable states
/// ([`enumerated::enumerate`]). There may be at most `most` of them (fewer if their keys have several words).
/// Returns `None` if the system is not a behavioral program, or if the problem has assumptions.
///
/// # Errors
/// If a run reaches a goal, or there are more states than the limit, or if a resource limit is exceeded.
pub fn enumerate(problem: &Problem, goals: &[Goal], most: usize, work: &mut Work<'_>) -> Check<Option<Checked>> {
    asked(problem, goals)?;
    whole_text(problem)?;
    if !matches!(problem.system(), SystemModel::Rwb(_)) || !problem.assumptions().is_empty() {
        return Ok(None);
    }
    let (other, inner) = observed(problem, goals)?;
    let program = &other.program;
    let stepper = Stepper::with_priorities(program)?;
    let set = enumerated::enumerate(&mut States::new(program, &stepper, &inner), most, work)?;
    no_violation(&other, &stepper, &set, &inner, work)?;
    let rule = match is_about_runs(&inner) {
        true => rule::TEMPORAL_LISTED_STATES,
        false => rule::LISTED_STATES,
    };
    Ok(Some(Checked::safe(goals, rule, whole(&set))))
}

/// Returns the program that certificates about these goals refer to, and its goals. This program is built by
/// [`model::observed()`]; proper ends (ends that are no deadlock) and goals that are formulas are encoded in
/// it.
pub(crate) fn observed(problem: &Problem, goals: &[Goal]) -> Check<(Observed, Vec<Goal>)> {
    let Some(other) = model::observed(problem, goals) else {
        return reject("evidence about this kind of goal names one goal, and the program has no assumptions");
    };
    let inner: Vec<Goal> = other.problem.goals().collect();
    assert!(!inner.is_empty(), "each goal has a goal of the observed program");
    Ok((other, inner))
}

/// Checks that a claim names goals of the problem, each once. Otherwise it would answer no question of the
/// problem.
///
/// # Errors
/// If the claim names no goal, a goal twice, or a goal that the problem does not have.
pub fn asked(problem: &Problem, goals: &[Goal]) -> Check<()> {
    if goals.is_empty() {
        return reject("the claim names no goal");
    }
    let mut sorted = goals.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return reject(format!("the claim names the goal `{}` twice", pair[0]));
    }
    let mut asked = problem.goals().filter(|goal| sorted.binary_search(goal).is_ok()).collect::<Vec<_>>();
    asked.sort_unstable();
    asked.dedup();
    match sorted.iter().find(|goal| asked.binary_search(goal).is_err()) {
        Some(goal) => reject(format!("the goal `{goal}` is not asked for")),
        None => Ok(()),
    }
}

/// Replays a run.
fn run(problem: &Problem, trace: &Trace, goal: Goal, work: &mut Work<'_>) -> Check<Shown> {
    if let SystemModel::Rwb(program) = problem.system() {
        if let Some(unread) = program.unread() {
            let ends = goal.is_temporal() && trace.repeats_from.is_none();
            if ends || trace.runs().iter().flat_map(|run| &run.word).any(|step| step.event == unread.event) {
                return beyond();
            }
        }
        let stepper = Stepper::with_priorities(program)?;
        let mut runs = program::Runs::new(problem, program, &stepper, work)?;
        if goal.is_temporal() {
            no_assumptions(problem)?;
            let events = temporal::replay::replay(&mut runs, problem, trace, goal, work)?;
            return Ok(Shown::run(rule::TEMPORAL_PROGRAM_RUN, (events, events)));
        }
        let replayed = replay(&mut runs, trace, work)?;
        crate::Semantics::reached(&mut runs, &replayed.last, goal, work)?;
        // A bad state is one whatever the other threads do. What else is said of threads must be known.
        if (goal != Goal::Bad || !problem.assumptions().is_empty()) && is_open(program, &replayed.last.locals) {
            return beyond();
        }
        let holds = |assumed: &model::Assumption| assumed.holds(replayed.events, &replayed.last.locals);
        return match problem.assumptions().iter().position(|assumed| !holds(assumed)) {
            Some(number) => Err(Refusal::Assumption(format!("assumption number {}", number + 1))),
            None => Ok(Shown::run(rule::PROGRAM_RUN, (replayed.events, replayed.stepped))),
        };
    }
    no_assumptions(problem)?;
    match (problem.system(), Marked::of(problem)) {
        (SystemModel::Circuit(circuit), _) => match goal {
            Goal::Justice(justice) => {
                let frames = circuit::lasso::violates(&mut circuit::Runs::new(circuit, work)?, trace, justice, work)?;
                Ok(Shown::run(rule::CIRCUIT_LASSO, (frames, frames)))
            }
            _ => into(rule::CIRCUIT_RUN, &mut circuit::Runs::new(circuit, work)?, trace, goal, work),
        },
        (SystemModel::Reactive(program), _) => match goal {
            Goal::Temporal(id) => match problem.temporal().get(id.index()) {
                Some(formula) => {
                    let calls = violates(&mut reactive::Runs::new(program), trace, formula, work)?;
                    Ok(Shown::run(rule::REACTIVE_RUN, (calls, calls)))
                }
                None => reject(format!("there is no formula number {}", id.0)),
            },
            _ => into(rule::REACTIVE_RUN, &mut reactive::Runs::new(program), trace, goal, work),
        },
        (_, Some(system)) => {
            if let Goal::Formula(_) = goal {
                formula::asked(problem, goal, system.places())?;
            }
            let mut runs = net::Runs::new(problem, system, work)?;
            if let Goal::Bound(id) = goal {
                let Some(sum) = problem.sums().get(id.index()) else { return reject(format!("there is no {goal}")) };
                let events = runs.grows(trace, sum, work)?;
                return Ok(Shown::run(rule::MARKED_RUN, (events, events)));
            }
            if goal.is_temporal() {
                let events = temporal::replay::replay(&mut runs, problem, trace, goal, work)?;
                return Ok(Shown::run(rule::TEMPORAL_MARKED_RUN, (events, events)));
            }
            into(rule::MARKED_RUN, &mut runs, trace, goal, work)
        }
        (SystemModel::Data(program), _) => Ok(Shown::run(rule::DATA_RUN, data::replay(program, trace, goal, work)?)),
        (SystemModel::Own(system), _) => into(rule::OWN_RUN, &mut Own::new(&**system, &[])?, trace, goal, work),
        (_, None) => reject("the kernel has no rule for runs of this kind of system"),
    }
}

fn into<S: crate::Semantics>(rule: Rule, runs: &mut S, trace: &Trace, goal: Goal, work: &mut Work<'_>) -> Check<Shown> {
    let replayed = replay(runs, trace, work)?;
    runs.reached(&replayed.last, goal, work)?;
    Ok(Shown::run(rule, (replayed.events, replayed.stepped)))
}

/// Refuses programs of which only a part was explored ([`model::Unread`]). Their runs are checked, and nothing else.
pub(crate) fn whole_text(problem: &Problem) -> Check<()> {
    match problem.system().unread() {
        None => Ok(()),
        Some(unread) => Err(Refusal::Unknown(format!("only a part of the text was explored: {}", unread.why))),
    }
}

/// True if a thread is in the state that stands for what was not explored of it.
fn is_open(program: &Program, locals: &[u32]) -> bool {
    let Some(unread) = program.unread() else { return false };
    (0..)
        .zip(locals)
        .any(|(thread, local)| program.thread(ThreadId(thread)).state(LocalId(*local)).request.contains(unread.event))
}

fn beyond<T>() -> Check<T> {
    Err(Refusal::Unknown("the run goes beyond the part of the text that was explored".to_owned()))
}

/// Refuses problems with assumptions. Assumptions restrict the runs that count, and are defined for behavioral
/// programs only.
pub(crate) fn no_assumptions(problem: &Problem) -> Check<()> {
    match problem.assumptions().is_empty() {
        true => Ok(()),
        false => Err(Refusal::Unknown("assumptions are allowed only for behavioral programs".to_owned())),
    }
}

fn whole(set: &Set) -> Whole {
    Whole { states: set.table.len() as u64, hash: set.hash }
}

/// True if a goal is about whole runs.
fn is_about_runs(goals: &[Goal]) -> bool {
    goals.iter().any(|goal| goal.is_temporal())
}

/// Checks a certificate for the claim that no run reaches a goal. The claim also covers runs that break the
/// assumptions. Returns `None` if the kernel has no rule.
fn safe(problem: &Problem, goals: &[Goal], certificate: &Certificate, work: &mut Work<'_>) -> Check<Option<Shown>> {
    match (certificate, problem.system()) {
        (
            Certificate::StateSet(_) | Certificate::Clauses(_) | Certificate::Invariant(_),
            SystemModel::Rwb(_) | SystemModel::Data(_),
        ) => {
            let (other, inner) = observed(problem, goals)?;
            safe_program(&other, &inner, certificate, work)
        }
        (Certificate::Clauses(of), SystemModel::Circuit(circuit)) => {
            clauses::check(&circuit::Encoding::new(circuit, work)?, of, goals, &mut Obligations::Check, work)?;
            Ok(Some(Shown::parts(rule::CIRCUIT_CLAUSES, of.invariant.clauses.len() as u64)))
        }
        (Certificate::Justice(of), SystemModel::Circuit(circuit)) => {
            circuit::justice::check_proof(circuit, of, goals, &mut Obligations::Check, work)?;
            Ok(Some(Shown::parts(rule::CIRCUIT_JUSTICE, of.clauses.invariant.clauses.len() as u64)))
        }
        (Certificate::Tracking(of), SystemModel::Circuit(circuit)) => {
            circuit::tracking::check_proof(circuit, of, goals, &mut Obligations::Check, work)?;
            Ok(Some(Shown::parts(rule::CIRCUIT_TRACKING, of.clauses.invariant.clauses.len() as u64)))
        }
        (Certificate::Markings(markings), SystemModel::Net(_) | SystemModel::Threads(_)) => match Marked::of(problem) {
            Some(system) => markings_closed(system, problem, markings, goals, work),
            None => Ok(None),
        },
        (Certificate::PotentiallyMarked(of), SystemModel::Net(_) | SystemModel::Threads(_)) => {
            match Marked::of(problem) {
                Some(system) => unmarked(system, problem, &of.places, goals, work),
                None => Ok(None),
            }
        }
        (Certificate::Invariant(of), SystemModel::Net(_) | SystemModel::Threads(_)) if invariants::are_known(of) => {
            let Some(system) = Marked::of(problem) else { return Ok(None) };
            net::formulas(system, problem, goals)?;
            invariants::check(system, problem, of, goals, work)?;
            Ok(Some(Shown::parts(rule::INVARIANTS, of.invariants.len() as u64)))
        }
        (Certificate::StateSet(set), SystemModel::Own(system)) => {
            no_assumptions(problem)?;
            let whole = parts::check(&mut Own::new(&**system, goals)?, set.as_ref(), work)?;
            Ok(Some(Shown::set(rule::OWN_STATES, whole)))
        }
        (Certificate::DataProjections(parts), SystemModel::Data(program)) => {
            no_assumptions(problem)?;
            let length = data::check_projections(program, goals, parts, work)?;
            Ok(Some(Shown::parts(rule::DATA_INVARIANTS, length)))
        }
        (Certificate::Data(of), SystemModel::Data(program)) => {
            no_assumptions(problem)?;
            Ok(Some(Shown::parts(rule::DATA_INVARIANTS, data::check(program, goals, of, work)?)))
        }
        (Certificate::Valuations(of), SystemModel::Reactive(program)) => {
            no_assumptions(problem)?;
            let errors: Option<Vec<ErrorId>> =
                goals.iter().map(|goal| if let Goal::Error(id) = goal { Some(*id) } else { None }).collect();
            let Some(errors) = errors else { return Ok(None) };
            match reactive::States::new(program, &of.slots, &errors)? {
                Some(mut states) => {
                    let whole = parts::check(&mut states, of.rows.as_ref(), work)?;
                    Ok(Some(Shown::set(rule::VALUATIONS, whole)))
                }
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

/// Checks that the places outside `places` are never marked, and that no goal can hold in a marking in which
/// these places are empty.
fn unmarked(
    system: Marked<'_>,
    problem: &Problem,
    places: &[bool],
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Option<Shown>> {
    if goals.contains(&Goal::Deadlock) {
        return reject("a set of places that can be marked proves nothing about deadlocks");
    }
    let formulas = net::formulas(system, problem, goals)?;
    potentially_marked::check(system, &Rules::new(system, work)?, places, work)?;
    net::asked::excludes(places, &formulas, work)?;
    let marked = places.iter().filter(|&&can_be| can_be).count() as u64;
    Ok(Some(Shown::parts(rule::POTENTIALLY_MARKED, marked)))
}

fn safe_program(
    other: &Observed,
    goals: &[Goal],
    certificate: &Certificate,
    work: &mut Work<'_>,
) -> Check<Option<Shown>> {
    let program = &*other.program;
    match certificate {
        Certificate::StateSet(set) => {
            let stepper = Stepper::with_priorities(program)?;
            let mut states = States::new(program, &stepper, goals);
            if !is_about_runs(goals) {
                let whole = parts::check(&mut states, set.as_ref(), work)?;
                return Ok(Some(Shown::set(rule::PROGRAM_STATES, whole)));
            }
            let set = closed::check(&mut states, set.as_ref(), work)?;
            no_violation(other, &stepper, &set, goals, work)?;
            Ok(Some(Shown::set(rule::TEMPORAL_PROGRAM_STATES, whole(&set))))
        }
        Certificate::Clauses(_) if is_about_runs(goals) => reject("clauses prove nothing about whole runs"),
        Certificate::Clauses(of) => {
            // The clauses are shown for all events that are requested and not blocked, whatever their priority.
            let stepper = Stepper::new(program)?;
            clauses::check(&program::Encoding::new(&stepper, work)?, of, goals, &mut Obligations::Check, work)?;
            Ok(Some(Shown::parts(rule::PROGRAM_CLAUSES, of.invariant.clauses.len() as u64)))
        }
        Certificate::Invariant(_) if is_about_runs(goals) => reject("invariants prove nothing about whole runs"),
        Certificate::Invariant(of) if invariants::are_known(of) => {
            // As for clauses: the invariants are shown for all events that are requested and not blocked.
            let stepper = Stepper::new(program)?;
            let as_net = ProgramNet::new(program, &stepper, work)?;
            let net = as_net.net(program, work)?;
            let formula =
                |_: &CheckedInvariants<'_>, goal, work: &mut Work<'_>| as_net.formula(goal, work).map(Cow::Owned);
            invariants::check_with(Marked::Net(&net), of, goals, work, formula)?;
            Ok(Some(Shown::parts(rule::PROGRAM_INVARIANTS, of.invariants.len() as u64)))
        }
        _ => Ok(None),
    }
}

/// Checks the goals about whole runs on a closed set of states.
fn no_violation(other: &Observed, stepper: &Stepper, set: &Set, goals: &[Goal], work: &mut Work<'_>) -> Check<()> {
    for goal in goals.iter().filter(|goal| goal.is_temporal()) {
        let mut positions = program::ProgramPositions::new(&other.program, stepper);
        let formula = temporal::formula(&other.problem, *goal)?;
        temporal::check(&other.problem, &mut positions, set, (*goal, &formula), work)?;
    }
    Ok(())
}

/// Checks a set of markings that lists all of its elements. A set that omits covered markings is not closed in
/// this sense; `certify` checks such sets.
fn markings_closed(
    system: Marked<'_>,
    problem: &Problem,
    markings: &Markings,
    goals: &[Goal],
    work: &mut Work<'_>,
) -> Check<Option<Shown>> {
    let (runs, plain): (Vec<Goal>, Vec<Goal>) = goals.iter().partition(|goal| goal.is_temporal());
    let rules = Rules::new(system, work)?;
    let shape = SlotLayout::new(system, &markings.slots)?;
    let mut shown = None;
    if !runs.is_empty() {
        // A transition that changes no listed place is a step, too.
        let mut listing = Listing::new(system, &rules, &shape, markings, (&[], true), work)?;
        let set = Set::read(&listing, markings.states.as_ref(), work)?;
        let mut positions = net::MarkingPositions::new(problem, &mut listing, &markings.potentially_marked);
        for goal in runs {
            let formula = temporal::formula(problem, goal)?;
            formula.letters().try_for_each(|letter| positions.prepare_letter(letter, work))?;
            temporal::check(problem, &mut positions, &set, (goal, &formula), work)?;
        }
        shown = Some(Shown::set(rule::TEMPORAL_MARKINGS, whole(&set)));
    }
    if plain.is_empty() {
        return Ok(shown);
    }
    let formulas = net::formulas(system, problem, &plain)?;
    let claimed = (&formulas[..], plain.contains(&Goal::Deadlock));
    let mut listing = Listing::new(system, &rules, &shape, markings, claimed, work)?;
    let plain = Shown::set(rule::MARKINGS, parts::check(&mut listing, markings.states.as_ref(), work)?);
    // The rule for formulas about whole runs uses more of the kernel.
    Ok(Some(Shown { rule: shown.map_or(plain.rule, |shown| shown.rule), ..plain }))
}

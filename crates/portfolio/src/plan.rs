//! Selects the engines for a problem, as one list of entrants from the table of engines. Each engine is
//! created at its first turn.
//!
//! The module of each kind of system contains what the table does not: the reductions that come first, the
//! goals that they settle, and the data from which engines are created.

use crate::entrant::{Entrant, Role, Terms};
use crate::options::Options;
use crate::row::{Auto, Call, Entry, Row, SystemKind};
use crate::settled::Settled;
use crate::turns::Turns;
use crate::{circuit, data, engines, net, own, program, reactive};
use model::{DataTask, Goal, OwnTask, Problem, ReactiveTask, SystemModel};
use std::sync::Arc;

/// Maximum number of goals for which each goal may get its own slice. With more goals, making the slices
/// costs more than they save.
pub(crate) const OWN_SLICES: usize = 200;

/// Returns the engines that `options` select.
pub(crate) fn plan<'a>(problem: &'a Problem, options: &'a Options<'_>) -> Turns<'a> {
    let goals = problem.goals();
    let mut entrants = match problem.system() {
        SystemModel::Rwb(program) => program::plan(problem, program, options),
        SystemModel::Net(_) | SystemModel::Threads(_) => net::plan(problem, options),
        SystemModel::Circuit(circuit) => circuit::plan(circuit, goals.collect(), options),
        SystemModel::Reactive(program) => {
            reactive::plan(ReactiveTask::new(Arc::clone(program), goals, problem.temporal()), options)
        }
        SystemModel::Data(_) => DataTask::of(problem).map_or_else(Vec::new, |task| data::plan(problem, task, options)),
        SystemModel::Own(system) => own::plan(OwnTask::new(Arc::clone(system), goals), options),
    };
    if !options.without.is_empty() {
        promote(&mut entrants);
    }
    Turns::of(entrants)
}

/// Turns assistants into main engines if no main engine works for a goal of theirs, because it was left out. Otherwise
/// they would not work at all.
fn promote(entrants: &mut [Entrant<'_>]) {
    let meet = |one: &Entrant<'_>, other: &Entrant<'_>| match (&one.goals, &other.goals) {
        (Some(some), Some(others)) => some.iter().any(|goal| others.contains(goal)),
        _ => true,
    };
    for at in 0..entrants.len() {
        let is_helped = |other: &Entrant<'_>| other.role == Role::Main && meet(other, &entrants[at]);
        if matches!(entrants[at].role, Role::Assistant { .. }) && !entrants.iter().any(is_helped) {
            entrants[at].role = Role::Main;
        }
    }
}

/// A system with the properties that determine which entries of the table apply.
pub(crate) struct Subject<'a, K: SystemKind> {
    pub(crate) task: Arc<K::Task<'a>>,
    /// Returns the entries of a row for systems of this kind.
    pub(crate) entries: fn(&'static Row) -> &'static [Entry<K>],
    pub(crate) goals: Vec<Goal>,
    /// Number of threads of a program. 0 for other systems.
    pub(crate) threads: usize,
    /// True if the state space must be completed.
    pub(crate) explore_all: bool,
    /// True if a bound cuts off searches. Only nets and thread-transition systems have bounds.
    pub(crate) is_bounded: bool,
}

/// Returns the entrants of the chosen engine, or of all engines of `auto`.
pub(crate) fn entrants<'a, K: SystemKind>(subject: &Subject<'a, K>, options: &Options<'_>) -> Vec<Entrant<'a>> {
    match options.engine {
        Some(row) => named(subject, row),
        None => all(subject, options),
    }
}

/// Returns the engines of `auto`, in order of their rank (lowest first).
fn all<'a, K: SystemKind>(subject: &Subject<'a, K>, options: &Options<'_>) -> Vec<Entrant<'a>> {
    let is_run = |auto: &Auto| (!subject.explore_all || auto.completing) && (!subject.is_bounded || auto.bounded);
    let entries = engines::ALL.iter().filter(|row| options.chooses(row)).flat_map(|row| (subject.entries)(row));
    let mut run: Vec<(&Entry<K>, &Auto)> =
        entries.filter_map(|entry| Some((entry, entry.auto.as_ref().filter(|auto| is_run(auto))?))).collect();
    run.sort_by_key(|(_, auto)| auto.rank);
    let enter = |(entry, auto): (&Entry<K>, &Auto)| {
        let terms = auto.terms(subject.threads);
        let made = (entry.make)(&Call { task: Arc::clone(&subject.task), terms, by_name: false });
        made.into_iter().map(move |entrant| entrant.on(terms))
    };
    run.into_iter().flat_map(enter).collect()
}

/// Returns the engine of a row. Goals that none of its entries supports are answered as unsupported.
fn named<'a, K: SystemKind>(subject: &Subject<'a, K>, row: &'static Row) -> Vec<Entrant<'a>> {
    let entries = (subject.entries)(row).iter().filter(|entry| entry.by_name);
    let call = Call { task: Arc::clone(&subject.task), terms: Terms::PLAIN, by_name: true };
    let mut list: Vec<Entrant<'a>> = entries.flat_map(|entry| (entry.make)(&call)).collect();
    let is_asked = |goal: &Goal| list.iter().any(|e| e.goals.as_ref().is_none_or(|goals| goals.contains(goal)));
    let others: Vec<Goal> = subject.goals.iter().copied().filter(|goal| !is_asked(goal)).collect();
    if !others.is_empty() {
        list.push(unsupported(others));
    }
    list
}

/// Returns an entrant that answers these goals as unsupported.
pub(crate) fn unsupported<'a>(goals: Vec<Goal>) -> Entrant<'a> {
    Entrant::ready(Settled::unsupported(goals.clone())).only_for(goals)
}

//! Which engines a problem gets: one list, made from the table of engines, of entrants that are made at their turns.
//!
//! What a kind of system needs beside the table, its own module says: what is reduced first, what is settled by that,
//! and what engines are made of.

use crate::entrant::{Entrant, Terms};
use crate::options::Options;
use crate::row::{Auto, Call, Entry, Kind, Row};
use crate::settled::Settled;
use crate::turns::Turns;
use crate::{circuit, engines, net, own, program, reactive};
use model::{CircuitTask, Goal, MarkedTask, OwnTask, Problem, ReactiveTask, SystemModel};
use std::rc::Rc;
use std::sync::Arc;

/// With more goals than this, none gets a slice of its own: making them costs more than they save.
pub(crate) const OWN_SLICES: usize = 64;

/// The engines that `options` ask for.
pub(crate) fn plan<'a>(problem: &'a Problem, options: &'a Options<'_>) -> Turns<'a> {
    let goals = problem.goals();
    Turns::of(match problem.system() {
        SystemModel::Rwb(program) => program::plan(problem, program, options),
        SystemModel::Net(_) | SystemModel::Threads(_) => {
            MarkedTask::of(problem).map_or_else(Vec::new, |task| net::plan(task, options))
        }
        SystemModel::Circuit(circuit) => circuit::plan(CircuitTask::new(Arc::clone(circuit), goals), options),
        SystemModel::Reactive(program) => {
            reactive::plan(ReactiveTask::new(Arc::clone(program), goals, problem.temporal()), options)
        }
        SystemModel::Own(system) => own::plan(OwnTask::new(Arc::clone(system), goals), options),
    })
}

/// A system as the table of engines sees it.
pub(crate) struct Subject<'a, K: Kind> {
    pub(crate) task: Rc<K::Task<'a>>,
    /// The entries of a row for systems of this kind.
    pub(crate) entries: fn(&'static Row) -> &'static [Entry<K>],
    pub(crate) goals: Vec<Goal>,
    /// How many threads it has, if it is a program.
    pub(crate) threads: usize,
    /// Is the space to be completed?
    pub(crate) explore_all: bool,
    /// Is there a bound that cuts searches off? Only nets and thread systems know one.
    pub(crate) is_bounded: bool,
}

/// The entrants of the engine that was chosen, or of all engines of `auto`.
pub(crate) fn entrants<'a, K: Kind>(subject: &Subject<'a, K>, options: &Options<'_>) -> Vec<Entrant<'a>> {
    match options.engine {
        Some(row) => named(subject, row),
        None => all(subject),
    }
}

/// The engines of `auto`, those of lower rank first.
fn all<'a, K: Kind>(subject: &Subject<'a, K>) -> Vec<Entrant<'a>> {
    let is_run = |auto: &Auto| (!subject.explore_all || auto.completing) && (!subject.is_bounded || auto.bounded);
    let entries = engines::ALL.iter().flat_map(|row| (subject.entries)(row));
    let mut run: Vec<(&Entry<K>, &Auto)> =
        entries.filter_map(|entry| Some((entry, entry.auto.as_ref().filter(|auto| is_run(auto))?))).collect();
    run.sort_by_key(|(_, auto)| auto.rank);
    let enter = |(entry, auto): (&Entry<K>, &Auto)| {
        let terms = auto.terms(subject.threads);
        let made = (entry.make)(&Call { task: Rc::clone(&subject.task), terms, by_name: false });
        made.into_iter().map(move |entrant| entrant.on(terms))
    };
    run.into_iter().flat_map(enter).collect()
}

/// The engine of a row. It cannot be asked for goals that none of its entries is for.
fn named<'a, K: Kind>(subject: &Subject<'a, K>, row: &'static Row) -> Vec<Entrant<'a>> {
    let entries = (subject.entries)(row).iter().filter(|entry| entry.by_name);
    let call = Call { task: Rc::clone(&subject.task), terms: Terms::PLAIN, by_name: true };
    let mut list: Vec<Entrant<'a>> = entries.flat_map(|entry| (entry.make)(&call)).collect();
    let is_asked = |goal: &Goal| list.iter().any(|e| e.goals.as_ref().is_none_or(|goals| goals.contains(goal)));
    let others: Vec<Goal> = subject.goals.iter().copied().filter(|goal| !is_asked(goal)).collect();
    if !others.is_empty() {
        list.push(unsupported(others));
    }
    list
}

/// What an engine cannot be asked.
pub(crate) fn unsupported<'a>(goals: Vec<Goal>) -> Entrant<'a> {
    Entrant::ready(Settled::unsupported(goals.clone())).only_for(goals)
}

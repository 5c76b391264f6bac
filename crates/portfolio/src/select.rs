//! Selects the entries of the table of engines for a system of one kind.
//!
//! The table has the functions of the kinds of systems in its rows, so it lies above them. The plan passes it down.

use crate::entrant::{Entrant, Terms};
use crate::options::Options;
use crate::row::{Auto, Call, Entry, Row, SystemKind};
use model::Goal;
use std::sync::Arc;

/// The table of engines, with the options that select from it.
#[derive(Clone, Copy)]
pub(crate) struct Selection<'a> {
    pub(crate) table: &'static [&'static Row],
    pub(crate) options: &'a Options<'a>,
}

/// A system with the properties that determine which entries of the table apply.
pub(crate) struct Subject<'a, K: SystemKind> {
    /// Returns the entries of a row for systems of this kind.
    pub(crate) entries: fn(&'static Row) -> &'static [Entry<K>],
    pub(crate) task: Arc<K::Task<'a>>,
    pub(crate) goals: Vec<Goal>,
    /// Number of threads of a program. 0 for other systems.
    pub(crate) threads: usize,
    /// True if plain search visits all states in less time than other engines need to begin.
    pub(crate) is_tiny: bool,
    /// True if a bound cuts off searches. Only nets and thread-transition systems have bounds.
    pub(crate) is_bounded: bool,
}

impl<'a, K: SystemKind> Subject<'a, K> {
    pub(crate) fn new(entries: fn(&'static Row) -> &'static [Entry<K>], task: K::Task<'a>, goals: Vec<Goal>) -> Self {
        Self { entries, task: Arc::new(task), goals, threads: 0, is_tiny: false, is_bounded: false }
    }

    fn call(&self, row: &'static Row, entry: &Entry<K>, terms: Terms, by_name: bool) -> Call<'a, K> {
        Call { name: entry.called.unwrap_or(row.name), task: Arc::clone(&self.task), terms, by_name }
    }
}

impl<'a> Selection<'a> {
    /// Returns the entrants of the chosen engine, or of all engines of `auto`.
    pub(crate) fn entrants<K: SystemKind>(self, subject: &Subject<'a, K>) -> Vec<Entrant<'a>> {
        match self.options.engine {
            Some(row) => named(subject, row),
            None => self.all(subject),
        }
    }

    /// Returns the engines of `auto`, in order of their rank (lowest first).
    fn all<K: SystemKind>(self, subject: &Subject<'a, K>) -> Vec<Entrant<'a>> {
        let is_run =
            |auto: &Auto| (!self.options.explore_all || auto.completing) && (!subject.is_bounded || auto.bounded);
        let mut run: Vec<(&'static Row, &Entry<K>, &Auto)> = Vec::new();
        for row in self.table.iter().copied().filter(|row| self.options.chooses(row)) {
            let autos = (subject.entries)(row).iter().filter_map(|entry| Some((row, entry, entry.auto.as_ref()?)));
            run.extend(autos.filter(|(_, _, auto)| is_run(auto)));
        }
        run.sort_by_key(|(_, _, auto)| (!(subject.is_tiny && auto.tiny_first), auto.rank));
        let enter = |(row, entry, auto): (&'static Row, &Entry<K>, &Auto)| {
            let terms = auto.terms(subject.threads);
            let made = (entry.make)(&subject.call(row, entry, terms, false));
            made.into_iter().map(move |entrant| entrant.on(terms))
        };
        run.into_iter().flat_map(enter).collect()
    }
}

/// Returns the engine of a row. Goals that none of its entries supports are answered as unsupported.
fn named<'a, K: SystemKind>(subject: &Subject<'a, K>, row: &'static Row) -> Vec<Entrant<'a>> {
    let entries = (subject.entries)(row).iter().filter(|entry| entry.by_name);
    let enter = |entry: &Entry<K>| (entry.make)(&subject.call(row, entry, Terms::PLAIN, true));
    let mut list: Vec<Entrant<'a>> = entries.flat_map(enter).collect();
    let is_asked = |goal: &Goal| list.iter().any(|e| e.goals.as_ref().is_none_or(|goals| goals.contains(goal)));
    let others: Vec<Goal> = subject.goals.iter().copied().filter(|goal| !is_asked(goal)).collect();
    if !others.is_empty() {
        list.push(Entrant::unsupported(others));
    }
    list
}

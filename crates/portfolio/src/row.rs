//! Rows of the table of engines. A row contains everything about an engine that other crates need.
//!
//! The values of `--engine`, the help, the table in `docs/engines.md`, `impasse explain`, and the plan with
//! its order are generated from the rows in [`crate::engines`].
//!
//! A row names no kind of system but by a type ([`Programs`], ..). What engines of the kind are created from, and the
//! functions that create them, are in the module of the kind, which lies above this one.

use crate::entrant::{Entrant, Nanos, Role, Terms};
use crate::later::Later;
use crate::setting::Setting;
use model::{Engine, Family};
use std::fmt;
use std::sync::Arc;

/// A row of the table: an engine.
pub struct Row {
    /// Name of the engine in `--engine` and in reports.
    pub name: &'static str,
    /// Names of the engine in the previous version. The command line still accepts them, and prints a note.
    pub formerly: &'static [&'static str],
    /// What the engine does, in one line.
    pub title: &'static str,
    /// What the engine is for, and what it cannot do.
    pub about: &'static str,
    /// True if the engine may claim that goals are unreachable.
    pub proves: bool,
    /// True if the engine may claim that goals are reachable.
    pub refutes: bool,
    /// The options that the engine supports.
    pub settings: &'static [Setting],
    /// The entries for behavioral programs.
    pub(crate) program: &'static [Entry<Programs>],
    /// The entries for nets, and for thread-transition systems, which engines see as nets.
    pub(crate) net: &'static [Entry<Nets>],
    /// The entries for circuits.
    pub(crate) circuit: &'static [Entry<Circuits>],
    /// The entries for reactive programs.
    pub(crate) reactive: &'static [Entry<Reactives>],
    /// The entries for systems of one's own.
    pub(crate) own: &'static [Entry<Own>],
    /// The entries for programs with unbounded data.
    pub(crate) data: &'static [Entry<Data>],
}

impl Row {
    /// Default values of the fields.
    pub(crate) const BLANK: Self = Self {
        name: "",
        formerly: &[],
        title: "",
        about: "",
        proves: false,
        refutes: false,
        settings: &[],
        program: &[],
        net: &[],
        circuit: &[],
        reactive: &[],
        own: &[],
        data: &[],
    };

    /// Default values of the fields for an engine that proves and refutes.
    pub(crate) const DECIDES: Self = Self { proves: true, refutes: true, ..Self::BLANK };

    /// Returns true if the engine supports this option.
    #[must_use]
    pub fn takes(&self, setting: Setting) -> bool {
        self.settings.contains(&setting)
    }

    /// Returns the kinds of systems that the engine supports.
    #[must_use]
    pub fn families(&self) -> Vec<Family> {
        Family::ALL.into_iter().filter(|family| self.knows(*family)).collect()
    }

    /// Returns true if the engine supports systems of this kind.
    #[must_use]
    pub fn knows(&self, family: Family) -> bool {
        !self.are_in_auto(family).is_empty()
    }

    /// Returns true if `auto` runs the engine on systems of this kind.
    #[must_use]
    pub fn is_in_auto(&self, family: Family) -> bool {
        self.are_in_auto(family).contains(&true)
    }

    /// For each entry for systems of this kind: is it used in `auto`?
    fn are_in_auto(&self, family: Family) -> Vec<bool> {
        fn of<K: SystemKind>(entries: &[Entry<K>]) -> Vec<bool> {
            entries.iter().map(|entry| entry.auto.is_some()).collect()
        }
        match family {
            Family::Programs => of(self.program),
            Family::Nets => of(self.net),
            Family::Circuits => of(self.circuit),
            Family::Reactive => of(self.reactive),
            Family::Own => of(self.own),
            Family::Data => of(self.data),
        }
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Row {}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A kind of system, as plans see it. Its module says what it is.
pub(crate) trait SystemKind: 'static {
    /// The data from which engines are created.
    type Task<'a>: Send + Sync;
}

pub(crate) struct Programs;
pub(crate) struct Nets;
pub(crate) struct Circuits;
pub(crate) struct Reactives;
pub(crate) struct Own;
pub(crate) struct Data;

/// Creates the entrants of a row. There are several entrants if the engine works on goals one by one.
pub(crate) type Make<K> = for<'a> fn(&Call<'a, K>) -> Vec<Entrant<'a>>;

/// One way to enter an engine in a plan.
pub(crate) struct Entry<K: SystemKind> {
    /// True if this entry is used when the user names the engine.
    pub(crate) by_name: bool,
    /// How the engine runs in `auto`. `None` if this entry is not used in `auto`.
    pub(crate) auto: Option<Auto>,
    /// The name of the entrants in reports, if it is not the name of the row.
    pub(crate) called: Option<&'static str>,
    pub(crate) make: Make<K>,
}

impl<K: SystemKind> Entry<K> {
    pub(crate) const fn by_name(make: Make<K>) -> Self {
        Self { by_name: true, auto: None, called: None, make }
    }

    pub(crate) const fn in_auto(auto: Auto, make: Make<K>) -> Self {
        Self { by_name: false, auto: Some(auto), called: None, make }
    }

    pub(crate) const fn always(auto: Auto, make: Make<K>) -> Self {
        Self { by_name: true, auto: Some(auto), called: None, make }
    }

    /// Returns an entry for the engine of another row, which the user names by this row.
    pub(crate) const fn called(self, name: &'static str) -> Self {
        Self { called: Some(name), ..self }
    }
}

/// The arguments for creating the entrants of an entry.
pub(crate) struct Call<'a, K: SystemKind> {
    /// The name of the engine in reports.
    pub(crate) name: &'static str,
    pub(crate) task: Arc<K::Task<'a>>,
    /// The terms on which the engine takes turns.
    pub(crate) terms: Terms,
    /// True if the user named the engine. It then does all that it can, whatever the cost.
    pub(crate) by_name: bool,
}

impl<K: SystemKind> Clone for Call<'_, K> {
    fn clone(&self) -> Self {
        Self { task: Arc::clone(&self.task), ..*self }
    }
}

impl<'a, K: SystemKind> Call<'a, K> {
    /// Returns an entrant. Its engine is created at its first turn.
    pub(crate) fn entrant<E: Engine + 'a>(&self, make: impl FnOnce(&Self) -> E + Send + 'a) -> Entrant<'a> {
        self.paid(0, |call| Some(Box::new(make(call))))
    }

    /// Returns an entrant. Its turns must first spend `price` work units. Then the engine is created. `make` returns
    /// `None` if there is no engine for the problem.
    pub(crate) fn paid(
        &self,
        price: u64,
        make: impl FnOnce(&Self) -> Option<Box<dyn Engine + 'a>> + Send + 'a,
    ) -> Entrant<'a> {
        let call = self.clone();
        Entrant::ready(Later::boxed(self.name, price, move || make(&call)))
    }

    /// Returns the role of an engine that has this role in `auto`.
    pub(crate) fn role(&self, in_auto: Role) -> Role {
        if self.by_name { Role::Main } else { in_auto }
    }
}

/// How an engine runs in `auto`.
#[derive(Clone, Copy)]
pub(crate) struct Auto {
    /// Among engines that have done the same work, the one with the lowest rank goes first.
    pub(crate) rank: u8,
    /// Share of the work, relative to the shares of the other engines.
    pub(crate) share: u64,
    /// Cost of one work unit of the engine.
    pub(crate) unit: Unit,
    /// True if the engine runs when the whole state space must be completed.
    pub(crate) completing: bool,
    /// True if the engine runs when there is a bound.
    pub(crate) bounded: bool,
    /// True if the engine goes before all others on tiny systems.
    pub(crate) tiny_first: bool,
}

impl Auto {
    /// Creates an entry that runs neither to complete the state space nor under a bound.
    pub(crate) const fn new(rank: u8, share: u64, unit: Unit) -> Self {
        Self { rank, share, unit, completing: false, bounded: false, tiny_first: false }
    }

    pub(crate) const fn bounded(self) -> Self {
        Self { bounded: true, ..self }
    }

    pub(crate) const fn completing(self) -> Self {
        Self { completing: true, ..self }
    }

    pub(crate) const fn tiny_first(self) -> Self {
        Self { tiny_first: true, ..self }
    }

    /// Returns the terms for a system with this number of threads.
    pub(crate) fn terms(&self, threads: usize) -> Terms {
        Terms { share: self.share, unit: self.unit.of(threads) }
    }
}

/// Cost of a work unit of an engine.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    base: Nanos,
    /// Additional cost for each thread of a program.
    thread: Nanos,
    /// Maximum number of threads that add to the cost. Further threads cost nothing.
    most: usize,
}

impl Unit {
    /// Default cost, for engines that were not measured.
    pub(crate) const PLAIN: Self = Self::nanos(Terms::PLAIN.unit);

    pub(crate) const fn nanos(base: Nanos) -> Self {
        Self { base, thread: 0, most: 0 }
    }

    pub(crate) const fn per_thread(base: Nanos, thread: Nanos, most: usize) -> Self {
        Self { base, thread, most }
    }

    fn of(self, threads: usize) -> Nanos {
        self.base.saturating_add(self.thread.saturating_mul(threads.min(self.most) as u64))
    }
}

//! Rows of the table of engines. A row contains everything about an engine that other crates need.
//!
//! The values of `--engine`, the help, the table in `docs/engines.md`, `impasse explain`, and the plan with
//! its order are generated from the rows in [`crate::engines`].

use crate::entrant::{Entrant, Nanos, Terms};
use crate::{circuit, net, own, program, reactive};
use model::DataTask;
use std::fmt;
use std::sync::Arc;

/// An option that not every engine supports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// [`crate::Options::explore_all`]: the engine completes the space, and its counts are those of the whole space.
    ExploreAll,
    /// [`crate::Options::batch`].
    Batch,
    /// [`crate::Options::seed`].
    Seed,
    /// [`crate::Options::invariants`].
    Invariants,
    /// An empty [`crate::Options::patterns`], which makes the engine work without invariants. For nets and
    /// thread-transition systems.
    NoInvariants,
    /// [`crate::Options::bound`].
    Bound,
    /// [`crate::Options::jobs`]: more than one job changes no verdict, and no count of a complete state
    /// space.
    Jobs,
    /// [`crate::Options::disk`].
    Disk,
    /// [`crate::Options::lossy`].
    Lossy,
}

/// Kinds of systems, as engines distinguish them. Engines see a thread-transition system as a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Behavioral programs.
    Programs,
    /// Nets and thread-transition systems.
    Nets,
    /// Circuits.
    Circuits,
    /// Reactive programs.
    Reactive,
    /// Systems of one's own.
    Own,
    /// Programs with unbounded data.
    Data,
}

impl Family {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Programs, Self::Nets, Self::Circuits, Self::Reactive, Self::Own, Self::Data];

    /// Returns the name of the kind in the plural.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Family::Programs => "behavioral programs",
            Family::Nets => "nets and thread-transition systems",
            Family::Circuits => "circuits",
            Family::Reactive => "reactive programs",
            Family::Own => "systems of one's own",
            Family::Data => "programs with unbounded data",
        }
    }

    /// Returns the name of one system of this kind, with an article.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Family::Programs => "a behavioral program",
            Family::Nets => "a net or a thread-transition system",
            Family::Circuits => "a circuit",
            Family::Reactive => "a reactive program",
            Family::Own => "a system of one's own",
            Family::Data => "a program with unbounded data",
        }
    }
}

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
        match family {
            Family::Programs => !self.program.is_empty(),
            Family::Nets => !self.net.is_empty(),
            Family::Circuits => !self.circuit.is_empty(),
            Family::Reactive => !self.reactive.is_empty(),
            Family::Own => !self.own.is_empty(),
            Family::Data => !self.data.is_empty(),
        }
    }

    /// Returns true if `auto` runs the engine on systems of this kind.
    #[must_use]
    pub fn is_in_auto(&self, family: Family) -> bool {
        match family {
            Family::Programs => self.program.iter().any(Entry::is_in_auto),
            Family::Nets => self.net.iter().any(Entry::is_in_auto),
            Family::Circuits => self.circuit.iter().any(Entry::is_in_auto),
            Family::Reactive => self.reactive.iter().any(Entry::is_in_auto),
            Family::Own => self.own.iter().any(Entry::is_in_auto),
            Family::Data => self.data.iter().any(Entry::is_in_auto),
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

/// A kind of system, as plans see it. `Task` is the data from which its engines are created.
pub(crate) trait SystemKind: 'static {
    type Task<'a>;
}

pub(crate) struct Programs;
pub(crate) struct Nets;
pub(crate) struct Circuits;
pub(crate) struct Reactives;
pub(crate) struct Own;
pub(crate) struct Data;

impl SystemKind for Programs {
    type Task<'a> = program::Task<'a>;
}

impl SystemKind for Nets {
    type Task<'a> = net::Task<'a>;
}

impl SystemKind for Circuits {
    type Task<'a> = circuit::Task;
}

impl SystemKind for Own {
    type Task<'a> = own::Task<'a>;
}

impl SystemKind for Data {
    type Task<'a> = DataTask;
}

impl SystemKind for Reactives {
    type Task<'a> = reactive::Task<'a>;
}

/// Creates the entrants of a row. There are several entrants if the engine works on goals one by one.
pub(crate) type Make<K> = for<'a> fn(&Call<'a, K>) -> Vec<Entrant<'a>>;

/// One way to enter an engine in a plan.
pub(crate) struct Entry<K: SystemKind> {
    /// True if this entry is used when the user names the engine.
    pub(crate) by_name: bool,
    /// How the engine runs in `auto`. `None` if this entry is not used in `auto`.
    pub(crate) auto: Option<Auto>,
    pub(crate) make: Make<K>,
}

impl<K: SystemKind> Entry<K> {
    pub(crate) const fn by_name(make: Make<K>) -> Self {
        Self { by_name: true, auto: None, make }
    }

    pub(crate) const fn in_auto(auto: Auto, make: Make<K>) -> Self {
        Self { by_name: false, auto: Some(auto), make }
    }

    pub(crate) const fn always(auto: Auto, make: Make<K>) -> Self {
        Self { by_name: true, auto: Some(auto), make }
    }

    fn is_in_auto(&self) -> bool {
        self.auto.is_some()
    }
}

/// The arguments for creating the entrants of an entry.
pub(crate) struct Call<'a, K: SystemKind> {
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
}

impl Auto {
    /// Creates an entry that runs neither to complete the state space nor under a bound.
    pub(crate) const fn new(rank: u8, share: u64, unit: Unit) -> Self {
        Self { rank, share, unit, completing: false, bounded: false }
    }

    pub(crate) const fn bounded(self) -> Self {
        Self { bounded: true, ..self }
    }

    pub(crate) const fn completing(self) -> Self {
        Self { completing: true, ..self }
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

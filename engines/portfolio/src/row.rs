//! Rows of the table of engines: everything that is said of an engine outside its crate.
//!
//! The command line's values, its help, the table in `docs/engines.md`, `explain`, the plan and its order come from the
//! rows in [`crate::engines`].

use crate::entrant::{Entrant, Nanos, Terms};
use crate::{net, own, program, reactive};
use model::CircuitTask;
use std::fmt;
use std::rc::Rc;

/// An option that not every engine knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// [`crate::Options::explore_all`]: the engine completes the space, and its counts are those of the whole space.
    ExploreAll,
    /// [`crate::Options::batch`].
    Batch,
    /// [`crate::Options::seed`].
    Seed,
    /// [`crate::Options::facts`].
    Facts,
    /// [`crate::Options::patterns`] of nets and thread systems: the engine can do without facts.
    NoFacts,
    /// [`crate::Options::bound`].
    Bound,
    /// [`crate::Options::jobs`]: more than one changes no answer and no count of a whole space.
    Jobs,
}

/// Kinds of systems as engines tell them apart: a thread system is a net when engines see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Behavioral programs.
    Programs,
    /// Nets and thread systems.
    Nets,
    /// Circuits.
    Circuits,
    /// Reactive programs.
    Reactive,
    /// Systems of one's own.
    Own,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Programs, Self::Nets, Self::Circuits, Self::Reactive, Self::Own];

    /// Several of them.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Family::Programs => "behavioral programs",
            Family::Nets => "nets and thread systems",
            Family::Circuits => "circuits",
            Family::Reactive => "reactive programs",
            Family::Own => "systems of one's own",
        }
    }

    /// One of them.
    #[must_use]
    pub fn one(self) -> &'static str {
        match self {
            Family::Programs => "a behavioral program",
            Family::Nets => "a net or a thread system",
            Family::Circuits => "a circuit",
            Family::Reactive => "a reactive program",
            Family::Own => "a system of one's own",
        }
    }
}

/// An engine.
pub struct Row {
    /// As in `--engine` and in reports.
    pub name: &'static str,
    /// What it does, in a line.
    pub title: &'static str,
    /// More about it: for what, and what it cannot do.
    pub about: &'static str,
    /// May it claim that goals are unreachable?
    pub proves: bool,
    /// May it claim that goals are reachable?
    pub refutes: bool,
    /// The options it knows.
    pub settings: &'static [Setting],
    /// How it is entered for behavioral programs.
    pub(crate) program: &'static [Entry<Programs>],
    /// How it is entered for nets, and for thread systems, which are nets when engines see them.
    pub(crate) net: &'static [Entry<Nets>],
    /// How it is entered for circuits.
    pub(crate) circuit: &'static [Entry<Circuits>],
    /// How it is entered for reactive programs.
    pub(crate) reactive: &'static [Entry<Reactives>],
    /// How it is entered for systems of one's own.
    pub(crate) own: &'static [Entry<Own>],
}

impl Row {
    /// What most rows leave out.
    pub(crate) const BLANK: Self = Self {
        name: "",
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
    };

    /// Does the engine know this option?
    #[must_use]
    pub fn takes(&self, setting: Setting) -> bool {
        self.settings.contains(&setting)
    }

    /// The systems that it knows.
    #[must_use]
    pub fn families(&self) -> Vec<Family> {
        Family::ALL.into_iter().filter(|family| self.knows(*family)).collect()
    }

    /// Does it know these systems?
    #[must_use]
    pub fn knows(&self, family: Family) -> bool {
        match family {
            Family::Programs => !self.program.is_empty(),
            Family::Nets => !self.net.is_empty(),
            Family::Circuits => !self.circuit.is_empty(),
            Family::Reactive => !self.reactive.is_empty(),
            Family::Own => !self.own.is_empty(),
        }
    }

    /// Is it one of those that `auto` runs on these systems?
    #[must_use]
    pub fn is_in_auto(&self, family: Family) -> bool {
        match family {
            Family::Programs => self.program.iter().any(Entry::is_in_auto),
            Family::Nets => self.net.iter().any(Entry::is_in_auto),
            Family::Circuits => self.circuit.iter().any(Entry::is_in_auto),
            Family::Reactive => self.reactive.iter().any(Entry::is_in_auto),
            Family::Own => self.own.iter().any(Entry::is_in_auto),
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

/// A kind of system, as far as plans are concerned: what is known of a problem when its engines are made.
pub(crate) trait Kind: 'static {
    type Task<'a>;
}

pub(crate) struct Programs;
pub(crate) struct Nets;
pub(crate) struct Circuits;
pub(crate) struct Reactives;
pub(crate) struct Own;

impl Kind for Programs {
    type Task<'a> = program::Task<'a>;
}

impl Kind for Nets {
    type Task<'a> = net::Task<'a>;
}

impl Kind for Circuits {
    type Task<'a> = CircuitTask;
}

impl Kind for Own {
    type Task<'a> = own::Task<'a>;
}

impl Kind for Reactives {
    type Task<'a> = reactive::Task<'a>;
}

/// How engines are made of a row: several entrants where goals are looked at one by one.
pub(crate) type Make<K> = for<'a> fn(&Call<'a, K>) -> Vec<Entrant<'a>>;

/// One way of entering an engine.
pub(crate) struct Entry<K: Kind> {
    /// Is it entered if the user names the engine?
    pub(crate) by_name: bool,
    /// Is it entered in `auto`, and how?
    pub(crate) auto: Option<Auto>,
    pub(crate) make: Make<K>,
}

impl<K: Kind> Entry<K> {
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

/// What an entry is asked for.
pub(crate) struct Call<'a, K: Kind> {
    pub(crate) task: Rc<K::Task<'a>>,
    /// The terms of its turns.
    pub(crate) terms: Terms,
    /// Was the engine named by the user? Then it does what it can, whatever that costs.
    pub(crate) by_name: bool,
}

impl<K: Kind> Clone for Call<'_, K> {
    fn clone(&self) -> Self {
        Self { task: Rc::clone(&self.task), ..*self }
    }
}

/// An engine's place in `auto`.
#[derive(Clone, Copy)]
pub(crate) struct Auto {
    /// Among engines that have worked the same, the one with the lower rank goes first.
    pub(crate) rank: u8,
    /// How much of the work should be its own, relative to the others.
    pub(crate) share: u64,
    /// What one of its work units takes.
    pub(crate) unit: Unit,
    /// Is it run if the whole space is to be completed?
    pub(crate) completing: bool,
    /// Is it run if there is a bound?
    pub(crate) bounded: bool,
}

impl Auto {
    /// Not for completing the space, and not under a bound.
    pub(crate) const fn new(rank: u8, share: u64, unit: Unit) -> Self {
        Self { rank, share, unit, completing: false, bounded: false }
    }

    pub(crate) const fn bounded(self) -> Self {
        Self { bounded: true, ..self }
    }

    pub(crate) const fn completing(self) -> Self {
        Self { completing: true, ..self }
    }

    /// Of a system with so many threads.
    pub(crate) fn terms(&self, threads: usize) -> Terms {
        Terms { share: self.share, unit: self.unit.of(threads) }
    }
}

/// What a work unit of an engine takes.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    base: Nanos,
    /// More for each thread of a program.
    thread: Nanos,
    /// Threads beyond this number make no difference.
    most: usize,
}

impl Unit {
    /// As long as nothing was measured.
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

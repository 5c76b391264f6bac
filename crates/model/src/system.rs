//! Systems of all kinds, as problems have them.

use crate::circuit::Circuit;
use crate::data::DataProgram;
use crate::net::Net;
use crate::own::System;
use crate::reactive::Reactive;
use crate::rwb::Program;
use crate::threads::ThreadTransitionSystem;
use std::sync::Arc;

/// A system of any kind.
#[derive(Clone, Debug)]
pub enum SystemModel {
    /// A behavioral program.
    Rwb(Arc<Program>),
    /// A net.
    Net(Arc<Net>),
    /// A thread-transition system.
    Threads(Arc<ThreadTransitionSystem>),
    /// A circuit. Its properties ask about outputs and justice properties.
    Circuit(Arc<Circuit>),
    /// A reactive program. Its properties ask about error labels and temporal formulas.
    Reactive(Arc<Reactive>),
    /// A system written in Rust ([`crate::own`]). Its properties ask about predicates and deadlocks.
    Own(Arc<dyn System>),
    /// A behavioral program with unbounded data ([`crate::data`]).
    Data(Arc<DataProgram>),
}

/// A system with markings as states.
#[derive(Clone, Copy, Debug)]
pub enum Marked<'a> {
    /// A net.
    Net(&'a Arc<Net>),
    /// A thread-transition system.
    Threads(&'a Arc<ThreadTransitionSystem>),
}

impl Marked<'_> {
    /// Returns the number of places. (For thread-transition systems: of shared and local states.)
    #[must_use]
    pub fn places(self) -> usize {
        match self {
            Marked::Net(net) => net.places().len(),
            Marked::Threads(threads) => threads.places(),
        }
    }

    /// Returns true if there are infinitely many initial markings.
    #[must_use]
    pub fn is_endless(self) -> bool {
        match self {
            Marked::Net(net) => net.places().iter().any(|place| place.initial.at_most.is_none()),
            Marked::Threads(threads) => !threads.initial().any.is_empty(),
        }
    }

    /// Returns true if there is exactly one initial marking.
    #[must_use]
    pub fn has_single_start(self) -> bool {
        match self {
            Marked::Net(net) => net.open_places().is_empty(),
            Marked::Threads(threads) => threads.initial().any.is_empty(),
        }
    }
}

impl SystemModel {
    /// Returns the kind of the system.
    #[must_use]
    pub fn family(&self) -> Family {
        match self {
            Self::Rwb(_) => Family::Programs,
            Self::Net(_) | Self::Threads(_) => Family::Nets,
            Self::Circuit(_) => Family::Circuits,
            Self::Reactive(_) => Family::Reactive,
            Self::Own(_) => Family::Own,
            Self::Data(_) => Family::Data,
        }
    }

    /// Returns the behavioral program, if the system is one.
    #[must_use]
    pub fn as_program(&self) -> Option<&Arc<Program>> {
        if let SystemModel::Rwb(program) = self { Some(program) } else { None }
    }

    /// Returns the net, if the system is one.
    #[must_use]
    pub fn as_net(&self) -> Option<&Arc<Net>> {
        if let SystemModel::Net(net) = self { Some(net) } else { None }
    }

    /// Returns the thread-transition system, if the system is one.
    #[must_use]
    pub fn as_threads(&self) -> Option<&Arc<ThreadTransitionSystem>> {
        if let SystemModel::Threads(threads) = self { Some(threads) } else { None }
    }

    /// Returns the circuit, if the system is one.
    #[must_use]
    pub fn as_circuit(&self) -> Option<&Arc<Circuit>> {
        if let SystemModel::Circuit(circuit) = self { Some(circuit) } else { None }
    }

    /// Returns the reactive program, if the system is one.
    #[must_use]
    pub fn as_reactive(&self) -> Option<&Arc<Reactive>> {
        if let SystemModel::Reactive(program) = self { Some(program) } else { None }
    }

    /// Returns the system written in Rust ([`crate::own`]), if the system is one.
    #[must_use]
    pub fn as_own(&self) -> Option<&Arc<dyn System>> {
        if let SystemModel::Own(system) = self { Some(system) } else { None }
    }

    /// Returns the program with unbounded data, if the system is one.
    #[must_use]
    pub fn as_data(&self) -> Option<&Arc<DataProgram>> {
        if let SystemModel::Data(program) = self { Some(program) } else { None }
    }

    /// Returns the net or thread-transition system, if the system is one.
    #[must_use]
    pub fn as_marked(&self) -> Option<Marked<'_>> {
        self.as_net().map(Marked::Net).or_else(|| self.as_threads().map(Marked::Threads))
    }

    /// Returns the number of places that formulas about the system may use; `None` if systems of this kind have
    /// no places.
    #[must_use]
    pub fn places(&self) -> Option<usize> {
        match self {
            SystemModel::Rwb(program) => Some(program.places().1),
            SystemModel::Net(net) => Some(net.places().len()),
            SystemModel::Threads(threads) => Some(threads.places()),
            SystemModel::Circuit(_) | SystemModel::Reactive(_) | SystemModel::Own(_) | SystemModel::Data(_) => None,
        }
    }

    /// Returns a phrase for the kind of system, for use in sentences.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            SystemModel::Rwb(_) => "a behavioral program",
            SystemModel::Net(_) => "a net",
            SystemModel::Threads(_) => "a thread-transition system",
            SystemModel::Circuit(_) => "a circuit",
            SystemModel::Reactive(_) => "a reactive program",
            SystemModel::Own(system) => system.noun(),
            SystemModel::Data(_) => "a program with unbounded data",
        }
    }
}

/// Kinds of systems, as engines and options distinguish them. Engines see a thread-transition system as a net.
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
        self.names().0
    }

    /// Returns the name of one system of this kind, with an article.
    #[must_use]
    pub fn one(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Family::Programs => ("behavioral programs", "a behavioral program"),
            Family::Nets => ("nets and thread-transition systems", "a net or a thread-transition system"),
            Family::Circuits => ("circuits", "a circuit"),
            Family::Reactive => ("reactive programs", "a reactive program"),
            Family::Own => ("systems of one's own", "a system of one's own"),
            Family::Data => ("programs with unbounded data", "a program with unbounded data"),
        }
    }
}

impl From<Arc<Program>> for SystemModel {
    fn from(program: Arc<Program>) -> Self {
        SystemModel::Rwb(program)
    }
}

impl From<Arc<Net>> for SystemModel {
    fn from(net: Arc<Net>) -> Self {
        SystemModel::Net(net)
    }
}

impl From<Arc<ThreadTransitionSystem>> for SystemModel {
    fn from(threads: Arc<ThreadTransitionSystem>) -> Self {
        SystemModel::Threads(threads)
    }
}

impl From<Arc<Circuit>> for SystemModel {
    fn from(circuit: Arc<Circuit>) -> Self {
        SystemModel::Circuit(circuit)
    }
}

impl From<Arc<dyn System>> for SystemModel {
    fn from(system: Arc<dyn System>) -> Self {
        SystemModel::Own(system)
    }
}

impl From<Arc<DataProgram>> for SystemModel {
    fn from(program: Arc<DataProgram>) -> Self {
        SystemModel::Data(program)
    }
}

impl From<Arc<Reactive>> for SystemModel {
    fn from(program: Arc<Reactive>) -> Self {
        SystemModel::Reactive(program)
    }
}

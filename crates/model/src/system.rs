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
            SystemModel::Own(_) => "a system of one's own",
            SystemModel::Data(_) => "a program with unbounded data",
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

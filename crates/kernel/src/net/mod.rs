//! The semantics of nets and thread-transition systems, and the kernel's arguments about them.
//!
//! Both kinds are represented by transitions with guards and effects over places. The transitions of a net are
//! used as read. Those of a thread-transition system are translated ([`rules`], from the definition in
//! `model::threads`). Runs are stepped exactly, in big integers. Listed markings are packed, and are stepped by
//! transitions that are compiled for their slots.

pub mod asked;
pub mod compiled;
pub mod formula;
mod goals;
pub mod letters;
pub mod listed;
pub mod outcomes;
pub mod potentially_marked;
mod replay;
pub mod rules;
pub mod runs;
pub mod shape;
pub mod spread;

pub use asked::formulas;
pub use compiled::Compiled;
pub use letters::MarkingPositions;
pub use listed::{Listing, Survey};
pub use rules::{Rules, Scatter};
pub use runs::Runs;
pub use shape::SlotLayout;

use model::{Net, Problem, ThreadTransitionSystem};

/// A system with markings as states.
#[derive(Clone, Copy, Debug)]
pub enum Marked<'a> {
    /// A net.
    Net(&'a Net),
    /// A thread-transition system.
    Threads(&'a ThreadTransitionSystem),
}

impl<'a> Marked<'a> {
    /// Returns the system of the problem if its states are markings.
    #[must_use]
    pub fn of(problem: &'a Problem) -> Option<Self> {
        problem.system().as_marked().map(|system| match system {
            model::Marked::Net(net) => Marked::Net(net),
            model::Marked::Threads(system) => Marked::Threads(system),
        })
    }

    /// Number of places.
    #[must_use]
    pub fn places(self) -> usize {
        match self {
            Marked::Net(net) => net.places().len(),
            Marked::Threads(system) => system.places(),
        }
    }

    /// Returns the name of a place, for messages.
    #[must_use]
    pub fn name(self, place: usize) -> String {
        match self {
            Marked::Net(net) => net.places().get(place).map_or_else(|| format!("#{place}"), |p| p.name.clone()),
            Marked::Threads(system) => match place.checked_sub(system.shared() as usize) {
                None => format!("shared {place}"),
                Some(local) => format!("local {local}"),
            },
        }
    }

    /// Describes a transition, for messages.
    #[must_use]
    pub fn transition(self, number: usize) -> String {
        match self {
            Marked::Net(net) => format!("`{}`", net.transitions()[number].name),
            Marked::Threads(system) => {
                let t = &system.transitions()[number];
                let arrow = match t.act {
                    model::Act::Move => "->",
                    model::Act::Spawn => "+>",
                    model::Act::Transfer => "~>",
                };
                format!("`{} {} {arrow} {} {}`", t.from.0.0, t.from.1.0, t.to.0.0, t.to.1.0)
            }
        }
    }
}

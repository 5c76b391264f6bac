//! Nets and thread systems.
//!
//! Both are transitions with guards and effects over places: a net's as read, a thread system's translated ([`rules`],
//! from the definition in `model::threads`). Runs are stepped exactly, in big integers; listed markings are packed, and
//! stepped by transitions compiled for their slots.

pub mod compiled;
pub mod formula;
mod goals;
pub mod listed;
pub mod markable;
pub mod outcomes;
pub mod rules;
pub mod runs;
pub mod shape;
pub mod spread;

pub use compiled::Compiled;
pub use listed::Listing;
pub use rules::Rules;
pub use runs::Runs;
pub use shape::Shape;

use crate::{Check, reject};
use model::{Formula, Goal, Net, Problem, ThreadSystem};

/// A system whose states are markings.
#[derive(Clone, Copy, Debug)]
pub enum Marked<'a> {
    /// A net.
    Net(&'a Net),
    /// A thread system.
    Threads(&'a ThreadSystem),
}

impl<'a> Marked<'a> {
    /// The system, if its states are markings.
    #[must_use]
    pub fn of(problem: &'a Problem) -> Option<Self> {
        problem.system().as_marked().map(|system| match system {
            model::Marked::Net(net) => Marked::Net(net),
            model::Marked::Threads(system) => Marked::Threads(system),
        })
    }

    /// How many places it has.
    #[must_use]
    pub fn places(self) -> usize {
        match self {
            Marked::Net(net) => net.places().len(),
            Marked::Threads(system) => system.places(),
        }
    }

    /// A place, for messages.
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

    /// A transition, for messages.
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

/// The formulas among `goals`, which speak of places that the system has.
///
/// # Errors
/// If they do not, or a goal is none of markings.
pub fn formulas<'a>(system: Marked<'_>, problem: &'a Problem, goals: &[Goal]) -> Check<Vec<&'a Formula>> {
    let mut formulas = Vec::new();
    for goal in goals {
        match goal {
            Goal::Deadlock => {}
            Goal::Formula(_) => formulas.push(formula::asked(problem, *goal, system.places())?),
            _ => return reject("markings are never bad and have neither outputs nor calls"),
        }
    }
    Ok(formulas)
}

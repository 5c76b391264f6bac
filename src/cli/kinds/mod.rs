//! What the command line does for each kind of system: one folder per kind, and the one place that chooses among them.

mod circuit;
pub(crate) mod net;
pub(crate) mod program;
pub(crate) mod reactive;

use super::args::CircuitArgs;
use super::evidence::Export;
use super::input::Model;
use super::json::ModelReport;
use super::simulate::Game;
use super::trace::{Detail, Rendered};
use impasse::model::{Circuit, Goal, Marked, Problem, SystemModel, Trace};
use std::io;

/// A kind of system on the command line.
pub(crate) trait Kind {
    /// A replayed trace for people, indented.
    fn trace(&self, trace: &Trace, goal: Goal, detail: Detail) -> Rendered;

    /// Plays until the user, the system or the number of steps ends it.
    fn simulate(&self, game: Game<'_>) -> io::Result<()>;

    /// Prints what is in the model; `all` names.
    fn describe(&self, model: &Model, all: bool);

    /// Its kind and sizes.
    fn report(&self) -> ModelReport;

    /// What to do about a model that asks for nothing.
    fn remedy(&self) -> &'static str;

    /// Writes what other tools can read of the evidence about a goal, if there is something.
    fn export(&self, to: &Export<'_>, goal: Goal) -> io::Result<()>;

    /// The system as a circuit, for this format; its outputs are the properties in their order. `None`: it is a circuit
    /// already.
    fn circuit(&self, args: &CircuitArgs, format: &str) -> Result<Option<Circuit>, String>;
}

/// The kind of the problem's system.
pub(crate) fn of(problem: &Problem) -> Box<dyn Kind + '_> {
    match problem.system() {
        SystemModel::Rwb(program) => Box::new(program::Of { problem, program }),
        SystemModel::Net(net) => Box::new(net::Of { problem, system: Marked::Net(net) }),
        SystemModel::Threads(threads) => Box::new(net::Of { problem, system: Marked::Threads(threads) }),
        SystemModel::Circuit(circuit) => Box::new(circuit::Of { problem, circuit }),
        SystemModel::Reactive(program) => Box::new(reactive::Of { program }),
        SystemModel::Own(_) => unreachable!("no file holds a system of one's own"),
    }
}

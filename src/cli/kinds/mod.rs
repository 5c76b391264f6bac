//! What the command line does for each kind of system. Each kind has a folder. Only [`of`] chooses among the
//! kinds.

mod circuit;
mod data;
pub(crate) mod net;
mod own;
pub(crate) mod program;
pub(crate) mod reactive;

use super::args::CircuitArgs;
use super::draw::request::{NoPicture, PictureRequest};
use super::evidence::export::Export;
use super::input::Model;
use super::json::{CircuitWitness, ModelReport};
use impasse::Answer;
use impasse::model::{Circuit, Goal, Marked, Problem, SystemModel};
use std::io;
use view::draw::graph::Graph;

/// A kind of system on the command line.
pub(crate) trait SystemKind {
    /// Prints a description of the model, with all names if `all` is true.
    fn describe(&self, model: &Model, all: bool);

    /// Returns the kind and the sizes of the system.
    fn report(&self) -> ModelReport;

    /// Returns what to do about a model that asks for nothing.
    fn remedy(&self) -> &'static str;

    /// Returns a picture of the system, other than of a run.
    fn draw(&self, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture>;

    /// Writes the evidence about a goal in formats of other tools, if there are any.
    fn export(&self, to: &Export<'_>, goal: Goal) -> io::Result<()>;

    /// Returns the property of an answer in the formats of circuits. `None` for other kinds.
    fn witness(&self, _: &Answer) -> Option<CircuitWitness> {
        None
    }

    /// Returns the system as a circuit, for this format. The outputs are the properties in their order.
    /// `None` if the system is a circuit already.
    fn circuit(&self, args: &CircuitArgs, format: &str) -> Result<Option<Circuit>, String>;
}

/// Returns the kind of the problem's system.
pub(crate) fn of(problem: &Problem) -> Box<dyn SystemKind + '_> {
    match problem.system() {
        SystemModel::Rwb(program) => Box::new(program::ProgramKind { problem, program }),
        SystemModel::Net(net) => Box::new(net::NetKind { problem, system: Marked::Net(net) }),
        SystemModel::Threads(threads) => Box::new(net::NetKind { problem, system: Marked::Threads(threads) }),
        SystemModel::Circuit(circuit) => Box::new(circuit::CircuitKind { problem, circuit }),
        SystemModel::Reactive(program) => Box::new(reactive::ReactiveKind { problem, program }),
        SystemModel::Data(program) => Box::new(data::DataKind { program }),
        SystemModel::Own(system) => Box::new(own::OwnKind { problem, system }),
    }
}

/// Returns the picture of the states that are reached first.
fn states(problem: &Problem, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
    view::kind::of(problem).explored().picture(asked.most, asked.stop).ok_or(NoPicture::Stopped)
}

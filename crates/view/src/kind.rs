//! What is shown of each kind of system: runs as text, and choices.

use crate::choices::{CircuitChoices, DataChoices, MarkedChoices, OwnChoices, ProgramChoices, ReactiveChoices};
use crate::machine::{Explored, Machine};
use crate::trace::{self, Detail, Rendered};
use crate::why::needed;
use model::data::DataProgram;
use model::{Circuit, Goal, Problem, Program, Reactive, System, SystemModel, Trace};
use std::sync::Arc;

/// A kind of system, as people see it.
pub trait Kind {
    /// Renders a replayed trace, indented.
    fn trace(&self, trace: &Trace, goal: Goal, detail: Detail) -> Rendered;

    /// Returns the system to be stepped through by choices.
    fn explored(&self) -> Box<dyn Explored>;
}

/// Returns the kind of the problem's system.
#[must_use]
pub fn of(problem: &Problem) -> Box<dyn Kind + '_> {
    match problem.system() {
        SystemModel::Rwb(program) => Box::new(OfProgram { problem, program }),
        SystemModel::Net(_) | SystemModel::Threads(_) => Box::new(OfMarked { problem }),
        SystemModel::Circuit(circuit) => Box::new(OfCircuit { problem, circuit }),
        SystemModel::Reactive(program) => Box::new(OfReactive { program }),
        SystemModel::Data(program) => Box::new(OfData { problem, program }),
        SystemModel::Own(system) => Box::new(OfOwn { problem, system }),
    }
}

struct OfProgram<'p> {
    problem: &'p Problem,
    program: &'p Arc<Program>,
}

impl Kind for OfProgram<'_> {
    fn trace(&self, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
        trace::program::render(self.program, self.problem.formula(goal), trace, goal, detail)
    }

    fn explored(&self) -> Box<dyn Explored> {
        Box::new(Machine::new(ProgramChoices::new(self.program)))
    }
}

struct OfMarked<'p> {
    problem: &'p Problem,
}

impl Kind for OfMarked<'_> {
    fn trace(&self, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
        trace::net::render(self.problem, trace, goal, detail)
    }

    fn explored(&self) -> Box<dyn Explored> {
        let choices = MarkedChoices::new(self.problem.system()).expect("the states of the system are markings");
        Box::new(Machine::new(choices))
    }
}

struct OfCircuit<'p> {
    problem: &'p Problem,
    circuit: &'p Arc<Circuit>,
}

impl Kind for OfCircuit<'_> {
    fn trace(&self, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
        trace::circuit::render(self.problem, self.circuit, trace, goal, detail)
    }

    fn explored(&self) -> Box<dyn Explored> {
        Box::new(Machine::new(CircuitChoices::new(self.circuit)))
    }
}

struct OfReactive<'p> {
    program: &'p Arc<Reactive>,
}

impl Kind for OfReactive<'_> {
    fn trace(&self, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
        let why = if matches!(goal, Goal::Error(_)) { needed::by_call(self.program, trace) } else { String::new() };
        Rendered { run: trace::reactive::render(self.program, trace, goal, detail), why }
    }

    fn explored(&self) -> Box<dyn Explored> {
        Box::new(Machine::new(ReactiveChoices::new(self.program)))
    }
}

struct OfData<'p> {
    problem: &'p Problem,
    program: &'p Arc<DataProgram>,
}

impl Kind for OfData<'_> {
    fn trace(&self, trace: &Trace, goal: Goal, detail: Detail) -> Rendered {
        trace::data::render(self.problem, self.program, trace, goal, detail)
    }

    fn explored(&self) -> Box<dyn Explored> {
        Box::new(Machine::new(DataChoices::new(self.program)))
    }
}

struct OfOwn<'p> {
    problem: &'p Problem,
    system: &'p Arc<dyn System>,
}

impl Kind for OfOwn<'_> {
    fn trace(&self, trace: &Trace, _: Goal, detail: Detail) -> Rendered {
        trace::of_own(self.problem, trace, detail)
    }

    fn explored(&self) -> Box<dyn Explored> {
        Box::new(Machine::new(OwnChoices::new(self.system)))
    }
}

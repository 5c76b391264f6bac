//! Behavioral programs on the command line.

mod info;

use super::{SystemKind, states};
use crate::cli::args::{CircuitArgs, EncodingArg, What};
use crate::cli::circuit::refuse_bounds;
use crate::cli::draw::request::{NoPicture, PictureRequest, misfit};
use crate::cli::evidence::export::Export;
use crate::cli::input::Model;
use crate::cli::json::ModelReport;
use impasse::model::{self, Circuit, Goal, Problem, Program};
use nets::encode::MOST_NODES;
use programs::encode::Code;
use std::io;
use std::sync::Arc;
use view::draw::graph::Graph;
use view::draw::source::{program as threads, waits};

pub(super) struct ProgramKind<'p> {
    pub(super) problem: &'p Problem,
    pub(super) program: &'p Arc<Program>,
}

impl SystemKind for ProgramKind<'_> {
    fn describe(&self, model: &Model, all: bool) {
        info::describe(model, self.program, all);
    }

    fn report(&self) -> ModelReport {
        ModelReport::Rwb {
            threads: self.program.threads().len(),
            events: self.program.events().len(),
            thread_states: self.program.threads().iter().map(|t| t.states.len()).sum(),
        }
    }

    fn remedy(&self) -> &'static str {
        "give a formula (`--ask FORMULA`), or `--property deadlock`"
    }

    fn draw(&self, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
        match (asked.what, asked.now) {
            (None | Some(What::Threads), now) => Ok(threads::graph(self.program, now, asked.most)),
            (Some(What::States), _) => states(self.problem, asked),
            (Some(What::Waits), Some(now)) => Ok(waits::graph(self.program, now, asked.most)),
            (Some(what), _) => Err(misfit(what, "a behavioral program", &[What::Threads, What::States, What::Waits])),
        }
    }

    fn export(&self, _: &Export<'_>, _: Goal) -> io::Result<()> {
        Ok(())
    }

    fn circuit(&self, args: &CircuitArgs, _: &str) -> Result<Option<Circuit>, String> {
        refuse_bounds(args, "a behavioral program")?;
        if !self.problem.assumptions().is_empty() {
            return Err("the model has assumptions about runs (`assume`), which a circuit cannot express".to_owned());
        }
        if self.program.has_priorities() {
            return Err("the model has priorities, which the encoding as a circuit cannot express".to_owned());
        }
        if args.encoding == Some(EncodingArg::Thermometer) {
            return Err("local states are not counts: `--encoding` must be `one-hot` or `binary`".to_owned());
        }
        let code = if args.encoding == Some(EncodingArg::Binary) { Code::Digits } else { Code::OneHot };
        let goals: Vec<Goal> = self.problem.goals().collect();
        // The circuit must express which ends are proper.
        let other = model::observed(self.problem, &goals);
        let other = other.filter(|_| !goals.iter().any(|goal| goal.is_temporal()));
        let other = other.ok_or("only `bad` and `deadlock` can be written: choose them by `--property`")?;
        let encoded = programs::encode::encode(&other.program, &goals, code, MOST_NODES);
        Ok(Some(encoded.map_err(|error| error.to_string())?.alone()))
    }
}

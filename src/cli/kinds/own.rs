//! Systems of one's own, in the page of [`explore`](mod@crate::cli::explore), and those that a reader makes of a file.

use super::{SystemKind, states};
use crate::cli::args::{CircuitArgs, What};
use crate::cli::circuit::refuse_bounds;
use crate::cli::draw::request::{NoPicture, PictureRequest, misfit};
use crate::cli::evidence::export::Export;
use crate::cli::input::Model;
use crate::cli::json::ModelReport;
use impasse::model::{Circuit, Goal, Problem, System};
use std::io;
use std::sync::Arc;
use view::draw::graph::Graph;
use view::text::plural;

pub(super) struct OwnKind<'p> {
    pub(super) problem: &'p Problem,
    pub(super) system: &'p Arc<dyn System>,
}

impl SystemKind for OwnKind<'_> {
    fn describe(&self, model: &Model, _: bool) {
        say!("{}: {}", model.name, self.system.noun());
        let (slots, predicates) = (self.system.sizes().len() as u64, self.system.predicates().len() as u64);
        say!("  {}, {}", plural(slots, "slot"), plural(predicates, "predicate"));
    }

    fn report(&self) -> ModelReport {
        ModelReport::Own { slots: self.system.sizes().len(), predicates: self.system.predicates().len() }
    }

    fn remedy(&self) -> &'static str {
        "the system has no predicate, and does not ask for deadlocks"
    }

    fn draw(&self, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
        match asked.what {
            None | Some(What::States) => states(self.problem, asked),
            Some(what) => Err(misfit(what, self.system.noun(), &[What::States])),
        }
    }

    fn export(&self, _: &Export<'_>, _: Goal) -> io::Result<()> {
        Ok(())
    }

    fn circuit(&self, args: &CircuitArgs, _: &str) -> Result<Option<Circuit>, String> {
        refuse_bounds(args, self.system.noun())?;
        Err(format!("{} cannot be written as a circuit", self.system.noun()))
    }
}

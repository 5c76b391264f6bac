//! Systems of one's own, for the page of [`explore`](mod@crate::cli::explore). No file holds one, so no other command
//! meets them.

use super::SystemKind;
use crate::cli::args::CircuitArgs;
use crate::cli::draw::graph::Graph;
use crate::cli::draw::{Asked, Undrawn};
use crate::cli::evidence::Export;
use crate::cli::input::Model;
use crate::cli::json::ModelReport;
use crate::cli::machine::{Explored, Machine};
use crate::cli::simulate::Game;
use crate::cli::trace::table::Table;
use crate::cli::trace::{Detail, HEAD, Rendered, TAIL};
use impasse::choices::OwnChoices;
use impasse::model::{Circuit, Goal, Problem, System, Trace};
use impasse::steps::Steps;
use std::io;
use std::sync::Arc;

pub(super) struct Of<'p> {
    pub(super) problem: &'p Problem,
    pub(super) system: &'p Arc<dyn System>,
}

/// Why a command that reads a file has no system of one's own.
const NO_FILE: &str = "no file holds a system of one's own";

impl SystemKind for Of<'_> {
    fn trace(&self, trace: &Trace, _: Goal, detail: Detail) -> Rendered {
        let total = trace.len().unwrap_or(u64::MAX);
        let hidden = if detail.all || total <= HEAD + TAIL + 1 { 0..0 } else { HEAD..total - TAIL };
        let mut steps = Steps::new(self.problem, trace);
        let state = |steps: &Steps<'_>| steps.state().into_iter().map(|(_, value)| value.to_string());
        let mut run = format!("    start: {}\n", state(&steps).collect::<Vec<_>>().join(", "));
        let mut table = Table { titles: ["step", "action", "state"], lines: Vec::new() };
        while let Some(step) = steps.next() {
            if !hidden.contains(&(step.number - 1)) {
                let after = state(&steps).collect::<Vec<_>>().join(", ");
                table.lines.push([step.number.to_string(), step.event, after]);
            }
        }
        table.write(&mut run, &hidden, hidden.end - hidden.start, detail);
        Rendered { run, why: String::new() }
    }

    fn explored(&self) -> Box<dyn Explored> {
        Box::new(Machine::new(OwnChoices::new(self.system)))
    }

    fn report(&self) -> ModelReport {
        ModelReport::Own { slots: self.system.sizes().len(), predicates: self.system.predicates().len() }
    }

    fn simulate(&self, _: Game<'_>) -> io::Result<()> {
        unreachable!("{NO_FILE}")
    }

    fn describe(&self, _: &Model, _: bool) {
        unreachable!("{NO_FILE}")
    }

    fn remedy(&self) -> &'static str {
        unreachable!("{NO_FILE}")
    }

    fn draw(&self, _: &Asked<'_>) -> Result<Graph, Undrawn> {
        unreachable!("{NO_FILE}")
    }

    fn export(&self, _: &Export<'_>, _: Goal) -> io::Result<()> {
        unreachable!("{NO_FILE}")
    }

    fn circuit(&self, _: &CircuitArgs, _: &str) -> Result<Option<Circuit>, String> {
        unreachable!("{NO_FILE}")
    }
}

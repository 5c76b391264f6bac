//! Systems of one's own, for the page of [`explore`](mod@crate::cli::explore). No file holds one, so no other command
//! meets them.

use super::SystemKind;
use crate::cli::args::CircuitArgs;
use crate::cli::draw::request::{NoPicture, PictureRequest};
use crate::cli::evidence::export::Export;
use crate::cli::input::Model;
use crate::cli::json::ModelReport;
use crate::cli::simulate::game::Simulation;
use impasse::model::{Circuit, Goal, System};
use std::io;
use std::sync::Arc;
use view::draw::graph::Graph;

pub(super) struct OwnKind<'p> {
    pub(super) system: &'p Arc<dyn System>,
}

/// Why a command that reads a file has no system of one's own.
const NO_FILE: &str = "a system in Rust has no file";

impl SystemKind for OwnKind<'_> {
    fn report(&self) -> ModelReport {
        ModelReport::Own { slots: self.system.sizes().len(), predicates: self.system.predicates().len() }
    }

    fn simulate(&self, _: Simulation<'_>) -> io::Result<()> {
        unreachable!("{NO_FILE}")
    }

    fn describe(&self, _: &Model, _: bool) {
        unreachable!("{NO_FILE}")
    }

    fn remedy(&self) -> &'static str {
        unreachable!("{NO_FILE}")
    }

    fn draw(&self, _: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
        unreachable!("{NO_FILE}")
    }

    fn export(&self, _: &Export<'_>, _: Goal) -> io::Result<()> {
        unreachable!("{NO_FILE}")
    }

    fn circuit(&self, _: &CircuitArgs, _: &str) -> Result<Option<Circuit>, String> {
        unreachable!("{NO_FILE}")
    }
}

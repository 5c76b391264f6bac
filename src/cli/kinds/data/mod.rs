//! Programs with unbounded data on the command line.

mod info;

use super::SystemKind;
use crate::cli::args::{CircuitArgs, What};
use crate::cli::draw::request::{NoPicture, PictureRequest, misfit};
use crate::cli::evidence::export::Export;
use crate::cli::input::Model;
use crate::cli::json::ModelReport;
use impasse::model::data::DataProgram;
use impasse::model::{Circuit, Goal};
use std::io;
use std::sync::Arc;
use view::draw::graph::Graph;
use view::draw::source::data as threads;

pub(super) struct DataKind<'p> {
    pub(super) program: &'p Arc<DataProgram>,
}

impl SystemKind for DataKind<'_> {
    fn describe(&self, model: &Model, all: bool) {
        info::describe(model, self.program, all);
    }

    fn report(&self) -> ModelReport {
        ModelReport::Data {
            threads: self.program.threads().len(),
            events: self.program.events().len(),
            locations: self.program.threads().iter().map(|thread| thread.locations.len()).sum(),
            variables: self.program.variables().len(),
        }
    }

    fn remedy(&self) -> &'static str {
        "the program asks for nothing: add a line such as `check deadlock, bad`"
    }

    fn draw(&self, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
        match asked.what {
            None | Some(What::Threads) => Ok(threads::graph(self.program, asked.now, asked.most)),
            Some(what) => Err(misfit(what, "a program with unbounded numbers", &[What::Threads])),
        }
    }

    fn export(&self, _: &Export<'_>, _: Goal) -> io::Result<()> {
        Ok(())
    }

    fn circuit(&self, _: &CircuitArgs, _: &str) -> Result<Option<Circuit>, String> {
        Err("programs with unbounded numbers cannot be written as circuits".to_owned())
    }
}

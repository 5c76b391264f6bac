//! Reactive programs on the command line.

mod info;

use super::{SystemKind, states};
use crate::cli::args::{CircuitArgs, What};
use crate::cli::drafts::whole;
use crate::cli::draw::request::{NoPicture, PictureRequest, misfit};
use crate::cli::evidence::export::Export;
use crate::cli::input::Model;
use crate::cli::json::ModelReport;
use crate::cli::reproduce;
use impasse::model::{Circuit, Claim, Goal, Problem, Reactive};
use std::io;
use std::path::Path;
use std::sync::Arc;
use view::draw::graph::Graph;

pub(super) struct ReactiveKind<'p> {
    pub(super) problem: &'p Problem,
    pub(super) program: &'p Arc<Reactive>,
}

impl SystemKind for ReactiveKind<'_> {
    fn describe(&self, model: &Model, _: bool) {
        info::describe(model, self.program);
    }

    fn report(&self) -> ModelReport {
        ModelReport::Reactive {
            variables: self.program.var_count(),
            inputs: self.program.inputs().len(),
            functions: self.program.function_count(),
            errors: self.program.labels().count(),
        }
    }

    fn remedy(&self) -> &'static str {
        "the program has no error label: give formulas (`--properties FILE`)"
    }

    fn draw(&self, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
        match asked.what {
            None | Some(What::States) => states(self.problem, asked),
            Some(what) => Err(misfit(what, "a reactive program", &[What::States])),
        }
    }

    /// Writes the word of a run, and a C program that feeds it to the original.
    fn export(&self, to: &Export<'_>, _: Goal) -> io::Result<()> {
        let Claim::Unsafe { trace, .. } = to.claim else { return Ok(()) };
        if trace.len().is_none_or(|n| n > reproduce::LONGEST) {
            return Ok(());
        }
        whole(&to.path("word.txt"), |out| reproduce::word(self.program, trace, out))?;
        whole(&to.path("repro.c"), |out| {
            let bodies = to.model.bodies.as_ref().map(Path::new);
            reproduce::program(self.program, trace, Path::new(&to.model.name), bodies, out)
        })
    }

    fn circuit(&self, _: &CircuitArgs, _: &str) -> Result<Option<Circuit>, String> {
        Err("reactive programs cannot be written as circuits".to_owned())
    }
}

//! Circuits on the command line.

mod info;

use super::{SystemKind, states};
use crate::cli::args::{CircuitArgs, What};
use crate::cli::circuit::refuse_bounds;
use crate::cli::drafts::whole;
use crate::cli::draw::request::{NoPicture, PictureRequest, misfit};
use crate::cli::evidence::export::Export;
use crate::cli::input::Model;
use crate::cli::json::{CircuitWitness, ModelReport};
use impasse::Answer;
use impasse::evidence::{witness, word_witness};
use impasse::model::{Circuit, Claim, Goal, Problem};
use std::io;
use std::sync::Arc;
use view::draw::graph::Graph;
use view::draw::source::circuit;

pub(super) struct CircuitKind<'p> {
    pub(super) problem: &'p Problem,
    pub(super) circuit: &'p Arc<Circuit>,
}

impl SystemKind for CircuitKind<'_> {
    fn describe(&self, model: &Model, all: bool) {
        info::describe(model, self.circuit, all);
    }

    fn report(&self) -> ModelReport {
        let circuit = self.circuit;
        ModelReport::Circuit { inputs: circuit.inputs().len(), latches: circuit.latches().len(), ands: circuit.ands() }
    }

    fn remedy(&self) -> &'static str {
        "the circuit has no bad state and no justice property (outputs are properties in AIGER files only)"
    }

    fn draw(&self, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
        match asked.what {
            None | Some(What::Circuit) => Ok(circuit::graph(self.circuit, asked.now, asked.most)),
            Some(What::States) if !self.circuit.memories().is_empty() => {
                let why =
                    "the states of a circuit with memories cannot be drawn: a picture has no room for the memories";
                Err(NoPicture::Misfit(why.to_owned()))
            }
            Some(What::States) => states(self.problem, asked),
            Some(what) => Err(misfit(what, "a circuit", &[What::Circuit, What::States])),
        }
    }

    /// Writes evidence in formats for circuits. Evidence that is too large for them is not written.
    fn export(&self, to: &Export<'_>, goal: Goal) -> io::Result<()> {
        let mut bytes = Vec::new();
        let (written, extension) = match to.claim {
            Claim::Unsafe { trace, .. } if self.circuit.words().is_some() => {
                (word_witness::run(self.problem, goal, trace, &mut bytes)?, "wit")
            }
            Claim::Unsafe { trace, .. } => (witness::run(self.problem, goal, trace, &mut bytes)?, "aiw"),
            Claim::Safe { certificate, .. } => {
                (witness::circuit(self.problem, goal, certificate, &mut bytes)?, "witness.aag")
            }
            _ => (false, ""),
        };
        if written { whole(&to.path(extension), |out| out.write_all(&bytes)) } else { Ok(()) }
    }

    fn witness(&self, answer: &Answer) -> Option<CircuitWitness> {
        let name = match answer.property.goal {
            Goal::Output(output) => format!("b{}", output.0),
            Goal::Justice(justice) => format!("j{}", justice.0),
            _ => return None,
        };
        let is_of_words = self.circuit.words().is_some();
        let mut bytes = Vec::new();
        let written = answer.trace().is_some_and(|trace| {
            let write = if is_of_words { word_witness::run } else { witness::run };
            write(self.problem, answer.property.goal, trace, &mut bytes).expect("a vector takes all bytes")
        });
        let run = if written { String::from_utf8(bytes).ok() } else { None };
        Some(CircuitWitness { name, is_of_words, run })
    }

    fn circuit(&self, args: &CircuitArgs, _: &str) -> Result<Option<Circuit>, String> {
        refuse_bounds(args, "a circuit")?;
        if args.encoding.is_some() || !args.property.is_empty() {
            let why = "a circuit is written as it is, with all its properties: no `--encoding`, no `--property`";
            return Err(why.to_owned());
        }
        Ok(None)
    }
}

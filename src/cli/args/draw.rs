//! The arguments of `draw`.

use super::values::parse_number;
use super::{LimitArgs, QuestionArgs};
use clap::{Args, ValueEnum};
use std::fmt;
use std::path::PathBuf;

#[derive(Args, Debug)]
pub(crate) struct DrawArgs {
    /// The model
    #[arg(value_name = "MODEL")]
    pub(crate) file: String,
    /// A run that `check --evidence` wrote
    #[arg(value_name = "EVIDENCE")]
    pub(crate) evidence: Option<String>,
    /// The file to write (`-`: standard output): .svg, .dot, .mermaid or .html
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Format of the picture [default: by the ending of `--out`]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<PictureFormat>,
    /// What is drawn [default: the run in EVIDENCE, or the model in the way that suits it]
    #[arg(long, value_name = "WHAT")]
    pub(crate) what: Option<What>,
    /// Mark the state after this many steps of the run [default: all steps]
    #[arg(long, value_name = "K", value_parser = parse_number, allow_hyphen_values = true)]
    pub(crate) step: Option<u64>,
    /// Search for a run that violates this property, by its id (repeatable) [default: any property of the model]
    #[arg(long, value_name = "ID")]
    pub(crate) property: Vec<String>,
    /// Maximum number of states, places, transitions or gates that are drawn
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub(crate) nodes: u32,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PictureFormat {
    /// A picture that needs no other file
    Svg,
    /// Text for Graphviz
    Dot,
    /// Text for Mermaid
    Mermaid,
    /// A page with the picture, the source and the verdict, without a script
    Html,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// The threads of a program, or the local and shared states of a thread-transition system
    Threads,
    /// Places and transitions
    Net,
    /// Inputs, gates, latches and outputs
    Circuit,
    /// A run as a sequence diagram; without EVIDENCE, a run that a search finds
    Run,
    /// The states that are reached first
    States,
    /// Which threads wait for each other at the end of a run; without EVIDENCE, of a run that a search finds
    Waits,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Threads => "threads",
            Self::Net => "net",
            Self::Circuit => "circuit",
            Self::Run => "run",
            Self::States => "states",
            Self::Waits => "waits",
        })
    }
}

/// The form in which `check` also writes a run.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TraceForm {
    /// A page with a sequence diagram, the model at the end of the run, the run as text, and the source
    Html,
    /// A value change dump of a circuit's run, for viewers of waves
    Vcd,
}

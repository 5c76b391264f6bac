//! The arguments of `explore`.

use super::QuestionArgs;
use super::values::{parse_duration, parse_size};
use clap::Args;
use std::time::Duration;

#[derive(Args, Debug, Clone)]
pub(crate) struct ExploreArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// Evidence that `check --evidence` wrote. If it is a run, the page begins with it
    #[arg(value_name = "EVIDENCE")]
    pub(crate) evidence: Option<String>,
    /// Port of the page, on 127.0.0.1 [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// Open the page in the browser of the desktop
    #[arg(long, conflicts_with = "no_open")]
    pub(crate) open: bool,
    /// Only print the address of the page. This is the default
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Number of threads of each check that the page starts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Time limit for each check and each search that the page starts [default: none]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    pub(crate) timeout: Option<Duration>,
    /// Memory limit for the server, and for each check that the page starts: 512M, 2G [default: 80% of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) memory: Option<usize>,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

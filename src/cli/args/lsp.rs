//! The arguments of `lsp`.

use super::values::{parse_duration, parse_size};
use clap::Args;
use std::time::Duration;

#[derive(Args, Debug, Clone)]
pub(crate) struct LspArgs {
    /// Time limit for each check that the editor starts [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "60s", hide_default_value = true,
        allow_hyphen_values = true)]
    pub(crate) timeout: Duration,
    /// Memory limit for the server, and for each check that the editor starts: 512M, 2G [default: 80% of the
    /// machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) memory: Option<usize>,
    /// Number of threads of each check that the editor starts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: Option<u32>,
    /// Talk over standard input and output. This is the only way, and the option is accepted because editors give it
    #[arg(long)]
    pub(crate) stdio: bool,
}

//! The arguments of `dap`.

use super::values::parse_size;
use clap::Args;

#[derive(Args, Debug, Clone)]
pub(crate) struct DapArgs {
    /// Memory limit: 512M, 2G [default: 80% of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true)]
    pub(crate) memory: Option<usize>,
}

//! Options of searches that need more than memory.

use super::values::parse_size;
use super::{LIMITS, SEARCH};
use clap::Args;
use std::path::PathBuf;

/// Temporary files, and searches that leave states out.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct DiskArgs {
    /// When memory is used up, explicit searches of programs, nets and thread-transition systems go on with
    /// temporary files in this directory
    #[arg(long, value_name = "DIR", help_heading = LIMITS, hide_short_help = true)]
    pub(crate) disk: Option<PathBuf>,
    /// Limit on the size of all temporary files [default: 50G]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, allow_hyphen_values = true, requires = "disk",
        help_heading = LIMITS, hide_short_help = true)]
    pub(crate) disk_limit: Option<usize>,
    /// Store three bits per state, so that states may be left out: finds runs in very large spaces, and proves
    /// nothing (engine `explicit`)
    #[arg(long, conflicts_with_all = ["disk", "explore_all"], help_heading = SEARCH, hide_short_help = true)]
    pub(crate) lossy: bool,
}

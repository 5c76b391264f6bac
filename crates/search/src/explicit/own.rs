//! Plain search of systems defined in Rust.

use super::search::{Certifier, Space};
use super::{Explicit, Options, breadth_first};
use crate::Generic;
use crate::disk::Large;
use model::{Certificate, OwnTask};
use std::sync::Arc;

/// Returns a search for the goals of a system defined in Rust.
#[must_use]
pub fn explore_own(task: &OwnTask, options: &Options) -> Explicit<Large<Generic>> {
    breadth_first(Generic::new(Arc::clone(task.system())), task.goals().to_vec(), options)
}

impl Space for Generic {
    const NAME: &'static str = "explicit";

    fn certifier(&self) -> Certifier {
        Box::new(Certificate::StateSet)
    }
}

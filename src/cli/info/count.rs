//! `impasse info --count`: the counts of the reachable markings of a net.

use crate::cli::exit::Exit;
use crate::cli::input::Model;
use crate::cli::limits::{Watch, ended};
use crate::cli::text::{count, plural};
use crate::cli::usage;
use impasse::model::NetTask;
use impasse::{Counts, counts};
use std::sync::Arc;

/// Counts and prints, or says why not.
pub(super) fn say(model: &Model, watch: &Watch) -> Exit {
    let Some(net) = model.problem.system().as_net() else {
        return usage(&format!("`--count` is about nets, and {} is {}", model.name, model.problem.system().noun()));
    };
    match counts(NetTask::plain(Arc::clone(net), Vec::new(), Vec::new()), &watch.stop()) {
        Ok(Counts { markings, arcs, place, marking }) => {
            say!("{}: {}, {}", model.name, plural(markings, "reachable marking"), plural(arcs, "arc"));
            say!("  most tokens on a place: {}", count(place));
            say!("  most tokens in a marking: {}", count(marking));
            Exit::Done
        }
        Err(reason) => {
            tell!("error: {}: {}", model.name, ended("count", reason));
            Exit::of_reason(reason)
        }
    }
}

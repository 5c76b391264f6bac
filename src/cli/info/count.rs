//! `impasse info --count`: the counts of the reachable markings of a net.

use crate::cli::exit::{Exit, usage};
use crate::cli::input::Model;
use crate::cli::limits::{Watch, ended};
use impasse::{Counts, counts};
use view::text::grouped;

/// Counts and prints, or says why not.
pub(super) fn say(model: &Model, watch: &Watch) -> Exit {
    let Some(net) = model.problem.system().as_net() else {
        return usage(&format!("`--count` is about nets, and {} is {}", model.name, model.problem.system().noun()));
    };
    match counts(net, &watch.stop()) {
        Ok(Counts { markings, arcs, place, marking }) => {
            let all = [markings, arcs, place, marking].map(|n| grouped(&n.to_string()));
            let plural = |n: &str, what| format!("{n} {what}{}", if n == "1" { "" } else { "s" });
            say!("{}: {}, {}", model.name, plural(&all[0], "reachable marking"), plural(&all[1], "arc"));
            say!("  most tokens on a place: {}", all[2]);
            say!("  most tokens in a marking: {}", all[3]);
            Exit::Done
        }
        Err(reason) => {
            tell!("error: {}: {}", model.name, ended("count", reason));
            Exit::of_reason(reason)
        }
    }
}

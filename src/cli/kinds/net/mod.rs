//! Nets and thread-transition systems on the command line.

mod info;

use super::{SystemKind, states};
use crate::cli::args::{CircuitArgs, What};
use crate::cli::circuit::{of_net, within};
use crate::cli::convert::net_for;
use crate::cli::drafts::whole;
use crate::cli::draw::request::{NoPicture, PictureRequest, misfit};
use crate::cli::evidence::export::Export;
use crate::cli::input::Model;
use crate::cli::json::ModelReport;
use impasse::model::{Circuit, Claim, Goal, Marked, Problem};
use std::io;
use view::draw::graph::Graph;
use view::draw::source::{classes, local, net};

pub(super) struct NetKind<'p> {
    pub(super) problem: &'p Problem,
    pub(super) system: Marked<'p>,
}

impl SystemKind for NetKind<'_> {
    fn describe(&self, model: &Model, all: bool) {
        info::describe(model, all);
    }

    fn report(&self) -> ModelReport {
        match self.system {
            Marked::Net(net) => ModelReport::Net { places: net.places().len(), transitions: net.transitions().len() },
            Marked::Threads(threads) => ModelReport::Threads {
                shared: threads.shared(),
                locals: threads.locals(),
                transitions: threads.transitions().len(),
            },
        }
    }

    fn remedy(&self) -> &'static str {
        match self.system {
            Marked::Net(net) if !net.finals().is_empty() => {
                "ask for a final marking of the file (`--property final`) or a deadlock (`--property deadlock`), or \
                 give \
                 a target (`--target FILE`) or contest properties (`--properties FILE`)"
            }
            _ => {
                "give a formula (`--ask FORMULA`), a target (`--target FILE`), contest properties (`--properties \
                 FILE`), or `--property deadlock`"
            }
        }
    }

    fn draw(&self, asked: &PictureRequest<'_>) -> Result<Graph, NoPicture> {
        // Where the file has positions, they are what its author wants to see.
        let is_free = asked.what.is_some() || asked.spots.is_empty();
        if let (Marked::Net(net), None | Some(What::Threads), true) = (self.system, asked.what, is_free)
            && let Some(graph) = classes::graph(net, asked.now, asked.most)
        {
            return Ok(graph);
        }
        match (self.system, asked.what) {
            (Marked::Net(net), None | Some(What::Net)) => Ok(net::graph(net, asked.spots, asked.now, asked.most)),
            (Marked::Threads(threads), None | Some(What::Threads)) => Ok(local::graph(threads, asked.now, asked.most)),
            (Marked::Threads(threads), Some(What::Net)) => {
                let net = net_for(threads, "net").map_err(NoPicture::Misfit)?;
                Ok(net::graph(&net, asked.spots, asked.now, asked.most))
            }
            (_, Some(What::States)) => states(self.problem, asked),
            (Marked::Net(_), Some(what)) => Err(misfit(what, "a net", &[What::Net, What::States])),
            (Marked::Threads(_), Some(what)) => {
                let fitting = [What::Threads, What::Net, What::States];
                Err(misfit(what, "a thread-transition system", &fitting))
            }
        }
    }

    /// Writes the transitions of a run, for tools that step through nets. They have no notion of a run that repeats.
    fn export(&self, to: &Export<'_>, _: Goal) -> io::Result<()> {
        match to.claim {
            Claim::Unsafe { trace, .. }
                if trace.repeats_from.is_none() && trace.len().is_some_and(|n| n <= evidence::scn::LONGEST) =>
            {
                whole(&to.path("scn"), |out| evidence::scn::write(self.problem, trace, out).map(drop))
            }
            _ => Ok(()),
        }
    }

    fn circuit(&self, args: &CircuitArgs, format: &str) -> Result<Option<Circuit>, String> {
        let circuit = match self.system {
            Marked::Net(net) => {
                let places = net.places().len();
                of_net(self.problem, net, &within(args, vec![None; places], vec![true; places]), args)?
            }
            Marked::Threads(threads) => {
                let net = net_for(threads, format)?;
                let is_shared = |p: usize| p < threads.shared() as usize;
                let places = 0..net.places().len();
                let bounds = places.clone().map(|p| is_shared(p).then_some(1)).collect();
                of_net(self.problem, &net, &within(args, bounds, places.map(|p| !is_shared(p)).collect()), args)?
            }
        };
        Ok(Some(circuit))
    }
}

//! Stubborn sets as a reduction of a net's successors.

use crate::explore::system::{NetSystem, Reduction};
use crate::stubborn::Chooser;
use crate::{NetGoals, NetStepper};
use model::{Certificate, ExpansionKind, Markings, PlaceId, Stats};
use search::{Guided, Successors};

/// Work units of an expansion, and places examined per further unit.
const UNITS: u64 = 2;
const PLACES_PER_UNIT: u64 = 100;

/// Computes only the successors by a stubborn set.
#[derive(Clone, Debug)]
pub struct Sets {
    chooser: Chooser,
    places: usize,
    /// For each place: its tokens in the marking examined last.
    tokens: Vec<u64>,
    enabled: Vec<u32>,
    /// Number of transitions enabled in the markings expanded.
    seen: u64,
}

impl Sets {
    pub(super) fn new(chooser: Chooser, places: usize) -> Self {
        Self { chooser, places, tokens: Vec::new(), enabled: Vec::new(), seen: 0 }
    }

    fn look(&mut self, plain: &NetStepper, packed: &[u64]) {
        self.tokens.clear();
        self.tokens.extend((0..self.places).map(|p| plain.tokens(PlaceId::new(p), packed)));
    }
}

impl Reduction for Sets {
    const NAME: &'static str = "stubborn";

    fn expand(&mut self, plain: &mut NetStepper, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        plain.enabled(packed, &mut self.enabled);
        self.look(plain, packed);
        let chosen = self.chooser.choose(&self.tokens, &self.enabled);
        self.seen += self.enabled.len() as u64;
        plain.expand_on(packed, chosen, out)
    }

    /// Testing a marking and estimating its distance from the goal costs half an expansion.
    fn costs(&self, _: &NetStepper, _: &NetGoals) -> (u64, u64) {
        let each = UNITS + self.places as u64 / PLACES_PER_UNIT;
        (each - 1, each * 128)
    }

    fn certificate(markings: Markings) -> Certificate {
        Certificate::ReducedMarkings(markings)
    }

    fn count(&self, stats: &mut Stats) {
        stats.more.insert("enabled", self.seen);
    }
}

impl Guided for NetSystem<Sets> {
    fn distance(&mut self, packed: &[u64]) -> u64 {
        self.reduction.look(&self.plain, packed);
        self.reduction.chooser.distance(&self.reduction.tokens, self.reduction.enabled.len())
    }
}

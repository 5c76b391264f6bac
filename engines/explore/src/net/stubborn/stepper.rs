//! A stepper that tells the successors by a stubborn set and no others.

use model::{Kind, NetTask, PlaceId};
use reduce::stubborn::Chooser;
use std::ops::ControlFlow;
use store::{NetStepper, Step, Successors, Unsteppable, Width};

/// Steps a net by stubborn sets.
#[derive(Clone, Debug)]
pub(crate) struct StubbornStepper {
    pub(super) plain: NetStepper,
    pub(super) chooser: Chooser,
    places: usize,
    /// By place, of the marking looked at last.
    tokens: Vec<u64>,
    enabled: Vec<u32>,
    /// Tell all successors: for finding out which transition led from one marking to the next.
    pub(super) tells_all: bool,
    /// How many transitions were enabled in the markings expanded.
    pub(super) seen: u64,
}

impl StubbornStepper {
    /// Goes on with `plain`, another one of the same net.
    pub(super) fn with(&self, plain: NetStepper) -> Self {
        Self { plain, ..self.clone() }
    }

    pub(super) fn new(task: &NetTask, width: Width, chooser: Chooser) -> Result<Self, Unsteppable> {
        Ok(Self {
            plain: NetStepper::new(task, width)?,
            chooser,
            places: task.net.places().len(),
            tokens: Vec::new(),
            enabled: Vec::new(),
            tells_all: false,
            seen: 0,
        })
    }

    /// The distance of a marking that was found by the last expansion; see [`Chooser::distance`].
    pub(super) fn distance(&mut self, packed: &[u64]) -> u64 {
        self.look(packed);
        self.chooser.distance(&self.tokens, self.enabled.len())
    }

    fn look(&mut self, packed: &[u64]) {
        self.tokens.clear();
        self.tokens.extend((0..self.places).map(|p| self.plain.tokens(PlaceId::new(p), packed)));
    }
}

impl Step for StubbornStepper {
    fn words(&self) -> usize {
        self.plain.words()
    }

    fn width(&self) -> usize {
        self.plain.width()
    }

    fn pack(&self, state: &[u32], out: &mut Vec<u64>) {
        self.plain.pack(state, out);
    }

    fn unpack(&self, packed: &[u64], out: &mut Vec<u32>) {
        self.plain.unpack(packed, out);
    }

    fn initial(&self, sink: &mut dyn FnMut(&[u64])) {
        self.plain.initial(sink);
    }

    fn initial_while(&self, sink: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) {
        self.plain.initial_while(sink);
    }

    fn initial_is_cut(&self) -> bool {
        self.plain.initial_is_cut()
    }

    fn initial_count(&self) -> u64 {
        self.plain.initial_count()
    }

    fn expand(&mut self, packed: &[u64], out: &mut Successors) -> Kind {
        if self.tells_all {
            return self.plain.expand(packed, out);
        }
        self.plain.enabled(packed, &mut self.enabled);
        self.look(packed);
        let chosen = self.chooser.choose(&self.tokens, &self.enabled);
        self.seen += self.enabled.len() as u64;
        self.plain.expand_on(packed, chosen, out)
    }

    fn max_fan_out(&self) -> u64 {
        self.plain.max_fan_out()
    }

    fn fan_out(&self, packed: &[u64]) -> u64 {
        self.plain.fan_out(packed)
    }
}

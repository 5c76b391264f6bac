//! From a circuit back to the net it stands for: markings, runs, and clauses.

use super::number::{Encoding, Number};
use crate::Simulation;
use crate::simulate::unpack;
use model::circuit::{Circuit, Gate, Reset, Signal};
use model::{Bit, Clausal, EventId, LatchId, Net, PlaceId, Trace, TransitionId};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// What the parts of a circuit mean for the net.
#[derive(Clone, Debug)]
pub struct Home {
    encoding: Encoding,
    /// By place: the latches of its bits.
    places: Vec<Vec<LatchId>>,
    /// By latch: the place, and which of its bits; `None` for what no place is.
    bits: Vec<Option<(PlaceId, u64)>>,
    /// Transitions with the signals that they fire; others never do.
    fires: Vec<(TransitionId, Signal)>,
    /// Places whose initial count is not fixed, and the least one.
    open: Vec<(PlaceId, u64)>,
}

impl Home {
    pub(crate) fn new(
        net: &Net,
        circuit: &Circuit,
        encoding: Encoding,
        numbers: &[Number],
        fires: impl Iterator<Item = (TransitionId, Signal)>,
    ) -> Self {
        let mut bits = vec![None; circuit.latches().len()];
        let mut places = Vec::with_capacity(net.places().len());
        for (p, number) in numbers.iter().enumerate().take(net.places().len()) {
            let mut latches = Vec::with_capacity(number.bits.len());
            for (k, bit) in (0u64..).zip(&number.bits) {
                let Gate::Latch(latch) = circuit.gates()[bit.node()] else {
                    unreachable!("numbers are made of latches")
                };
                bits[latch.index()] = Some((PlaceId::new(p), k));
                latches.push(latch);
            }
            places.push(latches);
        }
        let least = |p: &PlaceId| net.place(*p).initial.at_least.to_u64().unwrap_or(u64::MAX);
        let open = net.open_places().into_iter().map(|p| (p, least(&p))).collect();
        Self { encoding, places, bits, fires: fires.collect(), open }
    }

    /// The tokens on each place when the latches hold these bits.
    #[must_use]
    pub fn marking(&self, latches: &[bool]) -> Vec<u64> {
        self.places.iter().map(|bits| self.encoding.read(bits.iter().map(|l| latches[l.index()]))).collect()
    }

    /// What this bit of state says in the net; `None` if it is not about one place being above a threshold (it is for all latches of places
    /// under [`Encoding::Thermometer`], and for none else).
    #[must_use]
    pub fn bit(&self, latch: LatchId) -> Option<Bit> {
        let (place, k) = self.bits[latch.index()].filter(|_| self.encoding == Encoding::Thermometer)?;
        Some(Bit::AtLeast(place, BigUint::from(k + 1)))
    }

    /// The transition that fires in this frame, if one does.
    #[must_use]
    pub fn fired(&self, frame: &Simulation<'_>) -> Option<TransitionId> {
        self.fires.iter().find(|(_, signal)| frame.value(*signal)).map(|(t, _)| *t)
    }

    /// Clauses over latches as clauses over the net's bits; `None` if some latch has no such meaning. Derivations are left
    /// behind: the checker's formulas are others.
    #[must_use]
    pub fn clauses(&self, clausal: &Clausal) -> Option<Clausal> {
        let bits = clausal.bits.iter().map(|bit| match bit {
            Bit::Latch(latch) => self.bit(*latch),
            Bit::In(..) | Bit::AtLeast(..) | Bit::Room(_) => None,
        });
        Some(Clausal {
            bits: bits.collect::<Option<_>>()?,
            clauses: clausal.clauses.clone(),
            initial: None,
            step: None,
        })
    }

    /// A run of the circuit as one of the net: the same markings, without the frames in which nothing fires. What fires in the last
    /// frame comes after its markings, and is left out, too. `None` if it is no run of the circuit, or starts in counts beyond 32 bits.
    /// As many passes over the circuit as the run has frames.
    #[must_use]
    pub fn trace(&self, circuit: &Circuit, run: &Trace) -> Option<Trace> {
        let open = circuit.latches().iter().filter(|latch| latch.reset == Reset::Open).count();
        let mut frame = Simulation::new(circuit, unpack(&run.start, open));
        let marking = self.marking(frame.latches());
        let start = self.open.iter().map(|&(p, least)| u32::try_from(marking[p.index()].checked_sub(least)?).ok());
        let mut trace = Trace::new(start.collect::<Option<_>>()?);
        let moves = run.runs().iter().flat_map(|part| (0..part.times).flat_map(move |_| &part.word));
        let mut fired = None;
        for step in moves {
            if let Some(t) = fired.take() {
                trace.push(EventId::new(TransitionId::index(t)), None);
            }
            let inputs = step.choice.map_or(Vec::new(), |choice| unpack(run.choice(choice), circuit.inputs().len()));
            if !frame.frame(&inputs) {
                return None;
            }
            fired = self.fired(&frame);
            frame.step();
        }
        Some(trace)
    }
}

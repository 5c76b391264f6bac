//! Lifts markings, runs and clauses of a circuit to the net that it encodes.

use super::number::{Encoding, Number};
use circuits::encode::Simulation;
use model::circuit::{Circuit, Gate, Signal, unpack};
use model::{Bit, Clausal, EventId, LatchId, Net, PlaceId, Trace, TransitionId};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// The meaning of a circuit's parts for the net.
#[derive(Clone, Debug)]
pub struct CircuitLift {
    encoding: Encoding,
    /// For each place: the latches of its bits.
    places: Vec<Vec<LatchId>>,
    /// For each latch: the place, and the index of the bit in its encoding; `None` if the latch belongs to no
    /// place.
    bits: Vec<Option<(PlaceId, u64)>>,
    /// The encoded transitions with the signals that they fire. All other transitions never fire within the
    /// bounds.
    fires: Vec<(TransitionId, Signal)>,
    /// The places with a range of initial tokens, each with its least initial count.
    open: Vec<(PlaceId, u64)>,
}

impl CircuitLift {
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

    /// Returns the tokens on each place if the latches hold these bits.
    #[must_use]
    pub fn marking(&self, latches: &[bool]) -> Vec<u64> {
        self.places.iter().map(|bits| self.encoding.read(bits.iter().map(|l| latches[l.index()]))).collect()
    }

    /// Returns the meaning of this latch in the net if it is "the place holds at least n tokens". The latches
    /// of places under [`Encoding::Thermometer`] have such a meaning; for all other latches the result is
    /// `None`.
    #[must_use]
    pub fn bit(&self, latch: LatchId) -> Option<Bit> {
        let (place, k) = self.bits[latch.index()].filter(|_| self.encoding == Encoding::Thermometer)?;
        Some(Bit::AtLeast(place, BigUint::from(k + 1)))
    }

    /// Returns the transition that fires in this frame, if there is one.
    #[must_use]
    pub fn fired(&self, frame: &Simulation<'_>) -> Option<TransitionId> {
        self.fires.iter().find(|(_, signal)| frame.value(*signal)).map(|(t, _)| *t)
    }

    /// Lifts clauses over latches to clauses over the net's bits. Returns `None` if [`CircuitLift::bit`]
    /// returns `None` for some latch of the clauses. Derivations are dropped, because the checker uses other
    /// formulas.
    #[must_use]
    pub fn clauses(&self, clausal: &Clausal) -> Option<Clausal> {
        let bits = clausal.bits.iter().map(|bit| match bit {
            Bit::Latch(latch) => self.bit(*latch),
            Bit::Node(_) | Bit::In(..) | Bit::AtLeast(..) | Bit::Room(_) => None,
        });
        Some(Clausal {
            bits: bits.collect::<Option<_>>()?,
            clauses: clausal.clauses.clone(),
            initial: None,
            step: None,
        })
    }

    /// Lifts a run of the circuit to a run of the net with the same markings. Frames in which nothing fires are
    /// left out. A transition in the last frame is left out too, because it comes after the marking of that
    /// frame. Returns `None` if the trace is no run of the circuit, or an initial count does not fit into 32
    /// bits. Takes one pass over the circuit per frame.
    #[must_use]
    pub fn trace(&self, circuit: &Circuit, run: &Trace) -> Option<Trace> {
        let mut frame = Simulation::new(circuit, unpack(&run.start, circuit.open_latches().count()));
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

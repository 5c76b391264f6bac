//! Lifts states, runs and clauses of a circuit to the program that it encodes.

use super::code::Coded;
use circuits::encode::Simulation;
use model::circuit::{Circuit, Gate, Signal, unpack};
use model::{Bit, Clausal, EventId, LatchId, LocalId, Program, ThreadId, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The latches of a thread, each with the states (by position) in which it is true; and the states of the
/// thread.
#[derive(Clone, Debug)]
struct Coding {
    bits: Vec<(LatchId, Vec<bool>)>,
    states: Vec<LocalId>,
}

/// The meaning of a circuit's parts for the program.
#[derive(Clone, Debug)]
pub struct CircuitLift {
    program: Arc<Program>,
    threads: Vec<Coding>,
    /// For each latch: the thread, and the index of the bit in the thread's encoding.
    bits: Vec<(usize, usize)>,
    fires: Vec<(EventId, Signal)>,
}

impl CircuitLift {
    pub(super) fn new(
        program: &Arc<Program>,
        circuit: &Circuit,
        threads: &[Coded],
        fires: &[(EventId, Signal)],
    ) -> Self {
        let mut bits = vec![(0, 0); circuit.latches().len()];
        let mut all = Vec::with_capacity(threads.len());
        for (t, coded) in threads.iter().enumerate() {
            let mut latches = Vec::with_capacity(coded.bits.len());
            for (i, (bit, states)) in coded.bits.iter().enumerate() {
                let Gate::Latch(latch) = circuit.gates()[bit.node()] else { unreachable!("bits are latches") };
                bits[latch.index()] = (t, i);
                latches.push((latch, states.clone()));
            }
            all.push(Coding { bits: latches, states: coded.states.clone() });
        }
        Self { program: Arc::clone(program), threads: all, bits, fires: fires.to_vec() }
    }

    /// Returns the state of each thread if the latches hold these bits, or `None` if some bits mean no state.
    #[must_use]
    pub fn state(&self, latches: &[bool]) -> Option<Vec<u32>> {
        let of = |coding: &Coding| {
            let is = |s: &usize| coding.bits.iter().all(|(latch, on)| latches[latch.index()] == on[*s]);
            (0..coding.states.len()).find(is).map(|s| coding.states[s].0)
        };
        self.threads.iter().map(of).collect()
    }

    /// Returns the event that fires in this frame, if there is one.
    #[must_use]
    pub fn fired(&self, frame: &Simulation<'_>) -> Option<EventId> {
        self.fires.iter().find(|(_, signal)| frame.value(*signal)).map(|(e, _)| *e)
    }

    /// Lifts clauses over latches to clauses over the program's bits. If steps from all combinations of latches
    /// preserve the clauses, then so do steps from the combinations that mean a state. Returns `None` if the
    /// clauses are about bits other than latches, or if the lifted clauses would have 2^31 bits or more.
    /// Derivations are dropped, because the checker uses other formulas.
    #[must_use]
    pub fn clauses(&self, clausal: &Clausal) -> Option<Clausal> {
        let mut lift = Clausal::default();
        let mut known: BTreeMap<(usize, LocalId), i32> = BTreeMap::new();
        for clause in &clausal.clauses {
            // For each thread: the states that the clause allows.
            let mut allowed: BTreeMap<usize, Vec<bool>> = BTreeMap::new();
            for &literal in clause {
                let at = usize::try_from(literal.unsigned_abs()).ok()?.checked_sub(1)?;
                let Bit::Latch(latch) = clausal.bits.get(at)? else { return None };
                let &(thread, bit) = self.bits.get(latch.index())?;
                let on = &self.threads[thread].bits[bit].1;
                let states = allowed.entry(thread).or_insert_with(|| vec![false; on.len()]);
                states.iter_mut().zip(on).for_each(|(allowed, on)| *allowed |= *on == (literal > 0));
            }
            if allowed.values().any(|states| states.iter().all(|s| *s)) {
                continue;
            }
            lift.clauses.push(self.clause(&allowed, &mut known, &mut lift.bits)?);
        }
        Some(lift)
    }

    /// Builds the clause "some thread is in one of its allowed states". If only one state of a thread is not
    /// allowed, the clause has the negated literal of this state instead.
    fn clause(
        &self,
        allowed: &BTreeMap<usize, Vec<bool>>,
        known: &mut BTreeMap<(usize, LocalId), i32>,
        bits: &mut Vec<Bit>,
    ) -> Option<Vec<i32>> {
        let mut clause = Vec::new();
        for (&thread, states) in allowed {
            let others = states.iter().filter(|s| !**s).count();
            let deny = others == 1;
            for (s, _) in states.iter().enumerate().filter(|(_, allowed)| **allowed != deny) {
                let state = self.threads[thread].states[s];
                let variable = match known.get(&(thread, state)) {
                    Some(&variable) => variable,
                    None => {
                        bits.push(Bit::In(ThreadId::new(thread), state));
                        let variable = i32::try_from(bits.len()).ok()?;
                        known.insert((thread, state), variable);
                        variable
                    }
                };
                clause.push(if deny { -variable } else { variable });
            }
        }
        Some(clause)
    }

    /// Lifts a run of the circuit to a run of the program with the same states. Frames in which nothing happens
    /// are left out. An event in the last frame is left out too, because it comes after the state of that
    /// frame. Returns `None` if the trace is no run of the circuit, or its latches mean no states. Takes one
    /// pass over the circuit per frame.
    #[must_use]
    pub fn trace(&self, circuit: &Circuit, run: &Trace) -> Option<Trace> {
        let mut frame = Simulation::new(circuit, unpack(&run.start, circuit.open_latches().count()));
        let mut state = self.state(frame.latches())?;
        let mut trace = Trace::new(state.clone().into());
        let moves = run.runs().iter().flat_map(|part| (0..part.times).flat_map(move |_| &part.word));
        let mut fired = None;
        for step in moves {
            let now = self.state(frame.latches())?;
            if let Some(event) = fired.take() {
                let targets = |(t, s): (usize, &u32)| self.program.threads()[t].targets(LocalId(*s), event).count();
                let is_choice = state.iter().enumerate().any(|s| targets(s) > 1);
                trace.push(event, is_choice.then(|| now.clone().into()));
            }
            state = now;
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

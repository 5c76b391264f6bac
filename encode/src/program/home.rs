//! From a circuit back to the program it stands for: states, runs, and clauses.

use super::code::Coded;
use crate::Simulation;
use crate::simulate::unpack;
use model::circuit::{Circuit, Gate, Reset, Signal};
use model::{Bit, Clausal, EventId, LatchId, LocalId, Program, ThreadId, Trace};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A thread's latches, each with the states (by position) in which it is true, and its states.
#[derive(Clone, Debug)]
struct Coding {
    bits: Vec<(LatchId, Vec<bool>)>,
    states: Vec<LocalId>,
}

/// What the parts of a circuit mean for the program.
#[derive(Clone, Debug)]
pub struct Home {
    program: Arc<Program>,
    threads: Vec<Coding>,
    /// By latch: the thread, and which of its bits.
    bits: Vec<(usize, usize)>,
    fires: Vec<(EventId, Signal)>,
}

impl Home {
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

    /// The state of each thread when the latches hold these bits; `None` if they mean none.
    #[must_use]
    pub fn state(&self, latches: &[bool]) -> Option<Vec<u32>> {
        let of = |coding: &Coding| {
            let is = |s: &usize| coding.bits.iter().all(|(latch, on)| latches[latch.index()] == on[*s]);
            (0..coding.states.len()).find(is).map(|s| coding.states[s].0)
        };
        self.threads.iter().map(of).collect()
    }

    /// The event that happens in this frame, if one does.
    #[must_use]
    pub fn fired(&self, frame: &Simulation<'_>) -> Option<EventId> {
        self.fires.iter().find(|(_, signal)| frame.value(*signal)).map(|(e, _)| *e)
    }

    /// Clauses over latches as clauses over the program's bits: what is kept by all combinations of latches is kept by those that mean
    /// a state. `None` if it is about other bits, or beyond 2^31 of them. Derivations are left behind: the checker's formulas are others.
    #[must_use]
    pub fn clauses(&self, clausal: &Clausal) -> Option<Clausal> {
        let mut home = Clausal::default();
        let mut known: BTreeMap<(usize, LocalId), i32> = BTreeMap::new();
        for clause in &clausal.clauses {
            // By thread: where it may be.
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
            home.clauses.push(self.clause(&allowed, &mut known, &mut home.bits)?);
        }
        Some(home)
    }

    /// Some thread is where it may be. Where that is more than half of its states, being elsewhere is what the clause denies if it is one state.
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

    /// A run of the circuit as one of the program: the same states, without the frames in which nothing happens. What happens in the last
    /// frame comes after its state, and is left out, too. `None` if it is no run of the circuit, or its latches mean no states.
    /// As many passes over the circuit as the run has frames.
    #[must_use]
    pub fn trace(&self, circuit: &Circuit, run: &Trace) -> Option<Trace> {
        let open = circuit.latches().iter().filter(|latch| latch.reset == Reset::Open).count();
        let mut frame = Simulation::new(circuit, unpack(&run.start, open));
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

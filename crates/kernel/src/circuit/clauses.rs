//! Clauses over the latches and other nodes of a circuit, as evidence.
//!
//! A run is a sequence of frames, each with inputs such that all constraints hold. A variable stands for a
//! latch, an input or a gate in a frame. Each formula contains only the cones of the signals that it mentions.
//! The formulas are:
//! * *Initial.* In a frame the latches have their reset values, all constraints hold, and some clause is
//!   broken.
//! * *Step.* In a frame all clauses and constraints hold. In the next frame the latches have the values of the
//!   next functions, the inputs are new variables, all constraints hold, and some clause is broken. (The
//!   constraints of the next frame may be required, because a run has no next frame without inputs that satisfy
//!   them.)
//! * *Excluded.* In a frame all clauses and constraints hold, and the output is true.
//!
//! 1. The values of a frame are always a model of its gates. Proof: gates are defined by equivalences.
//! 2. If the formulas have no model, the clauses hold in every frame of every run, and the
//!    output is true in no frame of a run. Proof: by induction over the frames. By claim 1 a frame, or a pair
//!    of frames, that contradicts this would give a model of one of the formulas.

use super::check as check_circuit;
use crate::clauses::Encoded;
use crate::work::Work;
use crate::writer::Writer;
use crate::{Check, reject};
use model::cnf::Cnf;
use model::{Bit, Circuit, Clausal, Gate, Goal, LatchId, OutputId, Reset, Signal};

/// The encoding of a circuit as clauses.
#[derive(Debug)]
pub struct Encoding<'a> {
    circuit: &'a Circuit,
    /// The goal for which the first output stands, in place of the outputs.
    stands_for: Option<Goal>,
}

impl<'a> Encoding<'a> {
    /// Creates the encoding of this circuit.
    ///
    /// # Errors
    /// If a signal has no node, or a latch has no next function, or if a resource limit is exceeded.
    pub fn new(circuit: &'a Circuit, work: &mut Work<'_>) -> Check<Self> {
        work.spend(circuit.gates().len() as u64)?;
        check_circuit(circuit)?;
        Ok(Self { circuit, stands_for: None })
    }

    /// Returns the encoding with this only goal. It is excluded if the first output is.
    pub(super) fn standing_for(self, goal: Goal) -> Self {
        Self { stands_for: Some(goal), ..self }
    }

    /// Returns the signal that is true in the frames of the goal.
    fn signal(&self, goal: Goal) -> Check<Signal> {
        let output = match (goal, self.stands_for) {
            (goal, Some(other)) if goal == other => OutputId(0),
            (Goal::Output(output), None) => output,
            _ => return reject("clauses of a circuit exclude outputs only"),
        };
        match self.circuit.outputs().get(output.index()) {
            Some(output) => Ok(output.signal),
            None => reject("there is no such output"),
        }
    }

    fn formulas<'s>(&'s self, invariant: &'s Clausal) -> Formulas<'s> {
        let signal = |bit: &Bit| match bit {
            Bit::Latch(latch) => Some(self.circuit.latches()[latch.index()].signal),
            Bit::Node(signal) => Some(*signal),
            Bit::In(..) | Bit::AtLeast(..) | Bit::Room(_) => None,
        };
        let bits: Vec<Signal> = invariant.bits.iter().filter_map(signal).collect();
        assert_eq!(bits.len(), invariant.bits.len(), "every bit is a signal");
        Formulas { circuit: self.circuit, invariant, bits }
    }
}

impl Encoded for Encoding<'_> {
    fn knows(&self, bit: &Bit) -> bool {
        match bit {
            Bit::Latch(latch) => latch.index() < self.circuit.latches().len(),
            Bit::Node(signal) => {
                let gate = self.circuit.gates().get(signal.node());
                !signal.is_negated() && gate.is_some_and(|gate| !matches!(gate, Gate::Latch(_)))
            }
            Bit::In(..) | Bit::AtLeast(..) | Bit::Room(_) => false,
        }
    }

    fn initial(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf> {
        self.formulas(clauses).initial(work)
    }

    fn step(&self, clauses: &Clausal, work: &mut Work<'_>) -> Check<Cnf> {
        self.formulas(clauses).step(work)
    }

    fn excluded(&self, clauses: &Clausal, goal: Goal, work: &mut Work<'_>) -> Check<Cnf> {
        self.formulas(clauses).excluded(self.signal(goal)?, work)
    }

    fn first_frames(&self, goals: &[Goal], frames: u32, work: &mut Work<'_>) -> Check<Cnf> {
        let goals: Vec<Signal> = goals.iter().map(|goal| self.signal(*goal)).collect::<Check<_>>()?;
        self.formulas(&Clausal::default()).first_frames(&goals, frames, work)
    }

    fn after_frames(
        &self,
        clauses: &Clausal,
        goals: &[Goal],
        goal: Goal,
        frames: u32,
        work: &mut Work<'_>,
    ) -> Check<Cnf> {
        let goals: Vec<Signal> = goals.iter().map(|goal| self.signal(*goal)).collect::<Check<_>>()?;
        self.formulas(clauses).after_frames(&goals, self.signal(goal)?, frames, work)
    }
}

pub(super) struct Formulas<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) invariant: &'a Clausal,
    /// For each bit: its signal.
    pub(super) bits: Vec<Signal>,
}

/// The literals of a frame: for each node its literal, if the node is needed.
pub(super) struct Frame(Vec<Option<i32>>);

impl Frame {
    pub(super) fn literal(&self, signal: Signal) -> i32 {
        let literal = self.0[signal.node()].expect("the cone of all that is asked for was written");
        if signal.is_negated() { -literal } else { literal }
    }
}

impl Formulas<'_> {
    fn next(&self, latch: LatchId) -> Signal {
        self.circuit.latches()[latch.index()].next.expect("every latch has one: this was checked")
    }

    pub(super) fn bit(&self, bit: usize) -> Signal {
        self.bits[bit]
    }

    fn initial(&self, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let cone = self.cone([&self.bits, self.circuit.constraints()], work)?;
        let frame = self.frame(&cone, None, &mut writer, work)?;
        self.reset(&frame, &mut writer, work)?;
        self.constrain(&frame, &mut writer, work)?;
        writer.some_is_broken(&self.invariant.clauses, |bit| frame.literal(self.bit(bit)), work)?;
        Ok(writer.finish())
    }

    fn step(&self, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let mut before = self.bits.clone();
        let cone_after = self.cone([&before, self.circuit.constraints()], work)?;
        for latch in self.circuit.latches() {
            work.spend(1)?;
            if cone_after[latch.signal.node()] {
                before.push(latch.next.expect("every latch has one: this was checked"));
            }
        }
        let cone = self.cone([&before, self.circuit.constraints()], work)?;
        let frame = self.frame(&cone, None, &mut writer, work)?;
        writer.all_hold(&self.invariant.clauses, |bit| frame.literal(self.bit(bit)), work)?;
        self.constrain(&frame, &mut writer, work)?;
        let frame_after = self.frame(&cone_after, Some(&frame), &mut writer, work)?;
        self.constrain(&frame_after, &mut writer, work)?;
        writer.some_is_broken(&self.invariant.clauses, |bit| frame_after.literal(self.bit(bit)), work)?;
        Ok(writer.finish())
    }

    fn excluded(&self, output: Signal, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let mut looked_at = self.bits.clone();
        looked_at.push(output);
        let cone = self.cone([&looked_at, self.circuit.constraints()], work)?;
        let frame = self.frame(&cone, None, &mut writer, work)?;
        writer.all_hold(&self.invariant.clauses, |bit| frame.literal(self.bit(bit)), work)?;
        self.constrain(&frame, &mut writer, work)?;
        writer.add([frame.literal(output)], work)?;
        Ok(writer.finish())
    }

    /// Requires that the latches have their reset values.
    pub(super) fn reset(&self, frame: &Frame, writer: &mut Writer, work: &mut Work<'_>) -> Check<()> {
        for latch in self.circuit.latches() {
            work.spend(1)?;
            match (frame.0[latch.signal.node()], latch.reset) {
                (Some(literal), Reset::Zero) => writer.add([-literal], work)?,
                (Some(literal), Reset::One) => writer.add([literal], work)?,
                (Some(_), Reset::Open) | (None, _) => {}
            }
        }
        Ok(())
    }

    pub(super) fn constrain(&self, frame: &Frame, writer: &mut Writer, work: &mut Work<'_>) -> Check<()> {
        self.circuit.constraints().iter().try_for_each(|&c| writer.add([frame.literal(c)], work))
    }

    /// Returns, for each node, true if one of these signals depends on it within the same frame.
    pub(super) fn cone(&self, signals: [&[Signal]; 2], work: &mut Work<'_>) -> Check<Vec<bool>> {
        let gates = self.circuit.gates();
        work.grow(gates.len())?;
        work.spend((gates.len() + signals[0].len() + signals[1].len()) as u64)?;
        let mut needed = vec![false; gates.len()];
        debug_assert!(signals.iter().flat_map(|s| s.iter()).all(|s| s.node() < gates.len()), "signals have nodes");
        signals.into_iter().flatten().for_each(|signal| needed[signal.node()] = true);
        for (node, gate) in gates.iter().enumerate().rev() {
            if let (true, Gate::And(a, b)) = (needed[node], gate) {
                needed[a.node()] = true;
                needed[b.node()] = true;
            }
        }
        Ok(needed)
    }

    /// Adds the nodes of a frame. Its latches are new variables, or they have the values of the next functions
    /// in the frame `before`.
    pub(super) fn frame(
        &self,
        cone: &[bool],
        before: Option<&Frame>,
        writer: &mut Writer,
        work: &mut Work<'_>,
    ) -> Check<Frame> {
        work.grow(cone.len() * size_of::<Option<i32>>())?;
        work.spend(cone.len() as u64)?;
        let mut frame = Frame(vec![None; cone.len()]);
        for (node, gate) in self.circuit.gates().iter().enumerate().filter(|(node, _)| cone[*node]) {
            let literal = match (*gate, before) {
                (Gate::False, _) => -writer.truth(work)?,
                (Gate::Latch(latch), Some(before)) => before.literal(self.next(latch)),
                (Gate::Input(_) | Gate::Latch(_), _) => writer.variable(work)?,
                (Gate::And(a, b), _) => {
                    let (a, b) = (frame.literal(a), frame.literal(b));
                    let gate = writer.variable(work)?;
                    writer.and(gate, a, b, work)?;
                    gate
                }
            };
            frame.0[node] = Some(literal);
        }
        Ok(frame)
    }
}

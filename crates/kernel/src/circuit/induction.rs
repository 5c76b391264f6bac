//! Induction over several frames of a circuit, as evidence that goals do not occur (k-induction, Sheeran, Singh and
//! Stalmarck 2000).
//!
//! The formulas, for the number k of frames:
//! * *First frames.* k consecutive frames, the first of them with the reset values. In one of them a goal is true, and
//!   in this frame and in all frames before it all constraints hold.
//! * *After frames.* k + 1 consecutive frames in each of which all clauses and constraints hold. In the first k frames
//!   no goal is true, and in the last one the goal is true.
//!
//! If the clauses hold in every frame of every run ([`super::clauses`]), and the formula of the first frames and the
//! formula of each goal have no model, no goal is true in a frame of a run. Proof: otherwise let t be the first frame
//! of some run in which some goal is true, counted from 0. If t < k, the first k frames of this run, continued by any
//! inputs, give a model of the first formula: it requires constraints up to frame t only. If t >= k, the frames t - k
//! to t give a model of the formula of this goal, as no goal is true before frame t.

use super::clauses::{Formulas, Frame};
use crate::Check;
use crate::work::Work;
use crate::writer::Writer;
use model::Signal;
use model::cnf::Cnf;

impl Formulas<'_> {
    pub(super) fn first_frames(&self, goals: &[Signal], frames: u32, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let cone = self.cone_of_runs(goals, work)?;
        let mut before: Option<Frame> = None;
        let mut allowed = writer.truth(work)?;
        let mut violated = Vec::new();
        for _ in 0..frames {
            let frame = self.frame(&cone, before.as_ref(), &mut writer, work)?;
            if before.is_none() {
                self.reset(&frame, &mut writer, work)?;
            }
            for &constraint in self.circuit.constraints() {
                let both = writer.variable(work)?;
                writer.and(both, allowed, frame.literal(constraint), work)?;
                allowed = both;
            }
            for &goal in goals {
                let here = writer.variable(work)?;
                writer.and(here, allowed, frame.literal(goal), work)?;
                violated.push(here);
            }
            before = Some(frame);
        }
        writer.add(violated, work)?;
        Ok(writer.finish())
    }

    pub(super) fn after_frames(&self, goals: &[Signal], goal: Signal, frames: u32, work: &mut Work<'_>) -> Check<Cnf> {
        let mut writer = Writer::new();
        let cone = self.cone_of_runs(goals, work)?;
        let mut before: Option<Frame> = None;
        for number in 0..=frames {
            let frame = self.frame(&cone, before.as_ref(), &mut writer, work)?;
            writer.all_hold(&self.invariant.clauses, |bit| frame.literal(self.bit(bit)), work)?;
            self.constrain(&frame, &mut writer, work)?;
            if number == frames {
                writer.add([frame.literal(goal)], work)?;
            } else {
                goals.iter().try_for_each(|&goal| writer.add([-frame.literal(goal)], work))?;
            }
            before = Some(frame);
        }
        Ok(writer.finish())
    }

    /// Returns, for each node, true if a bit, a constraint or one of these signals depends on it in some frame.
    fn cone_of_runs(&self, goals: &[Signal], work: &mut Work<'_>) -> Check<Vec<bool>> {
        let nodes = self.circuit.gates().len();
        work.spend(nodes as u64)?;
        work.grow(nodes * (2 * size_of::<usize>() + 2))?;
        let mut needed = vec![false; nodes];
        self.circuit.cone(self.bits.iter().chain(goals).copied()).into_iter().for_each(|node| needed[node] = true);
        Ok(needed)
    }
}

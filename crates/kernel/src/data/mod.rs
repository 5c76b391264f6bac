//! Programs with unbounded data: runs, and inductive invariants with proofs in linear integer arithmetic. `model::data`
//! defines the programs, the certificates and the steps of proofs.
//!
//! * [`Runs`] is the semantics for runs (`runs.rs`). `deadlock.rs` decides whether a state has a possible event.
//! * [`Invariant`] is a claimed invariant. It lists what has to be proved ([`Obligation`]), and gives the beginning of
//!   each proof ([`Open`], `open.rs`). [`Open::parts`] takes one step of a proof.
//! * [`check`] walks through all proofs of a certificate. [`check_projections`] does so for projections onto threads.
//!
//! A prover uses the same interface: it asks [`Invariant::open`] for what is to be proved, and [`Open::parts`] for what
//! is left to prove after a step. So there is one definition of what a proof is.
//!
//! A program with a decision that uses an input before it is defined has no evidence: runs and proofs that meet such a
//! use are rejected.

mod arithmetic;
mod deadlock;
mod deciding;
mod invariant;
mod open;
mod runs;
mod state;

pub use invariant::{Invariant, Obligation};
pub use open::{After, Deciding, Open, Status};
pub use runs::Runs;
pub use state::DataState;

use crate::trace::Semantics;
use crate::work::Work;
use crate::{Check, reject, within};
use model::data::{DataCertificate, DataProgram, DataProjection, DataThread, LocationKind, Proof};
use model::{Goal, ThreadId, Trace};
use std::collections::BTreeSet;

/// Replays a run into the goal. Returns the number of its steps, and the number of steps that were taken to check it.
///
/// # Errors
/// If the trace is no run into the goal, or if a resource limit is exceeded, or if the kernel cannot decide whether
/// the last state is a deadlock.
pub fn replay(program: &DataProgram, trace: &Trace, goal: Goal, work: &mut Work<'_>) -> Check<(u64, u64)> {
    let mut runs = Runs::new(program);
    let replayed = crate::trace::replay(&mut runs, trace, work)?;
    runs.reached(&replayed.last, goal, work)?;
    Ok((replayed.events, replayed.stepped))
}

/// Checks that the certificate shows the goals unreachable (`invariant.rs` proves it). Returns the number of
/// controls.
///
/// # Errors
/// If the certificate does not show this, or if a resource limit is exceeded.
pub fn check(program: &DataProgram, goals: &[Goal], certificate: &DataCertificate, work: &mut Work<'_>) -> Check<u64> {
    let invariant = Invariant::new(program, goals, &certificate.controls, work)?;
    let mut proofs = certificate.proofs.iter();
    for obligation in invariant.obligations() {
        work.spend(1)?;
        let Some(proof) = proofs.next() else { return reject(format!("{obligation} has no proof")) };
        let open = invariant.open(obligation, work)?;
        within(walk(open, proof, work), || format!("the proof that {obligation}"))?;
    }
    match proofs.len() {
        0 => Ok(certificate.controls.len() as u64),
        more => reject(format!("{more} proofs have no obligation")),
    }
}

/// Checks that these proofs about projections show that no thread ever is at a bad location ([`DataProjection`] proves
/// why). Returns the number of controls of all invariants.
///
/// # Errors
/// If the goals are not `bad` alone, if a thread with a bad location is no target, or if a proof does not show what it
/// should, or if a resource limit is exceeded.
pub fn check_projections(
    program: &DataProgram,
    goals: &[Goal],
    parts: &[DataProjection],
    work: &mut Work<'_>,
) -> Check<u64> {
    if goals != [Goal::Bad] {
        return reject("projections prove only that bad locations are unreachable");
    }
    let (mut controls, mut shown) = (0, BTreeSet::<ThreadId>::new());
    for (number, part) in parts.iter().enumerate() {
        // The projection is as large as the program at most.
        work.spend(program.threads().iter().map(|thread| 1 + thread.decisions.len() as u64).sum())?;
        let checked = match program.projected(&part.kept, &part.targets) {
            Ok(projected) => check(&projected, goals, &part.invariant, work),
            Err(why) => reject(why),
        };
        controls += within(checked, || format!("projection {number}"))?;
        shown.extend(&part.targets);
    }
    let has_bad = |thread: &DataThread| thread.locations.iter().any(|location| location.kind == LocationKind::Bad);
    let mut threads = (0..).map(ThreadId).zip(program.threads());
    match threads.find(|(id, thread)| has_bad(thread) && !shown.contains(id)) {
        Some((_, thread)) => reject(format!("no projection shows that `{}` is never at a bad location", thread.name)),
        None => Ok(controls),
    }
}

/// Checks a proof: a tree in prefix order. The stack contains what is still to be proved, the next part on top.
fn walk(open: Open<'_>, proof: &Proof, work: &mut Work<'_>) -> Check<()> {
    let mut stack = vec![open];
    for (number, step) in proof.steps.iter().enumerate() {
        let Some(open) = stack.pop() else { return reject(format!("it is complete before step {}", number + 1)) };
        let parts = within(open.parts(step, work), || format!("step {}", number + 1))?;
        stack.extend(parts.into_iter().rev());
    }
    if stack.is_empty() { Ok(()) } else { reject(format!("{} parts of it are missing", stack.len())) }
}

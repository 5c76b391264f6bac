//! The steps of a net that was made from a thread-transition system. If threads choose between several targets, a step
//! of the system is a chain of several transitions ([`model::Chains`]). Here each chain is one step, so that the
//! markings between its transitions are not visited.

use super::system::{Reduction, Whole};
use crate::{NetGoals, NetStepper};
use model::{Certificate, Chains, ExpansionKind, Markings};
use search::{Stepper, Successors};
use std::collections::HashSet;
use std::sync::Arc;

/// A marking with more markings in the middle of its chains is not expanded.
const MOST: usize = 1 << 18;

/// The steps of a system.
#[derive(Clone, Debug)]
pub(super) enum Steps {
    /// Each transition is a step.
    Single,
    /// Each chain is a step, too.
    Chained(Arc<Chains>),
}

/// Adds the successors that end a step to `out`, and the others to `open`.
fn sort_out(
    chains: &Chains,
    found: &Successors,
    (out, open): (&mut Successors, &mut Vec<Box<[u64]>>),
    seen: &mut HashSet<Box<[u64]>>,
) {
    for (label, state) in found.iter() {
        if chains.is_last[label as usize] {
            out.push(chains.part_of[label as usize], state);
        } else if seen.insert(state.into()) {
            open.push(state.into());
        }
    }
}

/// Computes all steps of a marking in which no chain is running.
fn expand(chains: &Chains, plain: &mut NetStepper, packed: &[u64], out: &mut Successors) -> ExpansionKind {
    let (mut found, mut open, mut seen) = (Successors::new(plain.words()), Vec::new(), HashSet::new());
    out.clear();
    let kind = plain.expand(packed, &mut found);
    sort_out(chains, &found, (out, &mut open), &mut seen);
    if kind != ExpansionKind::Inner {
        return kind;
    }
    while let Some(middle) = open.pop() {
        match plain.expand(&middle, &mut found) {
            ExpansionKind::Inner if seen.len() <= MOST => sort_out(chains, &found, (out, &mut open), &mut seen),
            ExpansionKind::Inner => return ExpansionKind::Cut,
            other => return other,
        }
    }
    kind
}

impl Reduction for Steps {
    const NAME: &'static str = Whole::NAME;

    fn expand(&mut self, plain: &mut NetStepper, packed: &[u64], out: &mut Successors) -> ExpansionKind {
        match self {
            Steps::Single => plain.expand(packed, out),
            Steps::Chained(chains) => expand(chains, plain, packed, out),
        }
    }

    fn costs(&self, plain: &NetStepper, goals: &NetGoals) -> (u64, u64) {
        Whole.costs(plain, goals)
    }

    fn certificate(markings: Markings) -> Certificate {
        Whole::certificate(markings)
    }
}

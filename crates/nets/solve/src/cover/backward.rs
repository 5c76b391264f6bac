//! Backward coverability search: computes minimal predecessors of the goal until no new vector appears, or
//! until an initial marking covers one (Abdulla, Cerans, Jonsson, Tsay 1996).
//!
//! This procedure is the reference for more refined ones. It is breadth first and uses no invariants of the
//! net. When no new vector appears, the vectors found so far are never covered. Goals are searched one after
//! the other.

use crate::cover::basis::Basis;
use crate::cover::run::Run;
use crate::invariants::Invariants;
use crate::rules::Rules;
use crate::targets::{self, Cube};
use model::{
    Budget, Certificate, Claim, Exclusion, Goal, InvariantCertificate, NetInvariant, NetTask, PlaceId, Reason, Stats,
    Turn, Vector,
};
use num_bigint::BigUint;
use std::sync::Arc;

/// Maximal number of minimal markings of a goal. Goals with more are left to other engines.
const MINIMAL: usize = 20_000;
/// Vector comparisons that cost about as much as a work unit.
const COMPARED_PER_UNIT: u64 = 256;
/// Vectors between two checks of the memory limit.
const STRIDE: usize = 4096;

pub(crate) struct Backward {
    invariants: Arc<Invariants>,
    /// Goals to be searched with their minimal markings, the next goal last.
    aims: Vec<(Goal, Vec<Cube>)>,
    hunt: Option<Hunt>,
    vectors: u64,
}

/// The search for one goal.
struct Hunt {
    goal: Goal,
    basis: Basis,
    /// True if an initial marking covers some vector, but the run from there could not be replayed.
    futile: bool,
}

/// The end of the search for a goal.
enum End {
    Claim(Claim),
    /// No answer.
    Nothing,
}

impl Backward {
    pub(crate) fn new(task: &NetTask, invariants: Arc<Invariants>) -> Self {
        let minimal = |goal: &Goal| Some((*goal, targets::minimal(task.formula(*goal)?, MINIMAL)?));
        let aims = task.goals.iter().rev().filter_map(minimal).collect();
        Self { invariants, aims, hunt: None, vectors: 0 }
    }

    pub(crate) fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            let invariants = Arc::clone(&self.invariants);
            let Some(hunt) = &mut self.hunt else {
                let Some((goal, cubes)) = self.aims.pop() else { return Turn::Done };
                self.hunt = Some(Hunt { goal, basis: Basis::new(cubes), futile: false });
                continue;
            };
            let known = hunt.basis.len();
            match hunt.step(&invariants) {
                None => {}
                Some(end) => {
                    self.hunt = None;
                    match end {
                        End::Claim(claim) => return Turn::Claims(claim),
                        End::Nothing => continue,
                    }
                }
            }
            let new = hunt.basis.len() - known;
            self.vectors += new as u64;
            if known / STRIDE != hunt.basis.len() / STRIDE && !budget.stop.may_allocate(hunt.basis.len() * 64) {
                return Turn::More;
            }
            if !budget.spend(1 + (new * hunt.basis.len()) as u64 / COMPARED_PER_UNIT) {
                return Turn::More;
            }
        }
    }

    /// Drops goals that need no claim any more.
    pub(crate) fn settled(&mut self, goals: &[Goal]) {
        self.aims.retain(|(goal, _)| goals.binary_search(goal).is_err());
        self.hunt.take_if(|hunt| goals.binary_search(&hunt.goal).is_ok());
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats { states: self.vectors, ..Stats::default() }
    }
}

impl Hunt {
    /// Expands one vector.
    fn step(&mut self, invariants: &Invariants) -> Option<End> {
        let net = invariants.rules();
        let Some(at) = self.basis.take() else { return Some(self.close(invariants)) };
        if is_initial(net, &self.basis.vectors[at].cube) {
            if let Some(run) = self.replay(net, at) {
                return Some(End::Claim(Claim::Unsafe { goal: self.goal, trace: run.trace(), candidate: false }));
            }
            self.futile = true;
            // The answer can no longer be `safe`, but another vector may lead to a run.
            return net.monotone.then_some(End::Nothing);
        }
        match self.basis.expand(net, at) {
            Some(_) => None,
            None => Some(End::Claim(Claim::Unknown { goals: vec![self.goal], reason: Reason::GaveUp })),
        }
    }

    /// Ends the search when there is no vector left to expand.
    fn close(&self, invariants: &Invariants) -> End {
        if self.futile {
            return End::Nothing;
        }
        let big = |cube: &Cube| cube.iter().map(|(p, n)| (PlaceId(*p), BigUint::from(*n))).collect::<Vector>();
        let never = self.basis.vectors.iter().filter(|known| !known.covered).map(|known| big(&known.cube)).collect();
        let invariants = vec![invariants.potentially_marked(), NetInvariant::NeverCovered(never)];
        let invariant = InvariantCertificate { invariants, exclusions: vec![(self.goal, Exclusion::Minimal)] };
        let certificate = Certificate::Invariant(Box::new(invariant));
        End::Claim(Claim::Safe { goals: vec![self.goal], certificate })
    }

    /// Returns the run along the vectors that starts in an initial marking covering vector `at`, if it can be
    /// replayed.
    fn replay(&self, net: &Rules, at: usize) -> Option<Run> {
        let mut tokens = net.initial.clone();
        for &(p, n) in &self.basis.vectors[at].cube {
            tokens[p as usize] = tokens[p as usize].max(n);
        }
        let extra = net.open.iter().map(|(p, _)| u32::try_from(tokens[*p as usize] - net.initial[*p as usize]).ok());
        let extra = extra.collect::<Option<Vec<u32>>>()?;
        let mut words = Vec::new();
        let mut known = &self.basis.vectors[at];
        while let Some((t, to)) = known.to {
            if !net.is_enabled(t, &tokens) || !net.fire(t, &mut tokens) {
                return None;
            }
            words.push((vec![t], 1));
            known = &self.basis.vectors[to as usize];
        }
        let reached = known.cube.iter().all(|(p, n)| tokens[*p as usize] >= *n);
        reached.then_some(Run { extra, words })
    }
}

/// True if some initial marking covers the vector.
fn is_initial(net: &Rules, cube: &[(u32, u64)]) -> bool {
    cube.iter().all(|(p, n)| net.initial_most[*p as usize] >= *n)
}

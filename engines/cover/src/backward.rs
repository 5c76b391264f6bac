//! Backward coverability: minimal predecessors of the goal until nothing new comes, or until an initial marking is
//! above one (Abdulla, Cerans, Jonsson, Tsay 1996).
//!
//! The reference that cleverer procedures are compared with: breadth first, with no facts about the net. What is left
//! when nothing new comes are vectors that are never covered. Goals are covered one after the other.

use crate::before::before;
use crate::run::Run;
use analysis::facts::Facts;
use analysis::rules::Rules;
use analysis::targets::{self, Cube, covers};
use model::{
    Budget, Certificate, Claim, Exclusion, Goal, Invariant, NetFact, NetTask, PlaceId, Reason, Stats, Turn, Vector,
};
use num_bigint::BigUint;
use std::sync::Arc;

/// Minimal markings of a goal; with more, others decide.
const MINIMAL: usize = 20_000;
/// Vectors compared that cost about as much as a unit of work.
const COMPARED_PER_UNIT: u64 = 256;
/// Vectors between two looks at the memory.
const STRIDE: usize = 4096;

pub(crate) struct Backward {
    facts: Arc<Facts>,
    /// Goals to come, the next one last, with their minimal markings.
    aims: Vec<(Goal, Vec<Cube>)>,
    hunt: Option<Hunt>,
    vectors: u64,
}

/// The search for one goal.
struct Hunt {
    goal: Goal,
    vectors: Vec<Known>,
    /// The vector whose predecessors are looked for next.
    next: usize,
    /// Vectors that initial markings cover and that led nowhere when replayed.
    futile: bool,
}

struct Known {
    cube: Cube,
    places: u64,
    /// The transition to the vector that it is a predecessor of.
    to: Option<(u32, u32)>,
    /// A smaller vector has come.
    covered: bool,
}

/// The search of a goal is over.
enum End {
    Claim(Claim),
    /// Without an answer.
    Nothing,
}

impl Backward {
    pub(crate) fn new(task: &NetTask, facts: Arc<Facts>) -> Self {
        let minimal = |goal: &Goal| Some((*goal, targets::minimal(task.formula(*goal)?, MINIMAL)?));
        let aims = task.goals.iter().rev().filter_map(minimal).collect();
        Self { facts, aims, hunt: None, vectors: 0 }
    }

    pub(crate) fn run(&mut self, budget: &mut Budget) -> Turn {
        loop {
            let facts = Arc::clone(&self.facts);
            let Some(hunt) = &mut self.hunt else {
                let Some((goal, cubes)) = self.aims.pop() else { return Turn::Done };
                let mut hunt = Hunt { goal, vectors: Vec::new(), next: 0, futile: false };
                cubes.into_iter().for_each(|cube| hunt.insert(cube, None));
                self.hunt = Some(hunt);
                continue;
            };
            let known = hunt.vectors.len();
            match hunt.step(&facts) {
                None => {}
                Some(end) => {
                    self.hunt = None;
                    match end {
                        End::Claim(claim) => return Turn::Claims(claim),
                        End::Nothing => continue,
                    }
                }
            }
            let new = hunt.vectors.len() - known;
            self.vectors += new as u64;
            if known / STRIDE != hunt.vectors.len() / STRIDE && !budget.stop.may_allocate(hunt.vectors.len() * 64) {
                return Turn::More;
            }
            if !budget.spend(1 + (new * hunt.vectors.len()) as u64 / COMPARED_PER_UNIT) {
                return Turn::More;
            }
        }
    }

    /// Nobody asks for these any more.
    pub(crate) fn settled(&mut self, goals: &[Goal]) {
        self.aims.retain(|(goal, _)| goals.binary_search(goal).is_err());
        self.hunt.take_if(|hunt| goals.binary_search(&hunt.goal).is_ok());
    }

    pub(crate) fn stats(&self) -> Stats {
        Stats { states: self.vectors, ..Stats::default() }
    }
}

impl Hunt {
    /// Looks at the predecessors of one vector.
    fn step(&mut self, facts: &Facts) -> Option<End> {
        let net = facts.rules();
        let Some(known) = self.vectors.get(self.next) else { return Some(self.close(facts)) };
        let at = self.next as u32;
        self.next += 1;
        if known.covered {
            return None;
        }
        let cube = known.cube.clone();
        if is_initial(net, &cube) {
            if let Some(run) = self.replay(net, at) {
                return Some(End::Claim(Claim::Unsafe { goal: self.goal, trace: run.trace(), candidate: false }));
            }
            self.futile = true;
            // Never safe now, but a run may come another way.
            return net.monotone.then_some(End::Nothing);
        }
        for t in (0u32..).take(net.transitions()) {
            let Some(cubes) = before(net, t, &cube) else {
                let claim = Claim::Unknown { goals: vec![self.goal], reason: Reason::GaveUp };
                return Some(End::Claim(claim));
            };
            cubes.into_iter().for_each(|cube| self.insert(cube, Some((t, at))));
        }
        None
    }

    /// Keeps the vector if no other one is below it.
    fn insert(&mut self, cube: Cube, to: Option<(u32, u32)>) {
        let places = signature(&cube);
        let below = |known: &Known| !known.covered && known.places & !places == 0 && covers(&cube, &known.cube);
        if self.vectors.iter().any(below) {
            return;
        }
        let above = |known: &&mut Known| places & !known.places == 0 && covers(&known.cube, &cube);
        self.vectors.iter_mut().filter(above).for_each(|known| known.covered = true);
        self.vectors.push(Known { cube, places, to, covered: false });
    }

    /// Nothing new comes.
    fn close(&self, facts: &Facts) -> End {
        if self.futile {
            return End::Nothing;
        }
        let big = |cube: &Cube| cube.iter().map(|(p, n)| (PlaceId(*p), BigUint::from(*n))).collect::<Vector>();
        let never = self.vectors.iter().filter(|known| !known.covered).map(|known| big(&known.cube)).collect();
        let facts = vec![facts.markable(), NetFact::NeverCovered(never)];
        let invariant = Invariant { facts, exclusions: vec![(self.goal, Exclusion::Minimal)] };
        let certificate = Certificate::Invariant(Box::new(invariant));
        End::Claim(Claim::Safe { goals: vec![self.goal], certificate })
    }

    /// The run along the vectors from the initial marking above `at`, if it is one.
    fn replay(&self, net: &Rules, at: u32) -> Option<Run> {
        let mut tokens = net.initial.clone();
        for &(p, n) in &self.vectors[at as usize].cube {
            tokens[p as usize] = tokens[p as usize].max(n);
        }
        let extra = net.open.iter().map(|(p, _)| u32::try_from(tokens[*p as usize] - net.initial[*p as usize]).ok());
        let extra = extra.collect::<Option<Vec<u32>>>()?;
        let mut words = Vec::new();
        let mut known = &self.vectors[at as usize];
        while let Some((t, to)) = known.to {
            if !net.is_enabled(t, &tokens) || !crate::moves::fire(net, t, &mut tokens) {
                return None;
            }
            words.push((vec![t], 1));
            known = &self.vectors[to as usize];
        }
        let reached = known.cube.iter().all(|(p, n)| tokens[*p as usize] >= *n);
        reached.then_some(Run { extra, words })
    }
}

/// Is some initial marking above it?
fn is_initial(net: &Rules, cube: &[(u32, u64)]) -> bool {
    cube.iter().all(|(p, n)| net.initial_most[*p as usize] >= *n)
}

/// Places as bits: a vector is above another one only if it has all of its bits.
fn signature(cube: &[(u32, u64)]) -> u64 {
    cube.iter().fold(0, |bits, (p, _)| bits | 1 << (p % 64))
}

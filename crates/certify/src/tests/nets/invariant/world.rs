//! A net or thread-transition system, as initial markings and steps.

use super::super::super::brute::Rng;
use super::super::threads::{self, random_system};
use super::super::{naive, random_net};
use super::Tokens;
use model::{SystemModel, ThreadTransitionSystem};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) struct World {
    pub(super) system: SystemModel,
    pub(super) places: usize,
    /// Initial markings. Places without upper end have up to two tokens more than their least number.
    pub(super) initial: Vec<Tokens>,
    /// Some of the reachable markings.
    pub(super) reached: BTreeSet<Tokens>,
}

impl World {
    pub(super) fn random(rng: &mut Rng, places: usize) -> Self {
        if rng.one_in(3) {
            let several = rng.one_in(2);
            Self::of(SystemModel::Threads(Arc::new(random_system(rng, several))))
        } else {
            Self::of(SystemModel::Net(Arc::new(random_net(rng, places))))
        }
    }

    pub(super) fn of(system: SystemModel) -> Self {
        let (places, initial) = match &system {
            SystemModel::Net(net) => (net.places().len(), naive::initial(net)),
            SystemModel::Threads(system) => (system.places(), starts(system)),
            _ => panic!("no markings"),
        };
        let mut world = Self { system, places, reached: initial.iter().cloned().collect(), initial };
        let mut open = world.initial.clone();
        while let Some(m) = open.pop() {
            for next in world.steps(&m) {
                if world.reached.len() < 400 && next.iter().sum::<u32>() <= 9 && world.reached.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        world
    }

    /// The successors of a marking, by any transition.
    pub(super) fn steps(&self, m: &Tokens) -> Vec<Tokens> {
        match &self.system {
            SystemModel::Net(net) => net.transitions().iter().filter_map(|t| naive::fire(t, m)).collect(),
            SystemModel::Threads(system) => {
                let Some(state) = state(system, m) else { return Vec::new() };
                let to = system.transitions().iter().flat_map(|t| threads::fire(t, &state));
                to.map(|to| threads::tokens(system, &to)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// All states among the markings with at most `cap` tokens on a place.
    pub(super) fn small(&self, cap: u32) -> Vec<Tokens> {
        let mut all: Vec<Tokens> = vec![vec![]];
        for _ in 0..self.places {
            all = all.iter().flat_map(|m| (0..=cap).map(|n| [&m[..], &[n]].concat())).collect();
        }
        if let SystemModel::Threads(system) = &self.system {
            all.retain(|m| state(system, m).is_some_and(|s| s.1.len() < 8));
        }
        all
    }
}

fn starts(system: &ThreadTransitionSystem) -> Vec<Tokens> {
    let mut extras: Vec<Vec<u32>> = vec![vec![]];
    for _ in &system.initial().any {
        extras = extras.iter().flat_map(|e| (0..3).map(|n| [&e[..], &[n]].concat())).collect();
    }
    extras.iter().map(|e| threads::tokens(system, &threads::start(system, e))).collect()
}

fn state(system: &ThreadTransitionSystem, m: &Tokens) -> Option<threads::State> {
    let shared = system.shared() as usize;
    if m[..shared].iter().sum::<u32>() != 1 {
        return None;
    }
    let current = m[..shared].iter().position(|n| *n == 1)?;
    let threads = (m[shared..].iter().zip(0u32..)).flat_map(|(n, l)| (0..*n).map(move |_| l)).collect();
    Some((current as u32, threads))
}

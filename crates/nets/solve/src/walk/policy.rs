//! Policies under which walks come back to a marking.
//!
//! A random walk seldom repeats a marking if there are many. These walks repeat one soon in many nets: a walk with a
//! fixed order of preference is a function of its marking, and a walk that fires as fairly as possible follows the
//! smallest vectors of firings that change no marking (T-semiflows), as in marked graphs.

use crate::rules::Rules;
use search::rng::mix;

/// How a transition is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Policy {
    /// The first enabled transition in a fixed order.
    Order,
    /// A transition of the cluster that has fired least; in the cluster, the first one in a fixed order.
    FairClusters,
    /// The transition that has fired least.
    Fair,
    /// Any transition. Such walks seldom repeat a marking; they come to dead ends.
    Random,
}

/// The policies of successive walks. Those for formulas about runs come first.
pub(crate) const POLICIES: [Policy; 4] = [Policy::FairClusters, Policy::Order, Policy::Fair, Policy::Random];

/// The data of policies.
pub(crate) struct Scheduler {
    /// For each transition: its cluster. Transitions that take tokens from the same place are in the same cluster.
    cluster: Vec<u32>,
    /// For each cluster and each transition: its firings since the policy began.
    clusters: Vec<u32>,
    transitions: Vec<u32>,
    fired: Vec<u32>,
    policy: Policy,
    /// Determines the fixed order.
    order: u64,
}

impl Scheduler {
    pub(crate) fn new(net: &Rules) -> Self {
        let count = net.transitions();
        let zeros = || vec![0; count];
        Self {
            cluster: clusters(net),
            clusters: zeros(),
            transitions: zeros(),
            fired: Vec::new(),
            policy: Policy::Order,
            order: 0,
        }
    }

    /// Begins a policy, with the fixed order of this number.
    pub(crate) fn begin(&mut self, policy: Policy, order: u64) {
        for t in self.fired.drain(..) {
            self.transitions[t as usize] = 0;
            self.clusters[self.cluster[t as usize] as usize] = 0;
        }
        (self.policy, self.order) = (policy, order);
    }

    /// Chooses one of the enabled transitions. `None` if there are none.
    pub(crate) fn choose(&mut self, enabled: &[u32]) -> Option<u32> {
        let rank = |t: u32| mix(self.order ^ u64::from(t));
        let chosen = match self.policy {
            Policy::Order => enabled.iter().copied().min_by_key(|t| rank(*t))?,
            Policy::FairClusters => {
                let count = |t: u32| self.clusters[self.cluster[t as usize] as usize];
                enabled.iter().copied().min_by_key(|t| (count(*t), rank(*t)))?
            }
            Policy::Random => {
                let now = mix(self.order ^ (self.fired.len() as u64) << 32);
                enabled[(now % enabled.len().max(1) as u64) as usize..].first().copied()?
            }
            Policy::Fair => enabled.iter().copied().min_by_key(|t| (self.transitions[*t as usize], rank(*t)))?,
        };
        self.transitions[chosen as usize] += 1;
        self.clusters[self.cluster[chosen as usize] as usize] += 1;
        self.fired.push(chosen);
        Some(chosen)
    }
}

/// Returns the cluster of each transition, by the number of one of its transitions.
fn clusters(net: &Rules) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..net.transitions() as u32).collect();
    let root = |parent: &mut Vec<u32>, mut t: u32| {
        while parent[t as usize] != t {
            parent[t as usize] = parent[parent[t as usize] as usize];
            t = parent[t as usize];
        }
        t
    };
    let mut first: Vec<Option<u32>> = vec![None; net.places()];
    for t in 0..net.transitions() as u32 {
        for change in net.changes.row(t as usize).iter().filter(|change| change.add < 0) {
            let other = *first[change.place as usize].get_or_insert(t);
            let (a, b) = (root(&mut parent, t), root(&mut parent, other));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    (0..net.transitions() as u32).map(|t| root(&mut parent, t)).collect()
}

//! The formula for deadlocks: every transition has a guard that does not hold.

use crate::formula::{Formula, FormulaBuilder, NodeId};
use crate::goal::{Marked, SystemModel};
use crate::ids::PlaceId;
use crate::net::{Range, Transition};
use std::collections::HashMap;
use std::sync::Arc;

/// Returns a formula over places that holds in exactly the markings in which no transition is enabled. `None`
/// for systems other than nets and thread-transition systems.
///
/// Equal inequalities share one node. The order of nodes depends only on the system, because evidence refers to
/// nodes by number. The cost is linear in the size of the system.
#[must_use]
pub fn deadlock(system: &SystemModel) -> Option<Formula> {
    system.as_marked().map(deadlock_in)
}

/// Does the same as [`deadlock`] for a net or thread-transition system.
#[must_use]
pub fn deadlock_in(system: Marked<'_>) -> Formula {
    match system {
        Marked::Net(net) => deadlock_of(net.transitions()),
        Marked::Threads(system) => {
            let one = || Range::from(1u8);
            let mut stuck = Stuck::default();
            for t in system.transitions() {
                let (shared, local) = (system.shared_place(t.from.0), system.local_place(t.from.1));
                stuck.add([(shared, &one()), (local, &one())]);
            }
            stuck.finish()
        }
    }
}

/// Returns a formula over places for the markings in which the system may end. `None` if the system does not
/// define them, and for systems other than nets and thread-transition systems.
#[must_use]
pub fn ends(system: &SystemModel) -> Option<Arc<Formula>> {
    match system.as_marked()? {
        Marked::Net(net) => net.ends(),
        Marked::Threads(system) => system.ends().cloned(),
    }
}

/// Returns a formula for improper deadlocks: markings in which no transition is enabled and the system may not
/// end. `None` in the same cases as [`ends`]. Engines treat this formula like any other, so they need no notion
/// of proper ends.
#[must_use]
pub fn improper(system: &SystemModel) -> Option<Formula> {
    let (stuck, ends) = (deadlock(system)?, ends(system)?);
    let mut builder = FormulaBuilder::default();
    let stuck = builder.copy(&stuck);
    let ends = builder.copy(&ends);
    let improper = builder.negate(ends);
    let both = builder.all(vec![stuck, improper]);
    Some(builder.finish(both))
}

/// Does the same as [`deadlock`] for these transitions of a net.
#[must_use]
pub fn deadlock_of(transitions: &[Transition]) -> Formula {
    let mut stuck = Stuck::default();
    transitions.iter().for_each(|t| stuck.add(t.guards.iter().map(|g| (g.place, &g.range))));
    stuck.finish()
}

#[derive(Default)]
struct Stuck {
    builder: FormulaBuilder,
    /// The node of each inequality built so far: `p <= n` has the key `(p, false, n)`, and `p >= n` has the key
    /// `(p, true, n)`.
    known: HashMap<(PlaceId, bool, num_bigint::BigUint), NodeId>,
    disabled: Vec<NodeId>,
}

impl Stuck {
    fn add<'a>(&mut self, guards: impl IntoIterator<Item = (PlaceId, &'a Range)>) {
        let mut ways = Vec::new();
        for (place, range) in guards {
            if range.at_least != num_bigint::BigUint::ZERO {
                let most = &range.at_least - 1u8;
                let builder = &mut self.builder;
                let new = || builder.place_at_most(place, &most);
                ways.push(*self.known.entry((place, false, most.clone())).or_insert_with(new));
            }
            if let Some(most) = &range.at_most {
                let least = most + 1u8;
                let builder = &mut self.builder;
                let new = || builder.place_at_least(place, &least);
                ways.push(*self.known.entry((place, true, least.clone())).or_insert_with(new));
            }
        }
        let way = self.builder.any(ways);
        self.disabled.push(way);
    }

    fn finish(mut self) -> Formula {
        let root = self.builder.all(self.disabled);
        self.builder.finish(root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Node;
    use num_bigint::BigUint;

    #[test]
    fn equal_inequalities_are_one_node() {
        let (p, q, one) = (PlaceId(0), PlaceId(1), || BigUint::from(1u8));
        let t = |i: usize, pre: &[PlaceId]| {
            let pre: Vec<(PlaceId, BigUint)> = pre.iter().map(|p| (*p, one())).collect();
            Transition::from_arcs(format!("t{i}"), &pre, &[])
        };
        let formula = deadlock_of(&[t(0, &[p, q]), t(1, &[p])]);
        assert_eq!(formula.nodes().len(), 4, "{formula:?}");
        assert!(matches!(formula.root(), Node::All(parts) if parts.len() == 2));
        let never = deadlock_of(&[t(0, &[p]), t(1, &[])]);
        assert!(never.nodes().iter().any(|n| *n == Node::Any(vec![])));
    }
}

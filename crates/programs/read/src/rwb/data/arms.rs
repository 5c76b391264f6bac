//! The ways on from a node at which a thread waits. Events that are given one by one are looked up, so that a state may
//! have very many of them.

use super::events::{Event, PatternSet};
use std::collections::HashMap;

/// Sets of events, and where they lead. The first set that contains an event decides.
#[derive(Debug, Default)]
pub(super) struct Arms {
    list: Vec<(PatternSet, NodeId)>,
    /// For each event that is given by itself: the first arm that gives it.
    given: HashMap<Event, usize>,
    /// The other arms, ascending.
    others: Vec<usize>,
}

impl Arms {
    pub(super) fn new(list: Vec<(PatternSet, NodeId)>) -> Self {
        let (mut given, mut others) = (HashMap::new(), Vec::new());
        for (at, (set, _)) in list.iter().enumerate() {
            match set {
                PatternSet::These(events, _) => {
                    events.iter().for_each(|event| _ = given.entry(event.clone()).or_insert(at));
                }
                _ => others.push(at),
            }
        }
        Self { list, given, others }
    }

    pub(super) fn list(&self) -> &[(PatternSet, NodeId)] {
        &self.list
    }

    /// Returns the sets that do not give their events one by one.
    pub(super) fn open(&self) -> impl Iterator<Item = &PatternSet> {
        self.others.iter().map(|at| &self.list[*at].0)
    }

    /// Returns the arms that may contain the event. The first one that does decides.
    pub(super) fn candidates(&self, event: &Event) -> impl Iterator<Item = &(PatternSet, NodeId)> {
        let given = self.given.get(event).copied();
        let before = self.others.iter().copied().take_while(move |at| given.is_none_or(|given| *at < given));
        before.chain(given).map(|at| &self.list[at])
    }
}

/// The number of a node.
pub(super) type NodeId = usize;

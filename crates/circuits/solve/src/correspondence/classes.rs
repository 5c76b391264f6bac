//! Classes of nodes that are equal, up to negation. The first node of a class represents it.

use model::Signal;
use std::collections::BTreeMap;

/// A partition of nodes. Nodes that are alone in their class are left out.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    /// The nodes of each class, ascending: at least two, or none if the class was dissolved.
    members: Vec<Vec<usize>>,
    /// For each node: its class.
    class: Vec<Option<usize>>,
    /// For each node: true if it is opposite to the nodes of its class for which this is false.
    opposite: Vec<bool>,
}

impl Classes {
    /// Makes classes of the nodes with the same signature.
    pub(super) fn by_signature(nodes: usize, signatures: &[(usize, u64)], opposite: Vec<bool>) -> Self {
        debug_assert_eq!(opposite.len(), nodes);
        let mut classes = Self { members: Vec::new(), class: vec![None; nodes], opposite };
        let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for &(node, signature) in signatures {
            groups.entry(signature).or_default().push(node);
        }
        groups.into_values().for_each(|group| classes.add(group));
        classes
    }

    fn add(&mut self, group: Vec<usize>) {
        debug_assert!(group.is_sorted());
        if group.len() < 2 {
            group.iter().for_each(|&node| self.class[node] = None);
            return;
        }
        group.iter().for_each(|&node| self.class[node] = Some(self.members.len()));
        self.members.push(group);
    }

    /// The signal that represents this node, if another node does.
    pub(super) fn representative(&self, node: usize) -> Option<Signal> {
        let first = self.members[self.class[node]?][0];
        (first != node).then(|| Signal::new(first, self.opposite[node] != self.opposite[first]))
    }

    /// Splits classes that have nodes with different words, up to negation. Returns true if there are any.
    pub(super) fn split(&mut self, word: impl Fn(Signal) -> u64) -> bool {
        let mut has_split = false;
        for class in 0..self.members.len() {
            let value = |node: usize| word(Signal::new(node, self.opposite[node]));
            let Some(&first) = self.members[class].first() else { continue };
            let expected = value(first);
            if self.members[class].iter().all(|&node| value(node) == expected) {
                continue;
            }
            let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
            for &node in &self.members[class] {
                groups.entry(value(node)).or_default().push(node);
            }
            self.members[class].clear();
            groups.into_values().for_each(|group| self.add(group));
            has_split = true;
        }
        if has_split {
            self.tidy();
        }
        has_split
    }

    /// Removes dissolved classes.
    fn tidy(&mut self) {
        self.members.retain(|members| !members.is_empty());
        for (class, members) in self.members.iter().enumerate() {
            members.iter().for_each(|&node| self.class[node] = Some(class));
        }
    }

    /// Removes a node from its class.
    pub(super) fn drop(&mut self, node: usize) {
        let Some(class) = self.class[node].take() else { return };
        let mut rest = std::mem::take(&mut self.members[class]);
        rest.retain(|&other| other != node);
        match rest[..] {
            [last] => self.class[last] = None,
            _ => self.members[class] = rest,
        }
    }

    /// Number of nodes that another node represents.
    pub(super) fn len(&self) -> usize {
        self.members.iter().map(|members| members.len().saturating_sub(1)).sum()
    }
}

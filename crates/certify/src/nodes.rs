//! The composite states and groups of states that a refutation names, and the membership of states in groups.
//!
//! A group contains the states that it lists and the states of its parts. Parts have smaller numbers, so there
//! are no cycles. But a part may be reached in several ways, so marks ensure that each group is visited once.

use crate::keys::{Key, packed};
use crate::{Check, reject};
use hashbrown::HashMap;
use kernel::Work;
use kernel::keys::{BuildMixer, Layout};
use kernel::program::stepper::{Stepper, describe};
use model::{Meaning, Program, Prop, Refutation, StateGroup};

/// The number of a state that the refutation names.
pub(crate) type NodeId = u32;

/// All states and groups of a refutation.
pub(crate) struct Nodes<'a, K> {
    layout: Layout,
    ids: HashMap<K, NodeId, BuildMixer>,
    groups: &'a [StateGroup],
    width: usize,
    /// The groups that list state `id` are `listing[starts[id]..starts[id + 1]]`.
    starts: Vec<usize>,
    listing: Vec<u32>,
    /// For each proof variable: the state that it says is visited, if there is one.
    visited: Vec<Option<NodeId>>,
}

/// A set of states that an axiom is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Set {
    State(NodeId),
    Group(u32),
}

/// Marks on states and groups. Setting a mark takes constant time, and so does clearing all marks.
pub(crate) struct Marks {
    round: u64,
    groups: Vec<u64>,
    states: Vec<u64>,
    stack: Vec<u32>,
}

impl<'a, K: Key> Nodes<'a, K> {
    /// Collects and checks every state that `refutation` names.
    pub(crate) fn new(
        program: &Program,
        stepper: &Stepper,
        refutation: &'a Refutation,
        work: &mut Work<'_>,
    ) -> Check<Self> {
        let width = stepper.width();
        let mut nodes = Self {
            layout: Layout::new(&stepper.sizes()),
            ids: HashMap::default(),
            groups: &refutation.groups,
            width,
            starts: Vec::new(),
            listing: Vec::new(),
            visited: Vec::with_capacity(refutation.meanings.len()),
        };
        let intern = |nodes: &mut Self, state: &[u32], work: &mut Work<'_>| {
            work.spend(1 + width as u64)?;
            match packed(&nodes.layout, state) {
                Some(key) => nodes.intern(key, work),
                None => reject(format!("the refutation names {}, which is not a state", describe(program, state))),
            }
        };
        for meaning in &refutation.meanings {
            let visited = match meaning {
                Meaning::Prop(Prop::Visits(state)) => Some(intern(&mut nodes, state, work)?),
                _ => None,
            };
            nodes.visited.push(visited);
        }
        let mut listed: Vec<(NodeId, u32)> = Vec::new();
        for (number, group) in refutation.groups.iter().enumerate() {
            check_group(number, group, width)?;
            work.grow(group.states.len() * size_of::<(NodeId, u32)>())?;
            for state in group.states.chunks_exact(width.max(1)) {
                listed.push((intern(&mut nodes, state, work)?, number as u32));
            }
        }
        nodes.index(listed);
        Ok(nodes)
    }

    fn intern(&mut self, key: K, work: &Work<'_>) -> Check<NodeId> {
        let next = self.ids.len();
        if next == self.ids.capacity() {
            work.grow((next + 1024) * 4 * size_of::<(K, NodeId)>())?;
        }
        let Ok(next) = NodeId::try_from(next) else { return Err(crate::Refusal::ResourceLimit) };
        Ok(*self.ids.entry(key).or_insert(next))
    }

    /// Sorts the listed pairs by state, with a counting sort.
    fn index(&mut self, listed: Vec<(NodeId, u32)>) {
        self.starts = vec![0; self.ids.len() + 1];
        for &(id, _) in &listed {
            self.starts[id as usize + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        let mut next = self.starts.clone();
        self.listing = vec![0; listed.len()];
        for (id, group) in listed {
            self.listing[next[id as usize]] = group;
            next[id as usize] += 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The id of the state, if the refutation names it.
    pub(crate) fn find(&self, state: &[u32]) -> Option<NodeId> {
        self.ids.get(&packed::<K>(&self.layout, state)?).copied()
    }

    /// The set of states that a proof variable is about, if it is about visits.
    pub(crate) fn set(&self, variable: usize, meaning: &Meaning) -> Option<Set> {
        match meaning {
            Meaning::Group(group) => Some(Set::Group(*group)),
            _ => self.visited[variable].map(Set::State),
        }
    }

    /// The groups that list the state.
    fn listed_in(&self, state: NodeId) -> &[u32] {
        &self.listing[self.starts[state as usize]..self.starts[state as usize + 1]]
    }

    /// True if the state itself, or a group that lists it, is marked.
    pub(crate) fn is_in(&self, state: NodeId, marks: &Marks) -> bool {
        marks.states[state as usize] == marks.round
            || self.listed_in(state).iter().any(|&g| marks.groups[g as usize] == marks.round)
    }

    /// Marks `set`: a state, or a group with all its parts. Calls `groups` with each newly marked group.
    pub(crate) fn mark(
        &self,
        set: Set,
        marks: &mut Marks,
        work: &mut Work<'_>,
        mut groups: impl FnMut(u32),
    ) -> Check<()> {
        match set {
            Set::State(state) => marks.states[state as usize] = marks.round,
            Set::Group(group) => marks.stack.push(group),
        }
        while let Some(group) = marks.stack.pop() {
            work.spend(1)?;
            if std::mem::replace(&mut marks.groups[group as usize], marks.round) == marks.round {
                continue;
            }
            groups(group);
            let parts = &self.groups[group as usize].parts;
            work.spend(parts.len() as u64)?;
            marks.stack.extend_from_slice(parts);
        }
        Ok(())
    }

    /// The states that `group` itself lists.
    pub(crate) fn listed(&self, group: u32) -> impl Iterator<Item = &'a [u32]> {
        self.groups[group as usize].states.chunks_exact(self.width.max(1))
    }

    /// True if `part` (a state or a group) is part of `group`. A group counts only if it is `group` itself or
    /// is listed among its direct parts.
    pub(crate) fn is_member(&self, part: Set, group: u32, marks: &mut Marks, work: &mut Work<'_>) -> Check<bool> {
        match part {
            Set::Group(inner) => {
                let parts = &self.groups[group as usize].parts;
                work.spend(1 + parts.len() as u64)?;
                Ok(inner == group || parts.contains(&inner))
            }
            Set::State(state) => {
                if self.listed_in(state).contains(&group) {
                    return Ok(true);
                }
                marks.clear();
                self.mark(Set::Group(group), marks, work, |_| {})?;
                Ok(self.is_in(state, marks))
            }
        }
    }
}

fn check_group(number: usize, group: &StateGroup, width: usize) -> Check<()> {
    if group.parts.iter().any(|&p| p as usize >= number) {
        return reject(format!("group {number} has a part that does not come before it"));
    }
    if !group.states.len().is_multiple_of(width.max(1)) || (width == 0 && !group.states.is_empty()) {
        return reject(format!("group {number} lists a broken state"));
    }
    Ok(())
}

impl Marks {
    pub(crate) fn new(groups: usize, states: usize) -> Self {
        Self { round: 1, groups: vec![0; groups], states: vec![0; states], stack: Vec::new() }
    }

    /// Removes all marks.
    pub(crate) fn clear(&mut self) {
        self.round += 1;
    }
}

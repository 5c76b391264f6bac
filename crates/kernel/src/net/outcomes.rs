//! Checks whether groups of threads can spread as a trace records it, where each thread picks one of the
//! targets of its group.
//!
//! This is a transportation problem: groups supply threads, targets demand them, and supply and demand must be
//! used up. It has a solution iff a maximum flow uses up both. The flow is increased along shortest augmenting
//! paths (Edmonds, Karp 1972). So the number of paths is bounded by the size of the problem and not by the
//! number of threads. The answer is exact, without enumeration.

use std::collections::VecDeque;

/// A group of threads that pick from the same targets.
#[derive(Debug)]
pub struct Group {
    /// The places that the threads can go to.
    pub targets: Vec<usize>,
    /// Number of threads in the group.
    pub threads: u64,
}

/// Returns true if all threads of the groups can go to targets so that each place `p` gets exactly `wanted[p]`
/// threads.
#[must_use]
pub fn possible(groups: &[Group], wanted: Vec<u64>) -> bool {
    let sum = |numbers: &mut dyn Iterator<Item = u64>| numbers.map(u128::from).sum::<u128>();
    if sum(&mut groups.iter().map(|g| g.threads)) != sum(&mut wanted.iter().copied()) {
        return false;
    }
    let mut into = vec![Vec::new(); wanted.len()];
    for (g, group) in groups.iter().enumerate() {
        for (at, target) in group.targets.iter().enumerate() {
            into[*target].push((g, at));
        }
    }
    let flow = groups.iter().map(|g| vec![0; g.targets.len()]).collect();
    let left = groups.iter().map(|g| g.threads).collect();
    let mut spread = Spread { groups, into, flow, left, wanted };
    debug_assert!(spread.into.len() == spread.wanted.len(), "a list for each place");
    while spread.left.iter().any(|&threads| threads > 0) {
        if !spread.improve() {
            return false;
        }
    }
    debug_assert!(spread.wanted.iter().all(|&threads| threads == 0), "all that is asked for is there");
    let sent = |(flow, group): (&Vec<u64>, &Group)| flow.iter().sum::<u64>() == group.threads;
    debug_assert!(spread.flow.iter().zip(groups).all(sent), "each thread goes somewhere");
    true
}

struct Spread<'a> {
    groups: &'a [Group],
    /// For each place: the groups that have it as a target, each with the position of the place in the group's
    /// targets.
    into: Vec<Vec<(usize, usize)>>,
    /// For each group and each position in its targets: number of threads that go there.
    flow: Vec<Vec<u64>>,
    /// For each group: number of threads that are not assigned yet.
    left: Vec<u64>,
    /// For each place: number of threads still missing.
    wanted: Vec<u64>,
}

impl Spread<'_> {
    /// Sends threads along a shortest augmenting path. Returns false if there is no such path.
    fn improve(&mut self) -> bool {
        // `group_from[g]`: the path reaches group `g` from this place, because threads of `g` that now go to
        // this target position can go elsewhere. `state_from[p]`: the path reaches place `p` from this group,
        // at this target position.
        let mut group_from: Vec<Option<(usize, usize)>> = vec![None; self.groups.len()];
        let mut state_from: Vec<Option<(usize, usize)>> = vec![None; self.wanted.len()];
        let mut seen: Vec<bool> = self.left.iter().map(|&threads| threads > 0).collect();
        let mut queue: VecDeque<usize> = (0..seen.len()).filter(|&g| seen[g]).collect();
        while let Some(g) = queue.pop_front() {
            for (at, target) in self.groups[g].targets.iter().enumerate() {
                let state = *target;
                if state_from[state].is_some() {
                    continue;
                }
                state_from[state] = Some((g, at));
                if self.wanted[state] > 0 {
                    self.send(state, &group_from, &state_from);
                    return true;
                }
                for &(other, position) in &self.into[state] {
                    if self.flow[other][position] > 0 && !std::mem::replace(&mut seen[other], true) {
                        group_from[other] = Some((state, position));
                        queue.push_back(other);
                    }
                }
            }
        }
        false
    }

    /// Sends as many threads as possible along the path that ends in place `end`.
    fn send(&mut self, end: usize, group_from: &[Option<(usize, usize)>], state_from: &[Option<(usize, usize)>]) {
        let mut path = Vec::new();
        let mut state = end;
        let first = loop {
            let Some((group, at)) = state_from[state] else { return };
            path.push((group, at));
            let Some((before, _)) = group_from[group] else { break group };
            state = before;
        };
        let rerouted =
            path.iter().filter_map(|&(group, _)| group_from[group].map(|(_, position)| self.flow[group][position]));
        let most = rerouted.fold(self.left[first].min(self.wanted[end]), u64::min);
        assert!(most > 0, "a path takes threads along");
        for (group, at) in path {
            self.flow[group][at] += most;
            if let Some((_, position)) = group_from[group] {
                self.flow[group][position] -= most;
            }
        }
        self.left[first] -= most;
        self.wanted[end] -= most;
    }
}

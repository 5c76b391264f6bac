//! Explores the joint states of a projection.

use super::{Footprints, SideCondition};
use model::{Effort, EventId, LocalId, ThreadId};

/// Maximum number of joint states in a table, which needs a byte for each.
const TABLE: usize = 1 << 20;

/// The joint states that runs of the projection onto a group may take. They include all joint states that runs
/// of the program take.
pub(crate) struct Relation {
    sizes: Vec<usize>,
    reached: Vec<bool>,
}

impl Relation {
    /// Explores the projection onto `group` (ascending) in `O(joint moves)`. Returns `None` if it is too large
    /// or the effort is spent.
    pub(crate) fn of(prints: &Footprints, group: &[ThreadId], effort: &mut Effort) -> Option<Self> {
        let sizes: Vec<usize> = group.iter().map(|&i| prints.thread(i).states.len()).collect();
        let total = sizes.iter().try_fold(1, |product: usize, &n| product.checked_mul(n)).filter(|&n| n <= TABLE)?;
        // Clearing an entry of the table is much cheaper than expanding a state.
        if !effort.spend(total as u64 / 16) {
            return None;
        }
        let mut exploration =
            Exploration { prints, group, relation: Self { sizes, reached: vec![false; total] }, open: Vec::new() };
        exploration.start();
        exploration.run(effort).then_some(exploration.relation)
    }

    /// Returns true if the group may take this joint state. `joint` has one state for each member, in the order
    /// of the group.
    pub(crate) fn contains(&self, joint: &[LocalId]) -> bool {
        self.reached[self.index(joint)]
    }

    fn index(&self, joint: &[LocalId]) -> usize {
        self.sizes.iter().zip(joint).fold(0, |index, (size, s)| index * size + s.index())
    }

    fn decode(&self, mut index: usize, joint: &mut [LocalId]) {
        for (size, s) in self.sizes.iter().zip(joint).rev() {
            *s = LocalId::new(index % size);
            index /= size;
        }
    }
}

struct Exploration<'p, 'a> {
    prints: &'p Footprints<'a>,
    group: &'p [ThreadId],
    relation: Relation,
    /// Indices of joint states that are not expanded yet.
    open: Vec<usize>,
}

impl Exploration<'_, '_> {
    fn start(&mut self) {
        let every = self.prints.conditions().keep(SideCondition::EveryInitialState);
        let initial = |i: &ThreadId| {
            let all = &self.prints.thread(*i).initial;
            if every { all.clone() } else { vec![all[0]] }
        };
        let choices: Vec<Vec<LocalId>> = self.group.iter().map(initial).collect();
        self.add_all(&choices);
    }

    /// Adds every joint state that can be combined from these states, one list for each member.
    fn add_all(&mut self, choices: &[Vec<LocalId>]) {
        let mut indices = vec![0];
        for (size, choice) in self.relation.sizes.iter().zip(choices) {
            indices = indices.iter().flat_map(|i| choice.iter().map(move |s| i * size + s.index())).collect();
        }
        indices.into_iter().for_each(|index| self.add(index));
    }

    fn add(&mut self, index: usize) {
        if !std::mem::replace(&mut self.relation.reached[index], true) {
            self.open.push(index);
        }
    }

    fn run(&mut self, effort: &mut Effort) -> bool {
        let mut now = vec![LocalId(0); self.group.len()];
        let without = |i: &ThreadId| self.group.iter().copied().filter(|j| j != i).collect();
        let others: Vec<Vec<ThreadId>> = self.group.iter().map(without).collect();
        while let Some(index) = self.open.pop() {
            self.relation.decode(index, &mut now);
            if !effort.spend(1) {
                return false;
            }
            for member in 0..self.group.len() {
                let prints = self.prints;
                let events = prints.telling_moves(self.group[member], now[member], &others[member]);
                for &event in &*events {
                    if !effort.spend(1) {
                        return false;
                    }
                    if self.fires(member, &now, event) && !self.follow(&now, event, effort) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Returns true if `event`, on which `member` moves, may fire and no earlier member moves on it.
    fn fires(&self, member: usize, now: &[LocalId], event: EventId) -> bool {
        let members = || self.group.iter().zip(now);
        let state = |(i, s): (&ThreadId, &LocalId)| self.prints.thread(*i).state(*s);
        let silent = |pair| !state(pair).on.contains_key(&event);
        if !self.prints.conditions().keep(SideCondition::InvisibleSelfLoops) && members().any(silent) {
            return false;
        }
        !members().take(member).any(|(&i, &s)| self.prints.moves_on(i, s, event))
            && !members().any(|pair| state(pair).block.contains(event))
            && !self.prints.blocked_outside(self.group, event)
            && !self.disturbs(now, event)
            && (members().any(|pair| state(pair).request.contains(event))
                || self.prints.requested_outside(self.group, event))
    }

    /// Returns true if a member with bad states has left its initial states and does not move on `event`. This
    /// keeps the event from firing only in a pattern that a test creates without [`SideCondition::Atomicity`].
    fn disturbs(&self, now: &[LocalId], event: EventId) -> bool {
        let stands_by = |(&i, &s): (&ThreadId, &LocalId)| {
            let thread = self.prints.thread(i);
            let under_way = thread.states.iter().any(|s| s.bad) && !thread.initial.contains(&s);
            under_way && !self.prints.moves_on(i, s, event)
        };
        !self.prints.conditions().keep(SideCondition::Atomicity) && self.group.iter().zip(now).any(stands_by)
    }

    fn follow(&mut self, now: &[LocalId], event: EventId, effort: &mut Effort) -> bool {
        let targets = |(i, s)| self.targets(i, s, event);
        let members = || self.group.iter().zip(now);
        // Fast path: most events have one target in every thread.
        let single = self.relation.sizes.iter().zip(members()).try_fold(0, |index, (size, member)| {
            if let [t] = targets(member) { Some(index * size + t.index()) } else { None }
        });
        if let Some(index) = single {
            self.add(index);
            return true;
        }
        let choices: Vec<Vec<LocalId>> = members().map(|member| targets(member).to_vec()).collect();
        let work = choices.iter().fold(1_u64, |product, c| product.saturating_mul(c.len() as u64));
        if !effort.spend(work) {
            return false;
        }
        self.add_all(&choices);
        true
    }

    fn targets<'t>(&'t self, i: &ThreadId, s: &'t LocalId, event: EventId) -> &'t [LocalId] {
        let listed = self.prints.thread(*i).state(*s).on.get(&event);
        let all = listed.map_or(std::slice::from_ref(s), Vec::as_slice);
        if self.prints.conditions().keep(SideCondition::EveryTarget) { all } else { &all[..1] }
    }
}

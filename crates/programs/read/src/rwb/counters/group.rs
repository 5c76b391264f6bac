//! Groups of threads that move together: an ordinary thread, or the class threads of one index. Each reachable
//! state of a group has a place.

use super::super::parse::Res;
use super::budget::Budget;
use crate::rwb::symbolic::{Symbol, Symbolic};
use model::{EventId, LocalId, LocalState, PlaceId, Program, Thread, ThreadId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A group of threads, its states and their places.
pub(super) struct Group {
    pub(super) members: Vec<ThreadId>,
    /// The range of a group of class threads.
    pub(super) range: Option<usize>,
    /// For each state: the local states of the members.
    states: Vec<Box<[LocalId]>>,
    /// For each state: true if a member is in a bad state.
    bad: Vec<bool>,
    index: HashMap<Box<[LocalId]>, usize>,
    names: Vec<String>,
    /// The place of the first state. The places of the other states follow in order.
    first: usize,
    initial: Vec<usize>,
    /// The sets of states from which tokens choose. For each set: the place for tokens that have not chosen
    /// yet.
    undecided: BTreeMap<Vec<usize>, PlaceId>,
}

/// The reaction of a group to an event in one of its states.
pub(super) struct Reaction {
    pub(super) requests: bool,
    /// The states that the group may move to, in ascending order. The list is empty if the group blocks the
    /// event.
    pub(super) targets: Vec<usize>,
}

impl Reaction {
    pub(super) fn blocks(&self) -> bool {
        self.targets.is_empty()
    }
}

/// Returns one group for each ordinary thread and one for each range, with their places numbered.
pub(super) fn groups(symbolic: &Symbolic, budget: &mut Budget<'_>) -> Res<Vec<Group>> {
    let mut members: Vec<(Option<usize>, Vec<ThreadId>)> = Vec::new();
    members.extend((0..symbolic.ranges.len()).map(|range| (Some(range), Vec::new())));
    for (t, range) in symbolic.classes.iter().enumerate() {
        match range {
            Some(range) => members[*range].1.push(ThreadId::new(t)),
            None => members.push((None, vec![ThreadId::new(t)])),
        }
    }
    let (mut groups, mut first) = (Vec::new(), 0);
    for (range, members) in members {
        let alone = range.map_or("", |r| symbolic.ranges[r].as_str());
        let mut group = Group::explored(&symbolic.program, range, members, first, budget)?;
        group.name(&symbolic.program, alone);
        first += group.states.len();
        groups.push(group);
    }
    for group in &mut groups {
        for set in group.choices(symbolic, budget)? {
            budget.place()?;
            group.undecided.insert(set, PlaceId::new(first));
            first += 1;
        }
    }
    Ok(groups)
}

impl Group {
    /// Builds a group with its reachable states. Only blocking by the group itself counts.
    fn explored(
        program: &Program,
        range: Option<usize>,
        members: Vec<ThreadId>,
        first: usize,
        budget: &mut Budget<'_>,
    ) -> Res<Self> {
        let none = (Vec::new(), Vec::new(), HashMap::new(), Vec::new());
        let (states, bad, index, names) = none;
        let mut group =
            Self { members, range, states, bad, index, names, first, initial: Vec::new(), undecided: BTreeMap::new() };
        let initial: Vec<Vec<LocalId>> = group.members.iter().map(|t| program.thread(*t).initial.clone()).collect();
        for tuple in product(&initial, budget)? {
            let state = group.intern(program, tuple, budget)?;
            group.initial.push(state);
        }
        let mut next = 0;
        while next < group.states.len() {
            for event in group.moving(program, next) {
                for tuple in group.successors(program, next, event, budget)? {
                    group.intern(program, tuple, budget)?;
                }
            }
            next += 1;
        }
        group.initial.sort_unstable();
        Ok(group)
    }

    fn intern(&mut self, program: &Program, tuple: Box<[LocalId]>, budget: &mut Budget<'_>) -> Res<usize> {
        if let Some(state) = self.index.get(&tuple) {
            return Ok(*state);
        }
        budget.place()?;
        budget.work(1 + tuple.len())?;
        let state = self.states.len();
        let is_bad = |(t, s): (&ThreadId, &LocalId)| program.thread(*t).state(*s).bad;
        self.bad.push(self.members.iter().zip(&tuple).any(is_bad));
        self.index.insert(tuple.clone(), state);
        self.states.push(tuple);
        Ok(state)
    }

    fn locals<'p>(&self, program: &'p Program, state: usize) -> impl Iterator<Item = (&'p Thread, LocalId)> {
        self.members.iter().zip(&self.states[state]).map(|(t, s)| (program.thread(*t), *s))
    }

    fn local_states<'p>(&self, program: &'p Program, state: usize) -> impl Iterator<Item = &'p LocalState> {
        self.locals(program, state).map(|(thread, s)| thread.state(s))
    }

    /// Returns the events on which a member moves in this state.
    fn moving(&self, program: &Program, state: usize) -> BTreeSet<EventId> {
        if self.bad[state] {
            return BTreeSet::new();
        }
        self.local_states(program, state).flat_map(|s| s.on.keys().copied()).collect()
    }

    /// Returns the successors of a state on an event, or none if the group blocks the event.
    fn successors(
        &self,
        program: &Program,
        state: usize,
        event: EventId,
        budget: &mut Budget<'_>,
    ) -> Res<Vec<Box<[LocalId]>>> {
        budget.work(1 + self.members.len())?;
        if self.local_states(program, state).any(|s| s.block.contains(event)) {
            return Ok(Vec::new());
        }
        let targets: Vec<Vec<LocalId>> =
            self.locals(program, state).map(|(thread, s)| thread.targets(s, event).collect()).collect();
        product(&targets, budget)
    }

    /// Returns the reaction to an event in a state that is not bad. (In a bad state there is no reaction.)
    pub(super) fn reaction(
        &self,
        program: &Program,
        state: usize,
        event: EventId,
        budget: &mut Budget<'_>,
    ) -> Res<Reaction> {
        let requests = self.local_states(program, state).any(|s| s.request.contains(event));
        let mut targets: Vec<usize> =
            self.successors(program, state, event, budget)?.iter().map(|tuple| self.index[tuple]).collect();
        targets.sort_unstable();
        Ok(Reaction { requests, targets })
    }

    /// Iterates over the states that are not bad.
    pub(super) fn good_states(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(|s| !self.bad[*s])
    }

    /// Returns the sets of states from which tokens may have to choose separately: the initial states, and the
    /// targets of all class threads on an event that is not their own.
    fn choices(&self, symbolic: &Symbolic, budget: &mut Budget<'_>) -> Res<BTreeSet<Vec<usize>>> {
        let mut sets = BTreeSet::new();
        if self.initial.len() > 1 {
            sets.insert(self.initial.clone());
        }
        if self.range.is_none() {
            return Ok(sets);
        }
        for state in self.good_states() {
            for event in self.moving(&symbolic.program, state) {
                if matches!(symbolic.events[event.index()], Symbol::Own { .. }) {
                    continue;
                }
                let reaction = self.reaction(&symbolic.program, state, event, budget)?;
                if reaction.targets.len() > 1 {
                    sets.insert(reaction.targets);
                }
            }
        }
        Ok(sets)
    }

    /// Returns the place of a state.
    pub(super) fn place(&self, state: usize) -> PlaceId {
        PlaceId::new(self.first + state)
    }

    /// Returns the place for tokens that move to one of these states.
    pub(super) fn place_of(&self, targets: &[usize]) -> PlaceId {
        match targets {
            [one] => self.place(*one),
            _ => self.undecided[targets],
        }
    }

    /// Returns the place where all tokens of the group begin.
    pub(super) fn start(&self) -> PlaceId {
        self.place_of(&self.initial)
    }

    /// Iterates over the places of undecided tokens, each with the states to choose from.
    pub(super) fn undecided(&self) -> impl Iterator<Item = (PlaceId, &[usize])> {
        self.undecided.iter().map(|(set, place)| (*place, set.as_slice()))
    }

    /// Iterates over the bad states. A token in a bad state is a violation.
    pub(super) fn bad_states(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(|s| self.bad[*s])
    }

    /// Returns the places of the states in which all threads of the group may end.
    pub(super) fn final_places(&self, program: &Program) -> Vec<PlaceId> {
        let is_final = |(t, s): (&ThreadId, &LocalId)| program.is_final(*t, *s);
        let ends = |s: &usize| self.members.iter().zip(&self.states[*s]).all(is_final);
        (0..self.states.len()).filter(ends).map(|s| self.place(s)).collect()
    }

    /// Iterates over all places of the group with their names.
    pub(super) fn named_places(&self) -> impl Iterator<Item = (PlaceId, String)> + '_ {
        let states = self.names.iter().enumerate().map(|(s, name)| (self.place(s), name.clone()));
        states.chain(self.undecided().map(|(place, set)| (place, self.set_name(set))))
    }

    /// Returns the name of the place for tokens that choose from `set`.
    pub(super) fn set_name(&self, set: &[usize]) -> String {
        set.iter().map(|s| self.names[*s].as_str()).collect::<Vec<_>>().join("|")
    }

    /// Returns the name of the place of a state.
    pub(super) fn state_name(&self, state: usize) -> &str {
        &self.names[state]
    }

    /// Sets the names of all states: `Thread.state`, joined by `+` for several threads, without threads that
    /// have only one state. `alone` is the name of the state of a range without threads.
    fn name(&mut self, program: &Program, alone: &str) {
        let several: Vec<usize> =
            (0..self.members.len()).filter(|m| program.thread(self.members[*m]).states.len() > 1).collect();
        let shown = if several.is_empty() { (0..self.members.len().min(1)).collect() } else { several };
        let part = |tuple: &[LocalId], m: usize| {
            let thread = program.thread(self.members[m]);
            format!("{}.{}", thread.name, thread.state(tuple[m]).name)
        };
        let whole = |tuple: &[LocalId]| {
            let parts: Vec<String> = shown.iter().map(|m| part(tuple, *m)).collect();
            if parts.is_empty() { alone.to_owned() } else { parts.join("+") }
        };
        self.names = self.states.iter().map(|tuple| whole(tuple)).collect();
    }
}

/// Returns every choice of one element from each list.
fn product(lists: &[Vec<LocalId>], budget: &mut Budget<'_>) -> Res<Vec<Box<[LocalId]>>> {
    let count = lists.iter().fold(1usize, |n, list| n.saturating_mul(list.len()));
    budget.work(count.saturating_mul(1 + lists.len()))?;
    let mut tuples: Vec<Vec<LocalId>> = vec![Vec::new()];
    for list in lists {
        let longer = |tuple: &Vec<LocalId>, s: &LocalId| tuple.iter().copied().chain([*s]).collect();
        tuples = tuples.iter().flat_map(|tuple| list.iter().map(move |s| longer(tuple, s))).collect();
    }
    Ok(tuples.into_iter().map(Vec::into_boxed_slice).collect())
}

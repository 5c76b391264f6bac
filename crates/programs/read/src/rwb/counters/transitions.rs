//! Converts events to transitions on the counts: one transition for each way in which the groups that notice
//! the event can take part. A group notices an event if it requests, waits for or blocks the event in a state
//! that is not bad.

use super::super::parse::Res;
use super::budget::Budget;
use super::group::Group;
use crate::rwb::symbolic::{Symbol, Symbolic};
use model::{Effect, EventId, Guard, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// One way in which a token takes part in an event: the token of an ordinary thread, or of the event's own
/// index.
#[derive(Clone, Copy)]
struct Participation {
    from: PlaceId,
    to: PlaceId,
    requests: bool,
}

/// The moves of all other class threads.
#[derive(Default)]
struct Crowd {
    /// Places that must be empty, because their tokens block the event or have to choose a target first.
    empty: BTreeSet<PlaceId>,
    /// For each place that the tokens leave: their target.
    to: BTreeMap<PlaceId, PlaceId>,
    /// Places with tokens that request the event.
    requesting: Vec<PlaceId>,
}

/// Returns all transitions: the transitions of events, the transitions of choices, and one transition for each
/// bad place.
pub(super) fn transitions(symbolic: &Symbolic, groups: &[Group], budget: &mut Budget<'_>) -> Res<Vec<Transition>> {
    let noticing = noticing(symbolic, groups, budget)?;
    let mut maker = Maker { symbolic, groups, budget, transitions: Vec::new() };
    for (e, symbol) in symbolic.events.iter().enumerate() {
        match symbol {
            Symbol::Plain => maker.event(EventId::new(e), EventId::new(e), None, &noticing[e])?,
            Symbol::Own { range, other } => {
                maker.event(EventId::new(e), EventId::new(*other), Some(*range), &noticing[*other])?;
            }
            Symbol::Other => {}
        }
    }
    maker.decisions()?;
    maker.violations()?;
    Ok(maker.transitions)
}

/// Returns for each event the groups that notice it.
fn noticing(symbolic: &Symbolic, groups: &[Group], budget: &mut Budget<'_>) -> Res<Vec<Vec<usize>>> {
    let mut noticing: Vec<Vec<usize>> = vec![Vec::new(); symbolic.events.len()];
    for (g, group) in groups.iter().enumerate() {
        let states = group.members.iter().flat_map(|t| &symbolic.program.thread(*t).states).filter(|s| !s.bad);
        for state in states {
            budget.work(1 + state.request.len() + state.block.len() + state.on.len())?;
            for event in state.request.iter().chain(state.block.iter()).chain(state.on.keys().copied()) {
                let list = &mut noticing[event.index()];
                if list.last() != Some(&g) {
                    list.push(g);
                }
            }
        }
    }
    Ok(noticing)
}

struct Maker<'m, 'b> {
    symbolic: &'m Symbolic,
    groups: &'m [Group],
    budget: &'m mut Budget<'b>,
    transitions: Vec<Transition>,
}

impl Maker<'_, '_> {
    /// Adds the transitions of one event. The threads of its index react to it as `own`, all other threads as
    /// `other`.
    fn event(&mut self, own: EventId, other: EventId, range: Option<usize>, noticing: &[usize]) -> Res<()> {
        let mut crowd = Crowd::default();
        let mut parts: Vec<Vec<Participation>> = Vec::new();
        for &g in noticing {
            match self.groups[g].range {
                Some(_) => self.crowd(g, other, &mut crowd)?,
                None => parts.push(self.parts(g, other)?),
            }
        }
        if let Some(range) = range {
            // Groups of ranges come first, in the order of the ranges, so `range` is also the number of the
            // group.
            parts.push(self.parts(range, own)?);
        }
        if parts.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let name = self.symbolic.program.event_name(own).to_owned();
        let (mut at, mut number) = (vec![0; parts.len()], 0);
        loop {
            let chosen: Vec<Participation> = at.iter().zip(&parts).map(|(i, list)| list[*i]).collect();
            self.budget.work(1 + chosen.len())?;
            let requesters: Vec<Option<PlaceId>> = if chosen.iter().any(|p| p.requests) {
                vec![None]
            } else {
                crowd.requesting.iter().copied().map(Some).collect()
            };
            for requester in requesters {
                if let Some(guards) = guards(&chosen, range.is_some(), &crowd, requester) {
                    number += 1;
                    let name = if number == 1 { name.clone() } else { format!("{name}#{number}") };
                    self.push(Transition { name, guards, effects: effects(&chosen, &crowd) })?;
                }
            }
            let Some(next) = (0..at.len()).find(|i| at[*i] + 1 < parts[*i].len()) else { return Ok(()) };
            at[next] += 1;
            at[..next].fill(0);
        }
    }

    fn push(&mut self, transition: Transition) -> Res<()> {
        let sources: usize = transition.effects.iter().map(|e| 1 + e.sources.len()).sum();
        self.budget.transition(transition.guards.len() + sources)?;
        self.transitions.push(transition);
        Ok(())
    }

    /// Returns the ways in which one token of a group takes part.
    fn parts(&mut self, g: usize, event: EventId) -> Res<Vec<Participation>> {
        let group = &self.groups[g];
        let mut parts = Vec::new();
        for state in group.good_states() {
            let reaction = group.reaction(&self.symbolic.program, state, event, self.budget)?;
            let part = |to: &usize| Participation {
                from: group.place(state),
                to: group.place(*to),
                requests: reaction.requests,
            };
            parts.extend(reaction.targets.iter().map(part));
        }
        Ok(parts)
    }

    /// Adds the moves of all tokens of a group on an event that is not their own.
    fn crowd(&mut self, g: usize, event: EventId, crowd: &mut Crowd) -> Res<()> {
        let group = &self.groups[g];
        let mut notices = BTreeSet::new();
        for state in group.good_states() {
            let reaction = group.reaction(&self.symbolic.program, state, event, self.budget)?;
            let place = group.place(state);
            if reaction.blocks() {
                crowd.empty.insert(place);
                notices.insert(state);
                continue;
            }
            if reaction.targets != [state] {
                crowd.to.insert(place, group.place_of(&reaction.targets));
                notices.insert(state);
            }
            if reaction.requests {
                crowd.requesting.push(place);
            }
        }
        for (place, set) in group.undecided() {
            if set.iter().any(|s| notices.contains(s)) {
                crowd.empty.insert(place);
            }
        }
        Ok(())
    }

    fn decisions(&mut self) -> Res<()> {
        for group in self.groups {
            for (place, set) in group.undecided() {
                for target in set {
                    let name = format!("{} -> {}", group.set_name(set), group.state_name(*target));
                    let one = BigUint::from(1u8);
                    let (from, to) = ([(place, one.clone())], [(group.place(*target), one)]);
                    self.push(Transition::from_arcs(name, &from, &to))?;
                }
            }
        }
        Ok(())
    }

    /// Adds a transition without effect for each bad place, so that a marking with a bad state is no deadlock.
    fn violations(&mut self) -> Res<()> {
        for group in self.groups {
            for state in group.bad_states() {
                let guards = vec![Guard { place: group.place(state), range: Range::from(1u8) }];
                let name = format!("{} stays", group.state_name(state));
                self.push(Transition { name, guards, effects: Vec::new() })?;
            }
        }
        Ok(())
    }
}

/// Returns the conditions of a transition, or `None` if they contradict each other. If `owned`, the last of
/// `parts` is the token of the event's own index. If a token in `parts` and the token of the requester are on
/// the same place, this place must have a token for each of them.
fn guards(parts: &[Participation], owned: bool, crowd: &Crowd, requester: Option<PlaceId>) -> Option<Vec<Guard>> {
    let mut least: BTreeMap<PlaceId, u32> = BTreeMap::new();
    for part in parts {
        *least.entry(part.from).or_insert(0) += 1;
    }
    if let Some(place) = requester {
        *least.entry(place).or_insert(0) += 1;
    }
    let own = parts.last().filter(|_| owned).map(|p| p.from);
    let mut guards: BTreeMap<PlaceId, Range> = least.iter().map(|(p, n)| (*p, Range::from(*n))).collect();
    for place in &crowd.empty {
        // The token of the event's own index may stay on a place that must be empty: it reacts to the event as
        // its own.
        let most = u32::from(own == Some(*place));
        let range =
            Range { at_least: BigUint::from(least.get(place).copied().unwrap_or(0)), at_most: Some(most.into()) };
        if range.at_least > BigUint::from(most) {
            return None;
        }
        guards.insert(*place, range);
    }
    Some(guards.into_iter().map(|(place, range)| Guard { place, range }).collect())
}

/// Returns the effects of a transition. All tokens of the crowd move at once. A token that takes part by itself
/// is therefore removed from the place to which the crowd has moved it.
fn effects(parts: &[Participation], crowd: &Crowd) -> Vec<Effect> {
    let mut effects: BTreeMap<PlaceId, (SmallVec<[PlaceId; 1]>, i32)> = BTreeMap::new();
    for (from, to) in &crowd.to {
        effects.entry(*from).or_default();
        effects.entry(*to).or_default();
    }
    for (place, (sources, _)) in &mut effects {
        if !crowd.to.contains_key(place) {
            sources.push(*place);
        }
    }
    for (from, to) in &crowd.to {
        effects.entry(*to).or_default().0.push(*from);
    }
    for part in parts {
        let brought = crowd.to.get(&part.from).copied().unwrap_or(part.from);
        for (place, change) in [(brought, -1), (part.to, 1)] {
            effects.entry(place).or_insert_with(|| (SmallVec::from_elem(place, 1), 0)).1 += change;
        }
    }
    let effect = |(place, (mut sources, add)): (PlaceId, (SmallVec<[PlaceId; 1]>, i32))| {
        sources.sort_unstable();
        Effect { place, sources, add: BigInt::from(add) }
    };
    effects.into_iter().map(effect).collect()
}

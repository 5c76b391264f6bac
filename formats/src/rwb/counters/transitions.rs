//! What an event does to the counts: a transition for each way in which the threads that notice it can take part.

use super::super::class::{Symbol, Symbolic};
use super::super::parse::Res;
use super::Budget;
use super::group::Group;
use model::{Effect, EventId, Guard, PlaceId, Range, Transition};
use num_bigint::{BigInt, BigUint};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// How one token takes part in an event: an ordinary thread, or the threads of the event's own index.
#[derive(Clone, Copy)]
struct Part {
    from: PlaceId,
    to: PlaceId,
    requests: bool,
}

/// What all the other class threads do.
#[derive(Default)]
struct Crowd {
    /// Places whose tokens would block the event, or have to decide first.
    empty: BTreeSet<PlaceId>,
    /// Where tokens go, for places that they leave.
    to: BTreeMap<PlaceId, PlaceId>,
    /// Places whose tokens request the event.
    requesting: Vec<PlaceId>,
}

/// All transitions: events, decisions, and one for each bad place.
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

/// By event: the groups in which some state that is not bad mentions it.
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
    /// The transitions of one event, which is `own` for the threads of its index and `other` for everybody else.
    fn event(&mut self, own: EventId, other: EventId, range: Option<usize>, noticing: &[usize]) -> Res<()> {
        let mut crowd = Crowd::default();
        let mut parts: Vec<Vec<Part>> = Vec::new();
        for &g in noticing {
            match self.groups[g].range {
                Some(_) => self.crowd(g, other, &mut crowd)?,
                None => parts.push(self.parts(g, other)?),
            }
        }
        if let Some(range) = range {
            // Groups of ranges come first, in their order.
            parts.push(self.parts(range, own)?);
        }
        if parts.iter().any(Vec::is_empty) {
            return Ok(());
        }
        let name = self.symbolic.program.event_name(own).to_owned();
        let (mut at, mut number) = (vec![0; parts.len()], 0);
        loop {
            let chosen: Vec<Part> = at.iter().zip(&parts).map(|(i, list)| list[*i]).collect();
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

    /// The ways in which one token of a group takes part.
    fn parts(&mut self, g: usize, event: EventId) -> Res<Vec<Part>> {
        let group = &self.groups[g];
        let mut parts = Vec::new();
        for state in group.good_states() {
            let reaction = group.reaction(&self.symbolic.program, state, event, self.budget)?;
            let part =
                |to: &usize| Part { from: group.place(state), to: group.place(*to), requests: reaction.requests };
            parts.extend(reaction.targets.iter().map(part));
        }
        Ok(parts)
    }

    /// What all tokens of a group do on an event that is not their own.
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

    /// A marking with a bad state is no deadlock.
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

/// The conditions of a transition; `None` if they contradict each other. The last of `parts` is the event's own index if
/// `owned`. Of one place, the own token and that of the requester are two.
fn guards(parts: &[Part], owned: bool, crowd: &Crowd, requester: Option<PlaceId>) -> Option<Vec<Guard>> {
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
        // The token of the event's own index does not stand in its own way: it reacts to the event as its own.
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

/// The crowd moves all at once; tokens that take part by themselves are taken from where the crowd would have brought them.
fn effects(parts: &[Part], crowd: &Crowd) -> Vec<Effect> {
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

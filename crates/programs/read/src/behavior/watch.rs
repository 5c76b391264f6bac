//! Which pairs of a state and an event of one thread are still to be handled. A state watches the events that matter
//! there ([`Behavior::mentions`]), so the cost is in proportion to the pairs that matter, and not to states times
//! events.

use super::explored::Session;
use super::{Behavior, Mention};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// The events to handle at a state, in ascending order.
enum Open {
    /// All from this one on.
    From(usize),
    These(VecDeque<usize>),
}

/// The open pairs of one thread.
pub(super) struct Watch<E> {
    /// For each state.
    open: Vec<Open>,
    /// The states with open pairs.
    waiting: BTreeSet<usize>,
    /// The number of events that the states were told about.
    told: usize,
    /// The states that watch all events, a family of events, one event.
    all: Vec<usize>,
    families: HashMap<usize, Vec<usize>>,
    events: HashMap<E, Vec<usize>>,
}

impl<E> Default for Watch<E> {
    fn default() -> Self {
        let (open, waiting, all) = (Vec::new(), BTreeSet::new(), Vec::new());
        Self { open, waiting, told: 0, all, families: HashMap::new(), events: HashMap::new() }
    }
}

impl<E: Clone + Ord + std::hash::Hash> Watch<E> {
    /// The number of states that were added.
    pub(super) fn states(&self) -> usize {
        self.open.len()
    }

    /// Tells the states about new events. Called before [`Watch::add`] and [`Watch::next`].
    pub(super) fn tell<B: Behavior<Event = E>>(&mut self, session: &Session<'_, '_, E>) {
        if self.told < session.list.len() {
            self.waiting.extend(&self.all);
        }
        for number in std::mem::replace(&mut self.told, session.list.len())..self.told {
            let event = &session.list[number];
            let watching = [self.families.get(&B::family(event)), self.events.get(event)];
            for state in watching.into_iter().flatten().flatten() {
                if let Open::These(list) = &mut self.open[*state] {
                    list.push_back(number);
                    self.waiting.insert(*state);
                }
            }
        }
    }

    /// Adds the next state, with its behavior. A state without behavior watches nothing.
    pub(super) fn add<B: Behavior<Event = E>>(&mut self, state: Option<(&B, &B::State)>, session: &Session<'_, '_, E>) {
        let at = self.open.len();
        let (mut is_all, mut families, mut events) = (false, BTreeSet::new(), BTreeSet::new());
        if let Some((behavior, state)) = state {
            behavior.mentions(state, &mut |mention| match mention {
                Mention::All => is_all = true,
                Mention::Family(family) => _ = families.insert(family),
                Mention::One(event) => _ = events.insert(event),
            });
        }
        if is_all {
            self.all.push(at);
            self.open.push(Open::From(0));
        } else {
            let mut known: Vec<usize> = Vec::new();
            // The events of a watched family are told once.
            events.retain(|event| !families.contains(&B::family(event)));
            for family in families {
                known.extend(session.families.get(&family).into_iter().flatten());
                self.families.entry(family).or_default().push(at);
            }
            for event in events {
                known.extend(session.numbers.get(&event));
                self.events.entry(event).or_default().push(at);
            }
            known.sort_unstable();
            self.open.push(Open::These(known.into()));
        }
        self.waiting.insert(at);
    }

    /// Returns the first state with open pairs from `from` on.
    pub(super) fn state(&self, from: usize) -> Option<usize> {
        self.waiting.range(from..).next().copied()
    }

    /// Returns the next event of a state. `None` ends the work on it, until it is told about another event.
    pub(super) fn next(&mut self, state: usize) -> Option<usize> {
        let next = match &mut self.open[state] {
            Open::From(next) if *next < self.told => {
                *next += 1;
                Some(*next - 1)
            }
            Open::From(_) => None,
            Open::These(list) => list.pop_front(),
        };
        if next.is_none() {
            self.waiting.remove(&state);
        }
        next
    }
}

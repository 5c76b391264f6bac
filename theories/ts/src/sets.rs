//! Stores sets of states and their literals: single states, regions, components.
//!
//! For each state: its literal V(q), if it has one, and the set it was expanded in. For each set: its literal
//! and its exits. All data are in flat vectors indexed by typed ids, because a search may store ten million
//! states.

use sat::{Lit, Var};
use search::StateId;

/// The number of a set of expanded states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SetId(u32);

impl SetId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The kind of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SetKind {
    /// An artificial set that has the initial states as exits. No run visits this set, and it is never refuted.
    Root,
    /// One state; its literal is V(q).
    State,
    /// A batch of states expanded together.
    Region,
    /// Several sets that lead into each other.
    Component,
}

/// The status of a state in the exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Unexpanded,
    /// A state of a goal that was unsettled when the exploration met the state. It is never in a set.
    Goal,
    /// Expanded as a member of this set (a state or a region).
    In(SetId),
}

/// The object that a variable is about: a state or a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    State(StateId),
    Set(SetId),
}

#[derive(Clone, Debug)]
struct Set {
    kind: SetKind,
    literal: Lit,
    /// Range in `exits`.
    exits: (u32, u32),
    /// True if a member had a successor beyond the bound.
    cut: bool,
    /// The newest component that contains the set.
    component: Option<SetId>,
    /// For components: number of direct members (states and regions).
    size: u32,
}

#[derive(Clone, Copy, Default)]
struct PerState {
    /// 0 if the state has no literal, otherwise the number of the literal's variable plus 1. The top bit is
    /// [`UNREACHED`].
    literal: u32,
    /// 0: unexpanded; 1: goal; otherwise the set number plus 2.
    place: u32,
    /// The number of the last exit search (see `begin_listing`) that listed the state.
    stamp: u32,
}

#[derive(Default)]
pub(crate) struct Sets {
    states: Vec<PerState>,
    sets: Vec<Set>,
    exits: Vec<Lit>,
    /// Pairs of a component and one of its parts.
    parts: Vec<(SetId, SetId)>,
    meanings: Vec<u32>,
    stamp: u32,
    placed: usize,
}

/// Flag of states to which no run is known: states that a lemma named before the exploration met them, and
/// their descendants.
const UNREACHED: u32 = 1 << 31;
const GOAL_PLACE: u32 = 1;
const FIRST_SET: u32 = GOAL_PLACE + 1;

impl Sets {
    fn state(&self, q: StateId) -> PerState {
        self.states.get(q.index()).copied().unwrap_or_default()
    }

    fn state_mut(&mut self, q: StateId) -> &mut PerState {
        if q.index() >= self.states.len() {
            self.states.resize(q.index() + 1, PerState::default());
        }
        &mut self.states[q.index()]
    }

    pub(crate) fn state_literal(&self, q: StateId) -> Option<Lit> {
        match self.state(q).literal & !UNREACHED {
            0 => None,
            n => Some(Var::new(n as usize - 1).positive()),
        }
    }

    pub(crate) fn name_state(&mut self, q: StateId, literal: Lit) {
        debug_assert!(self.state_literal(q).is_none(), "a state has one literal");
        self.state_mut(q).literal |= literal.var().index() as u32 + 1;
        self.set_meaning(literal.var(), q.index() as u32 * 2 + 1);
    }

    /// True if no run to `q` is known.
    pub(crate) fn is_unreached(&self, q: StateId) -> bool {
        self.state(q).literal & UNREACHED != 0
    }

    pub(crate) fn set_unreached(&mut self, q: StateId, unreached: bool) {
        let state = self.state_mut(q);
        state.literal = if unreached { state.literal | UNREACHED } else { state.literal & !UNREACHED };
    }

    /// Stores the meaning of a variable as 0 (not of this theory), `2 * state + 1` or `2 * set + 2`. The
    /// numbers of states and sets are below 2^31.
    fn set_meaning(&mut self, var: Var, code: u32) {
        if var.index() >= self.meanings.len() {
            self.meanings.resize(var.index() + 1, 0);
        }
        debug_assert_eq!(self.meanings[var.index()], 0, "a variable has one meaning");
        self.meanings[var.index()] = code;
    }

    pub(crate) fn meaning(&self, var: Var) -> Option<Meaning> {
        match self.meanings.get(var.index()).copied().unwrap_or(0) {
            0 => None,
            code if code % 2 == 1 => Some(Meaning::State(StateId::new(code as usize / 2))),
            code => Some(Meaning::Set(SetId(code / 2 - 1))),
        }
    }

    pub(crate) fn place(&self, q: StateId) -> Place {
        match self.state(q).place {
            0 => Place::Unexpanded,
            GOAL_PLACE => Place::Goal,
            code => Place::In(SetId(code - FIRST_SET)),
        }
    }

    pub(crate) fn place_goal(&mut self, q: StateId) {
        self.set_place(q, GOAL_PLACE);
    }

    pub(crate) fn place_in(&mut self, q: StateId, set: SetId) {
        self.set_place(q, set.0 + FIRST_SET);
    }

    fn set_place(&mut self, q: StateId, code: u32) {
        let state = self.state_mut(q);
        debug_assert_eq!(state.place, 0, "every composite state is expanded at most once");
        state.place = code;
        self.placed += 1;
    }

    /// Number of states that are goal states or members of a set.
    pub(crate) fn placed(&self) -> usize {
        self.placed
    }

    /// The id that the next set will get. States are placed in a set before its literal and exits are known.
    pub(crate) fn next_set(&self) -> SetId {
        SetId(u32::try_from(self.sets.len()).expect("fewer sets than states"))
    }

    pub(crate) fn add_set(&mut self, kind: SetKind, literal: Lit, exits: &[Lit], cut: bool) -> SetId {
        let id = self.next_set();
        let start = self.exits.len() as u32;
        self.exits.extend_from_slice(exits);
        let end = u32::try_from(self.exits.len()).expect("fewer than 2^32 exits");
        self.sets.push(Set { kind, literal, exits: (start, end), cut, component: None, size: 0 });
        if matches!(kind, SetKind::Region | SetKind::Component) {
            self.set_meaning(literal.var(), id.0 * 2 + 2);
        }
        id
    }

    /// Makes `part` a member of `component`.
    pub(crate) fn add_part(&mut self, component: SetId, part: SetId) {
        debug_assert!(part < component, "a set is made after its parts");
        self.parts.push((component, part));
    }

    pub(crate) fn literal(&self, set: SetId) -> Lit {
        self.sets[set.index()].literal
    }

    pub(crate) fn kind(&self, set: SetId) -> SetKind {
        self.sets[set.index()].kind
    }

    pub(crate) fn is_cut(&self, set: SetId) -> bool {
        self.sets[set.index()].cut
    }

    pub(crate) fn exits(&self, set: SetId) -> &[Lit] {
        let (start, end) = self.sets[set.index()].exits;
        &self.exits[start as usize..end as usize]
    }

    pub(crate) fn exits_len(&self) -> usize {
        self.exits.len()
    }

    /// Bytes that adding one more state may allocate: usually 0, but the size of the doubled vector if the
    /// vector is full.
    pub(crate) fn growth_bytes(&self) -> usize {
        if self.states.len() < self.states.capacity() { 0 } else { 2 * size_of_val(self.states.as_slice()) }
    }

    pub(crate) fn component(&self, set: SetId) -> Option<SetId> {
        self.sets[set.index()].component
    }

    pub(crate) fn set_component(&mut self, set: SetId, component: SetId) {
        self.sets[set.index()].component = Some(component);
        self.sets[component.index()].size += 1;
    }

    pub(crate) fn component_size(&self, component: SetId) -> u32 {
        self.sets[component.index()].size
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = SetId> + use<> {
        (0..self.sets.len() as u32).map(SetId)
    }

    /// The set (state or region) that an exit literal leads into; `None` if its state is a goal state or not
    /// expanded.
    pub(crate) fn target(&self, exit: Lit) -> Option<SetId> {
        match self.meaning(exit.var())? {
            Meaning::Set(set) => Some(set),
            Meaning::State(q) => match self.place(q) {
                Place::In(set) => Some(set),
                _ => None,
            },
        }
    }

    /// Begins a new search for exits, in which no state is listed yet.
    pub(crate) fn begin_listing(&mut self) {
        self.stamp += 1;
    }

    /// Lists `q`. Returns false if it was already listed.
    pub(crate) fn list(&mut self, q: StateId) -> bool {
        let stamp = self.stamp;
        let state = self.state_mut(q);
        std::mem::replace(&mut state.stamp, stamp) != stamp
    }

    /// Returns the listed states and the parts of each set. The entry of a set with a single state is empty.
    pub(crate) fn contents(&self) -> Vec<(Vec<StateId>, Vec<usize>)> {
        let mut contents = vec![(Vec::new(), Vec::new()); self.sets.len()];
        for q in (0..self.states.len()).map(StateId::new) {
            if let Place::In(set) = self.place(q)
                && self.kind(set) == SetKind::Region
            {
                contents[set.index()].0.push(q);
            }
        }
        for (component, part) in &self.parts {
            match self.meaning(self.literal(*part).var()) {
                Some(Meaning::State(q)) => contents[component.index()].0.push(q),
                _ => contents[component.index()].1.push(part.index()),
            }
        }
        contents
    }
}

//! The graph of the markings of a net or thread-transition system, computed on demand.

use super::chained::Steps;
use super::system::NetSystem;
use crate::Unsteppable;
use model::{
    Chains, EventId, ExpansionKind, Formula, FormulaId, Goal, Markings, NetTask, PlaceId, Reason, Slot, StateSet, Stop,
    Trace,
};
use search::explicit::search::Space as _;
use search::{Exploration, StateId, Stepper};
use std::ops::ControlFlow;
use std::sync::Arc;
use temporal::demand::Stuck;

/// The markings that are known, with the steps of those that were expanded.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) space: Exploration<NetSystem<Steps>>,
    /// The chains, if threads choose between several targets.
    chains: Option<Arc<Chains>>,
    pub(super) initial: Vec<u32>,
    /// Number of markings that are expanded.
    pub(super) expanded: usize,
    /// For each marking: where its steps begin, and their number. [`UNKNOWN`] if it was not expanded.
    ranges: Vec<(usize, u32)>,
    /// The transitions and the numbers of the next markings.
    edges: Vec<(u32, u32)>,
    pub(super) stop: Arc<Stop>,
    formulas: Vec<Arc<Formula>>,
}

const UNKNOWN: (usize, u32) = (usize::MAX, 0);

impl Graph {
    pub(super) fn new(task: &Arc<NetTask>, chains: Option<&Arc<Chains>>, stop: Arc<Stop>) -> Result<Self, Reason> {
        let steps = chains.map_or(Steps::Single, |chains| Steps::Chained(Arc::clone(chains)));
        let letters: Vec<Goal> = (0..task.formulas.len()).map(|id| Goal::Formula(FormulaId::new(id))).collect();
        let system = NetSystem::new(Arc::clone(task), &letters, false, steps).map_err(|why| match why {
            Unsteppable::Overflow => Reason::Overflow,
            Unsteppable::Endless => Reason::Unsupported,
        })?;
        let mut space = Exploration::new(system);
        if !stop.may_allocate(space.growth_bytes_initial()) {
            return Err(Reason::Memory);
        }
        let initial = space.add_initial().into_iter().map(|id| id.index() as u32).collect();
        let (formulas, chains) = (task.formulas.clone(), chains.cloned());
        Ok(Self { space, chains, initial, expanded: 0, ranges: Vec::new(), edges: Vec::new(), stop, formulas })
    }

    /// Expands a marking that was not expanded.
    pub(super) fn expand(&mut self, state: u32) -> Result<(), Stuck> {
        if self.stop.raised().is_some() {
            return Err(Stuck::Stop);
        }
        let id = StateId::new(state as usize);
        loop {
            let growth = self.space.growth_bytes_of(id).saturating_add(growth(&self.edges, self.space.fan_out(id)));
            if growth > 0 && !self.stop.has_room(growth) {
                return Err(Stuck::Full);
            }
            let (begin, edges) = (self.edges.len(), &mut self.edges);
            match self.space.expand(id, |t, to, _| edges.push((t, to.index() as u32))) {
                ExpansionKind::Overflow => {
                    self.edges.truncate(begin);
                    let Some(wider) = self.space.stepper().widened(true) else { return Err(Stuck::Overflow) };
                    if !self.stop.has_room(self.space.repack_bytes(wider.words())) {
                        return Err(Stuck::Full);
                    }
                    self.space.repack(wider);
                }
                ExpansionKind::Cut => {
                    self.edges.truncate(begin);
                    return Err(Stuck::Overflow);
                }
                _ => {
                    self.ranges.resize(self.space.len().max(self.ranges.len()), UNKNOWN);
                    self.expanded += 1;
                    self.ranges[state as usize] = (begin, (self.edges.len() - begin) as u32);
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn is_expanded(&self, state: u32) -> bool {
        self.ranges.get(state as usize).is_some_and(|range| *range != UNKNOWN)
    }

    /// Returns the steps of an expanded marking: transitions and next markings.
    pub(super) fn steps_of(&self, state: u32) -> &[(u32, u32)] {
        let (begin, count) = self.ranges[state as usize];
        &self.edges[begin..begin + count as usize]
    }

    /// Returns true if the marking satisfies this formula of the task.
    pub(super) fn satisfies(&self, state: u32, formula: FormulaId) -> bool {
        self.space.stepper().satisfies(formula.index(), self.space.packed(StateId::new(state as usize)))
    }

    /// Returns the tokens of each place in a marking.
    pub(super) fn tokens(&self, state: u32) -> Vec<u32> {
        let mut tokens = Vec::new();
        self.space.state(StateId::new(state as usize), &mut tokens);
        tokens
    }

    /// Returns the formulas of the letters.
    pub(super) fn formulas(&self) -> &[Arc<Formula>] {
        &self.formulas
    }

    /// Returns the run with these steps. The steps from `back` on repeat, unless the run ends there.
    pub(super) fn trace(&self, steps: &[(u32, Option<u32>)], back: usize) -> Trace {
        let mut start = Vec::new();
        self.space.state(StateId::new(steps[0].0 as usize), &mut start);
        let mut trace = Trace::new(start.into());
        for (at, (_, label)) in steps.iter().enumerate() {
            let Some(label) = *label else { break };
            let (next, _) = steps.get(at + 1).unwrap_or(&steps[back]);
            trace.push(EventId(label), self.chosen(label, *next));
        }
        if steps.iter().all(|(_, label)| label.is_some()) {
            trace.repeats_from = Some(back as u64);
        }
        self.space.stepper().claimed(trace)
    }

    /// Returns the marking as traces record it if the step to it is a chain: the shared state, then the number of
    /// threads in each local state.
    fn chosen(&self, step: u32, to: u32) -> Option<Box<[u32]>> {
        let chains = self.chains.as_ref()?;
        let is_part = |(part_of, is_last): (&u32, &bool)| *part_of == step && !is_last;
        chains.part_of.iter().zip(&chains.is_last).find(|part| is_part(*part))?;
        let packed = self.space.packed(StateId::new(to as usize));
        let tokens = |place: usize| self.space.stepper().plain.tokens(PlaceId::new(place), packed);
        let shared = (0..chains.shared).position(|place| tokens(place) > 0).expect("a shared state is the current one");
        let local = (chains.shared..chains.places).map(|place| tokens(place) as u32);
        Some(std::iter::once(shared as u32).chain(local).collect())
    }

    /// Returns these markings as evidence. In none of them a chain is running.
    pub(super) fn markings(&self, states: &[u32], task: &NetTask) -> Markings {
        let words = states.iter().flat_map(|state| self.space.packed(StateId::new(*state as usize)));
        let packed = words.copied().collect();
        let places = self.chains.as_ref().map_or(task.net.places().len(), |chains| chains.places);
        let (mut slots, mut kept) = (Vec::new(), Vec::new());
        for (number, slot) in task.slots.iter().enumerate() {
            let left = match slot {
                Slot::Tokens(place) if place.index() >= places => continue,
                Slot::Tokens(place) => Slot::Tokens(*place),
                // The places of the system come first, so values keep their meaning.
                Slot::OneOf(all) => Slot::OneOf(all.iter().copied().filter(|p| p.index() < places).collect()),
            };
            slots.push(left);
            kept.push(number);
        }
        let listed = Listed { system: self.space.stepper().clone(), packed, kept };
        Markings { slots, potentially_marked: vec![true; places], states: Box::new(listed) }
    }
}

/// Bytes by which a list is about to grow.
fn growth(list: &Vec<(u32, u32)>, more: u64) -> usize {
    let more = usize::try_from(more).unwrap_or(usize::MAX / 64);
    let is_full = list.capacity() - list.len() < more;
    if is_full { (list.capacity() + more) * 2 * size_of::<(u32, u32)>() } else { 0 }
}

/// Packed markings, as evidence.
#[derive(Debug)]
struct Listed {
    system: NetSystem<Steps>,
    packed: Vec<u64>,
    /// The slots that the evidence has.
    kept: Vec<usize>,
}

impl StateSet for Listed {
    fn len(&self) -> u64 {
        (self.packed.len() / self.system.words()) as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        let (mut marking, mut kept) = (Vec::with_capacity(self.system.width()), Vec::with_capacity(self.kept.len()));
        for packed in self.packed.chunks_exact(self.system.words()) {
            self.system.unpack(packed, &mut marking);
            kept.clear();
            kept.extend(self.kept.iter().map(|slot| marking[*slot]));
            visit(&kept)?;
        }
        ControlFlow::Continue(())
    }
}

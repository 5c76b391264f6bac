//! The graph of controls: a control is a location for each thread, an edge is an event with one outcome of each thread.
//!
//! The graph has all controls that runs may reach, whatever the values of variables are, and all edges with constraints
//! that do not contradict each other. Contradictions are found while the outcomes of the threads are combined, thread
//! by thread, so combinations that cannot meet are never listed.

use crate::symbolic::contradiction::{Answer, solve};
use model::data::{Constraint, DataProgram, Decision, Linear, LocationKind, Outcome, Symbol};
use model::{DecisionId, EventId, LocationId, Stop, ThreadId, VariableId};
use std::collections::HashMap;

/// The largest numbers of controls and edges.
const MOST_CONTROLS: usize = 1 << 13;
const MOST_EDGES: usize = 1 << 15;

/// A location for each thread.
pub(crate) type Locations = Box<[LocationId]>;

/// A free choice in a decision, in the order in which runs record it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Draw {
    /// The value of an input.
    Value(Symbol),
    /// The number of a way.
    Way(u64),
}

/// A step between controls, or the beginning.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// `None` for the beginning.
    pub(crate) from: Option<usize>,
    pub(crate) to: usize,
    pub(crate) event: EventId,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) updates: Vec<(VariableId, Linear)>,
    pub(crate) draws: Vec<Draw>,
}

#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) controls: Vec<Locations>,
    pub(crate) edges: Vec<Edge>,
}

/// A combination of outcomes in the making.
#[derive(Clone)]
struct Partial {
    /// The thread that decides next, and the decision that it is at.
    thread: usize,
    at: Option<DecisionId>,
    is_requested: bool,
    locations: Vec<LocationId>,
    constraints: Vec<Constraint>,
    updates: Vec<(VariableId, Linear)>,
    draws: Vec<Draw>,
}

impl Graph {
    /// Explores all controls. `None` if there are too many, or work must stop.
    pub(crate) fn new(program: &DataProgram, stop: &Stop) -> Option<Self> {
        let mut explorer =
            Explorer { program, graph: Self { controls: Vec::new(), edges: Vec::new() }, numbers: HashMap::new() };
        explorer.beginning()?;
        let mut at = 0;
        while at < explorer.graph.controls.len() {
            if stop.raised().is_some() {
                return None;
            }
            explorer.expand(at)?;
            at += 1;
        }
        Some(explorer.graph)
    }

    pub(crate) fn is_bad(&self, program: &DataProgram, control: usize) -> bool {
        self.kinds(program, control).any(|kind| kind == LocationKind::Bad)
    }

    /// True if the control is a proper end.
    pub(crate) fn is_final(&self, program: &DataProgram, control: usize) -> bool {
        self.kinds(program, control).all(|kind| kind == LocationKind::Final)
    }

    fn kinds<'g>(&'g self, program: &'g DataProgram, control: usize) -> impl Iterator<Item = LocationKind> + 'g {
        let locations = self.controls[control].iter().zip(program.threads());
        locations.map(|(location, thread)| thread.locations[location.index()].kind)
    }
}

/// Adds a constraint. Returns false if the constraints then contradict each other. Constraints that others imply are
/// left out if this is easy to see: the same symbols with another constant.
fn assume(constraints: &mut Vec<Constraint>, new: &Constraint) -> bool {
    if let Some(truth) = new.as_truth() {
        return truth;
    }
    let negation = new.negation();
    let (term, opposite) = (new.term(), negation.term());
    if constraints.iter().any(|c| c.term().terms() == term.terms() && c.term().constant() >= term.constant()) {
        return true;
    }
    if constraints.iter().any(|c| c.term().terms() == opposite.terms() && c.term().constant() >= opposite.constant()) {
        return false;
    }
    constraints.retain(|c| c.term().terms() != term.terms());
    constraints.push(new.clone());
    // Bounds of single symbols do not contradict each other if no two bounds of one symbol do.
    constraints.iter().all(|c| c.term().terms().len() == 1) || matches!(solve(constraints), Answer::Model(_))
}

struct Explorer<'p> {
    program: &'p DataProgram,
    graph: Graph,
    numbers: HashMap<Locations, usize>,
}

/// Returns the conditions under which some event is possible at a control, over variables, arguments and inputs. `None`
/// if there are too many.
pub(crate) fn possibilities(program: &DataProgram, locations: &[LocationId]) -> Option<Vec<Vec<Constraint>>> {
    let flags: Vec<Vec<Option<Flags>>> = program.threads().iter().map(|thread| flags(&thread.decisions)).collect();
    let mut possible = Vec::new();
    for event in (0..program.events().len()).map(EventId::new) {
        let decisions = decisions(program, locations, event);
        let found = Combiner { program, flags: Some(&flags) }.combine(Partial::at(locations), &decisions)?;
        possible.extend(found.into_iter().map(|partial| partial.constraints));
    }
    Some(possible)
}

/// Returns the decision of each thread about an event.
fn decisions(program: &DataProgram, locations: &[LocationId], event: EventId) -> Vec<Option<DecisionId>> {
    let threads = program.threads().iter().zip(locations);
    threads.map(|(thread, location)| thread.locations[location.index()].on.get(&event).copied()).collect()
}

/// Whether a thread requests and blocks an event.
type Flags = (bool, bool);

/// Returns the flags of each decision, if they are the same at all of its ends.
fn flags(decisions: &[Decision]) -> Vec<Option<Flags>> {
    let mut flags: Vec<Option<Flags>> = Vec::with_capacity(decisions.len());
    for decision in decisions {
        flags.push(match decision {
            Decision::End(outcome) => Some((outcome.requests, outcome.blocks)),
            decision => {
                let parts = decision.parts();
                let first = flags[parts[0].index()];
                first.filter(|_| parts.iter().all(|part| flags[part.index()] == first))
            }
        });
    }
    flags
}

/// Combines the decisions of threads.
struct Combiner<'p> {
    program: &'p DataProgram,
    /// If only requests and blocks matter: the flags of each decision.
    flags: Option<&'p [Vec<Option<Flags>>]>,
}

impl Partial {
    fn at(locations: &[LocationId]) -> Self {
        Self {
            thread: 0,
            at: None,
            is_requested: false,
            locations: locations.to_vec(),
            constraints: Vec::new(),
            updates: Vec::new(),
            draws: Vec::new(),
        }
    }
}

impl Explorer<'_> {
    fn beginning(&mut self) -> Option<()> {
        let count = self.program.threads().len();
        let start = Partial { is_requested: true, ..Partial::at(&vec![LocationId(0); count]) };
        let decisions: Vec<Option<DecisionId>> =
            self.program.threads().iter().map(|thread| Some(thread.initial)).collect();
        for done in (Combiner { program: self.program, flags: None }).combine(start, &decisions)? {
            self.add(None, EventId(0), done)?;
        }
        Some(())
    }

    fn expand(&mut self, from: usize) -> Option<()> {
        if self.graph.is_bad(self.program, from) {
            return Some(());
        }
        let locations = self.graph.controls[from].clone();
        for event in (0..self.program.events().len()).map(EventId::new) {
            let decisions = decisions(self.program, &locations, event);
            let combiner = Combiner { program: self.program, flags: None };
            for done in combiner.combine(Partial::at(&locations), &decisions)? {
                self.add(Some(from), event, done)?;
            }
        }
        Some(())
    }

    fn add(&mut self, from: Option<usize>, event: EventId, done: Partial) -> Option<()> {
        let locations: Locations = done.locations.into();
        let next = self.graph.controls.len();
        let to = *self.numbers.entry(locations.clone()).or_insert(next);
        if to == next {
            self.graph.controls.push(locations);
        }
        let Partial { constraints, updates, draws, .. } = done;
        self.graph.edges.push(Edge { from, to, event, constraints, updates, draws });
        (self.graph.controls.len() <= MOST_CONTROLS && self.graph.edges.len() <= MOST_EDGES).then_some(())
    }
}

impl Combiner<'_> {
    /// Returns all combinations of outcomes in which the event is requested and not blocked.
    fn combine(&self, start: Partial, decisions: &[Option<DecisionId>]) -> Option<Vec<Partial>> {
        let mut work = vec![start];
        let mut done = Vec::new();
        while let Some(mut partial) = work.pop() {
            if done.len() + work.len() > MOST_EDGES {
                return None;
            }
            let Some(id) = partial.at else {
                // The next thread begins.
                match (partial.thread..decisions.len()).find(|thread| decisions[*thread].is_some()) {
                    Some(thread) => {
                        (partial.thread, partial.at) = (thread, decisions[thread]);
                        work.push(partial);
                    }
                    None if partial.is_requested => done.push(partial),
                    None => {}
                }
                continue;
            };
            self.advance(partial, id, &mut work);
        }
        Some(done)
    }

    fn advance(&self, mut partial: Partial, id: DecisionId, work: &mut Vec<Partial>) {
        let thread = ThreadId::new(partial.thread);
        let flags = self.flags.and_then(|flags| flags[partial.thread][id.index()]);
        if let Some((requests, blocks)) = flags {
            partial.is_requested |= requests;
            if !blocks {
                work.push(Partial { at: None, thread: partial.thread + 1, ..partial });
            }
            return;
        }
        match &self.program.threads()[partial.thread].decisions[id.index()] {
            Decision::Test { constraint, yes, no } => {
                for (constraint, next) in [(constraint.negation(), *no), (constraint.clone(), *yes)] {
                    let mut constraints = partial.constraints.clone();
                    if assume(&mut constraints, &constraint) {
                        work.push(Partial { at: Some(next), constraints, ..partial.clone() });
                    }
                }
            }
            Decision::Divide { term, by, quotient, then } => {
                let [q, r] = [0, 1].map(|more| Linear::of(Symbol::Input(thread, quotient + more)));
                let whole = r.plus(by, &q);
                partial.constraints.push(Constraint::at_most(term, &whole));
                partial.constraints.push(Constraint::at_most(&whole, term));
                partial.constraints.push(Constraint::at_most(&Linear::number(0), &r));
                partial.constraints.push(Constraint::at_most(&r, &Linear::number(by - 1)));
                work.push(Partial { at: Some(*then), ..partial });
            }
            Decision::Any { input, then } => {
                partial.draws.push(Draw::Value(Symbol::Input(thread, *input)));
                work.push(Partial { at: Some(*then), ..partial });
            }
            Decision::Choose(ways) => {
                for (way, next) in ways.iter().enumerate().rev() {
                    let mut partial = Partial { at: Some(*next), ..partial.clone() };
                    partial.draws.push(Draw::Way(way as u64));
                    work.push(partial);
                }
            }
            Decision::End(Outcome { blocks: true, .. }) => {}
            Decision::End(Outcome { requests, go, .. }) => {
                partial.is_requested |= requests;
                if let Some((target, updates)) = go {
                    partial.locations[thread.index()] = *target;
                    partial.updates.extend(updates.iter().cloned());
                }
                work.push(Partial { at: None, thread: partial.thread + 1, ..partial });
            }
        }
    }
}

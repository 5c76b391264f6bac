//! Threads with unbounded numbers: makes a [`DataProgram`] of the same [`Machine`]s that [`crate::behavior`] explores.
//!
//! Variables and arguments of small types are enumerated: their values belong to the location, and to the name of the
//! event. The others stay symbolic. Each location and event gives a decision: all paths of the machine from the sync at
//! which it waits to the next one ([`path`], [`run`]).

mod path;
mod run;
mod tree;

use super::arms::NodeId;
use super::events::{Declared, Events, PatternSet};
use super::machine::{Machine, Node, Sync};
use super::parse::Res;
use crate::behavior::Named;
use crate::rwb::data::domain::small;
use formats::codes;
use formats::error::{Error, Span, Text};
use model::data::{DataEvent, DataProgram, DataThread, DataVariable, Linear, Location, LocationKind, Outcome, Symbol};
use model::{DecisionId, EventId, LocationId, ThreadId, VariableId};
use num_traits::ToPrimitive;
use run::{Effect, Letter, Reached};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// The largest number of locations of a thread, and of event families.
const MOST_LOCATIONS: usize = 1 << 13;
const MOST_FAMILIES: usize = 1 << 12;

/// A program with unbounded data, and what warnings need.
pub(super) struct Symbolic {
    pub(super) program: DataProgram,
    /// The numbers of the declarations with events that some thread requests.
    pub(super) requested: BTreeSet<usize>,
    /// For each thread: true if it has a final location.
    pub(super) has_final: Vec<bool>,
    /// True if some location is bad because the thread cannot go on.
    pub(super) has_faults: bool,
}

/// What distinguishes the locations of a thread: the node, the concrete values, and what went wrong.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    node: NodeId,
    /// For each slot: its value if it is concrete and may still be read, otherwise 0.
    values: Vec<i64>,
    fault: Option<(Span, Arc<str>)>,
}

struct Builder<'m, 'a> {
    id: ThreadId,
    machine: &'m Machine<'a>,
    families: &'m [Letter],
    /// For each slot: its variable, if it is symbolic.
    variables: Vec<Option<VariableId>>,
    numbers: HashMap<Key, LocationId>,
    keys: Vec<Key>,
    decisions: tree::Decisions,
}

/// Makes a program with unbounded data.
///
/// # Errors
/// If a thread computes something that is not linear, and limits.
pub(super) fn program(source: Text<'_>, named: &[Named<Machine<'_>>], events: &Events) -> Res<Symbolic> {
    refuse_marks(source, named)?;
    let families = families(source, events)?;
    let (mut variables, mut threads) = (Vec::new(), Vec::new());
    let (mut requested, mut has_faults) = (BTreeSet::new(), false);
    for (number, thread) in named.iter().enumerate() {
        let id = ThreadId::new(number);
        let mut builder = Builder {
            id,
            machine: &thread.behavior,
            families: &families,
            variables: declare(&thread.behavior, id, &mut variables),
            numbers: HashMap::new(),
            keys: Vec::new(),
            decisions: tree::Decisions::default(),
        };
        let (initial, locations) = builder.explore(source, thread.span)?;
        has_faults |= builder.keys.iter().any(|key| key.fault.is_some());
        let decisions = builder.decisions.finish();
        for (event, decision) in locations.iter().flat_map(|location| &location.on) {
            if tree::requests(&decisions, *decision) {
                requested.insert(families[event.index()].number);
            }
        }
        threads.push(DataThread { name: thread.name.clone(), locations, decisions, initial });
    }
    let has_final = |thread: &DataThread| thread.locations.iter().any(|l| l.kind == LocationKind::Final);
    let has_final = threads.iter().map(has_final).collect();
    let list = families.iter().map(|letter| DataEvent { parts: parts(events, letter) }).collect();
    let program = DataProgram::new(variables, list, threads)
        .map_err(|invalid| Error::whole(&codes::INPUT_INVALID, source.name, invalid))?
        .with_ranges(named.iter().flat_map(|thread| ranges(&thread.behavior)).collect());
    Ok(Symbolic { program, requested, has_final, has_faults })
}

/// Refuses hot states and priorities: they would be lost.
fn refuse_marks(source: Text<'_>, named: &[Named<Machine<'_>>]) -> Res<()> {
    for node in named.iter().flat_map(|thread| &thread.behavior.nodes) {
        if let Node::Sync(sync) = node
            && (sync.is_hot || sync.priority != 0)
        {
            let (what, label) = match sync.is_hot {
                true => ("a hot state", "hot states are lost here"),
                false => ("a priority", "not supported together"),
            };
            let message = format!("{what} in a program with numbers that are not enumerated");
            let error = source.error(&codes::LIMIT_VALUES, sync.span.range(), message).label(label);
            return Err(error.hint("give the variables and arguments smaller ranges"));
        }
    }
    Ok(())
}

/// Lists the families of events: one for each combination of values of small parameters.
fn families(source: Text<'_>, events: &Events) -> Res<Vec<Letter>> {
    let mut families = Vec::new();
    for (number, declared) in events.list.iter().enumerate() {
        let mut of_event: Vec<Vec<Linear>> = vec![Vec::new()];
        let mut arguments = 0;
        for domain in &declared.parameters {
            let values: Vec<Linear> = match small(domain) {
                Some((least, most)) => (least..=most).map(Linear::number).collect(),
                None => {
                    arguments += 1;
                    vec![Linear::of(Symbol::Argument(arguments - 1))]
                }
            };
            let with = |data: &Vec<Linear>, value: &Linear| data.iter().cloned().chain([value.clone()]).collect();
            of_event = of_event
                .iter()
                .flat_map(|data| values.iter().map(|value| with(data, value)).collect::<Vec<_>>())
                .collect();
            if of_event.len() + families.len() > MOST_FAMILIES {
                let message = format!("more than {MOST_FAMILIES} events in a program with unbounded numbers");
                return Err(source.error(&codes::LIMIT_EVENTS, declared.span.range(), message).label("too many"));
            }
        }
        families.extend(of_event.into_iter().map(|data| Letter { number, data }));
    }
    Ok(families)
}

/// Returns the parts of the name of a family around its arguments.
fn parts(events: &Events, letter: &Letter) -> Vec<String> {
    let Declared { name, parameters, is_array, .. } = &events.list[letter.number];
    if parameters.is_empty() {
        return vec![name.clone()];
    }
    let (open, between, close) = if *is_array { ("[", "][", "]") } else { ("(", ",", ")") };
    let mut parts = Vec::new();
    let mut text = format!("{name}{open}");
    for (at, (domain, value)) in parameters.iter().zip(&letter.data).enumerate() {
        if at > 0 {
            text += between;
        }
        match value.as_number().and_then(ToPrimitive::to_i64) {
            Some(number) => text += &events.value(domain.ty, number),
            None => parts.push(std::mem::take(&mut text)),
        }
    }
    parts.push(text + close);
    parts
}

/// Returns the ranges of the symbolic slots of a thread, in the order of [`declare`].
fn ranges(machine: &Machine<'_>) -> Vec<Option<(i64, i64)>> {
    let symbolic = machine.variables.iter().filter(|variable| run::is_symbolic(variable));
    symbolic.flat_map(|variable| vec![variable.domain.range; variable.len()]).collect()
}

/// Declares the symbolic slots of a thread as variables.
fn declare(machine: &Machine<'_>, thread: ThreadId, variables: &mut Vec<DataVariable>) -> Vec<Option<VariableId>> {
    let mut slots = vec![None; machine.values.len()];
    for variable in machine.variables.iter().filter(|variable| run::is_symbolic(variable)) {
        for at in 0..variable.len() {
            slots[variable.base + at] = Some(VariableId::new(variables.len()));
            variables.push(DataVariable { name: variable.element(at), thread });
        }
    }
    slots
}

impl Builder<'_, '_> {
    /// Explores the locations. Returns the initial decision and the locations.
    fn explore(&mut self, source: Text<'_>, span: Span) -> Res<(DecisionId, Vec<Location>)> {
        let line = source.line_finder();
        let machine = self.machine;
        let start: Vec<Linear> = machine.values.iter().map(|value| Linear::number(*value)).collect();
        let initial = tree::build(
            self,
            &mut |path| {
                let node = machine.entry[path.choose(machine.entry.len())?];
                let go = match run::run(machine, node, start.clone(), path) {
                    Ok(reached) => Ok(reached),
                    Err(path::Stop::Fault(fault)) => Err(fault),
                    Err(other) => return Err(other),
                };
                Ok(Effect { requests: false, blocks: false, go: Some(go) })
            },
            source,
            true,
        )?;
        let mut locations = Vec::new();
        while locations.len() < self.keys.len() {
            if self.keys.len() > MOST_LOCATIONS {
                let message = format!("the thread has more than {MOST_LOCATIONS} locations");
                return Err(source.error(&codes::LIMIT_STATES, span.range(), message).label("too many"));
            }
            let key = self.keys[locations.len()].clone();
            let (kind, span, sync) = self.kind(&key);
            let origin = machine.origins.get(&key.node).filter(|_| key.fault.is_none());
            let note = origin.map(|origin| origin.note.clone()).filter(|note| !note.is_empty());
            let mut location = Location {
                name: self.name(&key).unwrap_or_else(|| format!("L{}", locations.len())),
                line: origin.map_or_else(|| line(&span), |origin| origin.line),
                values: note.unwrap_or_else(|| self.shown(&key)),
                kind,
                on: BTreeMap::new(),
            };
            if let (Some(sync), None) = (&sync, &key.fault) {
                location.on = self.reactions(&key, sync, source)?;
            }
            locations.push(location);
        }
        Ok((initial, locations))
    }

    /// Returns the decisions of a location.
    fn reactions(&mut self, key: &Key, sync: &Sync, source: Text<'_>) -> Res<BTreeMap<EventId, DecisionId>> {
        let (machine, families) = (self.machine, self.families);
        let value = |slot: usize| match self.variables[slot] {
            Some(id) => Linear::of(Symbol::Variable(id)),
            None => Linear::number(key.values[slot]),
        };
        let values: Vec<Linear> = (0..machine.values.len()).map(value).collect();
        let mut on = BTreeMap::new();
        for (event, letter) in families.iter().enumerate().filter(|(_, letter)| mentions(sync, letter.number)) {
            let react = &mut |path: &mut path::Path<'_>| run::react(machine, sync, &values, letter, path);
            let decision = tree::build(self, react, source, false)?;
            if !self.decisions.is_neutral(decision) {
                on.insert(EventId::new(event), decision);
            }
        }
        Ok(on)
    }

    fn name(&self, key: &Key) -> Option<String> {
        match &self.machine.nodes[key.node] {
            _ if key.fault.is_some() => None,
            Node::Sync(sync) => sync.name.clone(),
            Node::Bad(_, name) => name.clone(),
            _ => None,
        }
    }

    fn kind(&self, key: &Key) -> (LocationKind, Span, Option<Rc<Sync>>) {
        if let Some((span, _)) = &key.fault {
            return (LocationKind::Bad, *span, None);
        }
        match &self.machine.nodes[key.node] {
            Node::Sync(sync) if sync.is_final => (LocationKind::Final, sync.span, Some(Rc::clone(sync))),
            Node::Sync(sync) => (LocationKind::Plain, sync.span, Some(Rc::clone(sync))),
            Node::Final(span) => (LocationKind::Final, *span, None),
            Node::Bad(span, _) => (LocationKind::Bad, *span, None),
            Node::End(span) => (LocationKind::Plain, *span, None),
            node => unreachable!("a thread does not wait at {node:?}"),
        }
    }

    /// Returns the concrete values that may still be read, as text.
    fn shown(&self, key: &Key) -> String {
        if let Some((_, message)) = &key.fault {
            return message.to_string();
        }
        self.machine.text(key.node, &key.values, &|variable| !run::is_symbolic(variable))
    }

    /// Returns the location of a key.
    fn number(&mut self, key: Key) -> LocationId {
        let next = LocationId::new(self.keys.len());
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.keys.push(key);
        }
        number
    }

    /// Makes the outcome of a path.
    fn outcome(&mut self, effect: Effect, is_initial: bool) -> Outcome {
        let Effect { requests, blocks, go } = effect;
        let go = go.map(|go| match go {
            Ok(reached) => self.arrive(&reached, is_initial),
            Err(fault) => {
                let values = vec![0; self.machine.values.len()];
                (self.number(Key { node: 0, values, fault: Some((fault.span, fault.message)) }), Vec::new())
            }
        });
        Outcome { requests, blocks, go }
    }

    fn arrive(&mut self, reached: &Reached, is_initial: bool) -> (LocationId, Vec<(VariableId, Linear)>) {
        let mut values = vec![0; self.machine.values.len()];
        let mut updates = Vec::new();
        let live = self.machine.variables.iter().zip(&self.machine.live[reached.node]).filter(|(_, live)| **live);
        for slot in live.flat_map(|(variable, _)| variable.base..variable.base + variable.len()) {
            let value = &reached.values[slot];
            match self.variables[slot] {
                Some(id) => {
                    let old = if is_initial { Linear::default() } else { Linear::of(Symbol::Variable(id)) };
                    updates.extend((*value != old).then(|| (id, value.clone())));
                }
                None => {
                    debug_assert!(value.as_number().is_some(), "values of small types are numbers");
                    values[slot] = value.as_number().and_then(ToPrimitive::to_i64).unwrap_or(0);
                }
            }
        }
        (self.number(Key { node: reached.node, values, fault: None }), updates)
    }
}

/// True if a set of the sync names the event.
fn mentions(sync: &Sync, number: usize) -> bool {
    let sets =
        sync.request.iter().chain(&sync.block).chain(&sync.interrupt).chain(sync.arms.list().iter().map(|arm| &arm.0));
    let mut work: Vec<&PatternSet> = sets.collect();
    while let Some(set) = work.pop() {
        match set {
            PatternSet::All => return true,
            PatternSet::Union(sets) => work.extend(sets),
            PatternSet::Minus(sets) => work.extend(sets.first()),
            PatternSet::One(pattern) if pattern.number == number => return true,
            PatternSet::These(events, _) if events.iter().any(|event| event.number == number) => return true,
            PatternSet::One(_) | PatternSet::These(..) => {}
        }
    }
    false
}

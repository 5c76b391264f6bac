//! A thread of version 2 in the form that runs: a graph of nodes over numbered slots of values. [`super::compile`]
//! makes it. This module says what the nodes mean, and implements [`Behavior`].
//!
//! A state of the thread is a node at which it waits, with the values of the slots. Between two such nodes the thread
//! runs by itself ([`Machine::run`]), and a choice may lead to several nodes. Slots with values that are never read
//! again are set to zero, so that states which nothing can distinguish are equal (live variables, as in compilers).

use super::arms::{Arms, NodeId};
use super::domain::{Domain, Ty};
use super::eval::{Code, Fault, eval};
use super::events::{Event, Events, Listing, PatternSet};
use crate::behavior::{Behavior, Blame, Kind, Mention, Origin, Point, Shown};
use formats::codes;
use formats::error::{Error, Span, Text};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The largest number of nodes that a thread may pass between two nodes at which it waits.
const STEPS: usize = 1_000_000;

/// The largest number of values that `*` stands for in an assignment.
const MOST_VALUES: u64 = 1 << 16;

/// A variable: a declared one, or a name that a pattern binds.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) domain: Domain,
    /// The sizes of an array; empty for a single value.
    pub(super) sizes: Vec<usize>,
    /// The first slot. An array has a slot for each element, row by row.
    pub(super) base: usize,
}

impl Variable {
    /// Returns the number of slots.
    pub(super) fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Returns the name of an element: that of the variable, with the indices of an array.
    pub(super) fn element(&self, at: usize) -> String {
        let (mut rest, mut stride, mut name) = (at, self.len(), self.name.clone());
        for size in &self.sizes {
            stride /= size;
            name += &format!("[{}]", rest / stride);
            rest %= stride;
        }
        name
    }
}

/// A place to store a value.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) variable: usize,
    pub(super) indices: Vec<Code>,
    pub(super) span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Goes on at another node.
    Goto(NodeId),
    /// The beginning of a loop at this place: goes on at another node.
    Loop(NodeId, Span),
    /// Goes on at any of these nodes.
    Choose(Vec<NodeId>),
    Branch(Code, NodeId, NodeId),
    Assign(Target, Code, NodeId),
    /// Assigns any value of the type.
    AssignAny(Target, NodeId),
    Sync(Rc<Sync>),
    End(Span),
    Final(Span),
    /// A bad end, with the name of the state if the thread is written by states.
    Bad(Span, Option<String>),
}

/// A node at which the thread waits.
#[derive(Debug, Default)]
pub(super) struct Sync {
    pub(super) request: Vec<PatternSet>,
    pub(super) block: Vec<PatternSet>,
    pub(super) interrupt: Vec<PatternSet>,
    pub(super) arms: Arms,
    pub(super) is_final: bool,
    pub(super) is_hot: bool,
    /// The priority of the requests.
    pub(super) priority: i64,
    pub(super) span: Span,
    /// The name of the state, if the thread is written by states.
    pub(super) name: Option<String>,
}

#[derive(Debug)]
pub(super) struct Machine<'a> {
    pub(super) source: Text<'a>,
    pub(super) events: Rc<Events>,
    pub(super) variables: Vec<Variable>,
    /// The values of the slots at the beginning.
    pub(super) values: Vec<i64>,
    pub(super) nodes: Vec<Node>,
    /// The nodes at which the thread begins.
    pub(super) entry: Vec<NodeId>,
    /// The node of an interrupted thread.
    pub(super) end: NodeId,
    /// For each node: which variables may be read before they are written.
    pub(super) live: Vec<Vec<bool>>,
    /// The number of declared variables. They come before the names that patterns bind.
    pub(super) declared: usize,
    /// The variables that questions name. They are live everywhere, so that their values are known in all states.
    pub(super) kept: Vec<usize>,
    /// Where nodes come from, if this is not their place in the text.
    pub(super) origins: HashMap<NodeId, Origin>,
}

/// A state of a thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    pub(super) node: NodeId,
    pub(super) values: Box<[i64]>,
    /// What went wrong on the way to the node, such as a value out of range. The state is bad then.
    pub(super) fault: Option<Fault>,
}

impl Machine<'_> {
    /// True if some variable or argument may be any number.
    pub(super) fn is_unbounded(&self) -> bool {
        let parameters = self.events.list.iter().flat_map(|event| &event.parameters);
        self.variables
            .iter()
            .map(|variable| &variable.domain)
            .chain(parameters)
            .any(|domain| domain.range.is_none() && domain.ty == Ty::Int)
    }

    /// True if some variable or argument has so many values that they are better not enumerated.
    pub(super) fn has_large_domains(&self) -> bool {
        let parameters = self.events.list.iter().flat_map(|event| &event.parameters);
        let mut domains = self.variables.iter().map(|variable| &variable.domain).chain(parameters);
        domains.any(super::domain::is_large)
    }

    /// True if one of the sets contains the event. The values of the pattern that matched are stored.
    fn any(&self, sets: &[PatternSet], event: &Event, values: &mut [i64]) -> Result<bool, Box<Error>> {
        for set in sets {
            if set.matches(event, values).map_err(|fault| fault.in_set(self.source))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn slot(&self, target: &Target, values: &[i64]) -> Result<usize, Fault> {
        let variable = &self.variables[target.variable];
        let mut at = 0;
        for (index, size) in target.indices.iter().zip(&variable.sizes) {
            let value = eval(index, values)?;
            match usize::try_from(value).ok().filter(|i| i < size) {
                Some(i) => at = at * size + i,
                None => return Err(Fault::index(&variable.name, value, *size, target.span)),
            }
        }
        Ok(variable.base + at)
    }

    fn store(&self, target: &Target, value: i128, values: &mut [i64]) -> Result<(), Fault> {
        let slot = self.slot(target, values)?;
        let variable = &self.variables[target.variable];
        if !variable.domain.contains(value) {
            let (least, most) = variable.domain.range.unwrap_or_default();
            let message = format!("{} would be {value}, outside of {least}..={most}", variable.name);
            return Err(Fault::new(target.span, message));
        }
        let beyond = |_| Fault::beyond(target.span, "a variable beyond 64 bits");
        values[slot] = i64::try_from(value).map_err(beyond)?;
        Ok(())
    }

    /// Runs from these nodes to all nodes at which the thread waits. The states are distinct.
    fn run(&self, work: Vec<(NodeId, Vec<i64>)>) -> Result<Vec<State>, Box<Error>> {
        let mut work = work;
        work.reverse();
        let (mut found, mut seen, mut steps) = (Vec::new(), HashSet::new(), 0);
        // The last loop that was begun, for the error that it has no end.
        let mut near = work.last().map_or_else(Span::default, |(node, _)| self.place(*node));
        while let Some((node, values)) = work.pop() {
            steps += 1;
            if steps > STEPS {
                return Err(self.endless(node, near));
            }
            if let Node::Loop(_, span) = &self.nodes[node] {
                near = *span;
            }
            let before = (!self.kept.is_empty()).then(|| values.clone());
            let state = match self.advance(node, values, &mut work) {
                Ok(None) => continue,
                Ok(Some(state)) => state,
                Err(fault) if fault.is_limit => return Err(fault.beyond_limit(self.source)),
                Err(fault) => self.failed(node, before, fault),
            };
            if seen.insert(state.clone()) {
                found.push(state);
            }
        }
        Ok(found)
    }

    /// Executes a node. Returns a state if the thread waits there; otherwise adds what follows to `work`.
    fn advance(
        &self,
        node: NodeId,
        mut values: Vec<i64>,
        work: &mut Vec<(NodeId, Vec<i64>)>,
    ) -> Result<Option<State>, Fault> {
        match &self.nodes[node] {
            Node::Goto(next) | Node::Loop(next, _) => work.push((*next, values)),
            Node::Choose(ways) => work.extend(ways.iter().rev().map(|way| (*way, values.clone()))),
            Node::Branch(condition, then, otherwise) => {
                let next = if eval(condition, &values)? != 0 { *then } else { *otherwise };
                work.push((next, values));
            }
            Node::Assign(target, value, next) => {
                let value = eval(value, &values)?;
                self.store(target, value, &mut values)?;
                work.push((*next, values));
            }
            Node::AssignAny(target, next) => {
                let variable = &self.variables[target.variable];
                let Some((least, most)) = variable.domain.range.filter(|(a, b)| b.abs_diff(*a) < MOST_VALUES) else {
                    let message = format!("`{}` gets any of more than {MOST_VALUES} values", variable.name);
                    return Err(Fault::beyond(target.span, &message));
                };
                for value in (least..=most).rev() {
                    let mut values = values.clone();
                    self.store(target, i128::from(value), &mut values)?;
                    work.push((*next, values));
                }
            }
            Node::Sync(sync) => {
                for set in sync.request.iter().chain(&sync.block).chain(&sync.interrupt) {
                    set.check(&self.events, &values)?;
                }
                // Events that are given one by one are values of their parameters.
                for set in sync.arms.open() {
                    set.check(&self.events, &values)?;
                }
                return Ok(Some(self.settle(node, values)));
            }
            Node::End(_) | Node::Final(_) | Node::Bad(..) => return Ok(Some(self.settle(node, values))),
        }
        Ok(None)
    }

    /// Makes a state: values that are never read again become zero.
    fn settle(&self, node: NodeId, mut values: Vec<i64>) -> State {
        for (variable, _) in self.variables.iter().zip(&self.live[node]).filter(|(_, live)| !**live) {
            values[variable.base..variable.base + variable.len()].fill(0);
        }
        State { node, values: values.into(), fault: None }
    }

    /// Returns a place near a node.
    pub(super) fn place(&self, node: NodeId) -> Span {
        match &self.nodes[node] {
            Node::Branch(code, ..) | Node::Assign(_, code, _) => code.span,
            Node::AssignAny(target, _) => target.span,
            Node::Loop(_, span) | Node::End(span) | Node::Final(span) | Node::Bad(span, _) => *span,
            Node::Sync(sync) => sync.span,
            Node::Goto(_) | Node::Choose(_) => {
                let sync = self.nodes.iter().find_map(|n| if let Node::Sync(s) = n { Some(s.span) } else { None });
                sync.unwrap_or_default()
            }
        }
    }

    fn endless(&self, node: NodeId, near: Span) -> Box<Error> {
        let is_plain = matches!(self.nodes[node], Node::Goto(_) | Node::Choose(_));
        let span = if is_plain { near } else { self.place(node) };
        self.source
            .error(&codes::RWB_LOOP, span.range(), "the thread runs on and on without a sync")
            .label(format!("still running after {STEPS} steps"))
            .hint("put a sync on every way through a loop, and make fewer choices between two syncs")
    }

    fn sync(&self, state: &State) -> Option<&Sync> {
        match &self.nodes[state.node] {
            Node::Sync(sync) if state.fault.is_none() => Some(sync),
            _ => None,
        }
    }

    /// Returns the name of the end of an interrupted thread, in a thread that is written by states.
    fn end_name(&self) -> Option<String> {
        let has_name = |node: &Node| matches!(node, Node::Sync(sync) if sync.name.is_some());
        self.nodes.iter().any(has_name).then(|| "(end)".to_owned())
    }

    /// Returns the values that may still be read, as text.
    fn shown(&self, state: &State) -> String {
        if let Some(fault) = &state.fault {
            return fault.message.to_string();
        }
        self.text(state.node, &state.values, &|_| true)
    }

    /// Returns the values of these variables that may still be read at a node, as text.
    pub(super) fn text(&self, node: NodeId, values: &[i64], is_shown: &dyn Fn(&Variable) -> bool) -> String {
        let live = self.variables.iter().zip(&self.live[node]).filter(|(variable, live)| **live && is_shown(variable));
        let one = |(variable, _): (&Variable, &bool)| {
            let list = &values[variable.base..variable.base + variable.len()];
            let text: Vec<String> = list.iter().map(|v| self.events.value(variable.domain.ty, *v)).collect();
            match variable.sizes.is_empty() {
                true => format!("{} = {}", variable.name, text.join(" ")),
                false => format!("{} = ({})", variable.name, text.join(" ")),
            }
        };
        live.map(one).collect::<Vec<_>>().join(", ")
    }
}

impl Behavior for Machine<'_> {
    type Event = Event;
    type State = State;

    fn initial(&self) -> Result<Vec<State>, Box<Error>> {
        self.run(self.entry.iter().map(|node| (*node, self.values.clone())).collect())
    }

    fn point(&self, state: &State) -> Result<Point<Event>, Box<Error>> {
        let (kind, span, requests, name) = match (&state.fault, &self.nodes[state.node]) {
            (Some(fault), _) => (Kind::Fault, fault.span, Vec::new(), None),
            (None, Node::Sync(sync)) => {
                let kind = if sync.is_final { Kind::Final } else { Kind::Plain };
                let listing = Listing { events: &self.events, values: &state.values, source: self.source };
                let mut requests = Vec::new();
                for set in &sync.request {
                    requests.extend(listing.of(set)?);
                }
                (kind, sync.span, requests, sync.name.clone())
            }
            (None, Node::Final(span)) => (Kind::Final, *span, Vec::new(), None),
            (None, Node::Bad(span, name)) => (Kind::Bad, *span, Vec::new(), name.clone()),
            (None, Node::End(span)) => (Kind::Plain, *span, Vec::new(), self.end_name()),
            (None, _) => unreachable!("a thread does not wait at {:?}", self.nodes[state.node]),
        };
        let sync = self.sync(state);
        let (is_sync, is_hot) = (sync.is_some(), sync.is_some_and(|sync| sync.is_hot));
        let priority = sync.map_or(0, |sync| sync.priority);
        let origin = self.origins.get(&state.node).filter(|_| state.fault.is_none()).cloned();
        let (shown, kept) = (Shown::always(self.shown(state)), self.kept_values(&state.values));
        Ok(Point { kind, is_hot, priority, is_sync, requests, span, shown, name, kept, origin })
    }

    fn mentions(&self, state: &State, visit: &mut dyn FnMut(Mention<Event>)) {
        let Some(sync) = self.sync(state) else { return };
        let arms = sync.arms.list().iter().map(|arm| &arm.0);
        let sets = sync.request.iter().chain(&sync.block).chain(&sync.interrupt).chain(arms);
        sets.for_each(|set| set.mentions(visit));
    }

    fn family(event: &Event) -> usize {
        event.number
    }

    fn blocks(&self, state: &State, event: &Event) -> Result<bool, Box<Error>> {
        let Some(sync) = self.sync(state) else { return Ok(false) };
        Ok(!sync.block.is_empty() && self.any(&sync.block, event, &mut state.values.to_vec())?)
    }

    fn step(&self, state: &State, event: &Event) -> Result<Option<Vec<State>>, Box<Error>> {
        let Some(sync) = self.sync(state) else { return Ok(None) };
        let mut values = state.values.to_vec();
        if self.any(&sync.interrupt, event, &mut values)? {
            return self.run(vec![(self.end, state.values.to_vec())]).map(Some);
        }
        for (set, next) in sync.arms.candidates(event) {
            if set.matches(event, &mut values).map_err(|fault| fault.in_set(self.source))? {
                return self.run(vec![(*next, values)]).map(Some);
            }
        }
        Ok(None)
    }

    fn blame(&self, states: &mut dyn Iterator<Item = &State>) -> Option<Blame> {
        let mut values: Vec<BTreeSet<&[i64]>> = vec![BTreeSet::new(); self.variables.len()];
        for state in states.filter(|state| state.fault.is_none()) {
            for (variable, values) in self.variables.iter().zip(&mut values) {
                values.insert(&state.values[variable.base..variable.base + variable.len()]);
            }
        }
        let most = (0..values.len()).max_by_key(|v| (values[*v].len(), std::cmp::Reverse(*v)))?;
        let variable = &self.variables[most];
        let count = values[most].len();
        let (name, range, span) = (variable.name.clone(), variable.domain.range, variable.span);
        let range = range.filter(|_| variable.domain.ty == Ty::Int);
        (count > 1).then_some(Blame { name, range, values: count, span })
    }
}

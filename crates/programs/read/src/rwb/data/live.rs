//! Live variables: for each node, which variables may be read before they are written (A. Aho et al., Compilers,
//! 9.2.5). A value that is not live cannot be distinguished from any other, so it is set to zero.

use super::arms::NodeId;
use super::eval::{Code, Op};
use super::events::{Argument, Pattern, PatternSet};
use super::machine::{Node, Sync, Target, Variable};

/// What the analysis knows about the slots.
struct Slots<'v> {
    variables: &'v [Variable],
    /// For each slot: its variable.
    owner: Vec<usize>,
}

/// For each node: whether each variable is live where the node begins.
pub(super) fn live(nodes: &[Node], variables: &[Variable], slots: usize) -> Vec<Vec<bool>> {
    let slots = Slots::new(variables, slots);
    let mut live = vec![vec![false; variables.len()]; nodes.len()];
    if variables.is_empty() {
        return live;
    }
    let mut before: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
    for (node, kind) in nodes.iter().enumerate() {
        next(kind, &mut |to| before[to].push(node));
    }
    let mut work: Vec<NodeId> = (0..nodes.len()).collect();
    let mut is_open = vec![true; nodes.len()];
    while let Some(node) = work.pop() {
        is_open[node] = false;
        let found = slots.before(&nodes[node], &live);
        if found != live[node] {
            live[node] = found;
            for from in &before[node] {
                if !std::mem::replace(&mut is_open[*from], true) {
                    work.push(*from);
                }
            }
        }
    }
    live
}

/// For each variable: whether any node reads it.
pub(super) fn ever_read(nodes: &[Node], variables: &[Variable], slots: usize) -> Vec<bool> {
    let slots = Slots::new(variables, slots);
    let mut read = vec![false; variables.len()];
    for node in nodes {
        match node {
            Node::Branch(code, ..) => slots.code(code, &mut read),
            Node::Assign(target, code, _) => {
                slots.code(code, &mut read);
                target.indices.iter().for_each(|index| slots.code(index, &mut read));
            }
            Node::AssignAny(target, _) => target.indices.iter().for_each(|index| slots.code(index, &mut read)),
            Node::Sync(sync) => {
                for set in sync.request.iter().chain(&sync.block).chain(&sync.interrupt) {
                    slots.raw(set, &mut read);
                }
                sync.arms.list().iter().for_each(|(set, _)| slots.raw(set, &mut read));
            }
            _ => {}
        }
    }
    read
}

/// Calls `visit` for the nodes that may follow.
fn next(node: &Node, visit: &mut dyn FnMut(NodeId)) {
    match node {
        Node::Goto(to) | Node::Loop(to, _) | Node::Assign(_, _, to) | Node::AssignAny(_, to) => visit(*to),
        Node::Choose(ways) => ways.iter().for_each(|way| visit(*way)),
        Node::Branch(_, then, otherwise) => {
            visit(*then);
            visit(*otherwise);
        }
        Node::Sync(sync) => sync.arms.list().iter().for_each(|(_, to)| visit(*to)),
        Node::End(_) | Node::Final(_) | Node::Bad(..) => {}
    }
}

impl<'v> Slots<'v> {
    fn new(variables: &'v [Variable], slots: usize) -> Self {
        let mut owner = vec![0; slots];
        for (number, variable) in variables.iter().enumerate() {
            owner[variable.base..variable.base + variable.len()].fill(number);
        }
        Self { variables, owner }
    }

    /// Returns the variables that are live before a node.
    fn before(&self, node: &Node, live: &[Vec<bool>]) -> Vec<bool> {
        let mut found = vec![false; self.variables.len()];
        let join = |found: &mut [bool], to: NodeId| {
            found.iter_mut().zip(&live[to]).for_each(|(found, live)| *found |= live);
        };
        match node {
            Node::Goto(to) | Node::Loop(to, _) => join(&mut found, *to),
            Node::Choose(ways) => ways.iter().for_each(|way| join(&mut found, *way)),
            Node::Branch(code, then, otherwise) => {
                join(&mut found, *then);
                join(&mut found, *otherwise);
                self.code(code, &mut found);
            }
            Node::Assign(target, code, to) => {
                join(&mut found, *to);
                self.written(target, &mut found);
                self.code(code, &mut found);
            }
            Node::AssignAny(target, to) => {
                join(&mut found, *to);
                self.written(target, &mut found);
            }
            Node::Sync(sync) => self.sync(sync, &mut found, join),
            Node::End(_) | Node::Final(_) | Node::Bad(..) => {}
        }
        found
    }

    /// A single value is written as a whole. An array keeps its other elements.
    fn written(&self, target: &Target, found: &mut [bool]) {
        if self.variables[target.variable].sizes.is_empty() {
            found[target.variable] = false;
        }
        target.indices.iter().for_each(|index| self.code(index, found));
    }

    fn sync(&self, sync: &Sync, found: &mut [bool], join: impl Fn(&mut [bool], NodeId)) {
        for (set, to) in sync.arms.list() {
            let mut after = vec![false; self.variables.len()];
            join(&mut after, *to);
            // A name that is read after the sync is bound by all patterns of the set.
            set.patterns(&mut |pattern| self.bound(pattern, &mut after));
            found.iter_mut().zip(&after).for_each(|(found, after)| *found |= after);
            self.set(set, found);
        }
        for set in sync.request.iter().chain(&sync.block).chain(&sync.interrupt) {
            self.set(set, found);
        }
    }

    fn bound(&self, pattern: &Pattern, found: &mut [bool]) {
        for argument in &pattern.arguments {
            if let Argument::Bind(slot) = argument {
                found[self.owner[*slot]] = false;
            }
        }
    }

    /// Adds what a set reads, without the names that its patterns bind.
    fn set(&self, set: &PatternSet, found: &mut [bool]) {
        set.patterns(&mut |pattern| {
            let mut read = vec![false; self.variables.len()];
            self.pattern(pattern, &mut read);
            self.bound(pattern, &mut read);
            found.iter_mut().zip(&read).for_each(|(found, read)| *found |= read);
        });
    }

    /// Adds what a set reads, with the names that its patterns bind.
    fn raw(&self, set: &PatternSet, found: &mut [bool]) {
        set.patterns(&mut |pattern| self.pattern(pattern, found));
    }

    fn pattern(&self, pattern: &Pattern, found: &mut [bool]) {
        for argument in &pattern.arguments {
            match argument {
                Argument::One(code) => self.code(code, found),
                Argument::Range(from, to) => {
                    self.code(from, found);
                    self.code(to, found);
                }
                Argument::Any | Argument::Bind(_) => {}
            }
        }
        if let Some(filter) = &pattern.filter {
            self.code(filter, found);
        }
    }

    fn code(&self, code: &Code, found: &mut [bool]) {
        for (op, _) in &code.ops {
            match op {
                Op::Load(slot) | Op::Element { base: slot, .. } => found[self.owner[*slot]] = true,
                _ => {}
            }
        }
    }
}

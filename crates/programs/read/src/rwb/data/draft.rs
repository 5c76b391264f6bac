//! A thread under construction, from text or from an imported graph of states.

use super::arms::NodeId;
use super::live;
use super::machine::{Machine, Node, Target, Variable};
use crate::behavior::Origin;
use crate::rwb::parse::Res;
use formats::codes;
use formats::error::{Span, Text};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The largest number of nodes times variables of a thread.
const MOST_LIVE: usize = 1 << 28;

pub(super) struct Draft {
    /// The first node is the end of the thread.
    pub(super) nodes: Vec<Node>,
    pub(super) variables: Vec<Variable>,
    pub(super) slots: usize,
    /// The first values of the slots so far. All further ones are 0.
    pub(super) values: Vec<i64>,
    /// The variables that begin with any value of their type.
    pub(super) choices: Vec<usize>,
    /// The events that the thread names.
    pub(super) mentioned: BTreeSet<usize>,
    /// True if the thread mentions `*`.
    pub(super) mentions_all: bool,
}

/// A compiled thread, and the events that it names.
pub(super) struct Compiled<'a> {
    pub(super) machine: Machine<'a>,
    pub(super) mentioned: BTreeSet<usize>,
    pub(super) mentions_all: bool,
}

impl Draft {
    /// Begins a thread that ends at this place.
    pub(super) fn new(end: Span) -> Self {
        Self {
            nodes: vec![Node::End(end)],
            variables: Vec::new(),
            slots: 0,
            values: Vec::new(),
            choices: Vec::new(),
            mentioned: BTreeSet::new(),
            mentions_all: false,
        }
    }

    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds a node that is filled later.
    pub(super) fn hole(&mut self) -> NodeId {
        self.add(Node::Goto(0))
    }

    /// Adds a variable, and gives it slots.
    pub(super) fn add_variable(&mut self, mut variable: Variable) -> usize {
        variable.base = self.slots;
        self.slots += variable.len();
        self.variables.push(variable);
        self.variables.len() - 1
    }

    /// Makes the thread at `span` that begins at one of the nodes `entry`. The first `declared` variables are those of
    /// the program.
    pub(super) fn finish<'a>(
        mut self,
        source: Text<'a>,
        span: Span,
        mut entry: Vec<NodeId>,
        declared: usize,
        origins: HashMap<NodeId, Origin>,
    ) -> Res<Compiled<'a>> {
        // Choices of first values come before the first act.
        for variable in std::mem::take(&mut self.choices).into_iter().rev() {
            let target = Target { variable, indices: Vec::new(), span: self.variables[variable].span };
            let next = self.add(Node::Choose(entry));
            entry = vec![self.add(Node::AssignAny(target, next))];
        }
        if self.nodes.len().saturating_mul(self.variables.len()) > MOST_LIVE {
            let message = "a thread with too many variables, bound names and acts together";
            return Err(source.error(&codes::LIMIT_UNROLLED, span.range(), message).label("too large"));
        }
        let Draft { nodes, variables, slots, mut values, mentioned, mentions_all, .. } = self;
        values.resize(slots, 0);
        let live = live::live(&nodes, &variables, slots);
        let (events, kept) = (Rc::default(), Vec::new());
        let machine =
            Machine { source, events, variables, values, nodes, entry, end: 0, live, declared, kept, origins };
        Ok(Compiled { machine, mentioned, mentions_all })
    }
}

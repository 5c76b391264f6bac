//! Processes, nodes and flows of a BPMN file, as lists. Nested sub-processes are scopes in one list, so that nothing
//! recurses on their depth.

use formats::codes;
use formats::error::{Error, Span, Text, printable};
use std::collections::HashMap;
use std::ops::Range;

pub(super) type Res<T> = Result<T, Box<Error>>;

/// A number of a scope: a process, or the inside of a sub-process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScopeId(pub(super) usize);

/// A number of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(pub(super) usize);

/// A number of a sequence flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FlowId(pub(super) usize);

/// A process, or the inside of a sub-process.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) id: String,
    pub(super) span: Span,
    /// The sub-process; `None` for a process.
    pub(super) owner: Option<NodeId>,
    /// The scopes from this one up to `end` are this one and those inside.
    pub(super) end: usize,
    pub(super) nodes: Vec<NodeId>,
    /// The place of a loop or multi-instance marker.
    pub(super) repeats: Option<Span>,
}

/// The definition of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// No definition.
    Plain,
    Message,
    Timer,
    /// A signal or condition: it may happen at any time, as a timer may.
    Other,
    Link(String),
    Terminate,
    /// An error, with its reference.
    Error(Option<String>),
}

/// The kind of a gateway.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gateway {
    Exclusive,
    Parallel,
    Inclusive,
    EventBased,
}

/// The kind of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Start(Event),
    End(Event),
    Catch(Event),
    Throw(Event),
    Boundary {
        event: Event,
        interrupting: bool,
        host: NodeId,
    },
    /// A task, call activity, or sub-process without content. True for a receive task.
    Task(bool),
    /// A sub-process and its inside.
    Sub(ScopeId),
    Gateway(Gateway),
}

impl Kind {
    /// The kind of node that an element declares. Definitions of events are read later.
    pub(super) fn of(element: &str) -> Option<Kind> {
        let event = Event::Plain;
        Some(match element {
            "startEvent" => Kind::Start(event),
            "endEvent" => Kind::End(event),
            "intermediateCatchEvent" => Kind::Catch(event),
            "intermediateThrowEvent" => Kind::Throw(event),
            "boundaryEvent" => Kind::Boundary { event, interrupting: true, host: NodeId(0) },
            "receiveTask" => Kind::Task(true),
            "task" | "userTask" | "serviceTask" | "sendTask" | "manualTask" | "scriptTask" | "businessRuleTask"
            | "callActivity" => Kind::Task(false),
            "exclusiveGateway" => Kind::Gateway(Gateway::Exclusive),
            "parallelGateway" => Kind::Gateway(Gateway::Parallel),
            "inclusiveGateway" => Kind::Gateway(Gateway::Inclusive),
            "eventBasedGateway" => Kind::Gateway(Gateway::EventBased),
            _ => return None,
        })
    }
}

/// A flow node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) id: String,
    /// The name, with single blanks; the id if the file gives no name.
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) scope: ScopeId,
    pub(super) kind: Kind,
    /// The flow that is taken if no condition of another flow holds.
    pub(super) default: Option<String>,
    pub(super) incoming: Vec<FlowId>,
    pub(super) outgoing: Vec<FlowId>,
    /// The boundary events of an activity.
    pub(super) boundary: Vec<NodeId>,
}

/// A sequence flow.
#[derive(Debug)]
pub(super) struct Flow {
    pub(super) id: String,
    pub(super) span: Span,
    pub(super) source: NodeId,
    pub(super) target: NodeId,
    pub(super) is_conditional: bool,
}

/// The nodes that a receiver may get messages from.
#[derive(Debug)]
pub(super) struct Mailbox {
    pub(super) receiver: NodeId,
    pub(super) senders: Vec<NodeId>,
}

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) scopes: Vec<Scope>,
    pub(super) nodes: Vec<Node>,
    pub(super) flows: Vec<Flow>,
    pub(super) mailboxes: Vec<Mailbox>,
    /// The first error event at the boundary of each activity, by error.
    pub(super) catchers: HashMap<(NodeId, Option<String>), NodeId>,
}

impl Tree {
    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0]
    }

    pub(super) fn flow(&self, flow: FlowId) -> &Flow {
        &self.flows[flow.0]
    }

    pub(super) fn scope(&self, scope: ScopeId) -> &Scope {
        &self.scopes[scope.0]
    }

    pub(super) fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    pub(super) fn scope_ids(&self) -> impl Iterator<Item = ScopeId> + use<> {
        (0..self.scopes.len()).map(ScopeId)
    }

    /// The numbers of a scope and of all scopes inside.
    pub(super) fn inside(&self, scope: ScopeId) -> Range<usize> {
        scope.0..self.scope(scope).end
    }

    /// The processes that have nodes.
    pub(super) fn pools(&self) -> Vec<ScopeId> {
        let is_pool = |scope: &ScopeId| self.scope(*scope).owner.is_none() && !self.scope(*scope).nodes.is_empty();
        self.scope_ids().filter(is_pool).collect()
    }

    /// The process that a node is in.
    pub(super) fn pool_of(&self, node: NodeId) -> ScopeId {
        let mut scope = self.node(node).scope;
        while let Some(owner) = self.scope(scope).owner {
            scope = self.node(owner).scope;
        }
        scope
    }

    /// The nodes at which a scope begins: its start events, or else all nodes that no flow leads to.
    pub(super) fn starts(&self, scope: ScopeId) -> (bool, Vec<NodeId>) {
        let nodes = || self.scope(scope).nodes.iter().copied();
        let events: Vec<NodeId> = nodes().filter(|n| matches!(self.node(*n).kind, Kind::Start(_))).collect();
        if events.is_empty() { (false, nodes().filter(|n| self.is_first(*n)).collect()) } else { (true, events) }
    }

    /// True if no flow leads to the node, and no other node causes it.
    pub(super) fn is_first(&self, node: NodeId) -> bool {
        let caused = matches!(self.node(node).kind, Kind::Catch(Event::Link(_)) | Kind::Boundary { .. });
        self.node(node).incoming.is_empty() && !caused
    }

    /// True if a token ends at this node.
    pub(super) fn is_end(&self, node: NodeId) -> bool {
        let leaves = matches!(self.node(node).kind, Kind::Throw(Event::Link(_)) | Kind::End(Event::Error(_)));
        self.node(node).outgoing.is_empty() && !leaves
    }

    /// True if one token may become several in the scope. Scopes inside do not count: they return one token.
    pub(super) fn has_forks(&self, scope: ScopeId) -> bool {
        let forks = |node: &Node| match node.kind {
            Kind::Gateway(Gateway::Exclusive | Gateway::EventBased) => false,
            Kind::Boundary { interrupting: false, .. } => true,
            _ => node.outgoing.len() > 1,
        };
        let (are_events, starts) = self.starts(scope);
        (!are_events && starts.len() > 1) || self.scope(scope).nodes.iter().any(|n| forks(self.node(*n)))
    }

    /// Returns the boundary event that catches an error: that of the nearest sub-process around it that has a
    /// matching one. An event for this error comes before an event for all errors.
    pub(super) fn catcher(&self, mut scope: ScopeId, error: Option<&String>) -> Option<NodeId> {
        while let Some(owner) = self.scope(scope).owner {
            let catcher = |error: Option<&String>| self.catchers.get(&(owner, error.cloned())).copied();
            let found = catcher(error).or_else(|| catcher(None));
            if found.is_some() {
                return found;
            }
            scope = self.node(owner).scope;
        }
        None
    }
}

/// The error that a construct is not read.
pub(super) fn unsupported(text: Text<'_>, span: Span, what: &str, hint: &str) -> Box<Error> {
    let error = text.error(&codes::BPMN_UNSUPPORTED, span.range(), format!("{what} is not supported"));
    let error = error.label("not read");
    if hint.is_empty() { error } else { error.hint(hint) }
}

/// Fails with the error that a node or flow is not where it may be.
pub(super) fn misplaced<T>(text: Text<'_>, span: Span, what: impl Into<String>, label: &str) -> Res<T> {
    Err(text.error(&codes::BPMN_STRUCTURE, span.range(), what).label(label))
}

/// The error that nothing has this id.
pub(super) fn unknown(text: Text<'_>, span: Span, what: &str, id: &str) -> Box<Error> {
    text.error(&codes::BPMN_UNKNOWN, span.range(), format!("there is no {what} `{}`", printable(id)))
        .label("named here")
}

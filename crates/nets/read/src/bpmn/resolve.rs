//! References of a BPMN file: the ids that flows, boundary events and messages name become numbers.

use super::parse::{Raw, RawFlow};
use super::tree::{Event, Flow, FlowId, Kind, Mailbox, Node, NodeId, Res, Tree, misplaced, unknown, unsupported};
use formats::codes;
use formats::error::{Span, Text, printable};
use std::collections::HashMap;

/// What an id means.
#[derive(Clone, Copy)]
enum Meaning {
    Process,
    Node(NodeId),
    Flow,
    Participant,
}

struct Resolver<'t> {
    text: Text<'t>,
    ids: HashMap<String, Meaning>,
    tree: Tree,
    /// The numbers of mailboxes by receiver.
    mailboxes: HashMap<NodeId, usize>,
}

/// Returns the tree of a file, with all its references resolved.
pub(super) fn resolve(text: Text<'_>, mut raw: Raw) -> Res<Tree> {
    let (ids, mailboxes) = (HashMap::new(), HashMap::new());
    let mut resolver = Resolver { text, ids, tree: std::mem::take(&mut raw.tree), mailboxes };
    resolver.declare(&raw)?;
    raw.flows.into_iter().try_for_each(|flow| resolver.flow(flow))?;
    raw.hosts.iter().try_for_each(|(node, host)| resolver.host(*node, host))?;
    raw.messages.iter().try_for_each(|flow| resolver.message(flow))?;
    raw.calls.iter().try_for_each(|(node, called)| resolver.call(*node, called))?;
    let mut tree = resolver.tree;
    // Sub-processes without content are activities like tasks.
    for node in &mut tree.nodes {
        if let Kind::Sub(inside) = node.kind
            && tree.scopes[inside.0].nodes.is_empty()
        {
            node.kind = Kind::Task(false);
        }
    }
    Ok(tree)
}

impl Resolver<'_> {
    /// Collects the ids, and checks that they are different.
    fn declare(&mut self, raw: &Raw) -> Res<()> {
        let mut all: Vec<(String, Meaning, Span)> = Vec::new();
        let processes = self.tree.scopes.iter().filter(|scope| scope.owner.is_none());
        all.extend(processes.map(|scope| (scope.id.clone(), Meaning::Process, scope.span)));
        let nodes = self.tree.nodes.iter().enumerate();
        all.extend(nodes.map(|(n, node)| (node.id.clone(), Meaning::Node(NodeId(n)), node.span)));
        all.extend(raw.flows.iter().map(|flow| (flow.id.clone(), Meaning::Flow, flow.span)));
        all.extend(raw.messages.iter().map(|flow| (flow.id.clone(), Meaning::Flow, flow.span)));
        for (id, meaning, span) in all {
            self.add(id, meaning, span)?;
        }
        for participant in &raw.participants {
            let process = participant.process.as_ref().and_then(|process| self.ids.get(process));
            let has_process = matches!(process, Some(Meaning::Process));
            if let (true, Some(span)) = (has_process, participant.repeats) {
                return Err(unsupported(self.text, span, "a pool with several instances", ""));
            }
            self.add(participant.id.clone(), Meaning::Participant, participant.span)?;
        }
        Ok(())
    }

    fn add(&mut self, id: String, meaning: Meaning, span: Span) -> Res<()> {
        if self.ids.contains_key(&id) {
            let message = format!("the id `{}` stands twice", printable(&id));
            let error = self.text.error(&codes::BPMN_DUPLICATE, span.range(), message);
            return Err(error.label("the second time").hint("ids of a file are all different"));
        }
        self.ids.insert(id, meaning);
        Ok(())
    }

    fn node(&self, id: &str, span: Span, what: &str) -> Res<NodeId> {
        match self.ids.get(id) {
            Some(Meaning::Node(node)) => Ok(*node),
            Some(_) => misplaced(self.text, span, format!("`{}` is no {what}", printable(id)), "named here"),
            None => Err(unknown(self.text, span, what, id)),
        }
    }

    fn flow(&mut self, flow: RawFlow) -> Res<()> {
        let RawFlow { id, span, source, target, is_conditional } = flow;
        let [source, target] = [self.node(&source, span, "node")?, self.node(&target, span, "node")?];
        let nodes = &mut self.tree.nodes;
        if nodes[source.0].scope != nodes[target.0].scope {
            let message = "a sequence flow between different processes or sub-processes";
            return misplaced(self.text, span, message, "its ends are not in the same one");
        }
        let number = FlowId(self.tree.flows.len());
        nodes[source.0].outgoing.push(number);
        nodes[target.0].incoming.push(number);
        self.tree.flows.push(Flow { id, span, source, target, is_conditional });
        Ok(())
    }

    fn host(&mut self, node: NodeId, host: &str) -> Res<()> {
        let span = self.tree.node(node).span;
        let found = self.node(host, span, "activity")?;
        let is_activity = matches!(self.tree.node(found).kind, Kind::Task(_) | Kind::Sub(_));
        if !is_activity || self.tree.node(found).scope != self.tree.node(node).scope {
            return misplaced(self.text, span, "a boundary event that is not at an activity beside it", "this event");
        }
        if let Kind::Boundary { host, event, .. } = &mut self.tree.nodes[node.0].kind {
            *host = found;
            if let Event::Error(error) = event {
                self.tree.catchers.entry((found, error.clone())).or_insert(node);
            }
        }
        self.tree.nodes[found.0].boundary.push(node);
        Ok(())
    }

    /// Adds a message flow. A flow from or to a participant as a whole says nothing about the order of steps.
    fn message(&mut self, flow: &RawFlow) -> Res<()> {
        let mut ends = [None; 2];
        for (end, id) in ends.iter_mut().zip([&flow.source, &flow.target]) {
            match self.ids.get(id) {
                Some(Meaning::Node(node)) => *end = Some(*node),
                Some(Meaning::Participant) => {}
                Some(_) => return misplaced(self.text, flow.span, "a message flow that has no node as end", "here"),
                None => return Err(unknown(self.text, flow.span, "node or participant", id)),
            }
        }
        let [Some(sender), Some(receiver)] = ends else { return Ok(()) };
        if self.tree.pool_of(sender) == self.tree.pool_of(receiver) {
            return misplaced(self.text, flow.span, "a message flow inside of one process", "between two pools only");
        }
        self.can(sender, flow.span, sends, "send")?;
        self.can(receiver, flow.span, receives, "receive")?;
        let next = self.tree.mailboxes.len();
        let number = *self.mailboxes.entry(receiver).or_insert(next);
        if number == next {
            self.tree.mailboxes.push(Mailbox { receiver, senders: Vec::new() });
        }
        self.tree.mailboxes[number].senders.push(sender);
        Ok(())
    }

    fn can(&self, node: NodeId, span: Span, allowed: fn(&Node) -> bool, verb: &str) -> Res<()> {
        let node = self.tree.node(node);
        if allowed(node) {
            return Ok(());
        }
        let message = format!("`{}` cannot {verb} a message", printable(&node.name));
        let error = self.text.error(&codes::BPMN_STRUCTURE, span.range(), message).label("this message flow");
        Err(error.hint("tasks and message events can; a sub-process receives with an event inside"))
    }

    fn call(&self, node: NodeId, called: &str) -> Res<()> {
        let called = called.rsplit(':').next().unwrap_or_default();
        match self.ids.get(called) {
            Some(Meaning::Process) => {
                let hint = "write a sub-process, or the called process in a file of its own";
                let what = "a call activity whose process is in the same file";
                Err(unsupported(self.text, self.tree.node(node).span, what, hint))
            }
            _ => Ok(()),
        }
    }
}

fn sends(node: &Node) -> bool {
    matches!(node.kind, Kind::Task(_) | Kind::Throw(Event::Message) | Kind::End(Event::Message))
}

fn receives(node: &Node) -> bool {
    let event = match &node.kind {
        Kind::Task(_) => return true,
        Kind::Start(event) | Kind::Catch(event) | Kind::Boundary { event, .. } => event,
        _ => return false,
    };
    *event == Event::Message
}

//! Checks of the structure of processes: flows where they may be, events that something causes, and constructs that
//! have no meaning as a net.

use super::tree::{Event, Gateway, Kind, Node, NodeId, Res, ScopeId, Tree, misplaced, unknown, unsupported};
use formats::codes;
use formats::error::{Text, printable};
use std::collections::{HashMap, HashSet};

/// The largest number of non-interrupting timers of an activity: each subset of them becomes a place.
const TIMERS: usize = 3;

pub(super) fn check(text: Text<'_>, tree: &Tree) -> Res<()> {
    let check = Check { text, tree };
    tree.node_ids().try_for_each(|node| check.node(node))?;
    tree.scope_ids().try_for_each(|scope| check.scope(scope))?;
    check.messages()
}

struct Check<'t> {
    text: Text<'t>,
    tree: &'t Tree,
}

impl Check<'_> {
    fn node(&self, id: NodeId) -> Res<()> {
        let node = self.tree.node(id);
        let (ins, outs) = (node.incoming.len(), node.outgoing.len());
        match &node.kind {
            Kind::Start(_) if ins > 0 => return self.misplaced(node, "a sequence flow into a start event"),
            Kind::Boundary { .. } if ins > 0 => return self.misplaced(node, "a sequence flow into a boundary event"),
            Kind::End(_) if outs > 0 => return self.misplaced(node, "a sequence flow out of an end event"),
            Kind::Catch(Event::Link(_)) if ins > 0 => return self.misplaced(node, "a sequence flow into a link"),
            Kind::Throw(Event::Link(_)) if outs > 0 => return self.misplaced(node, "a sequence flow out of a link"),
            Kind::Gateway(Gateway::EventBased) => self.event_based(node)?,
            _ => {}
        }
        self.event(node)?;
        self.conditions(node)?;
        if let Kind::Sub(inside) = node.kind
            && let Some(span) = self.tree.scope(inside).repeats
        {
            return Err(unsupported(
                self.text,
                span,
                "a loop or multi-instance sub-process",
                "write the loop as flows",
            ));
        }
        let timers = node.boundary.iter().filter(|n| is_beside(self.tree.node(**n))).count();
        if timers > TIMERS {
            let what = format!("an activity with more than {TIMERS} non-interrupting timers");
            return Err(unsupported(self.text, node.span, &what, ""));
        }
        Ok(())
    }

    fn misplaced(&self, node: &Node, what: &str) -> Res<()> {
        misplaced(self.text, node.span, format!("{what}: `{}`", printable(&node.name)), "not allowed here")
    }

    /// Checks that the node may have its event definition.
    fn event(&self, node: &Node) -> Res<()> {
        use Event::{Error, Link, Message, Other, Plain, Terminate, Timer};
        let refused = |what: &str, hint: &str| Err(unsupported(self.text, node.span, what, hint));
        match &node.kind {
            Kind::Start(Error(_) | Link(_) | Terminate) => refused("a start event of this kind", ""),
            Kind::Start(event) if *event != Plain && self.tree.scope(node.scope).owner.is_some() => {
                refused("a sub-process that an event starts", "the start event of a sub-process has no definition")
            }
            Kind::End(Link(_)) => refused("an end event with a link", ""),
            Kind::End(Error(error)) if self.tree.catcher(node.scope, error.as_ref()).is_none() => {
                let message = format!("no boundary event catches the error of `{}`", printable(&node.name));
                let error = self.text.error(&codes::BPMN_UNCAUGHT, node.span.range(), message).label("uncaught");
                Err(error.hint("a sub-process around it has an error event at its boundary, or this is a plain end"))
            }
            Kind::End(Timer) | Kind::Throw(Timer) => refused("a timer that is thrown", ""),
            Kind::Catch(Error(_) | Terminate) => refused("an intermediate event of this kind", ""),
            Kind::Throw(Error(_) | Terminate) => refused("an intermediate event of this kind", "write an end event"),
            Kind::Boundary { event: Plain | Link(_) | Terminate, .. } => refused("a boundary event of this kind", ""),
            Kind::Boundary { event: Message | Other | Error(_), interrupting: false, .. } => {
                let hint = "interrupting boundary events are read, and non-interrupting timers";
                refused("a non-interrupting boundary event", hint)
            }
            _ => Ok(()),
        }
    }

    /// Refuses conditions at a node that forks: how many of the flows get a token is then not known.
    fn conditions(&self, node: &Node) -> Res<()> {
        if matches!(node.kind, Kind::Gateway(_)) || node.outgoing.len() < 2 {
            return Ok(());
        }
        let conditional = node.outgoing.iter().map(|flow| self.tree.flow(*flow)).find(|flow| flow.is_conditional);
        let span = conditional.map(|flow| flow.span).or(node.default.as_ref().map(|_| node.span));
        let hint = "lead the flow into an exclusive or inclusive gateway, and the conditions out of it";
        let what = "a conditional flow out of a node that is no gateway";
        span.map_or(Ok(()), |span| Err(unsupported(self.text, span, what, hint)))
    }

    /// Checks that an event-based gateway leads to events only.
    fn event_based(&self, gateway: &Node) -> Res<()> {
        for flow in &gateway.outgoing {
            let target = self.tree.node(self.tree.flow(*flow).target);
            let is_event =
                matches!(target.kind, Kind::Catch(Event::Message | Event::Timer | Event::Other) | Kind::Task(true));
            if !is_event || target.incoming.len() != 1 {
                let name = printable(&target.name);
                let message = format!("an event-based gateway leads to `{name}`, which is no event of its own");
                let error = self.text.error(&codes::BPMN_STRUCTURE, self.tree.flow(*flow).span.range(), message);
                let hint = "expected a catching event or a receive task that only this flow leads to";
                return Err(error.label("this flow").hint(hint));
            }
        }
        if gateway.outgoing.is_empty() {
            return self.misplaced(gateway, "an event-based gateway without events");
        }
        Ok(())
    }

    fn scope(&self, scope: ScopeId) -> Res<()> {
        self.links(scope)?;
        let (are_events, starts) = self.tree.starts(scope);
        let nodes = &self.tree.scope(scope).nodes;
        if starts.is_empty() && !nodes.is_empty() {
            let span = self.tree.scope(scope).span;
            return misplaced(
                self.text,
                span,
                "a process or sub-process that cannot start",
                "each node has a flow to it",
            );
        }
        let is_dead = |n: &&NodeId| !matches!(self.tree.node(**n).kind, Kind::Start(_)) && self.tree.is_first(**n);
        match nodes.iter().filter(|_| are_events).find(is_dead) {
            None => Ok(()),
            Some(node) => {
                let node = self.tree.node(*node);
                let message = format!("no sequence flow leads to `{}`", printable(&node.name));
                let error = self.text.error(&codes::BPMN_UNREACHED, node.span.range(), message);
                Err(error.label("never starts").hint("the start events of this process start all that happens in it"))
            }
        }
    }

    /// Checks that each link has its other end.
    fn links(&self, scope: ScopeId) -> Res<()> {
        let mut targets: HashMap<&str, bool> = HashMap::new();
        let nodes = || self.tree.scope(scope).nodes.iter().map(|node| self.tree.node(*node));
        for node in nodes() {
            if let Kind::Catch(Event::Link(name)) = &node.kind
                && targets.insert(name, false).is_some()
            {
                return misplaced(self.text, node.span, "a second target of a link", "the link has one already");
            }
        }
        for node in nodes() {
            if let Kind::Throw(Event::Link(name)) = &node.kind {
                let target = targets.get_mut(name.as_str());
                *target.ok_or_else(|| unknown(self.text, node.span, "target of the link", name))? = true;
            }
        }
        for node in nodes() {
            match &node.kind {
                Kind::Catch(Event::Link(name)) if targets.get(name.as_str()) == Some(&false) => {
                    return Err(unknown(self.text, node.span, "source of the link", name));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn messages(&self) -> Res<()> {
        let senders: HashSet<NodeId> =
            self.tree.mailboxes.iter().flat_map(|mailbox| &mailbox.senders).copied().collect();
        let receivers: HashSet<NodeId> = self.tree.mailboxes.iter().map(|mailbox| mailbox.receiver).collect();
        let refused = |node: NodeId, what, hint| Err(unsupported(self.text, self.tree.node(node).span, what, hint));
        let both = self.tree.mailboxes.iter().find(|mailbox| senders.contains(&mailbox.receiver));
        if let Some(mailbox) = both {
            let hint = "the order of both is not known: write a task for each";
            return refused(mailbox.receiver, "an activity that both sends and receives messages", hint);
        }
        for pool in self.tree.pools() {
            let starts = self.tree.starts(pool).1;
            let is_caused = starts.iter().any(|start| self.is_start(*start) && receivers.contains(start));
            if let (true, Some(free)) = (is_caused, starts.iter().find(|start| !receivers.contains(start))) {
                let hint = "all start events of a pool wait for messages of other pools, or none does";
                return refused(*free, "a start event beside one that waits for a message", hint);
            }
        }
        Ok(())
    }

    fn is_start(&self, node: NodeId) -> bool {
        matches!(self.tree.node(node).kind, Kind::Start(_))
    }
}

/// True for a boundary event that does not interrupt its activity.
pub(super) fn is_beside(node: &Node) -> bool {
    matches!(node.kind, Kind::Boundary { interrupting: false, .. })
}

/// The error events at boundaries that some error event inside reaches.
pub(super) fn caught(tree: &Tree) -> HashSet<NodeId> {
    let catcher = |node: &Node| match &node.kind {
        Kind::End(Event::Error(error)) => tree.catcher(node.scope, error.as_ref()),
        _ => None,
    };
    tree.nodes.iter().filter_map(catcher).collect()
}

//! The steps of nodes. Each sequence flow is a place, except between an event-based gateway and its events: these take
//! the token from the place before the gateway.

use super::check::caught;
use super::join::Block;
use super::net::{Builder, Last, Step};
use super::tree::{Event, FlowId, Gateway, Kind, NodeId, Res, ScopeId};
use model::PlaceId;
use std::collections::{HashMap, HashSet};

/// The places of nodes and flows.
pub(super) struct Nodes<'b, 't> {
    pub(super) builder: &'b mut Builder<'t>,
    /// The places of flows; `None` for flows out of event-based gateways.
    pub(super) flows: Vec<Option<PlaceId>>,
    /// The place that a node takes its token from. Gateways that join have none.
    entries: Vec<Option<PlaceId>>,
    /// The places that receive tokens when a scope starts.
    starts: Vec<Vec<PlaceId>>,
    /// The place that a token reaches at its end, by node.
    ends: Vec<Option<PlaceId>>,
    /// The place of messages that a node takes, and those that it sends to.
    pub(super) mail: HashMap<NodeId, PlaceId>,
    pub(super) sent: HashMap<NodeId, Vec<PlaceId>>,
    /// The bypass places of blocks, by split and by join.
    pub(super) splits: HashMap<NodeId, usize>,
    pub(super) joins: HashMap<NodeId, usize>,
    pub(super) blocks: Vec<(Block, Vec<PlaceId>)>,
    /// The places of active sub-processes, by scope.
    pub(super) active: HashMap<usize, Vec<PlaceId>>,
    /// Error events at boundaries that error events inside reach.
    pub(super) caught: HashSet<NodeId>,
    /// The places of links, by scope and name.
    links: HashMap<(usize, &'t str), PlaceId>,
    /// The place that is marked between the start and the end of the net, if tokens are several.
    running: Option<PlaceId>,
}

/// Adds the places and steps of all nodes.
pub(super) fn nodes(builder: &mut Builder<'_>, blocks: Vec<Block>) -> Res<()> {
    let tree = builder.tree;
    let (nodes, scopes) = (tree.nodes.len(), tree.scopes.len());
    let mut made = Nodes {
        builder,
        flows: Vec::new(),
        entries: vec![None; nodes],
        starts: vec![Vec::new(); scopes],
        ends: vec![None; nodes],
        mail: HashMap::new(),
        sent: HashMap::new(),
        splits: HashMap::new(),
        joins: HashMap::new(),
        blocks: Vec::new(),
        active: HashMap::new(),
        caught: caught(tree),
        links: HashMap::new(),
        running: None,
    };
    made.flows()?;
    made.mail()?;
    made.blocks(blocks)?;
    made.starts()?;
    tree.node_ids().try_for_each(|node| made.entry(node))?;
    made.shared();
    made.ends()?;
    tree.node_ids().try_for_each(|node| made.node(node))
}

impl Nodes<'_, '_> {
    fn flows(&mut self) -> Res<()> {
        let tree = self.builder.tree;
        for flow in &tree.flows {
            let source = tree.node(flow.source);
            let called = format!("{} -> {}", source.name, tree.node(flow.target).name);
            let is_place = source.kind != Kind::Gateway(Gateway::EventBased);
            let place = is_place.then(|| self.builder.place(&flow.id, &called, Some(source.scope)));
            self.flows.push(place.transpose()?);
        }
        Ok(())
    }

    /// Adds a place for the messages to each receiver.
    fn mail(&mut self) -> Res<()> {
        let tree = self.builder.tree;
        for mailbox in &tree.mailboxes {
            let receiver = tree.node(mailbox.receiver);
            let from = match &mailbox.senders[..] {
                [sender] => format!("{} -> ", tree.node(*sender).name),
                _ => "-> ".to_owned(),
            };
            let called = format!("{from}{} (message)", receiver.name);
            let place = self.builder.place(&format!("message {}", receiver.id), &called, None)?;
            self.mail.insert(mailbox.receiver, place);
            mailbox.senders.iter().for_each(|sender| self.sent.entry(*sender).or_default().push(place));
        }
        Ok(())
    }

    /// Adds the bypass places of inclusive gateways.
    fn blocks(&mut self, blocks: Vec<Block>) -> Res<()> {
        let tree = self.builder.tree;
        for block in blocks {
            self.splits.insert(block.split, self.blocks.len());
            self.joins.insert(block.join, self.blocks.len());
            let mut places = Vec::new();
            for (first, _) in &block.branches {
                let split = tree.node(block.split);
                let called = format!("{} -> {} (not taken)", split.name, tree.node(tree.flow(*first).target).name);
                let id = format!("bypass {}", tree.flow(*first).id);
                places.push(self.builder.place(&id, &called, Some(split.scope))?);
            }
            self.blocks.push((block, places));
        }
        Ok(())
    }

    /// True if the only pool has one end, or never several tokens: a token at its end is the end of the net.
    fn is_direct(&self) -> bool {
        let tree = self.builder.tree;
        let [pool] = tree.pools()[..] else { return false };
        let ends = tree.scope(pool).nodes.iter().filter(|node| tree.is_end(**node)).count();
        ends == 1 || !tree.has_forks(pool)
    }

    /// Adds the places at which scopes start, and the step that starts the pools.
    fn starts(&mut self) -> Res<()> {
        let tree = self.builder.tree;
        let (pools, is_direct) = (tree.pools(), self.is_direct());
        let mut puts = Vec::new();
        if !is_direct {
            let running = self.builder.place("running", "", None)?;
            self.running = Some(running);
            puts.push(running);
        }
        for scope in tree.scope_ids() {
            let (are_events, nodes) = tree.starts(scope);
            if are_events && nodes.iter().all(|node| self.mail.contains_key(node)) {
                nodes.iter().for_each(|node| self.entries[node.0] = self.mail.remove(node));
                continue;
            }
            let is_only = is_direct && tree.scope(scope).owner.is_none() && (are_events || nodes.len() == 1);
            let mut shared = is_only.then_some(self.builder.start);
            for node in nodes {
                let place = match shared {
                    Some(place) => place,
                    None => self.start(scope, are_events, node)?,
                };
                shared = shared.or(are_events.then_some(place));
                self.entries[node.0] = Some(place);
                if self.starts[scope.0].last() != Some(&place) && !is_only {
                    self.starts[scope.0].push(place);
                }
            }
        }
        puts.extend(pools.iter().flat_map(|pool| self.starts[pool.0].iter().copied()));
        if puts.is_empty() {
            return Ok(());
        }
        let takes = vec![self.builder.start];
        self.builder.step(Step { id: "begin".to_owned(), is_silent: true, takes, puts, ..Step::default() })
    }

    /// Adds the place at which a scope starts, or a node that starts with it.
    fn start(&mut self, scope: ScopeId, are_events: bool, node: NodeId) -> Res<PlaceId> {
        let tree = self.builder.tree;
        let node = tree.node(node);
        let of = if are_events { &tree.scope(scope).id } else { &node.id };
        let name = if are_events { self.scope_name(scope) } else { &node.name };
        self.builder.place(&format!("start {of}"), &format!("start of {name}"), Some(scope))
    }

    fn scope_name(&self, scope: ScopeId) -> &str {
        let tree = self.builder.tree;
        let scope = tree.scope(scope);
        scope.owner.map_or(&scope.id, |owner| &tree.node(owner).name)
    }

    /// Finds the place that a node takes its token from. Several flows meet in a place of their own.
    fn entry(&mut self, id: NodeId) -> Res<()> {
        let tree = self.builder.tree;
        let node = tree.node(id);
        let joins = matches!(node.kind, Kind::Gateway(Gateway::Parallel)) || self.joins.contains_key(&id);
        match (&node.kind, &node.incoming[..]) {
            (Kind::Catch(Event::Link(name)), _) => {
                let called = format!("link {name}");
                let place = self.builder.place(&format!("link {}", node.id), &called, Some(node.scope))?;
                self.entries[id.0] = Some(place);
                self.links.insert((node.scope.0, name.as_str()), place);
            }
            (_, []) => {}
            (_, [flow]) if !joins => self.entries[id.0] = self.flows[flow.0],
            (_, flows) if !joins => {
                let called = format!("-> {}", node.name);
                let place = self.builder.place(&format!("to {}", node.id), &called, Some(node.scope))?;
                self.entries[id.0] = Some(place);
                for flow in flows {
                    let source = &tree.node(tree.flow(*flow).source).name;
                    let (id, called) =
                        (format!("{} <- {}", node.id, tree.flow(*flow).id), format!("{} <- {source}", node.name));
                    let (takes, puts) = (self.flows[flow.0].into_iter().collect(), vec![place]);
                    self.builder.step(Step { id, called, is_silent: true, takes, puts, ..Step::default() })?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Lets the events behind event-based gateways take the tokens of the gateways.
    fn shared(&mut self) {
        let tree = self.builder.tree;
        for id in tree.node_ids().filter(|n| tree.node(*n).kind == Kind::Gateway(Gateway::EventBased)) {
            for flow in &tree.node(id).outgoing {
                self.entries[tree.flow(*flow).target.0] = self.entries[id.0];
            }
        }
    }

    /// Adds the places at which tokens end, and the step that ends the net.
    fn ends(&mut self) -> Res<()> {
        let tree = self.builder.tree;
        let mut ends = Vec::new();
        for scope in tree.scope_ids() {
            let is_pool = tree.scope(scope).owner.is_none();
            let mut shared = (is_pool && self.running.is_none()).then_some(self.builder.end);
            for node in tree.scope(scope).nodes.iter().copied().filter(|n| tree.is_end(*n)) {
                let place = match shared {
                    Some(place) => place,
                    None => self.end(scope, node)?,
                };
                if is_pool {
                    ends.push(place);
                } else {
                    shared = Some(place);
                }
                self.ends[node.0] = Some(place);
            }
        }
        let Some(running) = self.running.filter(|_| !ends.is_empty()) else { return Ok(()) };
        let (id, takes, puts) = ("complete".to_owned(), vec![running], vec![self.builder.end]);
        let last = Some(Last { scopes: None, ends, is_single: true });
        self.builder.step(Step { id, is_silent: true, takes, puts, last, ..Step::default() })
    }

    /// Adds the place at which the tokens of a sub-process, or those of an end of a process, end.
    fn end(&mut self, scope: ScopeId, node: NodeId) -> Res<PlaceId> {
        let tree = self.builder.tree;
        let is_pool = tree.scope(scope).owner.is_none();
        let of = if is_pool { &tree.node(node).id } else { &tree.scope(scope).id };
        let name = if is_pool { &tree.node(node).name } else { self.scope_name(scope) };
        self.builder.place(&format!("end {of}"), &format!("end of {name}"), Some(scope))
    }

    /// The place that a node takes its token from. A node that is never reached has a place without tokens.
    pub(super) fn takes(&self, node: NodeId) -> Vec<PlaceId> {
        self.entries[node.0].into_iter().collect()
    }

    /// The places that the tokens of a node go to: its flows, or the end.
    pub(super) fn puts(&self, node: NodeId) -> Vec<PlaceId> {
        let outgoing = &self.builder.tree.node(node).outgoing;
        let flows = outgoing.iter().filter_map(|flow| self.flows[flow.0]);
        flows.chain(self.ends[node.0]).collect()
    }

    pub(super) fn starts_of(&self, scope: ScopeId) -> &[PlaceId] {
        &self.starts[scope.0]
    }

    /// The place at which the tokens of a sub-process end.
    pub(super) fn end_of(&self, scope: ScopeId) -> Option<PlaceId> {
        self.builder.tree.scope(scope).nodes.iter().find_map(|node| self.ends[node.0])
    }

    fn node(&mut self, id: NodeId) -> Res<()> {
        let node = self.builder.tree.node(id);
        match &node.kind {
            Kind::Task(_) | Kind::Sub(_) => self.activity(id),
            Kind::Gateway(Gateway::EventBased) | Kind::Boundary { .. } => Ok(()),
            Kind::Gateway(Gateway::Exclusive) => self.exclusive(id),
            Kind::Gateway(Gateway::Parallel) => {
                let step = self.joining(id, self.puts(id));
                self.builder.step(step)
            }
            Kind::Gateway(Gateway::Inclusive) => self.inclusive(id),
            Kind::Throw(Event::Link(name)) => {
                let puts = self.links.get(&(node.scope.0, name.as_str())).copied().into_iter().collect();
                self.event(id, puts, true)
            }
            Kind::End(Event::Terminate) => {
                let (takes, puts, clears) = (self.takes(id), self.puts(id), self.builder.tree.inside(node.scope));
                let (id, called) = (node.id.clone(), node.name.clone());
                self.builder.step(Step { id, called, takes, puts, clears, ..Step::default() })
            }
            Kind::End(Event::Error(error)) => self.error(id, error.as_ref()),
            Kind::Start(event) | Kind::End(event) => self.event(id, self.puts(id), *event == Event::Plain),
            Kind::Catch(event) | Kind::Throw(event) => self.event(id, self.puts(id), matches!(event, Event::Link(_))),
        }
    }

    pub(super) fn event(&mut self, id: NodeId, mut puts: Vec<PlaceId>, is_silent: bool) -> Res<()> {
        let node = self.builder.tree.node(id);
        let mut takes = self.takes(id);
        takes.extend(self.mail.get(&id));
        puts.extend(self.sent.get(&id).into_iter().flatten());
        let (id, called) = (node.id.clone(), node.name.clone());
        self.builder.step(Step { id, called, is_silent, takes, puts, ..Step::default() })
    }

    fn exclusive(&mut self, id: NodeId) -> Res<()> {
        let tree = self.builder.tree;
        let node = tree.node(id);
        if node.outgoing.len() < 2 {
            return self.event(id, self.puts(id), true);
        }
        for flow in &node.outgoing {
            let (takes, puts) = (self.takes(id), self.flows[flow.0].into_iter().collect());
            let step = Step { is_silent: true, takes, puts, ..self.alternative(id, &[*flow]) };
            self.builder.step(step)?;
        }
        Ok(())
    }

    /// A step of a gateway, named by the flows that it chooses.
    pub(super) fn alternative(&self, id: NodeId, flows: &[FlowId]) -> Step {
        let tree = self.builder.tree;
        let node = tree.node(id);
        let ids: Vec<&str> = flows.iter().map(|flow| tree.flow(*flow).id.as_str()).collect();
        let names: Vec<&str> = flows.iter().map(|flow| tree.node(tree.flow(*flow).target).name.as_str()).collect();
        let (id, called) =
            (format!("{} -> {}", node.id, ids.join(", ")), format!("{} -> {}", node.name, names.join(", ")));
        Step { id, called, ..Step::default() }
    }

    /// A silent step that takes a token from each flow into a gateway, or from its start.
    fn joining(&self, id: NodeId, puts: Vec<PlaceId>) -> Step {
        let node = self.builder.tree.node(id);
        let mut takes: Vec<PlaceId> = node.incoming.iter().filter_map(|flow| self.flows[flow.0]).collect();
        if takes.is_empty() {
            takes = self.takes(id);
        }
        let (id, called) = (node.id.clone(), node.name.clone());
        Step { id, called, is_silent: true, takes, puts, ..Step::default() }
    }
}

//! The reachable markings by saturation (Ciardo, Lüttgen, Siminiscu, "Saturation: an efficient iteration strategy for
//! symbolic state-space generation", TACAS 2001; with local states found on the way: Ciardo, Marmorstein,
//! Siminiceanu, "The saturation algorithm for symbolic state-space exploration", STTT 8, 2006).
//!
//! A node is *saturated* if no transition that tests and changes only its level and those below leads out of its set.
//! Nodes are saturated from the bottom, and each new node is saturated before it is used. So the fixpoint is computed
//! node by node, most of the work is on small nodes, and few large nodes that are not part of the result appear.
//!
//! The functions recurse on levels. [`crate::diagrams::counts()`] runs them on a thread with a stack for the number of
//! levels.

use crate::diagrams::local::{ChainId, DONE, Local, OVERFLOW};
use crate::diagrams::nodes::{Cache, EMPTY, Edge, Id, Nodes, UNIT};
use model::{Net, Reason, Stop};

/// Operations between two looks at the stop flag.
const BATCH: u32 = 1 << 12;

/// Bytes for the local states and unfinished nodes of a batch.
const SPARE: usize = 1 << 20;

/// An edge of a node that is not finished.
#[derive(Clone, Copy)]
struct Open {
    edge: Edge,
    /// A part of the child with all markings from which transitions were not yet fired.
    fresh: Id,
}

/// The state of the computation.
pub(crate) struct Saturation<'a> {
    pub(crate) local: Local,
    pub(crate) nodes: Nodes,
    unions: Cache,
    fired: Cache,
    /// For each node: the node that results from its saturation. [`EMPTY`] if it is not known.
    saturated: Vec<Id>,
    spare: Vec<Vec<Open>>,
    edges: Vec<Edge>,
    /// Number of nodes at which the next collection is worth its time.
    pub(crate) full: usize,
    ticks: u32,
    /// Operations that are left.
    work: u64,
    stop: &'a Stop,
}

impl<'a> Saturation<'a> {
    pub(crate) fn new(local: Local, work: u64, stop: &'a Stop) -> Self {
        Self {
            local,
            nodes: Nodes::new(),
            unions: Cache::new(),
            fired: Cache::new(),
            saturated: Vec::new(),
            spare: Vec::new(),
            edges: Vec::new(),
            full: 1 << 20,
            ticks: 0,
            work,
            stop,
        }
    }

    /// Returns the set of the reachable markings.
    ///
    /// # Errors
    /// [`Reason::GaveUp`] if no work is left, or another reason.
    pub(crate) fn reachable(&mut self, net: &Net) -> Result<Id, Reason> {
        let mut below = UNIT;
        for level in 0..self.local.levels.len() {
            let initial = self.local.initial(net, level)?;
            let open = |state| Open { edge: Edge { state, child: below }, fresh: below };
            let list = initial.into_iter().map(open).collect();
            below = self.saturate(level, list, true)?;
        }
        Ok(below)
    }

    /// Looks at the stop flag and the work now and then, and adapts the caches.
    fn tick(&mut self) -> Result<(), Reason> {
        self.ticks += 1;
        if self.ticks < BATCH {
            return Ok(());
        }
        self.ticks = 0;
        self.unions.fit(self.stop);
        self.fired.fit(self.stop);
        self.work = self.work.checked_sub(BATCH.into()).ok_or(Reason::GaveUp)?;
        if !self.stop.has_room(SPARE) {
            return Err(Reason::Memory);
        }
        self.stop.raised().map_or(Ok(()), Err)
    }

    /// Returns the node with these edges.
    fn node(&mut self, list: &[Open]) -> Result<Id, Reason> {
        let mut edges = std::mem::take(&mut self.edges);
        edges.clear();
        edges.extend(list.iter().map(|open| open.edge));
        let node = self.nodes.node(&edges, self.stop);
        self.edges = edges;
        let node = node?;
        if self.saturated.len() < self.nodes.len() {
            crate::diagrams::nodes::reserve(&mut self.saturated, 1, self.stop)?;
            self.saturated.resize(self.nodes.len(), EMPTY);
        }
        Ok(node)
    }

    /// Saturates the node with these edges to saturated nodes. If `is_outermost`, no other node is in use.
    fn saturate(&mut self, level: usize, mut list: Vec<Open>, is_outermost: bool) -> Result<Id, Reason> {
        let raw = self.node(&list)?;
        let known = self.saturated[raw as usize];
        if known != EMPTY || self.local.tops[level].is_empty() {
            self.give_back(list);
            return Ok(if known == EMPTY { raw } else { known });
        }
        let mut at = 0;
        let mut idle = 0;
        while idle < list.len() {
            if at >= list.len() {
                at = 0;
            }
            if list[at].fresh == EMPTY {
                (at, idle) = (at + 1, idle + 1);
                continue;
            }
            idle = 0;
            at = self.fire_all(level, &mut list, at)?;
            if is_outermost && self.nodes.len() > self.full {
                self.collect(&mut list)?;
            }
        }
        let node = self.node(&list)?;
        self.give_back(list);
        // After a collection, `raw` may be the number of another node.
        if !is_outermost {
            self.saturated[raw as usize] = node;
        }
        self.saturated[node as usize] = node;
        Ok(node)
    }

    /// Fires the transitions that begin at this level from an edge. Returns its new position.
    fn fire_all(&mut self, level: usize, list: &mut Vec<Open>, mut at: usize) -> Result<usize, Reason> {
        self.tick()?;
        let state = list[at].edge.state;
        let fresh = std::mem::replace(&mut list[at].fresh, EMPTY);
        for i in 0..self.local.tops[level].len() {
            let chain = self.local.chain(self.local.tops[level][i]);
            let Some(next) = self.local.step(chain.rule, state) else { continue };
            let rest = self.fire(chain.next, level.wrapping_sub(1), fresh)?;
            if rest != EMPTY && self.put(list, next, rest)? && next != state {
                at = position(list, state).expect("edges stay");
            }
        }
        Ok(at)
    }

    /// Adds a set to the edge of a state. Returns true if the edge is new.
    fn put(&mut self, list: &mut Vec<Open>, state: u32, set: Id) -> Result<bool, Reason> {
        if state == OVERFLOW {
            return Err(Reason::Overflow);
        }
        match position(list, state) {
            Ok(at) => {
                let old = list[at].edge.child;
                let child = self.union(old, set)?;
                if child != old {
                    let fresh = self.union(list[at].fresh, set)?;
                    list[at] = Open { edge: Edge { state, child }, fresh };
                }
                Ok(false)
            }
            Err(at) => {
                list.insert(at, Open { edge: Edge { state, child: set }, fresh: set });
                Ok(true)
            }
        }
    }

    /// Returns the saturated set of the markings of `node` after a chain.
    fn fire(&mut self, chain: ChainId, level: usize, node: Id) -> Result<Id, Reason> {
        if chain == DONE || node == EMPTY {
            return Ok(node);
        }
        if let Some(known) = self.fired.get(chain, node) {
            return Ok(known);
        }
        self.tick()?;
        let link = self.local.chain(chain);
        let is_here = link.level as usize == level;
        let mut list = self.spare.pop().unwrap_or_default();
        for position in self.nodes.range(node) {
            let Edge { state, child } = self.nodes.edge(position);
            let (next, rest) = match is_here {
                true => (self.local.step(link.rule, state), link.next),
                false => (Some(state), chain),
            };
            let Some(next) = next else { continue };
            let set = self.fire(rest, level.wrapping_sub(1), child)?;
            if set != EMPTY {
                self.put(&mut list, next, set)?;
            }
        }
        let result = if list.is_empty() { EMPTY } else { self.saturate(level, list, false)? };
        self.fired.put(chain, node, result);
        Ok(result)
    }

    /// Returns the union of two sets of the same level.
    fn union(&mut self, a: Id, b: Id) -> Result<Id, Reason> {
        if a == b || b == EMPTY {
            return Ok(a);
        }
        if a == EMPTY {
            return Ok(b);
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(known) = self.unions.get(a, b) {
            return Ok(known);
        }
        self.tick()?;
        let mut list = self.spare.pop().unwrap_or_default();
        let (mut left, mut right) = (self.nodes.range(a), self.nodes.range(b));
        let mut push = |edge| list.push(Open { edge, fresh: edge.child });
        while let (Some(i), Some(j)) = (left.clone().next(), right.clone().next()) {
            let (x, y) = (self.nodes.edge(i), self.nodes.edge(j));
            if x.state <= y.state {
                left.next();
            }
            if y.state <= x.state {
                right.next();
            }
            push(match x.state.cmp(&y.state) {
                std::cmp::Ordering::Less => x,
                std::cmp::Ordering::Greater => y,
                std::cmp::Ordering::Equal => Edge { state: x.state, child: self.union(x.child, y.child)? },
            });
        }
        left.chain(right).for_each(|i| push(self.nodes.edge(i)));
        let node = self.node(&list)?;
        self.give_back(list);
        // The union of saturated sets is saturated, because transitions fire from single markings.
        self.saturated[node as usize] = node;
        self.unions.put(a, b, node);
        Ok(node)
    }

    fn give_back(&mut self, mut list: Vec<Open>) {
        list.clear();
        self.spare.push(list);
    }

    /// Removes the nodes that are not part of these edges.
    fn collect(&mut self, list: &mut [Open]) -> Result<(), Reason> {
        let roots: Vec<Id> = list.iter().flat_map(|open| [open.edge.child, open.fresh]).collect();
        let before = self.nodes.len();
        let new = self.nodes.collect(roots.into_iter(), self.stop)?;
        for open in list.iter_mut() {
            open.edge.child = new[open.edge.child as usize];
            open.fresh = new[open.fresh as usize];
        }
        self.unions.rename(true, &new);
        self.fired.rename(false, &new);
        let mut saturated = vec![EMPTY; self.nodes.len()];
        for old in 2..before {
            let (node, result) = (new[old], new[self.saturated[old] as usize]);
            if node != EMPTY {
                saturated[node as usize] = result;
            }
        }
        self.saturated = saturated;
        self.full = self.full.max(self.nodes.len() * 4);
        Ok(())
    }
}

/// The position of a state, or where it belongs.
fn position(list: &[Open], state: u32) -> Result<usize, usize> {
    match list.last() {
        Some(last) if last.edge.state >= state => list.binary_search_by_key(&state, |open| open.edge.state),
        _ => Err(list.len()),
    }
}

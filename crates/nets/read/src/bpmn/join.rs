//! Inclusive gateways. A split starts any of its branches, and the join waits for those that were started.
//!
//! What the join waits for is a question about the whole state in general. It is answered by tokens of the net where
//! each branch of one split leads to the join and to nothing else, and nothing else leads into it: then the split puts
//! a token on the bypass of each branch that it does not start, and the join takes the token or the bypass of each
//! branch. The split is then the immediate dominator of the join, and the join the immediate post-dominator of the
//! split. All other inclusive gateways with several flows are refused.

use super::tree::{FlowId, Gateway, Kind, NodeId, Res, Tree};
use formats::codes;
use formats::error::{Error, Text, printable};
use formats::source::Limits;
use std::collections::{HashMap, VecDeque};

/// The largest number of branches: each subset of them becomes a transition.
const BRANCHES: usize = 8;

/// Following a flow takes as much time as this many steps of unfolding a coloured net.
const SHARE: usize = 4;

/// A split with its join.
pub(super) struct Block {
    pub(super) split: NodeId,
    pub(super) join: NodeId,
    /// The first and the last flow of each branch.
    pub(super) branches: Vec<(FlowId, FlowId)>,
}

struct Search<'t> {
    text: Text<'t>,
    tree: &'t Tree,
    /// Flows that may still be followed.
    work: usize,
}

/// Finds the join of each inclusive split.
pub(super) fn blocks(text: Text<'_>, limits: &Limits, tree: &Tree) -> Res<Vec<Block>> {
    let mut search = Search { text, tree, work: limits.bindings / SHARE };
    let is_inclusive = |n: &NodeId| tree.node(*n).kind == Kind::Gateway(Gateway::Inclusive);
    let (mut blocks, mut joined) = (Vec::new(), vec![false; tree.nodes.len()]);
    for split in tree.node_ids().filter(is_inclusive).filter(|n| tree.node(*n).outgoing.len() > 1) {
        if tree.node(split).outgoing.len() > BRANCHES {
            let what = format!("has more than {BRANCHES} branches");
            return Err(search.refuse(split, &what, "write two gateways, one behind the other"));
        }
        let Some(block) = search.block(split)? else {
            let hint = "each branch leads to the join only, nothing leads into a branch, and none of them ends";
            return Err(search.refuse(split, "has no join that exactly its branches lead to", hint));
        };
        joined[block.join.0] = true;
        blocks.push(block);
    }
    let is_open = |n: &NodeId| tree.node(*n).incoming.len() > 1 && !joined[n.0];
    match tree.node_ids().filter(is_inclusive).find(is_open) {
        Some(join) => {
            let hint = "an exclusive gateway passes each token on; a parallel one waits for all of its flows";
            Err(search.refuse(join, "joins flows that are not exactly the branches of one inclusive gateway", hint))
        }
        None => Ok(blocks),
    }
}

impl Search<'_> {
    fn refuse(&self, gateway: NodeId, what: &str, hint: &str) -> Box<Error> {
        let node = self.tree.node(gateway);
        let message = format!("the inclusive gateway `{}` {what}", printable(&node.name));
        self.text.error(&codes::BPMN_INCLUSIVE, node.span.range(), message).label("not supported").hint(hint)
    }

    /// Returns the block of a split. Candidates are the inclusive joins that its first branch leads to.
    fn block(&mut self, split: NodeId) -> Res<Option<Block>> {
        let outgoing = &self.tree.node(split).outgoing;
        let mut seen = HashMap::from([(split, 0)]);
        let mut open = VecDeque::from([outgoing[0]]);
        while let Some(flow) = open.pop_front() {
            let target = self.tree.flow(flow).target;
            if seen.insert(target, 0).is_some() {
                continue;
            }
            self.spend()?;
            let node = self.tree.node(target);
            let is_join = node.kind == Kind::Gateway(Gateway::Inclusive) && node.incoming.len() == outgoing.len();
            if is_join && let Some(branches) = self.branches(split, target)? {
                return Ok(Some(Block { split, join: target, branches }));
            }
            open.extend(self.leaving(target).into_iter().flatten());
        }
        Ok(None)
    }

    fn spend(&mut self) -> Res<()> {
        self.work = self.work.checked_sub(1).ok_or_else(|| {
            Error::whole(&codes::LIMIT_UNFOLDING, self.text.name, "too many flows between inclusive gateways")
        })?;
        Ok(())
    }

    /// The flows out of a node and its boundary events; `None` if a token may end there.
    fn leaving(&self, node: NodeId) -> Option<Vec<FlowId>> {
        let mut flows = Vec::new();
        for node in std::iter::once(node).chain(self.tree.node(node).boundary.iter().copied()) {
            let outgoing = &self.tree.node(node).outgoing;
            if outgoing.is_empty() {
                return None;
            }
            flows.extend(outgoing);
        }
        Some(flows)
    }

    /// Returns the first and last flows of all branches, if the branches lead from the split to the join and nowhere
    /// else, and nothing else leads into them.
    fn branches(&mut self, split: NodeId, join: NodeId) -> Res<Option<Vec<(FlowId, FlowId)>>> {
        let mut owners: HashMap<NodeId, FlowId> = HashMap::new();
        let (mut nodes, mut branches) = (Vec::new(), Vec::new());
        for &first in &self.tree.node(split).outgoing {
            let (mut open, mut last) = (vec![first], None);
            while let Some(flow) = open.pop() {
                self.spend()?;
                let target = self.tree.flow(flow).target;
                if target == join {
                    if last.replace(flow).is_some() {
                        return Ok(None);
                    }
                    continue;
                }
                match owners.insert(target, first) {
                    Some(owner) if owner == first => continue,
                    None if target != split => {}
                    _ => return Ok(None),
                }
                nodes.push(target);
                owners.extend(self.tree.node(target).boundary.iter().map(|event| (*event, first)));
                match self.leaving(target) {
                    Some(flows) => open.extend(flows),
                    None => return Ok(None),
                }
            }
            match last {
                Some(last) => branches.push((first, last)),
                None => return Ok(None),
            }
        }
        let is_inside = |node: NodeId| {
            let flows = self.tree.node(node).incoming.iter();
            let of = |flow: &FlowId| owners.get(&self.tree.flow(*flow).source);
            flows.into_iter().all(|flow| *flow == owners[&node] || of(flow) == Some(&owners[&node]))
        };
        Ok(nodes.into_iter().all(is_inside).then_some(branches))
    }
}

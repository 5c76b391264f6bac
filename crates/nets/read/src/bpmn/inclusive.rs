//! The steps of inclusive gateways: a transition for each set of branches.

use super::net::Step;
use super::nodes::Nodes;
use super::tree::{NodeId, Res};
use model::PlaceId;

impl Nodes<'_, '_> {
    pub(super) fn inclusive(&mut self, id: NodeId) -> Res<()> {
        let mut takes = self.takes(id);
        let (join, split) = (self.joins.get(&id).copied(), self.splits.get(&id).copied());
        let node = self.builder.tree.node(id);
        if let Some(join) = join {
            let mut puts = self.puts(id);
            if split.is_some() {
                let called = format!("-> {}", node.name);
                let place = self.builder.place(&format!("to {}", node.id), &called, Some(node.scope))?;
                (puts, takes) = (vec![place], vec![place]);
            }
            self.join(id, join, &puts)?;
        }
        match split {
            Some(split) => self.split(id, split, &takes),
            None if join.is_none() => self.event(id, self.puts(id), true),
            None => Ok(()),
        }
    }

    /// The sets of branches that a split may start. Its default flow starts only if no other flow does.
    fn choices(&self, block: usize) -> Vec<u32> {
        let (block, _) = &self.blocks[block];
        let tree = self.builder.tree;
        let default = tree.node(block.split).default.as_ref();
        let default = block.branches.iter().position(|(first, _)| Some(&tree.flow(*first).id) == default);
        let default = default.map_or(0, |branch| 1u32 << branch);
        (1..1 << block.branches.len()).filter(|set| set & default == 0 || *set == default).collect()
    }

    fn split(&mut self, id: NodeId, number: usize, takes: &[PlaceId]) -> Res<()> {
        for set in self.choices(number) {
            let (block, bypass) = &self.blocks[number];
            let branches = block.branches.iter().zip(bypass).enumerate();
            let (mut flows, mut puts) = (Vec::new(), Vec::new());
            for (branch, ((first, _), bypass)) in branches {
                if set & 1 << branch == 0 {
                    puts.push(*bypass);
                } else {
                    flows.push(*first);
                    puts.extend(self.flows[first.0]);
                }
            }
            let step = Step { is_silent: true, takes: takes.to_vec(), puts, ..self.alternative(id, &flows) };
            self.builder.step(step)?;
        }
        Ok(())
    }

    fn join(&mut self, id: NodeId, number: usize, puts: &[PlaceId]) -> Res<()> {
        let tree = self.builder.tree;
        for set in self.choices(number) {
            let (block, bypass) = &self.blocks[number];
            let (mut ids, mut names, mut takes) = (Vec::new(), Vec::new(), Vec::new());
            for (branch, ((_, last), bypass)) in block.branches.iter().zip(bypass).enumerate() {
                if set & 1 << branch == 0 {
                    takes.push(*bypass);
                } else {
                    ids.push(tree.flow(*last).id.as_str());
                    names.push(tree.node(tree.flow(*last).source).name.as_str());
                    takes.extend(self.flows[last.0]);
                }
            }
            let node = tree.node(id);
            let id = format!("{} <- {}", node.id, ids.join(", "));
            let called = format!("{} <- {}", node.name, names.join(", "));
            self.builder.step(Step { id, called, is_silent: true, takes, puts: puts.to_vec(), ..Step::default() })?;
        }
        Ok(())
    }
}

//! Partitions of sorts.

use super::sorts::{Partition, Sorts};
use super::tree::Tree;
use crate::pnml::nodes::Res;
use formats::codes;
use std::collections::HashMap;

impl<'a> Sorts<'a> {
    /// Reads a partition: a sort, and the colours of each of its elements.
    pub(super) fn partition(&mut self, tree: &Tree<'a>, at: usize) -> Res<()> {
        let wrong = |sorts: &Self, at: usize, what: &str| {
            let error = sorts.error(&codes::PNML_SORT, tree.elements[at].span, format!("a partition {what}"));
            error.label("not a partition").hint("every element of the sort is in one part")
        };
        let id = tree.elements[at].required(self.text, "id")?.to_owned();
        let mut children = tree.children(at);
        let class = match children.next() {
            Some(child) => self.sort_of(tree, child)?,
            None => Vec::new(),
        };
        let [class] = class[..] else { return Err(wrong(self, at, "of something else than one class")) };
        let size = self.classes[class].size as usize;
        let mut parts: HashMap<u32, u32> = HashMap::new();
        for (part, child) in children.enumerate() {
            if tree.elements[child].name != "partitionelement" {
                return Err(wrong(self, child, "with something else than `partitionelement`"));
            }
            let mut colours = Vec::new();
            for constant in tree.children(child) {
                match self.constant(tree, constant)? {
                    Some((of, value)) if of == class && !parts.contains_key(&value) => {
                        parts.insert(value, part as u32);
                        colours.push(value);
                    }
                    _ => return Err(wrong(self, constant, "with an element of another sort, or an element twice")),
                }
            }
            if let Some(id) = tree.elements[child].attribute("id").map(str::to_owned)
                && self.partition_elements.insert(id.clone(), (self.partitions.len(), colours)).is_some()
            {
                return Err(self.again(tree.elements[child].span, &id));
            }
        }
        if parts.len() != size {
            return Err(wrong(self, at, "that leaves elements out"));
        }
        let parts = (0..size as u32).map(|value| parts[&value]).collect();
        self.partitions.push(Partition { class, parts });
        match self.partition_ids.insert(id.clone(), self.partitions.len() - 1) {
            Some(_) => Err(self.again(tree.elements[at].span, &id)),
            None => Ok(()),
        }
    }
}

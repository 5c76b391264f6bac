//! Systems as BTOR2 text.

use super::{Kind, Node, Operand, Sort, System};
use std::fmt::Write;

/// The lines so far, and the sorts that have a line.
#[derive(Default)]
struct Lines {
    text: String,
    last: usize,
    sorts: Vec<(Sort, usize)>,
    /// The line of each node.
    nodes: Vec<usize>,
}

impl Lines {
    fn line(&mut self, rest: &str) -> usize {
        self.last += 1;
        writeln!(self.text, "{} {rest}", self.last).expect("a text");
        self.last
    }

    fn sort(&mut self, sort: Sort) -> usize {
        if let Some((_, line)) = self.sorts.iter().find(|(known, _)| *known == sort) {
            return *line;
        }
        let line = match sort {
            Sort::Bits(width) => self.line(&format!("sort bitvec {width}")),
            Sort::Array(index, element) => {
                let [index, element] = [index, element].map(|width| self.sort(Sort::Bits(width)));
                self.line(&format!("sort array {index} {element}"))
            }
        };
        self.sorts.push((sort, line));
        line
    }

    fn operand(&self, (node, is_negated): Operand) -> String {
        format!("{}{}", if is_negated { "-" } else { "" }, self.nodes[node])
    }

    fn node(&mut self, at: usize, node: &Node) {
        let sort = self.sort(node.sort);
        let rest = match &node.kind {
            Kind::Constant(0) => format!("zero {sort}"),
            Kind::Constant(1) => format!("one {sort} ; a comment"),
            Kind::Constant(bits) if at.is_multiple_of(3) => format!("constd {sort} {bits}"),
            Kind::Constant(bits) if at % 3 == 1 => format!("consth {sort} {bits:x}"),
            Kind::Constant(bits) => format!("const {sort} {bits:0width$b}", width = super::width(node.sort) as usize),
            Kind::Input(number) => format!("input {sort} in{number}"),
            Kind::State(number) => format!("state {sort} st{number}"),
            Kind::Operation(name, operands, numbers) => {
                let operands = operands.iter().map(|o| self.operand(*o));
                let words: Vec<String> = operands.chain(numbers.iter().map(u32::to_string)).collect();
                format!("{name} {sort} {}", words.join(" "))
            }
        };
        let line = self.line(&rest);
        self.nodes.push(line);
    }
}

impl System {
    /// Returns the system as BTOR2 text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = Lines::default();
        lines.text.push_str("; a random system\n");
        for (at, node) in self.nodes.iter().enumerate() {
            lines.node(at, node);
        }
        for state in &self.states {
            let (sort, own) = (lines.sort(self.nodes[state.node].sort), lines.nodes[state.node]);
            for (word, value) in [("init", state.init), ("next", state.next)] {
                if let Some(value) = value {
                    let value = lines.operand(value);
                    lines.line(&format!("{word} {sort} {own} {value}"));
                }
            }
        }
        for (word, all) in [("constraint", &self.constraints), ("bad", &self.bad)] {
            for operand in all {
                let operand = lines.operand(*operand);
                lines.line(&format!("{word} {operand}"));
            }
        }
        lines.text
    }
}

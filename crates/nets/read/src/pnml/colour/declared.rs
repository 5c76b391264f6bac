//! What terms name: constants, variables and partitions.

use super::sorts::{BOOL, ClassId, DOT, Kind, Sorts, VarId};
use super::tree::Tree;
use crate::pnml::labels::is_dot;
use crate::pnml::nodes::Res;
use formats::codes;
use formats::error::{Error, Span};

impl<'a> Sorts<'a> {
    /// Returns the class and the number of the constant that is element `at`. `None` if it is not a constant.
    pub(super) fn constant(&mut self, tree: &Tree<'a>, at: usize) -> Res<Option<(ClassId, u32)>> {
        let element = &tree.elements[at];
        Ok(match element.name {
            "dotconstant" => Some((DOT, 0)),
            "booleanconstant" => match element.required(self.text, "value")? {
                "true" => Some((BOOL, 1)),
                "false" => Some((BOOL, 0)),
                _ => return Err(self.error(&codes::PNML_TERM, element.span, "not a Boolean").label("true or false?")),
            },
            "useroperator" => {
                let id = element.required(self.text, "declaration")?;
                let known = self.constants.keys().map(String::as_str);
                // TAPAAL names the black token like its sort.
                let constant = self.constants.get(id).copied().or_else(|| is_dot(id).then_some((DOT, 0)));
                Some(constant.ok_or_else(|| self.unknown("constant", id, element.span, known))?)
            }
            "finiteintrangeconstant" => {
                let value = self.integer(element.required(self.text, "value")?, element.span)?;
                let sort = self.sort_of(tree, self.only_child(tree, at)?)?;
                let [class] = sort[..] else { return Err(self.not_in_range(element.span)) };
                let Kind::Integers(start) = &self.classes[class].kind else {
                    return Err(self.not_in_range(element.span));
                };
                let value = u32::try_from(&(value - start)).ok().filter(|value| *value < self.classes[class].size);
                Some((class, value.ok_or_else(|| self.not_in_range(element.span))?))
            }
            _ => None,
        })
    }

    fn not_in_range(&self, span: Span) -> Box<Error> {
        let error = self.error(&codes::PNML_TERM, span, "an integer that is not in its range");
        error.label("expected a `finiteintrange` around the value")
    }

    /// Returns the variables that an element names, one for each class of its sort.
    pub(super) fn variables_at(&self, tree: &Tree<'a>, at: usize) -> Res<&[VarId]> {
        let element = &tree.elements[at];
        let id = element.required(self.text, "refvariable")?;
        let known = self.variable_ids.keys().map(String::as_str);
        self.variable_ids.get(id).map(Vec::as_slice).ok_or_else(|| self.unknown("variable", id, element.span, known))
    }

    /// Returns the class and the colours of the partition element that an element names. `None` if it names none.
    pub(super) fn element_at(&self, tree: &Tree<'a>, at: usize) -> Option<(ClassId, &[u32])> {
        let id = tree.elements[at].attribute("declaration").filter(|_| tree.elements[at].name == "useroperator")?;
        let (partition, colours) = self.partition_elements.get(id).filter(|_| !self.constants.contains_key(id))?;
        Some((self.partitions[*partition].class, colours))
    }

    /// Returns the partition that an element names.
    pub(super) fn partition_at(&self, tree: &Tree<'a>, at: usize) -> Res<usize> {
        let element = &tree.elements[at];
        let id = element.required(self.text, "refpartition")?;
        let known = self.partition_ids.keys().map(String::as_str);
        self.partition_ids.get(id).copied().ok_or_else(|| self.unknown("partition", id, element.span, known))
    }
}

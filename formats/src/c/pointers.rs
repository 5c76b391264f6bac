//! Where pointers may point to, whatever the order of assignments: reads beyond the end of an array are refused, since the compiled
//! program reads what lies behind it and goes on.

use super::declare::{NOWHERE, Target};
use super::expr::Operand;
use super::parse::Parser;
use super::text::Res;
use crate::codes;
use crate::error::Span;
use hashbrown::HashMap;
use model::reactive::Expr;
use model::{ArrayId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The first pages of memory are never mapped, so a read there ends the program: so many `int`s.
const UNMAPPED: u32 = 1024;

/// What is known of one pointer.
#[derive(Default)]
struct Pointer {
    /// Arrays that it is set to, and pointers whose value it gets.
    arrays: BTreeSet<ArrayId>,
    from: BTreeSet<VarId>,
    /// Does it point nowhere at first?
    is_null: bool,
    /// The elements that are read, with the first place.
    read: BTreeMap<u32, Span>,
}

/// All pointers.
#[derive(Default)]
pub(super) struct Pointers(HashMap<VarId, Pointer>);

impl Pointers {
    /// A pointer with what it points to at first.
    pub(super) fn declare(&mut self, pointer: VarId, target: Option<Target>) {
        match target {
            Some(target) => self.set(pointer, target),
            None => self.0.entry(pointer).or_default().is_null = true,
        }
    }

    /// A pointer is set somewhere.
    pub(super) fn set(&mut self, pointer: VarId, target: Target) {
        let pointer = self.0.entry(pointer).or_default();
        match target {
            Target::Array(array) => pointer.arrays.insert(array),
            Target::Pointer(from) => pointer.from.insert(from),
        };
    }

    /// The pointers whose values come to `pointer`, itself among them.
    fn sources(&self, pointer: VarId) -> Vec<&Pointer> {
        let mut seen = BTreeSet::from([pointer]);
        let mut open = vec![pointer];
        let mut sources = Vec::new();
        while let Some(next) = open.pop().and_then(|var| self.0.get(&var)) {
            sources.push(next);
            open.extend(next.from.iter().copied().filter(|&from| seen.insert(from)));
        }
        sources
    }
}

impl<'a> Parser<'a> {
    /// `pointer[index]`.
    pub(super) fn behind(&mut self, pointer: VarId, index: u32, span: Span) -> Operand {
        let node = self.program.expr(Expr::Element { pointer, index });
        let known = self.pointers.0.entry(pointer).or_default();
        known.read.entry(index).or_insert(span);
        if known.is_null {
            let pointer = self.program.expr(Expr::Var(pointer));
            self.note_pointer(node, pointer, NOWHERE);
        }
        Operand::Node(node)
    }

    /// Refuses reads that may lie outside of what a pointer points to.
    pub(super) fn check_pointers(&self) -> Res<()> {
        let mut pointers: Vec<_> = self.pointers.0.iter().filter(|(_, pointer)| !pointer.read.is_empty()).collect();
        pointers.sort_unstable_by_key(|(var, _)| **var);
        for (&var, pointer) in pointers {
            let sources = self.pointers.sources(var);
            let (&last, &span) = pointer.read.last_key_value().expect("something is read");
            let targets = sources.iter().flat_map(|source| &source.arrays);
            if let Some((array, len)) = targets.map(|&id| (id, self.program.array_len(id))).min_by_key(|(_, len)| *len)
                && len <= last
            {
                let name = self.program.array_name(array);
                let message =
                    format!("element {last} is read by a pointer that may be set to `{name}`, of length {len}");
                let error = self.at.error(&codes::C_INDEX, span, message).label("may lie outside");
                return Err(error.hint("the compiled program reads what lies behind the array"));
            }
            let may_be_null = sources.iter().any(|source| source.is_null);
            if may_be_null && (!pointer.is_null || last >= UNMAPPED) {
                let error = self.at.error(&codes::C_INDEX, span, "the pointer may point nowhere here");
                return Err(error
                    .label("read")
                    .hint("set the pointers that it is copied from where they are declared"));
            }
        }
        Ok(())
    }
}

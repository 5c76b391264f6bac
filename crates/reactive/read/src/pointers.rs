//! Points-to analysis, independent of the order of assignments. A read that may lie beyond the end of an array
//! is refused, because the compiled program would read other memory there and continue.

use super::text::{Cursor, Res};
use formats::codes;
use formats::error::Span;
use hashbrown::HashMap;
use model::reactive::Builder;
use model::{ArrayId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The number of `int`s at the start of memory that are never mapped. Reading one of them ends the program.
const UNMAPPED: u32 = 1024;

/// The targets and reads of one pointer.
#[derive(Default)]
struct Pointer {
    /// The arrays that the pointer is set to, and the pointers that are assigned to it.
    arrays: BTreeSet<ArrayId>,
    from: BTreeSet<VarId>,
    /// True if the pointer is null at first.
    is_null: bool,
    /// The indices that are read through the pointer, with the first place of each.
    read: BTreeMap<u32, Span>,
}

/// All pointers.
#[derive(Default)]
pub(super) struct Pointers(HashMap<VarId, Pointer>);

impl Pointers {
    /// Declares a pointer with its initial target.
    pub(super) fn declare(&mut self, pointer: VarId, target: Option<Target>) {
        match target {
            Some(target) => self.set(pointer, target),
            None => self.0.entry(pointer).or_default().is_null = true,
        }
    }

    /// Records that a pointer is set to a target.
    pub(super) fn set(&mut self, pointer: VarId, target: Target) {
        let pointer = self.0.entry(pointer).or_default();
        match target {
            Target::Array(array) => pointer.arrays.insert(array),
            Target::Pointer(from) => pointer.from.insert(from),
        };
    }

    /// Records that an element is read through a pointer. Returns true if the pointer is null at first.
    pub(super) fn read(&mut self, pointer: VarId, index: u32, span: Span) -> bool {
        let known = self.0.entry(pointer).or_default();
        known.read.entry(index).or_insert(span);
        known.is_null
    }

    /// Refuses reads that may lie outside of the array that the pointer points to.
    pub(super) fn check(&self, program: &Builder, at: &Cursor<'_>) -> Res<()> {
        let mut pointers: Vec<_> = self.0.iter().filter(|(_, pointer)| !pointer.read.is_empty()).collect();
        pointers.sort_unstable_by_key(|(var, _)| **var);
        for (&var, pointer) in pointers {
            let sources = self.sources(var);
            let (&last, &span) = pointer.read.last_key_value().expect("something is read");
            let targets = sources.iter().flat_map(|source| &source.arrays);
            if let Some((array, len)) = targets.map(|&id| (id, program.array_len(id))).min_by_key(|(_, len)| *len)
                && len <= last
            {
                let name = program.array_name(array);
                let message = format!(
                    "element {last} is read through a pointer that may point to `{name}`, which has length {len}"
                );
                let error = at.error(&codes::C_INDEX, span, message).label("may lie outside");
                return Err(error.hint("the compiled program would read the memory after the array"));
            }
            let may_be_null = sources.iter().any(|source| source.is_null);
            if may_be_null && (!pointer.is_null || last >= UNMAPPED) {
                let error = at.error(&codes::C_INDEX, span, "the pointer may be null here");
                return Err(error.label("read").hint("give an initial value to the pointers that it is assigned from"));
            }
        }
        Ok(())
    }

    /// Returns `pointer` and all pointers with values that may flow into it.
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

/// The value of a null pointer. Reading through it crashes.
pub(super) const NOWHERE: i32 = -1;

/// A value that is assigned to a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// An array, or the address of a variable.
    Array(ArrayId),
    /// The value of another pointer.
    Pointer(VarId),
}

//! Frames of functions that run.

use super::heap::Heap;
use super::value::{Cell, Value};

/// A function that runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Frame {
    pub(super) function: u32,
    /// The next instruction.
    pub(super) pc: u32,
    /// The closure of the function.
    pub(super) closure: Value,
    pub(super) slots: Vec<Value>,
    pub(super) stack: Vec<Value>,
}

impl Frame {
    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Undefined)
    }

    pub(super) fn top(&self) -> Value {
        self.stack.last().cloned().unwrap_or(Value::Undefined)
    }

    /// Returns the box of a captured variable of this frame.
    pub(super) fn cell(&self, slot: u32) -> u32 {
        match self.slots[slot as usize] {
            Value::Ref(at) => at,
            _ => u32::MAX,
        }
    }

    /// Returns the box of a variable of an outer function.
    pub(super) fn outer(&self, number: u32, heap: &Heap) -> u32 {
        if let Value::Ref(at) = self.closure
            && let Cell::Closure(_, captured, _) = heap.get(at)
            && let Some(Value::Ref(found)) = captured.get(number as usize)
        {
            return *found;
        }
        u32::MAX
    }
}

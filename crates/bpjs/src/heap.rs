//! The heap of a machine.
//!
//! Cells have numbers from 0 on. The first cells are those that several b-threads can reach. They never change after
//! the top-level script. The other cells belong to one b-thread.

use super::value::{Cell, PURE, Stop, Value, refuse};
use formats::codes;
use std::rc::Rc;

/// The work on values that one run between two syncs may cause, and the largest length of a text or an array.
const MOST_VALUES: usize = 1 << 22;
pub(super) const MOST_LENGTH: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(super) struct Heap {
    shared: Rc<Vec<Cell>>,
    own: Vec<Cell>,
    /// Cells below this number cannot be changed now.
    locked: usize,
    /// Number of values that may still be made.
    left: usize,
}

impl Heap {
    pub(super) fn new(shared: Rc<Vec<Cell>>, own: Vec<Cell>) -> Self {
        let locked = shared.len();
        Self { shared, own, locked, left: MOST_VALUES }
    }

    pub(super) fn get(&self, at: u32) -> &Cell {
        match self.raw(at) {
            Cell::Frozen(cell) => cell,
            cell => cell,
        }
    }

    fn raw(&self, at: u32) -> &Cell {
        let at = at as usize;
        if at < self.shared.len() { &self.shared[at] } else { &self.own[at - self.shared.len()] }
    }

    /// True if the cell never changes because others can reach it, too.
    pub(super) fn is_frozen(&self, at: u32) -> bool {
        matches!(self.raw(at), Cell::Frozen(_))
    }

    /// Freezes own cells: those where the list has `true`.
    pub(super) fn freeze(&mut self, which: &[bool]) {
        for (cell, _) in self.own.iter_mut().zip(which).filter(|(_, is_frozen)| **is_frozen) {
            if !matches!(cell, Cell::Frozen(_)) {
                let inner = std::mem::replace(cell, Cell::Array(Vec::new()));
                *cell = Cell::Frozen(Box::new(inner));
            }
        }
    }

    /// Appends cells that were copied with [`Copier`]. Returns what the value refers to now.
    pub(super) fn append(&mut self, value: &Value, cells: &[Cell]) -> Result<Value, Stop> {
        self.charge(cells.iter().map(Cell::size).sum())?;
        let shift = self.own.len();
        let start = self.shared.len();
        let moved = |value: &mut Value| {
            if let Value::Ref(at) = value
                && *at as usize >= start
            {
                *at = u32::try_from(*at as usize + shift).unwrap_or(u32::MAX);
            }
        };
        self.own.extend(cells.iter().cloned().map(|mut cell| {
            cell.each(&mut |value| moved(value));
            cell
        }));
        let mut value = value.clone();
        moved(&mut value);
        Ok(value)
    }

    /// Returns a cell to change.
    pub(super) fn get_mut(&mut self, at: u32) -> Result<&mut Cell, Stop> {
        let (at, shared) = (at as usize, self.shared.len());
        if at < shared {
            let hint = "b-threads share only what does not change: make the value inside of the function of the \
                        b-thread, or tell other b-threads about changes by events";
            return Err(refuse(&codes::JS_SHARED, "this changes a value that other b-threads can reach, too", hint));
        }
        if let Cell::Frozen(_) = &self.own[at - shared] {
            let hint = "copy the value and change the copy: a value that a b-thread keeps after it put it into the \
                        store, or that it shares with a b-thread it registers, does not change";
            let message = "this changes a value that the store or another b-thread can reach, too";
            return Err(refuse(&codes::JS_SHARED, message, hint));
        }
        if at < self.locked {
            return Err(refuse(&codes::JS_PURE, "a predicate or the function of a `sort` changes a value", PURE));
        }
        Ok(&mut self.own[at - shared])
    }

    /// Returns the text if the cell is an array.
    pub(super) fn array(&self, value: &Value) -> Option<&Vec<Value>> {
        match value {
            Value::Ref(at) => match self.get(*at) {
                Cell::Array(values) => Some(values),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn alloc(&mut self, cell: Cell) -> Result<Value, Stop> {
        self.charge(cell.size())?;
        let at = u32::try_from(self.shared.len() + self.own.len()).unwrap_or(u32::MAX);
        self.own.push(cell);
        Ok(Value::Ref(at))
    }

    /// Counts values that are made or copied.
    pub(super) fn charge(&mut self, values: usize) -> Result<(), Stop> {
        self.left = self.left.checked_sub(values).ok_or_else(|| {
            let message = format!("more than {MOST_VALUES} values are made between two syncs");
            refuse(&codes::JS_MEMORY, message, "make fewer or smaller arrays, objects and texts")
        })?;
        Ok(())
    }

    /// Counts a text. Texts and arrays have a largest length.
    pub(super) fn charge_length(&mut self, length: usize) -> Result<(), Stop> {
        if length > MOST_LENGTH {
            let message = format!("a text or an array has more than {MOST_LENGTH} elements");
            return Err(refuse(&codes::JS_MEMORY, message, "make fewer or smaller arrays, objects and texts"));
        }
        self.charge(length / 8)
    }

    /// Locks all cells. Returns what [`Self::unlock`] needs.
    pub(super) fn lock(&mut self) -> usize {
        std::mem::replace(&mut self.locked, self.shared.len() + self.own.len())
    }

    pub(super) fn unlock(&mut self, locked: usize) {
        self.locked = locked;
    }

    /// Returns the number of shared cells.
    pub(super) fn shared(&self) -> usize {
        self.shared.len()
    }

    pub(super) fn is_shared(&self, at: u32) -> bool {
        (at as usize) < self.shared.len()
    }

    pub(super) fn own(&self) -> &[Cell] {
        &self.own
    }
}

/// Makes an error object.
pub(super) fn error_value(heap: &mut Heap, name: &str, message: &str) -> Result<Value, Stop> {
    let properties = vec![("name".into(), Value::str(name)), ("message".into(), Value::str(message))];
    heap.alloc(Cell::Object(properties))
}

/// Returns which of the cells values reach. `base` is the number of the first cell.
pub(super) fn reach(cells: &[Cell], base: usize, roots: impl IntoIterator<Item = Value>) -> Vec<bool> {
    let mut seen = vec![false; cells.len()];
    let mut open: Vec<Value> = roots.into_iter().collect();
    while let Some(value) = open.pop() {
        let Value::Ref(at) = value else { continue };
        let Some(at) = (at as usize).checked_sub(base) else { continue };
        if !std::mem::replace(&mut seen[at], true) {
            cells[at].clone().each(&mut |value| open.push(value.clone()));
        }
    }
    seen
}

/// Copies the cells that values reach, and numbers them in the order in which they are found.
pub(super) struct Copier<'h> {
    cells: &'h [Cell],
    /// Number of the first cell of `cells`. Cells before it are not copied.
    base: usize,
    /// The new numbers begin here.
    start: usize,
    numbers: Vec<Option<u32>>,
    order: Vec<usize>,
}

impl<'h> Copier<'h> {
    pub(super) fn new(cells: &'h [Cell], base: usize) -> Self {
        Self { cells, base, start: base, numbers: vec![None; cells.len()], order: Vec::new() }
    }

    /// Renumbers a reference.
    pub(super) fn visit(&mut self, value: &mut Value) {
        let Value::Ref(at) = value else { return };
        let Some(old) = (*at as usize).checked_sub(self.base) else { return };
        let next = u32::try_from(self.start + self.order.len()).unwrap_or(u32::MAX);
        let number = *self.numbers[old].get_or_insert(next);
        if number == next {
            self.order.push(old);
        }
        *at = number;
    }

    /// Returns the copied cells, after all roots were visited.
    pub(super) fn finish(mut self) -> Vec<Cell> {
        let mut copied = Vec::new();
        while let Some(old) = self.order.get(copied.len()) {
            let mut cell = self.cells[*old].clone();
            cell.each(&mut |value| self.visit(value));
            copied.push(cell);
        }
        copied
    }
}

//! Arrays of integers in the terms of lemmas: reads, writes, and the rules that every array keeps to.
//!
//! A read `a[i]` is a constant ([`Constant::Cell`]), so arithmetic treats it as any other number. What makes it a read
//! are the rules of arrays ([`ArrayRule`]): clauses that hold for every array, of which a proof states the instances
//! that it needs (lemmas on demand: Brummayer and Biere, TACAS 2009, with the axioms of McCarthy 1962). An array that
//! is never written is a function of one argument, about which nothing else is known (an uninterpreted function).

use crate::ids::{EventId, LocalId, ThreadId};
use crate::lemma::{LemmaLit, Prop};
use crate::term::{Constant, IntAtom, IntTerm, Values};
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use std::sync::Arc;

/// An array: a number for each integer index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArrayTerm {
    /// An array that a pattern introduced.
    Named(Arc<str>),
    /// An array of threads, one for each cell.
    Threads(Arc<ThreadArray>),
    /// The array that differs from this one at the index (second) only, where it has the value (third).
    Store(Box<ArrayTerm>, Box<IntTerm>, Box<IntTerm>),
}

/// An array that the states of threads determine: cell k has the value of the local state of thread k of the list. The
/// other cells are 0, and so are all cells if the run has fewer than `back` events.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadArray {
    /// Distance from the end of the run, in events, of the states that are read.
    pub back: u32,
    /// The cells, from index 0 on.
    pub cells: Vec<ThreadCell>,
}

/// A cell that is a thread.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadCell {
    /// The thread.
    pub thread: ThreadId,
    /// For each of its local states: the value of the cell.
    pub values: Vec<i64>,
}

/// A clause about arrays that is true of every violating run. Each variant states the literals, of which the first is
/// the one that usually holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ArrayRule {
    /// Equal indexes have equal cells: `array[first] = array[second]`, `first + 1 <= second`, `second + 1 <= first`.
    SameIndex {
        /// The array.
        array: ArrayTerm,
        /// An index.
        first: IntTerm,
        /// An index.
        second: IntTerm,
    },
    /// The index that was written has the value that was written: `store(array, at, value)[read] = value`,
    /// `at + 1 <= read`, `read + 1 <= at`.
    Written(Write),
    /// Each other index keeps its value: `store(array, at, value)[read] = array[read]`, `at = read`.
    Kept(Write),
    /// A state of a thread gives the value of its cell: `array[index] = value`, `not StateBack(back, thread, state)`,
    /// with the thread and the value that `array` has for the index and the state.
    Cell {
        /// The array.
        array: Arc<ThreadArray>,
        /// The index.
        index: u32,
        /// The local state of the thread of that index.
        state: LocalId,
    },
    /// An event writes one cell, or none: `after[read] = store(before, at, value)[read]` (or `= before[read]`), `not
    /// EventBack(after.back, event)`, where `before` is `after` one event earlier. Condition: from each locally
    /// reachable state that does not block the event, the event leads the thread of index `at` to states of this value
    /// only, and each other cell to states of the value that it has.
    Moves {
        /// The array after the event.
        after: Arc<ThreadArray>,
        /// The event.
        event: EventId,
        /// The index that is written, and its value.
        write: Option<(u32, i64)>,
        /// The index that is read.
        read: IntTerm,
    },
}

/// A write and a read of the array that was written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Write {
    /// The array before the write.
    pub array: ArrayTerm,
    /// The index that is written.
    pub at: IntTerm,
    /// The value that is written.
    pub value: IntTerm,
    /// The index that is read.
    pub read: IntTerm,
}

impl ArrayTerm {
    /// Returns the term `self[index]`.
    #[must_use]
    pub fn cell(&self, index: IntTerm) -> IntTerm {
        IntTerm::Constant(Constant::Cell(Box::new(self.clone()), Box::new(index)))
    }

    /// Returns the array that has `value` at `index`, and is this one elsewhere.
    #[must_use]
    pub fn store(&self, index: IntTerm, value: IntTerm) -> Self {
        Self::Store(Box::new(self.clone()), Box::new(index), Box::new(value))
    }

    /// Returns the number at this index, from the values of terms and of cells with a number as their index.
    pub(crate) fn read(&self, index: &IntTerm, values: &Values) -> Option<BigInt> {
        let index = index.eval(values)?;
        let mut array = self;
        while let Self::Store(before, at, value) = array {
            if at.eval(values)? == index {
                return value.eval(values);
            }
            array = before;
        }
        let is_outside = |of: &ThreadArray| index.to_usize().is_none_or(|index| index >= of.cells.len());
        match array {
            Self::Threads(of) if is_outside(of) => Some(BigInt::zero()),
            _ => values.get(&Constant::Cell(Box::new(array.clone()), Box::new(IntTerm::Number(index)))).cloned(),
        }
    }
}

impl ArrayRule {
    /// Returns the literals of the rule.
    ///
    /// # Panics
    /// If the array of [`ArrayRule::Cell`] has no such cell, or the cell no value for the state.
    #[must_use]
    pub fn clause(&self) -> Vec<LemmaLit> {
        let int = |atom: IntAtom| LemmaLit::yes(Prop::Int(atom));
        let below =
            |a: &IntTerm, b: &IntTerm| int(IntAtom::Le(IntTerm::Sum(vec![a.clone(), IntTerm::number(1)]), b.clone()));
        match self {
            Self::SameIndex { array, first, second } => {
                let same = IntAtom::Eq(array.cell(first.clone()), array.cell(second.clone()));
                vec![int(same), below(first, second), below(second, first)]
            }
            Self::Written(write) => {
                let same = IntAtom::Eq(write.cell(), write.value.clone());
                vec![int(same), below(&write.at, &write.read), below(&write.read, &write.at)]
            }
            Self::Kept(write) => {
                let same = IntAtom::Eq(write.cell(), write.array.cell(write.read.clone()));
                vec![int(same), int(IntAtom::Eq(write.at.clone(), write.read.clone()))]
            }
            Self::Cell { array, index, state } => {
                let cell = &array.cells[*index as usize];
                let (back, thread, value) = (array.back, cell.thread, cell.values[state.index()]);
                let cell = ArrayTerm::Threads(Arc::clone(array)).cell(IntTerm::number(*index));
                let is_there = Prop::StateBack { back, thread, state: *state };
                vec![int(IntAtom::Eq(cell, IntTerm::number(value))), LemmaLit::no(is_there)]
            }
            Self::Moves { after, event, write, read } => {
                let before = ThreadArray { back: after.back.saturating_add(1), cells: after.cells.clone() };
                let mut written = ArrayTerm::Threads(Arc::new(before));
                if let Some((at, value)) = *write {
                    written = written.store(IntTerm::number(at), IntTerm::number(value));
                }
                let after_cell = ArrayTerm::Threads(Arc::clone(after)).cell(read.clone());
                let fired = Prop::EventBack { back: after.back, event: *event };
                vec![int(IntAtom::Eq(after_cell, written.cell(read.clone()))), LemmaLit::no(fired)]
            }
        }
    }
}

impl Write {
    fn cell(&self) -> IntTerm {
        self.array.store(self.at.clone(), self.value.clone()).cell(self.read.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_hides_what_was_there() {
        let a = ArrayTerm::Named("a".into());
        let number = |n: i64| IntTerm::number(n);
        let Constant::Cell(array, index) = Constant::Cell(Box::new(a.clone()), Box::new(number(1))) else {
            unreachable!("made above")
        };
        let mut values = Values::from([(Constant::Cell(array, index), BigInt::from(7))]);
        let twice = a.store(number(1), number(8)).store(number(2), number(9));
        let read = |array: &ArrayTerm, values: &Values, n: i64| array.cell(number(n)).eval(values);
        assert_eq!(read(&a, &values, 1), Some(7.into()));
        assert_eq!([1, 2, 3].map(|n| read(&twice, &values, n)), [Some(8.into()), Some(9.into()), None]);
        values.insert(Constant::RunLength, 1.into());
        assert_eq!(a.cell(IntTerm::Constant(Constant::RunLength)).eval(&values), Some(7.into()));
    }
}

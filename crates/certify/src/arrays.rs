//! The rules of arrays ([`model::array::ArrayRule`]): a clause must contain the literals of its rule. They are written
//! down here again, independent of the code that emits them.
//!
//! 1. A rule holds for all numbers that its terms can stand for, because an array has one number for each index.

use crate::clauses::View as Clause;
use crate::threads::Threads;
use crate::{Check, reject};
use kernel::Work;
use model::array::{ArrayRule, ArrayTerm, ThreadArray, ThreadCell, Write};
use model::{Constant, IntAtom, IntTerm};
use num_bigint::BigInt;
use num_traits::One;

/// Accepts the clause if it contains the literals of this rule, and the condition of the rule holds.
pub(crate) fn check(rule: &ArrayRule, clause: &Clause<'_>, threads: &Threads<'_>, work: &mut Work<'_>) -> Check<()> {
    let mut has = |atom: &IntAtom| -> Check<()> {
        work.spend((1 + clause.atoms.len() as u64).saturating_mul(1 + size(atom)))?;
        if clause.atoms.contains(&atom) { Ok(()) } else { reject("a literal of the rule of arrays is missing") }
    };
    match rule {
        // Sound: if neither index is below the other, they are equal, and so are the two cells.
        ArrayRule::SameIndex { array, first, second } => {
            has(&IntAtom::Eq(cell(array, first), cell(array, second)))?;
            has(&below(first, second))?;
            has(&below(second, first))
        }
        // Sound: if neither index is below the other, the index that is read is the one that was written.
        ArrayRule::Written(Write { array, at, value, read }) => {
            has(&IntAtom::Eq(cell(&stored(array, at, value), read), value.clone()))?;
            has(&below(at, read))?;
            has(&below(read, at))
        }
        // Sound: the write changes the index `at` only.
        ArrayRule::Kept(Write { array, at, value, read }) => {
            has(&IntAtom::Eq(cell(&stored(array, at, value), read), cell(array, read)))?;
            has(&IntAtom::Eq(at.clone(), read.clone()))
        }
        // Sound: by the definition of the array, if the thread is in that state.
        ArrayRule::Cell { array, index, state } => {
            let Some(ThreadCell { thread, values }) = array.cells.get(*index as usize) else {
                return reject("the array has no such cell");
            };
            let Some(value) = values.get(state.index()) else { return reject("the state has no value in the array") };
            if !clause.has_state(false, array.back, thread.0, state.0) {
                return reject("the state of the thread is not excluded");
            }
            let array = ArrayTerm::Threads(array.clone());
            has(&IntAtom::Eq(cell(&array, &IntTerm::number(*index)), IntTerm::number(*value)))
        }
        // Sound: the event fires before the states at distance `back`, in states that do not block it. By the condition
        // each cell then has the value that the write gives it. The cells that are no threads are 0 before and after.
        ArrayRule::Moves { after, event, write, read } => {
            if !clause.has_event(false, after.back, event.0) {
                return reject("the event is not excluded");
            }
            let Some(back) = after.back.checked_add(1) else { return reject("the distance is too large") };
            let mut before = ArrayTerm::Threads(ThreadArray { back, cells: after.cells.clone() }.into());
            if let Some((at, value)) = *write {
                before = stored(&before, &IntTerm::number(at), &IntTerm::number(value));
            }
            has(&IntAtom::Eq(cell(&ArrayTerm::Threads(after.clone()), read), cell(&before, read)))?;
            moves(after, event.0, *write, threads, work)
        }
    }
}

/// Checks the condition of [`ArrayRule::Moves`].
fn moves(
    array: &ThreadArray,
    event: u32,
    write: Option<(u32, i64)>,
    threads: &Threads<'_>,
    work: &mut Work<'_>,
) -> Check<()> {
    if write.is_some_and(|(at, _)| array.cells.len() <= at as usize) {
        return reject("the array has no such cell");
    }
    let stepper = threads.stepper;
    for (index, ThreadCell { thread, values }) in array.cells.iter().enumerate() {
        let Some(view) = threads.views.get(thread.index()) else { return reject("there is no such thread") };
        // Each thread once, so that the work is about that of reading the program.
        if array.cells[..index].iter().any(|other| other.thread == *thread) {
            return reject("a thread is two cells");
        }
        work.spend((1 + index + view.reachable.len()) as u64)?;
        let value_of = |state: u32| values.get(state as usize).copied();
        for &state in view.reachable.iter().filter(|&&s| !stepper.blocks(thread.index(), s, event)) {
            let wanted = match write {
                Some((at, value)) if at as usize == index => Some(value),
                _ => value_of(state),
            };
            let targets = stepper.targets(thread.index(), state, event);
            work.spend(targets.len() as u64)?;
            if wanted.is_none() || targets.iter().any(|&to| value_of(to) != wanted) {
                return reject(format!("the event gives cell {index} another value"));
            }
        }
    }
    Ok(())
}

fn cell(array: &ArrayTerm, index: &IntTerm) -> IntTerm {
    IntTerm::Constant(Constant::Cell(Box::new(array.clone()), Box::new(index.clone())))
}

fn stored(array: &ArrayTerm, at: &IntTerm, value: &IntTerm) -> ArrayTerm {
    ArrayTerm::Store(Box::new(array.clone()), Box::new(at.clone()), Box::new(value.clone()))
}

/// The atom `a + 1 <= b`.
fn below(a: &IntTerm, b: &IntTerm) -> IntAtom {
    IntAtom::Le(IntTerm::Sum(vec![a.clone(), IntTerm::Number(BigInt::one())]), b.clone())
}

/// The size of the arrays in an atom, as work to compare them.
fn size(atom: &IntAtom) -> u64 {
    let mut size = 0;
    atom.for_each_constant(&mut |constant| {
        size += 1;
        let Constant::Cell(array, _) = constant else { return };
        let mut array = array;
        while let ArrayTerm::Store(before, ..) = &**array {
            size += 1;
            array = before;
        }
        if let ArrayTerm::Threads(of) = &**array {
            size += of.cells.iter().map(|cell| 1 + cell.values.len() as u64).sum::<u64>();
        }
    });
    size
}

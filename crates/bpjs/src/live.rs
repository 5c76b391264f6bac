//! Live variables: which slots of a function are read after a call, by a backward analysis of its instructions. A
//! state does not contain the other slots, so that states differ only by what the rest of the run can read.

use super::code::{Capture, Function, Live, Op};

/// The largest number of bits that the analysis of a function may take.
const MOST_BITS: usize = 1 << 28;

/// Computes the live slots of a function. `captures` returns the captured variables of an inner function. `None` if the
/// function is too large.
pub(super) fn live<'f>(function: &Function, captures: impl Fn(u32) -> &'f [Capture]) -> Option<Live> {
    let words = function.variables.len().div_ceil(64).max(1);
    let length = function.code.len();
    if length.checked_mul(words * 64)? > MOST_BITS {
        return None;
    }
    // `before[pc]`: the slots that are live before the instruction.
    let mut before = vec![0_u64; (length + 1) * words];
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for pc in (0..length).rev() {
            let mut set = after(function, &before, words, pc);
            transfer(&function.code[pc], &captures, &mut set);
            let old = &mut before[pc * words..(pc + 1) * words];
            if *old != *set {
                old.copy_from_slice(&set);
                is_stable = false;
            }
        }
    }
    let mut live = Live { words, rows: vec![None; length], sets: Vec::new() };
    for pc in 0..length {
        if is_call(&function.code[pc]) {
            live.rows[pc] = u32::try_from(live.sets.len() / words).ok();
            live.sets.extend(after(function, &before, words, pc));
        }
    }
    Some(live)
}

fn is_call(op: &Op) -> bool {
    matches!(op, Op::Call(_) | Op::CallSpread | Op::Method(..) | Op::MethodSpread(_) | Op::MethodIndex(_) | Op::New(_))
}

/// Returns the slots that are live after the instruction, on its normal way and on the way of an exception.
fn after(function: &Function, before: &[u64], words: usize, pc: usize) -> Vec<u64> {
    let mut set = vec![0; words];
    let mut join = |target: usize| {
        let row = &before[target * words..(target + 1) * words];
        set.iter_mut().zip(row).for_each(|(a, b)| *a |= b);
    };
    let (jump, falls) = match &function.code[pc] {
        Op::Jump(to) => (Some(*to), false),
        Op::JumpIfFalse(to)
        | Op::JumpIfTrue(to)
        | Op::JumpFalseKeep(to)
        | Op::JumpTrueKeep(to)
        | Op::JumpSomeKeep(to)
        | Op::JumpNullish(to)
        | Op::JumpDefined(to)
        | Op::Next(to) => (Some(*to), true),
        Op::Return | Op::Throw | Op::ThrowConst | Op::Missing(_) => (None, false),
        _ => (None, true),
    };
    if let Some(to) = jump {
        join(to as usize);
    }
    if falls {
        join(pc + 1);
    }
    if let Some(found) = function.tries.iter().find(|t| (t.start as usize..t.end as usize).contains(&pc)) {
        join(found.catch as usize);
    }
    set
}

/// Computes the slots that are live before an instruction from those after it.
fn transfer<'f>(op: &Op, captures: &impl Fn(u32) -> &'f [Capture], set: &mut [u64]) {
    let slot = |s: u32| (s as usize / 64, 1_u64 << (s % 64));
    match op {
        Op::NewVar(s, _) | Op::NewBox(s, _) | Op::Store(s) => set[slot(*s).0] &= !slot(*s).1,
        Op::Load(s)
        | Op::LoadBox(s)
        | Op::StoreBox(s)
        | Op::StoreChecked(s)
        | Op::StoreBoxChecked(s)
        | Op::Fresh(s)
        | Op::FreshBox(s)
        | Op::Param(s)
        | Op::ParamBox(s) => set[slot(*s).0] |= slot(*s).1,
        Op::Closure(inner) => {
            for capture in captures(*inner) {
                if let Capture::Slot(s) = capture {
                    set[slot(*s).0] |= slot(*s).1;
                }
            }
        }
        _ => {}
    }
}

//! Transitions that others make redundant, and transitions that change nothing that matters (Murata 1989; Berthelot
//! 1987; Thierry-Mieg 2020).
//!
//! * *Equal effects.* Two transitions have the same effect, and one of them needs at least what the other one needs.
//!   The first is dropped. *Formulas and deadlock*: the other one can fire whenever the first can, with the same
//!   result. So the same markings are reachable, and the same ones are dead.
//! * *Nothing useful.* A transition adds tokens to no place, and takes no tokens from fixed places. It is dropped.
//!   *Formulas*: a run without its firings has the same tokens on fixed places, and at least as many on all others. So
//!   all that follows in the run can still fire, and the formula holds at the end. *Deadlock* is not preserved: such a
//!   transition may lead to a dead marking, or may be the only one that is enabled.

use super::draft::{Arcs, Draft, Rule};

/// Largest number of transitions with the same effect that are compared with each other.
const MOST_COMPARED: usize = 16;

/// Applies the rules. Returns true if they dropped something.
pub(super) fn drop(draft: &mut Draft) -> bool {
    let mut by_effect: Vec<(Vec<(u32, i64)>, u32)> =
        draft.left().into_iter().map(|t| (effect(draft.rule(t)), t)).collect();
    let mut is_changed = false;
    if !draft.asks_deadlock {
        by_effect.retain(|(effect, t)| {
            let is_useless = effect.iter().all(|(p, n)| *n < 0 && !draft.fixed[*p as usize]);
            if is_useless {
                draft.remove(*t);
                is_changed = true;
            }
            !is_useless
        });
    }
    by_effect.sort_unstable();
    for same in by_effect.chunk_by(|a, b| a.0 == b.0) {
        is_changed |= compare(draft, same);
    }
    is_changed
}

/// Drops transitions of which the effect is `same` for all of them.
fn compare(draft: &mut Draft, same: &[(Vec<(u32, i64)>, u32)]) -> bool {
    let mut kept: Vec<u32> = Vec::new();
    let mut is_changed = false;
    for (_, t) in same {
        let needs = |t: u32| &draft.rule(t).pre;
        if kept.iter().any(|other| is_within(needs(*other), needs(*t))) {
            draft.remove(*t);
            is_changed = true;
            continue;
        }
        let (worse, rest): (Vec<u32>, Vec<u32>) = kept.iter().partition(|other| is_within(needs(*t), needs(**other)));
        is_changed |= !worse.is_empty();
        worse.into_iter().for_each(|other| draft.remove(other));
        kept = rest;
        if kept.len() < MOST_COMPARED {
            kept.push(*t);
        }
    }
    is_changed
}

fn effect(rule: &Rule) -> Vec<(u32, i64)> {
    let signed = |n: u64| i64::try_from(n).expect("weights are small");
    let mut all: Vec<(u32, i64)> = rule.pre.iter().map(|(p, n)| (*p, -signed(*n))).collect();
    all.extend(rule.post.iter().map(|(p, n)| (*p, signed(*n))));
    all.sort_unstable_by_key(|(p, _)| *p);
    all.dedup_by(|next, first| {
        let same = next.0 == first.0;
        if same {
            first.1 += next.1;
        }
        same
    });
    all.retain(|(_, n)| *n != 0);
    all
}

/// Returns true if all weights of `a` are at most those of `b`.
fn is_within(a: &Arcs, b: &Arcs) -> bool {
    a.iter().all(|(p, n)| super::draft::weight(b, *p) >= *n)
}

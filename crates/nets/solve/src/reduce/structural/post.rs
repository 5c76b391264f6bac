//! Post-agglomeration: a place that tokens can leave at any time (Berthelot 1987; Haddad and Pradat-Peyre 2006).
//!
//! Let p be a free place with producers H and consumers F, both not empty and disjoint, such that each f of F takes
//! from p only. If F has several transitions, then all arcs on p have weight 1 and p is empty at first. Otherwise f
//! takes k tokens from p, and all numbers that the others give, and the initial one, are multiples of k. No f gives to
//! a place that a transition that is not plain touches. Then p is dropped. Each h of H is replaced by the transitions
//! "h, then f for its tokens", for all f; and if p has tokens at first, the only f fires for them before all else.
//!
//! *Runs of the reduced net* are runs of the net: after h, the tokens for f are there, and f needs nothing else.
//!
//! *Deadlock.* In a dead marking p holds fewer tokens than f takes, hence none. In a run to it, move each f directly
//! behind the h that gave its tokens. All that comes between finds more tokens on the places that f gives to, and the
//! same on all others. So the result is a run, to the same marking, and the reduced net has it. A marking without
//! tokens on p is dead in both nets or in none, because "h, then f" is enabled exactly if h is, and f is not enabled.
//!
//! *Formulas.* A run to a marking with tokens on p can be continued with some f until p is empty. This does not matter
//! for the formula if this f gives to no fixed place. The rule asks for one such f. Then it is as for deadlocks.

use super::draft::{Draft, Rule, joined, weight};

/// Applies the rule to all places. Returns true if it did anything.
pub(super) fn agglomerate(draft: &mut Draft) -> bool {
    let mut is_changed = false;
    for p in draft.places() {
        if let Some((rules, first)) = meant(draft, p) {
            draft.first.extend(first);
            draft.replace(p, rules);
            is_changed = true;
        }
    }
    is_changed
}

/// Largest number of firings before all else, for one place.
const MOST_FIRST: u64 = 100;

/// Returns the new transitions, and what fires before all else, if the rule applies to `p`.
fn meant(draft: &mut Draft, p: u32) -> Option<(Vec<Rule>, Vec<u32>)> {
    let (from, to) = (&draft.producers[p as usize], &draft.consumers[p as usize]);
    if !draft.is_free(p) || from.is_empty() || to.is_empty() || !are_few(from.len(), to.len()) {
        return None;
    }
    let of = |t: &u32| draft.rule(*t);
    if to.iter().any(|f| of(f).pre.len() != 1 || of(f).post.iter().any(|(q, _)| *q == p || draft.odd[*q as usize])) {
        return None;
    }
    let is_hidden = |f: &u32| of(f).post.iter().all(|(q, _)| !draft.fixed[*q as usize]);
    if draft.asks_formula && !to.iter().any(is_hidden) {
        return None;
    }
    let (takes, tokens) = (weight(&of(&to[0]).pre, p), draft.initial[p as usize]);
    let fits = |n: u64| if to.len() == 1 { n.is_multiple_of(takes) } else { n == 1 };
    let all_fit = from.iter().all(|h| fits(weight(&of(h).post, p))) && to.iter().all(|f| fits(weight(&of(f).pre, p)));
    let first = tokens / takes;
    if !all_fit || !tokens.is_multiple_of(takes) || (to.len() > 1 && tokens > 0) || first > MOST_FIRST {
        return None;
    }
    // The initial tokens of a fixed place may be open.
    if first > 0 && !is_hidden(&to[0]) {
        return None;
    }
    let mut rules = Vec::new();
    for h in from {
        let times = weight(&of(h).post, p) / takes;
        for f in to {
            rules.push(joined(p, (of(h), 1), (of(f), times))?);
        }
    }
    let f = of(&to[0]).clone();
    let word = (0..first).flat_map(|_| f.word.clone()).collect();
    f.post.iter().for_each(|(q, n)| draft.initial[*q as usize] += n * first);
    Some((rules, word))
}

/// Returns true if all pairs are not more than what they replace.
pub(super) fn are_few(producers: usize, consumers: usize) -> bool {
    producers.saturating_mul(consumers) <= producers + consumers
}

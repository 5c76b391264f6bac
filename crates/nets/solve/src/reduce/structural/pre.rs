//! Pre-agglomeration: a place where tokens can arrive just when they are needed (Berthelot 1987; Haddad and
//! Pradat-Peyre 2006).
//!
//! Let p be a free place that is empty at first, with producers H and consumers F, both not empty and disjoint, such
//! that each h of H gives one token to p and nothing else, and takes from no fixed place. If H has several transitions,
//! each f of F takes one token from p. Then p is dropped. Each f is replaced by the transitions "h for the tokens of f,
//! then f", for all h.
//!
//! *Runs of the reduced net* are runs of the net: the firings of h put what f needs on p.
//!
//! *Formulas.* In a run to a marking that satisfies the formula, move each h directly before the f that takes its
//! token, and leave h out if no f takes it. All that comes between finds more tokens on the places that h takes from,
//! and the same on all others but p, which only F looks at. So the result is a run. In its last marking only places
//! that h takes from may hold more tokens, and p holds fewer. None of them is fixed, so the formula still holds. The
//! reduced net has this run.
//!
//! *Deadlock* is not preserved: in a dead marking p may hold tokens, and without the firings of h other transitions
//! may be enabled.

use super::draft::{Draft, Rule, joined, weight};
use super::post::are_few;

/// Applies the rule to all places. Returns true if it did anything.
pub(super) fn agglomerate(draft: &mut Draft) -> bool {
    let mut is_changed = false;
    if draft.asks_deadlock {
        return false;
    }
    for p in draft.places() {
        if let Some(rules) = meant(draft, p) {
            draft.replace(p, rules);
            is_changed = true;
        }
    }
    is_changed
}

/// Returns the new transitions if the rule applies to `p`.
fn meant(draft: &Draft, p: u32) -> Option<Vec<Rule>> {
    let (from, to) = (&draft.producers[p as usize], &draft.consumers[p as usize]);
    let is_empty = draft.initial[p as usize] == 0;
    if !draft.is_free(p) || !is_empty || from.is_empty() || to.is_empty() || !are_few(from.len(), to.len()) {
        return None;
    }
    let of = |t: &u32| draft.rule(*t);
    let is_meant = |h: &u32| {
        let h = of(h);
        h.post == [(p, 1)] && h.pre.iter().all(|(q, _)| *q != p && !draft.fixed[*q as usize])
    };
    if !from.iter().all(is_meant) || (from.len() > 1 && to.iter().any(|f| weight(&of(f).pre, p) != 1)) {
        return None;
    }
    // F and H are disjoint, because no h takes from p.
    let mut rules = Vec::new();
    for f in to {
        for h in from {
            rules.push(joined(p, (of(h), weight(&of(f).pre, p)), (of(f), 1))?);
        }
    }
    Some(rules)
}

//! Places that never disable a transition, and transitions that are dead because of a place (Berthelot 1987; Murata
//! 1989). All rules preserve *formulas and deadlock*: the places are free, so no formula names them, and the markings
//! of all other places stay the same, with the same enabled transitions.
//!
//! * *No loss.* No transition leaves fewer tokens on the place than it found. If the initial number satisfies all arcs
//!   from the place, the place never disables anything, and is dropped. A place without arcs to transitions is a case
//!   of it.
//! * *No gain.* No transition leaves more tokens on the place than it found, and some transition needs more than there
//!   are at first. This transition never fires, and is dropped.
//! * *Equal places.* Two places have the same arcs. The one that has at least as many tokens as the other one at first
//!   has so forever, so it disables nothing that the other one does not disable, and is dropped.

use super::draft::{Draft, weight};

/// The arcs of a place: transition, weight to it, and weight from it.
type Around = Vec<(u32, u64, u64)>;

/// Applies the rules. Returns true if they dropped something.
pub(super) fn drop(draft: &mut Draft) -> bool {
    let mut is_changed = false;
    for p in draft.places() {
        let around = around(draft, p);
        if draft.is_free(p) && around.iter().all(|(_, takes, gives)| gives >= takes) {
            let tokens = draft.initial[p as usize];
            if around.iter().all(|(_, takes, _)| *takes <= tokens) {
                draft.remove_place(p);
                is_changed = true;
            }
        }
        if !draft.odd[p as usize] && !draft.is_open(p) && around.iter().all(|(_, takes, gives)| gives <= takes) {
            let tokens = draft.initial[p as usize];
            for (t, ..) in around.iter().filter(|(_, takes, _)| *takes > tokens) {
                draft.remove(*t);
                is_changed = true;
            }
        }
    }
    is_changed | equal(draft)
}

/// Drops places that are equal to others.
fn equal(draft: &mut Draft) -> bool {
    let mut all: Vec<(Around, u64, bool, u32)> = draft
        .places()
        .map(|p| (around(draft, p), draft.initial[p as usize], draft.is_free(p), p))
        .filter(|(around, _, _, p)| !around.is_empty() && !draft.odd[*p as usize] && !draft.is_open(*p))
        .collect();
    // The first of several equal places has the fewest tokens, and is not free if one of those with as many is not.
    all.sort_unstable();
    let mut is_changed = false;
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        for (_, _, is_free, p) in &same[1..] {
            if *is_free {
                draft.remove_place(*p);
                is_changed = true;
            }
        }
    }
    is_changed
}

fn around(draft: &Draft, p: u32) -> Around {
    let arcs = |t: u32| (t, weight(&draft.rule(t).pre, p), weight(&draft.rule(t).post, p));
    let all = draft.consumers[p as usize].iter().chain(&draft.producers[p as usize]);
    let mut around: Around = all.map(|t| arcs(*t)).collect();
    around.sort_unstable();
    around.dedup();
    around
}

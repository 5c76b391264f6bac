//! The data that the concurrency relation needs of each transition: the places on which the transition requires
//! tokens, the places that it marks in any case, and its moves of tokens between places.

use crate::rules::{Change, Condition, Rules};
use search::rows::Rows;

/// A place that is marked after every firing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Give {
    pub(super) place: u32,
    /// True if the place holds two or more tokens after every firing.
    pub(super) two: bool,
}

/// A change after which the content of the place is not its old content plus a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) place: u32,
    /// Range of the sources of the move in [`Shapes::sources`].
    pub(super) sources: (u32, u32),
}

/// The data of all transitions. Rows are indexed by transition, except where the field says otherwise.
#[derive(Debug)]
pub(super) struct Shapes {
    /// The preset: places on which a guard requires tokens.
    pub(super) takes: Rows<u32>,
    /// Transitions with an empty preset.
    pub(super) free: Vec<u32>,
    /// Places on which a guard requires two tokens or more.
    pub(super) twice: Rows<u32>,
    /// Places that are marked after every firing.
    pub(super) gives: Rows<Give>,
    /// Places of `gives` that are not in the preset.
    pub(super) fresh: Rows<u32>,
    /// Places that may not hold more tokens than a guard requires.
    pub(super) full: Rows<u32>,
    /// Places that may hold exactly one token more than a guard requires.
    nearly_full: Rows<u32>,
    pub(super) moves: Rows<Move>,
    /// Sources of all moves: ascending for each move, with repetitions.
    pub(super) sources: Vec<u32>,
    /// For each place: transitions to process again when the row of the place changes.
    pub(super) wakes: Rows<u32>,
    /// Work units already charged to the budget.
    pub(super) paid: u64,
}

impl Shapes {
    pub(super) fn new(rules: &Rules) -> Self {
        let all = 0..rules.transitions();
        let guarded = |t: usize, holds: fn(&Condition) -> bool| -> Vec<u32> {
            rules.guards.row(t).iter().filter(|c| holds(c)).map(|c| c.place).collect()
        };
        let gives: Vec<Vec<Give>> = all.clone().map(|t| gives(rules, t)).collect();
        let fresh = |(t, gives): (usize, &Vec<Give>)| {
            gives.iter().map(|g| g.place).filter(|p| least(rules, t, *p) == 0).collect()
        };
        let moves = |t: usize| {
            let moved = |c: &Change| Some(Move { place: c.place, sources: c.sources? });
            rules.changes.row(t).iter().filter_map(moved).collect::<Vec<Move>>()
        };
        let mut wakes: Vec<(u32, u32)> = Vec::new();
        for (t, number) in all.clone().zip(0u32..) {
            wakes.extend(guarded(t, |c| c.least > 0).into_iter().map(|p| (p, number)));
            let sources = rules.changes.row(t).iter().filter_map(|c| c.sources);
            wakes.extend(sources.flat_map(|(a, b)| &rules.sources[a as usize..b as usize]).map(|p| (*p, number)));
        }
        wakes.sort_unstable();
        wakes.dedup();
        Self {
            takes: Rows::in_order(all.clone().map(|t| guarded(t, |c| c.least > 0))),
            free: (0u32..)
                .zip(all.clone())
                .filter(|(_, t)| guarded(*t, |c| c.least > 0).is_empty())
                .map(|(t, _)| t)
                .collect(),
            twice: Rows::in_order(all.clone().map(|t| guarded(t, |c| c.least > 1))),
            fresh: Rows::in_order(gives.iter().enumerate().map(fresh)),
            gives: Rows::in_order(gives.into_iter()),
            full: Rows::in_order(all.clone().map(|t| guarded(t, |c| c.most <= c.least))),
            nearly_full: Rows::in_order(all.clone().map(|t| guarded(t, |c| c.most.checked_sub(c.least) == Some(1)))),
            moves: Rows::in_order(all.map(moves)),
            sources: rules.sources.clone(),
            wakes: Rows::sorted(rules.places(), wakes),
            paid: 0,
        }
    }

    /// Returns true if the guard allows exactly one token more than it requires on the place.
    pub(super) fn has_room_for_one(&self, t: usize, place: u32) -> bool {
        self.nearly_full.row(t).binary_search(&place).is_ok()
    }
}

/// Returns the number of tokens that a transition requires on a place.
fn least(rules: &Rules, t: usize, place: u32) -> u64 {
    let guards = rules.guards.row(t);
    guards.binary_search_by_key(&place, |c| c.place).map_or(0, |i| guards[i].least)
}

/// Returns the places that are marked after a firing from the least marking that enables the transition.
fn gives(rules: &Rules, t: usize) -> Vec<Give> {
    let changes = rules.changes.row(t);
    let changed = |place: u32| changes.binary_search_by_key(&place, |c| c.place).is_ok();
    let kept = rules.guards.row(t).iter().filter(|c| c.least > 0 && !changed(c.place));
    let mut gives: Vec<Give> = kept.map(|c| Give { place: c.place, two: c.least > 1 }).collect();
    for change in changes {
        let own = [change.place];
        let sources = change.sources.map_or(&own[..], |(a, b)| &rules.sources[a as usize..b as usize]);
        let sum: i128 = sources.iter().map(|s| i128::from(least(rules, t, *s))).sum::<i128>() + i128::from(change.add);
        debug_assert!(sum >= 0, "guards make sure of what is taken");
        if sum > 0 {
            gives.push(Give { place: change.place, two: sum > 1 });
        }
    }
    gives.sort_unstable_by_key(|g| g.place);
    gives
}

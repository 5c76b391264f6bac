//! For each place: the transitions that may change it, test it or assign it. The rules of stubborn sets use
//! these lists.

use crate::rules::{Change, Rules};
use search::rows::Rows;

/// A part of the rules (see [`super`]) that tests leave out, to check that it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Omit {
    /// Rule (E): T must contain the transitions with a lower end to their guard on a place that t may decrease.
    SpoiledLower,
    /// Rule (E): T must contain the transitions with an upper end to their guard on a place that t may
    /// increase.
    SpoiledUpper,
    /// Rule (E): T must contain the transitions that change a place that t assigns, or reads to assign.
    Changers,
    /// Rule (E): T must contain the transitions that assign, or read to assign, a place that t changes.
    Assigners,
    /// Rule (D): T must contain the transitions that may increase a place with too few tokens for the guard.
    TooFew,
    /// Rule (D): T must contain the transitions that may decrease a place with too many tokens for the guard.
    TooMany,
    /// Rule (A): T must contain the transitions that may increase the sum of a false inequality.
    Attracted,
    /// Rule (A): T must contain the transitions that may take tokens that the key needs.
    Key,
    /// Rule (A): T must contain the transitions that may add tokens where a guard of the key has an upper end.
    KeyUpper,
}

/// For each place: the transitions that change or test it.
#[derive(Debug)]
pub struct Depends {
    /// Transitions that may increase the place.
    pub(super) increase: Rows<u32>,
    /// Transitions that may decrease the place.
    pub(super) decrease: Rows<u32>,
    /// Transitions that have a guard with a lower end on the place.
    pub(super) lower: Rows<u32>,
    /// Transitions that have a guard with an upper end on the place.
    pub(super) upper: Rows<u32>,
    /// Transitions that change the place.
    pub(super) change: Rows<u32>,
    /// Transitions that assign the place, or read it to assign another one.
    pub(super) assign: Rows<u32>,
    pub(super) omit: Option<Omit>,
}

impl Depends {
    /// Computes the lists of a net in `O(size log size)`.
    #[must_use]
    pub fn new(rules: &Rules) -> Self {
        Self::without(rules, None)
    }

    /// Computes the lists, and leaves out a part of the rules. Tests use this to check that the part is needed.
    #[must_use]
    pub fn without(rules: &Rules, omit: Option<Omit>) -> Self {
        let places = rules.places();
        let (mut increase, mut decrease, mut change, mut assign) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for t in 0..rules.transitions() as u32 {
            for &c in rules.changes.row(t as usize) {
                change.push((c.place, t));
                if may_increase(c) {
                    increase.push((c.place, t));
                }
                if may_decrease(rules, c) {
                    decrease.push((c.place, t));
                }
                assign.extend(assigned(rules, c).map(|p| (p, t)));
            }
        }
        let row =
            |p: usize, rows: &Rows<(u64, u32)>| rows.row(p).iter().map(|(_, t)| (p as u32, *t)).collect::<Vec<_>>();
        let lower = (0..places).flat_map(|p| row(p, &rules.lower)).collect();
        let upper = (0..places).flat_map(|p| row(p, &rules.upper)).collect();
        let sorted = |mut pairs: Vec<(u32, u32)>| {
            pairs.sort_unstable();
            pairs.dedup();
            Rows::sorted(places, pairs)
        };
        Self {
            increase: sorted(increase),
            decrease: sorted(decrease),
            lower: sorted(lower),
            upper: sorted(upper),
            change: sorted(change),
            assign: sorted(assign),
            omit,
        }
    }

    pub(super) fn has(&self, part: Omit) -> bool {
        self.omit != Some(part)
    }
}

/// Returns true if a firing can leave more tokens on the place than before.
pub(super) fn may_increase(change: Change) -> bool {
    match change.sources {
        None => change.add > 0,
        // An empty sum leaves no tokens.
        Some((from, to)) => from < to || change.add > 0,
    }
}

/// Returns true if a firing can leave fewer tokens on the place than before.
pub(super) fn may_decrease(rules: &Rules, change: Change) -> bool {
    match change.sources {
        None => change.add < 0,
        Some((from, to)) => !rules.sources[from as usize..to as usize].contains(&change.place) || change.add < 0,
    }
}

/// Returns the place and its sources if the change is an assignment, and nothing otherwise.
pub(super) fn assigned(rules: &Rules, change: Change) -> impl Iterator<Item = u32> + '_ {
    let (own, (from, to)) = (change.sources.map(|_| change.place), change.sources.unwrap_or((0, 0)));
    own.into_iter().chain(rules.sources[from as usize..to as usize].iter().copied())
}

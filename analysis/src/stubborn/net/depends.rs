//! Who may change, test and assign which place: what the rules of stubborn sets look at.

use crate::rows::Rows;
use crate::rules::{Change, Rules};

/// A part of the rules that tests leave out, to see that it is needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Omit {
    /// (E), lower ends of guards.
    SpoiledLower,
    /// (E), upper ends of guards.
    SpoiledUpper,
    /// (E), transitions that change what is assigned or read.
    Changers,
    /// (E), transitions that assign or read what is changed.
    Assigners,
    /// (D), too few tokens.
    TooFew,
    /// (D), too many tokens.
    TooMany,
    /// (A), inequalities.
    Attracted,
    /// (A), what takes the key's tokens.
    Key,
    /// (A), what puts tokens where the key wants few.
    KeyUpper,
}

/// By place, the transitions that have to do with it.
#[derive(Debug)]
pub struct Depends {
    /// May increase it.
    pub(super) increase: Rows<u32>,
    /// May decrease it.
    pub(super) decrease: Rows<u32>,
    /// Have a guard on it with a lower end.
    pub(super) lower: Rows<u32>,
    /// Have a guard on it with an upper end.
    pub(super) upper: Rows<u32>,
    /// Change it.
    pub(super) change: Rows<u32>,
    /// Assign it, or read it to assign another one.
    pub(super) assign: Rows<u32>,
    pub(super) omit: Option<Omit>,
}

impl Depends {
    /// Reads them off the net. `O(size log size)`.
    #[must_use]
    pub fn new(rules: &Rules) -> Self {
        Self::without(rules, None)
    }

    /// Without a part of the rules, for tests.
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

/// Can a firing leave more on the place than before?
pub(super) fn may_increase(change: Change) -> bool {
    match change.sources {
        None => change.add > 0,
        // An empty sum of nothing leaves nothing.
        Some((from, to)) => from < to || change.add > 0,
    }
}

/// Can a firing leave less on the place than before?
pub(super) fn may_decrease(rules: &Rules, change: Change) -> bool {
    match change.sources {
        None => change.add < 0,
        Some((from, to)) => !rules.sources[from as usize..to as usize].contains(&change.place) || change.add < 0,
    }
}

/// The place and those it is assigned from, if it is assigned at all.
pub(super) fn assigned(rules: &Rules, change: Change) -> impl Iterator<Item = u32> + '_ {
    let (own, (from, to)) = (change.sources.map(|_| change.place), change.sources.unwrap_or((0, 0)));
    own.into_iter().chain(rules.sources[from as usize..to as usize].iter().copied())
}

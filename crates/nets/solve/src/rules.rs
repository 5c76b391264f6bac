//! A net in machine numbers, stored in rows. Analyses of invariants, random walks, and backward and guided
//! searches read it.
//!
//! Searches keep at most [`LIMIT`] tokens on every place. A guard that requires more tokens never holds there,
//! and an effect that adds more must end its branch of the search. So numbers of any size are handled soundly,
//! if not efficiently. [`Rules::small`] says whether the stored numbers of the net are exact.

use model::{Net, PlaceId};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, ToPrimitive};
use search::rows::Rows;

/// Maximum number of tokens on a place during a search. Sums of a few such numbers fit 64 bits.
pub const LIMIT: u64 = 1 << 60;

/// The effect of a firing on one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The place.
    pub place: u32,
    /// Number added to the sum of the sources.
    pub add: i64,
    /// Range of the sources of the change in [`Rules::sources`]. `None` if the only source is the place itself.
    pub sources: Option<(u32, u32)>,
}

/// A guard: the place must hold between `least` and `most` tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The place.
    pub place: u32,
    /// Least number of tokens.
    pub least: u64,
    /// Greatest number of tokens. `u64::MAX` means no upper bound.
    pub most: u64,
}

/// A net in machine numbers.
#[derive(Debug)]
pub struct Rules {
    /// For each transition: its guards.
    pub guards: Rows<Condition>,
    /// For each transition: its effects.
    pub changes: Rows<Change>,
    /// The array that [`Change::sources`] refers to.
    pub sources: Vec<u32>,
    /// For each place: pairs (least tokens, transition) of its guards, ascending. Guards with `least` 0 are
    /// left out.
    pub lower: Rows<(u64, u32)>,
    /// For each place: pairs (most tokens, transition) of its guards, ascending. Guards without upper bound are
    /// left out.
    pub upper: Rows<(u64, u32)>,
    /// For each transition: the number of its entries in `lower` and `upper`.
    pub conditions: Vec<u32>,
    /// The least initial marking, indexed by place.
    pub initial: Vec<u64>,
    /// The greatest initial count of each place. `u64::MAX` means no upper bound.
    pub initial_most: Vec<u64>,
    /// Places without a fixed initial count, each with the maximum number of extra tokens that its initial
    /// range and a trace allow.
    pub open: Vec<(u32, u32)>,
    /// True if no guard has an upper bound.
    pub monotone: bool,
    /// The largest number in a guard.
    pub largest: u64,
    /// True if all numbers of the net are below 2^31. Then all stored numbers are exact, and sums of a few of
    /// them fit 64 bits.
    pub small: bool,
}

impl Rules {
    /// Stores a net. Returns `None` if the least initial marking is beyond [`LIMIT`]. `O(size log size)`.
    #[must_use]
    pub fn new(net: &Net) -> Option<Self> {
        let initial: Vec<u64> = net.places().iter().map(|p| number(&p.initial.at_least)).collect();
        if initial.iter().any(|&n| n > LIMIT) {
            return None;
        }
        let initial_most: Vec<u64> =
            net.places().iter().map(|p| p.initial.at_most.as_ref().map_or(u64::MAX, number)).collect();
        let guards: Rows<Condition> =
            Rows::in_order(net.transitions().iter().map(|t| t.guards.iter().map(condition).collect()));
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        let mut conditions = vec![0u32; net.transitions().len()];
        let mut largest = 0;
        for (t, conditions) in conditions.iter_mut().enumerate() {
            for guard in guards.row(t) {
                if guard.least > 0 {
                    lower.push((guard.place, (guard.least, id(t))));
                    *conditions += 1;
                    largest = largest.max(guard.least);
                }
                if guard.most < u64::MAX {
                    upper.push((guard.place, (guard.most, id(t))));
                    *conditions += 1;
                    largest = largest.max(guard.most);
                }
            }
        }
        let mut sources = Vec::new();
        let changes = Rows::in_order(net.transitions().iter().map(|t| {
            let change = |e: &model::Effect| {
                let from = id(sources.len());
                if e.delta().is_none() {
                    sources.extend(e.sources.iter().map(|p| p.0));
                }
                let range = e.delta().is_none().then(|| (from, id(sources.len())));
                Change { place: e.place.0, add: signed(&e.add), sources: range }
            };
            t.effects.iter().map(change).collect()
        }));
        let places = net.places().len();
        Some(Self {
            guards,
            changes,
            sources,
            lower: Rows::sorted(places, lower),
            upper: Rows::sorted(places, upper),
            conditions,
            initial,
            initial_most,
            open: net.open_places().into_iter().map(|p| (p.0, most_extra(net, p))).collect(),
            monotone: net.is_monotone(),
            largest,
            small: is_small(net),
        })
    }

    /// Returns the number of transitions.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.conditions.len()
    }

    /// Returns the number of places.
    #[must_use]
    pub fn places(&self) -> usize {
        self.initial.len()
    }

    /// Returns the tokens on the place of a change after a firing in `tokens`. Returns `None` if the number is
    /// negative or beyond [`LIMIT`].
    #[must_use]
    pub fn result(&self, change: Change, tokens: &[u64]) -> Option<u64> {
        let sum: u64 = match change.sources {
            None => tokens[change.place as usize],
            Some((from, to)) => self.sources[from as usize..to as usize]
                .iter()
                .try_fold(0u64, |sum, s| sum.checked_add(tokens[*s as usize]))?,
        };
        sum.checked_add_signed(change.add).filter(|n| *n <= LIMIT)
    }

    /// Returns true if the guards of `t` hold in `tokens`.
    #[must_use]
    pub fn is_enabled(&self, t: u32, tokens: &[u64]) -> bool {
        let holds = |c: &Condition| (c.least..=c.most).contains(&tokens[c.place as usize]);
        self.guards.row(t as usize).iter().all(holds)
    }

    /// Fires `t`, which must be enabled. Returns false and changes nothing if a count becomes too large.
    #[must_use]
    pub fn fire(&self, t: u32, tokens: &mut [u64]) -> bool {
        debug_assert!(tokens.len() == self.places() && self.is_enabled(t, tokens), "only an enabled transition fires");
        let changes = self.changes.row(t as usize);
        if changes.iter().all(|c| c.sources.is_none()) {
            // Each change reads only the place that it writes.
            let is_small = changes.iter().all(|c| self.result(*c, tokens).is_some());
            if is_small {
                for change in changes {
                    tokens[change.place as usize] = self.result(*change, tokens).expect("it was computed before");
                }
            }
            return is_small;
        }
        let after: Option<Vec<u64>> = changes.iter().map(|c| self.result(*c, tokens)).collect();
        let Some(after) = after else { return false };
        changes.iter().zip(after).for_each(|(c, n)| tokens[c.place as usize] = n);
        true
    }
}

/// Returns true if all numbers of the net are below 2^31.
#[must_use]
pub fn is_small(net: &Net) -> bool {
    let count = |n: &BigUint| n.bits() < 32 && n.to_u32().is_some_and(|n| n >> 31 == 0);
    let range = |r: &model::Range| count(&r.at_least) && r.at_most.as_ref().is_none_or(count);
    net.places().iter().all(|p| range(&p.initial))
        && net
            .transitions()
            .iter()
            .all(|t| t.guards.iter().all(|g| range(&g.range)) && t.effects.iter().all(|e| count(e.add.magnitude())))
}

fn id(index: usize) -> u32 {
    u32::try_from(index).expect("model limits keep every index below 2^32")
}

/// Returns the number, or `u64::MAX` if it is greater than 64 bits allow. Searches never reach such a count.
fn number(n: &BigUint) -> u64 {
    n.to_u64().unwrap_or(u64::MAX)
}

/// Returns the number, or the nearest 64-bit number. Adding such a number leaves the range of every search.
fn signed(n: &BigInt) -> i64 {
    n.to_i64().unwrap_or(if n.is_negative() { i64::MIN } else { i64::MAX })
}

fn condition(guard: &model::Guard) -> Condition {
    let most = guard.range.at_most.as_ref().map_or(u64::MAX, number);
    Condition { place: guard.place.0, least: number(&guard.range.at_least), most }
}

fn most_extra(net: &Net, p: PlaceId) -> u32 {
    let range = &net.place(p).initial;
    let extra = range.at_most.as_ref().map(|most| most - &range.at_least);
    // Extra tokens are limited to 32 bits, which is far below [`LIMIT`].
    extra.and_then(|n| n.to_u32()).unwrap_or(u32::MAX)
}

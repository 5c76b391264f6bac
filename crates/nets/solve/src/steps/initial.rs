//! Enumerates the initial markings of a net: the product of its places' ranges, restricted by a bound. They are
//! sorted by the number of extra tokens, which are the tokens beyond the least counts of the places.

use model::{Bound, Net, PlaceId};
use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::ops::ControlFlow;

/// A place with a range of several initial counts.
#[derive(Clone, Debug)]
struct Open {
    place: PlaceId,
    /// The largest number of tokens beyond the least count.
    extra: u64,
    counted: bool,
}

/// The initial markings within a bound.
#[derive(Clone, Debug)]
pub(crate) struct Initial {
    /// For each place: its least count. Meaningless if `budget` is `None`.
    least: Vec<u64>,
    open: Vec<Open>,
    /// Extra tokens allowed on counted places. `None` if even the least marking exceeds the bound.
    budget: Option<u64>,
    cut: bool,
}

/// Why initial markings cannot be enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Endless {
    /// A place has an unbounded range, and no bound applies to it.
    Range,
    /// A count exceeds 32 bits.
    Number,
}

impl Initial {
    pub(crate) fn new(net: &Net, bound: Option<&Bound>) -> Result<Self, Endless> {
        let counted = |p: usize| bound.is_some_and(|b| b.counted[p]);
        let least: BigUint = net
            .places()
            .iter()
            .enumerate()
            .filter(|(p, _)| counted(*p))
            .map(|(_, place)| &place.initial.at_least)
            .sum();
        let budget = match bound {
            None => Some(u64::MAX),
            Some(bound) if least <= BigUint::from(bound.most) => (BigUint::from(bound.most) - &least).to_u64(),
            Some(_) => None,
        };
        let mut this = Self { least: Vec::new(), open: Vec::new(), budget, cut: budget.is_none() };
        let Some(budget) = budget else { return Ok(this) };
        let mut wished = BigUint::ZERO;
        for (p, place) in net.places().iter().enumerate() {
            let least = place.initial.at_least.to_u32().ok_or(Endless::Number)?;
            this.least.push(u64::from(least));
            let extra = match &place.initial.at_most {
                Some(most) => most - &place.initial.at_least,
                None if counted(p) => BigUint::from(budget) + 1u8,
                None => return Err(Endless::Range),
            };
            if extra == BigUint::ZERO {
                continue;
            }
            if counted(p) {
                wished += &extra;
            }
            let fits = u64::from(u32::MAX - least);
            let extra = extra.to_u64().unwrap_or(u64::MAX).min(if counted(p) { budget } else { u64::MAX });
            if extra > fits {
                return Err(Endless::Number);
            }
            this.open.push(Open { place: PlaceId::new(p), extra, counted: counted(p) });
        }
        this.cut = wished > BigUint::from(budget);
        Ok(this)
    }

    /// Returns true if some initial markings exceed the bound.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Returns the number of initial markings within the bound: exact if counting is cheap, else an upper
    /// bound. Saturates.
    pub(crate) fn count(&self) -> u64 {
        const CHEAP: u64 = 1 << 22;
        let Some(budget) = self.budget else { return 0 };
        let product = |counted: bool| {
            let extras = self.open.iter().filter(|o| o.counted == counted).map(|o| o.extra);
            extras.fold(1u64, |product, extra| product.saturating_mul(extra.saturating_add(1)))
        };
        let caps: Vec<u64> = self.open.iter().filter(|o| o.counted).map(|o| o.extra).collect();
        let total = caps.iter().fold(0u64, |sum, &cap| sum.saturating_add(cap)).min(budget);
        if total.saturating_mul(caps.len() as u64) > CHEAP {
            return product(false).saturating_mul(product(true));
        }
        // `ways[s]` is the number of choices for the places so far that have s extra tokens in all.
        let mut ways = vec![0u64; total as usize + 1];
        ways[0] = 1;
        for cap in caps {
            let sums: Vec<u64> = ways
                .iter()
                .scan(0u64, |sum, &w| {
                    *sum = sum.saturating_add(w);
                    Some(*sum)
                })
                .collect();
            for (s, way) in ways.iter_mut().enumerate() {
                let before = (s as u64).checked_sub(cap.saturating_add(1)).map_or(0, |b| sums[b as usize]);
                *way = if sums[s] == u64::MAX { u64::MAX } else { sums[s] - before };
            }
        }
        ways.iter().fold(0u64, |sum, &way| sum.saturating_add(way)).saturating_mul(product(false))
    }

    /// Calls `visit` with each initial marking within the bound, as one count per place. Markings with fewer
    /// extra tokens come first. Markings with equally many extra tokens are in lexicographic order.
    pub(crate) fn for_each(&self, visit: &mut dyn FnMut(&[u64]) -> ControlFlow<()>) -> ControlFlow<()> {
        let Some(budget) = self.budget else { return ControlFlow::Continue(()) };
        let all = self.open.iter().fold(0u64, |sum, open| sum.saturating_add(open.extra));
        let uncounted = self.open.iter().filter(|o| !o.counted).fold(0u64, |sum, o| sum.saturating_add(o.extra));
        let mut marking = self.least.clone();
        for total in 0..=all.min(budget.saturating_add(uncounted)) {
            let mut extra = vec![0; self.open.len()];
            self.fill(&mut extra, total);
            loop {
                let counted: u64 = self.open.iter().zip(&extra).filter(|(o, _)| o.counted).map(|(_, e)| e).sum();
                if counted <= budget {
                    for (open, extra) in self.open.iter().zip(&extra) {
                        marking[open.place.index()] = self.least[open.place.index()] + extra;
                    }
                    visit(&marking)?;
                }
                if !self.next(&mut extra) {
                    break;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Distributes `tokens` extra tokens: the last places are filled first.
    fn fill(&self, extra: &mut [u64], mut tokens: u64) {
        for (open, extra) in self.open.iter().zip(extra).rev() {
            *extra = tokens.min(open.extra);
            tokens -= *extra;
        }
    }

    /// Changes `extra` to the next distribution of the same number of tokens, in lexicographic order. Returns
    /// false if it was the last one.
    fn next(&self, extra: &mut [u64]) -> bool {
        let mut behind = 0u64;
        for at in (0..extra.len()).rev() {
            if behind > 0 && extra[at] < self.open[at].extra {
                extra[at] += 1;
                let rest = at + 1..extra.len();
                for (open, extra) in self.open[rest.clone()].iter().zip(&mut extra[rest]).rev() {
                    *extra = (behind - 1).min(open.extra);
                    behind -= *extra;
                }
                return true;
            }
            behind += extra[at];
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Place, Range};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn net(ranges: &[(u8, Option<u8>)]) -> Net {
        let range = |&(least, extra): &(u8, Option<u8>)| Range {
            at_least: least.into(),
            at_most: extra.map(|extra| BigUint::from(least) + extra),
        };
        let place = |(i, r)| Place { name: format!("p{i}"), initial: range(r) };
        Net::new(ranges.iter().enumerate().map(place).collect(), Vec::new()).unwrap()
    }

    fn list(initial: &Initial) -> Vec<Vec<u64>> {
        let mut all = Vec::new();
        let _ = initial.for_each(&mut |m| {
            all.push(m.to_vec());
            ControlFlow::Continue(())
        });
        all
    }

    proptest! {
        /// The markings are those of the product within the bound, each once, sorted by tokens and
        /// lexicographically, and `count` returns their number.
        #[test]
        fn it_is_the_product_within_the_bound(
            places in proptest::collection::vec((0..3u8, 0..4u8, any::<bool>()), 0..5),
            most in proptest::option::of(0..12u64),
        ) {
            let ranges: Vec<(u8, Option<u8>)> = places.iter().map(|&(l, e, _)| (l, Some(e))).collect();
            let counted: Vec<bool> = places.iter().map(|p| p.2).collect();
            let bound = most.map(|most| Bound { most, counted: counted.clone() });
            let initial = Initial::new(&net(&ranges), bound.as_ref()).unwrap();
            let mut product: Vec<Vec<u64>> = vec![Vec::new()];
            for &(least, extra, _) in &places {
                let counts = u64::from(least)..=u64::from(least + extra);
                product = product.iter().flat_map(|m| counts.clone().map(move |c| [&m[..], &[c]].concat())).collect();
            }
            let sum = |m: &[u64]| m.iter().zip(&counted).filter(|(_, c)| **c).map(|(n, _)| n).sum::<u64>();
            let within: BTreeSet<Vec<u64>> =
                product.iter().filter(|m| most.is_none_or(|b| sum(m) <= b)).cloned().collect();
            let listed = list(&initial);
            prop_assert_eq!(listed.len(), within.len());
            prop_assert_eq!(initial.count(), within.len() as u64);
            prop_assert_eq!(initial.is_cut(), within.len() < product.len());
            let total = |m: &[u64]| m.iter().sum::<u64>();
            prop_assert!(listed.windows(2).all(|w| (total(&w[0]), &w[0]) < (total(&w[1]), &w[1])));
            prop_assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), within);
        }
    }

    #[test]
    fn open_ends_need_a_bound() {
        let net = net(&[(1, None), (2, None), (0, Some(0))]);
        assert_eq!(Initial::new(&net, None).unwrap_err(), Endless::Range);
        let bound = |most, counted: [bool; 3]| Bound { most, counted: counted.to_vec() };
        assert_eq!(Initial::new(&net, Some(&bound(9, [true, false, true]))).unwrap_err(), Endless::Range);
        let initial = Initial::new(&net, Some(&bound(5, [true; 3]))).unwrap();
        assert_eq!((initial.count(), initial.is_cut()), (6, true));
        assert_eq!(list(&initial), [[1, 2, 0], [1, 3, 0], [2, 2, 0], [1, 4, 0], [2, 3, 0], [3, 2, 0]]);
        let none = Initial::new(&net, Some(&bound(2, [true; 3]))).unwrap();
        assert_eq!((none.count(), none.is_cut(), list(&none).len()), (0, true, 0));
    }

    #[test]
    fn the_count_saturates_and_is_never_too_small() {
        let net = net(&[(0, None); 40]);
        for most in [1_000, 1 << 20, 1 << 31] {
            let initial = Initial::new(&net, Some(&Bound { most, counted: vec![true; 40] })).unwrap();
            assert_eq!(initial.count(), u64::MAX);
        }
        let too_much = Bound { most: 1 << 32, counted: vec![true; 40] };
        assert_eq!(Initial::new(&net, Some(&too_much)).unwrap_err(), Endless::Number);
    }
}

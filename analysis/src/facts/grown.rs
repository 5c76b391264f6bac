//! Linear bounds grown from a target: weights on its places, then on the places that pay for them, until no
//! transition gains.
//!
//! A bound `y.m <= y.m0` with `y >= 0` excludes a target t if no transition raises the weighted sum and `y.t > y.m0`
//! (a place sub-invariant; Murata 1989). Linear programming finds one whenever there is one, but looks at the whole
//! net. Here each place of the target gets weight one, and as long as a transition gives more weight than it takes,
//! some place that it takes from gets heavier. Nets of 10^5 places, and weights of a thousand bits where tokens are
//! multiplied, cost no more than the part of the net that feeds the target. Where a transition takes from several
//! places one must pay, and a wrong choice fails: the place that most gaining transitions take from is taken first (a
//! lock before those who wait for it), and a few attempts break ties differently. Whoever is given `None` may ask an
//! exact method.
//!
//! Places that cannot have a weight (open ones, and what comes out of nothing or of such places only) are known
//! beforehand.

use crate::rows::Rows;
use crate::rules::Rules;
use model::{AtMost, Budget, PlaceId};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// Orders in which ties are broken.
const ATTEMPTS: u64 = 4;

/// A place whose weight was raised more often than this feeds itself.
const RAISES: u32 = 40;

/// What growing needs to know of a net, whatever the target.
#[derive(Debug)]
pub(super) struct Growth {
    /// By place: transitions that may give to it.
    givers: Rows<u32>,
    /// By place: may it have a weight?
    able: Vec<bool>,
}

impl Growth {
    /// `O(size of the net)`.
    pub(super) fn new(rules: &Rules) -> Self {
        let ids = 0..u32::try_from(rules.transitions()).expect("transitions have 32-bit numbers");
        let mut givers = Vec::new();
        for t in ids {
            for change in rules.changes.row(t as usize) {
                if change.add > 0 || change.sources.is_some_and(|(from, to)| from < to) {
                    givers.push((change.place, t));
                }
            }
        }
        Self { givers: Rows::sorted(rules.places(), givers), able: able(rules) }
    }

    /// A bound that excludes `target`, if these attempts find one.
    pub(super) fn refute(&self, rules: &Rules, target: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
        if !target.iter().any(|(p, _)| self.able[*p as usize]) {
            return None;
        }
        (0..ATTEMPTS).find_map(|attempt| {
            let mut growing =
                Growing { rules, growth: self, weights: BTreeMap::new(), raises: BTreeMap::new(), attempt };
            growing.run(target, budget)
        })
    }
}

/// By place: can any bound without negative weights give it one? Not if it may start with any number of tokens, or if a
/// transition gives to it that takes from no such place (it stays as it is, or pays).
fn able(rules: &Rules) -> Vec<bool> {
    let mut able: Vec<bool> = rules.initial_most.iter().map(|&most| most < u64::MAX).collect();
    let mut takers = Vec::new();
    let mut payers: Vec<u32> = vec![0; rules.transitions()];
    for (t, count) in payers.iter_mut().enumerate() {
        for place in paying(rules, t).filter(|&p| able[p as usize]) {
            takers.push((place, u32::try_from(t).expect("transitions have 32-bit numbers")));
            *count += 1;
        }
    }
    let takers = Rows::sorted(rules.places(), takers);
    let mut work: Vec<u32> = (0..payers.len()).filter(|&t| payers[t] == 0).map(|t| t as u32).collect();
    while let Some(t) = work.pop() {
        for change in rules.changes.row(t as usize).iter().filter(|c| c.add > 0) {
            if std::mem::replace(&mut able[change.place as usize], false) {
                for &other in takers.row(change.place as usize) {
                    payers[other as usize] -= 1;
                    if payers[other as usize] == 0 {
                        work.push(other);
                    }
                }
            }
        }
    }
    able
}

/// The places that a transition takes from, so that their weight can pay for what it gives.
fn paying(rules: &Rules, t: usize) -> impl Iterator<Item = u32> + '_ {
    let takes = |c: &&crate::rules::Change| c.sources.is_some() || c.add < 0;
    rules.changes.row(t).iter().filter(takes).map(|c| c.place)
}

/// What firing a transition does to the weighted sum.
struct Balance {
    /// Places whose tokens weigh more afterwards, however many there are: by how much each.
    brought: Vec<(u32, BigInt)>,
    /// The gain at the marking that its guards allow where it is greatest, but for these places.
    gain: BigInt,
}

struct Growing<'a> {
    rules: &'a Rules,
    growth: &'a Growth,
    /// No zeros.
    weights: BTreeMap<u32, BigUint>,
    raises: BTreeMap<u32, u32>,
    attempt: u64,
}

impl Growing<'_> {
    fn run(&mut self, target: &[(u32, u64)], budget: &mut Budget) -> Option<AtMost> {
        let mut open: BTreeSet<u32> = BTreeSet::new();
        for &(place, _) in target.iter().filter(|(p, _)| self.growth.able[*p as usize]) {
            self.weights.insert(place, BigUint::one());
            open.extend(self.growth.givers.row(place as usize));
        }
        while !open.is_empty() {
            let gaining = self.gaining(&open, budget)?;
            open.clear();
            if gaining.is_empty() {
                break;
            }
            for place in self.pay(gaining)? {
                open.extend(self.growth.givers.row(place as usize));
            }
        }
        self.bound(target)
    }

    /// Those of `open` that may raise the weighted sum.
    fn gaining(&self, open: &BTreeSet<u32>, budget: &mut Budget) -> Option<Vec<u32>> {
        let mut gaining = Vec::new();
        for &t in open {
            let size = self.rules.changes.row(t as usize).len() + self.rules.guards.row(t as usize).len();
            if !budget.spend(1 + size as u64 / 8) {
                return None;
            }
            let balance = self.balance(t);
            if !balance.brought.is_empty() || balance.gain.sign() == Sign::Plus {
                gaining.push(t);
            }
        }
        Some(gaining)
    }

    fn weight(&self, place: u32) -> BigInt {
        self.weights.get(&place).map_or_else(BigInt::zero, |w| BigInt::from(w.clone()))
    }

    fn balance(&self, t: u32) -> Balance {
        let rules = self.rules;
        let row = rules.changes.row(t as usize);
        // By place: how much more a token on it weighs after firing than before.
        let mut more: BTreeMap<u32, BigInt> = BTreeMap::new();
        let mut gain = BigInt::zero();
        for change in row {
            let weight = self.weight(change.place);
            gain += &weight * change.add;
            if let Some((from, to)) = change.sources {
                *more.entry(change.place).or_default() -= &weight;
                for source in &rules.sources[from as usize..to as usize] {
                    *more.entry(*source).or_default() += &weight;
                }
            }
        }
        let mut brought = Vec::new();
        for (place, more) in more {
            let guard = rules.guards.row(t as usize).iter().find(|g| g.place == place);
            let (least, most) = guard.map_or((0, u64::MAX), |g| (g.least, g.most));
            match more.sign() {
                Sign::Plus if most == u64::MAX => brought.push((place, more)),
                Sign::Plus => gain += more * most,
                _ => gain += more * least,
            }
        }
        Balance { brought, gain }
    }

    /// Raises weights until none of these gains; says whose. `None` if nobody can pay.
    fn pay(&mut self, gaining: Vec<u32>) -> Option<BTreeSet<u32>> {
        let mut asked: BTreeMap<u32, u64> = BTreeMap::new();
        for &t in &gaining {
            for place in paying(self.rules, t as usize).filter(|p| self.growth.able[*p as usize]) {
                *asked.entry(place).or_insert(0) += 1;
            }
        }
        let mut raised = BTreeSet::new();
        for t in gaining {
            let mut balance = self.balance(t);
            if !balance.brought.is_empty() {
                for (place, by) in balance.brought {
                    // A place that keeps its own tokens, too, gains by being heavier.
                    if self.keeps(t, place) {
                        return None;
                    }
                    self.raise(place, by.magnitude().clone())?;
                    raised.insert(place);
                }
                balance = self.balance(t);
            }
            if balance.gain.sign() != Sign::Plus {
                continue; // somebody has paid meanwhile
            }
            let able = paying(self.rules, t as usize).filter(|p| self.growth.able[*p as usize]);
            let able = able.filter(|p| !self.takes(t, *p).is_zero());
            let place = able.max_by_key(|&p| (asked[&p], std::cmp::Reverse(self.price(p)), self.tie(p)))?;
            self.raise(place, balance.gain.magnitude().div_ceil(&self.takes(t, place)))?;
            raised.insert(place);
        }
        Some(raised)
    }

    /// Do tokens on `place` stay where they are when `t` fires (and go elsewhere besides)?
    fn keeps(&self, t: u32, place: u32) -> bool {
        let change = self.rules.changes.row(t as usize).iter().find(|c| c.place == place);
        match change.map(|c| c.sources) {
            Some(Some((from, to))) => self.rules.sources[from as usize..to as usize].contains(&place),
            Some(None) | None => true,
        }
    }

    fn raise(&mut self, place: u32, by: BigUint) -> Option<()> {
        let raises = self.raises.entry(place).or_insert(0);
        *raises += 1;
        if *raises > RAISES || !self.growth.able[place as usize] {
            return None;
        }
        *self.weights.entry(place).or_default() += by;
        Some(())
    }

    /// How many tokens of `place` go when `t` fires at its least marking.
    fn takes(&self, t: u32, place: u32) -> BigUint {
        let row = self.rules.changes.row(t as usize);
        let Some(change) = row.iter().find(|c| c.place == place) else { return BigUint::zero() };
        let least = self.rules.guards.row(t as usize).iter().find(|g| g.place == place).map_or(0, |g| g.least);
        let gone = if change.sources.is_some() && !self.keeps(t, place) { least } else { 0 };
        let taken = i128::from(gone) - i128::from(change.add);
        BigUint::from(taken.max(0).unsigned_abs())
    }

    /// What weight on a place costs: its initial tokens.
    fn price(&self, place: u32) -> u64 {
        if self.attempt.is_multiple_of(2) { self.rules.initial_most[place as usize] } else { 0 }
    }

    fn tie(&self, place: u32) -> u64 {
        if self.attempt < 2 {
            u64::from(u32::MAX - place)
        } else {
            u64::from(place).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        }
    }

    fn bound(&self, target: &[(u32, u64)]) -> Option<AtMost> {
        let at = |p: &u32| BigUint::from(self.rules.initial_most[*p as usize]);
        let initially: BigUint = self.weights.iter().map(|(p, w)| w * at(p)).sum();
        let wanted: BigUint = target.iter().filter_map(|(p, n)| Some(self.weights.get(p)? * n)).sum();
        let terms = || self.weights.iter().map(|(p, w)| (PlaceId(*p), BigInt::from(w.clone()))).collect();
        (wanted > initially).then(|| AtMost { terms: terms(), at_most: BigInt::from(initially) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Effect, Guard, Net, Place, Range, Transition};
    use std::sync::Arc;

    fn net(initial: &[Range], transitions: Vec<Transition>) -> Rules {
        let place = |(i, range): (usize, &Range)| Place { name: format!("p{i}"), initial: range.clone() };
        let net = Net::new(initial.iter().enumerate().map(place).collect(), transitions).expect("a net");
        Rules::new(&net).expect("small numbers")
    }

    fn arcs(name: usize, pre: &[(u32, u32)], post: &[(u32, u32)]) -> Transition {
        let arcs = |list: &[(u32, u32)]| list.iter().map(|&(p, n)| (PlaceId(p), n.into())).collect::<Vec<_>>();
        Transition::from_arcs(format!("t{name}"), &arcs(pre), &arcs(post))
    }

    fn refute(rules: &Rules, target: &[(u32, u64)]) -> Option<AtMost> {
        Growth::new(rules).refute(rules, target, &mut Budget::unlimited(Arc::default()))
    }

    #[test]
    fn a_lock_pays_for_those_who_wait_in_any_number() {
        let initial = [Range::from(0u8), Range::exactly(0u8), Range::exactly(1u8), Range::exactly(0u8)];
        let steps = vec![
            arcs(0, &[(0, 1)], &[(1, 1)]),
            arcs(1, &[(1, 1), (2, 1)], &[(3, 1)]),
            arcs(2, &[(3, 1)], &[(0, 1), (2, 1)]),
        ];
        let rules = net(&initial, steps);
        let bound = refute(&rules, &[(3, 2)]).expect("the lock");
        assert_eq!(bound.terms.iter().map(|(p, _)| p.0).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(refute(&rules, &[(3, 1)]), None);
        assert_eq!(refute(&rules, &[(1, 7)]), None);
    }

    #[test]
    fn weights_of_a_thousand_bits() {
        let steps = (0..1000).map(|i| arcs(i as usize, &[(i, 1)], &[(i + 1, 2)])).collect();
        let initial: Vec<Range> = (0..=1000u32).map(|i| Range::exactly(u8::from(i == 990))).collect();
        let rules = net(&initial, steps);
        assert!(refute(&rules, &[(1000, 1025)]).is_some());
        assert_eq!(refute(&rules, &[(1000, 1024)]), None);
    }

    #[test]
    fn transfers_bring_weight_along() {
        // p1 gets all of p0; then t1 moves one from p1 to p2.
        let gather = Transition {
            name: "gather".into(),
            guards: vec![Guard { place: PlaceId(0), range: Range::from(1u8) }],
            effects: vec![
                Effect { place: PlaceId(0), sources: [].into_iter().collect(), add: 0.into() },
                Effect { place: PlaceId(1), sources: [PlaceId(0), PlaceId(1)].into_iter().collect(), add: 0.into() },
            ],
        };
        let initial = [Range::exactly(3u8), Range::exactly(0u8), Range::exactly(0u8)];
        let rules = net(&initial, vec![gather, arcs(1, &[(1, 1)], &[(2, 1)])]);
        assert!(refute(&rules, &[(2, 4)]).is_some());
        assert_eq!(refute(&rules, &[(2, 3)]), None);
    }
}

//! Finds linear bounds that exclude a target vector, by growing weights. The search starts with weights on the
//! places of the target, and then adds weight to places from which transitions take tokens, until no transition
//! increases the sum.
//!
//! A bound `y.m <= y.m0` with `y >= 0` excludes a target t if no transition raises the weighted sum and
//! `y.t > y.m0` (a place sub-invariant; Murata 1989). Linear programming finds such a bound whenever there is
//! one, but it reads the whole net. Here each place of the target gets weight one. While some transition gives
//! more weight than it takes, the weight of a place that it takes from is raised. So the cost depends only on
//! the part of the net that feeds the target, even in nets of 10^5 places and with weights of a thousand bits
//! where tokens are multiplied.
//!
//! If a transition takes from several places, the weight of one of these places must be raised (the place
//! *pays*), and a wrong choice fails. The place from which most gaining transitions take is chosen first (a
//! lock before the processes that wait for it). A few attempts break ties differently. If all attempts fail,
//! the caller may use an exact method.
//!
//! Places that cannot have a weight are computed beforehand. They are the places with an unbounded initial
//! count, and the places that receive tokens from transitions without input or with such places as their only
//! input.

use crate::rules::Rules;
use model::{AtMost, Budget, PlaceId};
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Zero};
use search::rows::Rows;
use std::collections::{BTreeMap, BTreeSet};

/// Number of attempts, which differ in how ties are broken.
const ATTEMPTS: u64 = 4;

/// Maximum number of times that the weight of one place is raised. A place that needs more feeds itself.
const RAISES: u32 = 40;

/// The data that growing needs of a net, for all targets.
#[derive(Debug)]
pub(super) struct Growth {
    /// For each place: transitions that may add tokens to it.
    givers: Rows<u32>,
    /// For each place: true if it may have a weight.
    able: Vec<bool>,
}

impl Growth {
    /// Computes the data in `O(size of the net)`.
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

    /// Returns a bound that excludes `target`, if one of the attempts finds one.
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

/// For each place: true if a bound without negative weights can give it a positive weight. A place cannot have
/// a weight if its initial count is unbounded, or if a transition adds tokens to it that takes from no place
/// with a possible weight.
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

/// Returns the places that a transition takes tokens from. Weight on these places can pay for the tokens that
/// it adds.
fn paying(rules: &Rules, t: usize) -> impl Iterator<Item = u32> + '_ {
    let takes = |c: &&crate::rules::Change| c.sources.is_some() || c.add < 0;
    rules.changes.row(t).iter().filter(takes).map(|c| c.place)
}

/// The effect of firing a transition on the weighted sum.
struct Balance {
    /// Places with tokens that weigh more after the firing than before, if the guard does not limit the number
    /// of these tokens: the place and the difference for each token.
    brought: Vec<(u32, BigInt)>,
    /// The greatest gain that the guards allow, without the places in `brought`.
    gain: BigInt,
}

struct Growing<'a> {
    rules: &'a Rules,
    growth: &'a Growth,
    /// Weights of the places that have one. No weight is zero.
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

    /// Returns the transitions among `open` that may raise the weighted sum.
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
        // For each place: the weight of a token on it after the firing minus its weight before.
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

    /// Raises weights until none of these transitions gains. Returns the places that got more weight, or
    /// `None` if a transition has no place that can pay.
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
                    // If the tokens also stay on the place, raising its weight raises the gain too.
                    if self.keeps(t, place) {
                        return None;
                    }
                    self.raise(place, by.magnitude().clone())?;
                    raised.insert(place);
                }
                balance = self.balance(t);
            }
            if balance.gain.sign() != Sign::Plus {
                continue; // a weight raised for another transition pays for this one, too
            }
            let able = paying(self.rules, t as usize).filter(|p| self.growth.able[*p as usize]);
            let able = able.filter(|p| !self.takes(t, *p).is_zero());
            let place = able.max_by_key(|&p| (asked[&p], std::cmp::Reverse(self.price(p)), self.tie(p)))?;
            self.raise(place, balance.gain.magnitude().div_ceil(&self.takes(t, place)))?;
            raised.insert(place);
        }
        Some(raised)
    }

    /// Returns true if tokens on `place` stay there when `t` fires, even if they also appear elsewhere.
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

    /// Returns the number of tokens that leave `place` when `t` fires at its least enabling marking.
    fn takes(&self, t: u32, place: u32) -> BigUint {
        let row = self.rules.changes.row(t as usize);
        let Some(change) = row.iter().find(|c| c.place == place) else { return BigUint::zero() };
        let least = self.rules.guards.row(t as usize).iter().find(|g| g.place == place).map_or(0, |g| g.least);
        let gone = if change.sources.is_some() && !self.keeps(t, place) { least } else { 0 };
        let taken = i128::from(gone) - i128::from(change.add);
        BigUint::from(taken.max(0).unsigned_abs())
    }

    /// Returns the cost of weight on a place: its greatest initial count. Odd attempts ignore it.
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
    fn a_lock_pays_for_any_number_of_waiting_threads() {
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
        // Transition `gather` moves all tokens of p0 to p1. Then t1 moves one token from p1 to p2.
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

//! Nets by brute force, and the definition of a valid set of markings, taken literally: without index, table,
//! or compiled rules.

use super::{Set, Tokens};
use model::{Formula, Net, Node, PlaceId, Range, Slot, Transition};
use num_traits::{Signed, ToPrimitive, Zero};
use std::collections::{BTreeSet, VecDeque};

fn has(range: &Range, tokens: i64) -> bool {
    range.contains(&u64::try_from(tokens).expect("no negative counts").into())
}

/// The marking after firing, if the transition is enabled.
pub(super) fn fire(t: &Transition, m: &[u32]) -> Option<Tokens> {
    let enabled = t.guards.iter().all(|g| has(&g.range, m[g.place.index()].into()));
    let mut next = m.to_vec();
    for e in &t.effects {
        let sum: i64 = e.sources.iter().map(|q| i64::from(m[q.index()])).sum();
        let after = sum + e.add.to_i64().expect("small");
        next[e.place.index()] = if enabled { u32::try_from(after).expect("guards see to that") } else { 0 };
    }
    enabled.then_some(next)
}

/// The initial markings. Places without upper end have up to two tokens more than their least number.
pub(super) fn initial(net: &Net) -> Vec<Tokens> {
    let mut all = vec![vec![]];
    for place in net.places() {
        let least = place.initial.at_least.to_u32().expect("small");
        let most = place.initial.at_most.as_ref().map_or(least + 2, |n| n.to_u32().expect("small"));
        all = all.iter().flat_map(|m: &Tokens| (least..=most).map(|n| [&m[..], &[n]].concat())).collect();
    }
    all
}

/// Returns about `limit` reachable markings, none with large numbers, and whether these are all.
pub(super) fn reachable(net: &Net, limit: usize) -> (BTreeSet<Tokens>, bool) {
    let mut seen: BTreeSet<Tokens> = initial(net).into_iter().collect();
    let mut queue: VecDeque<Tokens> = seen.iter().cloned().collect();
    let mut all = net.places().iter().all(|place| place.initial.at_most.is_some());
    while let Some(m) = queue.pop_front() {
        if seen.len() > limit {
            return (seen, false);
        }
        for next in net.transitions().iter().filter_map(|t| fire(t, &m)) {
            if next.iter().any(|&n| n > 1000) {
                all = false;
            } else if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    (seen, all)
}

pub(super) fn is_dead(net: &Net, m: &[u32]) -> bool {
    net.transitions().iter().all(|t| fire(t, m).is_none())
}

/// The value of the formula, if `atom` gives the values of its inequalities.
pub(super) fn value(formula: &Formula, atom: impl Fn(&model::Linear) -> bool) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        values.push(match node {
            Node::All(parts) => !parts.iter().any(|q| !values[q.index()]),
            Node::Any(parts) => parts.iter().any(|q| values[q.index()]),
            Node::AtLeast(sum) => atom(sum),
        });
    }
    values[values.len() - 1]
}

pub(super) fn holds(formula: &Formula, m: &[u32]) -> bool {
    value(formula, |sum| {
        let total: i64 = sum.terms.iter().map(|(q, c)| c.to_i64().unwrap() * i64::from(m[q.index()])).sum();
        total >= sum.at_least.to_i64().unwrap()
    })
}

pub(super) fn firable(t: &Transition, potentially_marked: &[bool]) -> bool {
    t.guards.iter().all(|g| potentially_marked[g.place.index()] || has(&g.range, 0) || g.range.at_least.is_zero())
}

pub(super) fn is_markable_closed(net: &Net, potentially_marked: &[bool]) -> bool {
    let start =
        net.places().iter().zip(potentially_marked).all(|(place, &m)| m || place.initial.at_most == Some(0u8.into()));
    let kept_out = |t: &Transition| {
        t.effects.iter().filter(|e| !potentially_marked[e.place.index()]).all(|e| {
            let most = |q: &PlaceId| match t.guard(*q).and_then(|range| range.at_most.clone()) {
                _ if !potentially_marked[q.index()] => Some(0),
                Some(most) => most.to_i64(),
                None => None,
            };
            let sum: Option<i64> = e.sources.iter().map(most).sum();
            sum.is_some_and(|sum| sum + e.add.to_i64().unwrap() <= 0)
        })
    };
    start && net.transitions().iter().filter(|t| firable(t, potentially_marked)).all(kept_out)
}

/// The least closed set of potentially marked places.
pub(super) fn potentially_marked(net: &Net) -> Vec<bool> {
    let mut places: Vec<bool> = net.places().iter().map(|q| q.initial.at_most != Some(0u8.into())).collect();
    while !is_markable_closed(net, &places) {
        for t in net.transitions() {
            let fires = firable(t, &places);
            for e in t.effects.iter().filter(|_| fires) {
                let may = e.add.is_positive() || e.sources.iter().any(|q| places[q.index()]);
                places[e.place.index()] |= may;
            }
        }
    }
    places
}

/// The tokens of a listed marking by place. `None` for a place that is not kept.
pub(super) fn by_place(set: &Set, places: usize, state: &[u32]) -> Vec<Option<i64>> {
    let mut tokens = vec![None; places];
    for (slot, &value) in set.slots.iter().zip(state) {
        match slot {
            Slot::Tokens(q) => tokens[q.index()] = Some(value.into()),
            Slot::OneOf(list) => {
                list.iter().enumerate().for_each(|(i, q)| tokens[q.index()] = Some(i64::from(value as usize == i + 1)));
            }
        }
    }
    tokens
}

pub(super) fn exact(net: &Net, set: &Set, goals: &[&Formula], deadlock: bool) -> Vec<bool> {
    let places = net.places().len();
    let zeros = vec![0; set.slots.len()];
    let kept: Vec<bool> = by_place(set, places, &zeros).iter().map(Option::is_some).collect();
    let mut exact = vec![deadlock; places];
    let firing = || net.transitions().iter().filter(|t| firable(t, &set.potentially_marked));
    for g in firing().flat_map(|t| &t.guards).filter(|g| g.range.at_most.is_some()) {
        exact[g.place.index()] = true;
    }
    for node in goals.iter().flat_map(|f| f.nodes()) {
        let Node::AtLeast(sum) = node else { continue };
        sum.terms.iter().filter(|(_, c)| c.is_negative()).for_each(|(q, _)| exact[q.index()] = true);
    }
    for _ in 0..places {
        for e in firing().flat_map(|t| &t.effects) {
            // A place that is not kept makes no other place exact.
            if exact[e.place.index()] && kept[e.place.index()] {
                e.sources.iter().for_each(|q| exact[q.index()] = true);
            }
        }
    }
    exact.iter().zip(kept).map(|(&e, k)| e && k).collect()
}

/// True if the listed marking `s` stands for the marking `m`.
pub(super) fn stands_for(s: &[Option<i64>], exact: &[bool], m: &[i64]) -> bool {
    (0..m.len()).all(|q| s[q].is_none_or(|tokens| if exact[q] { m[q] == tokens } else { m[q] <= tokens }))
}

/// True if the set satisfies the definition of `model::Markings`.
pub(super) fn is_good(net: &Net, set: &Set, goals: &[&Formula], deadlock: bool) -> bool {
    let places = net.places().len();
    if !is_markable_closed(net, &set.potentially_marked) {
        return false;
    }
    let exact = exact(net, set, goals, deadlock);
    let states: Vec<Vec<Option<i64>>> = set.states.iter().map(|s| by_place(set, places, s)).collect();
    let listed = |m: &[i64]| states.iter().any(|s| stands_for(s, &exact, m));
    let wide = |m: &Tokens| -> Vec<i64> { m.iter().map(|&n| n.into()).collect() };
    let zeros = vec![0; set.slots.len()];
    let kept: Vec<bool> = by_place(set, places, &zeros).iter().map(Option::is_some).collect();
    if (0..places).any(|q| kept[q] && net.places()[q].initial.at_most.is_none()) {
        return false;
    }
    if !initial(net).iter().all(|m| listed(&wide(m))) {
        return false;
    }
    let firing: Vec<&Transition> = net.transitions().iter().filter(|t| firable(t, &set.potentially_marked)).collect();
    let reads_unknown = |t: &&&Transition| {
        let effects = t.effects.iter().filter(|e| kept[e.place.index()]);
        effects.flat_map(|e| &e.sources).any(|q| !kept[q.index()] && set.potentially_marked[q.index()])
    };
    let can_pass = |t: &&&Transition| !t.guards.iter().any(|g| impossible(set, g.place, &g.range));
    if firing.iter().filter(can_pass).any(|t| reads_unknown(&t)) {
        return false;
    }
    states.iter().all(|s| {
        let enabled = |t: &&&Transition| t.guards.iter().all(|g| s[g.place.index()].is_none_or(|n| has(&g.range, n)));
        let closed = firing.iter().filter(enabled).all(|t| {
            // Places that are not kept get an arbitrary number here, which is never read.
            let mut next: Vec<i64> = s.iter().map(|n| n.unwrap_or(0)).collect();
            for e in t.effects.iter().filter(|e| kept[e.place.index()]) {
                let sum: i64 = e.sources.iter().map(|q| s[q.index()].unwrap_or(0)).sum();
                next[e.place.index()] = sum + e.add.to_i64().unwrap();
            }
            listed(&next)
        });
        let sure =
            |t: &Transition| t.guards.iter().all(|g| kept[g.place.index()] || !set.potentially_marked[g.place.index()]);
        let alive = firing.iter().filter(enabled).any(|t| sure(t));
        let clean = goals.iter().all(|f| {
            !value(f, |sum| {
                let most =
                    |(q, c): &(PlaceId, num_bigint::BigInt)| match (s[q.index()], set.potentially_marked[q.index()]) {
                        (Some(n), _) => Some(n * c.to_i64().unwrap()),
                        (None, true) if c.is_positive() => None,
                        (None, _) => Some(0),
                    };
                let total: Option<i64> = sum.terms.iter().map(most).sum();
                total.is_none_or(|total| total >= sum.at_least.to_i64().unwrap())
            })
        });
        closed && clean && (alive || !deadlock)
    })
}

/// True if no value of the place's slot satisfies the guard.
fn impossible(set: &Set, place: PlaceId, range: &Range) -> bool {
    let one_of = set.slots.iter().any(|slot| matches!(slot, Slot::OneOf(list) if list.contains(&place)));
    one_of && !has(range, 0) && !has(range, 1)
}

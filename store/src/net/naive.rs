//! Nets as their documentation says, in big integers, and random ones of all features: what compiled stepping and searches
//! are tested against.

use model::{
    Bound, Effect, Formula, FormulaBuilder, FormulaId, Goal, Guard, Net, NetTask, Node, NodeId, Place, PlaceId, Range,
    Slot, Transition,
};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tokens by place.
pub(crate) type Marking = Vec<BigUint>;

/// The successor of `m` under transition `t`, if that is enabled.
pub(crate) fn fire(net: &Net, m: &Marking, t: usize) -> Option<Marking> {
    let transition = &net.transitions()[t];
    if !transition.guards.iter().all(|g| g.range.contains(&m[g.place.index()])) {
        return None;
    }
    let mut next = m.clone();
    for effect in &transition.effects {
        let sum: BigUint = effect.sources.iter().map(|p| &m[p.index()]).sum();
        next[effect.place.index()] = BigUint::try_from(BigInt::from(sum) + &effect.add).unwrap();
    }
    Some(next)
}

/// Tokens on counted places.
pub(crate) fn total(bound: &Bound, m: &Marking) -> BigUint {
    m.iter().zip(&bound.counted).filter(|(_, counted)| **counted).map(|(n, _)| n).sum()
}

pub(crate) fn is_within(task: &NetTask, m: &Marking) -> bool {
    task.bound.as_ref().is_none_or(|bound| total(bound, m) <= BigUint::from(bound.most))
}

/// Does `m` satisfy `formula`?
pub(crate) fn satisfies(formula: &Formula, m: &Marking) -> bool {
    let mut values: Vec<bool> = Vec::new();
    for node in formula.nodes() {
        let of = |ids: &[NodeId]| ids.iter().map(|id| values[id.index()]).collect::<Vec<_>>();
        let value = match node {
            Node::All(ids) => of(ids).into_iter().all(|v| v),
            Node::Any(ids) => of(ids).into_iter().any(|v| v),
            Node::AtLeast(sum) => {
                let terms = sum.terms.iter().map(|(p, c)| c * BigInt::from(m[p.index()].clone()));
                terms.sum::<BigInt>() >= sum.at_least
            }
        };
        values.push(value);
    }
    values[values.len() - 1]
}

/// Is `m` a marking of `goal`?
pub(crate) fn is_goal(task: &NetTask, goal: Goal, m: &Marking) -> bool {
    match task.formula(goal) {
        Some(formula) => satisfies(formula, m),
        None => (0..task.net.transitions().len()).all(|t| fire(&task.net, m, t).is_none()),
    }
}

/// All markings within reach, and what was met on the way.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    pub(crate) depths: BTreeMap<Marking, u64>,
    pub(crate) transitions: u64,
    pub(crate) cut: bool,
    /// The least depth of a marking of each goal.
    pub(crate) goals: BTreeMap<Goal, u64>,
}

/// Initial markings with at most `open` tokens on places without upper end; true if that, or the bound, left some out.
pub(crate) fn initial(task: &NetTask, open: u32) -> (Vec<Marking>, bool) {
    let mut all: Vec<Marking> = vec![Vec::new()];
    let mut cut = false;
    for place in task.net.places() {
        let most = place.initial.at_most.clone().unwrap_or_else(|| &place.initial.at_least + open);
        cut |= place.initial.at_most.is_none();
        let mut longer = Vec::new();
        for m in &all {
            let mut count = place.initial.at_least.clone();
            while count <= most {
                longer.push([&m[..], &[count.clone()]].concat());
                count += 1u8;
            }
        }
        all = longer;
    }
    let before = all.len();
    all.retain(|m| is_within(task, m));
    let cut = cut || all.len() < before;
    (all, cut)
}

/// Breadth first within the bound; `None` if there are more than `most` markings.
pub(crate) fn explore(task: &NetTask, most: usize) -> Option<Reach> {
    let open = task.bound.as_ref().map_or(0, |b| b.most as u32 + 1);
    let (mut layer, cut) = initial(task, open);
    let mut reach = Reach { cut, ..Reach::default() };
    for depth in 0.. {
        layer.sort();
        layer.dedup();
        layer.retain(|m| !reach.depths.contains_key(m));
        if layer.is_empty() {
            return Some(reach);
        }
        let mut next = Vec::new();
        for m in &layer {
            reach.depths.insert(m.clone(), depth);
            for &goal in &task.goals {
                if is_goal(task, goal, m) {
                    reach.goals.entry(goal).or_insert(depth);
                }
            }
            let successors = (0..task.net.transitions().len()).filter_map(|t| fire(&task.net, m, t));
            let (within, beyond): (Vec<_>, Vec<_>) = successors.partition(|s| is_within(task, s));
            reach.cut |= !beyond.is_empty();
            reach.transitions += within.len() as u64;
            next.extend(within);
        }
        if reach.depths.len() > most {
            return None;
        }
        layer = next;
    }
    None
}

/// How random nets look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features {
    /// Zero tests and other upper ends of guards, formulas with negative weights, deadlocks.
    pub(crate) upper: bool,
    /// Initial ranges without end.
    pub(crate) open: bool,
    /// Places that hold one token together, in one slot.
    pub(crate) control: bool,
}

fn effect() -> impl Strategy<Value = (usize, Vec<usize>, i8)> {
    let plain = (0..6usize, -2..3i8).prop_map(|(p, add)| (p, vec![p], add));
    let moved = (0..6usize, 0..6usize).prop_map(|(p, q)| (p, vec![p, q], 0));
    let set = (0..6usize, 0..3i8).prop_map(|(p, add)| (p, vec![], add));
    let sum = (0..6usize, proptest::collection::vec(0..6usize, 0..3), -1..2i8);
    prop_oneof![6 => plain, 1 => moved, 1 => set, 1 => sum]
}

type Rule = (Vec<(usize, u8, Option<u8>)>, Vec<(usize, Vec<usize>, i8)>, Option<(usize, usize, u8)>);

fn rule(upper: bool) -> impl Strategy<Value = Rule> {
    let most = if upper { proptest::option::weighted(0.2, 0..3u8).boxed() } else { Just(None).boxed() };
    let guards = proptest::collection::vec((0..6usize, 0..3u8, most), 0..3);
    let control = proptest::option::weighted(0.7, (0..3usize, 0..3usize, 0..8u8));
    (guards, proptest::collection::vec(effect(), 1..4), control)
}

/// A transition over `places` places and then three of control.
fn transition(name: usize, rule: &Rule, places: usize, with_control: bool) -> Transition {
    let (guards, effects, control) = rule;
    let mut ranges: BTreeMap<usize, (u8, Option<u8>)> = BTreeMap::new();
    for &(p, least, extra) in guards {
        ranges.insert(p % places, (least, extra.map(|extra| least + extra)));
    }
    let mut sums: BTreeMap<usize, (Vec<usize>, i8)> = BTreeMap::new();
    for (p, sources, add) in effects {
        let mut sources: Vec<usize> = sources.iter().map(|s| s % places).collect();
        sources.sort_unstable();
        if *add < 0 {
            // what is taken must be there
            let from = sources.first().copied().unwrap_or(p % places);
            let range = ranges.entry(from).or_insert((0, None));
            range.0 = range.0.max(add.unsigned_abs());
            range.1 = range.1.map(|most| most.max(range.0));
            if sources.is_empty() {
                sources.push(from);
            }
        }
        sums.insert(p % places, (sources, *add));
    }
    if let (true, Some((from, to, how))) = (with_control, control) {
        let (from, to) = (places + from, places + to);
        match how {
            // an unguarded move of the token, wherever it is of the two
            0 if from != to => {
                drop((sums.insert(to, (vec![from.min(to), from.max(to)], 0)), sums.insert(from, (vec![], 0))))
            }
            1 => ranges.extend([(from, (0, Some(0)))]),
            // a guarded transfer
            2 if from != to => {
                ranges.insert(from, (1, None));
                sums.insert(to, (vec![from], 0));
                sums.insert(from, (vec![], 0));
            }
            // asks for two tokens where there is one
            3 => ranges.extend([(from, (1, None)), (to, (1, None))]),
            _ => {
                ranges.insert(from, (1, None));
                if from != to {
                    sums.insert(from, (vec![from], -1));
                    sums.insert(to, (vec![to], 1));
                }
            }
        }
    }
    let range = |(least, most): (u8, Option<u8>)| Range { at_least: least.into(), at_most: most.map(BigUint::from) };
    Transition {
        name: format!("t{name}"),
        guards: ranges.into_iter().map(|(p, r)| Guard { place: PlaceId::new(p), range: range(r) }).collect(),
        effects: sums
            .into_iter()
            .map(|(p, (sources, add))| Effect {
                place: PlaceId::new(p),
                sources: sources.into_iter().map(PlaceId::new).collect(),
                add: add.into(),
            })
            .collect(),
    }
}

fn formula(places: usize, upper: bool) -> impl Strategy<Value = Arc<Formula>> {
    let weight = if upper { (-2..4i8).boxed() } else { (1..4i8).boxed() };
    let atom = (proptest::collection::vec((0..places, weight), 1..3), -2..7i8);
    let groups = proptest::collection::vec(proptest::collection::vec(atom, 0..3), 0..4);
    (groups, any::<bool>()).prop_map(move |(groups, outer)| {
        let mut b = FormulaBuilder::default();
        let mut parts = Vec::new();
        for group in groups {
            let atoms = group.into_iter().map(|(terms, k)| {
                let terms: Vec<_> = terms.into_iter().map(|(p, c)| (PlaceId::new(p), BigInt::from(c))).collect();
                b.at_least(terms, k.into())
            });
            let atoms = atoms.collect();
            parts.push(if outer { b.any(atoms) } else { b.all(atoms) });
        }
        let root = if outer { b.all(parts) } else { b.any(parts) };
        Arc::new(b.finish(root))
    })
}

/// A random net with goals, within a small bound (dropped by those who want none).
pub(crate) fn task(features: Features) -> impl Strategy<Value = NetTask> {
    let Features { upper, open, control } = features;
    (1..=6usize).prop_flat_map(move |places| {
        let all = places + if control { 3 } else { 0 };
        let most = prop_oneof![8 => Just(Some(0u8)), 2 => (0..3u8).prop_map(Some), 1 => Just((!open).then_some(1))];
        let initial = proptest::collection::vec((0..3u8, most), places);
        let rules = proptest::collection::vec(rule(upper), 1..6);
        let formulas = proptest::collection::vec(formula(all, upper), 1..4);
        (initial, rules, formulas, 0..8u64, 0..3usize, any::<(bool, bool)>()).prop_map(
            move |(initial, rules, formulas, most, start, (deadlock, counts_control))| {
                let mut ranges: Vec<Range> = initial
                    .into_iter()
                    .map(|(least, extra)| Range {
                        at_least: least.into(),
                        at_most: extra.map(|extra| BigUint::from(least) + extra),
                    })
                    .collect();
                if control {
                    ranges.extend((0..3).map(|i| Range::exactly(u8::from(i == start))));
                }
                let place = |(i, initial)| Place { name: format!("p{i}"), initial };
                let net_places: Vec<Place> = ranges.into_iter().enumerate().map(place).collect();
                let transitions = rules.iter().enumerate().map(|(i, r)| transition(i, r, places, control)).collect();
                let net = Net::new(net_places, transitions).unwrap();
                let mut goals: Vec<Goal> = (0..formulas.len()).map(|f| Goal::Formula(FormulaId::new(f))).collect();
                if upper && deadlock {
                    goals.push(Goal::Deadlock);
                }
                let mut task = NetTask::plain(Arc::new(net), formulas, goals);
                task.bound =
                    Some(Bound { most: most + 1, counted: (0..all).map(|p| p < places || counts_control).collect() });
                if control {
                    task.slots.truncate(places);
                    task.slots.push(Slot::OneOf((places..all).map(PlaceId::new).collect()));
                }
                task
            },
        )
    })
}

//! Random net tasks: nets with all features, goals, and a small bound.

use model::{
    Bound, Effect, Formula, FormulaBuilder, FormulaId, Goal, Guard, Net, NetTask, Place, PlaceId, Range, Slot,
    Transition,
};
use num_bigint::{BigInt, BigUint};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Optional features of random net tasks.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Guards with upper ends (zero tests among them), formulas with negative weights, deadlock goals.
    pub upper: bool,
    /// Initial ranges without upper end.
    pub open: bool,
    /// Control places, which hold one token together and share one slot.
    pub control: bool,
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

/// Returns a transition over `places` places, followed by three control places.
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
            // The guard must ensure the tokens that the effect takes.
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
            // An unguarded move of the token to `to`. It works for both places that may hold the token.
            0 if from != to => {
                drop((sums.insert(to, (vec![from.min(to), from.max(to)], 0)), sums.insert(from, (vec![], 0))))
            }
            1 => ranges.extend([(from, (0, Some(0)))]),
            // A guarded transfer.
            2 if from != to => {
                ranges.insert(from, (1, None));
                sums.insert(to, (vec![from], 0));
                sums.insert(from, (vec![], 0));
            }
            // The guards require two tokens, but control places hold only one.
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

/// A strategy for random net tasks with goals and a small bound. A test may remove the bound.
pub fn tasks(features: Features) -> impl Strategy<Value = NetTask> {
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

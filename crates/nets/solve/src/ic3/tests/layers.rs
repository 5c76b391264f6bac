//! Compares frames with exact layers, also for frames with lemmas of a smaller bound. A lemma of level k must
//! hold in every marking that runs within the current bound reach in at most k steps.
//!
//! Layers are computed for the start and the net of each half of a search: the net as it is, and the net with a
//! budget, where runs begin by adding tokens to open places.

use super::answers::{engine, task, uses};
use super::steps::formulas;
use crate::coverability::tests::nets::{cover, nets, targets};
use crate::ic3::claims::Literal;
use crate::ic3::search::{GoalSearch, Levels};
use crate::ic3::{Asked, State};
use crate::{InvariantUse, NetBitsOptions};
use model::{Budget, Engine, Formula, Net, NetTask, Turn};
use num_bigint::BigUint;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::HashSet;
use std::sync::Arc;
use testkit::net::{Marking, successors};

/// Number of bounds, starting with 0.
const BOUNDS: u64 = 5;
/// Maximal number of markings for one net, start and bound.
const MARKINGS: usize = 600;
/// Work units between two checks of the frames.
const SLICE: u64 = 40;
/// Maximal number of checks for a bound.
const LOOKS: usize = 60;

/// For each number of steps, the markings first reached after this number of steps. Stops when there are too
/// many markings.
struct Layers(Vec<Vec<Marking>>);

impl Layers {
    /// Computes layers from the initial markings of the net. The ranges `starts` replace the initial counts of
    /// their places.
    fn new(net: &Net, starts: &[(u32, u64, u64)]) -> Self {
        let mut initial: Vec<Marking> = vec![Vec::new()];
        for (p, place) in (0u32..).zip(net.places()) {
            let least = place.initial.at_least.clone();
            let counts: Vec<BigUint> = match starts.iter().find(|s| s.0 == p) {
                Some(&(_, least, most)) => (least..=most).map(BigUint::from).collect(),
                None => {
                    assert_eq!(place.initial.at_most.as_ref(), Some(&least), "a place whose start is open");
                    vec![least]
                }
            };
            let with = |m: &Marking| counts.iter().map(|n| m.iter().cloned().chain([n.clone()]).collect()).collect();
            initial = initial.iter().flat_map(|m: &Marking| -> Vec<Marking> { with(m) }).collect();
        }
        let mut seen: HashSet<Marking> = initial.iter().cloned().collect();
        let mut layers = Self(Vec::new());
        let mut next = initial;
        while !next.is_empty() && seen.len() < MARKINGS {
            let fired = next.iter().flat_map(|m| successors(net, m));
            let reached = fired.filter(|m| seen.insert(m.clone())).collect();
            layers.0.push(std::mem::replace(&mut next, reached));
        }
        layers
    }

    /// Returns a clause that does not hold at its level.
    fn wrong<'a>(&self, levels: &'a Levels) -> Option<&'a (usize, Vec<Literal>)> {
        let holds = |clause: &[Literal], marking: &Marking| {
            clause.iter().any(|&((place, n), value)| (marking[place as usize] >= BigUint::from(n)) == value)
        };
        levels.iter().find(|(level, clause)| {
            self.0.iter().take(level.saturating_add(1)).flatten().any(|marking| !holds(clause, marking))
        })
    }
}

/// The layers of one search under one bound.
struct Both {
    loose: Layers,
    strict: Option<Layers>,
}

impl Both {
    /// Computes the layers. Returns `None` if no initial marking is within the bound.
    fn new(net: &Net, search: &GoalSearch, bound: u64) -> Option<Self> {
        let bounded = search.bounded().expect("under a bound");
        let loose = Layers::new(net, &bounded.starts(bound)?);
        let left = bound - bounded.least;
        let strict = bounded.strict.as_ref().map(|s| Layers::new(&s.net, &[(s.budget, left, left)]));
        Some(Self { loose, strict })
    }

    fn wrong(&self, (loose, strict): &(Levels, Levels)) -> Option<String> {
        let in_strict = self.strict.as_ref().and_then(|layers| layers.wrong(strict));
        let wrong = self.loose.wrong(loose).map(|w| ("as it is", w)).or(in_strict.map(|w| ("with a budget", w)));
        wrong.map(|(net, (level, clause))| format!("{clause:?} does not hold within {level} steps of the net {net}"))
    }
}

/// The searches that have been given the current bound, with the indices of their goals.
fn searches(asked: &mut [Asked]) -> impl Iterator<Item = (usize, &mut GoalSearch)> {
    asked.iter_mut().enumerate().filter_map(|(goal, asked)| match &mut asked.state {
        State::Open(search) | State::Answered(search) if asked.is_set => Some((goal, &mut **search)),
        _ => None,
    })
}

/// The result of checking frames.
#[derive(Default)]
struct Found {
    wrong: Option<String>,
    /// Number of searches with lemmas of the last bound that do not hold at the same level under the new one.
    would_be_wrong: usize,
    /// Number of lemmas at the first check under a new bound.
    carried: usize,
}

/// Runs the engine through a sequence of bounds, and checks the frames repeatedly.
fn look(net: &Net, formulas: Vec<Formula>, invariants: InvariantUse) -> Found {
    let task: NetTask = task(net.clone(), formulas, Some(0));
    let mut engine = engine(&task, NetBitsOptions { invariants, unbounded: false, rising: false });
    let mut found = Found::default();
    let goals = task.goals.len();
    let mut before: Vec<Option<(Levels, Levels)>> = vec![None; goals];
    for bound in 0..BOUNDS {
        engine.set_bound(bound);
        let mut layers: Vec<Option<Both>> = (0..goals).map(|_| None).collect();
        for _ in 0..LOOKS {
            let turn = engine.run(&mut Budget::new(SLICE, Arc::default()));
            for (goal, search) in searches(&mut engine.asked) {
                let is_first = layers[goal].is_none();
                let layers = layers[goal].get_or_insert_with(|| Both::new(net, search, bound).expect("has a start"));
                let levels = search.levels();
                if let (true, Some(before)) = (is_first, before[goal].take()) {
                    found.would_be_wrong += usize::from(layers.wrong(&before).is_some());
                    found.carried += levels.0.len() + levels.1.len();
                }
                found.wrong = found.wrong.or_else(|| layers.wrong(&levels));
            }
            if matches!(turn, Turn::Done) {
                break;
            }
        }
        for (goal, search) in searches(&mut engine.asked) {
            before[goal] = Some(search.levels());
        }
    }
    found
}

fn goals(net: &Net, wanted: &[Vec<(usize, u8)>], formula: Formula) -> Vec<Formula> {
    let mut formulas: Vec<Formula> = wanted.iter().map(|w| cover(net.places().len(), w)).collect();
    if net.places().len() >= 3 {
        formulas.push(formula);
    }
    formulas
}

proptest! {
    #![proptest_config(testkit::config(2_000))]

    #[test]
    fn lemmas_hold_in_the_layers_of_the_present_bound(
        net in nets(false), wanted in targets(), formula in formulas(), invariants in uses(),
    ) {
        let found = look(&net, goals(&net, &wanted, formula), invariants);
        prop_assert!(found.wrong.is_none(), "{}", found.wrong.unwrap_or_default());
    }
}

/// Tests the check itself: it detects lemmas kept wrongly from a smaller bound, and lemmas are indeed kept
/// where this is right.
#[test]
fn lemmas_left_where_they_stood_would_be_seen() {
    let mut runner = TestRunner::deterministic();
    let (mut would_be_wrong, mut carried) = (0, 0);
    for _ in 0..200 {
        let (net, wanted, formula) = (nets(false), targets(), formulas()).new_tree(&mut runner).unwrap().current();
        let found = look(&net, goals(&net, &wanted, formula), InvariantUse::NONE);
        would_be_wrong += found.would_be_wrong;
        carried += found.carried;
    }
    assert!(would_be_wrong > 20, "{would_be_wrong}");
    assert!(carried > 300, "{carried}");
}

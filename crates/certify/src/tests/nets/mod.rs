//! Tests of nets and thread-transition systems against a brute force of their own, and against deliberate
//! damage to valid evidence.
//!
//! The brute force for nets computes with small numbers on plain vectors. The one for thread-transition systems
//! keeps a list of threads and moves them one by one. Neither shares code with the crate.

mod invariant;
mod markings;
mod naive;
mod potentially_marked;
mod reduced;
mod scatter;
mod threads;
mod traces;

use super::brute::Rng;
use crate::{Confirmed, Options, Refusal, confirm};
use model::{
    Certificate, Claim, Effect, Formula, FormulaBuilder, FormulaId, Goal, Guard, Markings, Net, Place, PlaceId,
    PotentiallyMarked, Problem, Property, Questions, Range, Slot, StateSet, Stop, SystemModel, Transition,
};
use num_bigint::{BigInt, BigUint};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A marking, or a listed marking.
type Tokens = Vec<u32>;

#[derive(Debug, Clone)]
struct Listed(Vec<Tokens>);

impl StateSet for Listed {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn for_each(&self, visit: &mut dyn FnMut(&[u32]) -> ControlFlow<()>) -> ControlFlow<()> {
        self.0.iter().try_for_each(|s| visit(s))
    }
}

/// The problem with these formulas as goals, and then deadlocks.
fn problem(system: SystemModel, formulas: Vec<Formula>) -> Problem {
    let mut properties: Vec<Property> = (0..formulas.len())
        .map(|i| Property::never(format!("target:{}", i + 1), Goal::Formula(FormulaId::new(i))))
        .collect();
    properties.push(Property::never("deadlock", Goal::Deadlock));
    Problem::new(
        system,
        Questions { formulas: formulas.into_iter().map(Arc::new).collect(), properties, ..Questions::default() },
    )
    .expect("it fits")
}

fn net_problem(net: Net, formulas: Vec<Formula>) -> Problem {
    problem(SystemModel::Net(Arc::new(net)), formulas)
}

fn first() -> Goal {
    Goal::Formula(FormulaId(0))
}

fn asked(problem: &Problem, claim: &Claim) -> Result<Confirmed, Refusal> {
    confirm(problem, claim, &Options::default(), &Stop::default())
}

fn potentially_marked(problem: &Problem, places: &[bool], goals: &[Goal]) -> Result<Confirmed, Refusal> {
    let certificate = Certificate::PotentiallyMarked(PotentiallyMarked { places: places.to_vec() });
    asked(problem, &Claim::Safe { goals: goals.to_vec(), certificate })
}

/// A certificate as plain lists.
#[derive(Clone, Debug)]
struct Set {
    slots: Vec<Slot>,
    potentially_marked: Vec<bool>,
    states: Vec<Tokens>,
}

impl Set {
    fn plain(places: usize, states: Vec<Tokens>) -> Self {
        let slots = (0..places).map(|p| Slot::Tokens(PlaceId::new(p))).collect();
        Self { slots, potentially_marked: vec![true; places], states }
    }

    fn check(&self, problem: &Problem, goals: &[Goal]) -> Result<Confirmed, Refusal> {
        let states = Box::new(Listed(self.states.clone()));
        let markings =
            Markings { slots: self.slots.clone(), potentially_marked: self.potentially_marked.clone(), states };
        asked(problem, &Claim::Safe { goals: goals.to_vec(), certificate: Certificate::Markings(markings) })
    }
}

fn place(name: &str, least: u64, most: Option<u64>) -> Place {
    let range = Range { at_least: least.into(), at_most: most.map(BigUint::from) };
    Place { name: name.to_owned(), initial: range }
}

fn p(i: u32) -> PlaceId {
    PlaceId(i)
}

/// A guard: place, least number, largest number.
type Tests<'a> = &'a [(u32, u64, Option<u64>)];
/// An effect: place, sources, constant.
type Changes<'a> = &'a [(u32, &'a [u32], i64)];

fn transition(name: &str, guards: Tests<'_>, effects: Changes<'_>) -> Transition {
    let range = |least: u64, most: Option<u64>| Range { at_least: least.into(), at_most: most.map(BigUint::from) };
    Transition {
        name: name.to_owned(),
        guards: guards.iter().map(|&(q, least, most)| Guard { place: p(q), range: range(least, most) }).collect(),
        effects: effects
            .iter()
            .map(|&(q, sources, add)| Effect {
                place: p(q),
                sources: sources.iter().map(|&s| p(s)).collect(),
                add: add.into(),
            })
            .collect(),
    }
}

/// A plain transition that takes one token from each place of `takes` and puts one on each place of `puts`.
fn arcs(name: &str, takes: &[u32], puts: &[u32]) -> Transition {
    let arcs = |places: &[u32]| -> Vec<(PlaceId, BigUint)> { places.iter().map(|&q| (p(q), 1u8.into())).collect() };
    Transition::from_arcs(name.to_owned(), &arcs(takes), &arcs(puts))
}

fn net(places: Vec<Place>, transitions: Vec<Transition>) -> Net {
    Net::new(places, transitions).expect("a valid net")
}

fn cover(marking: &[(u32, u64)]) -> Formula {
    let marking: Vec<(PlaceId, BigUint)> = marking.iter().map(|&(q, n)| (p(q), n.into())).collect();
    Formula::cover(&marking)
}

/// `sum of weight * place >= at_least`.
fn linear(terms: &[(u32, i64)], at_least: i64) -> Formula {
    let mut builder = FormulaBuilder::default();
    let root = builder.at_least(terms.iter().map(|&(q, c)| (p(q), c.into())), at_least.into());
    builder.finish(root)
}

/// A random combination of a few inequalities, without negation.
fn random_formula(rng: &mut Rng, places: usize) -> Formula {
    let mut builder = FormulaBuilder::default();
    let cover_only = rng.one_in(2);
    let mut parts = Vec::new();
    for _ in 0..1 + rng.below(3) {
        let terms: Vec<(PlaceId, BigInt)> = (0..1 + rng.below(2))
            .map(|_| {
                let weight = if cover_only { 1 } else { [-1, 1, 1, 2, -2][rng.below(5)] };
                (PlaceId::new(rng.below(places)), weight.into())
            })
            .collect();
        parts.push(builder.at_least(terms, (rng.below(6) as i64 - 1).into()));
    }
    let root = if rng.one_in(2) {
        builder.all(parts)
    } else {
        let last = parts.split_off(parts.len() - 1);
        let all = builder.all(parts);
        builder.any([vec![all], last].concat())
    };
    builder.finish(root)
}

/// A random net that uses all features, mostly bounded.
fn random_net(rng: &mut Rng, places: usize) -> Net {
    let initial = |rng: &mut Rng| match rng.below(8) {
        0 => (0, Some(1)),
        1 => (1, Some(2)),
        2 if rng.one_in(3) => (rng.below(2) as u64, None),
        3 | 4 => (1, Some(1)),
        5 => (2, Some(2)),
        _ => (0, Some(0)),
    };
    let list = (0..places)
        .map(|i| {
            let (least, most) = initial(rng);
            place(&format!("p{i}"), least, most)
        })
        .collect();
    let transitions = (0..1 + rng.below(4)).map(|i| random_transition(rng, places, i)).collect();
    net(list, transitions)
}

fn random_transition(rng: &mut Rng, places: usize, number: usize) -> Transition {
    let name = format!("t{number}");
    if rng.one_in(2) {
        // This moves a token, so the net stays bounded.
        let (from, to) = (rng.below(places) as u32, rng.below(places) as u32);
        let mut moved = arcs(&name, &[from], &[to]);
        if rng.one_in(3) {
            test_something(rng, places, &mut moved);
        }
        return moved;
    }
    let mut t = transition(&name, &[], &[]);
    for _ in 0..rng.below(3) {
        test_something(rng, places, &mut t);
    }
    for q in 0..places as u32 {
        let (sources, add): (Vec<u32>, i64) = match rng.below(12) {
            0 => (vec![q], 1),
            1 | 2 => (vec![q], -1),
            3 => (vec![], rng.below(3) as i64),
            4 => {
                let other = rng.below(places) as u32;
                (vec![q.min(other), q.max(other)], 0)
            }
            5 => (vec![rng.below(places) as u32], rng.below(2) as i64 - 1),
            _ => continue,
        };
        let add = ensured(&mut t, &sources, add);
        t.effects.push(transition("", &[], &[(q, &sources, add)]).effects.remove(0));
    }
    t
}

/// Makes sure that the first source has the token that the transition takes.
fn ensured(t: &mut Transition, sources: &[u32], add: i64) -> i64 {
    let Some(&source) = sources.first().filter(|_| add < 0) else { return add.max(0) };
    match t.guards.iter_mut().find(|g| g.place == p(source)) {
        Some(guard) if guard.range.at_most == Some(BigUint::ZERO) => return 0,
        Some(guard) => guard.range.at_least = guard.range.at_least.clone().max(1u8.into()),
        None => {
            t.guards.push(Guard { place: p(source), range: Range::from(1u8) });
            t.guards.sort_by_key(|g| g.place);
        }
    }
    add
}

/// Adds a guard if there is none.
fn test_something(rng: &mut Rng, places: usize, t: &mut Transition) {
    let place = PlaceId::new(rng.below(places));
    if t.guards.iter().any(|g| g.place == place) {
        return;
    }
    let (least, most) = [(1, None), (1, None), (2, None), (0, Some(0)), (0, Some(1)), (1, Some(2))][rng.below(6)];
    t.guards.push(transition("", &[(place.0, least, most)], &[]).guards.remove(0));
    t.guards.sort_by_key(|g| g.place);
}

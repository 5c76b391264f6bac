//! Markings from which a formula can be reached, right and damaged.

use crate::recurring::{check, covers_some, starting_after};
use crate::{Check, Refusal, Work};
use model::{Formula, FormulaId, Guard, Net, Node, PlaceId, Problem, Range, Stop, TransitionId, Way};
use std::sync::Arc;
use testkit::net::{arcs, place};

/// A machine p makes a, and two b become a c.
fn net() -> Net {
    let places = [("p", 1u32), ("a", 0), ("b", 0), ("c", 0)];
    let places = places.map(|(name, tokens)| place(name, Range::exactly(tokens))).to_vec();
    let make = arcs("t", &[(0, 1)], &[(0, 1), (1, 1)]);
    Net::new(places, vec![make, arcs("u", &[(1, 1)], &[(2, 1)]), arcs("v", &[(2, 2)], &[(3, 1)])]).expect("a net")
}

/// Asks for two b.
fn problem(net: Net) -> Problem {
    let two = Formula::cover(&[(PlaceId(2), 2u8.into())]);
    Problem::of_net(Arc::new(net)).never("two", two).expect("a question")
}

fn way(marking: &[(u32, u32)], next: Option<(u32, usize)>) -> Way {
    let marking = marking.iter().map(|(place, tokens)| (PlaceId(*place), (*tokens).into())).collect();
    Way { marking, next: next.map(|(t, earlier)| (TransitionId(t), earlier)) }
}

fn ways() -> Vec<Way> {
    vec![
        way(&[(2, 2)], None),
        way(&[(1, 1), (2, 1)], Some((1, 0))),
        way(&[(1, 2)], Some((1, 1))),
        way(&[(0, 1), (2, 1)], Some((0, 1))),
        way(&[(0, 1), (1, 1)], Some((0, 2))),
        way(&[(0, 1)], Some((0, 4))),
    ]
}

fn checked(net: Net, ways: &[Way]) -> Check<()> {
    check(&problem(net), FormulaId::new(0), ways, &mut Work::new(1 << 20, &Stop::default()))
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Check<T>, reason: &str) {
    match result {
        Err(Refusal::Rejected(why)) => assert!(why.contains(reason), "rejected for another reason: {why}"),
        other => panic!("expected a rejection ({reason}), got {other:?}"),
    }
}

#[test]
fn markings_from_which_a_formula_can_be_reached_are_accepted() {
    assert_eq!(checked(net(), &ways()), Ok(()));
    assert_eq!(checked(net(), &[]), Ok(()), "nothing is said");
    assert_eq!(covers_some(&[]).root(), &Node::Any(vec![]), "no marking covers one of none");
    let all = covers_some(&[way(&[(2, 2)], None), way(&[(2, 0)], None)]);
    assert_eq!(all.root(), &Node::All(vec![]), "each marking covers the empty one");
}

#[test]
fn wrong_markings_and_steps_are_rejected() {
    let change = |at: usize, other: Way| {
        let mut list = ways();
        list[at] = other;
        checked(net(), &list)
    };
    refused(change(0, way(&[(2, 1)], None)), "does not hold");
    refused(change(0, way(&[(9, 1)], None)), "that does not exist");
    refused(change(1, way(&[(1, 1)], Some((1, 0)))), "leads to another marking");
    refused(change(1, way(&[(2, 1)], Some((1, 0)))), "not enabled");
    refused(change(1, way(&[(1, 1), (2, 1)], Some((9, 0)))), "unknown event");
    refused(change(1, way(&[(1, 1), (2, 1)], Some((1, 1)))), "no earlier marking");
    refused(change(0, way(&[(2, 2)], Some((0, 0)))), "no earlier marking");
    refused(change(5, way(&[], Some((0, 4)))), "not enabled");
    let few = check(&problem(net()), FormulaId::new(0), &ways(), &mut Work::new(10, &Stop::default()));
    assert_eq!(few, Err(Refusal::ResourceLimit));
}

/// With an inhibitor arc, more tokens may disable a transition. With a negative factor, they may make the formula
/// false.
#[test]
fn nets_and_formulas_that_more_tokens_hinder_are_rejected() {
    let mut transitions = net().transitions().to_vec();
    let none = Guard { place: PlaceId(3), range: Range::exactly(0u8) };
    transitions[1].guards.push(none);
    let inhibited = Net::new(net().places().to_vec(), transitions).expect("a net");
    refused(checked(inhibited, &ways()), "may disable");
    let mut builder = model::FormulaBuilder::default();
    let few = builder.place_at_most(PlaceId(2), &2u8.into());
    let few = Problem::of_net(Arc::new(net())).never("few", builder.finish(few)).expect("a question");
    let result = check(&few, FormulaId::new(0), &[way(&[], None)], &mut Work::new(1 << 20, &Stop::default()));
    refused(result, "may make the formula false");
}

#[test]
fn the_net_after_a_run_starts_in_its_last_marking() {
    let stop = Stop::default();
    let after = |net: Net, word: &[u32]| {
        let run = super::trace(&[], &[(word, 1)]);
        starting_after(&problem(net), FormulaId::new(0), &run, &mut Work::new(1 << 20, &stop))
    };
    let (moved, length) = after(net(), &[0, 0, 1]).expect("it is a run");
    let initial = moved.system().as_net().expect("a net").places().iter().map(|place| place.initial.clone());
    assert_eq!(initial.collect::<Vec<_>>(), [1u8, 1, 1, 0].map(Range::exactly));
    assert_eq!(length, 3);
    refused(after(net(), &[1]), "not enabled");
    let mut places = net().places().to_vec();
    places[3].initial.at_most = None;
    refused(after(Net::new(places, net().transitions().to_vec()).expect("a net"), &[0]), "initial markings");
}

use super::*;
use std::collections::BTreeSet;
use testkit::Random;

fn below(random: &mut Random, n: u32) -> u32 {
    random.below(n as usize) as u32
}

fn of(set: &EventSet) -> BTreeSet<u32> {
    set.iter().map(|e| e.0).collect()
}

fn set(universe: usize, members: &BTreeSet<u32>) -> EventSet {
    EventSet::from_events(universe, members.iter().map(|&e| EventId(e)))
}

/// Returns a random set: a few runs, then up to `universe / 2` single events, each added or removed.
fn members(universe: u32, random: &mut Random) -> BTreeSet<u32> {
    let mut members = BTreeSet::new();
    for _ in 0..random.below(4) {
        let from = below(random, universe);
        let length = 1 + below(random, universe);
        members.extend(from..universe.min(from + length));
    }
    let singles = [0, 1, 5, universe / 100, universe / 40, universe / 2][random.below(6)];
    for _ in 0..singles {
        let e = below(random, universe);
        if random.below(2) == 0 {
            members.insert(e)
        } else {
            members.remove(&e)
        };
    }
    members
}

/// Compares every operation with the same operation on a plain set of numbers, and checks that equal sets have
/// equal representations.
#[test]
fn as_a_set_of_numbers() {
    let mut random = Random::new(7);
    for round in 0..600 {
        let universe = [1, 63, 64, 65, 500, 1_024, 1_025, 3_000, 4_096][round % 9];
        let (a, b) = (members(universe, &mut random), members(universe, &mut random));
        let n = universe as usize;
        let (left, right) = (set(n, &a), set(n, &b));
        assert_eq!((of(&left), left.len(), left.is_empty()), (a.clone(), a.len(), a.is_empty()));
        assert_eq!((left.is_full(), left.is_subset(&right)), (a.len() == n, a.is_subset(&b)));
        for e in 0..universe + 70 {
            assert_eq!(left.contains(EventId(e)), a.contains(&e));
        }
        let mut united = left.clone();
        united.union_with(&right);
        assert_eq!(united, set(n, &(&a | &b)), "union over {universe}");
        let mut met = left.clone();
        met.intersect_with(&right);
        assert_eq!(met, set(n, &(&a & &b)), "intersection over {universe}");
        let mut rest = left.clone();
        rest.subtract(&right);
        assert_eq!(rest, set(n, &(&a - &b)), "difference over {universe}");
        let mut words = left.words();
        assert_eq!(words.len(), n.div_ceil(64));
        assert_eq!(EventSet::from_words(n, words.clone()), left);
        right.add_to(&mut words);
        assert_eq!(words, united.words());
        left.take_from(&mut words);
        let mut only = right.clone();
        only.subtract(&left);
        assert_eq!(words, only.words());
        let mut changed = (left, a);
        for _ in 0..50 {
            let e = below(&mut random, universe);
            if random.below(2) == 0 {
                changed.0.insert(EventId(e));
                changed.1.insert(e);
            } else {
                changed.0.remove(EventId(e));
                changed.1.remove(&e);
            }
            assert_eq!(changed.0, set(n, &changed.1), "{e} of {universe}");
        }
    }
}

#[test]
fn the_whole_and_its_complements_are_small() {
    let n = 1_000_000;
    let mut set = EventSet::full(n);
    assert_eq!((set.len(), set.is_full(), set.size()), (n, true, 1));
    set.remove(EventId(500));
    set.remove(EventId(700));
    assert_eq!((set.len(), set.size()), (n - 2, 3));
    let scattered = EventSet::from_events(n, (0..n).step_by(2).map(EventId::new));
    assert_eq!((scattered.len(), scattered.size()), (n / 2, n.div_ceil(64)), "never more than bits");
    assert_eq!(EventSet::full(0).len(), 0);
}

#[test]
#[should_panic(expected = "event 5 of 5")]
fn an_event_outside_is_a_mistake() {
    EventSet::empty(5).insert(EventId(5));
}

/// A widened set equals a set that was built over the larger universe, including its form.
#[test]
fn a_wider_set_has_the_same_events() {
    for (before, after) in [(0, 0), (5, 64), (64, 65), (1_000, 1_024), (1_000, 5_000), (5_000, 5_003), (5_000, 90_000)]
    {
        for step in [1, 2, 3, 70, 1_000] {
            let events = || (0..before).step_by(step).map(EventId::new);
            let wide = EventSet::from_events(before, events()).widened(after);
            assert_eq!(wide, EventSet::from_events(after, events()), "every {step} of {before}, among {after}");
        }
    }
}

#[test]
fn widening_costs_what_the_set_takes() {
    let mut set = EventSet::full(1_000_000);
    for more in 1..100_000 {
        set = set.widened(1_000_000 + more);
    }
    assert_eq!((set.len(), set.size()), (1_000_000, 1));
}

//! Tests nets against an oracle that follows the definition literally, on small numbers.

use super::{Rng, kernel, rejected, trace};
use crate::Check;
use model::{
    Certificate, Claim, Effect, Formula, Goal, Guard, Markings, Net, Place, PlaceId, PotentiallyMarked, Problem, Range,
    Slot, Transition,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::Listed;

pub(super) type Tokens = Vec<u32>;

pub(super) fn random_net(rng: &mut Rng, places: usize) -> Net {
    let list = (0..places).map(|p| {
        let least = rng.below(3);
        let most = least + usize::from(rng.one_in(5));
        Place { name: format!("p{p}"), initial: Range { at_least: least.into(), at_most: Some(most.into()) } }
    });
    let list = list.collect();
    let transitions = (0..1 + rng.below(4)).map(|t| {
        let mut transition = Transition { name: format!("t{t}"), guards: Vec::new(), effects: Vec::new() };
        for p in 0..places {
            let place = PlaceId::new(p);
            let (least, most) =
                [(0, None), (0, None), (1, None), (2, None), (0, Some(1)), (1, Some(1)), (0, Some(0))][rng.below(7)];
            if (least, most) != (0, None) {
                let range = Range { at_least: (least as u32).into(), at_most: most.map(|n: u32| n.into()) };
                transition.guards.push(Guard { place, range });
            }
            let (sources, add) = match rng.below(8) {
                0 if least > 0 => (vec![p], -least),
                1 => (vec![p], 1),
                2 => (vec![rng.below(places)], 0),
                3 => (vec![], rng.below(2) as i32),
                _ => continue,
            };
            let sources = sources.into_iter().map(PlaceId::new).collect();
            let effect = Effect { place, sources, add: add.into() };
            if !effect.is_identity() {
                transition.effects.push(effect);
            }
        }
        transition
    });
    Net::new(list, transitions.collect()).expect("a net")
}

pub(super) fn in_range(range: &Range, tokens: u32) -> bool {
    range.contains(&tokens.into())
}

pub(super) fn fire(t: &Transition, m: &Tokens) -> Option<Tokens> {
    if !t.guards.iter().all(|g| in_range(&g.range, m[g.place.index()])) {
        return None;
    }
    let mut after = m.clone();
    for effect in &t.effects {
        let sum: u32 = effect.sources.iter().map(|p| m[p.index()]).sum();
        let add = i32::try_from(&effect.add).unwrap();
        after[effect.place.index()] = sum.checked_add_signed(add).expect("guards see to that");
    }
    Some(after)
}

pub(super) fn initial(net: &Net) -> Vec<Tokens> {
    let mut all = vec![Vec::new()];
    for place in net.places() {
        let counts = (0..4).filter(|n| in_range(&place.initial, *n));
        all = counts
            .flat_map(|n| all.iter().map(move |m: &Tokens| [&m[..], &[n]].concat()).collect::<Vec<_>>())
            .collect();
    }
    all
}

/// Returns the reachable markings, or `None` if there are many.
pub(super) fn reachable(net: &Net) -> Option<BTreeSet<Tokens>> {
    let mut all: BTreeSet<Tokens> = initial(net).into_iter().collect();
    let mut open: Vec<Tokens> = all.iter().cloned().collect();
    while let Some(m) = open.pop() {
        for next in net.transitions().iter().filter_map(|t| fire(t, &m)) {
            if all.insert(next.clone()) {
                open.push(next);
            }
        }
        if all.len() > 60 {
            return None;
        }
    }
    Some(all)
}

pub(super) fn cover(place: usize, tokens: u32) -> Formula {
    Formula::cover(&[(PlaceId::new(place), tokens.into())])
}

pub(super) fn first() -> Goal {
    Goal::Formula(model::FormulaId(0))
}

fn set(problem: &Problem, slots: Vec<Slot>, states: Vec<Tokens>, goals: &[Goal]) -> Check<crate::Checked> {
    let places = crate::net::Marked::of(problem).expect("markings").places();
    let markings = Markings { slots, potentially_marked: vec![true; places], states: Box::new(Listed(states)) };
    kernel(problem, &Claim::Safe { goals: goals.to_vec(), certificate: Certificate::Markings(markings) })
}

pub(super) fn plain(places: usize) -> Vec<Slot> {
    (0..places).map(|p| Slot::Tokens(PlaceId::new(p))).collect()
}

#[test]
fn sets_are_accepted_iff_they_are_closed() {
    let mut rng = Rng(9);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..6000 {
        let places = 1 + rng.below(4);
        let net = random_net(&mut rng, places);
        let Some(mut states) = reachable(&net) else { continue };
        for _ in 0..rng.below(3) {
            let state: Tokens = (0..places).map(|_| rng.below(3) as u32).collect();
            if !states.remove(&state) {
                states.insert(state);
            }
        }
        let (place, tokens) = (rng.below(places), 1 + rng.below(4) as u32);
        let problem = Problem::of_net(Arc::new(net.clone()))
            .never("f", cover(place, tokens))
            .and_then(Problem::never_stuck)
            .expect("it fits");
        let both = [first(), Goal::Deadlock];
        let goals = [&both[..], &both[..1], &both[1..]][rng.below(3)];
        let enabled = |m: &Tokens| net.transitions().iter().filter_map(|t| fire(t, m)).collect::<Vec<_>>();
        let good = initial(&net).iter().all(|m| states.contains(m))
            && states.iter().all(|m| enabled(m).iter().all(|n| states.contains(n)))
            && !(goals.contains(&first()) && states.iter().any(|m| m[place] >= tokens))
            && !(goals.contains(&Goal::Deadlock) && states.iter().any(|m| enabled(m).is_empty()));
        let listed: Vec<Tokens> = states.into_iter().collect();
        let got = set(&problem, plain(places), listed.clone(), goals);
        assert_eq!(got.is_ok(), good, "round {round}: {got:?}\n{net:#?}\n{listed:?} {goals:?} {place} {tokens}");
        accepted += usize::from(good);
        refused += usize::from(!good);
    }
    assert!(accepted > 300 && refused > 1000, "the generator is too weak: {accepted} {refused}");
}

#[test]
fn runs_are_accepted_iff_they_can_be_taken() {
    let mut rng = Rng(10);
    let mut accepted = 0;
    for round in 0..6000 {
        let places = 1 + rng.below(4);
        let net = random_net(&mut rng, places);
        let extra: Vec<u32> =
            net.places().iter().filter(|p| !p.initial.is_single()).map(|_| rng.below(2) as u32).collect();
        let mut more = extra.iter();
        let start = net.places().iter().map(|p| {
            let least = u32::try_from(&p.initial.at_least).unwrap();
            least + if p.initial.is_single() { 0 } else { *more.next().unwrap() }
        });
        let mut state: Option<Tokens> = Some(start.collect());
        let mut runs: Vec<(Vec<u32>, u64)> = Vec::new();
        for _ in 0..rng.below(4) {
            let word: Vec<u32> = (0..1 + rng.below(2)).map(|_| rng.below(net.transitions().len()) as u32).collect();
            let times = [1, 1, 2, 3, 8][rng.below(5)];
            for _ in 0..times {
                for &t in &word {
                    state = state.and_then(|m| fire(&net.transitions()[t as usize], &m));
                }
            }
            runs.push((word, times));
            if state.as_ref().is_none_or(|m| m.iter().any(|n| *n > 1 << 20)) {
                break;
            }
        }
        let (place, tokens) = (rng.below(places), rng.below(4) as u32);
        let problem = Problem::of_net(Arc::new(net.clone()))
            .never("f", cover(place, tokens))
            .and_then(Problem::never_stuck)
            .expect("it fits");
        let runs: Vec<(&[u32], u64)> = runs.iter().map(|(word, times)| (&word[..], *times)).collect();
        let dead = state.as_ref().is_some_and(|m| net.transitions().iter().all(|t| fire(t, m).is_none()));
        let covers = state.as_ref().is_some_and(|m| m[place] >= tokens);
        for (goal, good) in [(first(), covers), (Goal::Deadlock, dead)] {
            let trace = trace(&extra, &runs);
            let got = kernel(&problem, &Claim::Unsafe { goal, trace, candidate: false });
            assert_eq!(got.is_ok(), good, "round {round}: {got:?}\n{net:#?}\n{runs:?}");
            accepted += usize::from(good);
        }
    }
    assert!(accepted > 1000, "the generator is too weak: {accepted}");
}

#[test]
fn places_are_markable_iff_the_set_is_closed() {
    let place = |name: &str, n: u8| Place { name: name.into(), initial: Range::exactly(n) };
    let arcs = |name: &str, takes: &[u32], puts: &[u32]| {
        let all = |list: &[u32]| list.iter().map(|&p| (PlaceId(p), 1u8.into())).collect::<Vec<_>>();
        Transition::from_arcs(name.into(), &all(takes), &all(puts))
    };
    let places = vec![place("a", 1), place("b", 0), place("c", 0), place("d", 0)];
    let net = Net::new(places, vec![arcs("ab", &[0], &[1]), arcs("cd", &[2], &[3]), arcs("bc", &[1, 3], &[2])]);
    let problem = Problem::of_net(Arc::new(net.unwrap()))
        .never("c", cover(2, 1))
        .and_then(Problem::never_stuck)
        .expect("it fits");
    let claim = |places: &[bool], goal: Goal| {
        let certificate = Certificate::PotentiallyMarked(PotentiallyMarked { places: places.to_vec() });
        kernel(&problem, &Claim::Safe { goals: vec![goal], certificate })
    };
    let checked = claim(&[true, true, false, false], first()).expect("c needs d, and d needs c");
    assert_eq!((checked.length(), checked.is_safe()), (2, true));
    rejected(claim(&[true, true, false, false], Goal::Deadlock), "nothing about deadlocks");
    rejected(claim(&[true, true, true, true], first()), "do not exclude");
    rejected(claim(&[true, true, false, true], first()), "may put tokens on `c`");
    rejected(claim(&[true, false, false, false], first()), "may put tokens on `b`");
    rejected(claim(&[false, true, false, false], first()), "at the start");
    rejected(claim(&[true, true, false], first()), "the net has 4");
}

/// With two places in one slot, a marking with tokens on both cannot be listed.
#[test]
fn slots_of_several_places_are_exact() {
    let place = |name: &str, n: u8| Place { name: name.into(), initial: Range::exactly(n) };
    let arcs = |name: &str, takes: &[u32], puts: &[u32]| {
        let all = |list: &[u32]| list.iter().map(|&p| (PlaceId(p), 1u8.into())).collect::<Vec<_>>();
        Transition::from_arcs(name.into(), &all(takes), &all(puts))
    };
    let places = || vec![place("a", 1), place("b", 0), place("c", 0)];
    let one_of = || vec![Slot::OneOf(vec![PlaceId(0), PlaceId(1)]), Slot::Tokens(PlaceId(2))];
    let problem = |transitions: Vec<Transition>| {
        Problem::of_net(Arc::new(Net::new(places(), transitions).unwrap()))
            .never("c", cover(2, 1))
            .and_then(Problem::never_stuck)
            .expect("it fits")
    };
    let moves = problem(vec![arcs("ab", &[0], &[1]), arcs("ba", &[1], &[0])]);
    let both = [first(), Goal::Deadlock];
    assert!(set(&moves, one_of(), vec![vec![1, 0], vec![2, 0]], &both).is_ok());
    rejected(set(&moves, one_of(), vec![vec![1, 0]], &both), "not closed");
    rejected(set(&moves, one_of(), vec![vec![1, 0], vec![3, 0]], &both), "out of the range");
    rejected(set(&moves, one_of(), vec![vec![1, 0], vec![2]], &both), "a marking has 1");
    let copies = problem(vec![arcs("copy", &[0], &[0, 1])]);
    rejected(set(&copies, one_of(), vec![vec![1, 0], vec![2, 0]], &both[..1]), "not closed");
    let dies = problem(vec![arcs("ab", &[0], &[1])]);
    rejected(set(&dies, one_of(), vec![vec![1, 0], vec![2, 0]], &both), "may be a deadlock");
    assert!(set(&dies, one_of(), vec![vec![1, 0], vec![2, 0]], &both[..1]).is_ok());
    let loses = problem(vec![arcs("gone", &[0], &[])]);
    assert!(set(&loses, one_of(), vec![vec![1, 0], vec![0, 0]], &both[..1]).is_ok());
    rejected(set(&loses, one_of(), vec![vec![1, 0], vec![2, 0]], &both[..1]), "not closed");
}
